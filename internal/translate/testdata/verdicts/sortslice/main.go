package main

import (
	"slices"
	"sort"
	"sync"
)

// The library calls back while it sorts.
func main() {
	var mu sync.Mutex
	n := []int{3, 1, 2}
	sort.Slice(n, func(i, j int) bool {
		mu.Lock()
		defer mu.Unlock()
		return n[i] < n[j]
	})
	mu.Lock()
	slices.SortFunc(n, func(a, b int) int {
		mu.Lock() // want "deadlock"
		defer mu.Unlock()
		return a - b
	})
}
