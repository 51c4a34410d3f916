package main

import "context"

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	ended, work := make(chan bool), make(chan int)
	go func() {
		for {
			select {
			case <-ctx.Done():
				ended <- true
				return
			default:
			}
			select {
			case <-work:
			case <-ctx.Done():
			}
		}
	}()
	work <- 1
	cancel()
	cancel()
	<-ended
}
