package main

import "context"

// What a context has comes from the library or from a context of the program's own: methods
// of either are called.
type job interface{ run(c chan int) }

type (
	kept struct{}
	own  struct{}
)

func (kept) run(c chan int) { c <- 1 }
func (own) run(c chan int)  { c <- 2 }

type key struct{}

type fixed struct{ context.Context }

func (fixed) Value(any) any { return own{} }

func do(ctx context.Context, c chan int) {
	ctx.Value(key{}).(job).run(c)
	<-c
}

func main() {
	c := make(chan int, 1)
	do(fixed{context.Background()}, c)
	do(context.WithValue(context.Background(), key{}, kept{}), c)
	<-c // want "deadlock"
}
