package main

import "sync"

type inner struct {
	sync.RWMutex
	ready chan bool
}

type outer struct {
	*inner
	name string
}

func (i *inner) wait() {
	i.RLock() // want "deadlock"
	defer i.RUnlock()
	<-i.ready // want "deadlock"
}

func main() {
	o := outer{&inner{ready: make(chan bool)}, "o"}
	go func() {
		o.Lock()
		o.ready <- true
		o.Unlock()
	}()
	o.wait()
}
