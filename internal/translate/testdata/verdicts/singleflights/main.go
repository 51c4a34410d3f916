package main

import "golang.org/x/sync/singleflight"

func main() {
	var g singleflight.Group
	done := make(chan bool)
	go func() {
		g.Do("a", func() (any, error) { return 1, nil })
		close(done)
	}()
	g.Do("a", func() (any, error) { return 2, nil })
	<-done
}
