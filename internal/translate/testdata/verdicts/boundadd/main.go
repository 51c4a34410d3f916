package main

import "sync"

// A wait group is counted up further than the model counts.
func main() {
	var wg sync.WaitGroup
	wg.Add(33) // unreal "bound exceeded"
	wg.Wait()  // missed "deadlock"
}
