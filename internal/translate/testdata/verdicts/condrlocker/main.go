package main

import "sync"

type latch struct {
	rw    sync.RWMutex
	ready bool
}

// Readers wait with a condition variable over the RLocker of an RWMutex. The first latch wakes all of
// them, the second one only one.
func main() {
	var first latch
	cond := sync.NewCond(first.rw.RLocker())
	done := make(chan bool, 2)
	for range 2 {
		go func() {
			cond.L.Lock()
			for !first.ready {
				cond.Wait()
			}
			cond.L.Unlock()
			done <- true
		}()
	}
	first.rw.Lock()
	first.ready = true
	first.rw.Unlock()
	cond.Broadcast()
	<-done
	<-done

	var second latch
	one := sync.NewCond(second.rw.RLocker())
	for range 2 {
		go func() {
			one.L.Lock()
			for !second.ready {
				one.Wait()
			}
			one.L.Unlock()
			done <- true
		}()
	}
	second.rw.Lock()
	second.ready = true
	second.rw.Unlock()
	one.Signal()
	<-done
	<-done // want "deadlock"
}
