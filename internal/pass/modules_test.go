package pass

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/module"
	"github.com/vtrace/vtrace/internal/source"
)

var (
	checkedModules = flag.String("checked", "", `modules, "path@version", of which TestModules checks concurrent tests, separated by commas; "default" for those of benchmarks/corpus.md`)
	checkedBudget  = flag.Duration("checkedbudget", time.Minute, "budget of each of these checks")
	checkedTests   = flag.Int("checkedtests", 3, "concurrent tests of each module, evenly spaced in the order of the source; 0 for all")
)

// TestModules checks concurrent tests of public modules, one after the other, and says
// what the checks answer, which engine has proved it, and what they cost. That they
// answer in time and without an internal error is what it demands. It needs the network
// and, with the default budget, an hour:
//
//	go test ./internal/pass -run 'TestModules$' -checked default -timeout 3h -v
func TestModules(t *testing.T) {
	if *checkedModules == "" {
		t.Skip("needs -checked")
	}
	list := strings.Split(*checkedModules, ",")
	if *checkedModules == "default" {
		list = slices.Concat(module.Selection(), module.Others())
	}
	var all []answer
	for _, m := range list {
		var of []answer
		t.Run(m, func(t *testing.T) {
			dir, err := module.Fetch(t.Context(), m, t.TempDir())
			require.NoError(t, err)
			set, err := module.Load(t.Context(), dir)
			require.NoError(t, err)
			for _, e := range evenly(concurrentTests(set, regexp.MustCompile("")), *checkedTests) {
				t.Run(e.Func, func(t *testing.T) { of = append(of, checkTest(t, set, e)) })
			}
		})
		t.Logf("| %s | %s |", m, summary(of))
		all = append(all, of...)
	}
	t.Logf("| all | %s |", summary(all))
}

// concurrentTests are the concurrent tests of a module with names that match.
func concurrentTests(set *source.Set, only *regexp.Regexp) (all []source.EntryPoint) {
	for _, e := range set.Entries() {
		if e.Func == "main" || !only.MatchString(e.Func) {
			continue
		}
		if prog, err := set.Program(e); err == nil && module.Concurrent(prog) {
			all = append(all, e)
		}
	}
	return all
}

// evenly selects n of them, evenly spaced; all for 0.
func evenly(all []source.EntryPoint, n int) []source.EntryPoint {
	if n == 0 || n >= len(all) {
		return all
	}
	var some []source.EntryPoint
	for i := range n {
		some = append(some, all[(2*i+1)*len(all)/(2*n)])
	}
	return some
}

// answer is what a check says of a test.
type answer struct {
	what      string // as of TestVerdicts
	engine    string // of what is none: "schedules" or "model"
	small     bool   // it is open, and proved with smaller numbers
	time, cpu time.Duration
}

func checkTest(t *testing.T, set *source.Set, e source.EntryPoint) answer {
	began, used := time.Now(), processorTime(true)
	inBudget := began // which begins when libraries are compiled
	b, err := CheckEntry(t.Context(), set, e, Options{Budget: *checkedBudget, Progress: func(e Event) {
		if s, ok := e.(StageDone); ok && s.Stage == LibrariesStage {
			inBudget = time.Now()
		}
	}})
	took := time.Since(inBudget)
	a := answer{time: time.Since(began), cpu: processorTime(true) - used}
	require.NoError(t, err)
	c := Conclude(b)
	if a.what = outcomeOf(b); c.Inconclusive() { // beside notes, too
		a.what = outcomeOpen
	}
	if a.what != outcomeReal && a.what != outcomeOpen {
		a.engine = "model"
		if c.Proved {
			a.engine = "schedules"
		}
	}
	if r := b.Runs(); r != nil && a.what == outcomeOpen {
		for _, s := range r.SmallScopes {
			a.small = a.small || s.Outcome == artifact.ScopeProved
			t.Logf("with smaller numbers: %s: %.300v", s.Outcome, s.Why)
		}
	}
	t.Logf("%s %s: %v, processor %v", a.what, a.engine, a.time.Round(100*time.Millisecond), a.cpu.Round(100*time.Millisecond))
	for _, f := range b.Findings() {
		if f.Verdict != artifact.False {
			t.Logf("%s: %s at %s:%d", f.Verdict, f.Kind, f.File, f.Line)
		}
	}
	for _, l := range c.Limits {
		t.Log("limit: ", l)
	}
	if r := b.Runs(); r != nil {
		t.Logf("runs %d, exhaustive %+v, preemptions %+v", r.Runs, r.Exhaustive, r.Preemptions)
	}
	require.Less(t, took, *checkedBudget*11/10, "the budget is not kept")
	return a
}

// summary is a row of a table: tests, none by the schedules, none by the model, real,
// timing-dependent, note, open, of those none with smaller numbers, median and most seconds, median seconds of processor.
func summary(of []answer) string {
	count := func(what, engine string) (n int) {
		for _, a := range of {
			if a.what == what && (engine == "" || a.engine == engine) {
				n++
			}
		}
		return n
	}
	if len(of) == 0 {
		return "0"
	}
	small := 0
	for _, a := range of {
		if a.small {
			small++
		}
	}
	times := slices.SortedFunc(slices.Values(of), func(a, b answer) int { return int(a.time - b.time) })
	cpus := slices.SortedFunc(slices.Values(of), func(a, b answer) int { return int(a.cpu - b.cpu) })
	return fmt.Sprintf("%d | %d | %d | %d | %d | %d | %d | %d | %.1f | %.1f | %.1f", len(of),
		count(outcomeNone, "schedules"), count(outcomeNone, "model"), count(outcomeReal, ""), count(outcomeTime, ""), count(outcomeNote, ""), count(outcomeOpen, ""), small,
		times[len(of)/2].time.Seconds(), times[len(of)-1].time.Seconds(), cpus[len(of)/2].cpu.Seconds())
}
