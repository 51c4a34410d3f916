package main

import (
	"sync"
)

func main() {
	var pool sync.Pool
	put, get := pool.Put, pool.Get
	put("x")
	if get() == nil {
		panic("gone") // want "panic"
	}
}
