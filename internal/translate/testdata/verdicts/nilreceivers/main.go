package main

import (
	"sync"
	"sync/atomic"
	"time"
)

type stats struct {
	mu    sync.Mutex
	calls *atomic.Int64
}

func (s *stats) stop() {
	s.mu.Lock()
	s.calls = nil
	s.mu.Unlock()
}

// call counts where there may be no counter any more.
func (s *stats) call() {
	s.mu.Lock()
	n := s.calls
	s.mu.Unlock()
	n.Add(1) // want "panic"
}

func faults(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// Whatever acts through a nil pointer panics.
func main() {
	var n *int32
	var b *atomic.Bool
	var p *atomic.Pointer[int]
	var v *atomic.Value
	var m *sync.Map
	var pool *sync.Pool
	var timer *time.Timer
	for _, f := range []func(){
		func() { atomic.AddInt32(n, 1) },
		func() { atomic.StoreInt32(n, 1) },
		func() { b.Load() },
		func() { p.Swap(nil) },
		func() { v.Store(1) },
		func() { v.Load() },
		func() { m.Store(1, 2) },
		func() { m.Load(1) },
		func() { pool.Put(1) },
		func() { timer.Stop() },
	} {
		if !faults(f) {
			panic("it has not")
		}
	}
	s := &stats{calls: new(atomic.Int64)}
	go s.stop()
	s.call()
	<-make(chan int) // want "deadlock"
}
