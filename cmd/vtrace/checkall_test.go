package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module with a test that has an error, one that has none, one that cannot be
// translated, and one in a package that does not compile.
var severalEntries = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"a/a_test.go": `package a

import (
	"reflect"
	"sync"
	"testing"
)

func TestReal(t *testing.T) {
	ch := make(chan int)
	go func() { ch <- 1 }()
}

func TestNone(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
}

func TestReflect(t *testing.T) {
	ch := make(chan int)
	go func() { ch <- 1 }()
	close(reflect.ValueOf(ch).Interface().(chan int))
}
`,
	"b/main.go":       "package main\n\nfunc main() {}\n",
	"c/c_test.go":     "package c\n\nimport \"testing\"\n\nfunc TestC(t *testing.T) { undefined() }\n",
	"none/nothing.go": "package none\n",
}

// inModule runs the test in a directory with these files.
func inModule(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	t.Chdir(dir)
}

// TestLeftOut: a check of all tests names what the go command runs with them and the check does
// not, and nothing else.
func TestLeftOut(t *testing.T) {
	const text = `package p

import (
	"fmt"
	"testing"
)

func Example() {
	fmt.Println("x")
	// Output: x
}

func Example_silent() {
	_ = 1
	// Output:
}

func Example_compiled() { fmt.Println("x") }

func Examplesque() {
	// Output:
}

func FuzzNumbers(f *testing.F) { f.Fuzz(func(*testing.T, int) {}) }

func BenchmarkNothing(b *testing.B) {}
`
	const want = "not checked, though go test runs it: Example, Example_silent, FuzzNumbers; -entry NAME checks one\n"
	inModule(t, map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"p/p_test.go":    text + "\nfunc TestNothing(*testing.T) {}\n",
		"only/x_test.go": text,
	})
	code, stdout, stderr := execute(t, "check", "-o", "-", "./p")
	require.Equal(t, exitNothing, code, stderr)
	require.True(t, strings.HasSuffix(stdout, "\n"+want), stdout)
	code, stdout, stderr = execute(t, "check", "-o", "-", "-json", "./p")
	require.Equal(t, exitNothing, code, stderr)
	require.NotContains(t, stdout, "not checked")
	require.Contains(t, stderr, want)
	code, stdout, stderr = execute(t, "check", "-o", "-", "-run", "Test", "./p")
	require.Equal(t, exitNothing, code, stderr)
	require.NotContains(t, stdout+stderr, "not checked")
	code, _, stderr = execute(t, "check", "./only")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "./only: no entry points\n"+want)
}

func TestCheckAll(t *testing.T) {
	inModule(t, severalEntries)

	code, stdout, stderr := execute(t, "check", "-list", "./...")
	require.Equal(t, exitNothing, code, stderr)
	require.Equal(t, `example.com/m/a TestReal	a/a_test.go:9
example.com/m/a TestNone	a/a_test.go:14
example.com/m/a TestReflect	a/a_test.go:20
example.com/m/b main	b/main.go:3
example.com/m/c TestC	c/c_test.go:5
`, stdout)
	code, _, stderr = execute(t, "check", "./none/...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "./none/...: no entry points")
	code, _, stderr = execute(t, "check", "-run", "(", "./...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-run: error parsing regexp")

	code, stdout, stderr = execute(t, "check", "-o", "out", "./...")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "example.com/m/a TestReal: 1 real error\n\n1. REAL: goroutine leak at a/a_test.go:11:")
	require.Regexp(t, `example.com/m/a TestReal +exact +1 real error\n`, stdout)
	require.Regexp(t, `example.com/m/a TestNone +exact +no error\n`, stdout)
	require.Regexp(t, `example.com/m/a TestReflect +partial +1 real error, 1 unconfirmed error \(the program did not do it when it was tried\)\n`, stdout)
	require.Contains(t, stdout, "\n\npartial: the model of the program, which is searched for errors, leaves places out\n\n")
	require.Regexp(t, `example.com/m/b main +exact +no error\n`, stdout)
	require.Regexp(t, `example.com/m/c TestC +refused +not checked: .*c/c_test.go:5:28: undefined: undefined\n`, stdout)
	require.Contains(t, stdout, "\n5 entry points: ")
	bundles, err := filepath.Glob("out/a-TestReal-*.vtz")
	require.NoError(t, err)
	require.Len(t, bundles, 1)

	// How many are checked at once makes no difference.
	code, others, stderr := execute(t, "check", "-o", "out", "-cache", "off", "-parallel", "4", "./...")
	require.Equal(t, exitReal, code, stderr)
	require.Equal(t, stdout, others)

	code, stdout, stderr = execute(t, "check", "-o", "-", "-json", "-run", "TestNone|TestC", "./...")
	require.Equal(t, exitInconclusive, code, stderr)
	var got struct {
		Entries []struct{ Entry struct{ Func string } }
		Refused []struct {
			Func   string
			Errors []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Len(t, got.Entries, 1)
	require.Equal(t, "TestNone", got.Entries[0].Entry.Func)
	require.Len(t, got.Refused, 1)
	require.Equal(t, "TestC", got.Refused[0].Func)

	code, stdout, stderr = execute(t, "check", "-o", "-", "-entry", "all", "-budget", "1ns", "-run", "TestNone", "./a")
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stdout, "no model; no error seen in random runs")
	require.Contains(t, stdout, "\n1 entry point: ")

	// The result's place is looked at before the work.
	code, _, stderr = execute(t, "check", "-entry", "TestNone", "-o", "nowhere/b.vtz", "./a")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-o: stat nowhere: no such file or directory")
}

// TestCheckTests: a package without main has all of its tests checked, and what keeps a
// result open is said.
func TestCheckTests(t *testing.T) {
	inModule(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m_test.go": `package m

import (
	"os"
	"testing"
)

func TestNone(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
}

func TestReal(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
}

func TestOpen(t *testing.T) {
	if _, err := os.Stat("there is none"); err == nil {
		t.Error("there is")
	}
	t.Fail()
}
`,
	})
	code, stdout, stderr := execute(t, "check", ".")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "example.com/m TestReal: 1 real error\n")
	require.Contains(t, stdout, "example.com/m TestOpen: what the result does not cover:\n  m_test.go:")
	require.Contains(t, stdout, "\n  it fails in every run, so that nothing behind that was looked at: ")
	require.Regexp(t, `example.com/m TestOpen +approximated +it fails in every run\n`, stdout)
	require.Contains(t, stdout, "\n3 entry points: 1 inconclusive, 1 with real errors, 1 without error\n")
}
