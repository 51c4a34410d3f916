package pass

import (
	"context"
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/source"
)

var contradictionRuns = flag.Int("contradictions", 0, "runs of each program of the table in TestNoContradictions; 0 is a few programs with few runs")

// TestNoContradictions: what a check claims of a program of the table no run of it
// contradicts, be it one of those that the check has not done. No error is none, a
// query that is satisfied has no such error, and what is false does not happen.
func TestNoContradictions(t *testing.T) {
	n := 0
	tablePrograms(t, func(name string, spec source.Spec) {
		runs := *contradictionRuns
		if n++; runs == 0 && n%80 == 11 && !testing.Short() {
			runs = 2000
		}
		if runs == 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			b, err := Check(ctx, spec, Options{Search: Search{MaxStates: 200_000}})
			require.NoError(t, err)
			c := Conclude(b)
			claimed := map[[2]string]string{} // kind and key of the site, what is said
			key := func(q artifact.Query) [2]string {
				s, _ := b.Sidecar().Site(q.Site)
				return [2]string{q.Kind, s.Key}
			}
			queries := map[int]artifact.Query{}
			for _, q := range b.Queries() {
				queries[q.Number] = q
			}
			satisfied := map[[2]string]bool{}
			for _, v := range b.Verdicts() {
				q := queries[v.Query]
				if v.Result == check.True.String() && q.Site != 0 {
					if k := key(q); satisfied[k] || claimed[k] == "" {
						satisfied[k], claimed[k] = true, "satisfied"
					}
				}
			}
			for _, v := range b.Verdicts() { // of another process
				if q := queries[v.Query]; v.Result != check.True.String() {
					delete(claimed, key(q))
				}
			}
			for _, f := range b.Findings() {
				if f.Verdict == artifact.False {
					claimed[key(queries[f.Query])] = "false"
				}
			}
			x, err := Explore(ctx, spec, runs, 1<<20, Options{})
			require.NoError(t, err)
			for _, e := range x.Ends {
				if e.Status != orchestrate.Completed || e.Kind == "" || e.Replay == nil || e.Replay.Status != orchestrate.Reproduced {
					continue
				}
				if stalls := len(e.Replay.Stalls) > 0; stalls && e.Kind == artifact.KindTestFailure || e.Kind == artifact.KindLeak && (spec.Entry == "main" || e.Replay.Restless) {
					continue
				}
				if len(c.Limits) == 0 {
					require.NotZero(t, c.Real+c.Unconfirmed+c.TimingDependent+c.Notes, "no error, but run %d shows: %s %s", e.Seed, e.Kind, e.Message)
				}
				at := []string{e.Site}
				if stuck(e.Kind) {
					at = nil
					for _, g := range e.Plan.Expect.Goroutines {
						if e.Kind == artifact.KindLeak || g.G == entryGoroutine {
							at = append(at, g.Site)
						}
					}
				}
				for _, site := range at {
					if said := claimed[[2]string{e.Kind, site}]; said != "" && len(c.Limits) == 0 {
						t.Errorf("%s at %s is %s, but run %d shows it", e.Kind, site, said, e.Seed)
					}
				}
			}
		})
	})
}
