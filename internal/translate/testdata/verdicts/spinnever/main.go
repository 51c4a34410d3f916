package main

import "runtime"

// Goroutines that do nothing for ever hold up who waits for them.
func main() {
	done := make(chan bool)
	go func() { // assumed "terminates"
		for {
		}
	}()
	go func() {
		n := 0
		for {
			n++ // assumed "terminates"
			if n < 0 {
				n = 0
			}
		}
		done <- true
	}()
	go func() {
		for {
			runtime.Gosched() // assumed "terminates"
		}
	}()
	<-done // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
}
