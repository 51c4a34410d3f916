package pass

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/trace"
)

// raceRecording builds the program of TestRecording with the race detector:
//
//	go test ./internal/pass -run TestRecording -recording.race
var raceRecording = flag.Bool("recording.race", false, "record with the race detector")

// recordedProgram is the program of testdata/recorded, ready to run.
type recordedProgram struct {
	p *program
	b *orchestrate.Binary
}

func buildRecorded(t *testing.T) *recordedProgram {
	t.Helper()
	ctx := context.Background()
	dir, err := filepath.Abs("testdata/recorded")
	require.NoError(t, err)
	spec := source.Spec{Dir: dir, Pattern: "."}
	if *raceRecording {
		spec.Flags = []string{"-race"}
	}
	p, opts, rep, _, err := loadToRun(ctx, spec, Options{})
	require.NoError(t, err)
	b, limits, err := p.instrumentFree(ctx, false, opts, rep)
	require.NoError(t, err)
	require.Empty(t, limits)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return &recordedProgram{p, b}
}

// run records a run, and returns what it has printed and how it has ended.
func (r *recordedProgram) run(t *testing.T, how orchestrate.RecordOptions) (*trace.Trace, string, *orchestrate.Ran) {
	t.Helper()
	var out, file bytes.Buffer
	how.Stdout = &out
	how.Stderr = io.Discard
	ran, err := r.b.RecordFree(context.Background(), how, func(recorded io.Reader, ran *orchestrate.Ran) error {
		return recording.Convert(&file, recording.Header{End: ran.End, Positions: r.p.positions(false)}, recorded)
	})
	require.NoError(t, err)
	tr, h, err := recording.Load(&file, 0)
	require.NoError(t, err)
	require.Equal(t, ran.End, h.End)
	return tr, out.String(), ran
}

// checkedTrace looks things up in a trace.
type checkedTrace struct {
	*trace.Trace
	byPath map[string]*trace.Goroutine
	pre    map[trace.Ref]*trace.Event
	post   map[trace.Ref]*trace.Event
}

func checkTrace(tr *trace.Trace) *checkedTrace {
	c := &checkedTrace{tr, map[string]*trace.Goroutine{}, map[trace.Ref]*trace.Event{}, map[trace.Ref]*trace.Event{}}
	for i := range tr.Goroutines {
		g := &tr.Goroutines[i]
		c.byPath[g.Path] = g
		for j := range g.Events {
			e := &g.Events[j]
			ref := trace.Ref{Goroutine: trace.GoroutineID(i + 1), PC: e.PC}
			if e.Phase.HasPre() {
				c.pre[ref] = e
			}
			if e.Phase.HasPost() {
				c.post[ref] = e
			}
		}
	}
	return c
}

// did is what a communication has done: send or receive, and on which channel.
func (c *checkedTrace) did(ref trace.Ref) (op trace.Op, ch trace.ObjectID) {
	pre, post := c.pre[ref], c.post[ref]
	if pre == nil || post == nil {
		return trace.OpNone, 0
	}
	if pre.Op != trace.OpSelect {
		return pre.Op, pre.Object
	}
	if post.Case == trace.DefaultCase {
		return trace.OpNone, 0
	}
	return pre.Cases[post.Case].Op, pre.Cases[post.Case].Object
}

