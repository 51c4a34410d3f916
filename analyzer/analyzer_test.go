package analyzer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/analyzer"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/kept"
)

const (
	code = `package p

import "sync"

func twice(mu *sync.Mutex) {
	mu.Lock()
	mu.Lock() // want "deadlock: goroutine 0 waits at p.go:7 for mu, which it holds itself since p.go:6 .the program has done it, in a replay."
}

func unused() {}
`
	test = `package p

import (
	"sync"
	"testing"
)

func TestTwice(t *testing.T) {
	var mu sync.Mutex
	twice(&mu)
}
`
)

// checked is a module that was checked, and the directory of the results.
func checked(t *testing.T) (dir, results string, b *artifact.Bundle) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	results = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": code, "p_test.go": test} {
		write(t, dir, name, text)
	}
	b, err = vtrace.Check(context.Background(), vtrace.Dir(dir, vtrace.Entry("TestTwice")), vtrace.Results(results, 0))
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1)
	return dir, results, b
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// Findings are reported from the results that are kept, or from bundles, where their code is.
func TestAnalyzer(t *testing.T) {
	t.Parallel()
	dir, results, b := checked(t)
	from := analyzer.New(analyzer.Options{Results: results})
	for _, r := range analysistest.Run(t, dir, from, ".") {
		for _, d := range r.Diagnostics {
			require.Equal(t, "deadlock", d.Category)
			require.True(t, strings.HasSuffix(d.URL, "/deadlock.md"))
			require.Len(t, d.Related, 2)
			require.Equal(t, "step 1, goroutine 0: mu.Lock()", d.Related[0].Message)
		}
	}
	bundles := t.TempDir()
	require.NoError(t, artifact.Save(b, filepath.Join(bundles, "b.vtz")))
	// What the entry point cannot reach may change.
	write(t, dir, "p.go", strings.Replace(code, "func unused() {}", "func unused() { println() }", 1))
	analysistest.Run(t, dir, analyzer.New(analyzer.Options{Results: "off", Bundles: bundles}), ".")

	// What it can reach may not, nor where it is; and there is nothing to want any more.
	plain := strings.Replace(code, " // want", " //", 1)
	for name, change := range map[string][2]string{
		"the function":         {"p.go", plain},
		"a comment accepts it": {"p.go", strings.Replace(plain, "\tmu.Lock() //", "\tmu.Lock() //vtrace:ignore deadlock as it is //", 1)},
	} {
		write(t, dir, "p.go", plain)
		write(t, dir, "p_test.go", test)
		write(t, dir, change[0], change[1])
		if name == "a comment accepts it" {
			_, err := vtrace.Check(context.Background(), vtrace.Dir(dir, vtrace.Entry("TestTwice")), vtrace.Results(results, 0))
			require.NoError(t, err)
		}
		require.Empty(t, diagnostics(t, dir, from), name)
	}
}

// What go vet keeps is asked for again when a result comes, also where no module is around the directory:
// in a workspace, when a file of one of its modules changes, and above any modules.
func TestState(t *testing.T) {
	results := kept.Results{Dir: t.TempDir()}
	t.Setenv("VTRACE_CACHE", results.Dir)
	t.Setenv("GOWORK", "")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "p"), 0o755))
	write(t, dir, "p/go.mod", "module example.com/p\n\ngo 1.26\n")
	write(t, dir, "p/p.go", code)
	state := func() string {
		s, err := analyzer.State(dir)
		require.NoError(t, err)
		return s
	}
	keep := func(pkg, text string) {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassTranslate, Tool: "devel", Go: "go1.26.0", Entry: artifact.Entry{Package: pkg, Func: "main"}})
		b.AddSource("p.go", []byte(text))
		built, err := b.Bundle()
		require.NoError(t, err)
		require.NoError(t, results.Put(map[string]any{"entry": built.Manifest().Entry}, built))
	}
	none := state()
	keep("example.com/other", "package other\n")
	other := state()
	require.NotEqual(t, none, other)
	write(t, dir, "go.work", "go 1.26\n\nuse ./p\n")
	none = state()
	require.NotEqual(t, other, none)
	keep("example.com/other2", "package other\n")
	require.Equal(t, none, state(), "it is of no module of the workspace")
	keep("example.com/p", code)
	first := state()
	require.NotEqual(t, none, first)
	write(t, dir, "p/p.go", code+"\nfunc more() {}\n")
	changed := state()
	require.NotEqual(t, first, changed)
	write(t, dir, "p/p.go", code+"\nfunc more() { println() }\n")
	require.NotEqual(t, changed, state())

	// Code that is none of the program's own may be what it is built from.
	outside := t.TempDir()
	write(t, outside, "r.go", "package r\n")
	replace := "\n\nreplace example.com/r => " + outside + "\n"
	differs := func(in, name, text string) {
		was := state()
		write(t, in, name, text)
		require.NotEqual(t, was, state(), name)
	}
	differs(dir, "go.work", "go 1.26\n\nuse ./p"+replace)
	differs(outside, "r.go", "package r // of go.work\n")
	differs(dir, "p/q/q.go", "package q\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "go.work")))
	dir = filepath.Join(dir, "p")
	differs(dir, "go.mod", "module example.com/p\n\ngo 1.26"+replace)
	differs(outside, "more.go", "package r\n")
	differs(dir, "vendor/v/v.go", "package v\n")
	was := state()
	write(t, outside, ".hidden", "")
	require.Equal(t, was, state())
}

// diagnostics are those of a package without expectations.
func diagnostics(t *testing.T, dir string, a *analysis.Analyzer) (out []string) {
	for _, r := range analysistest.Run(t, dir, a, ".") {
		for _, d := range r.Diagnostics {
			out = append(out, d.Message)
		}
	}
	return out
}
