package main

import (
	"os"
	"os/signal"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	done := make(chan bool)
	go func() { close(done) }()
	<-done
	signal.Stop(c)
	select {
	case <-c:
		return
	default:
	}
	<-c // want "deadlock"
}
