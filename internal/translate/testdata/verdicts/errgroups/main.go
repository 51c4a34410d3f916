package main

import (
	"errors"

	"golang.org/x/sync/errgroup"
)

func main() {
	var g errgroup.Group
	c := make(chan int)
	g.Go(func() error {
		c <- 1
		return nil
	})
	g.Go(func() error { return errors.New("failed") })
	if g.Wait() != nil { // elsewhere "errgroup.go deadlock"
		return
	}
	<-c
}
