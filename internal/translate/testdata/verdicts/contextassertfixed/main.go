// Contexts that are kept as values of any type are contexts when they come back.
package main

import "context"

type child struct {
	context any
	cancel  context.CancelFunc
}

func main() {
	parent := context.Background()
	ctx, cancel := context.WithCancel(parent)
	children := map[any]child{parent: {ctx, cancel}}
	children[parent].cancel()
	c := children[parent].context.(context.Context)
	if c != ctx {
		panic("another context")
	}
	<-c.Done()
}
