package p

import "testing"

// Parallel subtests that count without a lock lose what another has added.
func TestProgram(t *testing.T) {
	n := 0
	t.Cleanup(func() {
		if n != 2 {
			t.Error("lost") // want "test failure"
		}
	})
	for range 2 {
		t.Run("add", func(t *testing.T) {
			t.Parallel()
			n++
		})
	}
}
