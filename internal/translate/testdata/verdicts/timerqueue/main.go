// A clock for tests keeps its timers in a sorted slice. One timer stops another while
// the clock goes on; who waits for the other then waits for ever.
package main

import (
	"sort"
	"sync"
	"time"
)

type ticker interface {
	Next() time.Time
	Tick(now time.Time)
}

type tickers []ticker

func (a tickers) Len() int           { return len(a) }
func (a tickers) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a tickers) Less(i, j int) bool { return a[i].Next().Before(a[j].Next()) }

type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers tickers
}

type timer struct {
	clock *clock
	next  time.Time
	c     chan time.Time
	f     func()
}

func (t *timer) Next() time.Time { return t.next }

func (t *timer) Tick(now time.Time) {
	t.clock.mu.Lock()
	if t.f != nil {
		defer func() { go t.f() }()
	} else {
		t.c <- now
	}
	t.clock.remove(t)
	t.clock.mu.Unlock()
}

func (t *timer) stop() {
	t.clock.mu.Lock()
	t.clock.remove(t)
	t.clock.mu.Unlock()
}

func (c *clock) remove(t ticker) {
	for i, other := range c.timers {
		if other == t {
			copy(c.timers[i:], c.timers[i+1:])
			c.timers[len(c.timers)-1] = nil
			c.timers = c.timers[:len(c.timers)-1]
			break
		}
	}
	sort.Sort(c.timers)
}

func (c *clock) add(d time.Duration, f func()) *timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{clock: c, next: c.now.Add(d), c: make(chan time.Time, 1), f: f}
	c.timers = append(c.timers, t)
	return t
}

func (c *clock) tick(until time.Time) bool {
	c.mu.Lock()
	sort.Sort(c.timers)
	if len(c.timers) == 0 || c.timers[0].Next().After(until) {
		c.mu.Unlock()
		return false
	}
	t := c.timers[0]
	c.mu.Unlock()
	t.Tick(until)
	return true
}

func main() {
	c := &clock{}
	late := c.add(2*time.Second, nil)
	c.add(time.Second, func() { late.stop() })
	for c.tick(c.now.Add(time.Second)) {
	}
	<-late.c // want "deadlock"
}
