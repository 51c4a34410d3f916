package orchestrate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
)

// Whatever a process leaves that searches by runs, or that runs for a profile, no more is made of it than it says.
func FuzzGuided(f *testing.F) {
	end := asJSON(f, foundEnd{Expect: sampleResult().Observed(), Result: orcruntime.PackedResult{Result: sampleResult()}})
	lines := slices.Concat(end, []byte("\n"), []byte(`{"Done":true,"Left":"x"}`+"\n"))
	in := Input{Seed: 1, Prefix: sampleResult().Trace, Choices: sampleResult().Choices, Chain: sampleResult().Trace, Cases: sampleResult().Trace}
	out := orcruntime.Fuzzed{Runs: 2, Features: 3, Corpus: []Input{in}}
	f.Add(slices.Concat(record(0, 1), record(0, 2)), lines, append(asJSON(f, in), '\n'), asJSON(f, out), asJSON(f, orcruntime.Profile{Choices: 3}))
	f.Add(record(7, 1), end, []byte("{}\n{}\n{"), []byte(`{"Steps":-9,"Chains":-1}`), []byte(`{"Choices":-1,"Shared":[[]]}`))
	f.Add([]byte(nil), []byte(`{"Done":true,"Tainted":true}`), []byte("null"), []byte("{"), []byte("[]"))
	dir := f.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	j := &fuzzJob{Records: file("records"), Ends: file("ends"), Kept: file("kept"), Result: file("result")}
	f.Fuzz(func(t *testing.T, records, ends, kept, result, profile []byte) {
		for path, data := range map[string][]byte{j.Records: records, j.Ends: ends, j.Kept: kept, j.Result: result, file("profile"): profile} {
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}
		x := &fuzzer{explorer: explorer{ends: map[string]*End{}, schedules: map[uint64]bool{}}}
		if err := x.take(j, nil, false); err == nil {
			counted := 0
			for _, end := range x.sorted() {
				counted += end.Count
			}
			require.LessOrEqual(t, counted, x.out.Runs)
			require.GreaterOrEqual(t, x.steps, 0)
			require.GreaterOrEqual(t, x.fuzzed.Chains, 0)
		}
		require.LessOrEqual(t, len(x.corpus), maxInputs)
		e := &explorer{}
		if err := e.readProfile(file("profile")); err == nil && e.profile != nil {
			require.NotNil(t, asJSON(t, e.profile))
		}
	})
}

// A search of real programs finds how they can end, and goes on from what it has kept.
func TestFuzzReal(t *testing.T) {
	ctx := t.Context()
	r := loadReal(ctx, t, realModule(t), ".", "main", false)
	x, err := r.binary.Fuzz(ctx, FuzzOptions{Runs: 300, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, 300, x.Runs)
	require.Equal(t, 1, x.Processes)
	require.Positive(t, x.Features)
	require.NotEmpty(t, x.Corpus)
	var kinds []string
	n := 0
	for _, e := range x.Ends {
		n += e.Count
		kinds = append(kinds, e.Kind)
		if e.Kind != "" {
			require.Equal(t, Reproduced, e.Replay.Status, e.Replay.Reason)
			require.NotNil(t, e.Minimised)
		}
	}
	require.Equal(t, 300, n)
	require.ElementsMatch(t, []string{"", artifact.KindCloseOfClosed, artifact.KindCloseOfClosed}, kinds)
	again, err := r.binary.Fuzz(ctx, FuzzOptions{Runs: 300, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, x, again)
	resumed, err := r.binary.Fuzz(ctx, FuzzOptions{Runs: len(x.Corpus), Seed: 2, Corpus: x.Corpus, NoReplay: true})
	require.NoError(t, err)
	require.Equal(t, x.Features, resumed.Features)

	first, err := r.binary.Fuzz(ctx, FuzzOptions{Seed: 1, First: true, NoReplay: true})
	require.NoError(t, err)
	require.Less(t, first.Runs, 300)
	stop := make(chan struct{})
	close(stop)
	stopped, err := r.binary.Fuzz(ctx, FuzzOptions{Seed: 1, Stop: stop, NoReplay: true})
	require.NoError(t, err)
	require.LessOrEqual(t, stopped.Processes, 1)
}

// Runs that end or hang the process, or leave something behind, end neither the search nor what it knows.
func TestFuzzRough(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	dir := roughModule(t)
	for entry, reason := range map[string]string{"TestOsExit": "the process ended in a run", "TestDeferSpins": "does not come to another guard"} {
		r := loadReal(ctx, t, dir, "./left", entry, false)
		x, err := r.binary.Fuzz(ctx, FuzzOptions{Runs: 20, Seed: 1, NoReplay: true, RunOptions: RunOptions{Timeout: 500 * time.Millisecond}})
		require.NoError(t, err)
		require.Equal(t, 20, x.Runs, entry)
		require.NotEmpty(t, x.Restarts, entry)
		require.Contains(t, x.Restarts[0].Reason, reason)
		n := 0
		for _, e := range x.Ends {
			n += e.Count
		}
		require.Equal(t, 20, n)
	}
	r := loadReal(ctx, t, dir, ".", "TestState", false)
	x, err := r.binary.Fuzz(ctx, FuzzOptions{Runs: 20, Seed: 1, NoReplay: true})
	require.NoError(t, err)
	require.Contains(t, x.Stopped, "state outlives runs")
}
