package main

import (
	"os"
	"sync"
)

var mode int

// What only main writes is known at each place of main, as long as it is known everywhere what can be written: behind the
// first lock it is not any more what the model keeps.
func main() {
	var wg sync.WaitGroup
	wg.Go(func() {})
	var mu, other sync.Mutex
	if len(os.Args) > 1 {
		mode = 1
	}
	other.Lock()
	other.Unlock()
	if mode == 1 {
		mu.Lock()
	}
	other.Lock()
	other.Unlock()
	if mode == 1 {
		mu.Unlock() // unreal "unlock of unlocked mutex"
	}
	wg.Wait()
	mode = os.Getpid()
	other.Lock()
	other.Unlock()
	if mode == 1 {
		other.Lock()
	}
}
