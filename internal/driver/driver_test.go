package driver_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/driver"
	"github.com/vtrace/vtrace/internal/source"
)

var (
	update = flag.Bool("update", false, "write the golden files of this package")
	all    = flag.Bool("functions", false, "compile the drivers of all functions of testdata/functions")
)

// unpack writes the files of an archive to a directory.
func unpack(t *testing.T, ar *txtar.Archive) (dir string) {
	dir = t.TempDir()
	for _, f := range ar.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir
}

// find loads all packages of a directory, and finds their functions.
func find(t *testing.T, dir string, opts driver.Options) *driver.Plan {
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	plan, err := driver.Find(t.Context(), set, opts)
	require.NoError(t, err)
	return plan
}

// load loads them with their drivers, which must compile.
func load(t *testing.T, dir string, plan *driver.Plan) {
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./...", Overlay: plan.Overlay})
	require.NoError(t, err)
	entries := map[string]bool{}
	for _, e := range set.Entries() {
		entries[e.Package+" "+e.Func] = true
	}
	for _, f := range plan.Functions {
		for _, v := range f.Valuations {
			require.True(t, entries[f.Package+" "+v.Test], "%s %s", f, v.Test)
		}
		if len(f.Valuations) > 0 {
			_, err := set.Program(source.EntryPoint{Package: f.Package, Func: f.Valuations[0].Test})
			require.NoError(t, err)
		}
	}
}

// The drivers for a function are a file of its package that compiles: it has each kind of parameter, receiver and
// result. The golden files have them for the first valuation, and the values of all.
func TestDrivers(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/drivers/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		require.NoError(t, err)
		dir := unpack(t, ar)
		plan := find(t, dir, driver.Options{Numbers: []int{1, 0}, Valuations: 6})
		var out bytes.Buffer
		for _, f := range plan.Functions {
			fmt.Fprintf(&out, "# %s %s:%d", f, filepath.Base(f.Pos.Filename), f.Pos.Line)
			if f.Exported {
				out.WriteString(" exported")
			}
			if f.LeftOut != "" {
				fmt.Fprintf(&out, ": left out: %s", f.LeftOut)
			}
			out.WriteString("\n")
			for _, v := range f.Valuations {
				fmt.Fprintf(&out, "  %s\n", v)
			}
			if n := f.More; n > 0 {
				fmt.Fprintf(&out, "  and %d more\n", n)
			}
			if len(f.Valuations) > 0 {
				out.WriteString(f.Valuations[len(f.Valuations)-1].Source)
			}
		}
		golden := strings.TrimSuffix(name, ".txtar") + ".golden"
		if *update {
			require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), out.String(), "run: go test ./internal/driver -update")
		load(t, dir, plan)

		// The same again, byte by byte.
		again := find(t, dir, driver.Options{Numbers: []int{1, 0}, Valuations: 6})
		require.Equal(t, plan.Overlay, again.Overlay)
	}
}

