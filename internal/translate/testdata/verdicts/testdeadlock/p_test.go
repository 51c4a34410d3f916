package p

import (
	"sync"
	"testing"
)

func TestProgram(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock() // want "deadlock"
}
