package p

import (
	"context"
	"sync"
	"testing"
)

type server struct {
	mu      sync.Mutex
	clients map[string]context.CancelFunc
	wg      sync.WaitGroup
}

func (s *server) connect(t testing.TB, name string) {
	ctx, cancel := context.WithCancel(t.Context())
	s.mu.Lock()
	s.clients[name] = cancel
	s.mu.Unlock()
	s.wg.Add(1)
	context.AfterFunc(ctx, func() {
		defer s.wg.Done()
		s.mu.Lock()
		delete(s.clients, name)
		s.mu.Unlock()
	})
}

// The contexts end by that of the test, and with them the callbacks.
func TestProgram(t *testing.T) {
	s := &server{clients: map[string]context.CancelFunc{}}
	t.Cleanup(s.wg.Wait)
	s.connect(t, "a")
	s.connect(t, "b")
	s.mu.Lock()
	s.clients["a"]()
	s.mu.Unlock()
}
