package orchestrate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

const plainTests = `package p

import (
	"os"
	"sync"
	"testing"
	"time"
)

var mu sync.Mutex

func TestPasses(t *testing.T)    { mu.Lock() }
func TestFails(t *testing.T)     { t.Run("sub", func(t *testing.T) { t.Error("not so") }) }
func TestPanics(t *testing.T)    { panic("at once") }
func TestGoroutine(t *testing.T) { go panic("beside"); <-make(chan int) }
func TestStuck(t *testing.T)     { <-make(chan int) }
func TestSleeps(t *testing.T)    { time.Sleep(time.Hour) }
func TestExits(t *testing.T)     { os.Exit(3) }
func TestSkips(t *testing.T)     { t.Skip("panic: not at all") }
func TestSays(t *testing.T)      { t.Log("fatal error: that of another program") }
`

// builtPlain builds a package as it is, with an entry.
func builtPlain(t *testing.T, name, entry string, files map[string]string) *Binary {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/p\n\ngo 1.26\n"
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	b, err := BuildFree(t.Context(), Target{Root: dir, Dir: dir, Name: name, Entry: artifact.Entry{Package: "example.com/p", Func: entry}}, BuildOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// TestRunPlain: how programs fail that run as they are is read from what they print.
func TestRunPlain(t *testing.T) {
	t.Parallel()
	b := builtPlain(t, "p", "TestPasses", map[string]string{"p_test.go": plainTests})
	for name, want := range map[string]PlainRun{
		"TestPasses":    {Ended: true},
		"TestFails":     {Ended: true, Failure: "test failure: p_test.go:13: not so", Failed: []string{"TestFails"}},
		"TestPanics":    {Ended: true, Failure: "panic: at once", Failed: []string{"TestPanics"}},
		"TestGoroutine": {Ended: true, Failure: "panic: beside"},
		"TestStuck":     {Ended: true, Failure: "fatal error: all goroutines are asleep - deadlock!"},
		"TestSleeps":    {},
		"TestExits":     {Ended: true},
		"TestSkips":     {Ended: true},
		"TestSays":      {Ended: true},
	} {
		target := b.target
		target.Entry.Func = name
		timeout := time.Minute
		if name == "TestSleeps" {
			timeout = time.Second / 5
		}
		got, err := b.For(target, nil).RunPlain(t.Context(), timeout)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.RunPlain(ended, time.Minute)
	require.ErrorIs(t, err, context.Canceled)
}

// TestRunPlainTests: the tests of a package run together, and those have failed that ran at the end.
func TestRunPlainTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tests string
		want  PlainRun
	}{
		"one locks what another has left locked": {`
func TestFirst(t *testing.T) { mu.Lock() }
func TestLast(t *testing.T)  { mu.Lock() }
`, PlainRun{true, "fatal error: all goroutines are asleep - deadlock!", []string{"TestLast"}}},
		"two fail": {`
func TestFirst(t *testing.T) { t.Fatal("first") }
func TestMid(t *testing.T)   { t.Run("sub", func(t *testing.T) {}) }
func TestLast(t *testing.T)  { t.Fatal("last") }
`, PlainRun{true, "test failure", []string{"TestFirst", "TestLast"}}},
		"all pass": {`
func TestFirst(t *testing.T) { t.Parallel(); mu.Lock() }
func TestLast(t *testing.T)  { t.Parallel() }
`, PlainRun{Ended: true}},
	} {
		b := builtPlain(t, "p", "TestFirst", map[string]string{"p_test.go": "package p\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nvar mu sync.Mutex" + c.tests})
		got, err := b.RunPlainTests(t.Context(), time.Minute)
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
	}
}

// TestRunPlainMain: main runs as it is, too. That it exits with a code is no failure.
func TestRunPlainMain(t *testing.T) {
	inLong(t)
	t.Parallel()
	for body, want := range map[string]PlainRun{
		"":                            {Ended: true},
		"os.Exit(1)":                  {Ended: true},
		"<-make(chan int)":            {Ended: true, Failure: "fatal error: all goroutines are asleep - deadlock!"},
		`panic("x" + os.Args[0][:0])`: {Ended: true, Failure: "panic: x"},
	} {
		b := builtPlain(t, "main", "main", map[string]string{"main.go": "package main\n\nimport \"os\"\n\nvar _ = os.Args\n\nfunc main() { " + body + " }\n"})
		got, err := b.RunPlain(t.Context(), time.Minute)
		require.NoError(t, err)
		require.Equal(t, want, got, body)
	}
}

// TestFailureIn: what says something of the machine is no failure, and addresses are left out.
func TestFailureIn(t *testing.T) {
	for out, want := range map[string]string{
		"":                                   "",
		"panic: " + strings.Repeat("ä", 200): "panic: " + strings.Repeat("ä", 96) + "?",
		"fatal error: runtime: out of memory\n\ngoroutine 1 [running]:\n":             "",
		"runtime: x\nfatal error: newosproc\n":                                        "",
		"panic: out of memory, says the program\n":                                    "panic: out of memory, says the program",
		"fatal error: concurrent map writes\n\ngoroutine 7 [running]:\n":              "fatal error: concurrent map writes",
		"panic: &main.T{p: 0xc000012345}\n":                                           "panic: &main.T{p: }",
		"--- FAIL: TestX (0.00s)\n    x_test.go:1: a\n    x_test.go:2: b\nFAIL\n":     "test failure: x_test.go:1: a",
		"--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/s (0.00s)\n        x.go:3: a\n": "test failure: x.go:3: a",
	} {
		got, _ := failureIn([]byte(out))
		require.Equal(t, want, got, "%q", out)
	}
}
