package orchestrate

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// Programs with 2520 schedules. What is special happens in one of the last.
const manyTest = `package many

import (
	"sync"
	"syscall"
	"testing"
)

func order() string {
	var (
		mu sync.Mutex
		wg sync.WaitGroup
		order string
	)
	for _, name := range []string{"a", "b", "c", "d"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 2 {
				mu.Lock()
				order += name
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return order
}

func TestEnds(t *testing.T) {
	switch order() {
	case "aabbccdd":
		panic("first")
	case "abcdabcd":
		t.Error("between")
	case "dcbdabca", "ddccbbaa":
		panic("last")
	}
}

func TestDies(t *testing.T) {
	exit := syscall.Exit
	if o := order(); o == "dccbbaad" || o == "aabbccdd" && o == "" {
		exit(7) // no guard
	}
}
`

func loadMany(t *testing.T, entry string) *Binary {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/many\n\ngo 1.25\n", "many.go": "package many\n", "many_test.go": manyTest} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return loadReal(t.Context(), t, dir, ".", entry, false).binary
}

// ofProcesses leaves of a result what does not depend on who has done it.
func ofProcesses(x *Exhaustive) Exhaustive {
	out := *x
	out.Rest, out.Reached = nil, nil
	return out
}

// An exploration by several processes has the result of one by one process, whether guesses
// are killed or not, and where it is bounded it leaves the same to do.
func TestExhaustParallel(t *testing.T) {
	b := loadMany(t, "TestEnds")
	one, err := b.Exhaust(t.Context(), ExhaustOptions{})
	require.NoError(t, err)
	require.True(t, one.Complete)
	require.Equal(t, 2520, one.Runs)
	require.Len(t, one.Ends, 4)
	for _, kill := range []int{0, 1, maxFailed + 1} {
		tasks, guesses, killed := 0, 0, 0
		x, err := b.Exhaust(t.Context(), ExhaustOptions{Parallel: 3, started: func(r *running) {
			if tasks++; r.Guess {
				if guesses++; guesses <= kill {
					killed++
					r.kill()
				}
			}
		}})
		require.NoError(t, err)
		require.Equal(t, ofProcesses(one), ofProcesses(x))
		require.Greater(t, guesses, 0)
		require.Equal(t, kill > 0, killed > 0)
		t.Logf("%d tasks, %d guesses, %d killed", tasks, guesses, killed)
	}

	bound := ExhaustOptions{MaxRuns: 1500}
	first, err := b.Exhaust(t.Context(), bound)
	require.NoError(t, err)
	bound.Parallel = 2
	same, err := b.Exhaust(t.Context(), bound)
	require.NoError(t, err)
	require.Equal(t, ofProcesses(first), ofProcesses(same))
	require.JSONEq(t, string(first.Rest), string(same.Rest))
	second, err := b.Exhaust(t.Context(), ExhaustOptions{Parallel: 2, Frontier: same.Rest})
	require.NoError(t, err)
	second.Join(same)
	require.Equal(t, one.Runs, second.Runs)
	require.Equal(t, one.Cut, second.Cut)
	require.Equal(t, one.Ends, second.Ends)
	require.True(t, second.Complete)

	few, err := b.Exhaust(t.Context(), ExhaustOptions{Parallel: 2, MaxRuns: 500, started: func(*running) {
		t.Error("a program with few runs needs one process")
	}})
	require.NoError(t, err)
	require.Equal(t, 500, few.Runs)
}

// A process that ends in a run ends the exploration there, as one by one process, whoever has
// come to that run before.
func TestExhaustParallelDies(t *testing.T) {
	b := loadMany(t, "TestDies")
	one, err := b.Exhaust(t.Context(), ExhaustOptions{})
	require.NoError(t, err)
	require.Contains(t, one.Stopped, "ended its process")
	require.Greater(t, one.Runs, aloneRuns)
	var all []*running
	x, err := b.Exhaust(t.Context(), ExhaustOptions{Parallel: 4, started: func(r *running) { all = append(all, r) }})
	require.NoError(t, err)
	for _, r := range all {
		require.NotNil(t, r.by, "a process is left")
	}
	require.Equal(t, one.Stopped, x.Stopped)
	require.Equal(t, one.Runs, x.Runs)
	require.Equal(t, one.Ends, x.Ends)
	require.False(t, x.Complete)
	require.NotEmpty(t, x.Rest)
}

// An exploration that is cancelled has what was known by then, and can be gone on with; none
// of its processes is left.
func TestExhaustParallelCancelled(t *testing.T) {
	b := loadMany(t, "TestEnds")
	one, err := b.Exhaust(t.Context(), ExhaustOptions{})
	require.NoError(t, err)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(t.Context())
	var all []*running
	x, err := b.Exhaust(ctx, ExhaustOptions{Parallel: 3, started: func(r *running) {
		if all = append(all, r); len(all) == 4 {
			cancel()
		}
	}})
	for _, r := range all {
		require.NotNil(t, r.by, "a process is left")
	}
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, x.Complete)
	require.GreaterOrEqual(t, x.Runs, aloneRuns)
	require.Equal(t, context.Canceled.Error(), x.Stopped)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
	rest, err := b.Exhaust(t.Context(), ExhaustOptions{Parallel: 2, Frontier: x.Rest})
	require.NoError(t, err)
	require.True(t, rest.Complete)
	rest.Join(x)
	// A run may be done again that was not in the frontier yet when its process was killed.
	require.GreaterOrEqual(t, rest.Runs, one.Runs)
	var kinds []string
	for _, e := range rest.Ends {
		kinds = append(kinds, e.Kind)
	}
	require.ElementsMatch(t, []string{"", artifact.KindPanic, artifact.KindPanic, artifact.KindTestFailure}, kinds)
}
