// Package main ends main by Goexit, and others go on for ever: one looks every second, one
// spins.
package main

import (
	"runtime"
	"time"
)

func main() {
	which := make(chan int, 1)
	select {
	case which <- 0:
		go func() {
			for {
				time.Sleep(time.Second)
			}
		}()
	case which <- 1:
		go func() {
			for {
				runtime.Gosched() // assumed "terminates"
			}
		}()
	}
	runtime.Goexit()
}
