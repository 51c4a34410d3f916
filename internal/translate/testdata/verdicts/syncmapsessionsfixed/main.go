package main

import "sync"

type session struct{ quit chan struct{} }

var sessions sync.Map

func open(id int) *session {
	s := &session{make(chan struct{})}
	sessions.Store(id, s)
	return s
}

func shut(id int) {
	if v, ok := sessions.LoadAndDelete(id); ok {
		close(v.(*session).quit)
	}
}

func main() {
	s := open(1)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		<-s.quit
	}()
	go shut(1)
	shut(1)
	wg.Wait()
}
