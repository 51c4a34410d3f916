package main

import "sync"

// Go counts a wait group up further than the model counts.
func main() {
	var wg sync.WaitGroup
	wg.Add(32)
	wg.Go(func() {}) // unreal "bound exceeded"
	wg.Wait()        // missed "deadlock"
}
