package families_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/internal/families"
)

func TestFamilies(t *testing.T) {
	want := map[string]check.Verdict{
		"philosophers":                  check.False,
		"philosophers without deadlock": check.True,
		"buffer of 6 cells":             check.True,
		"peterson":                      check.True,
		"spawned goroutines":            check.True,
		"scheduler, with hash":          check.True,
	}
	require.Len(t, families.All(), len(want))
	for _, f := range families.All() {
		net, err := f.Build(f.Small)
		require.NoError(t, err, f.Name)
		r, err := check.Verify(context.Background(), net, net.Queries, check.Options{})
		require.NoError(t, err, f.Name)
		require.Equal(t, want[f.Name].String(), r.Results[0].Verdict.String(), "%s: %s", f.Name, r.Results[0].Reason)
		t.Logf("%s %d: %d states, %d transitions", f.Name, f.Small, r.Stats.States, r.Stats.Transitions)
	}
}

func TestSpawnCount(t *testing.T) {
	net, err := families.Spawn(4)
	require.NoError(t, err)
	r, err := check.Verify(context.Background(), net, nil, check.Options{}) // every state
	require.NoError(t, err)
	require.Equal(t, 6*625-1, r.Stats.States)
}

// The hash makes the states double with every send.
func TestSchedulerDoubles(t *testing.T) {
	count := func(n int) int {
		net, err := families.Scheduler(n)
		require.NoError(t, err)
		r, err := check.Verify(context.Background(), net, nil, check.Options{})
		require.NoError(t, err)
		return r.Stats.States
	}
	require.Greater(t, float64(count(7))/float64(count(6)), 1.9)
}

// benchmark searches the whole graph of a family without reductions and
// queries.
func benchmark(b *testing.B, name string, size int) {
	for _, f := range families.All() {
		if f.Name != name {
			continue
		}
		net, err := f.Build(size)
		require.NoError(b, err)
		for b.Loop() {
			r, err := check.Verify(context.Background(), net, nil, check.Options{})
			require.NoError(b, err)
			b.ReportMetric(float64(r.Stats.States), "states")
			b.ReportMetric(float64(r.Stats.Bytes)/float64(r.Stats.States), "B/state")
		}
	}
}

func BenchmarkPhilosophers(b *testing.B) { benchmark(b, "philosophers", 12) }
func BenchmarkBuffer(b *testing.B)       { benchmark(b, "buffer of 6 cells", 2) }
func BenchmarkPeterson(b *testing.B)     { benchmark(b, "peterson", 4) }
func BenchmarkSpawn(b *testing.B)        { benchmark(b, "spawned goroutines", 7) }
func BenchmarkScheduler(b *testing.B)    { benchmark(b, "scheduler, with hash", 10) }
