package p

import "sync"

var (
	mu  sync.Mutex
	req = start()
)

func start() chan int {
	c := make(chan int)
	go loop(c)
	return c
}

func loop(c chan int) {
	for r := range c {
		mu.Lock() // want "goroutine leak"
		if r == 1 {
			mu.Unlock() // forgotten otherwise
		}
	}
}
