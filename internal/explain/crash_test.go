package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// does is a step of a goroutine, with the object that it works on and how it leaves that.
func does(g, operation string, line int, text string, more ...string) artifact.FindingStep {
	s := artifact.FindingStep{Step: line, G: g, Site: text, Operation: operation, File: "a.go", Line: line, Text: text}
	if len(more) == 2 {
		s.Object, s.After = more[0], more[1]
	}
	return s
}

// TestCauseOfCrashes: of an error that ends the program the cause says what others have done for it.
func TestCauseOfCrashes(t *testing.T) {
	panicked := []artifact.FindingGoroutine{{G: "0", State: artifact.StateAt}, {G: "0.1", State: artifact.StatePanicked}, {G: "0.2", State: artifact.StateFinished}}
	for name, p := range map[string]struct {
		kind       string
		line       int
		steps      []artifact.FindingStep
		goroutines []artifact.FindingGoroutine
		want       string
	}{
		"negative counter": {artifact.KindNegativeCounter, 5, []artifact.FindingStep{
			does("0", "add", 1, "j.wg.Add(1)", "waitgroup#1", "1"), does("0.2", "done", 5, "j.wg.Done()", "waitgroup#1", "0"),
			does("0.2", "done", 6, "other.Done()", "waitgroup#2", "3"), does("0.1", "done", 5, "j.wg.Done()", "waitgroup#1", ""),
		}, panicked, "goroutine 0.1 calls j.wg.Done at a.go:5 when the counter is 0: goroutine 0.2 has brought it to 0 before, by j.wg.Done at a.go:5"},
		"negative counter of one goroutine": {artifact.KindNegativeCounter, 6, []artifact.FindingStep{
			does("0", "add", 1, "wg.Add(1)", "waitgroup#1", "1"), does("0.1", "done", 5, "wg.Done()", "waitgroup#1", "0"), does("0.1", "done", 6, "wg.Done()", "waitgroup#1", ""),
		}, panicked, "goroutine 0.1 calls wg.Done at a.go:6 when the counter is 0: it has brought it to 0 before, by wg.Done at a.go:5"},
		"no Add": {artifact.KindNegativeCounter, 6, []artifact.FindingStep{
			does("0", "go", 1, "go f()"), does("0.1", "done", 6, "wg.Done()", "waitgroup#1", ""),
		}, panicked, "goroutine 0.1 calls wg.Done at a.go:6 when the counter is 0: Add has not raised it before"},
		"counter by several": {artifact.KindNegativeCounter, 6, []artifact.FindingStep{
			does("0", "add", 1, "wg.Add(2)", "waitgroup#1", "2"), does("0.1", "add", 6, "wg.Add(-3)", "waitgroup#1", ""),
		}, panicked, ""},
		"objects are not known": {artifact.KindNegativeCounter, 6, []artifact.FindingStep{does("0.1", "done", 6, "wg.Done()")}, panicked, ""},
		"unlocked twice": {artifact.KindUnlockUnlocked, 8, []artifact.FindingStep{
			does("0.2", "lock", 4, "s.mu.Lock()", "mutex#1", ""), does("0.2", "unlock", 5, "defer s.mu.Unlock()", "mutex#1", ""), does("0.2", "unlock", 6, "other.Unlock()", "mutex#2", ""),
			does("0.1", "unlock", 8, "s.mu.Unlock()", "mutex#1", ""),
		}, []artifact.FindingGoroutine{{G: "0.1", State: artifact.StateEnded}, {G: "0.2"}},
			"goroutine 0.1 calls s.mu.Unlock at a.go:8, and nobody holds the lock: goroutine 0.2 has given it back before, by s.mu.Unlock at a.go:5"},
		"never locked": {artifact.KindUnlockUnlocked, 8, []artifact.FindingStep{does("0", "go", 1, "go f()"), does("0.1", "runlock", 8, "mu.RUnlock()", "rwmutex#1", "")},
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateEnded}}, "goroutine 0.1 calls mu.RUnlock at a.go:8, and nobody holds the lock"},
		"reuse": {artifact.KindWaitGroupReuse, 4, []artifact.FindingStep{
			does("0", "add", 1, "wg.Add(1)", "waitgroup#1", "1"), does("0.1", "wait", 4, "wg.Wait()", "waitgroup#1", ""),
			does("0.2", "done", 5, "wg.Done()", "waitgroup#1", "0"), does("0.2", "add", 6, "wg.Add(1)", "waitgroup#1", "1"),
			does("0.1", "return from wait", 4, "wg.Wait()", "waitgroup#1", ""),
		}, panicked, "goroutine 0.2 calls wg.Add at a.go:6 before goroutine 0.1, which waits at a.go:4, has come back from wg.Wait; the counter was 0 since goroutine 0.2 had called wg.Done at a.go:5"},
		"set to nil in between": {artifact.KindPanic, 9, []artifact.FindingStep{
			does("0", "go", 1, "go f()"), does("0.1", "lock", 5, "p.mu.Lock()"), does("0.1", "access", 6, "ok := p.c != nil"), does("0.1", "unlock", 7, "p.mu.Unlock()"),
			does("0.2", "access", 20, "p.c = nil"), does("0.2", "access", 21, "n = 1"), does("0.1", "lock", 8, "p.mu.Lock()"), does("0.1", "access", 9, "p.c.n++"),
		}, panicked, "goroutine 0.2 does `p.c = nil` at a.go:20 while goroutine 0.1 is between `ok := p.c != nil` at a.go:6 and `p.c.n++` at a.go:9"},
		"done before": {artifact.KindPanic, 9, []artifact.FindingStep{
			does("0.2", "access", 20, "d.open = false"), does("0.1", "access", 8, "if !d.open {"), does("0.1", "panic", 9, `panic("closed")`),
		}, panicked, "goroutine 0.2 has done `d.open = false` at a.go:20 before"},
		"the lock was taken before": {artifact.KindPanic, 9, []artifact.FindingStep{
			does("0.2", "lock", 4, "func (b *box) dec() { b.mu.Lock(); b.n--; b.mu.Unlock() }", "mutex#1", ""), does("0.2", "lock", 5, "other.Lock()", "mutex#2", ""), does("0.1", "lock", 7, "b.mu.Lock()", "mutex#1", ""), does("0.1", "unlock", 8, "defer b.mu.Unlock()", "mutex#1", ""),
		}, panicked, "goroutine 0.2 has done `b.mu.Lock()` at a.go:4 before goroutine 0.1 has done `b.mu.Lock()` at a.go:7"},
		"in a line with others": {artifact.KindPanic, 9, []artifact.FindingStep{
			does("0.2", "access", 4, "func (b *box) dec() { b.mu.Lock(); b.n--; b.mu.Unlock() }"), does("0.1", "panic", 9, `if b.n < 0 { panic("negative") }`),
		}, panicked, "goroutine 0.2 has done `b.n--` at a.go:4 before"},
		"looked too early": {artifact.KindPanic, 9, []artifact.FindingStep{
			{G: "0.1", Operation: "select", Case: -1, Object: "chan#1, chan#2", File: "a.go", Line: 3, Text: "select {"}, does("0.2", "send", 19, "other <- 1", "chan#3", ""),
			{G: "0.2", Operation: "select", Object: "chan#2", Taken: "ready <- true", File: "a.go", Line: 20, Text: "select {"}, does("0.1", "panic", 9, `panic("not ready")`),
		}, panicked, "goroutine 0.1 takes the default of its select at a.go:3 before goroutine 0.2 does `case ready <- true` at a.go:20"},
		"gives up": {artifact.KindExit, 9, []artifact.FindingStep{does("0.2", "receive", 4, "<-c", "chan#1", ""), {Step: 5, G: artifact.TimeStep}, does("0.1", "exit", 9, "os.Exit(1)")},
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateEnded}, {G: "0.2", State: artifact.StateBlocked, Operation: "receive", Object: "chan#1", File: "a.go", Line: 4, Text: "<-c"}, {G: "0.3", State: artifact.StateFinished}},
			"by then goroutine 0.2 waits at a.go:4 to receive from c, and nobody who is left sends on it"},
		"test gives up": {artifact.KindTestFailure, 9, []artifact.FindingStep{
			does("0.2", "receive", 4, "<-c", "chan#1", ""), {Step: 5, G: artifact.TimeStep}, does("0", "exit", 9, `t.Fatal("timeout")`), does("0", "end", 12, "}"),
		}, []artifact.FindingGoroutine{{G: "0", State: artifact.StateFinished}, {G: "0.2", State: artifact.StateBlocked, Operation: "receive", Object: "chan#1", File: "a.go", Line: 4, Text: "<-c"}},
			"goroutine 0 fails the test at a.go:9: by then goroutine 0.2 waits at a.go:4 to receive from c, and nobody who is left sends on it"},
		"gives up too early": {artifact.KindExit, 9, []artifact.FindingStep{does("0.2", "receive", 4, "<-c", "chan#1", ""), {Step: 5, G: artifact.TimeStep}, does("0.1", "exit", 9, "os.Exit(1)")},
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateEnded}, {G: "0.2", State: artifact.StateBlocked, Operation: "receive", Object: "chan#1", File: "a.go", Line: 4, Text: "<-c"}, {G: "0.3", State: artifact.StateAt}},
			""},
		"nothing to do with it": {artifact.KindPanic, 9, []artifact.FindingStep{
			does("0.2", "send", 20, "c <- 1"), does("0.1", "panic", 9, `panic("closed")`),
		}, panicked, ""},
		"map": {artifact.KindMapRace, 3, nil, []artifact.FindingGoroutine{
			{G: "0.1", Operation: "map write", Object: "map#1", State: artifact.StateAt, File: "a.go", Line: 2},
			{G: "0.2", Operation: "map read", Object: "map#1", State: artifact.StateEnded, File: "a.go", Line: 3},
		}, "goroutine 0.1 writes to the map at a.go:2 while goroutine 0.2 reads the map at a.go:3: neither waits for the other"},
		"map, one of two": {artifact.KindMapRace, 3, nil, []artifact.FindingGoroutine{
			{G: "0.2", Operation: "map iteration", Object: "map#1", State: artifact.StateEnded, File: "a.go", Line: 3},
		}, ""},
		"race": {artifact.KindRace, 3, nil, []artifact.FindingGoroutine{
			{G: "0.1", Operation: "write of s.n", File: "a.go", Line: 2}, {G: "0", Operation: "read of s.n", File: "a.go", Line: 3},
		}, "goroutine 0.1 writes s.n at a.go:2, and goroutine 0 reads s.n at a.go:3: no lock, channel or other synchronisation orders the two"},
		"lost update": {artifact.KindTestFailure, 11, []artifact.FindingStep{
			does("0.1", "atomic", 5, "old := n.Load()", "atomic#1", ""), does("0.2", "atomic", 5, "old := n.Load()", "atomic#1", ""), does("0.2", "atomic", 6, "n.Store(old + 1)", "atomic#1", "1"),
			does("0.2", "atomic", 7, "m.Store(1)", "atomic#2", "1"), does("0.1", "atomic", 6, "n.Store(old + 1)", "atomic#1", "1"),
			does("0", "atomic", 10, "if n.Load() != 2 {", "atomic#1", ""), does("0", "access", 11, `t.Error("lost")`),
		}, nil, "the check of goroutine 0 fails, `if n.Load() != 2` at a.go:10; goroutine 0.2 does `n.Store(old + 1)` at a.go:6 while goroutine 0.1 is between `old := n.Load()` at a.go:5 and `n.Store(old + 1)` at a.go:6"},
		"the other was first": {artifact.KindTestFailure, 10, []artifact.FindingStep{
			does("0", "go", 7, "go f()"), does("0", "go", 8, "go g()"), does("0.2", "send", 18, "c <- 2", "chan#1", "1 of 2"),
			{Step: 5, G: "0", Operation: "receive", Object: "chan#1", Result: "2", File: "a.go", Line: 9, Text: "if <-c != 1 {"}, does("0.1", "send", 17, "c <- 1", "chan#1", "1 of 2"),
		}, []artifact.FindingGoroutine{{G: "0"}, {G: "0.1"}, {G: "0.2"}},
			"the check of goroutine 0 fails, `if <-c != 1` at a.go:9 (gives 2, which goroutine 0.2 has sent at a.go:18); by then goroutine 0.1, started at a.go:7, has not begun"},
		"no check": {artifact.KindTestFailure, 10, []artifact.FindingStep{does("0", "lock", 9, "mu.Lock()")}, []artifact.FindingGoroutine{{G: "0"}}, ""},
		"too early": {artifact.KindTestFailure, 4, []artifact.FindingStep{
			does("0", "go", 1, "go f()"), does("0.1", "lock", 7, "mu.Lock()"), does("0", "go", 2, "go g()"), does("0", "exit", 4, `t.Fatal("no answer")`), does("0.1", "send", 8, "c <- 1"),
		}, []artifact.FindingGoroutine{{G: "0"}, {G: "0.1"}, {G: "0.2"}},
			"goroutine 0 fails the test at a.go:4: by then goroutine 0.1 has not come to `c <- 1` at a.go:8, and goroutine 0.2, started at a.go:2, has not begun"},
	} {
		f := artifact.Finding{Kind: p.kind, File: "a.go", Line: p.line, Interleaving: p.steps, Goroutines: p.goroutines}
		require.Equal(t, p.want, Cause(f), name)
	}
}

