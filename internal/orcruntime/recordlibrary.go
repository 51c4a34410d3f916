//go:build go1.25

package orcruntime

import (
	"runtime"
	"sync/atomic"
)

// What orders goroutines within code that is not instrumented does not show: locks, channels and files of its own, a
// context that is cancelled. In a recording it is as in runs (library.go): all that code is one object, and each call of
// it, and each return, comes behind all calls and returns before. That hides orders of the program, and
// makes up none.

// passLibrary writes a call of uninstrumented code, or its return.
func (r *recorder) passLibrary(site Site) {
	if r == nil {
		return
	}
	if r.state.behind() {
		r.catchUp()
	}
	l := recordings.library
	if atomic.LoadUint64(&l.id) == 0 {
		if id := newObject(); atomic.CompareAndSwapUint64(&l.id, 0, id) { // others may be about to try
			r.object(id, recLibrary, 0)
		}
	}
	r.passed = r.next
	r.inOrder(site, l, func() byte { return recCall })
}

// comes is called in front of what a goroutine does: what uninstrumented code has done by it is written first, and what
// that may have learnt, if the goroutine is in it.
func (r *recorder) comes() {
	if r.state.behind() {
		r.catchUp()
	}
	if r.library > 0 && atomic.LoadUint64(&recordings.library.stored) != r.passed {
		r.passLibrary(0)
	}
}

// goesOn is called behind what a goroutine has done, which uninstrumented code may tell others if the goroutine
// returns to it.
func (r *recorder) goesOn() {
	if r.library > 0 {
		r.passLibrary(0)
	}
}

// learns is called behind a receive from a channel: unless it is known who has sent the value, or closed the channel,
// uninstrumented code has.
func (r *recorder) learns(partner uint64) {
	if partner == 0 {
		r.passLibrary(0)
	}
}

// variable is an atomic variable that the program does not have, for comesBehind.
func (r *recorder) variable() uint64 {
	id := newObject()
	r.object(id, recAtomic, 0)
	return id
}

// comesBehind writes that the goroutine goes on behind an operation of another one: as a load of what that has stored.
func (r *recorder) comesBehind(variable, operation uint64) {
	r.whole(recLoad, 0, variable, operation, 0)
}

// startedIn is the package of the function that the calling goroutine has begun with.
func startedIn() string {
	var pcs [64]uintptr
	first := ""
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Function != "runtime.goexit" {
				first = f.Function
			}
		}
		if n < len(pcs) {
			return packageOf(first)
		}
	}
}
