package pass

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var continuations = flag.String("continuations", "t6_stopped,w_upgrade", "programs of TestContinuations begin so")

// TestContinuations cuts runs of programs in two wherever the model can, at any of the states
// in which it may be: the rest of the way to the end of the run, read as a trace that goes on
// from there, is a plan that the program follows, to the same end. That tests the states,
// who their processes are, and who is in a queue there.
func TestContinuations(t *testing.T) {
	t.Parallel()
	total := make(chan [2]int, 1000)
	t.Run("programs", func(t *testing.T) {
		for _, file := range verdictPrograms(t) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			wanted := false
			for prefix := range strings.SplitSeq(*continuations, ",") {
				wanted = wanted || strings.HasPrefix(name, prefix)
			}
			if !wanted || testing.Short() {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				n, refused := continueRuns(t, file)
				t.Logf("%d continuations, %d without a plan", n, refused)
				total <- [2]int{n, refused}
			})
		}
	})
	close(total)
	sum, refused := 0, 0
	for n := range total {
		sum, refused = sum+n[0], refused+n[1]
	}
	t.Logf("%d continuations, %d without a plan", sum, refused)
	if !testing.Short() {
		require.Less(t, refused, sum)
	}
}

// waysOf are the ways to where a run may be, and may have been.
func waysOf(h *orchestrate.History) (out [][]check.Step) {
	for _, b := range slices.AppendSeq(h.Ends(), h.Before()) {
		out = append(out, b.Path)
	}
	return out
}

// continueRuns is how many continuations of runs of a program were tried, and of how many
// there is no plan.
func continueRuns(t *testing.T, file string) (n, refused int) {
	ctx := context.Background()
	spec, _ := unpack(t, file)
	opts := Options{Search: Search{MaxStates: 20_000}}
	first, err := First(ctx, spec, opts)
	require.NoError(t, err)
	if first.Sidecar().Outside() != nil {
		return 0, 0
	}
	second, err := Second(ctx, first, Options{Search: opts.Search, Root: spec.Dir})
	require.NoError(t, err)
	opts, err = Options{Root: spec.Dir}.inherit(second)
	require.NoError(t, err)
	p, err := reload(ctx, second, opts)
	require.NoError(t, err)
	side := second.Sidecar()
	d := &deep{opts: opts, program: p, side: side, target: p.target(side, opts)}
	remove, err := d.build(ctx, second)
	require.NoError(t, err)
	defer func() { require.NoError(t, remove()) }()
	net, err := uppaal.ReadXML(bytes.NewReader(second.Model()))
	require.NoError(t, err)
	f, err := orchestrate.NewFollower(ctx, side, net)
	require.NoError(t, err)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	always, err := uppaal.ParseQuery("E<> true")
	require.NoError(t, err)
	q := artifact.Query{Number: 1, Kind: artifact.KindTestFailure} // expects nobody anywhere
	sites := orchestrate.SitesByKey(side)
	// trail follows a run, and gives the trace of the first way.
	trail := func(v *orchestrate.Verdict) (*orchestrate.History, *artifact.Trace) {
		h, err := f.Trail(ctx, v)
		require.NoError(t, err)
		if h == nil {
			return nil, nil
		}
		for range 5 { // the ways are the same each time, though several lead to a state
			again, err := f.Trail(ctx, v)
			require.NoError(t, err)
			require.Equal(t, waysOf(h), waysOf(again))
		}
		end := h.Ends()[0]
		report, err := check.Verify(ctx, net, []*uppaal.Query{always}, check.Options{From: [][]check.Step{end.Path}})
		require.NoError(t, err)
		require.Equal(t, check.True, report.Results[0].Verdict, report.Results[0].Reason)
		require.Len(t, report.Results[0].Trace.Steps, len(end.Path))
		return h, orchestrate.TraceOf(info, q, report.Results[0])
	}
	for seed := range uint64(3) {
		r, err := d.binary.Record(ctx, &seed, d.limits(0))
		require.NoError(t, err)
		h, tr := trail(r.Verdict)
		if h == nil || r.Verdict.Weak {
			continue
		}
		// As a plan goes: without the guards that are none of the model.
		whole, err := orchestrate.PlanFrom(h.Ends(), tr, q)
		require.NoError(t, err)
		if whole == nil {
			continue
		}
		whole.Plan.Seed = r.Plan.Seed
		run, err := d.binary.Run(ctx, whole.Plan, d.limits(0))
		require.NoError(t, err)
		if h, tr = trail(run); h == nil || run.Status == orchestrate.Infeasible {
			continue // what the model takes for private makes a difference
		}
		// Left in the midst, it may be where its goroutines are, and nowhere else.
		cut := whole.Plan
		cut.Steps = append(slices.Clone(cut.Steps[:len(cut.Steps)/2]), artifact.PlanStep{G: "0", Site: "nowhere", Occ: 1})
		left, err := d.binary.Run(ctx, cut, d.limits(0))
		require.NoError(t, err)
		require.Equal(t, orchestrate.Infeasible, left.Status, left.Reason)
		if at, err := f.Trail(ctx, left); at != nil {
			for _, end := range at.Ends() {
				report, err := check.Verify(ctx, net, []*uppaal.Query{always}, check.Options{From: [][]check.Step{end.Path}})
				require.NoError(t, err)
				stand := map[string]bool{}
				for _, p := range orchestrate.TraceOf(info, q, report.Results[0]).Final {
					site, _ := side.Site(side.Templates[p.Template].Locations[p.Location].Site)
					stand[site.Key] = true
				}
				for _, g := range left.Goroutines {
					if s, ok := sites[g.Site]; ok && g.State == "at" && (s.Kind != "atomic" && s.Kind != "statement" || slices.Contains(side.Accesses, s.ID)) { // else the model has no guard there
						require.True(t, stand[g.Site], "%v: %v", g, stand)
					}
				}
			}
		} else {
			require.NoError(t, err)
		}
		for _, b := range append(slices.Collect(h.Before()), h.Ends()...) {
			c, err := orchestrate.PlanFrom([]orchestrate.Beginning{b}, tr, q)
			if err != nil {
				continue // it is on another way
			}
			if c == nil {
				refused++
				continue
			}
			again := c.Plan
			again.Seed = run.Seed
			v, err := d.binary.Run(ctx, again, d.limits(0))
			require.NoError(t, err)
			require.NotEqual(t, orchestrate.Infeasible, v.Status, "seed %d, %d of %d steps: %s\n%v\n%v", seed, b.Done, len(run.Trace), v.Reason, again.Steps, run.Trace)
			require.Equal(t, run.Kind, v.Kind, "seed %d, %d of %d steps: %s", seed, b.Done, len(run.Trace), v.Reason)
			n++
		}
	}
	return n, refused
}