// TestInterruptions: a goroutine that waits is not held.
func TestInterruptions(t *testing.T) {
	waits := does("0", "receive", 1, "<-c")
	waits.Waits = true
	other := does("0.1", "send", 2, "c <- 1")
	require.Empty(t, interruptions([]artifact.FindingStep{waits, other, does("0", "lock", 3, "mu.Lock()")}, 2))
	require.Len(t, interruptions([]artifact.FindingStep{does("0", "receive", 1, "<-d"), other, does("0", "lock", 3, "mu.Lock()")}, 2), 1)
	require.Empty(t, interruptions([]artifact.FindingStep{does("0", "receive", 1, "<-d"), {Step: 2, G: artifact.TimeStep}, does("0", "lock", 3, "mu.Lock()")}, 2))
}

// TestAssigned: a variable or a field that is assigned to, which other statements may mention.
func TestAssigned(t *testing.T) {
	for text, want := range map[string]string{
		"p.c = nil": ".c", "n++": "n", "s.total += 2": ".total", "c.m[k] = v": ".m", "*s.conn = 1": ".conn", "(*p).x--": ".x",
		"if a == b {": "", "old := n": "", "f(x)": "", "x <= y": "", "for i := 0; i < n; i++ {": "i",
	} {
		require.Equal(t, want, assignedIn(artifact.FindingStep{Operation: "access", Text: text}), text)
	}
	require.True(t, mentions("p.c.n++", ".c"))
	require.True(t, mentions("c.n++", "c"))
	require.False(t, mentions("p.c.n++", "c"))
	require.False(t, mentions("p.cc.n++", ".c"))
	require.False(t, mentions("nn.n", "n"))
	require.True(t, mentions("nn+n", "n"))
	require.Empty(t, assignedIn(artifact.FindingStep{Operation: "lock", Text: "x = 1"}))
}

