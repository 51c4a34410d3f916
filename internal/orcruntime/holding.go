//go:build go1.25

package orcruntime

import (
	"runtime"
	"strings"
	"sync"
)

// Some functions of libraries hold a lock while they call back, as those of package log
// do while the program's writer writes. Who stands at a guard within one would have others
// wait for that lock outside of control: it comes first, as long as it can.

// holding are the functions that RegisterHolding has named, and what is known of program
// counters: whether they are in such a function.
var holding struct {
	sync.Mutex
	names map[string]bool
	pcs   map[uintptr]bool
}

// RegisterHolding names functions of libraries, as they are linked, that call back with a
// lock of their own. Generated code calls it.
func RegisterHolding(names ...string) {
	holding.Lock()
	defer holding.Unlock()
	if holding.names == nil {
		holding.names, holding.pcs = make(map[string]bool), make(map[uintptr]bool)
	}
	for _, n := range names {
		holding.names[n] = true
	}
	clear(holding.pcs)
}

// holdsLibraryLock reports whether the calling goroutine is in such a function. It is asked
// at every guard: the names of functions are looked up once for each program counter.
func holdsLibraryLock() bool {
	holding.Lock()
	defer holding.Unlock()
	if len(holding.names) == 0 {
		return false
	}
	var pcs [64]uintptr
	for _, pc := range pcs[:runtime.Callers(3, pcs[:])] {
		is, known := holding.pcs[pc]
		if !known {
			f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
			is = holding.names[f.Function]
			holding.pcs[pc] = is
		}
		if is {
			return true
		}
	}
	return false
}

// writesForLogger reports whether the calling goroutine is in a Write that a logger has called.
func writesForLogger() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	called := ""
	for {
		f, more := frames.Next()
		if isOutput(f.Function) {
			return strings.HasSuffix(called, ".Write")
		}
		if called = f.Function; !more {
			return false
		}
	}
}

// isOutput: a function is one with which a logger writes.
func isOutput(name string) bool {
	for _, t := range lockedTypes {
		if t.output == name {
			return true
		}
	}
	return false
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
