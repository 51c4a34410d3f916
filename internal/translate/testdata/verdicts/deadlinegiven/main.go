package main

import "time"

// Who learns of a timer knows that it was armed before.
func main() {
	timers := make(chan *time.Timer)
	done := make(chan int)
	go func() {
		t := <-timers
		<-time.After(time.Second)
		select {
		case <-t.C:
		default:
			panic("the second was over first")
		}
		done <- 1
	}()
	timers <- time.NewTimer(time.Second)
	<-done
}
