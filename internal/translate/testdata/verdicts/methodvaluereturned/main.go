package main

import "sync"

type table struct {
	sync.RWMutex
	rows int
}

func (t *table) read() (release func()) {
	t.RLock()
	return t.RUnlock
}

func (t *table) write() (release func()) {
	t.Lock() // want "deadlock"
	return t.Unlock
}

func main() {
	t := &table{}
	func() {
		defer t.write()()
		t.rows++
	}()
	func() {
		defer t.read()()
		if t.rows == 1 {
			defer t.write()()
		}
	}()
}
