package pass

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
)

// What the model does not cover, since its search ends after a few states, runs
// under random schedules may show. The twins without the errors have none.
var shownByRuns = []struct {
	name, text string
	found      []string
}{
	{"deadlock", `
func TestProgram(t *testing.T) {
	c := make(chan int)
	var mu sync.Mutex
	go func() {
		mu.Lock()
		c <- 1
		mu.Unlock()
	}()
	mu.Lock()
	<-c
	mu.Unlock()
}
`, []string{
		"real deadlock at 17: all goroutines are asleep, the test at lock",
		"real deadlock at 18: all goroutines are asleep, the test at receive",
	}},
	{"deadlockfixed", `
func TestProgram(t *testing.T) {
	c := make(chan int)
	var mu sync.Mutex
	go func() {
		mu.Lock()
		mu.Unlock()
		c <- 1
	}()
	mu.Lock()
	mu.Unlock()
	<-c
}
`, nil},
	{"leaks", `
func TestProgram(t *testing.T) {
	a, b := make(chan int), make(chan int)
	go func() { a <- 1 }()
	go func() { b <- 1 }()
	select {
	case <-a:
	case <-b:
	}
}
`, []string{
		"real goroutine leak at 11: a goroutine can never go on at send after the end of the test",
		"real goroutine leak at 12: a goroutine can never go on at send after the end of the test",
	}},
	// Those that time wakes can go on.
	{"ticking", `
func TestProgram(t *testing.T) {
	stop := make(chan int)
	go func() {
		tick := time.NewTicker(time.Second)
		for {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	var mu sync.Mutex
	go mu.Lock()
}
`, nil},
	// Who is slow for so long has the test fail, and nothing else does.
	{"timeout", `
func TestProgram(t *testing.T) {
	done := make(chan bool)
	go func() {
		var mu sync.Mutex
		mu.Lock()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Error("too late")
	}
}
`, []string{"timing-dependent test failure at 19: test failure: too late"}},
	{"order", `
func TestProgram(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	last := ""
	for _, s := range []string{"a", "b"} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			last = s
		})
	}
	wg.Wait()
	if last != "b" {
		t.Error("a was the last")
	}
	time.Sleep(time.Second)
}
`, []string{"real test failure at 22: test failure: a was the last"}},
	// A failure under all schedules is no matter of concurrency.
	{"always", `
func TestProgram(t *testing.T) {
	var mu sync.Mutex
	go mu.Lock()
	time.Sleep(time.Second)
	t.Error("no")
}
`, nil},
}

func TestRuns(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	for i, p := range shownByRuns {
		if i%2 != 0 && !*everyRow {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			b, err := Check(context.Background(), programs.Test(t, p.text), withSteps(Options{Search: Search{MaxStates: 2}}, 400_000))
			require.NoError(t, err)
			var found []string
			for _, f := range b.Findings() {
				if f.Verdict != artifact.Unconfirmed {
					found = append(found, fmt.Sprintf("%s %s at %d: %s", f.Verdict, f.Kind, f.Line, f.Message))
					require.NotEmpty(t, f.Test)
				}
			}
			require.Equal(t, p.found, found)
			require.NotNil(t, b.Runs())
			require.Equal(t, ExploreRuns+2*ConformanceRuns == b.Runs().Runs, b.Runs().Stopped == "")
		})
	}
}

// A model that covers the program is not believed without runs of the program.
func TestRunsBearOut(t *testing.T) {
	programs.InLong(t)
	b, err := Check(context.Background(), programs.Test(t, shownByRuns[1].text), Options{})
	require.NoError(t, err)
	require.Empty(t, Conclude(b).Limits)
	c := b.Runs().Conformance
	require.Positive(t, c.Runs)
	require.Equal(t, c.Runs, c.Followed)
	require.Empty(t, c.Gaps)
}

// TestFailingAlways: of a test that fails in every run the result says where.
func TestFailingAlways(t *testing.T) {
	programs.InLong(t)
	b, err := Check(context.Background(), programs.Test(t, `
func TestProgram(t *testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	if n := <-c; n != 2 {
		t.Errorf("got %d", n)
	}
}
`), Options{})
	require.NoError(t, err)
	require.Contains(t, b.Runs().Failing, "_test.go:")
	require.Contains(t, b.Runs().Failing, "got 1")
}

