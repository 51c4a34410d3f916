package main

import "sync/atomic"

func main() {
	var held atomic.Bool
	done := make(chan bool)
	for range 2 {
		go func() {
			for !held.CompareAndSwap(false, true) {
			}
			done <- true // it is not given back
		}()
	}
	<-done
	<-done // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
}
