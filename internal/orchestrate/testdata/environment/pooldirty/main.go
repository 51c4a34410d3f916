package main

import (
	"sync"
)

func main() {
	pool := sync.Pool{New: func() any { return new(int) }}
	p := pool.Get().(*int)
	*p = 7
	pool.Put(p)
	if *pool.Get().(*int) == 7 {
		panic("dirty") // want "panic"
	}
}
