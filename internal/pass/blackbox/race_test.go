package blackbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// racyTwins are programs with data races and the same ones without. LOCK and
// UNLOCK stand for what is missing.
var racyTwins = []struct {
	name, text string
	lock       [2]string
	found      []string // without the locks
	fixed      []string // with them
}{
	{"counter", `package main

import "sync"

var (
	n  int
	mu sync.Mutex
)

func main() {
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			LOCK
			n++
			UNLOCK
		}()
	}
	wg.Wait()
	println(n)
}
`, [2]string{"mu.Lock()", "mu.Unlock()"}, []string{"main.go:17: real: data race"}, nil},
	// Two variables in one statement are one finding.
	{"pair", `package main

import "sync"

var mu sync.Mutex

func main() {
	var a, b int
	done := make(chan bool)
	go func() {
		LOCK
		a, b = 1, 2
		UNLOCK
		done <- true
	}()
	LOCK
	a, b = 3, 4
	UNLOCK
	<-done
	println(a, b)
}
`, [2]string{"mu.Lock()", "mu.Unlock()"}, []string{"main.go:12: real: data race"}, nil},
	// The race is beside an error that the model finds; its replay shows it.
	{"beside", `package main

import "sync"

var mu sync.Mutex

func main() {
	done := make(chan bool)
	x := new(int)
	go func() {
		LOCK
		*x = 2
		UNLOCK
		close(done)
	}()
	LOCK
	*x = 3
	UNLOCK
	<-done
	close(done)
}
`, [2]string{"mu.Lock()", "mu.Unlock()"}, []string{"main.go:12: real: data race", "main.go:20: real: close of closed channel"},
		[]string{"main.go:20: real: close of closed channel"}},
}

func racing() pass.Options { return pass.Options{Model: &pass.Model{Races: true}} }

// A race is one finding, however often it shows; without it nothing is found.
// In stages the result has the same bytes.
func TestRaces(t *testing.T) {
	programs.InLong(t)
	for i, c := range racyTwins {
		if !sampled(i) || !oneOf(2, i) {
			continue
		}
		for _, locked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/locked=%v", c.name, locked), func(t *testing.T) {
				t.Parallel()
				ctx := context.Background()
				lock, want := [2]string{"_ = 0", "_ = 0"}, c.found
				if locked {
					lock, want = c.lock, c.fixed
				}
				spec := programs.Main(t, strings.NewReplacer("UNLOCK", lock[1], "LOCK", lock[0]).Replace(c.text))
				whole, err := pass.Check(ctx, spec, racing())
				require.NoError(t, err)
				require.Equal(t, want, found(whole))
				require.Empty(t, pass.Conclude(whole).Limits)
				require.Equal(t, len(want) > 0, pass.Conclude(whole).Real > 0)
				search := whole.Races()
				require.Equal(t, pass.RaceRuns, search.Runs)
				require.Greater(t, search.Schedules, 1)
				require.Empty(t, search.Stopped)
				if c.name == "beside" {
					require.Equal(t, map[string]int{artifact.KindCloseOfClosed: pass.RaceRuns}, search.Ends)
				} else {
					require.Empty(t, search.Ends)
				}

				second := saved(t)(pass.Second(ctx, saved(t)(pass.First(ctx, spec, racing())), pass.Options{}))
				same(t, whole, saved(t)(pass.Deep(ctx, second, pass.Options{})))

				for _, f := range whole.Findings() {
					if f.Kind == artifact.KindRace {
						race(t, whole, f)
					}
				}
			})
		}
	}
}

// race checks the finding of a race.
func race(t *testing.T, b *artifact.Bundle, f artifact.Finding) {
	t.Helper()
	require.Equal(t, pass.CategoryRace, f.Category)
	require.Equal(t, "example.com/p", f.Function[:len("example.com/p")])
	require.Contains(t, f.Message, "with nothing after")
	require.Len(t, f.Goroutines, 2)
	for _, g := range f.Goroutines {
		require.Contains(t, g.Operation, " of ")
		require.Equal(t, "main.go", g.File)
		require.NotEmpty(t, g.Text)
		require.NotEmpty(t, g.Stack)
		require.Contains(t, g.Stack[0], fmt.Sprintf("main.go:%d", g.Line))
	}
	require.NotEqual(t, f.Goroutines[0].G, f.Goroutines[1].G)
	require.NotEmpty(t, f.Interleaving)
	name := strings.TrimSuffix(strings.TrimPrefix(f.Test, "tests/"), "_test.go")
	v, err := pass.Replay(context.Background(), b, name, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, "reproduced", v.Status, v.Reason)
	require.Equal(t, artifact.KindRace, v.Kind)
	last, told := v.Trace[len(v.Trace)-1], f.Interleaving[len(f.Interleaving)-1]
	require.Equal(t, [2]string{told.G, told.Site}, [2]string{last.G, last.Site}, "the run ends with the race")
}