// TestSameVariable: races that have an access in common are on one variable, and so are those that are connected by others.
func TestSameVariable(t *testing.T) {
	race := func(n int, a, b string) artifact.Finding {
		side := func(s string) artifact.FindingGoroutine {
			site, op, _ := strings.Cut(s, " ")
			return artifact.FindingGoroutine{Site: site, Operation: op}
		}
		return artifact.Finding{Number: n, Verdict: artifact.Real, Kind: artifact.KindRace, Goroutines: []artifact.FindingGoroutine{side(a), side(b)}}
	}
	all := []artifact.Finding{
		race(1, "main#1 write of n", "main$1#1 read of n"),
		race(2, "main#1 write of m", "main$1#1 read of n"),  // a side of 1
		race(3, "main#2 read of n", "main$2#1 write of n"),  // another variable of that name, or no way to tell
		race(4, "main#1 write of m", "main$3#1 write of m"), // by 2
		race(5, "main#1 read of k", "main$1#1 write of k"),  // the statements of 1, another variable
		race(6, "main#9 read", "main$9#1 write"),            // nameless
		race(7, "main#9 read", "main$9#2 write"),            // nameless
		race(8, "main$2#1 write of n", "main#2 read of n"),  // 3 the other way round
	}
	all[4].Goroutines[0].Line = 7
	for i, want := range []int{0, 1, 0, 1, 0, 0, 0, 3} {
		require.Equal(t, want, SameVariable(all[:i], all[i]), "finding %d", i+1)
	}
	possible := all[1]
	possible.Verdict = artifact.Unconfirmed
	require.Zero(t, SameVariable(all[:1], possible), "what is not certain hides behind nothing that is")
	other := all[1]
	other.Kind = artifact.KindMapRace
	require.Zero(t, SameVariable(all[:1], other))

	maps := []artifact.Finding{race(1, "main#1 map write", "main$1#1 map iteration"), race(2, "main#1 map write", "main$1#2 map read"), race(3, "main#3 map write", "main$1#3 map read")}
	for i, want := range []int{0, 1, 0} {
		maps[i].Kind = artifact.KindMapRace
		require.Equal(t, want, SameVariable(maps[:i], maps[i]), "map %d", i+1)
	}
}

