//go:build go1.25

package orcutil

import "runtime"

// NumGoroutine is runtime.NumGoroutine. In a run it counts the goroutines of the
// run: those of the process come to their ends at times of their own. One that has
// done its last operation is counted until its thread has had time for its end: how
// many of those that have ended since time passed last are counted is a choice.
func NumGoroutine() int {
	g := asks()
	if g == nil {
		return runtime.NumGoroutine()
	}
	if x := g.run.exec; x != nil {
		x.census = true
	}
	n := len(g.run.coroutines)
	for _, other := range g.run.all {
		if other.state != done {
			n++
		}
	}
	if gone := min(int(g.run.gone.Load()), smallRange-1); gone > 0 {
		// Those that are not counted now are not counted later either.
		left := g.choose(g.site, gone+1, true)
		g.run.gone.Store(int64(left))
		n += left
	}
	return n
}
