package main

import "runtime"

func main() {
	c := make(chan int)
	go func() {
		runtime.Gosched()
		close(c)
	}()
	for {
		select {
		case <-c:
			return
		default:
			runtime.Gosched()
		}
	}
}
