package cleanupquit

import "testing"

func start(t *testing.T, quit chan bool) chan int {
	c := make(chan int)
	done := make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case c <- 1:
			case <-quit:
				return
			}
		}
	}()
	t.Cleanup(func() { <-done })
	return c
}

func TestProgram(t *testing.T) {
	quit := make(chan bool)
	t.Cleanup(func() { println("first registered, last run") })
	c := start(t, quit)
	t.Cleanup(func() { close(quit) })
	if <-c != 1 {
		t.Fatal("not 1")
	}
}