// TestMessageAdds: what the cause has said in plain words is not said again by states.
func TestMessageAdds(t *testing.T) {
	stuck := []artifact.FindingGoroutine{{G: "0.1", State: artifact.StateBlocked}}
	for _, row := range []struct {
		finding artifact.Finding
		want    bool
	}{
		{artifact.Finding{Kind: artifact.KindDeadlock, Message: "m"}, true},
		{artifact.Finding{Kind: artifact.KindDeadlock, Message: "m", Cause: "c"}, false},
		{artifact.Finding{Kind: artifact.KindRace, Message: "m", Cause: "c"}, false},
		{artifact.Finding{Kind: artifact.KindPanic, Message: "panic: boom", Cause: "c", Goroutines: stuck}, true},
		{artifact.Finding{Kind: artifact.KindTestFailure, Message: "0.1 blocked in send on chan#2 at p.f#1", Cause: "c", Goroutines: stuck}, false},
		{artifact.Finding{Kind: artifact.KindTestFailure, Message: "0.1 blocked in send on chan#2 at p.f#1", Goroutines: stuck}, true},
		{artifact.Finding{Kind: artifact.KindTestFailure, Cause: "c", Goroutines: stuck}, false},
	} {
		require.Equal(t, row.want, MessageAdds(row.finding), "%+v", row.finding)
	}
}

