package main

import (
	"context"
	"sync"
)

type server struct {
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
}

func newServer(parent context.Context) *server {
	s := &server{}
	s.ctx, s.stop = context.WithCancel(context.WithValue(parent, "k", 1))
	return s
}

func (s *server) worker(in <-chan int) {
	defer s.wg.Done()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			if ctx.Err() != context.Canceled {
				panic("the error of a cancelled context")
			}
			return
		case <-in:
		}
	}
}

func main() {
	parent, cancel := context.WithCancel(context.Background())
	a, b := newServer(parent), newServer(context.TODO())
	for _, s := range []*server{a, b} {
		s.wg.Add(1)
		go s.worker(make(chan int))
	}
	cancel()
	a.wg.Wait()
	b.wg.Wait() // want "deadlock"
}
