package pass

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/module"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

var (
	followModules = flag.String("modules", "", `modules, "path@version", whose concurrent tests TestCompleteModules follows, separated by commas; "default" for a selection`)
	followOnly    = flag.String("only", "", "of these, tests with names that match this regular expression")
	followTime    = flag.Duration("testtime", time.Minute, "bound for each of these tests")
)

// TestCompleteModules follows recorded runs of the concurrent tests of public
// modules in their models. It needs the network and minutes:
//
//	go test ./internal/pass -run TestCompleteModules -timeout 90m -modules default -follow 50 -v
func TestCompleteModules(t *testing.T) {
	if *followModules == "" {
		t.Skip("needs -modules")
	}
	list := strings.Split(*followModules, ",")
	if *followModules == "default" {
		list = module.Selection()
	}
	only, err := regexp.Compile(*followOnly)
	require.NoError(t, err)
	for _, m := range list {
		t.Run(m, func(t *testing.T) { followsModule(t, m, only) })
	}
}

func followsModule(t *testing.T, name string, only *regexp.Regexp) {
	dir, err := module.Fetch(t.Context(), name, t.TempDir())
	require.NoError(t, err)
	set, err := module.Load(t.Context(), dir)
	require.NoError(t, err)
	all := map[string]int{}
	for _, e := range concurrentTests(set, only) {
		t.Run(e.Func, func(t *testing.T) {
			for class, n := range followsTest(t, source.Spec{Dir: filepath.Dir(e.Pos.Filename), Entry: e.Func}) {
				all[class] += n
			}
		})
	}
	t.Logf("%s: tests by what became of them, runs by what became of them: %v", name, all)
}

// followsTest counts what became of a test, and of its runs.
func followsTest(t *testing.T, spec source.Spec) map[string]int {
	ctx, cancel := context.WithTimeout(t.Context(), *followTime)
	defer cancel()
	stage := ""
	opts := Options{Progress: func(e Event) {
		if s, ok := e.(StageStarted); ok {
			stage = s.Stage
		}
	}}
	c, err := Complete(ctx, spec, CompleteOptions{Runs: max(*followRuns, 1), Seed: 1, MaxSteps: *followSteps}, opts)
	var refused *translate.UnsupportedError
	switch {
	case errors.As(err, &refused):
		return map[string]int{"refused": 1}
	case errors.Is(err, context.DeadlineExceeded):
		t.Logf("not done in %v, but in the stage %s", *followTime, stage)
		return map[string]int{"out of time: " + stage: 1}
	case err != nil:
		t.Errorf("%s: %v", stage, err)
		return map[string]int{"failed": 1}
	}
	counts := map[string]int{"compared": 1}
	for status, n := range c.Counts {
		counts["runs "+status] += n
	}
	t.Log(c.Counts)
	for _, d := range c.Departures {
		text := fmt.Sprintf("seed %d: %s: %s\n  it stands at %v\n  instead: %s\n  end: %s %s", d.Seed, d.Status, d.Reason,
			d.Standing, strings.Join(d.Instead, "; "), d.Recording.Verdict.Status, d.Recording.Verdict.Reason)
		if d.Status == orchestrate.Rejected {
			t.Error(text)
		} else {
			t.Log(text)
		}
	}
	return counts
}
