package testfailure

import (
	"sync"
	"testing"
)

func TestProgram(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := n
			n = x + 1
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Errorf("n = %d", n) // want "test failure"
	}
	if n == 0 {
		t.Fatal("nothing was counted")
	}
}
