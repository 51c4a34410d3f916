package main

import "sync/atomic"

// A loop that tries again does not wait.
func main() {
	var n atomic.Int64
	done := make(chan bool)
	for range 2 {
		go func() {
			for {
				old := n.Load() // assumed "terminates"
				if n.CompareAndSwap(old, old+1) {
					break
				}
			}
			done <- true
		}()
	}
	<-done
	<-done
}
