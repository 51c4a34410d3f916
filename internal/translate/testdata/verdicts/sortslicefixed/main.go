package main

import (
	"slices"
	"sort"
	"sync"
)

func main() {
	var mu sync.Mutex
	n := []int{3, 1, 2}
	less := func(i, j int) bool {
		mu.Lock()
		defer mu.Unlock()
		return n[i] < n[j]
	}
	sort.Slice(n, less)
	slices.SortFunc(n, func(a, b int) int {
		mu.Lock()
		defer mu.Unlock()
		return a - b
	})
	mu.Lock()
	mu.Unlock()
}
