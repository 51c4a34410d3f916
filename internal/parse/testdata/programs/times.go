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
	{Name: "time: a timer stopped late", Run: timeStopped, Allowed: []string{"true false", "false true"}},
	{Name: "time: a timer reset late", Run: timeReset, Allowed: []string{"true 1", "false 2"}},
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

// timeStopped: nobody receives from a timer that says to have been stopped.
func timeStopped(o *show.Out) {
	t := struct{ *time.Timer }{time.NewTimer(time.Microsecond)}
	got, quit := make(chan bool, 1), make(chan bool)
	go func() {
		select {
		case <-t.C:
			got <- true
		case <-quit:
			got <- false
		}
	}()
	time.Sleep(2 * time.Microsecond)
	stopped := t.Stop()
	time.Sleep(time.Microsecond)
	close(quit)
	o.Print(stopped, <-got)
}

// timeReset: a timer that is reset gives no value from before.
func timeReset(o *show.Out) {
	t := time.NewTimer(time.Microsecond)
	got, quit := make(chan int), make(chan bool)
	go func() {
		n := 0
		for {
			select {
			case <-t.C:
				n++
				continue
			case <-quit:
			}
			select {
			case <-t.C:
				n++
			default:
			}
			got <- n
			return
		}
	}()
	time.Sleep(2 * time.Microsecond)
	reset := t.Reset
	pending := reset(time.Microsecond)
	time.Sleep(3 * time.Microsecond)
	close(quit)
	o.Print(pending, <-got)
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
