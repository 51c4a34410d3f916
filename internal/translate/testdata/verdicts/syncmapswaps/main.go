package main

import "sync"

type key struct{ host, port int }

func main() {
	var m sync.Map
	old := make(chan int)
	m.Store(key{1, 2}, old)
	next := make(chan int)
	if !m.CompareAndSwap(key{1, 2}, old, next) {
		panic("not swapped")
	}
	if m.CompareAndDelete(key{1, 2}, old) {
		panic("deleted")
	}
	if _, ok := m.Load(key{2, 1}); ok {
		panic("another key")
	}
	v, loaded := m.Swap(key{1, 2}, old)
	if !loaded || v.(chan int) != next {
		panic("not what was there")
	}
	v, _ = m.Load(key{1, 2})
	<-v.(chan int) // want "deadlock"
}
