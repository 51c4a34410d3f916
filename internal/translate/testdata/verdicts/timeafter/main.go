package main

import "time"

func main() {
	c := make(chan int)
	go func() {
		time.Sleep(time.Second)
		c <- 1 // main need not wait for it
	}()
	select {
	case <-c:
	case <-time.After(time.Minute):
	}
}
