package main

import "sync"

type buffer struct {
	mu sync.Mutex
	n  int
}

// It is put back with its lock held.
func use(pool *sync.Pool) {
	b, ok := pool.Get().(*buffer)
	if !ok {
		b = &buffer{}
	}
	b.mu.Lock() // want "deadlock"
	b.n++
	pool.Put(b)
}

func main() {
	pool := &sync.Pool{}
	use(pool)
	use(pool)
}
