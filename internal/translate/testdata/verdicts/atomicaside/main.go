// The program may end while a goroutine stands at a statement that is a guard of runs only.
package main

import "sync/atomic"

var flag atomic.Bool

func main() {
	c := make(chan int, 1)
	go func() {
		n := 0
		if flag.Load() {
			n++
		}
		c <- n
	}()
}
