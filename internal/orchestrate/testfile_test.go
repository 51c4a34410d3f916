package orchestrate

import (
	"flag"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/repeat"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func sampleTarget(entry string) Target {
	name := "main"
	if entry != "main" {
		name = "pool"
	}
	return Target{Root: "/src", Dir: "/src/m", Name: name, Entry: artifact.Entry{Package: "example.com/m", Func: entry}, End: "m.end", Args: []string{"-v", "a\"b"}}
}

func sampleWorld() *world {
	w := newWorld("go spawn", "start spawn.start", "send snd", "select sel", "close cls", "close cls2")
	w.side.Sites[4].Text = "select { // the \u2028 choice of\nthree that is described by a very long line of text indeed"
	w.step("M op spawn", "W(0) birth").step("W(0) start spawn.start").step("W(0) op snd", "M op sel 1").
		step("Time time").step("W(0) op cls").step("M op sel -1").step("M op cls2").
		ends("M", artifact.LocationInfo{End: "panic"})
	return w
}

var sampleQuery = artifact.Query{
	Number: 3, Kind: artifact.KindCloseOfClosed, Category: "channel safety", Formula: "A[] not M.crash",
	Description: "close of closed channel ch", File: "main.go", Line: 15, Site: 6,
}

func TestGeneratedTest(t *testing.T) {
	w := sampleWorld()
	plan, err := PlanOf(&w.side, &w.trace, sampleQuery)
	require.NoError(t, err)
	meta := MetaOf(sampleQuery, 2, "vtrace replay run.vtz q3-2")
	for _, entry := range []string{"main", "TestDrain"} {
		src, err := Test(sampleTarget(entry), &w.side, plan, meta)
		require.NoError(t, err)
		golden(t, entry+".golden", src)
		again, err := Test(sampleTarget(entry), &w.side, plan, meta)
		require.NoError(t, err)
		require.Equal(t, src, again)
	}
	src, err := driver(sampleTarget("TestDrain"))
	require.NoError(t, err)
	golden(t, "driver.golden", src)
}

// Names that the package declares are not used, be they of the language.
func TestTakenNames(t *testing.T) {
	target := sampleTarget("TestDrain")
	target.Taken = append(types.Universe.Names(), "zztesting", "testing", "synctest", "json", "vtraceorc")
	w := sampleWorld()
	src, err := Test(target, &w.side, artifact.Plan{}, Meta{Query: 1, Trace: 1})
	require.NoError(t, err)
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", src, 0)
	require.NoError(t, err)
	var names []string
	for _, im := range f.Imports {
		names = append(names, im.Name.Name)
	}
	require.Equal(t, []string{"zzjson", "zzzztesting", "zzsynctest", "zzvtraceorc"}, names)
	driver, err := driver(target)
	require.NoError(t, err)
	g, err := parser.ParseFile(token.NewFileSet(), "y.go", driver, 0)
	require.NoError(t, err)
	for _, id := range append(f.Unresolved, g.Unresolved...) {
		require.NotContains(t, target.Taken, id.Name)
	}
}

func TestRuntimePath(t *testing.T) {
	target := sampleTarget("main")
	target.Runtime = "example.com/m/internal/zzorc"
	src, err := driver(target)
	require.NoError(t, err)
	require.Contains(t, string(src), `vtraceorc "example.com/m/internal/zzorc"`)
}

// Bundles may come from anywhere: no text of theirs becomes code.
func FuzzTest(f *testing.F) {
	f.Add("x\n}\nfunc init() { panic(1) }\n//", 1)
	f.Add("*/ \r\u2028`\"\x00\ufeff\xff", -1)
	f.Add("//go:embed /etc/passwd", 0)
	f.Fuzz(func(t *testing.T, s string, n int) {
		side := &artifact.Sidecar{Sites: []artifact.Site{{}, {ID: 1, Kind: s, Key: s, Func: s, File: s, Line: n, Text: s}, {ID: 2, Kind: "select", Key: "k", Text: s, File: s}}}
		plan := artifact.Plan{
			Steps:  []artifact.PlanStep{{G: s, Site: s, Occ: n, Case: n}, {G: "0", Site: "k", Case: n}},
			Expect: artifact.Expect{Kind: s, Goroutines: []artifact.At{{G: s, Site: s}, {G: "0", Site: "k"}}},
		}
		meta := MetaOf(artifact.Query{Number: 1, Kind: s, Category: s, Description: s, Formula: s, File: s, Line: n}, 1, s)
		target := sampleTarget("main")
		target.Args, target.End = []string{s}, s
		src, err := Test(target, side, plan, meta)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.ParseComments)
		require.NoError(t, err)
		require.Len(t, file.Decls, 2, "imports and the test")
		for _, g := range file.Comments {
			for _, c := range g.List {
				require.False(t, strings.HasPrefix(c.Text, "//go:") && c.Text != buildTag, c.Text)
			}
		}
	})
}