// TestCauseRead: where the check of a test is no step, what it has read last is what fails it.
func TestCauseRead(t *testing.T) {
	step := func(n int, g, operation string, line int, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Operation: operation, Site: text, File: "a.go", Line: line, Text: text}
	}
	f := artifact.Finding{Kind: artifact.KindTestFailure, File: "a_test.go", Line: 9, Message: "test failure", Interleaving: []artifact.FindingStep{
		step(1, "0.1", "access", 4, "return p.votes[k]"), step(2, "0.2", "access", 6, "p.votes[k] = n"), step(3, "0.1", "access", 6, "p.votes[k] = n"),
		step(4, "0", "lock", 3, "p.mu.Lock()"), step(5, "0", "map access", 4, "return p.votes[k]"), step(6, "0", "end", 10, "}"),
	}, Goroutines: []artifact.FindingGoroutine{ended("0"), ended("0.1"), ended("0.2")}}
	require.Equal(t, "goroutine 0 fails the test at a_test.go:9 with what it has read, `return p.votes[k]` at a.go:4: "+
		"goroutine 0.2 does `p.votes[k] = n` at a.go:6 while goroutine 0.1 is between `return p.votes[k]` at a.go:4 and `p.votes[k] = n` at a.go:6", Cause(f))
	f.Interleaving[4].Text = "return q.size"
	require.Empty(t, Cause(f), "nobody has changed that")
	f.Interleaving = f.Interleaving[:4]
	require.Empty(t, Cause(f), "it has read nothing")
}

// TestTableRelease: letting those go on who wait is no second call of Done.
func TestTableRelease(t *testing.T) {
	require.Equal(t, []string{"step  where    0", "   1  a.go:17  lets those go on who wait: wg.Done()"}, Table(artifact.Finding{Interleaving: []artifact.FindingStep{
		{Step: 1, G: "0", Operation: opRelease, File: "a.go", Line: 17, Text: "defer wg.Done()"},
	}}))
}

