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
	for range c {
		mu.Lock()
		mu.Unlock()
	}
}
