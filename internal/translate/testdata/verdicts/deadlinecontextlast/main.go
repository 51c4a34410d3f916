package main

import (
	"context"
	"time"
)

// A context does not end before what was armed earlier for a shorter time.
func main() {
	t := time.NewTimer(time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	<-ctx.Done()
	select {
	case <-t.C:
	default:
		panic("the context was first")
	}
}
