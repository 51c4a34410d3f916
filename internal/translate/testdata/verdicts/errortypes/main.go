package main

import "context"

// Of which type an error of a library is is not known, but that it is an error.
func main() {
	c := make(chan int, 1)
	err := context.DeadlineExceeded
	if _, ok := any(err).(error); !ok {
		panic("no error")
	}
	if _, ok := err.(interface{ Timeout() bool }); ok {
		c <- 1
	} else {
		<-c // unreal "deadlock"
	}
	c <- 2 // want "deadlock"
}
