package main

import "sync"

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	wake  func(*sync.Cond)
	items int
}

func (q *queue) take() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.items == 0 {
		q.cond.Wait()
	}
	q.items--
}

func run(wake func(*sync.Cond)) {
	q := &queue{wake: wake}
	q.cond = sync.NewCond(&q.mu)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			q.take()
		}()
	}
	q.mu.Lock()
	q.items = 2
	q.wake(q.cond)
	q.mu.Unlock()
	wg.Wait() // want "deadlock"
}

func main() {
	run((*sync.Cond).Broadcast)
	run((*sync.Cond).Signal)
}
