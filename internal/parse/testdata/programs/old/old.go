//go:build go1.21

// Package old is written in an older language.
package old

import (
	"sync"

	"example.com/programs/show"
)

// Programs share their loop variables.
var Programs = []show.Program{{Name: "files: an older language", Run: loops, Allowed: []string{"3 3 3 2 2 2"}}}

func loops(o *show.Out) {
	var wg sync.WaitGroup
	c := make(chan int, 3)
	var start sync.Mutex
	start.Lock()
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			start.Lock()
			c <- i
			start.Unlock()
		}()
	}
	start.Unlock()
	wg.Wait()
	close(c)
	for v := range c {
		o.Print(v)
	}
	d := make(chan int, 3)
	d <- 0
	d <- 1
	d <- 2
	close(d)
	var fs []func()
	for v := range d {
		fs = append(fs, func() { o.Print(v) })
	}
	for _, f := range fs {
		f()
	}
}
