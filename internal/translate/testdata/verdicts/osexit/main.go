package main

import "os"

func main() {
	c := make(chan int)
	defer close(c)
	go func() {
		<-c
		os.Exit(1) // the deferred close is not run
	}()
	go func() {
		os.Exit(3) // want "exit" // note "every run ends so"
	}()
	select {}
}
