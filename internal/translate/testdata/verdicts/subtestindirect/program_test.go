package p

import "testing"

func sub(t *testing.T, c chan int) { c <- 1 }

// Subtests that are run through a function value, by a goroutine, by a deferred call, and
// within such ones.
func TestProgram(t *testing.T) {
	c := make(chan int, 3)
	run := t.Run
	run("a", func(t *testing.T) {
		c <- 1
		t.Run("b", func(t *testing.T) { sub(t, c) })
	})
	done := make(chan bool)
	go func() {
		t.Run("c", func(t *testing.T) { <-c })
		done <- true
	}()
	<-done
	defer t.Run("d", func(t *testing.T) {
		<-c
		<-c // want "deadlock" // unconfirmed "t.Run that is a value is not instrumented"
	})
}
