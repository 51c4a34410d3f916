//go:build go1.25

package orcruntime

import (
	"testing"
	"testing/synctest"
)

// TestKeptBy: package testing of the installed Go has what a run takes of a *testing.T.
func TestKeptBy(t *testing.T) {
	called := false
	t.Run("", func(t *testing.T) {
		k, ok := keptBy(t, true)
		if !ok {
			t.Fatal("the fields of a *testing.T are not those that are known")
		}
		t.Cleanup(func() { called = true })
		if n := len(*k.list); n != k.first+1 {
			t.Errorf("%d cleanups", n)
		}
		k.cancel()
		if t.Context().Err() == nil {
			t.Error("its context goes on")
		}
	})
	if !called {
		t.Error("the cleanup was lost")
	}
	if _, ok := keptBy((*testing.T)(nil), true); ok {
		t.Error("of nobody")
	}
	if _, ok := keptBy(t.Name, true); ok {
		t.Error("of a function")
	}
}

// TestKept: what is left to a *testing.T itself is called in the run, in the order of all that is left, at the end
// of the subtest that has left it; what a run that is cut does not come to is called after it.
func TestKept(t *testing.T) {
	var did []string
	say := func(s string) func() { return func() { did = append(did, s) } }
	run := func(t *testing.T, steps int, main func(t *testing.T)) (Result, *testing.T) {
		var inner *testing.T
		cfg := ForTest(t, synctest.Test, synctest.Wait, func(t *testing.T) { inner = t; main(t) }, "")
		cfg.Plan.MaxSteps = steps
		return Run(cfg), inner
	}
	t.Run("", func(t *testing.T) {
		r, inner := run(t, 0, func(t *testing.T) {
			t.Cleanup(say("a"))
			Cleanup(t.Cleanup, say("b"))
			t.Cleanup(say("c"))
			Subtest(0, func() { t.Cleanup(say("sub")) })
			say("over")()
		})
		if got, want := join(did), "sub over c b a"; r.Verdict != Completed || got != want {
			t.Errorf("%s: %s, not %s", r.Verdict, got, want)
		}
		if inner.Context().Err() == nil {
			t.Error("the context of the test goes on")
		}
	})
	did = nil
	t.Run("", func(t *testing.T) {
		r, _ := run(t, 1, func(t *testing.T) {
			t.Cleanup(say("a"))
			for {
				Access(0)
			}
		})
		if got := join(did); r.Verdict != Limit || got != "a" {
			t.Errorf("%s: %s, not after the run", r.Verdict, got)
		}
	})
}

func join(list []string) (out string) {
	for i, s := range list {
		if i > 0 {
			out += " "
		}
		out += s
	}
	return out
}
