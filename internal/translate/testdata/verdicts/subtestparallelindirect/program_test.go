package p

import "testing"

// Parallel subtests that are run through a function value, by a goroutine, and within
// one that is not.
func TestProgram(t *testing.T) {
	c := make(chan int)
	t.Run("c", func(t *testing.T) {
		t.Parallel()
		<-c
	})
	done := make(chan bool)
	go func() {
		t.Run("b", func(t *testing.T) { // under "subtest"
			t.Parallel()
		})
		close(done)
	}()
	<-done
	run := t.Run
	run("a", func(t *testing.T) {
		t.Run("d", func(t *testing.T) { // under "subtest"
			t.Parallel()
		})
		t.Parallel() // under "parallel"
		c <- 1       // unreal "deadlock"
	})
}
