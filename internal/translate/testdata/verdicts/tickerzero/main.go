// Package main makes tickers that never tick: one panics, one has no channel, and one is reset
// to an interval that it cannot have.
package main

import "time"

func main() {
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	}
	switch <-which {
	case 0:
		t := time.NewTicker(0) // want "panic"
		<-t.C
	case 1:
		<-time.Tick(0) // want "deadlock"
	case 2:
		t := time.NewTicker(time.Second)
		t.Reset(-1) // want "panic"
	}
}
