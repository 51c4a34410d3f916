package orchestrate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

var (
	environmentAll     = flag.Bool("environment.all", false, "all programs of TestEnvironment")
	environmentReplays = flag.Int("environment.replays", 3, "replays of each error of TestEnvironment")
)

var (
	wanted  = regexp.MustCompile(`// want "([^"]+)"`)
	limited = regexp.MustCompile(`// limit "([^"]+)"`)
)

// TestEnvironment: random numbers, orders of maps, pools and the like decide whether
// these programs go wrong, and how. Random runs find every error that a program
// says it has, and nothing else, and each of them replays always, in processes of
// their own. The long form is
//
//	go test ./internal/orchestrate -run TestEnvironment -environment.all -environment.replays 100 -v -timeout 60m
func TestEnvironment(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	dir, err := filepath.Abs("testdata/environment")
	require.NoError(t, err)
	names := []string{"coinlocks", "cryptoint", "lockall", "pointerkeyssame", "poolshared", "bucketed"}
	if *environmentAll {
		files, err := filepath.Glob(filepath.Join(dir, "*", "main.go"))
		require.NoError(t, err)
		names = nil
		for _, f := range files {
			names = append(names, filepath.Base(filepath.Dir(f)))
		}
	}
	programs, errors, replays, same := 0, 0, 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := loadReal(ctx, t, dir, "./"+name, "main", false)
			x, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1000, Seed: 1})
			require.NoError(t, err)
			require.Empty(t, x.Restarts)
			require.Equal(t, saidAt(t, filepath.Join(dir, name, "main.go"), wanted), shown(r, x))
			programs++
			for _, e := range x.Ends {
				if e.Kind == "" {
					continue
				}
				require.Equal(t, Reproduced, e.Replay.Status, e.Replay.Reason)
				require.NotContains(t, strings.Join(e.Replay.Notes, "\n"), "differ")
				errors++
				for range *environmentReplays {
					v, err := r.binary.Run(ctx, e.Plan, RunOptions{})
					require.NoError(t, err)
					replays++
					if v.Status == Reproduced && difference(v, e.Replay) == "" && variation(v, e.Replay) == "" {
						same++
					} else {
						t.Errorf("%s: %s, %s", v.Status, difference(v, e.Replay), variation(v, e.Replay))
					}
				}
			}
		})
	}
	t.Logf("%d programs, %d errors, %d of %d replays the same", programs, errors, same, replays)
}

// saidAt is what a program says of its lines, as the errors that it has, "line kind".
func saidAt(t *testing.T, file string, said *regexp.Regexp) (out []string) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for i, line := range strings.Split(string(data), "\n") {
		if m := said.FindStringSubmatch(line); m != nil {
			out = append(out, fmt.Sprint(i+1, " ", m[1]))
		}
	}
	slices.Sort(out)
	return out
}

// shown are the errors that an exploration has found, in the same form.
func shown(r *real, x *Exploration) (out []string) {
	for _, e := range x.Ends {
		at := e.Plan.Expect.Goroutines
		if len(e.Stack) > 0 {
			_, place, _ := strings.Cut(e.Stack[slices.IndexFunc(e.Stack, func(s string) bool { return strings.Contains(s, " main.go:") })], ":")
			line, _ := strconv.Atoi(place)
			out = append(out, fmt.Sprint(line, " ", e.Kind))
			continue
		}
		for _, g := range at {
			i := slices.IndexFunc(r.side.Sites, func(s artifact.Site) bool { return s.Key == g.Site })
			out = append(out, fmt.Sprint(r.side.Sites[i].Line, " ", e.Kind))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestUseless: what runs in one process have shown counts only if a run comes out the same in a process of its own,
// and after the others.
func TestUseless(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	r := loadReal(ctx, t, roughModule(t), ".", "TestState", false)
	x, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1, NoReplay: true})
	require.NoError(t, err)
	plan := x.Ends[0].Plan
	plan.Expect = artifact.Expect{Kind: artifact.KindDeadlock}
	v, err := r.binary.Run(ctx, plan, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, NotReproduced, v.Status, v.Reason)
	v.Asked = 1 // as if it had another environment
	useless, err := r.binary.useless(ctx, plan, v, RunOptions{Environments: 3})
	require.NoError(t, err)
	require.Empty(t, useless)
}

// TestOtherEnvironments: a plan that says nothing of the environment is tried in
// others, if asked to, and the one that shows the error is kept, as are choices that
// the plan prescribes.
func TestOtherEnvironments(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	dir, err := filepath.Abs("testdata/environment")
	require.NoError(t, err)
	r := loadReal(ctx, t, dir, "./dice", "main", false)
	x, err := r.binary.Explore(ctx, ExploreOptions{Runs: 100, Seed: 1})
	require.NoError(t, err)
	i := slices.IndexFunc(x.Ends, func(e End) bool { return e.Kind == artifact.KindPanic })
	shown := x.Ends[i].Plan
	require.Equal(t, 3, shown.Choices[0].Value)
	require.Zero(t, shown.Seed) // the one value is all that it needs

	plan := shown
	plan.Seed, plan.Choices = 0, nil
	v, err := Replay(ctx, r.binary, plan, RunOptions{})
	require.NoError(t, err)
	require.NotEqual(t, Reproduced, v.Status)
	require.Equal(t, 1, v.Asked)
	useless, err := r.binary.useless(ctx, plan, v, RunOptions{Environments: 50})
	require.NoError(t, err)
	require.Len(t, useless, 51)
	v, err = Replay(ctx, r.binary, plan, RunOptions{Environments: 50})
	require.NoError(t, err)
	require.Equal(t, Reproduced, v.Status, v.Reason)
	require.NotZero(t, v.Plan.Seed)
	require.EqualValues(t, slices.Index(useless, false), v.Plan.Seed)
	require.Equal(t, v.Plan.Seed, v.Seed)

	plan.Choices = shown.Choices
	v, err = Replay(ctx, r.binary, plan, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, Reproduced, v.Status, v.Reason)

	shown.Seed = 7
	text, err := Test(r.target, r.side, shown, Meta{Query: 1, Trace: 1, Kind: artifact.KindPanic})
	require.NoError(t, err)
	require.Regexp(t, fmt.Sprintf("\tSeed: +%d,\n", shown.Seed), string(text))
	require.Contains(t, string(text), "N: 6, Value: 3},\n")
	b, err := Build(ctx, r.target, BuildOptions{Overlay: r.overlay, Tests: map[string][]byte{"vtrace_q1_1_test.go": text}})
	require.NoError(t, err)
	require.NoError(t, b.Close())
}
