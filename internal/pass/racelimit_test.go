package pass

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// TestRacesSeen: a check that was not asked for data races reports those that its runs show.
// Its deep pass by itself, which cannot, claims nothing of such a program, whatever the model
// says. Both go on claiming of the corrected one.
func TestRacesSeen(t *testing.T) {
	for _, name := range []string{"n15_names", "n15_title", "r10_deadlinerace", "n12_json_map"} {
		if testing.Short() && name != "n15_names" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := checked(t, name)
			require.Equal(t, outcomeReal, outcomeOf(b))
			require.True(t, slices.ContainsFunc(b.Findings(), func(f artifact.Finding) bool {
				return f.Kind == artifact.KindRace && f.Verdict == artifact.Real && f.Interleaving != nil
			}), describe(b))
			c := Conclude(checked(t, name+"_ok"))
			require.False(t, c.Inconclusive(), c.Limits)
		})
	}
}

// TestRaceLimits: the passes one by one have instrumented the program by the time that a run
// shows a data race: it is a limit of their result.
func TestRaceLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	t.Parallel()
	spec, _ := unpack(t, "testdata/verdicts/n12_histogram.txtar")
	b, err := First(t.Context(), spec, Options{})
	require.NoError(t, err)
	b, err = Second(t.Context(), b, Options{})
	require.NoError(t, err)
	b, err = Deep(t.Context(), b, Options{})
	require.NoError(t, err)
	c := Conclude(b)
	require.True(t, c.Inconclusive())
	require.True(t, slices.ContainsFunc(c.Limits, func(l string) bool { return strings.HasPrefix(l, "a data race, ") }), c.Limits)
}

// TestWordRaces: where the model has both statements as steps, its answer stands for accesses
// that are done at once, and the races are named.
func TestWordRaces(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	t.Parallel()
	spec := source.Spec{Dir: "../../examples/sharedvar_fixed", Entry: "main"}
	b, err := Check(t.Context(), spec, Options{})
	require.NoError(t, err)
	c := Conclude(b)
	require.Zero(t, c.Real)
	require.Empty(t, c.Limits)
	require.Empty(t, b.Runs().Races)
	require.Len(t, b.Runs().WordRaces, 1)

	b, err = Check(t.Context(), spec, Options{Model: &Model{Races: true}})
	require.NoError(t, err)
	require.Positive(t, Conclude(b).Real)
	require.Empty(t, b.Runs().WordRaces)
}

// TestRacesApart: an access that comes behind something else in its statement, which has a
// guard, is in the step of that. The model has not every order of the two statements, so that a
// race of theirs is no harmless one; in the last program the guard is right before the access.
func TestRacesApart(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	const program = `package main

var x, y int

func tell(c chan int) int { c <- 1; return 0 }

func main() {
	c, ended := make(chan int), make(chan int)
	go func() {
		<-c
		x = 1
		close(ended)
	}()
	STATEMENT
	if y == 1 {
		panic("x is 1")
	}
	<-ended
}
`
	for _, statement := range []string{
		"if v := tell(c); x > v {\n\t\ty = 1\n\t}",
		"y = tell(c) + x",
		"y = max(tell(c), x)",
		"switch tell(c) {\n\tcase x - 1:\n\t\ty = 1\n\t}",
		"_, y = tell(c), x",
		"func() { defer func(_, v int) { y = v }(tell(c), x) }()",
		"y = func() int { return tell(c) + x }()",
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			b, err := Check(t.Context(), programs.Write(t, "1.26", "main.go", strings.Replace(program, "STATEMENT", statement, 1), "main"), Options{})
			require.NoError(t, err, statement)
			require.Positive(t, Conclude(b).Real, "%s\n%s", statement, describe(b))
		})
	}
	b, err := Check(t.Context(), programs.Write(t, "1.26", "main.go", strings.Replace(program, "STATEMENT", "_ = tell(c)\n\tif x > 1 {\n\t\ty = 1\n\t}", 1), "main"), Options{})
	require.NoError(t, err)
	require.Zero(t, Conclude(b).Real, describe(b))
	require.Len(t, b.Runs().WordRaces, 1)
}

// TestRacesBehind: a library that encodes a value reads what is behind it, at any depth. Whether
// that races with what is written meanwhile is not seen, so that nothing is claimed; with a lock
// around it, something is.
func TestRacesBehind(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	const program = `package main

import (
	"encoding/json"
	"io"
	"sync"
)

type count struct{ N, M int }

type report struct{ Of any }

func reported(c *count) report { return report{c} }

func main() {
	c, mu := &count{}, new(sync.Mutex)
	_, _ = mu, io.Discard
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); c.N++; mu.Unlock() })
	wg.Go(func() {
		LOCK
		CALL
	})
	wg.Wait()
}
`
	for _, call := range []string{
		"json.Marshal(&report{c})", "json.Marshal(reported(c))", "json.MarshalIndent([]*count{nil, c}, \"\", \" \")",
		"r := map[string]any{\"a\": []report{{c}}}; json.Marshal(r)", "json.NewEncoder(io.Discard).Encode([]any{c})",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(program, "CALL", call, 1)
			b, err := Check(t.Context(), programs.Write(t, "1.26", "main.go", strings.Replace(text, "LOCK", "", 1), "main"), Options{})
			require.NoError(t, err, call)
			require.NotEqual(t, outcomeNone, outcomeOf(b), call)
			b, err = Check(t.Context(), programs.Write(t, "1.26", "main.go", strings.Replace(text, "LOCK", "mu.Lock(); defer mu.Unlock()", 1), "main"), Options{})
			require.NoError(t, err, call)
			require.Equal(t, outcomeNone, outcomeOf(b), "%s\n%s", call, describe(b))
		})
	}
}