// TestLeftToTest: what code leaves to Cleanup and Context of a *testing.T that it has as an interface, or by a
// method expression, is done when the test, or the subtest, ends in the run, and what fails the test so has a guard.
func TestLeftToTest(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := Check(t.Context(), programs.Test(t, `
type helper interface {
	Cleanup(func())
	Setenv(key, value string)
	TempDir() string
	FailNow()
}

func waits(h helper, ok bool) {
	ch := make(chan int)
	h.Setenv("PROGRAM_MODE", h.TempDir())
	h.Cleanup(func() { close(ch) })
	go func() { for range ch {} }()
	if !ok {
		h.FailNow()
	}
}

func TestProgram(t *testing.T) {
	waits(t, true)
	done := make(chan bool, 1)
	t.Run("part", func(t *testing.T) {
		waits(t, true)
		(*testing.T).Cleanup(t, func() { done <- true })
	})
	<-done
}
`), Options{})
	require.NoError(t, err)
	require.Empty(t, b.Findings())
	require.Nil(t, b.Sidecar().Outside(), "all of it is in the model")
}

// TestLongRuns: a program whose runs take more steps than most is run to its end all the same, and what it shows there
// is an error like any other.
func TestLongRuns(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	const program = `package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			for range 500 {
				n.Store(n.Load() + 1)
			}
		})
	}
	wg.Wait()
	if n.Load() != 30*500 {
		panic("lost")
	}
}
`
	b, err := Check(t.Context(), programs.Main(t, program), Options{Search: Search{MaxStates: 1000}, timing: &engineTiming{steps: runSteps}})
	require.NoError(t, err)
	require.Equal(t, outcomeReal, outcomeOf(b), describe(b))
	require.Less(t, b.Runs().Limited, b.Runs().Runs, "some have come to their end")
}

// TestCutWhileWaiting: a run that is cut off while main waits for others is no suspicion if it comes to its end with more
// steps. If it does not, main may wait for ever.
func TestCutWhileWaiting(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for loop, most := range map[string]int{"for range 2000": 0, "for goes.Load()": 1} {
		program := `package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var goes atomic.Bool
	goes.Store(true)
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 4 {
		wg.Go(func() {
			` + loop + ` {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
`
		b, err := Check(t.Context(), programs.Main(t, program), Options{Search: Search{MaxStates: 1000}, timing: &engineTiming{steps: runSteps}})
		require.NoError(t, err)
		require.NotZero(t, b.Runs().Limited)
		require.Len(t, b.Findings(), most, describe(b))
		for _, f := range b.Findings() {
			require.Equal(t, artifact.KindPartialDeadlock, f.Kind)
		}
	}
}

// A data race among many goroutines shows in the first runs, and all schedules are far too many: what is left of a budget
// then is for the check that looks for races.
func TestRaceAmongMany(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	const program = `package main

import "sync"

type config struct{ region string }

type lazy struct {
	mu  sync.Mutex
	cfg *config
}

func (l *lazy) get() *config {
	if l.cfg != nil {
		return l.cfg
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cfg == nil {
		l.cfg = &config{region: "north"}
	}
	return l.cfg
}

func main() {
	var l lazy
	var wg sync.WaitGroup
	wg.Add(100)
	for range 100 {
		go func() {
			defer wg.Done()
			if l.get() == nil {
				panic("no config")
			}
		}()
	}
	wg.Wait()
}
`
	b, err := Check(t.Context(), programs.Main(t, program), Options{Budget: time.Minute})
	require.NoError(t, err)
	require.Equal(t, outcomeReal, outcomeOf(b), describe(b))
	require.True(t, slices.ContainsFunc(b.Findings(), func(f artifact.Finding) bool { return f.Kind == artifact.KindRace && f.Verdict == artifact.Real }))
}

// TestRefuted: an error that only the model has counts the traces that the program was shown not to follow.
func TestRefuted(t *testing.T) {
	t.Parallel()
	b, err := Check(t.Context(), programs.Main(t, `package main

import (
	"strings"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	words := map[string]int{}
	for _, line := range strings.Split("a b,b c,c d,d e,e f", ",") {
		wg.Go(func() {
			for w := range strings.FieldsSeq(line) {
				mu.Lock()
				words[strings.ToUpper(w)]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(words) != 6 {
		panic("words are missing")
	}
}
`), withSteps(Options{}, 1000))
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1, describe(b))
	f := b.Findings()[0]
	require.Equal(t, artifact.Unconfirmed, f.Verdict)
	require.Positive(t, f.Refuted)
	require.LessOrEqual(t, f.Refuted, f.Attempts)
}
