package main

import "sync"

func main() {
	var mus [3]sync.Mutex
	func() {
		for i := range mus {
			mus[i].Lock()
			defer mus[i].Unlock()
		}
	}()
	for i := range mus {
		mus[i].Lock()
	}
}
