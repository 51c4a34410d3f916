//go:build go1.25

package orcutil

import "context"

// scope is a test or, within it, a subtest, which in a run is a call: what it
// has left to Cleanup, and its context.
type scope struct {
	sub      bool
	cleanups []func()
	ctx      context.Context
	cancel   context.CancelFunc
	over     bool // its context has ended
}

// Cleanup is t.Cleanup(f) of the test under check; register is t.Cleanup. In a
// run, f is called in the entry goroutine when the entry function has returned,
// panicked or ended, before the guard at its end, the last one first.
func Cleanup(register func(func()), f func()) {
	if g := controlledTest(); g != nil {
		g.scope.cleanups = append(g.scope.cleanups, f)
		return
	}
	register(f)
}

// CleanupValue is the method value t.Cleanup, which is register.
func CleanupValue(register func(func())) func(func()) {
	return func(f func()) { Cleanup(register, f) }
}

// TestContext is t.Context of the test under check, which has returned ctx. In
// a run, it is cancelled just before what is left to Cleanup is called.
func TestContext(ctx context.Context) context.Context {
	g := controlledTest()
	if g == nil {
		return ctx
	}
	t := g.scope
	if t.ctx == nil {
		t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
		if t.over {
			t.cancel()
		}
	}
	return t.ctx
}

// ContextValue is the method value t.Context, which is of.
func ContextValue(of func() context.Context) func() context.Context {
	return func() context.Context { return TestContext(of()) }
}

// Subtest calls f and then, however it ends, what f has left to Cleanup: in a
// run, a subtest is a call.
func Subtest(f func()) {
	g := controlledTest()
	if g == nil {
		f()
		return
	}
	outer, returned := g.scope, false
	g.scope = &scope{sub: true}
	defer func() {
		g.scope = outer
		if !returned && !g.run.dying.Load() {
			g.run.weaken("a subtest has ended early, as by Skip or Fatal, and with it the test around it, which goes on otherwise")
		}
	}()
	defer g.run.cleanUp(g.scope)
	f()
	returned = true
}

// Parallel is t.Parallel of the test under check. In a run, subtests are calls,
// so in a subtest it means that others could go on which here do not: that
// nothing can move is no proof then.
func Parallel(register func()) {
	if !Controlled() {
		register()
		return
	}
	if g := controlledTest(); g != nil && g.scope.sub {
		g.run.weaken("parallel subtests are run one after the other, each before the function that starts it goes on")
	}
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

// cleanUp ends a scope: its context, then what was left to Cleanup. A function
// that panics or ends the goroutine does not keep the others from being called.
func (s *run) cleanUp(t *scope) {
	if s.dying.Load() {
		return
	}
	t.over = true
	if t.cancel != nil {
		t.cancel()
	}
	s.callCleanups(t)
}

func (s *run) callCleanups(t *scope) {
	last := len(t.cleanups) - 1
	if last < 0 || s.dying.Load() {
		return
	}
	defer s.callCleanups(t)
	f := t.cleanups[last]
	t.cleanups = t.cleanups[:last]
	f()
}
