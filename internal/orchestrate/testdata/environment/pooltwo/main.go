package main

import (
	"sync"
)

func main() {
	var pool sync.Pool
	pool.Put(1)
	pool.Put(2)
	if pool.Get() == 1 && pool.Get() == nil {
		panic("lost") // want "panic"
	}
}
