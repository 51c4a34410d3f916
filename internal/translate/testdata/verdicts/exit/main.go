package main

import "os"

func main() {
	c := make(chan int)
	go func() { os.Exit(0) }()
	<-c
}
