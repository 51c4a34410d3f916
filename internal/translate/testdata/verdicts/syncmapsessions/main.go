package main

import "sync"

type session struct{ quit chan struct{} }

var sessions sync.Map

func open(id int) {
	s := &session{make(chan struct{})}
	if _, loaded := sessions.LoadOrStore(id, s); loaded {
		return
	}
	<-s.quit
}

func shut(id int) {
	if v, ok := sessions.Load(id); ok {
		close(v.(*session).quit) // want "close of closed channel"
		sessions.Delete(id)
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		open(1)
	}()
	go shut(1)
	shut(1)
	wg.Wait() // want "deadlock"
}
