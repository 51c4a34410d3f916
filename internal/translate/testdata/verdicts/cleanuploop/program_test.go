package p

import (
	"sync"
	"testing"
)

type suite struct {
	mu   sync.Mutex
	open int
}

func (s *suite) begin(t *testing.T, c chan int) {
	s.open++
	t.Cleanup(func() {
		s.open--
		c <- s.open
	})
}

// Functions that Cleanup registers in a loop, with what each has captured, a method, none
// of the program, one by a deferred call and one in a goroutine, are called from the last.
func TestProgram(t *testing.T) {
	s := &suite{}
	c := make(chan int, 3)
	t.Cleanup(func() {
		for want := range 3 {
			if n := <-c; n != 2-want {
				panic("order")
			}
		}
		s.mu.Lock() // want "deadlock"
	})
	s.mu.Lock()
	for range 3 {
		s.begin(t, c)
	}
	t.Cleanup(t.FailNow) // want "test failure"
}
