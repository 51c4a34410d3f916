package main

import "sync/atomic"

type config struct{ c chan int }

func main() {
	var p atomic.Pointer[config]
	p.Store(&config{make(chan int)})
	done := make(chan bool)
	go func() {
		<-p.Load().c
		close(done)
	}()
	close(p.Load().c)
	<-done
	old := p.Swap(&config{make(chan int)})
	<-old.c
	<-p.Load().c // want "deadlock"
}
