package main

import (
	"context"
	"time"
)

// Who goes on first is not who arms first. In a run both arm at one instant, since
// there is no guard behind which one of them could be held.
func main() {
	begin := make(chan int)
	contexts := make(chan context.Context)
	done := make(chan int)
	go func() {
		<-begin
		<-time.After(time.Second)
		if ctx := <-contexts; ctx.Err() == nil {
			panic("the second was over first") // unreal "panic"
		}
		done <- 1
	}()
	begin <- 1
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	contexts <- ctx
	<-done
}
