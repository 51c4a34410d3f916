// Package main ends main by Goexit, and the last goroutine ends the program.
package main

import (
	"os"
	"runtime"
)

func main() {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	go func() {
		<-c
		os.Exit(0)
	}()
	runtime.Goexit()
}