// Both variables are named, though the finding is one.
func TestRacesOfOneStatement(t *testing.T) {
	t.Parallel()
	spec := programs.Main(t, strings.NewReplacer("UNLOCK", "_ = 0", "LOCK", "_ = 0").Replace(racyTwins[1].text))
	b, err := pass.Check(context.Background(), spec, racing())
	require.NoError(t, err)
	require.Regexp(t, `write of (a|b) at .*; the same statements race on (a|b) too$`, b.Findings()[0].Message)
}

// The correct examples have no races, but for those that share a variable: it
// has no lock, and what is correct in them is that they do not panic.
func TestRacesOfExamples(t *testing.T) {
	for i, p := range examples.Programs() {
		if !strings.HasSuffix(p.Name, "_fixed") || !sampled(i) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(p.Name, "sharedvar") {
				example(t, p, examples.Main, racing())
				return
			}
			_, spec, _ := generate(t, p.Name, examples.Main, 0)
			b, err := pass.Check(context.Background(), spec, racing())
			require.NoError(t, err)
			require.NotEmpty(t, b.Findings())
			for _, f := range b.Findings() {
				require.Equal(t, artifact.Real, f.Verdict)
				require.Equal(t, artifact.KindRace, f.Kind)
				for _, g := range f.Goroutines {
					require.Contains(t, g.Operation, " of x")
				}
			}
		})
	}
}

// A program that cannot be controlled is not said to be without races, and does
// not take the time of every run.
func TestRacesUncontrolled(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

import (
	"os"
	"strings"
)

func init() {
	if strings.Contains("abc", "b") {
		os.Exit(3)
	}
}

func main() {
	done := make(chan bool)
	go close(done)
	<-done
}
`), racing())
	require.NoError(t, err)
	require.NotEmpty(t, b.Races().Stopped)
	require.Less(t, b.Races().Runs, pass.RaceRuns)
	require.Contains(t, strings.Join(pass.Conclude(b).Limits, "\n"), "data races were looked for in ")
	require.True(t, pass.Conclude(b).Inconclusive())
}

// What the standard library writes to a value that it is lent shows, but for what it reads,
// or writes elsewhere: nothing is claimed where two goroutines use the value with nothing to
// order them.
func TestRacesUnseen(t *testing.T) {
	programs.InLong(t)
	const text = `package main

import (
	"container/list"
	"encoding/json"
	"io"
	"sync"
)

var out = json.NewEncoder(io.Discard)

func main() {
	l := list.New()
	a, b := l.PushBack(1), l.PushBack(2)
	var mu sync.RWMutex
	var wg sync.WaitGroup
	for _, e := range []*list.Element{a, b} {
		wg.Go(func() {
			mu.RLock()
			USE
			mu.RUnlock()
		})
	}
	wg.Wait()
}
`
	const encodes, moves = "out.Encode(l == nil || e == nil)", "l.MoveToFront(e)"
	ordered := strings.NewReplacer("RLock", "Lock", "RUnlock", "Unlock").Replace(text)
	for _, c := range []struct{ name, text, use, limit string }{
		{"uncertain", text, encodes, "nothing orders the uses of out at main.go:20 and out at main.go:20: whether the library's accesses race is not seen"},
		{"ordered", ordered, encodes, ""},
		{"seen", text, moves, "race"},
		{"seen, ordered", ordered, moves, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, err := pass.Check(context.Background(), programs.Main(t, strings.Replace(c.text, "USE", c.use, 1)), racing())
			require.NoError(t, err)
			if c.limit == "race" {
				require.Equal(t, 1, pass.Conclude(b).Real)
				require.Equal(t, artifact.KindRace, b.Findings()[0].Kind)
				return
			}
			require.Empty(t, b.Findings())
			require.Equal(t, c.limit, strings.Join(pass.Conclude(b).Limits, "\n"))
		})
	}
}

// Accesses that are not instrumented cannot show a race.
func TestRacesTooLate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	first, err := pass.First(ctx, programs.Main(t, thirdCall), pass.Options{})
	require.NoError(t, err)
	second, err := pass.Second(ctx, first, pass.Options{})
	require.NoError(t, err)
	_, err = pass.Deep(ctx, second, racing())
	require.ErrorContains(t, err, "not instrumented for that")
}

// saved returns a function that saves a bundle and loads it.
func saved(t *testing.T) func(*artifact.Bundle, error) *artifact.Bundle {
	return func(b *artifact.Bundle, err error) *artifact.Bundle {
		t.Helper()
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "b.vtz")
		require.NoError(t, artifact.Save(b, path))
		loaded, err := artifact.Load(path)
		require.NoError(t, err)
		return loaded
	}
}

// same checks that two bundles have the same bytes.
func same(t *testing.T, a, b *artifact.Bundle) {
	t.Helper()
	for _, p := range a.Paths() {
		x, _ := a.Read(p)
		y, _ := b.Read(p)
		require.Equal(t, string(x), string(y), p)
	}
	require.Equal(t, a.Digest(), b.Digest())
}
