package main

import "os"

func main() {
	c := make(chan string, len(os.Args))
	for _, a := range os.Args[1:] {
		c <- a
	}
	for range len(os.Args) - 1 {
		<-c
	}
}
