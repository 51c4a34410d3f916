package main

import "sync"

type worker interface{ work(done chan bool) }

type stopper interface {
	worker
	stop()
}

type sends struct{}

func (sends) work(done chan bool) { done <- true }
func (sends) stop()               {}

type closes struct{}

func (closes) work(done chan bool) { close(done) }
func (closes) stop()               {}

// Methods are called of what containers of the library have kept: as it comes, with or
// without a second result, from one of two, as another interface, as an entry.
func main() {
	var m sync.Map
	m.Store("sends", sends{})
	m.Store("closes", closes{})
	p := sync.Pool{New: func() any { return sends{} }}

	done := make(chan bool, 1)
	v, ok := m.Load("sends")
	if !ok {
		panic("never")
	}
	v.(worker).work(done)
	<-done

	v = p.Get()
	if len(done) == 0 {
		v, _ = m.LoadAndDelete("closes")
	}
	worker(v.(stopper)).work(done)
	<-done

	done = make(chan bool, 1)
	m.Range(func(_, v any) bool {
		v.(worker).work(done)
		return true
	})
	<-done
	<-done // want "deadlock"
}
