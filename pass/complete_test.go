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
	"github.com/vtrace/vtrace/source"
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
