package main

import "time"

// Who goes on first is not who arms first: main may be slow behind its guard.
func main() {
	begin := make(chan int)
	timers := make(chan *time.Timer)
	done := make(chan int)
	go func() {
		<-begin
		time.Sleep(time.Second)
		if t := <-timers; t.Stop() {
			panic("the sleep was first") // want "panic"
		}
		done <- 1
	}()
	begin <- 1
	t := time.AfterFunc(time.Second, func() {})
	timers <- t
	<-done
}
