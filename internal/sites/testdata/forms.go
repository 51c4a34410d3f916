// Package forms holds every form of operation.
package forms

import (
	"context"
	"log"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

var pkgch = func() chan int { c := make(chan int, 1); c <- 1; return c }()
var first = <-pkgch

type inner struct{ sync.Mutex }
type outer struct {
	*inner
	sync.RWMutex
	wg sync.WaitGroup
}
type locker interface {
	Lock()
	Unlock()
	Other()
}

func init() { close(make(chan int)) }
func init() { first++ }

func Chans[C ~chan T, T any](c C, v T, out chan<- T) {
	for x := range c {
		out <- x
	}
	for range c {
	}
	x, ok := <-c
	_, _ = x, ok
	if y := <-c; ok {
		_ = y
	} else if <-c; ok {
		c <- v
	}
	select {
	case out <- <-c:
	case z := <-c:
		_ = z
	case x, ok = <-c:
	default:
	}
	select {
	case c <- v:
	}
	select {
	case x, ok = (<-c):
	}
	close(out)
}

func Locks(o *outer, l sync.Locker, u locker, t *testing.T, tb testing.TB) {
	o.inner.Lock()
	defer o.inner.Unlock()
	o.RWMutex.RLock()
	f := o.RWMutex.RUnlock
	f()
	l.Lock()
	u.Lock()
	defer u.Unlock()
	l.Unlock()
	go o.wg.Wait()
	o.wg.Add(1)
	defer o.wg.Done()
	o.wg.Go(func() { time.Sleep(1) })
	(*sync.Mutex).Lock(&o.inner.Mutex)
	t.Fatal("x")
	tb.SkipNow()
	var once sync.Once
	once.Do(func() { os.Exit(1) })
	cond := sync.NewCond(l)
	cond.Wait()
	cond.Signal()
	cond.Broadcast()
	if o.RWMutex.TryLock() || o.RWMutex.TryRLock() {
		log.Fatalf("x")
	}
	g := time.Sleep
	g(1)
}

func Ends(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	context.AfterFunc(ctx, func() { log.New(nil, "", 0).Fatalln() })
	time.AfterFunc(1, nil)
	defer close(pkgch)
	defer panic("late")
	go close(pkgch)
	go func(int) { runtime.Goexit() }(<-pkgch)
	for i := 0; i < 10; i++ {
		switch {
		case i == <-pkgch:
			continue
		}
	}
L:
	for {
		break L
	}
	return
}

func Main() {
	Ends(nil)
}

func Behind(
	w interface{ Wait() },
	c interface {
		Wait()
		Signal()
	},
	r interface {
		RLock()
		RUnlock()
		Other()
	},
	d interface {
		Done()
		Other()
	},
	e interface{ Add(uint) },
) {
	w.Wait()
	c.Wait()
	r.RLock()
	r.Other()
	d.Done()
	e.Add(1)
	defer r.RUnlock()
	once := sync.OnceFunc(func() { w.Wait() })
	once()
	sync.OnceValue(func() int { return 1 })()
	two := sync.OnceValues[int, error]
	_ = two
}
