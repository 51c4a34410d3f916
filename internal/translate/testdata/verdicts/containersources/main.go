package main

import (
	"math/rand"
	"sync"
)

var never = make(chan int)

type doer interface{ do() }

type fine struct{}

func (fine) do() {}

// What is put into a container comes from several places.
type (
	branch   struct{}
	looped   struct{}
	result   struct{}
	argument struct{}
	field    struct{}
	captured struct{}
	global   struct{}
	received struct{}
)

func (branch) do()   { <-never } // want "deadlock"
func (looped) do()   { <-never } // want "deadlock"
func (result) do()   { <-never } // want "deadlock"
func (argument) do() { <-never } // want "deadlock"
func (field) do()    { <-never } // want "deadlock"
func (captured) do() { <-never } // want "deadlock"
func (global) do()   { <-never } // want "deadlock"
func (received) do() { <-never } // want "deadlock"

var shared doer = fine{}

func either(b bool) doer {
	if b {
		return fine{}
	}
	return result{}
}

func put(m *sync.Map, d doer) { m.Store(0, d) }

func get(m *sync.Map) doer {
	if v, ok := m.Load(0); ok {
		return v.(doer)
	}
	return fine{}
}

func main() {
	var m sync.Map
	n := rand.Intn(8)
	again := rand.Intn(2) == 1
	switch n {
	case 0:
		d := doer(fine{})
		if again {
			d = branch{}
		}
		m.Store(0, d)
	case 1:
		d := doer(fine{})
		for range 2 {
			m.Store(0, d)
			d = looped{}
		}
	case 2:
		m.Store(0, either(again))
	case 3:
		put(&m, fine{})
		if again {
			put(&m, argument{})
		}
	case 4:
		s := struct{ d doer }{fine{}}
		if again {
			s.d = field{}
		}
		m.Store(0, s.d)
	case 5:
		d := doer(fine{})
		func() {
			if again {
				d = captured{}
			}
		}()
		m.Store(0, d)
	case 6:
		if again {
			shared = global{}
		}
		m.Store(0, shared)
	case 7:
		c := make(chan doer, 2)
		c <- fine{}
		c <- received{}
		if again {
			<-c
		}
		m.Store(0, <-c)
	}
	get(&m).do()
}
