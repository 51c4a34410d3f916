package main

import (
	"slices"
	"sort"
	"sync"
)

// Library code calls back: once, often, or not at all.
func main() {
	var mu sync.Mutex
	n := []int{3, 1, 2}
	sort.Slice(n, func(i, j int) bool { // under "unknown-call"
		mu.Lock()
		defer mu.Unlock()
		return n[i] < n[j]
	})
	mu.Lock()
	slices.SortFunc(n, func(a, b int) int { // under "unknown-call"
		mu.Lock() // missed "deadlock"
		defer mu.Unlock()
		return a - b
	})
}
