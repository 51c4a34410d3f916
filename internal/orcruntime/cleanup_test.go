package orcruntime

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCleanup: what is left to Cleanup runs under control, the last one first,
// before the guard at the end, whatever the end.
func TestCleanup(t *testing.T) {
	tests := map[string]struct {
		main func(clean func(string), quit chan int)
		want []string
		kind string
	}{
		"return": {func(clean func(string), quit chan int) { clean("a"); clean("b") }, []string{"b", "a", "quit"}, ""},
		"goexit": {func(clean func(string), quit chan int) { clean("a"); TestEnd(20, runtime.Goexit) }, []string{"a", "quit"}, ""},
		"panic":  {func(clean func(string), quit chan int) { clean("a"); panic(Panic(21, "p")) }, []string{"a"}, KindPanic},
		"panic and goexit in one": {func(clean func(string), quit chan int) {
			clean("a")
			Cleanup(nil, func() { Goexit(22) })
			clean("b")
		}, []string{"b", "a", "quit"}, ""},
		"subtest": {func(clean func(string), quit chan int) {
			clean("a")
			Subtest(0, func() { clean("sub") })
			clean("b")
		}, []string{"sub", "b", "a", "quit"}, ""},
		"closed twice": {func(clean func(string), quit chan int) {
			Cleanup(nil, func() { Close(23, quit) })
		}, nil, KindCloseOfClosed},
		"a cleanup of another goroutine": {func(clean func(string), quit chan int) {
			done := make(chan int)
			Go(24, func() { clean("a"); Close(25, done) })
			Recv(26, done)
		}, []string{"a", "quit"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				var got []string
				res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: Random(seed), Record: true, Main: func() {
					quit := make(chan int)
					Cleanup(nil, func() { Close(1, quit) })
					Go(2, func() { Recv(3, quit); got = append(got, "quit") })
					tt.main(func(s string) {
						Cleanup(nil, func() { Access(4); got = append(got, s) })
					}, quit)
				}})
				require.Equal(t, tt.kind, res.Outcome.Kind, "%s", res)
				require.False(t, res.Weak)
				switch {
				case tt.kind == "":
					require.Equal(t, tt.want, got)
				case tt.kind == KindPanic: // "0.1" may have been fast
					require.Equal(t, tt.want, got[:1])
				}
				if last := res.Trace[len(res.Trace)-1]; name == "return" && last.G == "0" {
					require.Equal(t, endSite, last.Site)
				}
			}
		})
	}
	called := false
	Cleanup(t.Cleanup, func() { called = true })
	Subtest(0, func() { require.False(t, called) })
	t.Cleanup(func() { require.False(t, called) }) // before it, since later
}

// TestContextOfTest: the context of a test is cancelled before its cleanups, and
// after the test or subtest has returned.
func TestContextOfTest(t *testing.T) {
	type key struct{}
	parent := context.WithValue(t.Context(), key{}, "value")
	for seed := range uint64(50) {
		var got []string
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: Random(seed), Main: func() {
			ctx := TestContext(parent)
			require.Equal(t, "value", ctx.Value(key{}))
			require.Same(t, ctx, TestContext(parent))
			ended := make(chan int)
			Go(1, func() {
				require.Same(t, ctx, TestContext(parent)) // also during the subtest
				Recv(2, ctx.Done())
				Close(3, ended)
			})
			Cleanup(nil, func() { Recv(4, ended); got = append(got, "cleanup") })
			Subtest(0, func() {
				sub := TestContext(parent)
				require.NotSame(t, ctx, sub)
				Cleanup(nil, func() { got = append(got, sub.Err().Error()) })
				require.NoError(t, sub.Err())
			})
			require.NoError(t, ctx.Err())
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Empty(t, res.Outcome.Kind, "%s", res)
		require.Equal(t, []string{"context canceled", "cleanup"}, got)
	}
	require.Equal(t, parent, TestContext(parent))
}

// TestContextOfTestLate: a context that is asked for first when the test is over
// has ended.
func TestContextOfTestLate(t *testing.T) {
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: func() {
		Cleanup(nil, func() { require.ErrorIs(t, TestContext(t.Context()).Err(), context.Canceled) })
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Empty(t, res.Outcome.Kind, "%s", res)
}

// TestGoOfNil: the goroutine that executes the statement ends the program.
func TestGoOfNil(t *testing.T) {
	var nothing func()
	for _, expect := range []string{"", KindNilCall} {
		res := Run(Config{Bubble: bubble(t), Plan: Plan{Expect: Expect{Kind: expect}}, Main: func() {
			GoValue(2, func() {}, func() {})
			GoValue(1, nothing, func() { nothing() })
		}})
		require.Equal(t, KindNilCall, res.Outcome.Kind)
		require.Equal(t, "fatal error: go of nil func value", res.Outcome.Message)
		require.Equal(t, At{"0", "#1"}, At{res.Outcome.G, res.Outcome.Site})
		require.Equal(t, expect == KindNilCall, res.Verdict == Reproduced, "%s", res)
	}
}

// What cannot be trusted where subtests are calls makes the result weak.
func TestSubtestWeak(t *testing.T) {
	for name, c := range map[string]struct {
		entry func()
		note  string
	}{
		"plain":         {func() { Subtest(0, func() {}) }, ""},
		"parallel":      {func() { Subtest(0, func() { Parallel(0, func() { t.Error("registered") }) }) }, "a parallel subtest is a call"},
		"parallel test": {func() { Parallel(0, func() { t.Error("registered") }) }, ""},
		"parallel behind a subtest": {func() {
			Subtest(0, func() {})
			Parallel(0, func() { t.Error("registered") })
		}, ""},
		"skipped":  {func() { Subtest(0, runtime.Goexit) }, "ended early"},
		"finished": {runtime.Goexit, ""},
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: c.entry})
			require.Equal(t, c.note != "", res.Weak, res.Notes)
			require.Contains(t, strings.Join(res.Notes, "\n"), c.note)
		})
	}
	called := false
	Parallel(0, func() { called = true })
	require.True(t, called)
}
