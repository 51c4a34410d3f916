package p

import "testing"

func source(n int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range n {
			select {
			case out <- i:
			case <-stop:
				return
			}
		}
	}()
	return out
}

func TestProgram(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for v := range source(3, stop) {
		if v == 1 {
			return
		}
	}
}
