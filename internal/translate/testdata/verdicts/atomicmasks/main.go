package main

import "sync/atomic"

// Two goroutines set a bit each; the second one of them to come opens the gate, but neither
// of them sees so from what was there before.
func main() {
	var bits atomic.Uint32
	gate := make(chan bool, 1)
	for _, b := range []uint32{1, 2} {
		go func() {
			if bits.Or(b) == 3 {
				gate <- true
			}
		}()
	}
	<-gate // want "deadlock"
}
