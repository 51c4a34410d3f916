package main

import "context"

func step(ctx context.Context, out chan<- int) {
	select {
	case out <- 1:
	case <-ctx.Done():
	}
}

func main() {
	root, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := make(chan int)
	for i := range 3 {
		ctx, stop := context.WithCancel(root)
		if i == 1 {
			stop()
		}
		go step(ctx, out)
	}
	for range 3 {
		<-out // want "deadlock"
	}
}
