package orcruntime

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExpected: a run is the one that is expected if it ends in the kind of error, with each
// goroutine that is named where it is said to be, and no other.
func TestExpected(t *testing.T) {
	type place struct{ g, site string }
	ends := []struct {
		kinds []string // of expectations that it is
		entry string
		at    []place // where goroutines are stuck, or the one that has ended the program is
		main  func()
	}{
		{[]string{KindDeadlock, KindPartialDeadlock}, EntryMain, []place{{"0", "#5"}, {"0.1", "#7"}, {"0.2", "#9"}}, func() {
			var mu sync.Mutex
			c := make(chan int)
			Go(1, func() { Lock(6, &mu); Recv(7, c) })
			Go(2, func() { Access(8); Recv(9, c) })
			Go(3, func() { Access(10) })
			Recv(5, c)
		}},
		{[]string{KindLeak, KindPartialDeadlock}, EntryTest, []place{{"0.1", "#7"}, {"0.2", "#9"}}, func() {
			c := make(chan int)
			Go(1, func() { Access(6); Recv(7, c) })
			Go(2, func() { Access(8); Recv(9, make(chan int)) })
			Access(5)
		}},
		{[]string{KindPanic}, EntryTest, []place{{"0.1", "#6"}}, func() {
			Go(1, func() { Access(6); panic("x") })
			Recv(5, make(chan int))
		}},
		{[]string{KindCloseOfClosed}, EntryTest, []place{{"0.1", "#7"}}, func() {
			c := make(chan int)
			Go(1, func() { Close(6, c); Close(7, c) })
			Recv(5, make(chan int))
		}},
		{[]string{KindUnlockUnlocked}, EntryMain, []place{{"0", "#5"}}, func() {
			var mu sync.Mutex
			Go(1, func() { Recv(6, make(chan int)) })
			Access(4)
			Unlock(5, &mu)
		}},
	}
	kinds := []string{KindDeadlock, KindPartialDeadlock, KindLeak, KindPanic, KindCloseOfClosed, KindUnlockUnlocked, KindSendOnClosed, KindNegativeCounter, KindTestFailure}
	for _, end := range ends {
		stuck := slices.Contains(end.kinds, KindPartialDeadlock)
		is := func(at At) bool {
			return slices.ContainsFunc(end.at, func(p place) bool { return (at.G == "" || at.G == p.g) && (at.Site == "" || at.Site == p.site) })
		}
		expect := func(want bool, kind string, at ...At) {
			res := Run(Config{Bubble: bubble(t), Entry: end.entry, Plan: Plan{Expect: Expect{kind, at}}, Main: end.main})
			require.Equal(t, want, res.Verdict == Reproduced, "expected %s %v\n%s", kind, at, res)
		}
		var all []At
		for _, g := range []string{"", "0", "0.1", "0.2", "0.3", "0.9"} {
			for site := range 11 {
				at := At{G: g}
				if site > 0 {
					at.Site = fmt.Sprintf("#%d", site)
				}
				all = append(all, at)
			}
		}
		for _, kind := range kinds {
			right := slices.Contains(end.kinds, kind)
			expect(right, kind)
			if !right {
				expect(false, kind, At{G: end.at[0].g, Site: end.at[0].site})
				continue
			}
			for i, at := range all {
				expect(is(at), kind, at)
				// Of goroutines that are stuck all are meant, of those that may have ended the
				// program one.
				other := all[(i*7+3)%len(all)]
				both := is(at) && is(other)
				if !stuck {
					both = is(at) || is(other)
				}
				expect(both, kind, at, other)
			}
		}
	}
}
