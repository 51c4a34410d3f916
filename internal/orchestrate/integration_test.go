package orchestrate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

// inLong skips a test in the short form of the suite, which is for the race detector: it builds
// programs and looks at what these do, and the processes are started and watched as in
// TestExploreReal, TestExploreRough, TestFuzzReal, TestExhaustParallel and TestRunPlainTests.
func inLong(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("has no goroutines that other tests have not")
	}
}

// The generated test of a test entry, as a user runs it.
func TestGeneratedTestOfTest(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	dir := realModule(t)
	r := loadReal(ctx, t, dir, "./p", "TestFails", false)
	tests := map[string][]byte{}
	for i, order := range []string{"0.2 send 38, 0.1 send 37", "0.1 send 37, 0.2 send 38", "0.1 send 37, 0.1 send 37"} {
		plan := r.plan(t, "0 wggo 37, 0 wggo 38, "+order+", 0 wait 39, 0 receive 40", artifact.KindTestFailure, "")
		meta := Meta{Query: 1, Trace: i + 1}
		src, err := Test(r.target, r.side, plan, meta)
		require.NoError(t, err)
		tests[meta.FileName()] = src
	}
	b, err := Build(ctx, r.target, BuildOptions{Overlay: r.overlay, Tests: tests})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	run := func(k int) (string, error) {
		out, err := exec.CommandContext(ctx, b.Path, "-test.v", "-test.run=^"+Meta{Query: 1, Trace: k}.TestName()+"$").CombinedOutput()
		return string(out), err
	}
	out, err := run(1)
	require.Error(t, err)
	require.Contains(t, out, "--- FAIL: TestOrchestration_Q1_1")
	require.Contains(t, out, "the second was first")
	require.Contains(t, out, "reproduced: ")
	out, err = run(2)
	require.NoError(t, err, out)
	require.Contains(t, out, "not reproduced")
	out, err = run(3)
	require.NoError(t, err, out)
	require.Contains(t, out, "no longer reproducible at step 4 of 6")
}

// realModule writes the programs below.
func realModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.20\n", "main.go": realMain, // old on purpose: see the generated test
		"p/p.go": "package p\n", "p/x_test.go": realTest,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// real is a program that is loaded, instrumented and built like any other.
type real struct {
	side    *artifact.Sidecar
	target  Target
	overlay string
	binary  *Binary
}

func loadReal(ctx context.Context, t *testing.T, dir, pattern, entry string, everyLine bool) *real {
	t.Helper()
	prog, err := source.Load(ctx, source.Spec{Dir: dir, Pattern: pattern, Entry: entry, Deps: []string{source.NoDeps}})
	require.NoError(t, err)
	idx := parse.Index(prog)
	side := &artifact.Sidecar{Sites: []artifact.Site{{}}}
	for _, s := range idx.Sites() {
		side.Sites = append(side.Sites, artifact.Site{
			ID: int(s.ID), Kind: s.Kind.String(), Key: s.Key, Func: s.Func, File: s.File, Line: s.Line, Col: s.Col, Text: s.Text,
		})
	}
	overlay, err := parse.Instrument(ctx, prog, idx, parse.Options{EveryLine: everyLine})
	require.NoError(t, err)
	if !strings.HasSuffix(prog.Entry.PkgPath, "rough") {
		var got, want []string
		for _, d := range overlay.Diagnostics {
			at, what, _ := strings.Cut(d.String(), ": ")
			got = append(got, strings.Split(at, ":")[1]+" "+what)
		}
		for _, f := range prog.Entry.GoFiles {
			want = append(want, saidAt(t, f, limited)...)
		}
		require.Equal(t, want, got)
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	file, err := overlay.Write(t.TempDir(), prog.Root, strings.TrimSpace(string(goroot)))
	require.NoError(t, err)
	r := &real{side: side, target: TargetOf(prog, side), overlay: file}
	r.binary, err = Build(ctx, r.target, BuildOptions{Overlay: file})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.binary.Close()) })
	return r
}

// plan reads steps as "g kind line [case]", separated by commas.
func (r *real) plan(t *testing.T, words, kind, expect string) artifact.Plan {
	t.Helper()
	p := artifact.Plan{Steps: []artifact.PlanStep{}, Expect: artifact.Expect{Kind: kind}}
	at := func(word string) (string, string, int) {
		var g, k string
		var line, c int
		n, _ := fmt.Sscan(word, &g, &k, &line, &c)
		if g == timeStep {
			return g, "", 0
		}
		require.GreaterOrEqual(t, n, 3, word)
		for _, s := range r.side.Sites {
			if s.Kind == k && s.Line == line {
				return g, s.Key, c
			}
		}
		require.Fail(t, "no such site", word)
		return "", "", 0
	}
	for w := range strings.SplitSeq(words, ",") {
		if w = strings.TrimSpace(w); w != "" {
			g, site, c := at(w)
			p.Steps = append(p.Steps, artifact.PlanStep{G: g, Site: site, Case: c})
		}
	}
	for w := range strings.SplitSeq(expect, ",") {
		if w = strings.TrimSpace(w); w != "" {
			g, site, _ := at(w)
			p.Expect.Goroutines = append(p.Expect.Goroutines, artifact.At{G: g, Site: site})
		}
	}
	return p
}