// TestCheckRaces: what a second check does not reproduce leaves the result of the first one.
func TestCheckRaces(t *testing.T) {
	bundle := func(build func(b *artifact.Builder)) *artifact.Bundle {
		out := artifact.New(artifact.Manifest{Pass: artifact.PassDeep})
		build(out)
		b, err := out.Bundle()
		require.NoError(t, err)
		return b
	}
	real := bundle(func(b *artifact.Builder) {
		b.SetFindings([]artifact.Finding{{Number: 1, Kind: artifact.KindRace, Verdict: artifact.Real}})
	})
	limited := bundle(func(b *artifact.Builder) { b.SetRuns(&artifact.Runs{Races: []string{"a data race"}}) })
	interrupted := bundle(func(b *artifact.Builder) {
		b.SetRuns(&artifact.Runs{Races: []string{"a data race"}, Cut: "it was interrupted"})
	})
	for _, test := range []struct {
		name   string
		opts   Options
		shows  bool // a run of the first check shows a race
		first  *artifact.Bundle
		second *artifact.Bundle
		checks int
		want   *artifact.Bundle
	}{
		{"none is seen", Options{}, false, limited, real, 1, limited},
		{"it is reproduced", Options{}, true, limited, real, 2, real},
		{"it is not", Options{}, true, limited, bundle(func(*artifact.Builder) {}), 2, limited},
		{"the check was interrupted", Options{}, true, interrupted, real, 1, interrupted},
		{"only deadlocks are wanted", Options{Model: &Model{Categories: []string{"deadlock"}}}, true, limited, real, 1, limited},
		{"races are looked for already", Options{Model: &Model{Races: true}}, true, limited, real, 1, limited},
	} {
		t.Run(test.name, func(t *testing.T) {
			checks := 0
			b, err := checkRaces(t.Context(), test.opts, func(opts Options) (*artifact.Bundle, error) {
				if checks++; checks == 2 {
					require.True(t, opts.Model.Races)
					return test.second, nil
				}
				if test.shows && opts.raced != nil {
					opts.raced("a data race, which no run has reproduced: write of x at x.go:1 and read of x at x.go:2, which nothing orders")
				}
				return test.first, nil
			})
			require.NoError(t, err)
			require.Same(t, test.want, b)
			require.Equal(t, test.checks, checks)
		})
	}
}

// TestCheckRacesSaid: a first check that is cut since its runs have shown a data race may not come to say so. The result does
// in any case.
func TestCheckRacesSaid(t *testing.T) {
	bundle := func() *artifact.Bundle {
		out := artifact.New(artifact.Manifest{Pass: artifact.PassDeep})
		out.SetRuns(&artifact.Runs{Runs: 1})
		b, err := out.Bundle()
		require.NoError(t, err)
		return b
	}
	b, err := checkRaces(t.Context(), Options{}, func(opts Options) (*artifact.Bundle, error) {
		if opts.raced != nil {
			opts.raced("a data race, which no run has reproduced: write of x at x.go:1 and read of x at x.go:2, which nothing orders")
		}
		return bundle(), nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a data race, which no run has reproduced: write of x at x.go:1 and read of x at x.go:2, which nothing orders"}, Conclude(b).Limits)
}

// TestFailureLimit: a failure of the test that the model does not ask for is a limit, until
// all schedules have been run.
func TestFailureLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	b := checked(t, "n12_etag_page")
	said := limits(b.Queries(), b.Verdicts(), b.Sidecar(), false)
	require.True(t, slices.ContainsFunc(said, func(l string) bool { return strings.HasSuffix(l, "it is not asked for") }), said)
	require.Equal(t, outcomeReal, outcomeOf(b))

	c := Conclude(checked(t, "n12_etag_page_ok"))
	require.True(t, c.Proved)
	require.Empty(t, c.Limits)
}

// TestUnrecordedLimit: accesses that are executed and cannot be recorded are a limit, also where data races are looked for: the
// map has a type parameter, and what is deferred is given memory.
func TestUnrecordedLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	for name, does := range map[string]string{
		"an element of a map":  "get(m, 1)",
		"the length of a map":  "size(m)",
		"a deferred Unmarshal": "func() { defer json.Unmarshal([]byte(`{}`), &m) }()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := programs.Main(t, `package main

import "encoding/json"

func get[M ~map[int]int](m M, k int) int { return m[k] }

func size[M ~map[int]int](m M) int { return len(m) }

var _ = json.Valid

func main() {
	m := map[int]int{1: 1}
	done := make(chan bool)
	go func() {
		`+does+`
		done <- true
	}()
	m[1] = 2
	<-done
}
`)
			for _, races := range []bool{false, true} {
				b, err := Check(t.Context(), spec, Options{Model: &Model{Races: races}})
				require.NoError(t, err)
				c := Conclude(b)
				require.True(t, c.Inconclusive(), "%+v", c)
				require.True(t, slices.ContainsFunc(c.Limits, func(l string) bool { return strings.Contains(l, "are not looked at for data races") }), "races %v: %q", races, c.Limits)
			}
		})
	}
}

// checked is the result of a check of a program of TestVerdicts.
func checked(t *testing.T, name string) *artifact.Bundle {
	t.Helper()
	spec, _ := unpack(t, filepath.Join("testdata/verdicts", name+".txtar"))
	b, err := Check(context.Background(), spec, Options{})
	require.NoError(t, err)
	return b
}
