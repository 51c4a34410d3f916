package main

import "sync"

// Who waits for an RWMutex by its RLocker, and by RLock, while it is written: they hold it together then. If the
// second writer comes between them, nobody goes on.
func main() {
	var rw sync.RWMutex
	n := 0
	c := make(chan int)
	var wg sync.WaitGroup
	reads := rw.RLocker()
	rw.Lock()
	wg.Go(func() {
		reads.Lock()
		c <- n
		reads.Unlock()
	})
	wg.Go(func() {
		rw.RLock()
		if got := <-c; got != n {
			panic("written in between")
		}
		rw.RUnlock()
	})
	rw.Unlock()
	rw.Lock() // want "deadlock"
	n++
	rw.Unlock()
	wg.Wait()
}
