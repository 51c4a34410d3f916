package main

import "sync"

var (
	mu   sync.Mutex
	cond = sync.NewCond(&mu)
)

// More wait for a condition than the model counts: each starts the next one, which needs the
// lock that Wait gives back.
func main() {
	done := make(chan bool)
	one := func(next func()) func() {
		return func() {
			mu.Lock()
			next()
			cond.Wait() // unreal "bound exceeded"
		}
	}
	last := one(func() { close(done) })
	w8 := one(func() { go last() })
	w7 := one(func() { go w8() })
	w6 := one(func() { go w7() })
	w5 := one(func() { go w6() })
	w4 := one(func() { go w5() })
	w3 := one(func() { go w4() })
	w2 := one(func() { go w3() })
	w1 := one(func() { go w2() })
	go w1()
	<-done
	mu.Lock()
	mu.Lock() // missed "deadlock"
}
