package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

type spinLock struct{ held atomic.Int32 }

func (l *spinLock) Lock() {
	for !l.held.CompareAndSwap(0, 1) {
		runtime.Gosched()
	}
}

func (l *spinLock) Unlock() { l.held.Store(0) }

type pool struct {
	lock  sync.Locker
	cond  *sync.Cond
	ready bool
}

func main() {
	p := &pool{lock: &spinLock{}}
	p.cond = sync.NewCond(p.lock)
	done := make(chan bool)
	go func() {
		p.lock.Lock()
		if !p.ready {
			p.cond.Wait()
		}
		p.lock.Unlock()
		close(done)
	}()
	// Without the lock, the signal may come between the test and Wait.
	p.ready = true
	p.cond.Signal()
	<-done // want "deadlock"
}
