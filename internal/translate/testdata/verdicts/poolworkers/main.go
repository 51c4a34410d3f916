package main

import "sync"

// worker has methods of which a type has some only; it gets the others by
// embedding the interface.
type worker interface {
	run()
	finish()
}

type task struct {
	worker
	pool *pool
	arg  chan int
}

func (t *task) run() {
	go func() {
		for range t.arg {
			t.pool.done.Done()
		}
		t.pool.cache.Put(t)
	}()
}

type pool struct {
	mu    sync.Mutex
	done  sync.WaitGroup
	cache sync.Pool
}

func (p *pool) get() (w worker) {
	p.mu.Lock()
	w = p.cache.Get().(worker)
	w.run()
	p.mu.Unlock()
	return
}

func main() {
	p := &pool{}
	p.cache.New = func() any {
		return &task{pool: p, arg: make(chan int)}
	}
	w := p.get().(*task)
	p.done.Add(2)
	w.arg <- 1
	p.done.Wait() // want "deadlock"
}
