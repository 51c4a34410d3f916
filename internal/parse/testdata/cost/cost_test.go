// Package cost measures what guards cost outside of runs.
package cost

import (
	"sync"
	"testing"
	"time"
)

func BenchmarkUnbuffered(b *testing.B) {
	c := make(chan int)
	go func() {
		for range b.N {
			c <- 1
		}
		close(c)
	}()
	for range c {
	}
}

func BenchmarkBuffered(b *testing.B) {
	c := make(chan int, 128)
	go func() {
		for range b.N {
			c <- 1
		}
		close(c)
	}()
	for range c {
	}
}

func BenchmarkBufferedSame(b *testing.B) {
	c := make(chan int, 1)
	for range b.N {
		c <- 1
		<-c
	}
}

func BenchmarkSelectReady(b *testing.B) {
	c, d := make(chan int, 1), make(chan int)
	for range b.N {
		select {
		case c <- 1:
		case <-d:
		}
		select {
		case <-c:
		case <-d:
		}
	}
}

func BenchmarkSelectDefault(b *testing.B) {
	c := make(chan int)
	for range b.N {
		select {
		case <-c:
		default:
		}
	}
}

func BenchmarkSelectTwoDefault(b *testing.B) {
	c, d := make(chan int), make(chan int)
	for range b.N {
		select {
		case <-c:
		case d <- 1:
		default:
		}
	}
}

func BenchmarkSelectDone(b *testing.B) {
	c, done := make(chan int), make(chan struct{})
	go func() {
		for range b.N {
			select {
			case c <- 1:
			case <-done:
				return
			}
		}
		close(done)
	}()
	for {
		select {
		case <-c:
		case <-done:
			return
		}
	}
}

func BenchmarkSelectTimer(b *testing.B) {
	c, t := make(chan int), time.NewTimer(time.Hour)
	go func() {
		for range b.N {
			c <- 1
		}
		close(c)
	}()
	for {
		select {
		case _, ok := <-c:
			if !ok {
				return
			}
		case <-t.C:
		}
	}
}

func BenchmarkMutex(b *testing.B) {
	var mu sync.Mutex
	for range b.N {
		mu.Lock()
		mu.Unlock()
	}
}

func BenchmarkMutexContended(b *testing.B) {
	var mu sync.Mutex
	n := 0
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			n++
			mu.Unlock()
		}
	})
}

func BenchmarkRWMutex(b *testing.B) {
	var mu sync.RWMutex
	for range b.N {
		mu.RLock()
		mu.RUnlock()
	}
}

func BenchmarkGo(b *testing.B) {
	var wg sync.WaitGroup
	for range b.N {
		wg.Add(1)
		go func() { wg.Done() }()
		wg.Wait()
	}
}

func BenchmarkGoArgs(b *testing.B) {
	c := make(chan int)
	f := func(x, y int) { c <- x + y }
	for i := range b.N {
		go f(i, 2)
		<-c
	}
}

func BenchmarkOnce(b *testing.B) {
	var once sync.Once
	for range b.N {
		once.Do(func() {})
	}
}

func BenchmarkPipeline(b *testing.B) {
	first := make(chan int)
	in := first
	for range 10 {
		out := make(chan int)
		go func(in, out chan int) {
			for v := range in {
				out <- v + 1
			}
			close(out)
		}(in, out)
		in = out
	}
	go func() {
		for range b.N {
			first <- 0
		}
		close(first)
	}()
	for range in {
	}
}

var sink int

func BenchmarkCompute(b *testing.B) {
	x := 0
	for i := range b.N {
		if x > i {
			x -= i
		} else {
			x += 3
		}
		x ^= i
	}
	sink = x
}
