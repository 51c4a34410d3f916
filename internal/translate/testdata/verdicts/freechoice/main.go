package main

import "os"

func main() {
	c := make(chan int)
	if len(os.Args) > 1 {
		<-c // want "deadlock" // unconfirmed "another run may have arguments"
	}
}
