// Command rwreleases adds without the write lock that it has just released: one of two may be lost.
package main

import "sync"

func main() {
	var rw sync.RWMutex
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Go(func() {
			rw.Lock()
			n++
			rw.Unlock()
			v := n
			n = v + 1
		})
	}
	wg.Wait()
	if n != 4 {
		panic("lost") // want "panic"
	}
}
