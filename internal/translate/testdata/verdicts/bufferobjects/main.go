package main

import (
	"log"
	"sync"
)

// frame is sent through a buffer with much more room than is ever used, and is locked by who receives it.
type frame struct {
	mu   sync.Mutex
	body []byte
	err  chan error
}

// The sender keeps the lock of the second frame, for which the receiver waits.
func main() {
	// What libraries have in their structs is their own: nothing needs to be known of these, as many as there are.
	logs := make(chan *log.Logger, 100)
	for range 20 {
		logs <- log.Default()
	}
	frames := make(chan *frame, 64)
	done := make(chan bool)
	go func() {
		for range 2 {
			f := <-frames
			f.mu.Lock()
			f.body = nil
			f.mu.Unlock()
			f.err <- nil
		}
		close(done)
	}()
	first := &frame{err: make(chan error, 1)}
	frames <- first
	<-first.err
	second := &frame{err: make(chan error, 1)}
	second.mu.Lock()
	frames <- second
	<-second.err // want "deadlock"
	second.mu.Unlock()
	<-done
}
