package main

import "time"

func main() {
	c := make(chan int)
	time.AfterFunc(time.Second, func() { c <- 1 })
	<-c
	t := time.AfterFunc(time.Second, func() { close(c) })
	if t.Stop() {
		close(c)
	}
	<-c
}
