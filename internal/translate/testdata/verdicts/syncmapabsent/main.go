package main

import "sync"

// What the methods of a sync.Map do with a key that is not there, and what they leave.
func main() {
	var m sync.Map
	if _, loaded := m.Swap("a", 1); loaded {
		panic("it was not there")
	}
	if v, _ := m.Load("a"); v != 1 {
		panic("it is there now")
	}
	if m.CompareAndSwap("b", nil, 1) || m.CompareAndSwap("a", 2, 3) || m.CompareAndDelete("b", nil) || m.CompareAndDelete("a", 2) {
		panic("nothing to change")
	}
	if _, ok := m.Load("b"); ok {
		panic("it never came")
	}
	if v, loaded := m.LoadAndDelete("b"); loaded || v != nil {
		panic("nothing to delete")
	}
	m.Delete("b")
	if v, loaded := m.LoadOrStore("b", 2); loaded || v != 2 {
		panic("stored")
	}
	if v, loaded := m.LoadOrStore("b", 3); !loaded || v != 2 {
		panic("loaded")
	}
	if !m.CompareAndDelete("a", 1) {
		panic("deleted")
	}
	n := 0
	m.Range(func(k, v any) bool {
		if k != "b" || v != 2 {
			panic("another entry")
		}
		n++
		return true
	})
	if v, loaded := m.LoadAndDelete("b"); !loaded || v != 2 || n != 1 {
		panic("the only one")
	}
	m.Store("c", 1)
	m.Clear()
	if _, ok := m.Load("c"); !ok {
		var none *sync.Map
		defer func() {
			if recover() != nil {
				<-make(chan int) // want "deadlock"
			}
		}()
		none.Store(1, 1)
	}
}
