package orcruntime

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// subtestRun runs a test under a random chooser. Its entry function gets what
// appends to the list that is returned, and what makes a parallel subtest.
func subtestRun(t *testing.T, seed uint64, entry func(say func(string), parallel func(site Site, f func()))) (Result, []string) {
	var said []string
	say := func(s string) { Access(90); said = append(said, s) }
	parallel := func(site Site, f func()) {
		Subtest(site, func() {
			Parallel(site+1, func() { t.Error("registered") })
			f()
		})
	}
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: Random(seed), Record: true, Main: func() { entry(say, parallel) }})
	return res, said
}

// TestParallelSubtests: parallel subtests go on when the function around has
// returned, all at one time, and end before what is left to Cleanup.
func TestParallelSubtests(t *testing.T) {
	for name, c := range map[string]struct {
		entry func(say func(string), parallel func(Site, func()))
		want  []string // one of these orders
		kind  string
	}{
		"behind the function": {func(say func(string), parallel func(Site, func())) {
			Cleanup(nil, func() { say("cleanup") })
			defer say("deferred")
			parallel(10, func() { say("a") })
			parallel(20, func() { say("b") })
			say("body")
		}, []string{"body deferred a b cleanup", "body deferred b a cleanup"}, ""},
		"up to Parallel in place": {func(say func(string), parallel func(Site, func())) {
			Subtest(10, func() {
				say("before")
				Parallel(11, nil)
				say("after")
			})
			say("body")
		}, []string{"before body after"}, ""},
		"not parallel": {func(say func(string), parallel func(Site, func())) {
			Subtest(10, func() { Cleanup(nil, func() { say("cleanup") }); say("sub") })
			say("body")
		}, []string{"sub cleanup body"}, ""},
		"group": {func(say func(string), parallel func(Site, func())) {
			Subtest(30, func() {
				Cleanup(nil, func() { say("group") })
				parallel(10, func() { say("a") })
				parallel(20, func() { say("b") })
			})
			say("body")
		}, []string{"a b group body", "b a group body"}, ""},
		"parallel group": {func(say func(string), parallel func(Site, func())) {
			parallel(30, func() {
				parallel(10, func() { say("a") })
				parallel(20, func() { say("b") })
				say("group")
			})
			say("body")
		}, []string{"body group a b", "body group b a"}, ""},
		"that meet": {func(say func(string), parallel func(Site, func())) {
			c := make(chan int)
			parallel(10, func() { To(c).Send(1, 1) })
			parallel(20, func() { Recv(2, c); say("met") })
		}, []string{"met"}, ""},
		"one ends": {func(say func(string), parallel func(Site, func())) {
			Cleanup(nil, func() { say("cleanup") })
			parallel(10, func() { Cleanup(nil, func() { say("a") }); TestEnd(1, runtime.Goexit) })
			parallel(20, func() { say("b") })
		}, []string{"a b cleanup", "b a cleanup"}, ""},
		"one ends before Parallel": {func(say func(string), parallel func(Site, func())) {
			Subtest(30, func() { TestEnd(1, runtime.Goexit); Parallel(31, nil) })
			parallel(20, func() { say("b") })
			say("body")
		}, []string{"body b"}, ""},
		"the function ends": {func(say func(string), parallel func(Site, func())) {
			Cleanup(nil, func() { say("cleanup") })
			parallel(10, func() { say("a") })
			TestEnd(1, runtime.Goexit)
		}, []string{"a cleanup"}, ""},
		"the function panics": {func(say func(string), parallel func(Site, func())) {
			Cleanup(nil, func() { say("cleanup") })
			parallel(10, func() { say("a") })
			panic(Panic(1, "p"))
		}, []string{"cleanup"}, KindPanic},
		"the function recovers": {func(say func(string), parallel func(Site, func())) {
			defer func() { _ = recover(); say("recovered") }()
			parallel(10, func() { say("a") })
			panic(Panic(1, "p"))
		}, []string{"recovered a"}, ""},
		"one panics": {func(say func(string), parallel func(Site, func())) {
			Cleanup(nil, func() { say("cleanup") })
			parallel(10, func() { panic(Panic(1, "p")) })
		}, []string{""}, KindPanic},
		"twice": {func(say func(string), parallel func(Site, func())) {
			parallel(10, func() { Parallel(12, nil) })
		}, []string{""}, KindPanic},
		"stuck": {func(say func(string), parallel func(Site, func())) {
			Cleanup(nil, func() { say("cleanup") })
			parallel(10, func() { Recv(1, make(chan int)) })
		}, []string{""}, KindDeadlock},
		"stuck before Parallel": {func(say func(string), parallel func(Site, func())) {
			Subtest(10, func() { Recv(1, make(chan int)); Parallel(11, nil) })
			say("body")
		}, []string{""}, KindDeadlock},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			for seed := range uint64(60) {
				res, said := subtestRun(t, seed, c.entry)
				require.Equal(t, c.kind, res.Outcome.Kind, "%s", res)
				require.False(t, res.Weak, res.Notes)
				order := strings.Join(said, " ")
				require.Contains(t, c.want, order)
				seen[order] = true
				again, said2 := subtestRun(t, seed, c.entry)
				require.Equal(t, res.Trace, again.Trace)
				require.Equal(t, said, said2)
			}
			require.Len(t, seen, len(c.want))
		})
	}
}

// TestSubtestNames: a subtest is named as a goroutine that a go statement starts.
func TestSubtestNames(t *testing.T) {
	res, _ := subtestRun(t, 1, func(_ func(string), parallel func(Site, func())) {
		Go(1, func() {})
		parallel(10, func() { Go(2, func() {}) })
	})
	var names []string
	for _, s := range res.Trace {
		names = append(names, s.G+" "+s.Site)
	}
	slices.Sort(names)
	require.Equal(t, []string{
		"0 #0.join", "0 #1", "0 #10", "0 " + endSite, "0 " + endSite + ".cleanup",
		"0.1 #1.start", "0.2 #10.start", "0.2 #11", "0.2 #2", "0.2.1 #2.start",
	}, names)
}

// TestSubtestStuck: a deadlock of parallel subtests says where the test waits.
func TestSubtestStuck(t *testing.T) {
	res, _ := subtestRun(t, 1, func(_ func(string), parallel func(Site, func())) {
		parallel(10, func() { Recv(1, make(chan int)) })
	})
	require.Contains(t, res.Outcome.Message, "0 blocked in wait for subtests")
	require.Contains(t, res.Outcome.Message, "0.1 blocked in receive")
}
