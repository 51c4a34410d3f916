package parallel

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"sync"
)

// Panic is what Map panics with where f did, in a goroutine of its own.
type Panic struct {
	Value any
	Stack []byte // of that goroutine
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Map gives f(0) to f(n-1) in this order. They are computed at the same time, twice as many as there are processors
// ahead of the one that is taken: that bounds what waits to be taken. A panic of f is one of the loop
// over the sequence, as a *Panic. When the loop ends, no f runs any more. f must not end its goroutine.
func Map[T any](n int, f func(i int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		futures := make([]chan result[T], n)
		start := func(i int) {
			if i < n {
				futures[i] = make(chan result[T], 1)
				running.Go(func() { futures[i] <- call(f, i) })
			}
		}
		ahead := 2 * runtime.GOMAXPROCS(0)
		for i := range ahead {
			start(i)
		}
		for i := range n {
			r := <-futures[i]
			futures[i] = nil
			if r.panic != nil {
				panic(r.panic)
			}
			start(i + ahead)
			if !yield(i, r.value) {
				return
			}
		}
	}
}

// result is what a call of f has given.
type result[T any] struct {
	value T
	panic *Panic
}

func call[T any](f func(i int) T, i int) (r result[T]) {
	defer func() {
		if v := recover(); v != nil {
			r.panic = &Panic{v, debug.Stack()}
		}
	}()
	return result[T]{value: f(i)}
}
