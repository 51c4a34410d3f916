package programs

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/programs/show"
)

var times = []show.Program{
	{Name: "time: a timeout and a value", Run: timeRace, Allowed: []string{"value", "timeout"}},
	{Name: "time: sleeps", Run: timeSleeps, Allowed: []string{"a b", "b a"}},
	{Name: "time: timers", Run: timeTimers, Allowed: []string{"true false fired after"}},
	{Name: "time: tickers", Run: timeTickers, Allowed: []string{"3"}},
	{Name: "context: cancel", Run: contextCancel, Allowed: []string{"context canceled cause", "context deadline exceeded context deadline exceeded"}},
	{Name: "context: deadline", Run: contextDeadline, Allowed: []string{"5", "context deadline exceeded"}},
	{Name: "context: AfterFunc", Run: contextAfter, Allowed: []string{"after true"}},
	{Name: "time: callbacks", Run: timeCallbacks, Allowed: []string{"stopped", "called"}},
}

func timeRace(o *show.Out) {
	c := make(chan string)
	stop := make(chan bool)
	go func() {
		select {
		case c <- "value":
		case <-stop:
		}
	}()
	select {
	case v := <-c:
		o.Print(v)
	case <-time.After(time.Microsecond):
		o.Print("timeout")
	}
	close(stop)
}

func timeSleeps(o *show.Out) {
	c := make(chan string)
	for i, name := range []string{"a", "b"} {
		go func() {
			time.Sleep(time.Duration(i) * time.Nanosecond)
			c <- name
		}()
	}
	o.Print(<-c, <-c)
}

func timeTimers(o *show.Out) {
	t := time.NewTimer(time.Hour)
	o.Print(t.Stop(), t.Reset(1))
	<-t.C
	o.Print("fired")
	select {
	case <-time.After(time.Nanosecond):
		o.Print("after")
	case <-t.C:
	}
}

func timeTickers(o *show.Out) {
	t := time.NewTicker(time.Microsecond)
	defer t.Stop()
	n := 0
	for range t.C {
		if n++; n == 2 {
			t.Reset(2)
		}
		if n == 3 {
			break
		}
	}
	o.Print(n)
}

// timePolls polls for what another does at every tick.
func timePolls(o *show.Out) {
	var mu sync.Mutex
	n := 0
	t := time.NewTicker(time.Microsecond)
	done := make(chan bool)
	go func() {
		defer t.Stop()
		for {
			select {
			case <-t.C:
				mu.Lock()
				n++
				mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	for seen := 0; seen < 3; {
		mu.Lock()
		seen = n
		mu.Unlock()
	}
	close(done)
	o.Print("seen")
}

func contextCancel(o *show.Out) {
	ctx, cancel := context.WithCancelCause(context.Background())
	child, stop := context.WithTimeout(ctx, time.Hour)
	defer stop()
	go cancel(errors.New("cause"))
	<-child.Done()
	o.Print(child.Err(), context.Cause(child))
}

func contextDeadline(o *show.Out) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Microsecond)
	defer cancel()
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case c <- 5:
		case <-ctx.Done():
		}
	})
	select {
	case v := <-c:
		o.Print(v)
	case <-ctx.Done():
		o.Print(ctx.Err())
	}
	wg.Wait()
}

func contextAfter(o *show.Out) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	context.AfterFunc(ctx, func() { o.Print("after"); done <- true })
	stop := context.AfterFunc(ctx, func() { panic("never") })
	stopped := stop()
	cancel()
	<-done
	o.Print(stopped)
}

func timeCallbacks(o *show.Out) {
	c := make(chan bool, 1)
	t := time.AfterFunc(time.Microsecond, func() { c <- true })
	full(1) <- 1
	if t.Stop() {
		o.Print("stopped")
		return
	}
	<-c
	o.Print("called")
}
