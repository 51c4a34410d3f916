package main

import (
	"math/rand"
	"sync"
)

var never = make(chan int)

type doer interface{ do() }

type (
	fine   struct{}
	branch struct{}
	third  struct{}
	looped struct{}
)

func (fine) do()   {}
func (branch) do() { <-never } // want "deadlock"
func (third) do()  { <-never } // want "deadlock"
func (looped) do() { <-never } // want "deadlock"

func get(m *sync.Map, k int) doer {
	if v, ok := m.Load(k); ok {
		return v.(doer)
	}
	return fine{}
}

// What is put into a container is one of several values, and each counts.
func main() {
	var m sync.Map
	v := any(fine{})
	switch rand.Intn(3) {
	case 1:
		v = branch{}
	case 2:
		v = third{}
	}
	m.Store(1, v)
	w := any(fine{})
	for range 2 {
		m.Store(2, w)
		w = looped{}
	}
	get(&m, 1+rand.Intn(2)).do()
}
