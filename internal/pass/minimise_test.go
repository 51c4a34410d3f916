package pass

import (
	"cmp"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

var (
	minimisedEvery = flag.Int("minimised", 0, "one of so many programs of TestVerdicts with an error, of which TestMinimisedVerdicts says what becomes of their interleavings; 0 is none of them")
	minimisedFrom  = flag.Int("minimised-from", 0, "the first of them")
)

const minimisedHeader = `package main

import (
	"math/rand"
	"sync"
	"time"
)

var _, _, _ = rand.Intn, sync.NewCond, time.Now
`

// minimisedPrograms are those whose errors become real in one way each.
var minimisedPrograms = []struct {
	name, text string
	kind       string
	switches   int // of the least interleaving
	values     int
	chosen     int // of the environment
	held       bool
	silent     []string // goroutines that are not in it
}{
	{"a trace of the model", `
func main() {
	var a, b sync.Mutex
	done := make(chan bool, 1)
	go func() { done <- true }()
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}()
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
}
`, artifact.KindDeadlock, 2, 0, 0, false, []string{"0.1"}},
	{"a random number", `
func main() {
	c := make(chan int)
	n, m := rand.Intn(4), rand.Intn(4)
	go func() { _ = m }()
	if n == 3 {
		c <- 1
	}
}
`, artifact.KindDeadlock, 0, 1, 1, false, []string{"0.1"}},
	{"a lost update", `
func main() {
	x := 0
	done := make(chan bool, 2)
	for range 2 {
		go func() {
			v := x
			x = v + 1
			done <- true
		}()
	}
	<-done
	<-done
	if x != 2 {
		panic("lost")
	}
}
`, artifact.KindPanic, 4, 0, 0, false, nil},
	{"a goroutine that has to be slow", `
func main() {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
		panic("late")
	}
}
`, artifact.KindPanic, 0, 1, 0, true, []string{"0.1"}},
}

// TestMinimised: the interleavings of findings are the least ones, and the tests in the
// bundle show them, in whatever way the errors have become real.
func TestMinimised(t *testing.T) {
	programs.InLong(t)
	for _, p := range minimisedPrograms {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(minimisedHeader+p.text), 0o644))
			spec := source.Spec{Dir: dir}
			b, err := Check(t.Context(), spec, Options{})
			require.NoError(t, err)
			verdict := artifact.Real
			if p.held { // main gives up behind a time-out of its own
				verdict = artifact.TimingDependent
			}
			i := slices.IndexFunc(b.Findings(), func(f artifact.Finding) bool { return f.Verdict == verdict && f.Kind == p.kind })
			require.GreaterOrEqual(t, i, 0, describe(b))
			f := b.Findings()[i]
			m := f.Minimised
			require.NotNil(t, m)
			require.Empty(t, m.Stopped)
			require.True(t, m.Complete)
			require.True(t, m.Least)
			require.Equal(t, p.switches, m.After.Switches)
			require.LessOrEqual(t, m.After.Switches, m.Before.Switches)
			require.Equal(t, p.values, m.After.Values)
			require.Equal(t, p.held, m.After.Held > 0)
			// Behind the steps of the plan stands what comes by itself.
			planned := f.Interleaving[:m.After.Steps]
			for _, s := range planned {
				require.NotContains(t, p.silent, s.G)
			}
			// Trace, test and plan are those of this interleaving.
			name := strings.TrimSuffix(filepath.Base(f.Test), "_test.go")
			require.Equal(t, "traces/"+name+".json", f.Trace)
			if m.Of != "" {
				require.NotEqual(t, m.Of, f.Trace)
				require.NotNil(t, b.TraceAt(m.Of))
				plan := b.TraceAt(f.Trace).Plan
				require.Len(t, plan.Steps, m.After.Steps)
				for k, s := range plan.Steps {
					require.Equal(t, s.G, planned[k].G)
					require.Equal(t, s.Site, planned[k].Site)
				}
			}
			v, err := Replay(t.Context(), b, name, Options{})
			require.NoError(t, err)
			require.Equal(t, orchestrate.Reproduced, v.Status)
			require.Len(t, v.Plan.Steps, len(planned))
			require.GreaterOrEqual(t, len(v.Trace), len(f.Interleaving))
			require.Len(t, f.Values, p.chosen)
		})
	}
}

// TestMinimisedVerdicts says how much less there is to understand of the errors of
// programs that somebody else wrote.
func TestMinimisedVerdicts(t *testing.T) {
	if *minimisedEvery == 0 {
		t.Skip("checks many programs; see -minimised")
	}
	var before, after, steps, fewer, runs, took []int
	programs, changed, complete, least, stopped := 0, 0, 0, 0, 0
	n := 0
	for _, file := range verdictPrograms(t) {
		if strings.HasSuffix(file, "_ok.txtar") {
			continue
		}
		if n++; (n-1)%*minimisedEvery != *minimisedFrom {
			continue
		}
		spec, _ := unpack(t, file)
		var elapsed time.Duration
		opts := Options{Search: Search{MaxStates: 100_000, MaxMemory: 1 << 30}, Progress: func(e Event) {
			if e, ok := e.(StageDone); ok && e.Stage == "minimise" {
				elapsed += e.Elapsed
			}
		}}
		b, err := Check(context.Background(), spec, opts)
		require.NoError(t, err)
		found := 0
		for _, f := range b.Findings() {
			m := f.Minimised
			if m == nil {
				continue
			}
			found++
			if m.Of != "" {
				changed++
			}
			if m.Complete {
				complete++
			}
			if m.Least {
				least++
			}
			if m.Stopped != "" {
				stopped++
			}
			before, after, runs = append(before, m.Before.Switches), append(after, m.After.Switches), append(runs, m.Runs)
			steps, fewer = append(steps, m.Before.Steps), append(fewer, m.After.Steps)
			t.Logf("%s: %s at %s:%d: %+v, then %+v; %d runs, complete %v, least %v %s", strings.TrimSuffix(filepath.Base(file), ".txtar"), f.Kind, f.File, f.Line, m.Before, m.After, m.Runs, m.Complete, m.Least, m.Stopped)
		}
		if found > 0 {
			programs++
			took = append(took, int(elapsed.Milliseconds())/found)
		}
	}
	t.Logf("%d errors of %d programs: %d changed, %d complete, %d least, %d stopped", len(before), programs, changed, complete, least, stopped)
	for _, row := range []struct {
		name string
		of   []int
	}{{"switches before", before}, {"switches after", after}, {"steps before", steps}, {"steps after", fewer}, {"runs", runs}, {"ms for an error", took}} {
		slices.SortFunc(row.of, cmp.Compare[int])
		if k := len(row.of); k > 0 {
			t.Logf("%s: median %d, 90th percentile %d, most %d", row.name, row.of[k/2], row.of[min(k*9/10, k-1)], row.of[k-1])
		}
	}
}
