package parse

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/source"
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

// TestSubtests: free, subtests are those of package testing; in a run they are
// calls, and what is left to Cleanup runs before the run is judged.
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
	json, err := o.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	bin := binary(t, "sub")
	out, code := run(t, dir, "go", "test", "-c", "-vet=off", "-overlay", json, "-o", bin, ".")
	require.Zero(t, code, out)
	out, code = run(t, dir, bin, "-test.run=TestSub", "-test.v")
	require.Zero(t, code, out)
	for _, name := range []string{"a", "b", "c", "checked/inner", "skipped"} {
		require.Contains(t, out, "TestSub/"+name)
	}
	out, code = run(t, dir, bin, "-test.run=TestRun")
	require.Zero(t, code, out)
	require.Equal(t, `0 example.com/sub.TestSub$1#1
0 example.com/sub.TestSub$1#1
0 example.com/sub.TestSub$2#1
0 example.com/sub.TestSub$3$1#1
0 example.com/sub.TestSub#1
0 example.com/sub.TestSub$7#1
0 example.com/sub.TestSub$7$1#1
0 example.com/sub.values$2#1
0 example.com/sub.values$2#2
0 example.com/sub.values$3#1
0 example.com/sub.values$3#1
0 example.com/sub.values$1#1
0 example.com/sub.TestSub$6#1
0 example.com/sub.TestSub$5#1
0 example.com/sub.TestSub$5#2
0.1 example.com/sub.TestSub#1.start
0.1 example.com/sub.TestSub$4#1
0.1 example.com/sub.TestSub$4#2
PASS
`, out)
}
