package pass

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/parse"
	"github.com/vtrace/vtrace/source"
	"github.com/vtrace/vtrace/uppaal"
)

var (
	followRuns = flag.Int("follow", 0, "recorded runs of each program for TestComplete, 0 for a few runs of a few programs")
)

// TestComplete follows recorded runs of the examples and of the translator's
// programs in their models.
func TestComplete(t *testing.T) {
	for _, pattern := range []string{"../examples/*", "../translate/testdata/verdicts/*"} {
		dirs, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for i, dir := range dirs {
			files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
			if len(files) == 0 || strings.HasSuffix(dir, "/gen") {
				continue
			}
			entry := "main"
			if tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go")); len(tests) == len(files) {
				entry = "TestProgram"
			}
			runs := *followRuns
			if runs == 0 && i%10 == 0 {
				runs = 5
			}
			if runs == 0 {
				continue
			}
			t.Run(filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				follows(t, source.Spec{Dir: dir, Entry: entry}, runs)
			})
		}
	}
}

// follows requires that no run of a program is rejected.
func follows(t *testing.T, spec source.Spec, runs int) {
	t.Helper()
	c, err := Complete(context.Background(), spec, runs, 1, Options{})
	require.NoError(t, err)
	t.Log(c.Counts)
	for _, d := range c.Departures {
		var b strings.Builder
		fmt.Fprintf(&b, "seed %d: %s: %s\n", d.Seed, d.Status, d.Reason)
		fmt.Fprintf(&b, "  it stands at %v\n", d.Standing)
		for _, s := range d.Instead {
			fmt.Fprintf(&b, "  instead: %s\n", s)
		}
		for i, s := range d.Recording.Plan.Steps {
			fmt.Fprintf(&b, "  %3d %s %s #%d case %d\n", i+1, s.G, s.Site, s.Occ, s.Case)
		}
		v := d.Recording.Verdict
		fmt.Fprintf(&b, "  end: %s %s %s %s\n", v.Status, v.Kind, v.Message, v.Reason)
		for _, g := range v.Goroutines {
			fmt.Fprintf(&b, "  %s %s %s %s %s\n", g.G, g.State, g.Op, g.Site, g.Source)
		}
		if d.Status == orchestrate.Rejected {
			t.Error(b.String())
		} else {
			t.Log(b.String())
		}
	}
}

// A model that lacks an edge which the program takes is found out.
func TestCompleteRejects(t *testing.T) {
	for name, least := range map[string]int{"condsignalone": 15, "selectdefault": 9} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			p, err := load(ctx, source.Spec{Dir: "../translate/testdata/verdicts/" + name, Entry: "main"})
			require.NoError(t, err)
			opts, err := Options{Model: &Model{}}.withDefaults()
			require.NoError(t, err)
			model, err := p.translate(ctx, opts, true)
			require.NoError(t, err)
			b, _, err := p.instrument(ctx, &model.Sidecar, parse.Options{Accesses: model.Sidecar.Accesses}, nil, reporter{})
			require.NoError(t, err)
			defer func() { require.NoError(t, b.Close()) }()
			var runs []*orchestrate.Recording
			_, err = b.Explore(ctx, orchestrate.ExploreOptions{Runs: 50, NoReplay: true, Recorded: func(_ uint64, r *orchestrate.Recording) error {
				runs = append(runs, r)
				return nil
			}})
			require.NoError(t, err)
			require.Len(t, runs, 50)
			// rejected counts the runs that the model does not follow.
			rejected := func() (n int) {
				f, err := orchestrate.NewFollower(&model.Sidecar, model.Network)
				require.NoError(t, err)
				for _, r := range runs {
					got, err := f.Follow(ctx, r)
					require.NoError(t, err)
					if got.Status == orchestrate.Rejected {
						n++
						require.NotEmpty(t, got.Reason)
						require.Positive(t, got.Step)
					}
				}
				return n
			}
			require.Zero(t, rejected())
			missed := 0
			for _, tm := range model.Network.Templates {
				for _, e := range tm.Edges {
					guard := e.Guard
					e.Guard = &uppaal.BoolLit{}
					if rejected() > 0 {
						missed++
					}
					e.Guard = guard
				}
			}
			require.GreaterOrEqual(t, missed, least)
		})
	}
}
