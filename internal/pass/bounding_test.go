package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
)

// Races become guards round by round also where preemptions are bounded.
func TestBoundingRaces(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	spec := programs.Main(t, racingFlags)
	whole, err := Exhaust(t.Context(), spec, Exhaustion{}, Options{})
	require.NoError(t, err)
	x, err := Exhaust(t.Context(), spec, Exhaustion{Bounding: &orchestrate.Bounding{Last: orchestrate.AllPreemptions}}, Options{})
	require.NoError(t, err)
	require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
	require.Equal(t, whole.Guarded, x.Guarded)
	require.Equal(t, programs.Errors(t, whole.Ends, whole.Covered.Limits), programs.Errors(t, x.Ends, x.Covered.Limits))
	// Without a preemption it sees races, though not those behind a branch.
	x, err = Exhaust(t.Context(), spec, Exhaustion{Bounding: &orchestrate.Bounding{}}, Options{})
	require.NoError(t, err)
	require.False(t, x.Covered.Complete)
	require.NotEmpty(t, x.Guarded)
	done, ok := x.Covered.AllWithin()
	require.True(t, ok)
	require.Zero(t, done.AtMost)
}

// manySchedules has too many for the exhaustive search of a check.
const manySchedules = `package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var wg sync.WaitGroup
	var words [4]atomic.Int32
	for i := range words {
		wg.Go(func() {
			for k := range 12 {
				words[i].Store(words[(i+k)%len(words)].Load() + 1)
			}
		})
	}
	wg.Wait()
}
`

// A check of a program with too many schedules says within how many preemptions it has
// run all of them, and proves nothing by that.
func TestBoundingCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	b, err := Check(t.Context(), programs.Main(t, manySchedules), Options{Search: Search{MaxStates: 5}, timing: &engineTiming{steps: 150_000}})
	require.NoError(t, err)
	r := b.Runs()
	require.False(t, r.Exhaustive.Complete)
	require.NotNil(t, r.Preemptions)
	require.Zero(t, r.Preemptions.Errors)
	done, ok := r.Preemptions.AllWithin()
	require.True(t, ok)
	require.Positive(t, done.Schedules)
	require.False(t, Conclude(b).Proved)
	require.Contains(t, r.Preemptions.Coverage(), "were run, but for equivalent ones: ")
}
