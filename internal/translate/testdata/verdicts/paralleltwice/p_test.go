package p

import "testing"

func setup(t *testing.T) {
	t.Helper()
	t.Parallel() // want "panic"
}

func TestProgram(t *testing.T) {
	t.Parallel()
	t.Run("once", func(t *testing.T) { setup(t) })
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		setup(t)
	})
}
