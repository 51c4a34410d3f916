package main

import "sync"

// More calls are deferred by one statement than the model counts.
func main() {
	var wg sync.WaitGroup
	wg.Add(6)
	func() {
		for i := 0; i < 6; i++ {
			defer wg.Done() // unreal "bound exceeded"
		}
	}()
	wg.Wait()
}
