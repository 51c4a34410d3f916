package pass

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// searchedPrograms are the programs of the translator's table that are too large for
// the default bounds, by name.
func searchedPrograms(t *testing.T) map[string]source.Spec {
	t.Helper()
	out := map[string]source.Spec{}
	tablePrograms(t, func(name string, spec source.Spec) {
		text, err := os.ReadFile(filepath.Join(spec.Dir, "main.go"))
		if err == nil && strings.Contains(string(text), `// searched "bounds"`) {
			out[name] = spec
		}
	})
	return out
}

// wanted are the errors that the comments of a program name, violated those that a
// bundle has, as "file:line kind".
func wanted(t *testing.T, spec source.Spec) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(spec.Dir, "main.go"))
	require.NoError(t, err)
	out := []string{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := wantKinds.FindStringSubmatch(line); m != nil {
			out = append(out, fmt.Sprintf("main.go:%d %s", i+1, strings.Trim(strings.TrimSpace(m[1]), `"`)))
		}
	}
	return out
}

func violated(b *artifact.Bundle) []string {
	out := []string{}
	for i, v := range b.Verdicts() {
		if q := b.Queries()[i]; v.Result != check.True.String() && q.Kind != artifact.KindImprecise {
			out = append(out, fmt.Sprintf("%s:%d %s", filepath.Base(q.File), q.Line, q.Kind))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestRaisedBounds checks that programs that are too large for the default bounds
// have models that are exact as far as these bounds go: their searches raise the
// bounds of the sites that need it, and of no others.
func TestRaisedBounds(t *testing.T) {
	programs.InLong(t)
	all := searchedPrograms(t)
	for _, c := range []struct {
		name   string
		raised []string // those with more than the least bounds
	}{
		{"boundobjects", []string{"boundobjects/main.go:93:15 8 objects"}},
		{"boundentries", []string{"boundentries/main.go:89:22 4 entries"}},
		{"semaphoreweighted", []string{"semaphore/semaphore.go:75:15 2 objects", "semaphore/semaphore.go:77:28 2 objects"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			spec, ok := all[c.name]
			require.True(t, ok)
			rounds := 0
			first, s, err := first(ctx, load, spec, Options{Progress: func(e Event) {
				if _, ok := e.(BoundsRaised); ok {
					rounds++
				}
			}})
			require.NoError(t, err)
			require.Positive(t, rounds)
			require.Equal(t, wanted(t, spec), violated(first))
			bounds := first.Sidecar().Bounds
			raised := []string{}
			for _, p := range bounds.Sites {
				require.Empty(t, p.Why)
				if p.N > bounds.Of(p.Kind) {
					dir, file := filepath.Split(p.File)
					raised = append(raised, fmt.Sprintf("%s/%s:%d:%d %d %s", filepath.Base(dir), file, p.Line, p.Col, p.N, p.Kind))
				}
			}
			require.Equal(t, c.raised, raised)
			for _, a := range first.Sidecar().Approximations {
				require.True(t, a.Kind != approximation.Bound || a.Unreached, "%+v", a)
			}
			require.Empty(t, Conclude(first).Limits)

			// The bounds make the same model again, for the second pass too.
			again, err := s.program.translate(ctx, Options{Model: &Model{}}, false, bounds)
			require.NoError(t, err)
			unreached(&again.Sidecar, first.Verdicts())
			out := artifact.New(first.Manifest())
			require.NoError(t, put(out, again))
			made, err := out.Bundle()
			require.NoError(t, err)
			for _, path := range []string{artifact.ModelPath, artifact.QueriesPath, artifact.SidecarPath} {
				want, _ := first.Read(path)
				got, _ := made.Read(path)
				require.Equal(t, string(want), string(got), path)
			}
			fresh, err := Second(ctx, first, Options{})
			require.NoError(t, err)
			held, err := second(ctx, first, s, Options{})
			require.NoError(t, err)
			require.Equal(t, fresh.Digest(), held.Digest())
		})
	}
}

// TestRaisedIdentical checks that bounds are raised in the same way on one and on two
// processors.
func TestRaisedIdentical(t *testing.T) {
	programs.InLong(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	spec := searchedPrograms(t)["boundentries"]
	want := digests(t, spec)
	runtime.GOMAXPROCS(2)
	require.Equal(t, want, digests(t, spec))
}

// TestKeptBounds checks that a bound that cannot be raised is kept, and said of its
// place, with the reason.
func TestKeptBounds(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	b, err := First(context.Background(), source.Spec{Dir: "../../internal/translate/testdata/large", Entry: "main"}, Options{})
	require.NoError(t, err)
	kept := []string{}
	for _, p := range b.Sidecar().Bounds.Sites {
		if p.Why == "" {
			continue
		}
		require.NotEqual(t, check.True.String(), b.Verdicts()[p.Query-1].Result)
		kept = append(kept, fmt.Sprintf("%d:%d %d %s: %s", p.Line, p.Col, p.N, p.Kind, p.Why))
	}
	require.Equal(t, []string{"24:20 2 entries: with 4 the search would be too large", "59:20 1 entries: with 2 the model would be too large"}, kept)
	require.Contains(t, Conclude(b).Limits, "internal/translate/testdata/large/main.go:59:20: a bound of the model is reached: "+
		"the model ends where a map made here has more than 1 entries: with 2 the model would be too large")
}

// TestAskedBounds checks that bounds that are asked for are neither lowered nor
// raised, and that what fits is not searched for them.
func TestAskedBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	spec := source.Spec{Dir: "../../internal/translate/testdata/verdicts/boundobjects", Entry: "main"}
	b, err := First(context.Background(), spec, Options{Model: &Model{Bounds: translate.Bounds{Objects: 2, Entries: 1}}})
	require.NoError(t, err)
	require.Nil(t, b.Sidecar().Bounds)
	require.Equal(t, []string{"main.go:93 bound exceeded"}, violated(b))

	b, err = First(context.Background(), spec, Options{Model: &Model{Bounds: translate.Bounds{Objects: 6}}})
	require.NoError(t, err)
	require.Equal(t, 6, b.Sidecar().Bounds.Objects)
	for _, p := range b.Sidecar().Bounds.Sites {
		require.NotEqual(t, approximation.BoundObjects, p.Kind)
	}
	require.Equal(t, wanted(t, spec), violated(b))
}

// A statement that is said to be reachable is not called unreached where the model ends before the program does.
func TestNeverReachedBehindBound(t *testing.T) {
	queries := []artifact.Query{{Number: 1, Kind: artifact.KindNeverReached}, {Number: 2, Kind: artifact.KindBound}}
	for end, want := range map[check.Verdict]check.Verdict{check.True: check.False, check.False: check.Maybe, check.Maybe: check.Maybe} {
		a := &answered{report: &check.Report{Results: []check.Result{{Verdict: check.False}, {Verdict: end}}}}
		found, err := a.results(queries, reporter{})
		require.NoError(t, err)
		require.Equal(t, want.String(), found.verdicts[0].Result, "the end of the model: %s", end)
		require.Equal(t, want == check.Maybe, found.verdicts[0].Reason != "")
	}
}
