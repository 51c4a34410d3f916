//go:build go1.25

package orcruntime

import (
	"context"
	"runtime"
	"unsafe"
)

// A subtest that may come to t.Parallel is a goroutine, as in Go. Who calls t.Run
// waits until it has ended or comes to t.Parallel. There it waits in turn until the
// function around has returned, which then waits for all its parallel subtests to
// end before what was left to Cleanup is called. How many run at one time is not
// limited.

// scope is a test or a subtest: what it has left to Cleanup, its context, and its
// parallel subtests.
type scope struct {
	parent   *scope // nil for the test
	owner    *goroutine
	call     bool // a subtest that is a call
	parallel bool // it has come to t.Parallel
	paused   bool // what called t.Run goes on

	wasParallel bool // it has called t.Parallel
	alone       bool // it has called what parallel tests may not
	cleaning    bool // what was left to Cleanup is being called

	parallels int  // subtests that have come to t.Parallel and have not ended
	released  bool // its function has returned: they go on

	cleanups []func()
	ctx      context.Context
	cancel   context.CancelFunc
	over     bool // its context has ended

	recorded recordedSubtests // of a run that is recorded
	site     Site             // of t.Run
}

// The parts of a scope that order goroutines.
const (
	pausedPart objectPart = iota
	releasedPart
	endedPart
)

func (t *scope) key(part objectPart) syncKey { return syncKey{unsafe.Pointer(t), part} }

// Subtest is t.Run of the test under check, in a run: f calls the function of the
// subtest. With site 0 it is a call, and f is followed by what it has left to
// Cleanup, however it ends.
func Subtest(site Site, f func()) {
	g := controlledTest()
	if g != nil {
		g.adopt(g.scope) // what is left from here on is of the subtest
		g.run.exec.touch(touched{space: spaceTest}, touchRead)
	}
	switch {
	case g == nil:
		f()
	case g.scope.cleaning:
		panic(runInCleanup)
	case site == 0:
		g.callSubtest(f)
	default:
		g.startSubtest(site, f)
	}
}

// callSubtest runs a subtest in place.
func (g *goroutine) callSubtest(f func()) {
	s, returned := g.run, false
	defer func() {
		if !returned && !s.dying.Load() {
			s.weaken("a subtest has ended early, as by Skip or Fatal, and with it the test around it, which goes on otherwise")
		}
	}()
	g.inScope(func(t *scope) {
		f()
		if t.parallels > 0 {
			s.weaken("a subtest that is a call ends before its parallel subtests")
			s.release(g, t)
		}
		returned = true
	})
}

// inScope calls f in a scope of its own, followed by what it has left to Cleanup.
func (g *goroutine) inScope(f func(t *scope)) {
	outer := g.scope
	t := &scope{parent: outer, owner: g, call: true}
	g.scope = t
	defer func() { g.scope = outer }()
	defer g.run.cleanUp(t)
	f(t)
}

// startSubtest starts the goroutine of a subtest, and waits until it has ended or
// comes to t.Parallel.
func (g *goroutine) startSubtest(site Site, f func()) {
	s, t := g.run, &scope{parent: g.scope}
	t.site = site
	recorded := g.recordSubtest(site, t)
	g.arrive(opSubtest, site, unsafe.Pointer(t))
	s.exec.touch(touched{space: spaceTest}, touchRead)
	s.exec.on(spaceScope, unsafe.Pointer(t), touchAny)
	if t.parent.cleaning {
		panic(runInCleanup)
	}
	recorded.counts(1)
	recorded.added()
	t.owner = s.spawn(g, site, nil)
	t.owner.scope, t.owner.sub = t, t
	t.owner.f = func() { s.subtest(t, site.join(), f) }
	g.recordWaitFor(site, t.recorded.paused)
	for !t.paused {
		g.block()
	}
	g.recordWaited(t.recorded.paused)
	s.races.acquire(g, t.key(pausedPart))
	g.pass()
}

// subtest is the body of the goroutine of a subtest. At its exit it is over.
func (s *run) subtest(t *scope, join Site, f func()) {
	defer s.cleanUp(t)
	defer s.joinSubtests(t, join)
	f()
}

