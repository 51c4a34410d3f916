// Package main ends main by Goexit, and nobody ends the program.
package main

import "runtime"

func main() {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	runtime.Goexit() // want "deadlock"
}
