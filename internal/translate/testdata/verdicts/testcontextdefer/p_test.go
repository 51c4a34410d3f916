package p

import "testing"

// The context of a test ends after its deferred calls.
func TestProgram(t *testing.T) {
	stopped := make(chan bool)
	defer func() { <-stopped }() // want "deadlock"
	ctx := t.Context()
	go func() {
		<-ctx.Done()
		close(stopped)
	}()
}
