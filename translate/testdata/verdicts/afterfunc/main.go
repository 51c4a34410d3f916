package main

import "time"

func main() {
	c := make(chan int)
	time.AfterFunc(time.Second, func() { c <- 1 })        // under "unknown-call"
	<-c                                                   // unreal "deadlock"
	t := time.AfterFunc(time.Second, func() { close(c) }) // under "unknown-call"
	if t.Stop() {
		close(c)
	}
	<-c
}