// agree asks what is so in every recording of a program of which all is instrumented: each receive has a partner that
// has sent on the same channel, or closed it; each send is received once at most; partners that name each
// other do so both ways; and what one goroutine has sent on a channel, another one receives in the same order.
func (c *checkedTrace) agree(t *testing.T) {
	t.Helper()
	taken := map[trace.Ref]trace.Ref{}
	for i := range c.Goroutines {
		type flow struct {
			from trace.GoroutineID
			ch   trace.ObjectID
		}
		last := map[flow]int32{}
		for j := range c.Goroutines[i].Events {
			e := &c.Goroutines[i].Events[j]
			ref := trace.Ref{Goroutine: trace.GoroutineID(i + 1), PC: e.PC}
			if !e.Phase.HasPost() {
				continue
			}
			op, ch := c.did(ref)
			if e.Partner.Known() && c.pre[e.Partner] != nil && c.post[e.Partner] == nil {
				continue // the program has ended before the partner could go on
			}
			switch {
			case op == trace.OpSend && e.Partner.Known():
				partner, on := c.did(e.Partner)
				require.Equal(t, trace.OpRecv, partner)
				require.Equal(t, ch, on)
				require.Equal(t, ref, c.post[e.Partner].Partner, "both ways")
			case op == trace.OpRecv && e.Has(trace.Closed):
				if !e.Partner.Known() {
					continue // package context has one that is closed from the start
				}
				require.Equal(t, trace.OpClose, c.pre[e.Partner].Op)
				require.Equal(t, ch, c.pre[e.Partner].Object)
			case op == trace.OpRecv && e.Partner.Known():
				partner, on := c.did(e.Partner)
				require.Equal(t, trace.OpSend, partner)
				require.Equal(t, ch, on)
				require.NotContains(t, taken, e.Partner, "received twice")
				taken[e.Partner] = ref
				if back := c.post[e.Partner].Partner; back.Known() {
					require.Equal(t, ref, back, "both ways")
				}
				f := flow{e.Partner.Goroutine, ch}
				require.Less(t, last[f], e.Partner.PC, "first in, first out")
				last[f] = e.Partner.PC
			case (e.Op == trace.OpLock || e.Op == trace.OpRLock) && e.Partner != trace.First:
				require.Equal(t, trace.OpUnlock, c.pre[e.Partner].Op)
				require.Equal(t, e.Object, c.pre[e.Partner].Object)
			case e.Op == trace.OpOnce && !e.Has(trace.Ran):
				require.True(t, c.post[e.Partner].Has(trace.Ran))
			}
		}
	}
}

