package main

import "sync"

type session struct {
	user string
	hits int
}

func (s *session) touch(n int) { s.hits += n } // want "panic"

// sessions ends some while others are used.
type sessions struct {
	mu sync.RWMutex
	m  map[string]*session
}

func (s *sessions) has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.m[id]
	return ok
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, id)
}

func (s *sessions) use(id string) {
	if !s.has(id) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
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
