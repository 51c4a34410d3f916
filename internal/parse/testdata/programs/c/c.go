//go:build cgo

// Package c uses cgo: its files stay as they are.
package c

// static int twice(int v) { return 2 * v; }
import "C"

import "sync"

func twice(v int) int {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	return int(C.twice(C.int(v)))
}