const realMain = `package main

import "sync"

var ch = make(chan int)

func sender() {
	ch <- 1
	close(ch)
}

func main() {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	go sender()
	if x := <-ch; x == 1 {
		close(ch)
	}
}
`

const realTest = `package p_test

import (
	"os"
	"sync"
	"testing"
	"time"
)

func TestLeak(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
	}
}

func TestSelects(t *testing.T) {
	a, b := make(chan int), make(chan int)
	go func() {
		select {
		case a <- 1:
		case <-b:
		}
	}()
	select {
	case b <- 2:
	case v := <-a:
		panic(v)
	}
}

func TestFails(t *testing.T) {
	var wg sync.WaitGroup
	done := make(chan bool, 2)
	wg.Go(func() { done <- true })
	wg.Go(func() { done <- false })
	wg.Wait()
	if !<-done {
		t.Fatal("the second was first")
	}
}

func TestOrder(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}()
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	wg.Wait()
}

func TestDeferred(t *testing.T) {
	var mu sync.Mutex
	c := make(chan int)
	close(c)
	mu.Lock()
	defer mu.Unlock()
	c <- 1
}

func TestNested(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	panic("after the lock")
}

func TestExit(t *testing.T) {
	defer println("not reached")
	os.Exit(3)
}
`

// Hand-made plans on real programs, instrumented by package parse.
func TestRealPrograms(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	dir := realModule(t)
	built := map[string]*real{}
	for _, tc := range []struct {
		entry              string
		steps, kind, who   string
		status             string
		everyLine, replays bool
	}{
		{"main", "0 lock 14, 0 go 16, 0.1 start 16, 0.1 send 8, 0 receive 17, 0 close 18, 0.1 close 9", artifact.KindCloseOfClosed, "0.1 close 9", Reproduced, false, true},
		{"main", "0 lock 14, 0 go 16, 0.1 send 8, 0 receive 17, 0.1 close 9, 0 close 18", artifact.KindCloseOfClosed, "0 close 18", Reproduced, true, true},
		{"main", "0 lock 14, 0 go 16, 0 close 18", artifact.KindCloseOfClosed, "0 close 18", Infeasible, false, false},
		{"TestLeak", "0 go 12, 0.1 start 12, 0 select 13, T, 0 end 17", artifact.KindLeak, "0.1 send 12", Reproduced, false, false},
		{"TestLeak", "0 go 12, 0.1 start 12, 0.1 send 12, 0 select 13 0", artifact.KindLeak, "0.1 send 12", NotReproduced, false, false},
		{"TestSelects", "0 go 21, 0.1 select 22 0, 0 select 27 1, 0 panic 30", artifact.KindPanic, "0 panic 30", Reproduced, false, false},
		{"TestSelects", "0 go 21, 0.1 select 22 1, 0 select 27 0, 0 panic 30", artifact.KindPanic, "0 panic 30", Infeasible, false, false},
		{"TestFails", "0 wggo 37, 0 wggo 38, 0.2 send 38, 0.1 send 37, 0 wait 39, 0 receive 40", artifact.KindTestFailure, "", Reproduced, false, false},
		{"TestFails", "0 wggo 37, 0 wggo 38, 0.1 send 37, 0.2 send 38, 0 wait 39, 0 receive 40", artifact.KindTestFailure, "", NotReproduced, false, false},
		{"TestOrder", "0 add 48, 0 go 49, 0 lock 56, 0.1 lock 51", artifact.KindDeadlock, "0 lock 57, 0.1 lock 52", Reproduced, false, false},
		{"TestExit", "", artifact.KindExit, "0 exit 81", Reproduced, false, false},
		{"TestDeferred", "0 close 66, 0 lock 67, 0 send 69, 0 unlock 68", artifact.KindSendOnClosed, "0 send 69", Reproduced, false, false},
		{"TestNested", "0 lock 74, 0 panic 76, 0 unlock 75", artifact.KindPanic, "0 panic 76", Reproduced, true, false},
	} {
		name := fmt.Sprintf("%s %s", tc.entry, tc.status)
		parent := t
		t.Run(name, func(t *testing.T) {
			pattern := "./p"
			if tc.entry == "main" {
				pattern = "."
			}
			key := fmt.Sprint(tc.entry, tc.everyLine)
			if built[key] == nil {
				built[key] = loadReal(ctx, parent, dir, pattern, tc.entry, tc.everyLine)
			}
			r := built[key]
			plan := r.plan(t, tc.steps, tc.kind, tc.who)
			v, err := Replay(ctx, r.binary, plan, RunOptions{})
			require.NoError(t, err)
			require.Equal(t, tc.status, v.Status, "%s\n%s\n%s", v.Reason, v.Stderr, v.Log)
			require.NotEmpty(t, v.Log)
			require.False(t, v.Weak, v.Notes)
			if tc.status == Reproduced {
				require.Equal(t, tc.kind, v.Kind)
			}
			// A recorded run is a plan that gives the same run again.
			if tc.replays {
				again, err := Replay(ctx, r.binary, artifact.Plan{Steps: v.Trace, Expect: plan.Expect}, RunOptions{})
				require.NoError(t, err)
				require.Equal(t, v.Log, again.Log)
				require.Equal(t, v.Kind, again.Kind)
			}
		})
	}
}
