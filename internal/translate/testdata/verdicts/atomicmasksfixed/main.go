package main

import "sync/atomic"

// Two goroutines take away a bit each; the second one of them to come opens the gate.
func main() {
	bits := uint32(3)
	gate := make(chan bool, 1)
	for _, b := range []uint32{1, 2} {
		go func() {
			if atomic.AndUint32(&bits, 3-b) == b {
				gate <- true
			}
		}()
	}
	<-gate
}
