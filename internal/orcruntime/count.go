//go:build go1.25

package orcruntime

import "runtime"

// Goroutines stands at a site for runtime.NumGoroutine.
type Goroutines Site

// Count is runtime.NumGoroutine. In a run it counts the goroutines of the
// run: those of the process come to their ends at times of their own. One that has
// done its last operation is counted until its thread has had time for its end: how
// many of those that have ended since time passed last are counted is a choice, at most
// three times in a row: so who counts until they are gone comes to an end. What others
// begin and end in steps is another choice, of the schedule: they may come before the count.
func (c Goroutines) Count() int {
	g := asks()
	if g == nil {
		return runtime.NumGoroutine()
	}
	if c != 0 {
		g.stopBefore(opCount, Site(c))
	}
	g.run.exec.counted(c != 0 && g.run.minors)
	n := len(g.run.coroutines)
	for _, other := range g.run.all {
		if other.state != done {
			n++
		}
	}
	s := g.run
	gone := min(int(s.gone.Load()), smallRange-1)
	switch {
	case gone == 0:
		return n
	case s.lingering.Load() == futile:
		s.exec.looksOn(Site(c).minor(opCount))
		s.gone.Store(0)
	default:
		// Those that are not counted now are not counted later either.
		left := g.choose(g.site, gone+1, true)
		s.gone.Store(int64(left))
		if s.lingering.Add(1); left < gone {
			s.lingering.Store(0)
		}
		n += left
	}
	return n
}
