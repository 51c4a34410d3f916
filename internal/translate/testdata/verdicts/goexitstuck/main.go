// Package main ends main by Goexit, in one of two places, and the goroutine that is left waits
// for it.
package main

import "runtime"

func main() {
	c, quit := make(chan int), make(chan bool, 1)
	go func() { c <- 1 }()
	select {
	case quit <- true:
	case quit <- false:
	}
	if <-quit {
		runtime.Goexit() // want "deadlock"
	}
	<-c
	defer func() { quit <- true }()
	runtime.Goexit() // want "deadlock"
}
