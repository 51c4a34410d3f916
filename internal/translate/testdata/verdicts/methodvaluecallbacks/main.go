package main

import (
	"context"
	"sync"
	"time"
)

type batch struct {
	mu    sync.Mutex
	wg    sync.WaitGroup
	timer *time.Timer
	ended chan bool
}

func (b *batch) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wg.Done()
}

func (b *batch) close() { close(b.ended) }

func main() {
	b := &batch{ended: make(chan bool)}
	b.wg.Add(2)
	b.mu.Lock()
	b.timer = time.AfterFunc(time.Millisecond, b.flush)
	b.mu.Unlock()
	time.AfterFunc(time.Millisecond, b.wg.Done)
	b.wg.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, b.close)
	cancel()
	<-b.ended
	b.mu.Lock()
	var once sync.Once
	once.Do(b.mu.Unlock)
	once.Do(b.mu.Unlock)
	sync.OnceFunc(b.mu.Lock)()
	b.mu.Lock() // want "deadlock"
}
