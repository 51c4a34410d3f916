package main

import "time"

// A ticker whose ticks nobody receives keeps nobody waiting.
func main() {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	c := make(chan int, 1)
	time.Sleep(time.Minute)
	second := time.After(time.Second)
	c <- 1
	<-second
	<-ticks.C
	panic("the second is over") // want "panic"
}
