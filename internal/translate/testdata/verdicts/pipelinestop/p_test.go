package p

import "testing"

func source(n int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range n {
			out <- i // want "goroutine leak"
		}
	}()
	return out
}

func TestProgram(t *testing.T) {
	for v := range source(3) {
		if v == 1 {
			return
		}
	}
}
