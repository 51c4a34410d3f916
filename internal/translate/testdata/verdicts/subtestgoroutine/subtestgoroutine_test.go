package subtestgoroutine

import "testing"

// A goroutine that the test has started runs a subtest, and one that a subtest has
// started says that it is parallel.
func TestProgram(t *testing.T) {
	done, c := make(chan bool), make(chan int)
	go func() {
		defer close(done)
		t.Run("started", func(t *testing.T) {
			c <- 1
		})
	}()
	t.Run("other", func(t *testing.T) {
		said := make(chan bool)
		go func() {
			t.Parallel() // under "parallel"
			close(said)
		}()
		<-said
	})
	<-done // want "deadlock" // unconfirmed "t.Parallel of another goroutine is not under control"
}
