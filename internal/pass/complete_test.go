package pass

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var (
	followRuns  = flag.Int("follow", 0, "recorded runs of each program for TestComplete, 0 for a few runs of a few programs")
	followBound = flag.Int("followbound", 0, "bound of the objects of an allocation and of slices that grow in the models, 0 for the default")
	followSteps = flag.Int("followsteps", 2000, "steps after which these runs are cut")
)

// tablePrograms calls f for every program of the examples and of the
// translator's table.
func tablePrograms(t *testing.T, f func(name string, spec source.Spec)) {
	all, err := table()
	require.NoError(t, err)
	for _, p := range all {
		f(p.name, p.spec)
	}
}

type tableProgram struct {
	name string
	spec source.Spec
}

// table finds the programs once for all tests, by their files: to type-check hundreds of packages takes half a minute.
var table = sync.OnceValues(func() (all []tableProgram, err error) {
	for _, root := range []string{"../../examples", "../../internal/translate/testdata/verdicts"} {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(filepath.Dir(file))
			if d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(dir, "examples/gen") || strings.Contains(dir, "examples/sdk/") {
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil || f.Name.Name != "main" && f.Name.Name != "TestProgram" {
					continue
				}
				p := tableProgram{path.Base(dir), source.Spec{Dir: filepath.Dir(file), Entry: f.Name.Name}}
				if slices.ContainsFunc(parsed.Imports, func(i *ast.ImportSpec) bool { return strings.HasPrefix(i.Path.Value, `"golang.org/x/sync/`) }) {
					p.spec.Deps = []string{"golang.org/x/sync/..."}
				}
				all = append(all, p)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
})

// onceRejected are programs of which a model rejected runs, without a word, while none of the few that TestComplete follows
// by default was one of them.
var onceRejected = []string{"methodvaluetimer", "rlockerwaits", "condrlocker"}

// TestComplete follows recorded runs of the examples and of the translator's
// programs in their models.
func TestComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	n, each := 0, 96
	tablePrograms(t, func(name string, spec source.Spec) {
		runs := *followRuns
		if n++; runs == 0 && (n%each == 5 || slices.Contains(onceRejected, name)) {
			runs = 20
		}
		if runs == 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follows(t, spec, runs)
		})
	})
}

// follows requires that no run of a program is rejected, unless its comments say
// that the model misses something and does not say so.
func follows(t *testing.T, spec source.Spec, runs int) {
	t.Helper()
	bounds := translate.Bounds{Objects: *followBound, Slice: *followBound}
	c, err := Complete(context.Background(), spec, CompleteOptions{Runs: runs, Seed: 1, MaxSteps: *followSteps}, Options{Model: &Model{Bounds: bounds}})
	noneRejected(t, spec, c, err)
}

// noneRejected is what follows requires of a result.
func noneRejected(t *testing.T, spec source.Spec, c *Completeness, err error) {
	t.Helper()
	var refused *translate.UnsupportedError
	if errors.As(err, &refused) {
		t.Log(refused)
		return
	}
	require.NoError(t, err)
	t.Log(c.Counts)
	text, err := filepath.Glob(filepath.Join(spec.Dir, "*.go"))
	require.NoError(t, err)
	silent := slices.ContainsFunc(text, func(name string) bool {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		return strings.Contains(string(data), "// silent ")
	})
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
		if d.Status == orchestrate.Rejected && !silent {
			t.Error(b.String())
		} else {
			t.Log(b.String())
		}
	}
}

// Models do what programs do that once showed what they lacked. TestComplete follows all
// programs only if it is asked to.
func TestCompleteLacked(t *testing.T) {
	programs.InLong(t)
	for i, name := range []string{
		"maprangeanyof", "maprangedelete", "contextassert", "contextassertswitch", "rlockerassert",
		"timerdue", "timerdueselect", "sortinterface", "sortinterfacetime", "timerqueue", "funcmaplibrary",
		"contextafterfuncrace", "contextafterfunctwo", "syncmapshared", "timerstopatonce", "contextatonce", "atomicaside", "panicothers",
		"condrwannounced", "condrwannouncedfixed", "condrwtry", "condrwtwo", "condtrylock",
	} {
		if !oneOf(2, i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := source.Spec{Dir: "../../internal/translate/testdata/verdicts/" + name, Entry: "main"}
			if strings.HasPrefix(name, "timerdue") || name == "panicothers" {
				spec.Entry = "TestProgram"
			}
			follows(t, spec, 20)
		})
	}
}

