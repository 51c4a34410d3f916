package programs

import (
	"errors"
	"runtime"
	"sync"

	"example.com/programs/show"
)

var defers = []show.Program{
	{Name: "defer: operands at the statement", Run: deferOperands, Allowed: []string{"body 1 2 closed"}},
	{Name: "defer: method values", Run: deferMethods, Allowed: []string{"true true 0"}},
	{Name: "defer: receives and sends", Run: deferOperations, Allowed: []string{"2 1 sent 3"}},
	{Name: "defer: loops", Run: deferLoops, Allowed: []string{"2 1 0 unlocked"}},
	{Name: "defer: recovered panics of operations", Run: deferPanics, Allowed: []string{
		"send on closed channel close of closed channel close of nil channel sync: negative WaitGroup counter again 1 second",
	}},
	{Name: "defer: Goexit", Run: deferGoexit, Allowed: []string{"a b <nil>"}},
	{Name: "defer: wrapped errors", Run: deferErrors, Allowed: []string{"outer inner true"}},
}

func deferOperands(o *show.Out) {
	c := full(1, 2)
	var mu *sync.Mutex = new(sync.Mutex)
	mu.Lock()
	func() {
		defer func(a, b int) { o.Print(a, b) }(<-c, <-c)
		defer mu.Unlock()
		mu = nil
		o.Print("body")
	}()
	func() {
		defer close(c)
		d := c
		c = nil
		defer func() { c = d }()
	}()
	if _, ok := <-c; !ok {
		o.Print("closed")
	}
}

func deferMethods(o *show.Out) {
	var s struct {
		sync.RWMutex
		wg sync.WaitGroup
	}
	s.wg.Add(1)
	func() {
		s.Lock()
		f := s.Unlock
		defer f()
		defer (&s.wg).Done()
	}()
	s.wg.Wait()
	func() {
		s.RLock()
		defer s.RWMutex.RUnlock()
		o.Print(s.TryRLock())
		defer (*sync.RWMutex).RUnlock(&s.RWMutex)
	}()
	o.Print(s.TryLock())
	defer s.Unlock()
	c := make(chan int, 1)
	defer func() { o.Print(len(c)) }()
}

func deferOperations(o *show.Out) {
	c := make(chan int)
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { c <- 1 }()
		defer func() { c <- 2 }()
	}()
	o.Print(<-c, <-c)
	<-done
	func() {
		d := full[int]()
		defer func() {
			if v, ok := <-d; ok {
				o.Print("sent", v)
			}
		}()
		defer func(c chan<- int, v int) { c <- v }(d, <-full(3))
	}()
}

func deferLoops(o *show.Out) {
	var mus [3]sync.Mutex
	func() {
		for i := range mus {
			mus[i].Lock()
			defer mus[i].Unlock()
			defer o.Print(i)
		}
	}()
	for i := range mus {
		if !mus[i].TryLock() {
			return
		}
	}
	o.Print("unlocked")
}

func deferPanics(o *show.Out) {
	c := closed[int]()
	o.Print(show.Panics(func() { c <- 1 }))
	o.Print(show.Panics(func() { defer close(c) }))
	o.Print(show.Panics(func() { close((chan int)(nil)) }))
	o.Print(show.Panics(func() { new(sync.WaitGroup).Done() }))
	var mu sync.Mutex
	o.Print(show.Panics(func() {
		mu.Lock()
		defer mu.Unlock()
		defer func() {
			v := recover()
			defer panic(v)
			mu.Unlock()
			mu.Lock()
		}()
		panic("again")
	}))
	mu.Lock()
	o.Print(show.Panics(func() {
		defer func() { panic(<-full("second")) }()
		defer func() { o.Print(<-full(1)) }()
		panic("first")
	}))
}

func deferGoexit(o *show.Out) {
	c := make(chan string)
	go func() {
		defer close(c)
		defer func() { c <- "b" }()
		func() {
			defer func() { c <- "a" }()
			runtime.Goexit()
		}()
		c <- "never"
	}()
	for s := range c {
		o.Print(s)
	}
	o.Print(recover())
}

func deferErrors(o *show.Out) {
	inner := errors.New("inner")
	f := func() (err error) {
		defer func() {
			if v, ok := recover().(error); ok {
				err = errors.Join(errors.New("outer"), v)
			}
		}()
		panic(<-full(inner))
	}
	err := f()
	if u, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range u.Unwrap() {
			o.Print(e)
		}
	}
	o.Print(errors.Is(err, inner))
}