// Parallel is t.Parallel of the test under check, which register is. With site 0
// it is no guard.
func Parallel(site Site, register func()) {
	if !Controlled() {
		register()
		return
	}
	g := controlledTest()
	if g == nil {
		return
	}
	s, t := g.run, g.scope
	if t.owner == g {
		t.becomesParallel()
	}
	if t.parent == nil {
		return // the test itself: there is none beside it
	}
	switch {
	case t.call || site == 0:
		s.weaken("a parallel subtest is a call: it runs before the function that starts it goes on")
		return
	case t.owner != g:
		s.weaken("t.Parallel is called by a goroutine that a subtest has started: it does nothing")
		return
	}
	t.parallel = true
	t.parent.parallels++
	g.recordPauses(site, t.parent)
	g.recordAddTo(site, t.recorded.paused, -1)
	s.pause(g, t)
	g.recordWaitFor(site, t.parent.recorded.released)
	g.arrive(opParallel, site, unsafe.Pointer(t.parent))
	s.exec.on(spaceScope, unsafe.Pointer(t.parent), touchAny)
	for !t.parent.released {
		g.block()
	}
	g.recordWaited(t.parent.recorded.released)
	s.races.acquire(g, t.parent.key(releasedPart))
	g.pass()
}

// pause lets who has called t.Run go on.
func (s *run) pause(g *goroutine, t *scope) {
	s.exec.on(spaceScope, unsafe.Pointer(t), touchAny)
	s.races.release(g, t.key(pausedPart))
	t.paused = true
	s.completeScope(opSubtest, t)
}

// completeScope completes those who are queued in an operation on a scope.
func (s *run) completeScope(o op, t *scope) {
	for _, w := range s.blocked {
		if w.op == o && w.obj == unsafe.Pointer(t) {
			w.ready = true
		}
	}
}

// release lets the parallel subtests of a function that has returned go on.
func (s *run) release(g *goroutine, t *scope) {
	s.exec.on(spaceScope, unsafe.Pointer(t), touchAny)
	s.races.release(g, t.key(releasedPart))
	t.released = true
	s.completeScope(opParallel, t)
}

// joinSubtests is deferred in the goroutine of a scope: unless it panics, it
// releases the parallel subtests and waits for them, at the site.
func (s *run) joinSubtests(t *scope, site Site) {
	if t.parallels == 0 || s.dying.Load() || panicking() {
		return
	}
	g := t.owner
	g.recordAddTo(site, t.recorded.released, -t.parallels)
	s.release(g, t)
	g.recordWaitFor(site, t.recorded.ended)
	g.arrive(opJoin, site, unsafe.Pointer(t))
	s.exec.on(spaceScope, unsafe.Pointer(t), touchAny)
	for t.parallels > 0 {
		g.block()
	}
	g.recordWaited(t.recorded.ended)
	s.races.acquire(g, t.key(endedPart))
	g.pass()
}

// subtestOver ends the subtest of a goroutine that comes to its end, if it does
// not panic.
func (s *run) subtestOver(g *goroutine) {
	t := g.sub
	if !t.parallel {
		g.recordAddTo(t.site, t.recorded.paused, -1)
		s.pause(g, t)
		return
	}
	g.recordAddTo(t.site, t.parent.recorded.ended, -1)
	s.exec.on(spaceScope, unsafe.Pointer(t.parent), touchAny)
	s.races.release(g, t.parent.key(endedPart))
	if t.parent.parallels--; t.parent.parallels == 0 {
		s.completeScope(opJoin, t.parent)
	}
}

// panicking reports that the deferred function that calls it runs since the
// goroutine panics, and not since it returns or ends.
func panicking() bool {
	found, panics := false, false
	eachFrame(func(f runtime.Frame) {
		switch {
		case found:
		case f.Function == "runtime.gopanic":
			found, panics = true, true
		case f.Function == "runtime.Goexit", !internalFrame(f):
			found = true
		}
	})
	return panics
}

// Lent returns t, a *testing.T that uninstrumented code gets. In a bubble its Run
// panics, and who recovers from that, as suites of tests do, makes the test fail.
func Lent[T any](t T) T {
	if s := controlling(); s != nil {
		s.lent = true
	}
	return t
}

// controlledTest is the calling goroutine, if it belongs to a run of a test.
func controlledTest() *goroutine {
	s := active.Load()
	if s == nil || s.cfg.Entry != EntryTest || s.dying.Load() {
		return nil
	}
	if g := s.caller(); g != nil && g.scope != nil {
		return g
	}
	return nil
}
