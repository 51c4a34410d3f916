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
	<-i.ready
	i.RLock()
	defer i.RUnlock()
}

func main() {
	o := outer{&inner{ready: make(chan bool)}, "o"}
	go func() {
		o.Lock()
		o.Unlock()
		o.ready <- true
	}()
	o.wait()
}
