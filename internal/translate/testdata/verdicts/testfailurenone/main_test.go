package testfailurenone

import (
	"os"
	"sync"
	"testing"
)

func TestProgram(t *testing.T) {
	n := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			x := n
			n = x + 1
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Errorf("n = %d", n)
	}
	if _, err := os.Stat("."); err != nil {
		t.Fatal(err)
	}
}
