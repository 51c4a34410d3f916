package main

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
)

func main() {
	g, ctx := errgroup.WithContext(context.Background())
	c := make(chan int)
	g.Go(func() error { return errors.New("failed") })
	g.Go(func() error {
		select {
		case c <- 1:
		case <-ctx.Done():
		}
		return nil
	})
	g.Wait()
}
