package main

import "sync"

type stage[T any] interface{ run(v T) }

type outer[T any] struct{ next stage[T] }

func (o *outer[T]) run(v T) {
	var s stage[*pair[T]] = &inner[*pair[T]]{}
	s.run(&pair[T]{v, v})
	if o.next != nil {
		o.next.run(v)
	}
}

type pair[T any] struct{ a, b T }

type inner[T any] struct {
	mu sync.Mutex
	c  chan T
}

func (i *inner[T]) run(v T) {
	var s stage[T] = deep[T]{i}
	s.run(v)
}

type deep[T any] struct{ i *inner[T] }

func (d deep[T]) run(v T) {
	d.i.mu.Lock()
	d.i.mu.Lock() // want "deadlock"
}

func start[T any](s stage[T], v T) { s.run(v) }

func main() {
	start[int](&outer[int]{}, 1)
}