// TestCauseHalfway: who panics has read one of two values that belong together before the other one was written.
func TestCauseHalfway(t *testing.T) {
	store := artifact.FindingStep{Step: 1, G: "0.1", Operation: "atomic", Site: "m.set#1", Object: "atomic#1", After: "10", File: "a.go", Line: 4, Text: "l.low.Store(low)"}
	load := artifact.FindingStep{Step: 2, G: "0", Operation: "atomic", Site: "m.f#1", Object: "atomic#1", Result: "10", File: "a.go", Line: 9, Text: "low, high := l.low.Load(), l.high.Load()"}
	other := load
	other.Step, other.Site, other.Object, other.Result = 3, "m.f#2", "atomic#2", "5"
	panics := artifact.FindingStep{Step: 4, G: "0", Operation: "panic", File: "a.go", Line: 11, Text: "panic(low)"}
	writer := artifact.FindingGoroutine{G: "0.1", State: artifact.StateAt, Operation: "atomic", File: "a.go", Line: 5, Text: "l.high.Store(high)"}
	f := artifact.Finding{Kind: artifact.KindPanic, File: "a.go", Line: 11, Interleaving: []artifact.FindingStep{store, load, other, panics},
		Goroutines: []artifact.FindingGoroutine{{G: "0", State: artifact.StatePanicked}, writer}}
	require.Equal(t, "goroutine 0 has read what goroutine 0.1 has written, `l.low.Store(low)` at a.go:4, before goroutine 0.1 has come to `l.high.Store(high)` at a.go:5", Cause(f))

	// It may have to take a lock for that again.
	locked := f
	locked.Goroutines = slices.Clone(f.Goroutines)
	locked.Goroutines[1].Operation, locked.Goroutines[1].Text = "lock", "mu.Lock()"
	locked.Interleaving = slices.Insert(slices.Clone(f.Interleaving), 1, artifact.FindingStep{Step: 1, G: "0.1", Operation: "unlock", File: "a.go", Line: 4, Text: "mu.Unlock()"})
	require.Contains(t, Cause(locked), "before goroutine 0.1 has come to `mu.Lock()` at a.go:5")

	// What it panics at may be no step.
	locked.Interleaving = locked.Interleaving[:len(locked.Interleaving)-1]
	require.Contains(t, Cause(locked), "before goroutine 0.1 has come to `mu.Lock()` at a.go:5")

	// Two operations of a line are told apart.
	require.Equal(t, []string{"   2  a.go:9   l.low.Load() (gives 10)", "   3  a.go:9   l.high.Load() (gives 5)"}, Table(artifact.Finding{Interleaving: f.Interleaving[1:]})[1:3])

	for name, change := range map[string]func(f *artifact.Finding){
		"it has ended":              func(f *artifact.Finding) { f.Goroutines[1].State = artifact.StateFinished },
		"it only reads":             func(f *artifact.Finding) { f.Goroutines[1].Text = "l.high.Load()" },
		"another one has written":   func(f *artifact.Finding) { f.Interleaving[0].G = "0" },
		"something else was read":   func(f *artifact.Finding) { f.Interleaving[1].Object = "atomic#3" },
		"it has gone on, and waits": func(f *artifact.Finding) { f.Interleaving[2].G, f.Interleaving[2].Operation = "0.1", "lock" },
	} {
		o := f
		o.Interleaving, o.Goroutines = slices.Clone(f.Interleaving), slices.Clone(f.Goroutines)
		change(&o)
		require.Empty(t, Cause(o), name)
	}
}

// TestCauseLost: an update that is lost explains more than another change in between.
func TestCauseLost(t *testing.T) {
	step := func(n int, g string, line int, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Operation: "access", Site: text, File: "a.go", Line: line, Text: text}
	}
	f := artifact.Finding{Kind: artifact.KindPanic, File: "a.go", Line: 9, Interleaving: []artifact.FindingStep{
		step(1, "0.1", 1, "if len(p.free) > p.made {"), step(2, "0.2", 2, "p.made++"), step(3, "0.2", 3, "p.free = nil"), step(4, "0.1", 2, "p.made++"),
		{Step: 5, G: "0.1", Operation: "panic", File: "a.go", Line: 9, Text: `panic("too many")`},
	}, Goroutines: []artifact.FindingGoroutine{{G: "0.1", State: artifact.StatePanicked}, ended("0.2")}}
	require.Equal(t, "goroutine 0.2 does `p.made++` at a.go:2 while goroutine 0.1 is between `if len(p.free) > p.made` at a.go:1 and `p.made++` at a.go:2", Cause(f))
}
