package main

import (
	"os"
	"sync"
)

// Runs that are harmless, of programs that need not be. Who comes when is decided by pipes, which
// nobody records: to the analysis nothing orders the goroutines there.

// turn lets a goroutine wait for another one.
type turn struct{ r, w *os.File }

func newTurn() turn {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return turn{r, w}
}

func (t turn) pass() { _, _ = t.w.Write([]byte{1}) }

func (t turn) await() { _, _ = t.r.Read(make([]byte, 1)) }

var possible = map[string]func(){
	"send on closed": func() {
		c, t := make(chan int, 1), newTurn()
		go func() {
			c <- 1
			t.pass()
		}()
		t.await()
		close(c)
	},
	"send on closed in a select": func() {
		c, stop, t := make(chan int, 1), make(chan bool), newTurn()
		go func() {
			select {
			case c <- 1:
			case <-stop:
			}
			t.pass()
		}()
		t.await()
		close(c)
		close(stop)
	},
	"negative counter": func() {
		var wg sync.WaitGroup
		t, end := newTurn(), newTurn()
		go func() {
			t.await()
			wg.Done()
			end.pass()
		}()
		wg.Add(1)
		t.pass()
		end.await()
	},
	"add too late": func() {
		var wg sync.WaitGroup
		t := newTurn()
		go func() {
			wg.Add(1)
			t.pass()
			wg.Done()
		}()
		t.await()
		wg.Wait()
	},
	"unlock of unlocked": func() {
		var mu sync.Mutex
		t, end := newTurn(), newTurn()
		go func() {
			t.await()
			mu.Unlock()
			end.pass()
		}()
		mu.Lock()
		t.pass()
		end.await()
	},
	"two locks": func() {
		var a, b sync.Mutex
		t := newTurn()
		go func() {
			a.Lock()
			b.Lock()
			b.Unlock()
			a.Unlock()
			t.pass()
		}()
		t.await()
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	},
	"three locks": func() {
		var locks [3]sync.Mutex
		t := newTurn()
		for i := range locks {
			go func() {
				locks[i].Lock()
				locks[(i+1)%3].Lock()
				locks[(i+1)%3].Unlock()
				locks[i].Unlock()
				t.pass()
			}()
			t.await()
		}
	},
	"readers and a writer": func() {
		var a sync.RWMutex
		var b sync.Mutex
		t := newTurn()
		go func() {
			a.RLock()
			b.Lock()
			b.Unlock()
			a.RUnlock()
			t.pass()
		}()
		t.await()
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	},
	"a lock and a channel": func() {
		var mu sync.Mutex
		c, t := make(chan int), newTurn()
		go func() {
			mu.Lock()
			mu.Unlock()
			t.pass()
			<-c
		}()
		t.await()
		mu.Lock()
		c <- 1
		mu.Unlock()
	},
	"the other receiver": func() {
		c, t, end := make(chan int), newTurn(), newTurn()
		go func() {
			<-c
			end.pass()
		}()
		go func() {
			c <- 1
			t.pass()
		}()
		t.await()
		end.await()
		go func() { c <- 2 }()
		<-c
	},
}
