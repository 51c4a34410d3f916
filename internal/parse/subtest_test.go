package parse

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

const subtests = `package sub

import "testing"

type suite struct{ *testing.T }

func check(t *testing.T, f func(*testing.T)) {
	t.Run("checked", f)
}

// values uses methods as values. The context ends before the first cleanup.
func values(t *testing.T, s suite, order chan string) {
	last := t.Cleanup
	last(func() { order <- "last" })
	ctx := testing.TB(s).Context
	defer s.Cleanup(func() { <-ctx().Done(); order <- "context" })
	for _, f := range []func(func()){s.T.Cleanup, testing.TB(t).Cleanup} {
		f(func() { order <- "listed" })
	}
	if ctx().Err() != nil || ctx() != t.Context() {
		t.Error("another context")
	}
}

func TestSub(t *testing.T) {
	order := make(chan string, 20)
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order <- name
		})
	}
	suite{t}.Run("c", func(t *testing.T) { order <- "c" })
	check(t, func(t *testing.T) {
		if !t.Run("inner", func(t *testing.T) { order <- "inner" }) {
			t.Fatal("failed")
		}
	})
	stop := make(chan int)
	done := make(chan int)
	go func() { <-stop; close(done) }()
	t.Cleanup(func() { close(stop); <-done })
	var tb testing.TB = t
	tb.Cleanup(func() { order <- "cleanup" })
	values(t, suite{t}, order)
	t.Run("skipped", func(t *testing.T) {
		defer func() { order <- "deferred" }()
		t.Skip("not", "now")
	})
}
`

const subtestDriver = `package sub

import (
	"testing"
	"testing/synctest"

	orc "vtraceorc"
)

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res := orc.Run(orc.Config{
			Bubble: orc.Bubble{Run: func(f func()) { f() }, Wait: synctest.Wait},
			Main:   func() { TestSub(t) }, Entry: orc.EntryTest, Record: true,
		})
		if res.Verdict != orc.Completed || res.Outcome.Kind != "" {
			t.Errorf("%s: %s", res.Verdict, res.Message)
		}
		for _, s := range res.Trace {
			println(s.G, s.Site)
		}
	})
}
`

// TestSubtests: free, subtests are those of package testing; in a run those that
// may be parallel are goroutines and the others calls, and what is left to Cleanup
// runs before the run is judged.
func TestSubtests(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/sub\n\ngo 1.26\n", "sub_test.go": subtests} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	prog, err := source.Load(ctx, source.Spec{Dir: dir, Entry: "TestSub"})
	require.NoError(t, err)
	o, err := Instrument(ctx, prog, Index(prog), Options{})
	require.NoError(t, err)
	require.Empty(t, o.Diagnostics)
	o.Files["zz_run_test.go"] = []byte(subtestDriver)
	bin := testBinary(t, prog, o)
	out, code := run(t, dir, bin, "-test.run=TestSub", "-test.v")
	require.Zero(t, code, out)
	for _, name := range []string{"a", "b", "c", "checked/inner", "skipped"} {
		require.Contains(t, out, "TestSub/"+name)
	}
	out, code = run(t, dir, bin, "-test.run=TestRun")
	require.Zero(t, code, out)
	require.Equal(t, `0 example.com/sub.TestSub#1
0.1 example.com/sub.TestSub#1.start
0 example.com/sub.TestSub#1
0.1 example.com/sub.TestSub$1#1
0.2 example.com/sub.TestSub#1.start
0 example.com/sub.TestSub$2#1
0 example.com/sub.check#1
0.2 example.com/sub.TestSub$1#1
0.3 example.com/sub.check#1.start
0.3 example.com/sub.TestSub$3$1#1
0 example.com/sub.TestSub#2
0 example.com/sub.values@7.call
0 example.com/sub.TestSub$7#1
0 example.com/sub.TestSub$7$1#1
0 example.com/sub.TestSub.join
0.1 example.com/sub.TestSub$1#2
0.2 example.com/sub.TestSub$1#2
0 example.com/sub.values$2#1
0 example.com/sub.values$2#2
0 example.com/sub.values$3#1
0 example.com/sub.values$3#1
0 example.com/sub.values$1#1
0 example.com/sub.TestSub$6#1
0 example.com/sub.TestSub$5#1
0 example.com/sub.TestSub$5#2
0.4 example.com/sub.TestSub#2.start
0.4 example.com/sub.TestSub$4#1
0.4 example.com/sub.TestSub$4#2
PASS
`, out)
}

const lentDriver = `package lent

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	orc "vtraceorc"
)

func TestRun(t *testing.T) {
	for i, f := range []func(*testing.T){TestSuite, TestLook, TestFails} {
		var res orc.Result
		t.Run("", func(t *testing.T) {
			res = orc.Run(orc.ForTest(t, synctest.Test, synctest.Wait, f, ""))
		})
		fmt.Fprintln(os.Stderr, i, res.Verdict, res.Outcome.Kind, res.Message)
	}
}
`

// TestLent: a test that fails since a library cannot start subtests is refused;
// one that fails otherwise, or does not fail, is not.
func TestLent(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/lent\n\ngo 1.26\n",
		"lib/lib.go": `package lib

import "testing"

func Suite(t *testing.T) {
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("test panicked: %v", v)
			t.FailNow()
		}
	}()
	t.Run("one", func(t *testing.T) {})
}

func Look(n int, t *testing.T) bool { return n > 0 && !t.Failed() }

func Fails(t testing.TB) { t.Error("no") }
`,
		"lent_test.go": `package lent

import (
	"testing"

	"example.com/lent/lib"
)

func TestSuite(t *testing.T) { lib.Suite(t) }

func TestLook(t *testing.T) {
	if !lib.Look(1, t) {
		t.Error("failed")
	}
}

func TestFails(t *testing.T) { lib.Fails(t) }
`,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	prog, err := source.LoadModule(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	prog.Packages = slices.DeleteFunc(prog.Packages, func(p *packages.Package) bool { return p.PkgPath == "example.com/lent/lib" })
	o, err := Instrument(ctx, prog, Index(prog), Options{})
	require.NoError(t, err)
	require.Empty(t, o.Diagnostics)
	o.Files["zz_test.go"] = []byte(lentDriver)
	bin := testBinary(t, prog, o)
	out, code := run(t, dir, bin, "-test.run=TestSuite|TestLook", "-test.v")
	require.Zero(t, code, out)
	require.Contains(t, out, "TestSuite/one")
	out, _ = run(t, dir, bin, "-test.run=TestRun")
	require.Contains(t, out, "0 unsupported  the test has failed, and uninstrumented code has had its *testing.T, by which it cannot start subtests in a run\n"+
		"1 completed  the entry function returned\n2 completed test failure test failure in goroutine 0: the test has failed\n")
}
