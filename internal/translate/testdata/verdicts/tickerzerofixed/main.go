// Package main makes tickers that tick.
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
		t := time.NewTicker(1)
		<-t.C
	case 1:
		<-time.Tick(time.Second)
	case 2:
		t := time.NewTicker(time.Second)
		t.Reset(1)
		<-t.C
	}
}
