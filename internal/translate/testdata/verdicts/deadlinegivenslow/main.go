package main

import (
	"context"
	"time"
)

// Who goes on first is not who arms first: main may be slow to set its deadline.
func main() {
	begin := make(chan int)
	contexts := make(chan context.Context)
	done := make(chan int)
	go func() {
		<-begin
		<-time.After(time.Second)
		if ctx := <-contexts; ctx.Err() == nil {
			panic("the second was over first") // want "panic"
		}
		done <- 1
	}()
	begin <- 1
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	contexts <- ctx
	<-done
}
