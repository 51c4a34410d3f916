// Command rwreleasesfixed takes the write lock again for what it adds.
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
			rw.Lock()
			v := n
			n = v + 1
			rw.Unlock()
		})
	}
	wg.Wait()
	if n != 4 {
		panic("lost")
	}
}
