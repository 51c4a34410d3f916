//go:build go1.25

package orcutil

import "runtime"

// NumGoroutine is runtime.NumGoroutine. In a run it counts the goroutines of the
// run: those of the process come to their ends at times of their own.
func NumGoroutine() int {
	g := asks()
	if g == nil {
		return runtime.NumGoroutine()
	}
	n := 0
	for _, other := range g.run.all {
		if other.state != done {
			n++
		}
	}
	return n
}
