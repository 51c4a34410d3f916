package programs

import (
	"context"
	"runtime"
	"sync/atomic"

	"example.com/programs/show"
)

// Loops that do nothing but ask whether something has happened: those that they wait for have
// to have their turn.
var polls = []show.Program{
	{Name: "poll: of a context", Run: pollContext, Allowed: []string{"context canceled"}},
	{Name: "poll: of goroutines", Run: pollGoroutines, Allowed: []string{"over"}},
	{Name: "poll: by compare and swap", Run: pollSwap, Allowed: []string{"false"}},
	{Name: "poll: of the length of a channel", Run: pollLength, Allowed: []string{"1"}},
	{Name: "poll: yielding", Run: pollYielding, Allowed: []string{"true"}},
}

func pollContext(o *show.Out) {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	for ctx.Err() == nil {
	}
	o.Print(ctx.Err())
}

func pollGoroutines(o *show.Out) {
	before := runtime.NumGoroutine()
	go func() {}()
	for runtime.NumGoroutine() > before {
	}
	o.Print("over")
}

func pollSwap(o *show.Out) {
	var free atomic.Bool
	go free.Store(true)
	for !free.CompareAndSwap(true, false) {
	}
	o.Print(free.Load())
}

func pollLength(o *show.Out) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	for len(c) == 0 {
	}
	o.Print(<-c)
}

func pollYielding(o *show.Out) {
	var done atomic.Bool
	go done.Store(true)
	for !done.Load() {
		runtime.Gosched()
	}
	o.Print(done.Load())
}
