//go:build go1.25

package orcruntime

import (
	"sync"
)

// Subtests are recorded as what package testing makes them: goroutines that are waited for. Who waits for whom is
// recorded as three wait groups. One is the subtest's: who calls t.Run adds one, starts the goroutine and waits; the
// subtest takes the one away when it comes to t.Parallel, or at its end. Two are of the test around: who comes to
// t.Parallel adds one to each, and waits for the first, from which all are taken away when the function around has
// returned; then that waits for the second, from which each takes one at its end.
//
// Where a program runs free package testing does all that. While it does the goroutine of the test around stands in
// it, so that subtests write for it what it has done: the first one that goes on behind t.Parallel that the function has
// returned, and the last one that ends that its wait is over.

// recordedScope is a test or subtest of a program that runs free.
type recordedScope struct {
	parent *recordedScope
	// owner is the recorder of its goroutine, nil if that is not known, as of a test that others start subtests of.
	owner *recorder
	site  Site // of t.Run
	// paused is the wait group of who calls t.Run.
	paused   *usedObject
	parallel bool
	panicked bool

	mu sync.Mutex // held by subtests
	// released and ended are those of the parallel subtests, parallels how many there are, left how many have not ended.
	released, ended *usedObject
	parallels, left int
	goOn            bool // the function has returned
}

// ends is end for a subtest, which runtime.Goexit may have ended.
func (r *recorder) ends(panicked bool) {
	r.left = !panicked
	r.end(!panicked)
}

// recordedScopes are the tests, by their *testing.T.
var recordedScopes sync.Map

// scopeOf is a test.
func scopeOf(t any, r *recorder) *recordedScope {
	if s, ok := recordedScopes.Load(t); ok {
		return s.(*recordedScope)
	}
	s := &recordedScope{}
	if r.ofTest {
		s.owner = r
	}
	old, _ := recordedScopes.LoadOrStore(t, s)
	return old.(*recordedScope)
}

// waitGroup is a wait group that the program does not have.
func (r *recorder) waitGroup() *usedObject {
	s := &usedObject{kind: recWaitGroup, id: newObject()}
	r.object(s.id, recWaitGroup, 0)
	return s
}

// addsTo writes that n is added to a wait group.
func (r *recorder) addsTo(site Site, s *usedObject, n int) {
	r.addsOnly(site, s, n)
	r.counted(s.counts(n))
}

// FreeSubtest is t.Run(name, f), which run does with the function that it is given, outside of runs.
func FreeSubtest[X interface {
	comparable
	Cleanup(func())
}](site Site, t X, f func(X), run func(func(X)) bool) bool {
	r := recording()
	if r == nil || active.Load() != nil {
		return run(f)
	}
	sub := &recordedScope{parent: scopeOf(t, r), site: site, paused: r.waitGroup()}
	r.addsTo(site, sub.paused, 1)
	child := r.goes(site)
	creator := r.tag
	r.begin(recWait, site, sub.paused.id)
	began := false
	ok := run(func(t X) {
		began = true
		c := beginRecorder(localOf(), child, creator)
		sub.owner = c
		recordedScopes.Store(t, sub)
		t.Cleanup(func() { // behind all that is left to Cleanup later
			recordedScopes.Delete(t)
			sub.ends()
		})
		returned := false
		defer func() { sub.panicked = !returned && panicking() }()
		f(t)
		returned = true
	})
	if !began {
		r.addsTo(site, sub.paused, -1) // a flag of the test has left it out
	}
	r.doneInOrder(0, 0, sub.paused.place())
	return ok
}

// FreeParallel is t.Parallel(), which do does, outside of runs.
func FreeParallel(site Site, t any, do func()) {
	r := recording()
	found, ok := recordedScopes.Load(t)
	if r == nil || !ok || active.Load() != nil {
		do()
		return
	}
	sub := found.(*recordedScope)
	if sub.owner != r || sub.parallel || sub.parent == nil {
		do()
		return
	}
	sub.parallel = true
	released := sub.parent.pauses(r, site)
	r.addsTo(site, sub.paused, -1)
	r.begin(recWait, site, released.id)
	do()
	sub.parent.release()
	r.doneInOrder(0, 0, released.place())
}

// pauses notes a parallel subtest, and returns the wait group that it waits for.
func (s *recordedScope) pauses(r *recorder, site Site) *usedObject {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released == nil {
		s.released, s.ended = r.waitGroup(), r.waitGroup()
	}
	s.parallels++
	s.left++
	r.addsTo(site, s.released, 1)
	r.addsTo(site, s.ended, 1)
	return s.released
}

// release is called by a parallel subtest that goes on: the function has returned.
func (s *recordedScope) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.goOn || s.owner == nil {
		return
	}
	s.goOn = true
	site := Site(0)
	if s.parent != nil && s.site != 0 {
		site = s.site.join()
	}
	s.owner.addsTo(site, s.released, -s.parallels)
	s.owner.begin(recWait, site, s.ended.id)
}

// ends is called at the end of a subtest.
func (s *recordedScope) ends() {
	r := s.owner
	if !s.parallel {
		r.addsTo(s.site, s.paused, -1)
		r.ends(s.panicked)
		return
	}
	p := s.parent
	p.mu.Lock()
	defer p.mu.Unlock()
	r.addsTo(s.site, p.ended, -1)
	r.ends(s.panicked)
	if p.left--; p.left == 0 && p.goOn {
		p.owner.doneInOrder(0, 0, p.ended.place())
	}
}

// What follows is the same for runs.

// recordedSubtests are the wait groups of a scope that is recorded.
type recordedSubtests struct{ paused, released, ended *usedObject }

// recordSubtest writes that g is about to start a subtest.
func (g *goroutine) recordSubtest(site Site, t *scope) *recordedAdd {
	r := g.rec
	if r == nil {
		return nil
	}
	t.recorded.paused = r.waitGroup()
	a := &recordedAdd{r: r, s: t.recorded.paused}
	r.addsOnly(site, a.s, 1)
	return a
}

// recordWaitFor writes that g is about to wait for a wait group that the program does not have.
func (g *goroutine) recordWaitFor(site Site, s *usedObject) {
	if r := g.rec; r != nil && s != nil {
		r.begin(recWait, site, s.id)
	}
}

// recordAddTo writes that g adds to one.
func (g *goroutine) recordAddTo(site Site, s *usedObject, n int) {
	if r := g.rec; r != nil && s != nil && !g.run.dying.Load() {
		r.addsTo(site, s, n)
	}
}

// recordPauses writes that g comes to t.Parallel in a subtest of t.
func (g *goroutine) recordPauses(site Site, t *scope) {
	r := g.rec
	if r == nil {
		return
	}
	if t.recorded.released == nil {
		t.recorded.released, t.recorded.ended = r.waitGroup(), r.waitGroup()
	}
	r.addsTo(site, t.recorded.released, 1)
	r.addsTo(site, t.recorded.ended, 1)
}
