//go:build go1.25

package orcruntime

import (
	"context"
	"unsafe"
)

// Cleanup is t.Cleanup(f) of the test under check; register is t.Cleanup. In a
// run, f is called when the test function has returned, panicked or ended, and
// its parallel subtests have ended: of the entry, before the guard at its end. The
// last one is called first.
func Cleanup(register func(func()), f func()) {
	if g := controlledTest(); g != nil {
		g.adopt(g.scope)
		g.leave(g.scope, f)
		return
	}
	register(f)
}

// leave has f called at the end of a scope. In which order goroutines do that is the order, from the
// last, in which the functions are called.
func (g *goroutine) leave(t *scope, f func()) {
	g.run.exec.on(spaceScope, unsafe.Pointer(&t.cleanups), touchAny)
	t.cleanups = append(t.cleanups, f)
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

// ContextOn is the method value x.Context, of the test under check if x is a *testing.T.
func ContextOn[X interface{ Context() context.Context }](x X) func() context.Context {
	if isTest(x) {
		return ContextValue(x.Context)
	}
	return x.Context
}

// cleanUp ends a scope: its context, then what was left to Cleanup. A function
// that panics or ends the goroutine does not keep the others from being called.
func (s *run) cleanUp(t *scope) {
	if s.dying.Load() {
		return
	}
	t.over, t.cleaning = true, true
	s.exec.touch(touched{space: spaceTest}, touchWrite)
	defer func() { t.cleaning = false }()
	if site, ok := siteOf(s.cfg.EndSite); ok && t.parent == nil && s.cfg.Entry == EntryTest {
		t.owner.stop(opCleanup, site)
		s.exec.touch(touched{space: spaceTest}, touchWrite)
		t.owner.acting = 0
	}
	if t.cancel != nil {
		t.cancel()
	}
	if t.parent == nil {
		s.kept.cancel()
	}
	s.callCleanups(t)
}

func (s *run) callCleanups(t *scope) {
	t.owner.adopt(t)
	last := len(t.cleanups) - 1
	if last < 0 || s.dying.Load() {
		return
	}
	defer s.callCleanups(t)
	f := t.cleanups[last]
	t.cleanups = t.cleanups[:last]
	f()
}
