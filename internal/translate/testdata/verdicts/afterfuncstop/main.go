package main

import "time"

// Stop comes before the timer fires.
func main() {
	c := make(chan int)
	t := time.AfterFunc(time.Second, func() { close(c) })
	time.Sleep(time.Millisecond)
	t.Stop()
	<-c // want "deadlock"
}
