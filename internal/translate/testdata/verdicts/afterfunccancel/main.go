package main

import (
	"context"
	"time"
)

// The timer calls a function of the library, by a function value.
func main() {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Second, cancel)
	late := time.After(2 * time.Second)
	done := make(chan bool)
	go func() {
		select {
		case <-ctx.Done():
		case <-late:
		}
		done <- true
	}()
	select {
	case <-ctx.Done():
	case <-late:
		panic("late") // want "panic"
	}
	<-done
}
