package main

import (
	"context"
	"time"
)

// A context that is made later may end later.
func main() {
	c := make(chan int, 1)
	t := time.After(2 * time.Second)
	c <- 1
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	<-t
	if ctx.Err() == nil {
		panic("the timer was first") // want "panic"
	}
}
