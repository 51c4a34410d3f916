package main

import "sync"

type locker interface {
	lock()
	unlock()
}

type real struct{ mu sync.Mutex }

func (r *real) lock()   { r.mu.Lock() } // want "deadlock"
func (r *real) unlock() { r.mu.Unlock() }

type none struct{}

func (none) lock()   {}
func (none) unlock() {}

func twice(l locker) {
	l.lock()
	l.lock()
	l.unlock()
	l.unlock()
}

func main() {
	twice(none{})
	var l sync.Locker = new(sync.Mutex)
	l.Lock()
	l.Unlock()
	twice(&real{})
}
