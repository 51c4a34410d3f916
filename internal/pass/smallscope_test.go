package pass

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/smallscope"
)

// countedBy is a program in which goroutines count, with what comes behind it. Each has a variable of its own: those that
// are alike have one schedule, however many they are.
func countedBy(goroutines, behind string) string {
	return `package main

import "sync"

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range ` + goroutines + ` {
		var own int; wg.Go(func() { _ = own; mu.Lock(); n++; mu.Unlock() })
	}
	wg.Wait()
	` + behind + `
}
`
}

// dated has few schedules, and what the clock shows decides.
const dated = `package main

import "time"

func main() {
	c := make(chan int)
	go func() {
		for i := range 5 {
			c <- i
		}
	}()
	for range 5 {
		<-c
	}
	if time.Now().Format("15") == "25" {
		panic("late")
	}
}
`

// TestSmallScopes: a program that is too large to be proved is checked with smaller numbers, and the result says what that
// has shown, and of which numbers.
func TestSmallScopes(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	few := Options{Search: Search{MaxStates: 200}, timing: &engineTiming{steps: 3000}}
	for name, c := range map[string]struct {
		program string
		opts    Options
		want    []string // the outcomes, with the numbers
		why     string   // of the last one
	}{
		"proved": {countedBy("20", "_ = n"), few, []string{"proved 2", "proved 3"}, "no error in its model"},
		"numbers that do not fit": {
			countedBy("20", `if bad(n) { panic("lost") }`) + "\nfunc bad(n int) bool { return n*7 != 140 }\n", few, []string{"unfit 2 3", "unfit 3 4", "unfit 2", "unfit 2 2"}, "panic at main.go:13",
		},
		"a check is fitted": {
			countedBy("20", `if m := n * 7; m != 140 { panic("lost") }`), few, []string{"proved 2 14", "proved 3 21"}, "no error in its model",
		},
		"two checks are": {
			countedBy("20", `if m := n * 7; m != 140 { panic("lost") }
	if m := n * 9; 180 != m { panic("lost") }`), few, []string{"proved 2 14 18", "proved 3 21 27"}, "no error in its model",
		},
		"what is no bound stays": {
			countedBy("20", `if n -= n; n+500+500 != 1000 { panic("lost") }`), few, []string{"proved 2", "proved 3"}, "no error in its model",
		},
		"too large all the same":                 {countedBy("20", "_ = n"), Options{Search: Search{MaxStates: 2}, timing: &engineTiming{steps: 8}}, []string{"open 2"}, ""},
		"proved as it is":                        {countedBy("2", "_ = n"), few, nil, ""},
		"an error":                               {countedBy("20", `panic("always")`), few, nil, ""},
		"what is open is no matter of schedules": {dated, few, nil, ""},
		"nothing to be made smaller":             {countedBy("2", "for i := range c { _ = i }") + "\nvar c = make(chan int)\n", few, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := Check(t.Context(), programs.Main(t, c.program), c.opts)
			require.NoError(t, err)
			var got []string
			last := artifact.SmallScope{}
			for _, s := range b.Runs().SmallScopes {
				last = s
				text := s.Outcome
				for _, n := range s.Numbers {
					text += fmt.Sprintf(" %d", n.To)
					require.NotEmpty(t, n.At)
					require.Regexp(t, `^main\.go:\d+:\d+$`, n.At[0])
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, got)
			if c.why != "" {
				require.True(t, slices.ContainsFunc(last.Why, func(w string) bool { return strings.Contains(w, c.why) }), "%v", last.Why)
			}
		})
	}
}

// TestScopeFails: a smaller program that fails in some runs, and in others does not, has an error. If its checks do not fit, and
// runs give different values, it stays unknown: they may by right.
func TestScopeFails(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	for name, c := range map[string]struct{ behind, outcome, fitted string }{
		"fits":                  {`if v.Load() != 20 { panic("lost") }`, artifact.ScopeFails, artifact.ScopeFails},
		"one of two values":     {`if v.Load() != 20 && v.Load() != 19 { panic("lost") }`, artifact.ScopeOpen, artifact.ScopeOpen},
		"values of one run":     {`if m := v.Load() * 7; m != 140 { panic("lost") }`, artifact.ScopeUnfit, artifact.ScopeUnfit},
		"a winner is no number": {`if m := v.Load(); m == 0 || 140 != len(all) * 7 { panic("lost") }`, artifact.ScopeUnfit, artifact.ScopeProved},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := strings.NewReplacer("n := 0", "var v atomic.Int64; all := map[int]bool{}; _ = all", "range 20 {", "i := range 20 {", "n++; mu.Unlock()", "all[i] = true; mu.Unlock(); v.Store(v.Load() + 1)", `import "sync"`, "import (\"sync\"; \"sync/atomic\")").Replace(countedBy("20", c.behind))
			p, err := load(t.Context(), programs.Main(t, program))
			require.NoError(t, err)
			families, err := smallscope.Families(p.source)
			require.NoError(t, err)
			r, err := p.checkScope(t.Context(), families[0][0], Options{})
			require.NoError(t, err)
			require.Equal(t, c.outcome, r.Outcome, "%v", r.Why)
			require.Equal(t, "panic at main.go:13", r.Why[0])
			if r.Outcome == artifact.ScopeUnfit {
				r, err = p.fitScope(t.Context(), families[0][0], r, Options{})
				require.NoError(t, err)
				require.Equal(t, c.fitted, r.Outcome, "%v", r.Why)
			}
		})
	}
}
