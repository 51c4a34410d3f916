// What a context is, asked by its methods.
package main

import "context"

type doner interface{ Done() <-chan struct{} }

type stopper interface{ Stop() }

func wait(v any) {
	switch v := v.(type) {
	case stopper:
		v.Stop()
	case doner:
		<-v.Done() // want "deadlock"
	default:
		panic("neither")
	}
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wait(ctx)
}