// Where the model compares durations it can do what runs do, also of what is due at one
// moment, and where goroutines are slow between a guard and what they arm.
func TestCompleteDeadlines(t *testing.T) {
	programs.InLong(t)
	for _, name := range []string{
		"deadlineatonce", "deadlineequal", "deadlineequalfirst", "deadlineticker", "deadlinetickerlost",
		"deadlinereset", "deadlinegivenfunc", "deadlinesleepslow",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follows(t, source.Spec{Dir: "../../internal/translate/testdata/verdicts/" + name, Entry: "main"}, 20)
		})
	}
}

// TestCompleteParts: the model of a part of a program does what the program does, or comes to where it ends. With -follow
// it follows runs of all programs.
func TestCompleteParts(t *testing.T) {
	programs.InLong(t)
	n, parts := 0, 0
	tablePrograms(t, func(name string, spec source.Spec) {
		runs := *followRuns
		if n++; runs == 0 && n%120 == 7 {
			runs = 5
		}
		if runs == 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			p, opts, rep, done, err := loadToRun(t.Context(), spec, Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, done()) }()
			at := translate.Options{}.Asked()
			at.Paths = 6
			model, err := p.translateWithin(t.Context(), opts, true, &at, 0)
			if err != nil {
				noneRejected(t, spec, nil, err)
				return
			}
			if !slices.ContainsFunc(model.Sidecar.Approximations, func(a artifact.Approximation) bool {
				return a.Kind == approximation.Bound && strings.Contains(a.Reason, "paths from guard to guard")
			}) {
				return
			}
			parts++
			c, err := p.complete(t.Context(), model, CompleteOptions{Runs: runs, Seed: 1, MaxSteps: *followSteps}, opts, rep)
			noneRejected(t, spec, c, err)
		})
	})
	t.Logf("%d parts", parts)
	require.Positive(t, parts)
}

// Models with small bounds do what the program does, or end at a bound.
func TestCompleteSmallBounds(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	spec := source.Spec{Dir: "../../internal/translate/testdata/verdicts/semaphorerelease", Entry: "main"}
	c, err := Complete(context.Background(), spec, CompleteOptions{Runs: 100, Seed: 1}, Options{Model: &Model{Bounds: translate.Bounds{Objects: 1, Slice: 1}}})
	require.NoError(t, err)
	require.Equal(t, c.Runs, c.Counts[orchestrate.Followed]+c.Counts[orchestrate.BeyondBounds])
	require.Greater(t, c.Counts[orchestrate.Followed], 50)
}

// A model that lacks an edge which the program takes is found out.
func TestCompleteRejects(t *testing.T) {
	programs.InLong(t)
	for name, least := range map[string]int{"condsignalone": 15, "selectdefault": 9} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			p, err := load(ctx, source.Spec{Dir: "../../internal/translate/testdata/verdicts/" + name, Entry: "main"})
			require.NoError(t, err)
			opts, err := Options{Model: &Model{}}.withDefaults()
			require.NoError(t, err)
			model, err := p.translate(ctx, opts, true, nil)
			require.NoError(t, err)
			b, _, err := p.instrument(ctx, opts, &model.Sidecar, parse.Options{Accesses: model.Sidecar.Accesses}, nil, reporter{})
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
			rejected := func(net *uppaal.Network) (n int) {
				f, err := orchestrate.NewFollower(t.Context(), &model.Sidecar, net)
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
			require.Zero(t, rejected(model.Network))
			missed := 0
			for _, tm := range model.Network.Templates {
				for _, e := range tm.Edges {
					if rejected(model.Network.Without(e)) > 0 {
						missed++
					}
				}
			}
			require.GreaterOrEqual(t, missed, least)
		})
	}
}