func TestTargetErrors(t *testing.T) {
	for _, tc := range []struct {
		edit func(*Target)
		want string
	}{
		{func(x *Target) { x.Dir = "rel" }, "not absolute"},
		{func(x *Target) { x.Name = "" }, "no package name"},
		{func(x *Target) { x.Entry.Func = "" }, "no entry"},
		{func(x *Target) { x.Name = "pool" }, "main of package pool"},
		{func(x *Target) { x.Entry.Func = "Test(); os.Exit(1) //" }, "is not a function"},
	} {
		target := sampleTarget("main")
		tc.edit(&target)
		_, err := driver(target)
		require.ErrorContains(t, err, tc.want)
	}
}

// The steps of a long plan are in the generated test as they are in the plan, however they repeat.
// TestLongSteps: the test of a long plan is what it is when all of it is formatted.
func TestLongSteps(t *testing.T) {
	w := sampleWorld()
	plan, err := PlanOf(&w.side, &w.trace, sampleQuery)
	require.NoError(t, err)
	meta := MetaOf(sampleQuery, 2, "vtrace replay run.vtz q3-2")
	target := sampleTarget("TestDrain")
	target.Taken = []string{"vtraceorc"} // which has another name then
	want, err := Test(target, &w.side, plan, meta)
	require.NoError(t, err)

	empty := plan
	empty.Steps = nil
	frame, err := Test(target, &w.side, empty, meta)
	require.NoError(t, err)
	var steps []testStep
	sites := SitesByKey(&w.side)
	for _, s := range plan.Steps {
		steps = append(steps, testStep{s, describe(sites, s)})
	}
	got, err := format.Source(insertSteps(frame, "zzvtraceorc", steps))
	require.NoError(t, err)
	_, wanted, _ := strings.Cut(string(want), "\nfunc ") // behind the comment, which shows the steps, too
	_, found, _ := strings.Cut(string(got), "\nfunc ")
	require.Equal(t, wanted, found)

	r := rand.New(rand.NewPCG(1, 2))
	for range 2 * repeat.Long { // which does not repeat itself
		plan.Steps = append(plan.Steps, artifact.PlanStep{G: fmt.Sprint("0.", r.IntN(1000)), Site: "snd", Case: r.IntN(1000)})
	}
	src, err := Test(target, &w.side, plan, meta)
	require.NoError(t, err)
	_, err = parser.ParseFile(token.NewFileSet(), "", src, 0)
	require.NoError(t, err)
	require.Equal(t, len(plan.Steps)+len(plan.Expect.Goroutines), strings.Count(string(src), "\t\t\t{G: "))
}

func TestFoldedPlan(t *testing.T) {
	inLong(t)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		var steps []artifact.PlanStep
		passed := map[artifact.At]int{}
		for len(steps) < repeat.Long+100 {
			block := make([]artifact.PlanStep, 1+r.IntN(4))
			for i := range block {
				block[i] = artifact.PlanStep{G: fmt.Sprint("0.", r.IntN(2)), Site: fmt.Sprint("f#", r.IntN(3)), Case: r.IntN(2)}
			}
			for range 1 + r.IntN(2000) {
				for _, s := range block {
					passed[artifact.At{G: s.G, Site: s.Site}]++
					if seed%2 == 1 && r.IntN(1000) == 0 { // what is passed without a step counts, too
						passed[artifact.At{G: s.G, Site: s.Site}]++
					}
					s.Occ = passed[artifact.At{G: s.G, Site: s.Site}]
					steps = append(steps, s)
				}
			}
		}
		short, repeats := folded(steps)
		if seed%2 == 0 {
			require.NotEmpty(t, repeats)
			require.Less(t, len(short), len(steps)/2)
		}
		plan := orcruntime.Plan{Repeats: repeats}
		for _, s := range short {
			plan.Steps = append(plan.Steps, orcruntime.Step{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case})
		}
		whole, err := plan.Whole()
		require.NoError(t, err)
		require.Len(t, whole, len(steps))
		for i, s := range steps {
			require.Equal(t, orcruntime.Step{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case}, whole[i], "%d", i)
		}
	}
}
