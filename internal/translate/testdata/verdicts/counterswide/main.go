package main

import "sync"

// The counter leaves its limits; what is asked of it then is a free choice, so
// the panic is not missed.

var (
	mu sync.Mutex
	n  int
)

func main() {
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			mu.Lock()
			n += 7
			mu.Unlock()
		}
	}()
	mu.Lock()
	big := n > 100
	mu.Unlock()
	if big {
		panic("many") // want "panic"
	}
	close(stop)
}