// sends are those of a goroutine, in its order.
func (c *checkedTrace) sends(path string) (refs []trace.Ref) {
	for i := range c.Goroutines {
		if c.Goroutines[i].Path != path {
			continue
		}
		for pc := int32(1); c.pre[trace.Ref{Goroutine: trace.GoroutineID(i + 1), PC: pc}] != nil; pc++ {
			ref := trace.Ref{Goroutine: trace.GoroutineID(i + 1), PC: pc}
			if op, _ := c.did(ref); op == trace.OpSend {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// partnersAsPrinted compares a recording with what the program has printed: which goroutine has received what of whom.
func partnersAsPrinted(t *testing.T, tr *trace.Trace, out string) {
	t.Helper()
	c := checkTrace(tr)
	c.agree(t)
	lines, values := 0, 0
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		require.Equal(t, "recv", fields[0])
		g := c.byPath[fields[1]]
		require.NotNil(t, g, line)
		got := []string{}
		for i := range g.Events {
			e := &g.Events[i]
			ref := trace.Ref{Goroutine: trace.GoroutineID(1 + indexOf(tr, g)), PC: e.PC}
			if op, _ := c.did(ref); op != trace.OpRecv || !e.Phase.HasPost() {
				continue
			}
			if e.Has(trace.Closed) {
				require.True(t, e.Partner.Known())
				got = append(got, "-")
				continue
			}
			require.True(t, e.Partner.Known(), "%s: a receive without a partner", fields[1])
			sender := tr.Goroutines[e.Partner.Goroutine-1].Path
			sends := c.sends(sender)
			n := 0
			for n < len(sends) && sends[n] != e.Partner {
				n++
			}
			got = append(got, fmt.Sprintf("%s:%d", strings.TrimPrefix(sender, "0."), n+1))
		}
		require.Equal(t, fields[2:], got, fields[1])
		lines++
		values += len(got)
	}
	require.Equal(t, 3*(3+2+2)+1, lines)
	require.Greater(t, values, 3*(3+2)*200)
	others(t, c)
}

// TestRecording records a program that says itself which goroutine has received what of whom.
func TestRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs record themselves")
	}
	t.Parallel()
	r := buildRecorded(t)
	t.Run("partners", func(t *testing.T) {
		tr, out, ran := r.run(t, orchestrate.RecordOptions{})
		require.Equal(t, "exit status 0", ran.End)
		partnersAsPrinted(t, tr, out)
	})
	t.Run("deadlock", func(t *testing.T) {
		how, end := orchestrate.RecordOptions{Args: []string{"deadlock"}}, "exit status 2"
		if *raceRecording {
			how.Timeout, end = time.Second, "timeout" // there, nobody notices a deadlock
		}
		tr, _, ran := r.run(t, how)
		require.Equal(t, end, ran.End)
		require.Equal(t, []string{"recv chan1"}, pendingOf(tr, "0"))
		require.Equal(t, []string{"lock mutex2"}, pendingOf(tr, "0.1"))
	})
	t.Run("panic", func(t *testing.T) {
		tr, _, ran := r.run(t, orchestrate.RecordOptions{Args: []string{"panic"}})
		require.Equal(t, "exit status 2", ran.End)
		end := tr.Goroutines[1].Events[len(tr.Goroutines[1].Events)-1]
		require.Equal(t, trace.OpEnd, end.Op)
		require.True(t, end.Has(trace.Panicked))
	})
	t.Run("possible", func(t *testing.T) { possibleErrors(t, r) })
	for mode, end := range map[string]string{"exit": "exit status 7", "kill": "signal: killed"} {
		t.Run(mode, func(t *testing.T) {
			tr, _, ran := r.run(t, orchestrate.RecordOptions{Args: []string{mode}})
			require.Equal(t, end, ran.End)
			require.GreaterOrEqual(t, len(tr.Goroutines[0].Events), 2)
			require.Equal(t, trace.Ref{Goroutine: 1, PC: 1}, tr.Goroutines[0].Events[1].Partner)
		})
	}
	t.Run("closed", func(t *testing.T) {
		tr, _, ran := r.run(t, orchestrate.RecordOptions{Args: []string{"closed"}})
		require.Equal(t, "exit status 2", ran.End)
		last := tr.Goroutines[0].Events[len(tr.Goroutines[0].Events)-1]
		require.Equal(t, trace.OpSend, last.Op)
		require.True(t, last.Has(trace.Panicked))
	})
	t.Run("limit", func(t *testing.T) {
		tr, _, ran := r.run(t, orchestrate.RecordOptions{Args: []string{"many"}, Limit: 1})
		require.Equal(t, "exit status 0", ran.End)
		require.True(t, tr.Goroutines[0].Truncated)
		tr, _, _ = r.run(t, orchestrate.RecordOptions{Args: []string{"many"}})
		require.False(t, tr.Goroutines[0].Truncated)
		require.Len(t, tr.Goroutines[0].Events, 800_002)
	})
}

// Ten runs that are harmless, and what the analysis of them says that could have been.
func possibleErrors(t *testing.T, r *recordedProgram) {
	for mode, want := range map[string]analyze.Code{
		"send on closed": "SC", "send on closed in a select": "SC", "negative counter": "P03", "add too late": "P09", "unlock of unlocked": "P04",
		"two locks": "P05", "three locks": "P05", "readers and a writer": "P05", "a lock and a channel": "P06", "the other receiver": "P07",
	} {
		tr, _, ran := r.run(t, orchestrate.RecordOptions{Args: []string{mode}})
		require.Equal(t, "exit status 0", ran.End, mode)
		checkTrace(tr).agree(t)
		res, err := analyze.Analyze(tr, analyze.Limits{})
		require.NoError(t, err, mode)
		var found []string
		for _, f := range res.Findings {
			found = append(found, string(f.Code))
		}
		require.Contains(t, found, string(want), mode)
	}
}

func indexOf(tr *trace.Trace, g *trace.Goroutine) int {
	for i := range tr.Goroutines {
		if &tr.Goroutines[i] == g {
			return i
		}
	}
	return -1
}

// others looks for what the function of that name in the program does.
func others(t *testing.T, c *checkedTrace) {
	count := map[string]int{}
	for i := range c.Goroutines {
		for j := range c.Goroutines[i].Events {
			e := &c.Goroutines[i].Events[j]
			switch {
			case e.Op == trace.OpCondWait && e.Phase.HasPost():
				require.Equal(t, trace.OpBroadcast, c.pre[e.Partner].Op)
				count["cond"]++
			case e.Op == trace.OpOnce && e.Has(trace.Ran):
				count["ran"]++
			case e.Op == trace.OpSelect && e.Has(trace.Panicked):
				require.Zero(t, e.Case)
				count["select panicked"]++
			case e.Op == trace.OpClose && e.Has(trace.Panicked):
				count["close panicked"]++
			case e.Op == trace.OpClose && e.Pos == 0:
				count["cancel"]++
			case e.Op == trace.OpAdd:
				require.True(t, e.Has(trace.Counted))
				require.GreaterOrEqual(t, e.Counter, int32(0))
				count["add"]++
			case e.Op == trace.OpRMW && e.Partner.Known():
				require.Equal(t, e.Object, c.pre[e.Partner].Object)
				count["atomic"]++
			}
		}
	}
	require.Equal(t, 2, count["ran"])
	require.Equal(t, 1, count["close panicked"])
	require.Equal(t, 1, count["cancel"])
	require.LessOrEqual(t, count["select panicked"], 1) // or the other case is taken
	require.Equal(t, 1, count["atomic"])
	require.Positive(t, count["add"])
}

// pendingOf are the operations of a goroutine that have not ended.
func pendingOf(tr *trace.Trace, path string) (list []string) {
	for i := range tr.Goroutines {
		g := &tr.Goroutines[i]
		if g.Path != path {
			continue
		}
		done := map[int32]bool{}
		for j := range g.Events {
			done[g.Events[j].PC] = done[g.Events[j].PC] || g.Events[j].Phase.HasPost()
		}
		for j := range g.Events {
			if e := &g.Events[j]; !done[e.PC] {
				list = append(list, e.Op.String()+" "+tr.ObjectName(e.Object))
			}
		}
	}
	return list
}

// A context that ends ends the program, and what it has done is recorded.
func TestRecordInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"os"
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	mu.Lock()
	os.Stdout.WriteString("here\n")
	time.Sleep(time.Hour)
}
`), 0o644))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var file bytes.Buffer
	r, err := Record(ctx, source.Spec{Dir: dir, Pattern: "."}, Recording{To: &file, Stdout: atFirst(cancel)}, Options{})
	require.NoError(t, err)
	require.Equal(t, "interrupted", r.End)
	require.Equal(t, "example.com/m.main", r.Program)
	tr, h, err := recording.Load(&file, 0)
	require.NoError(t, err)
	require.Equal(t, "interrupted", h.End)
	require.Greater(t, len(tr.Goroutines[0].Events), 1)
	for _, e := range tr.Goroutines[0].Events[1:] {
		require.Equal(t, trace.OpCall, e.Op)
	}
	require.Equal(t, "main.go:11:9", tr.Position(tr.Goroutines[0].Events[0].Pos).String())
	require.Equal(t, trace.First, tr.Goroutines[0].Events[0].Partner)
}

// atFirst calls a function when something is written.
type atFirst func()

func (f atFirst) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

// recordSeed records a run under control of the program of testdata/recorded.
func recordSeed(t *testing.T, seed uint64, args ...string) (tr *trace.Trace, out string, r *Recorded) {
	t.Helper()
	dir, err := filepath.Abs("testdata/recorded")
	require.NoError(t, err)
	var file, stdout bytes.Buffer
	r, err = Record(context.Background(), source.Spec{Dir: dir, Pattern: "."}, Recording{To: &file, Seed: &seed, Stdout: &stdout}, Options{Model: &Model{Args: args}})
	require.NoError(t, err)
	require.Empty(t, r.Limits)
	tr, h, err := recording.Load(&file, 0)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("seed %d, strategy %s", seed, DefaultStrategy), h.Schedule)
	require.Equal(t, r.End, h.End)
	return tr, stdout.String(), r
}

// TestRecordSeed records runs under control: the partners are what the program says, and where it has one behaviour each
// goroutine does what it does when it runs free.
func TestRecordSeed(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs record themselves")
	}
	t.Parallel()
	for seed := range uint64(2) {
		tr, out, r := recordSeed(t, seed)
		require.Equal(t, -1, r.Code)
		partnersAsPrinted(t, tr, out)
	}
	free := buildRecorded(t)
	for _, mode := range []string{"closed", "deadlock", "panic"} {
		want, _, _ := free.run(t, orchestrate.RecordOptions{Args: []string{mode}})
		// When it runs free, the panic of the other goroutine may come before main is at its last operation, a receive that waits. It has
		// one behaviour but for that.
		for tries := 0; tries < 100 && mode == "panic" && want.Goroutines[0].Events[len(want.Goroutines[0].Events)-1].Op != trace.OpRecv; tries++ {
			want, _, _ = free.run(t, orchestrate.RecordOptions{Args: []string{mode}})
		}
		for seed := range uint64(2) {
			tr, _, r := recordSeed(t, seed, mode)
			require.NotEmpty(t, r.End)
			require.Equal(t, eventsByPath(want), eventsByPath(tr), "%s, seed %d", mode, seed)
		}
	}
}

// eventsByPath are the events of each goroutine, without the numbers of objects and goroutines.
func eventsByPath(tr *trace.Trace) map[string][]string {
	all := map[string][]string{}
	for i := range tr.Goroutines {
		g := &tr.Goroutines[i]
		for j := range g.Events {
			e := &g.Events[j]
			all[g.Path] = append(all[g.Path], fmt.Sprint(e.Phase, e.Op, e.Flags, e.PC, tr.Object(e.Object).Kind, tr.Position(e.Pos), e.Case, e.Delta, e.Counter, e.Partner != trace.Unknown))
		}
	}
	return all
}
