package pass

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// TestBothPackages: the tests of a package and those of its external test package have one build, as go
// test has one binary. Each has the results of a build of its own: variables of both packages begin anew in each
// run, TestMain has run, each test has its own return and its own clock, and what the external package does with
// time is nothing to the other tests.
func TestBothPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/both\n\ngo 1.25\n",
		"both.go": `package both

import "sync"

var (
	mu    sync.Mutex
	count int
	order = "variables"
)

func init() { order += " init" }

func Add() int {
	mu.Lock()
	defer mu.Unlock()
	count++
	return count
}

func Order() string { return order }
`,
		"inner_test.go": `package both

import (
	"testing"
	"time"
)

func TestInner(t *testing.T) {
	done := make(chan int, 1)
	go func() { done <- Add() }()
	select {
	case n := <-done:
		if n != 1 || order != "variables init" {
			t.Error(n, order)
		}
	case <-time.After(3 * time.Second):
		t.Error("late")
	}
}

func TestLost(t *testing.T) {
	lost := make(chan int)
	go func() { lost <- Add() }()
}
`,
		"outer_test.go": `package both_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"example.com/both"
)

var (
	prepared bool
	calls    int
	at       = both.Order
)

func TestMain(m *testing.M) {
	prepared = true
	os.Exit(m.Run())
}

func TestOuter(t *testing.T) {
	done := make(chan int)
	go func() { done <- both.Add() }()
	calls++
	if n := <-done; n != 1 || calls != 1 || !prepared || at() != "variables init" {
		t.Error(n, calls, prepared, at())
	}
}

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		time.Sleep(7 * time.Second)
		if begin.Year() != 2000 || time.Since(begin) != 7*time.Second {
			t.Error("late")
		}
	})
}

func TestYear(t *testing.T) {
	if time.Now().Year() == 2000 {
		t.Error("in a bubble")
	}
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	entries := set.Entries()
	require.Len(t, entries, 5)
	built := countBuilds(t)
	builds := &Builds{}
	check := func(entry source.EntryPoint) *artifact.Bundle {
		b, err := CheckEntry(t.Context(), set, entry, Options{Builds: builds})
		require.NoError(t, err)
		return b
	}
	digests := map[string]string{}
	for _, e := range entries {
		b := check(e)
		digests[e.Func] = b.Digest()
		require.Empty(t, b.Runs().Failing, e.Func)
		if e.Func == "TestLost" {
			require.Len(t, b.Findings(), 1)
			require.Equal(t, artifact.KindLeak, b.Findings()[0].Kind)
		} else {
			for _, f := range b.Findings() {
				require.Equal(t, artifact.TimingDependent, f.Verdict, "%s: %s", e.Func, f.Message)
				require.Equal(t, "TestInner", e.Func, f.Message)
			}
		}
	}
	require.Equal(t, 1, built())

	// The other forms have nothing of the external package.
	require.Len(t, builds.known, 2) // with the one for plain runs
	for _, s := range builds.known {
		require.NoError(t, s.binary.Close())
		s.binary, s.failed = nil, &orchestrate.BuildError{Err: errors.New("not in this form")}
	}
	require.Equal(t, digests["TestInner"], check(entries[0]).Digest())
	require.NoError(t, builds.Close())
}
