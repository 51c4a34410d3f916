//go:build go1.25

package orcutil

import (
	"runtime"
	"sync/atomic"
)

// Some functions of libraries hold a lock while they call back, as those of package log
// do while the program's writer writes. Who stands at a guard within one would have others
// wait for that lock outside of control: it comes first, as long as it can.

// holding are the functions that RegisterHolding has named.
var holding atomic.Pointer[map[string]bool]

// RegisterHolding names functions of libraries, as they are linked, that call back with a
// lock of their own. Generated code calls it.
func RegisterHolding(names ...string) {
	all := map[string]bool{}
	if known := holding.Load(); known != nil {
		for n := range *known {
			all[n] = true
		}
	}
	for _, n := range names {
		all[n] = true
	}
	holding.Store(&all)
}

// holdsLibraryLock reports whether the calling goroutine is in such a function.
func holdsLibraryLock() bool {
	names := holding.Load()
	if names == nil {
		return false
	}
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if (*names)[f.Function] {
			return true
		}
		if !more {
			return false
		}
	}
}

// holders are those of the goroutines that hold a lock of a library, or all if there are
// none.
func (s *run) holders(ready []Parked) []Parked {
	n := 0
	for _, p := range ready {
		if p.g.holds {
			n++
		}
	}
	if n == 0 || n == len(ready) {
		return ready
	}
	kept := ready[:0]
	for _, p := range ready {
		if p.g.holds {
			kept = append(kept, p)
			s.exec.holdsAt(p.g)
		}
	}
	return kept
}

// holdsAt notes that a goroutine goes on first since it holds a lock of a library. Where it
// only accesses memory it does not matter who else might come before: that would be a race.
func (e *execution) holdsAt(g *goroutine) {
	if e != nil && g.op != opAccess && g.op != opAtomic && !g.op.minor() {
		e.held = true
	}
}
