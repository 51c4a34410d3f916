package main

import "runtime"

func main() {
	c := make(chan int)
	go func() {
		defer close(c)
		runtime.Goexit()
		panic("never")
	}()
	<-c
}
