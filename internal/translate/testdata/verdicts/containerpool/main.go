package main

import "sync"

type encoder interface{ encode() }

type fast struct{}

func (fast) encode() {}

type slow struct{ mu *sync.Mutex }

func (s slow) encode() { s.mu.Lock() } // want "deadlock"

var (
	mu   sync.Mutex
	pool = sync.Pool{New: func() any { return slow{&mu} }}
)

func take(simple bool) encoder {
	if simple {
		return fast{}
	}
	return pool.Get().(encoder)
}

func main() {
	take(false).encode()
	take(true).encode()
	take(false).encode()
}
