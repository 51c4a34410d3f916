package cleanup

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int)
	t.Cleanup(func() {
		close(c) // want "close of closed channel"
	})
	defer close(c)
}
