package p

import "testing"

// A subtest starts subtests like itself.
func walk(t *testing.T, depth int, c chan int) {
	if depth == 0 {
		c <- 1
		return
	}
	for range 2 {
		t.Run("sub", func(t *testing.T) {
			t.Parallel()
			walk(t, depth-1, c)
		})
	}
}

func TestProgram(t *testing.T) {
	c := make(chan int, 4)
	t.Cleanup(func() {
		if len(c) != 4 {
			t.Error("not all are there")
		}
	})
	walk(t, 2, c)
}
