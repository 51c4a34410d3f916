package programs

import (
	"os"
	"runtime"
	"time"

	"example.com/programs/show"
)

var ends = []show.Program{
	{Name: "ends: a send and a close", Run: endClose, Controlled: true, Allowed: []string{"1", "[send on closed channel]"}},
	{Name: "ends: os.Exit in a goroutine", Run: endExit, Controlled: true, Allowed: []string{"main", "other main", "other [exit]"}},
	{Name: "ends: a panic in a goroutine", Run: endPanic, Controlled: true, Allowed: []string{"main", "[panic]"}},
	{Name: "ends: Goexit of main", Run: endGoexit, Controlled: true, Allowed: []string{"deferred other [deadlock]", "other deferred [deadlock]"}},
	{Name: "ends: everyone waits", Run: endDeadlock, Controlled: true, Allowed: []string{"[deadlock]"}},
	{Name: "ends: two closes", Run: endTwice, Controlled: true, Allowed: []string{"[close of closed channel]"}},
}

func endClose(o *show.Out) {
	c := make(chan int, 1)
	done := make(chan bool, 1)
	go func() { c <- 1; done <- true }()
	close(c)
	if v, ok := <-c; ok {
		o.Print(v)
		return
	}
	<-done
}

func endExit(o *show.Out) {
	go func() {
		o.Print("other")
		os.Exit(3)
	}()
	<-full(1)
	o.Print("main")
}

func endPanic(o *show.Out) {
	go func() {
		defer func() { full(1) <- 1 }()
		panic("in goroutine")
	}()
	<-full(1)
	o.Print("main")
}

func endGoexit(o *show.Out) {
	c := make(chan bool)
	go func() { o.Print("other"); <-c }()
	defer o.Print("deferred")
	runtime.Goexit()
}

func endDeadlock(o *show.Out) {
	c := make(chan int)
	go func() { c <- <-c }()
	time.Sleep(time.Nanosecond)
	c <- <-c
}

func endTwice(o *show.Out) {
	c, d := make(chan int), make(chan int)
	for range 2 {
		go func() { close(c); d <- 1 }()
	}
	<-d
	<-d
	o.Print("never")
}
