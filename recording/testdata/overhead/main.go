// Command overhead says what operations take, in nanoseconds of processor time: those named by its arguments, or
// all. It is run as it is, and recorded.
package main

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// operations is how many of a kind are done at a time, and times how often: the least time counts.
const (
	operations = 10_000
	times      = 150
)

func main() {
	for _, p := range patterns {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], p.name) {
			continue
		}
		least := time.Duration(0)
		for range times {
			from := processorTime()
			p.run(operations)
			if took := processorTime() - from; least == 0 || took < least {
				least = took
			}
		}
		fmt.Printf("%s\t%.1f\n", p.name, float64(least.Nanoseconds())/operations)
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var patterns = []struct {
	name string
	run  func(n int)
}{
	{"unbuffered ping-pong", pingPong},
	{"buffered pipeline", pipeline},
	{"select of two", selectTwo},
	{"select with default", selectDefault},
	{"close and range", closeRange},
	{"Lock and Unlock", lockUnlock},
	{"Lock, contended", lockContended},
	{"RLock and RUnlock", readLock},
	{"Once.Do, done", onceDone},
	{"atomic Add", atomicAdd},
	{"go and Wait", goWait},
}

func pingPong(n int) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v
		}
	}()
	for i := range n {
		ping <- i
		<-pong
	}
	close(ping)
}

func pipeline(n int) {
	a, b, done := make(chan int, 64), make(chan int, 64), make(chan bool)
	go func() {
		for v := range a {
			b <- v + 1
		}
		close(b)
	}()
	go func() {
		for range b {
		}
		done <- true
	}()
	for i := range n {
		a <- i
	}
	close(a)
	<-done
}

func selectTwo(n int) {
	a, b, done := make(chan int), make(chan int), make(chan bool)
	send := func(c chan int) {
		for i := range n / 2 {
			c <- i
		}
		done <- true
	}
	go send(a)
	go send(b)
	for range n / 2 * 2 {
		select {
		case <-a:
		case <-b:
		}
	}
	<-done
	<-done
}

// selectDefault takes its default as often as not.
func selectDefault(n int) {
	c := make(chan int, 1)
	for i := range n {
		if i%4 == 0 {
			select {
			case c <- i:
			default:
			}
		} else {
			select {
			case <-c:
			default:
			}
		}
	}
}

func closeRange(n int) {
	for range n / 10 {
		c := make(chan int, 8)
		for i := range 8 {
			c <- i
		}
		close(c)
		for range c {
		}
	}
}

func lockUnlock(n int) {
	var m sync.Mutex
	shared := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			m.Lock()
			shared++
			m.Unlock()
		}
	})
	wg.Wait()
}

func lockContended(n int) {
	var m sync.Mutex
	shared := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n / 4 {
				m.Lock()
				shared++
				m.Unlock()
			}
		})
	}
	wg.Wait()
}

func readLock(n int) {
	var m sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			m.RLock()
			m.RUnlock()
		}
	})
	wg.Wait()
}

func onceDone(n int) {
	var once sync.Once
	for range n {
		once.Do(func() {})
	}
}

func atomicAdd(n int) {
	var count atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			count.Add(1)
		}
	})
	count.Add(1)
	wg.Wait()
}

func goWait(n int) {
	var wg sync.WaitGroup
	for range n / 4 {
		for range 4 {
			wg.Add(1)
			go func() { wg.Done() }()
		}
		wg.Wait()
	}
}