// The drivers of the functions that somebody else has written compile.
func TestDriversCompile(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/functions/*.txtar")
	require.NoError(t, err)
	if !*all {
		names = names[:3]
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		require.NoError(t, err)
		dir := unpack(t, ar)
		load(t, dir, find(t, dir, driver.Options{}))
	}
}

// The tests of a package are left out, with what they declare.
func TestTestFiles(t *testing.T) {
	t.Parallel()
	dir := unpack(t, txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

func Start() { go func() {}() }
-- m_test.go --
package m

import (
	"os"
	"testing"
)

func TestMain(*testing.M) { os.Exit(1) }
-- x_test.go --
package m_test

import "testing"

func TestX(*testing.T) {}
`)))
	plan := find(t, dir, driver.Options{})
	names := slices.Sorted(maps.Keys(plan.Overlay))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	require.Equal(t, []string{"m_test.go", "x_test.go", driver.File}, names)
	require.Equal(t, "package m_test\n", string(plan.Overlay[filepath.Join(dir, "x_test.go")]))
	load(t, dir, plan)
}

// Of too many valuations those are taken that have most pairs of values.
func TestValuationsSpread(t *testing.T) {
	t.Parallel()
	dir := unpack(t, txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

func Work(a, b, c int, d bool) {
	x := make(chan int, a)
	for range b {
		go func() { x <- 1 }()
	}
	if d {
		<-x
	}
	for range c {
		<-x
	}
}
`)))
	plan := find(t, dir, driver.Options{Numbers: []int{0, 1, 2}, Valuations: 18})
	f := plan.Functions[0]
	require.Len(t, f.Valuations, 18)
	require.Equal(t, 54-18, f.More)
	pairs := map[[2]driver.Value]bool{}
	for _, v := range f.Valuations {
		require.Len(t, v.Values, 4)
		for i, a := range v.Values {
			for _, b := range v.Values[:i] {
				pairs[[2]driver.Value{{Name: b.Name, Text: b.Text}, {Name: a.Name, Text: a.Text}}] = true
			}
		}
	}
	require.Len(t, pairs, 3*9+3*6) // all of them
}

// Who calls a function in the packages, and with which constants.
func TestCallers(t *testing.T) {
	t.Parallel()
	dir := unpack(t, txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

// Run is called by others, too.
func Run(n int) { start(n, true) }

func start(n int, wait bool) {
	c := make(chan int, n)
	for range n {
		go func() { c <- 1 }()
	}
	if wait {
		<-c
	}
}

func fixed(n int) {
	go func() {
		for range n {
			start(2, true)
		}
	}()
}

func all() { fixed(3) }
`)))
	plan := find(t, dir, driver.Options{Numbers: []int{3, 0}})
	said := map[string]string{}
	for _, f := range plan.Functions {
		for _, v := range f.Valuations {
			said[f.Name+" "+v.String()] = plan.Callers(f, v)
		}
	}
	require.Equal(t, map[string]string{
		"Run n = 3":                 "exported: any caller can pass these values",
		"Run n = 0":                 "exported: any caller can pass these values",
		"start n = 3, wait = false": "no caller passes wait = false",
		"start n = 0, wait = false": "no caller passes wait = false",
		"start n = 3, wait = true":  "callers pass values that are not constants",
		"start n = 0, wait = true":  "callers pass values that are not constants",
		"fixed n = 3":               "passed at m.go:24",
		"fixed n = 0":               "no caller passes n = 0",
		"all ":                      "",
	}, said)
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"go.mod":   "module example.com/m\n\ngo 1.26\n",
		"first.go": "package m\n\n// First returns what comes first.\nfunc First(n int, f func(int) int) int {\n\tc := make(chan int)\n\tfor i := range n {\n\t\tgo func() { c <- f(i) }()\n\t}\n\treturn <-c\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	set, err := source.LoadSet(context.Background(), source.Spec{Dir: dir, Pattern: "."})
	if err != nil {
		panic(err)
	}
	plan, err := driver.Find(context.Background(), set, driver.Options{})
	if err != nil {
		panic(err)
	}
	for _, f := range plan.Functions {
		for _, v := range f.Valuations[:3] {
			fmt.Println(f.Name, "with", v)
		}
		fmt.Print(f.Valuations[2].Source)
	}
	// Output:
	// First with n = 0
	// First with n = 1
	// First with n = 2
	// // Test_First_3 calls First with n = 2.
	// func Test_First_3(t *testing.T) {
	// 	First(2, func(int) int { return 0 })
	// }
}

// A summary has the errors of a function before those of others, and of each the least values.
func TestSummarise(t *testing.T) {
	t.Parallel()
	plan := &driver.Plan{}
	f := &driver.Function{Name: "F"}
	bundle := func(findings ...artifact.Finding) *artifact.Bundle {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Entry: artifact.Entry{Package: "m", Func: "TestF"}})
		b.SetFindings(findings)
		out, err := b.Bundle()
		require.NoError(t, err)
		return out
	}
	race := artifact.Finding{Number: 1, Verdict: artifact.Real, Kind: artifact.KindRace, File: "m.go", Line: 3}
	slow := artifact.Finding{Number: 2, Verdict: artifact.Real, Kind: artifact.KindLeak, File: "m.go", Line: 4, Stall: artifact.StallLong}
	refused := artifact.Finding{Number: 1, Verdict: artifact.Real, Kind: artifact.KindPanic, File: "m.go", Line: 1, Message: "panic: n", Goroutines: []artifact.FindingGoroutine{{G: "0", State: artifact.StatePanicked}}}
	worker := refused
	worker.Line, worker.Goroutines = 9, []artifact.FindingGoroutine{{G: "0.1", State: artifact.StatePanicked}}
	unconfirmed := race
	unconfirmed.Verdict = artifact.Unconfirmed
	false_ := race
	false_.Verdict, false_.Line = artifact.False, 5
	s := plan.Summarise(f, []driver.Checked{
		{Bundle: bundle(refused)}, {Bundle: bundle(unconfirmed, slow, false_)}, {Bundle: bundle(race)}, {Bundle: bundle(race, worker)}, {Err: os.ErrNotExist},
	})
	require.Equal(t, 1, s.Refused)
	require.Equal(t, 3, s.Valuations())
	var got []string
	for _, e := range s.Errors {
		got = append(got, fmt.Sprint(e.Class, " ", e.Kind, ":", e.Line, " ", e.Verdict, " ", e.In))
	}
	require.Equal(t, []string{
		"alarm data race:3 real [2 3]", "alarm panic:9 real [3]", "slow goroutine leak:4 real [1]", "refused panic:1 real [0]",
	}, got)
	require.Len(t, s.Alarms(), 2)
}

// A driver that does not compile leaves its function out, with the reason, and no other.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	dir := unpack(t, txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

func One(n int) { go func() {}() }

func Two(n int) { go func() {}() }
`)))
	plan := find(t, dir, driver.Options{})
	name := filepath.Join(dir, driver.File)
	good := plan.Overlay[name]
	reload := func() (bool, error) {
		set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: ".", Overlay: plan.Overlay})
		require.NoError(t, err)
		return plan.LeaveOut(set)
	}
	some, err := reload()
	require.NoError(t, err)
	require.False(t, some)
	plan.Overlay[name] = bytes.Replace(good, []byte("One("), []byte("One(undeclared+"), 1)
	some, err = reload()
	require.NoError(t, err)
	require.True(t, some)
	require.Equal(t, "its driver does not compile: undefined: undeclared", plan.Functions[0].LeftOut)
	require.Empty(t, plan.Functions[0].Valuations)
	require.Empty(t, plan.Functions[1].LeftOut)
	require.NotContains(t, string(plan.Overlay[name]), "One")
	some, err = reload()
	require.NoError(t, err)
	require.False(t, some)
	load(t, dir, plan)

	// What is wrong outside of all tests leaves out all.
	plan.Overlay[name] = append(plan.Overlay[name], "\nvar _ = undeclared\n"...)
	_, err = reload()
	require.NoError(t, err)
	require.NotEmpty(t, plan.Functions[1].LeftOut)
}
