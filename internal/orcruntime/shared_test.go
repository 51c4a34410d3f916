package orcruntime

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSharedGuards: which guards of a program that several checks share stop goroutines follows from
// the Guards, and from whether a run is to do what a program with those alone would.
func TestSharedGuards(t *testing.T) {
	n := 0
	body := func() {
		AccessOrBeside(1)
		n = StoreIf(2, n+1)
		Access(3)
	}
	for _, c := range []struct {
		name   string
		guards map[Site]bool
		exact  bool
		want   string
	}{
		{"all statements", nil, false, "#1 #3"},
		{"none", map[Site]bool{}, false, ""},
		{"named", map[Site]bool{1: true, 2: true}, false, "#1 #2"},
		{"exact", map[Site]bool{2: true}, true, "#1 #2"},
		{"exact and named", map[Site]bool{1: true, 3: true}, true, "#1 #3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Record: true, Guards: c.guards, Exact: c.exact, Main: body})
			require.Empty(t, res.Notes)
			var passed []string
			for _, s := range res.Trace {
				passed = append(passed, s.Site)
			}
			require.Equal(t, c.want, strings.Join(passed, " "))
		})
	}
}

// TestNoRaces: a program whose accesses are recorded is not looked at for races if a run says so.
func TestNoRaces(t *testing.T) {
	registerPlaces(t)
	for _, no := range []bool{false, true} {
		n := 0
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, NoRaces: no, Main: func() {
			Go(1, func() { Wr(1<<20, &n) })
			Wr(1<<20, &n)
		}})
		require.Equal(t, no, len(res.Races) == 0)
	}
}

// TestLibraryWrites: of several calls that are given the same memory, one after the other, that one has written a
// part of it which had it then, also where what it has written shows only later.
func TestLibraryWrites(t *testing.T) {
	const cleared, filled, kept = 1 << 21, 1<<21 + 1, 1<<21 + 2
	registerPlaces(t)
	RegisterPlaces([]PlaceInfo{
		{ID: cleared, File: "p.go", Line: 2, Text: "clears"}, {ID: filled, File: "p.go", Line: 3, Text: "fills"}, {ID: kept, File: "p.go", Line: 4, Text: "keeps"},
	})
	for _, readOf := range []struct {
		word int
		by   string
	}{{0, "clears"}, {1, "fills"}, {2, ""}} {
		b := make([]byte, 24)
		b[0] = 'x'
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			Go(1, func() { Rd(1<<20, &b[8*readOf.word]) })
			Given(cleared, b, true)[0] = 0
			Given(filled, b, true)[8] = 'y'
			Given(kept, b, true)
		}})
		by := ""
		for _, r := range res.Races {
			by += r.First.What + r.Second.What
		}
		require.Equal(t, readOf.by, strings.ReplaceAll(by, "n", ""), "%v", res.Races) // without who reads
	}
}

// TestGeneratedFrames: the functions of generated files are none of the program.
func TestGeneratedFrames(t *testing.T) {
	require.True(t, internalFrame(runtime.Frame{Function: "p.zzorcTRun.func1", File: "p/zz_vtrace_gen_test.go"}))
	require.False(t, internalFrame(runtime.Frame{Function: "p.TestRun.func1", File: "p/run_test.go"}))
}
