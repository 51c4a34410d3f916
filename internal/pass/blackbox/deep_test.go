package blackbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// The model cannot tell what bytes.Contains returns, so that its first trace
// panics in the first call; the program does in the third. Runs that were followed in the
// model have shown that.
const thirdCall = `package main

import (
	"bytes"
	"sync"
)

var mu sync.Mutex

func find(s string) {
	mu.Lock()
	defer mu.Unlock()
	if bytes.Contains([]byte("abc"), []byte(s)) {
		panic(s)
	}
}

func main() {
	find("x")
	find("y")
	find("b")
}
`

func TestRefutedTraces(t *testing.T) {
	programs.InLong(t)
	for _, c := range []struct {
		name    string
		opts    pass.Options
		verdict string
		replays int
	}{
		{"exact", pass.Options{}, artifact.Real, 2},
		{"fnv", pass.Options{Disallow: pass.DisallowFNV}, artifact.Real, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var replays []string
			c.opts.Progress = func(e pass.Event) {
				if r, ok := e.(pass.Replayed); ok {
					replays = append(replays, r.Outcome)
				}
			}
			b, err := pass.Check(context.Background(), programs.Main(t, thirdCall), c.opts)
			require.NoError(t, err)
			require.Len(t, b.Findings(), 1)
			f := b.Findings()[0]
			require.Equal(t, c.verdict, f.Verdict, f.Reason)
			require.Equal(t, 14, f.Line)
			require.Equal(t, c.replays, f.Attempts, replays)
			require.Len(t, b.Refutations(), c.replays-1)
			require.NotNil(t, b.Trace(f.Query, c.replays))
			_, ok := b.Read(artifact.TestPath(f.Query, c.replays))
			require.True(t, ok)
		})
	}
}

// What WaitGroup.Go counts down at the end panics at the call of it, in the model and in the
// program.
func TestWaitGroupGoDone(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

import "sync"

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		wg.Done()
	})
	wg.Wait()
}
`), pass.Options{})
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1)
	f := b.Findings()[0]
	require.Equal(t, artifact.Real, f.Verdict, f.Reason)
	require.Equal(t, 7, f.Line)
	require.Empty(t, b.Refutations())
	require.Empty(t, f.Reason)
}

// Who waited for a condition variable takes its lock in a step of its own, which traces have:
// the first one of each error is followed, and no run has to show it.
func TestLockOfCond(t *testing.T) {
	programs.InLong(t)
	for name, at := range map[string]string{
		"condrwannounced": "main.go:30: real: deadlock",
		"condrwreader":    "main.go:20: real: deadlock",
		"condrwtry":       "main.go:30: real: panic",
		"condrwtwo":       "main.go:32: real: panic",
		"condtrylock":     "main.go:24: real: panic",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var replays []string
			opts := pass.Options{RunDepth: 1, Progress: func(e pass.Event) {
				if r, ok := e.(pass.Replayed); ok {
					replays = append(replays, r.Outcome)
				}
			}}
			spec := source.Spec{Dir: "../../../internal/translate/testdata/verdicts/" + name, Entry: "main"}
			first, err := pass.First(t.Context(), spec, opts)
			require.NoError(t, err)
			second, err := pass.Second(t.Context(), first, opts)
			require.NoError(t, err)
			deep, err := pass.Deep(t.Context(), second, opts)
			require.NoError(t, err)
			require.Len(t, deep.Findings(), 1)
			f := deep.Findings()[0]
			require.Equal(t, at, fmt.Sprintf("%s:%d: %s: %s", filepath.Base(f.File), f.Line, f.Verdict, f.Kind))
			require.Equal(t, []string{orchestrate.Reproduced}, replays)
			require.NotContains(t, f.Reason, "found by running")
			require.Empty(t, deep.Refutations())
		})
	}
}

// No trace of the model is one of the program.
func TestFalse(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

import "bytes"

func main() {
	ch := make(chan string)
	go func() {
		ch <- "HELLO"
		close(ch)
	}()
	if bytes.HasPrefix([]byte(<-ch), []byte("X")) {
		close(ch)
	}
}
`), pass.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.go:9: false: close of closed channel", "main.go:12: false: close of closed channel"}, found(b))
	c := pass.Conclude(b)
	require.False(t, c.Inconclusive())
	require.Equal(t, 2, c.False)
}

// With every statement guarded the result is the same, and the log has every
// line.
func TestEveryLine(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

func main() {
	ch := make(chan int, 1)
	n := 0
	for i := range 3 {
		n += i
	}
	ch <- n
	close(ch)
	close(ch)
}
`), pass.Options{Model: &pass.Model{EveryLine: true}})
	require.NoError(t, err)
	require.Equal(t, []string{"main.go:11: real: close of closed channel"}, found(b))
	f := b.Findings()[0]
	log, ok := b.Read("logs/" + filepath.Base(f.Trace[:len(f.Trace)-len(".json")]) + ".log")
	require.True(t, ok)
	require.Contains(t, string(log), "0.000s 0  :  main.go:7: n += i\n")
	require.Contains(t, string(log), "0.000s 0  :  main.go:11: close(ch)\n")
}

// Selected categories leave out errors, but not that a bound was reached.
func TestCategories(t *testing.T) {
	if testing.Short() {
		t.Skip("has no goroutines that others have not")
	}
	t.Parallel()
	spec := programs.Main(t, `package main

import "sync"

func main() {
	var mu sync.Mutex
	for range 20 {
		go func() {
			mu.Lock()
			mu.Unlock()
			mu.Unlock()
		}()
	}
}
`)
	first := func(categories ...string) *artifact.Bundle {
		b, err := pass.First(context.Background(), spec, pass.Options{Model: &pass.Model{Categories: categories}, Search: pass.Search{MaxStates: 200_000}})
		require.NoError(t, err)
		return b
	}
	all := first()
	require.Contains(t, found(all), "main.go:11: possible: unlock of unlocked mutex")
	some := first("channel safety")
	require.Empty(t, some.Findings())
	require.NotEmpty(t, pass.Conclude(some).Limits)
	_, err := pass.First(context.Background(), spec, pass.Options{Model: &pass.Model{Categories: []string{"luck"}}})
	require.ErrorContains(t, err, `no query category "luck"`)
}

// What a program prints is kept apart from the execution log.
func TestOutput(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

import "fmt"

func main() {
	fmt.Println("before")
	panic("now")
}
`), pass.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.go:7: real: panic"}, found(b))
	f := b.Findings()[0]
	base := "logs/" + filepath.Base(f.Trace[:len(f.Trace)-len(".json")])
	out, _ := b.Read(base + ".stdout")
	require.Contains(t, string(out), "before\n")
	log, _ := b.Read(base + ".log")
	require.NotContains(t, string(log), "before\n")
}

