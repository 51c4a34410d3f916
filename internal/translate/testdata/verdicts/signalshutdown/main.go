package main

import (
	"os"
	"os/signal"
	"sync"
)

type server struct {
	mu   sync.Mutex
	quit chan struct{}
}

func (s *server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.quit)
	s.wait()
}

func (s *server) wait() {
	s.mu.Lock() // want "deadlock" // unconfirmed "no signal comes in a run"
	s.mu.Unlock()
}

func main() {
	s := &server{quit: make(chan struct{})}
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	defer signal.Stop(c)
	<-c
	s.stop()
}
