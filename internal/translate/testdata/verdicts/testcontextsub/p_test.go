package p

import (
	"context"
	"testing"
)

func serve(ctx context.Context, done chan<- bool) {
	<-ctx.Done()
	done <- true // want "goroutine leak"
}

// Each subtest has a context of its own, that of the test ends later.
func TestProgram(t *testing.T) {
	ctx := t.Context()
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			done := make(chan bool, 1)
			go serve(t.Context(), done)
			t.Cleanup(func() { <-done })
			if ctx == t.Context() {
				t.Fatal("one context")
			}
		})
	}
	select {
	case <-ctx.Done():
		t.Fatal("it has ended")
	default:
	}
	go serve(ctx, make(chan bool))
}
