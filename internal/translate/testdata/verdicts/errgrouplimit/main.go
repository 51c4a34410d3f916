package main

import "golang.org/x/sync/errgroup"

func main() {
	var g errgroup.Group
	g.SetLimit(1)
	g.Go(func() error {
		g.Go(func() error { return nil })
		return nil
	})
	g.Wait() // elsewhere "errgroup.go deadlock"
}