// A program that hangs outside of control is not a reproduction.
func TestHang(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

import "strings"

func main() {
	for strings.Contains("abc", "b") {
	}
	panic("never")
}
`), pass.Options{Watchdog: 2 * time.Second})
	require.NoError(t, err)
	for _, f := range b.Findings() {
		require.Equal(t, artifact.Unconfirmed, f.Verdict)
		require.NotEmpty(t, f.Reason)
	}
	require.True(t, pass.Conclude(b).Inconclusive(), found(b))
}

// Runs without a verdict are named in the result, with why they have none.
func TestUndecided(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Test(t, `
func TestProgram(t *testing.T) {
	n := testing.AllocsPerRun(1, func() {})
	done := make(chan bool)
	go close(done)
	<-done
	if n >= 0 {
		t.Fatal(n)
	}
}
`), pass.Options{})
	require.NoError(t, err)
	runs := b.Runs()
	require.Equal(t, runs.Runs, runs.Uncontrolled)
	const why = "the test has failed, and what testing.AllocsPerRun measures is not the same in the instrumented program, and may be why"
	require.Equal(t, []string{why}, runs.Undecided)
	require.Contains(t, pass.Conclude(b).Limits, fmt.Sprintf("%d of %[1]d runs of the program have no verdict, and what they might have shown is not known: %s", runs.Runs, why))

	runs.Undecided = nil // as in bundles of earlier versions
	require.Contains(t, strings.Join(pass.Conclude(b).Limits, "\n"), "what they might have shown is not known")
}

// A cancelled pass ends, with the context's error.
func TestCancel(t *testing.T) {
	t.Parallel()
	spec := programs.Main(t, thirdCall)
	for _, stage := range []string{"load", "translate", "search", "instrument", "build", "replay"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := pass.Check(ctx, spec, pass.Options{Progress: func(e pass.Event) {
			if s, ok := e.(pass.StageStarted); ok && s.Stage == stage {
				cancel()
			}
		}})
		cancel()
		require.ErrorIs(t, err, context.Canceled, stage)
	}
}

// A choice that the model leaves open and the program always makes otherwise is
// not refuted once for each order of the steps before it.
func TestAvoidedChoices(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), source.Spec{Dir: "../../../internal/translate/testdata/verdicts/balances", Entry: "main"}, pass.Options{})
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1)
	f := b.Findings()[0]
	require.Equal(t, artifact.Real, f.Verdict, f.Reason)
	require.LessOrEqual(t, f.Attempts, 3)
}

// realIn are the real errors that a check finds, with their lines.
func realIn(t *testing.T, spec source.Spec) (real []string) {
	t.Helper()
	b, err := pass.Check(t.Context(), spec, pass.Options{})
	require.NoError(t, err)
	for _, f := range b.Findings() {
		if f.Verdict == artifact.Real {
			real = append(real, fmt.Sprintf("%s at line %d", f.Kind, f.Line))
		}
	}
	return real
}

// TestCrashSeenElsewhere: a crash that shows in the replay of a trace of something else is at the
// place of the crash, and so one finding with that which the model has there.
func TestCrashSeenElsewhere(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	spec := programs.Main(t, `package main

import (
	"container/list"
	"sync"
)

type lru struct {
	mu sync.Mutex
	l  *list.List
	m  map[int]*list.Element
}

func (c *lru) put(k int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = c.l.PushFront(k)
	if c.l.Len() > 1 {
		e := c.l.Back()
		delete(c.m, c.l.Remove(e).(int))
	}
}

func (c *lru) get(k int) int {
	c.mu.Lock()
	e := c.m[k]
	c.mu.Unlock()
	return e.Value.(int)
}

func main() {
	c := &lru{l: list.New(), m: map[int]*list.Element{}}
	c.put(1)
	done := make(chan bool)
	go func() { c.put(2); close(done) }()
	c.get(1)
	<-done
}
`)
	require.Equal(t, []string{"panic at line 28"}, realIn(t, spec))
}

// TestDeferredMisuse: a deferred operation that is misused while a panic is under way is one finding,
// at the operation.
func TestDeferredMisuse(t *testing.T) {
	programs.InLong(t)
	spec := programs.Main(t, `package main

func main() {
	c := make(chan int)
	go func() {
		for range c {
		}
	}()
	close(c)
	func() {
		defer close(c)
		c <- 1
	}()
}
`)
	require.Equal(t, []string{"close of closed channel at line 11"}, realIn(t, spec))
}
