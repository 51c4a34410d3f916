package main

import "sync"

type session struct {
	user string
	hits int
}

func (s *session) touch(n int) { s.hits += n }

// sessions ends some while others are used.
type sessions struct {
	mu sync.RWMutex
	m  map[string]*session
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, id)
}

func (s *sessions) use(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[id]; !ok {
		return
	}
	s.m[id].touch(1)
}

func main() {
	s := &sessions{m: map[string]*session{"a": {user: "a"}, "b": {user: "b"}}}
	done := make(chan struct{})
	go func() {
		s.end("a")
		close(done)
	}()
	s.use("a")
	s.use("b")
	<-done
}
