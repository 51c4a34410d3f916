package main

import (
	"net/http"
	"sync"
	"time"
)

type conf struct {
	client http.Client
	waits  [2]time.Duration
	chans  [2]chan int
	wide   [40]int
}

// Parts of a variable are kept apart: of one that has a value of the library in it, of an
// array, of one that is too wide.
func main() {
	var c conf
	c.client.Timeout = time.Second
	c.chans[0], c.chans[1] = make(chan int, 1), make(chan int)
	c.wide[39], c.waits[1] = 1, time.Second
	d := c
	d.chans[1] = d.chans[0]
	var wg sync.WaitGroup
	wg.Go(func() { d.chans[1] <- 1 })
	wg.Wait()
	<-c.chans[0]
	if c.client.Timeout != time.Second {
		<-c.chans[0] // unreal "deadlock"
	}
	<-c.chans[1] // want "deadlock"
}
