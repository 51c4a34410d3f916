package p

import "testing"

type suite struct {
	*testing.T
	c chan int
}

func (s suite) check(name string, f func(*testing.T)) {
	s.Run(name, f) // want "deadlock"
}

func (s suite) Send(t *testing.T) {
	if cap(s.c) == 0 {
		t.Parallel()
	}
	s.c <- 1
}

// The subtests are known only as values, and call t.Parallel on some paths.
func TestProgram(t *testing.T) {
	for _, n := range []int{0, 1} {
		s := suite{t, make(chan int, n)}
		receive := func(t *testing.T) { <-s.c }
		s.check("send", s.Send)
		if n == 0 {
			s.check("receive", func(t *testing.T) {
				t.Parallel()
				receive(t)
			})
			continue
		}
		s.check("receive", receive)
		s.check("again", receive)
	}
}
