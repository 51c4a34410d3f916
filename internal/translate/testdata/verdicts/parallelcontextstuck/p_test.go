package p

import "testing"

// The context of the test ends after its parallel subtests, one of which waits
// for that.
func TestProgram(t *testing.T) {
	ctx := t.Context()
	t.Run("sub", func(t *testing.T) {
		t.Parallel()
		<-ctx.Done()
	})
} // want "deadlock"
