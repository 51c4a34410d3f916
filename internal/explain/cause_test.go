package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

func blocked(g, operation, object string, line int, text string, holds ...artifact.FindingAct) artifact.FindingGoroutine {
	return artifact.FindingGoroutine{G: g, Site: "s" + text, Operation: operation, Object: object, State: artifact.StateBlocked, File: "a.go", Line: line, Text: text, Holds: holds}
}

func ended(g string, holds ...artifact.FindingAct) artifact.FindingGoroutine {
	return artifact.FindingGoroutine{G: g, State: "finished", Holds: holds}
}

func act(g, operation, object string, line int, text string) artifact.FindingAct {
	return artifact.FindingAct{G: g, Site: "h" + text, Operation: operation, Object: object, File: "a.go", Line: line, Text: text}
}

func counting(g artifact.FindingGoroutine, n int) artifact.FindingGoroutine {
	g.Counter = n
	return g
}

func TestCause(t *testing.T) {
	for _, p := range []struct {
		name, kind string
		goroutines []artifact.FindingGoroutine
		want       string
	}{
		{"cycle of two, and one who waits for them", artifact.KindDeadlock, []artifact.FindingGoroutine{
			counting(blocked("0", "wait", "waitgroup#1", 9, "wg.Wait()"), 2),
			blocked("0.1", "lock", "mutex#2", 2, "b.Lock()", act("0.1", "lock", "mutex#1", 1, "a.Lock()")),
			blocked("0.2", "lock", "mutex#1", 4, "a.Lock()", act("0.2", "lock", "mutex#2", 3, "b.Lock()")),
		}, "goroutine 0.1 holds a since a.go:1, and waits at a.go:2 for b, which goroutine 0.2 holds; goroutine 0.2 holds b since a.go:3, and waits at a.go:4 for a"},
		{"cycle of three behind a chain", artifact.KindLeak, []artifact.FindingGoroutine{
			blocked("0.1", "lock", "mutex#1", 1, "a.Lock()"),
			blocked("0.2", "lock", "mutex#2", 2, "b.Lock()", act("0.2", "lock", "mutex#1", 12, "a.Lock()")),
			blocked("0.3", "read lock", "rwmutex#1", 3, "c.RLock()", act("0.3", "lock", "mutex#2", 13, "b.Lock()")),
			blocked("0.4", "lock", "mutex#1", 4, "a.Lock()", act("0.4", "lock", "rwmutex#1", 14, "c.Lock()")),
		}, "goroutine 0.2 holds a since a.go:12, and waits at a.go:2 for b, which goroutine 0.3 holds; goroutine 0.3 holds b since a.go:13, and waits at a.go:3 for c for reading; goroutine 0.4 holds c for writing since a.go:14, and waits at a.go:4 for a"},
		{"the same name for several objects", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0.1", "lock", "mutex#2", 2, "s.mu.Lock()", act("0.1", "lock", "mutex#1", 1, "s.mu.Lock()")),
			blocked("0.2", "lock", "mutex#1", 2, "s.mu.Lock()", act("0.2", "lock", "mutex#2", 1, "s.mu.Lock()")),
		}, "goroutine 0.1 holds s.mu (mutex#1) since a.go:1, and waits at a.go:2 for s.mu (mutex#2), which goroutine 0.2 holds; goroutine 0.2 holds s.mu (mutex#2) since a.go:1, and waits at a.go:2 for s.mu (mutex#1)"},
		{"locked twice", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "lock", "mutex#1", 2, "mu.Lock()", act("0", "lock", "mutex#1", 1, "mu.Lock()")),
		}, "goroutine 0 waits at a.go:2 for mu, which it holds itself since a.go:1"},
		{"upgrade", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "lock", "rwmutex#1", 2, "mu.Lock()", act("0", "read lock", "rwmutex#1", 1, "mu.RLock()")),
		}, "goroutine 0 waits at a.go:2 for mu for writing, which it holds itself for reading since a.go:1"},
		{"read again behind a writer", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "read lock", "rwmutex#1", 2, "mu.RLock()", act("0", "read lock", "rwmutex#1", 1, "mu.RLock()")),
			blocked("0.1", "lock", "rwmutex#1", 3, "mu.Lock()"),
		}, "goroutine 0 waits at a.go:2 to read under mu again, which it reads under since a.go:1: goroutine 0.1 wants to write in between, and whoever comes later waits for that"},
		{"the holder waits for something else", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "lock", "mutex#1", 1, "if s.mu.Lock(); ok {"),
			blocked("0.1", "send", "chan#1", 2, "results <- 1", act("0.1", "lock", "mutex#1", 3, "s.mu.Lock()")),
		}, "goroutine 0.1, which holds s.mu since a.go:3, waits at a.go:2 to send on results, and nobody who is left receives from it; goroutine 0 waits at a.go:1 for s.mu, which goroutine 0.1 holds since a.go:3"},
		{"the holder has ended", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "lock", "mutex#1", 1, "mu.Lock()"),
			ended("0.1", act("0.1", "lock", "mutex#1", 3, "mu.Lock()")),
		}, "goroutine 0 waits at a.go:1 for mu, which goroutine 0.1 holds since a.go:3, and has ended without giving it back"},
		{"locked by a library", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "lock", "mutex#1", 1, "mu.Lock()"),
		}, "goroutine 0 waits at a.go:1 for mu, and who holds it is not known"},
		{"Once within its function", artifact.KindDeadlock, []artifact.FindingGoroutine{
			blocked("0", "once", "once#1", 1, "o.Do(f)", act("0", "once", "once#1", 2, "o.Do(f)")),
		}, "goroutine 0 waits at a.go:1 for the function of o, which it runs itself since a.go:2"},
		{"counter", artifact.KindDeadlock, []artifact.FindingGoroutine{
			counting(blocked("0", "wait", "waitgroup#1", 1, "wg.Wait()"), 1), ended("0.1"),
		}, "goroutine 0 waits at a.go:1 for wg, whose counter stays at 1"},
		{"channels", artifact.KindLeak, []artifact.FindingGoroutine{
			blocked("0.1", "receive", "nil chan", 1, "<-c"), blocked("0.2", "receive", "chan#1", 2, "for v := range d {"),
			blocked("0.3", "select", "chan#1, chan#2", 3, "select {"), blocked("0.4", "select", "", 4, "select {}"), blocked("0.5", "cond wait", "cond#1", 5, "c.Wait()"),
		}, "goroutine 0.1 waits at a.go:1 to receive from a nil channel, for ever; goroutine 0.2 waits at a.go:2 to receive from d, and nobody who is left sends on it; " +
			"goroutine 0.3 waits at a.go:3 in a select, and nobody who is left comes to what its cases wait for (chan#1, chan#2); and 2 more wait"},
		{"select and Cond", artifact.KindPartialDeadlock, []artifact.FindingGoroutine{
			blocked("0.4", "select", "", 4, "select {}"), blocked("0.5", "cond wait", "cond#1", 5, "c.Wait()"), blocked("0.6", "settle", "", 6, "f()"),
		}, "goroutine 0.4 waits at a.go:4 in a select without cases, for ever; goroutine 0.5 waits at a.go:5 for a signal of c, and nobody who is left gives one"},
		{"nobody was seen", artifact.KindDeadlock, []artifact.FindingGoroutine{{G: "0", Operation: "lock", File: "a.go", Line: 1}}, ""},
		{"a panic", artifact.KindPanic, []artifact.FindingGoroutine{blocked("0", "send", "chan#1", 1, "c <- 1")}, ""},
		{"send on closed", artifact.KindSendOnClosed, []artifact.FindingGoroutine{
			{G: "0", State: "panicked", Closed: &artifact.FindingAct{G: "0.1", Operation: "close", Object: "chan#1", File: "a.go", Line: 1, Text: "defer close(c.done)"}},
		}, "goroutine 0 sends on c.done at a.go:9, which goroutine 0.1 has closed at a.go:1"},
		{"closed twice", artifact.KindCloseOfClosed, []artifact.FindingGoroutine{
			{G: "0", State: "panicked", Closed: &artifact.FindingAct{G: "0", Operation: "close", Object: "chan#1", File: "a.go", Line: 1, Text: "close(c); close(d)"}},
		}, "goroutine 0 closes chan#1 at a.go:9, which it has closed at a.go:1"},
	} {
		t.Run(p.name, func(t *testing.T) {
			require.Equal(t, p.want, Cause(artifact.Finding{Kind: p.kind, File: "a.go", Line: 9, Goroutines: p.goroutines}))
		})
	}
}

func TestStarted(t *testing.T) {
	f := artifact.Finding{Interleaving: []artifact.FindingStep{
		{Step: 1, G: "0", Operation: "add"}, {Step: 2, G: "0", Operation: "go"}, {Step: 3, G: "0.1", Operation: "wggo"}, {Step: 4, G: "0", Operation: "subtest"},
	}}
	for g, want := range map[string]int{"0": 0, "0.1": 2, "0.2": 4, "0.3": 0, "0.1.1": 3, "0.2.1": 0} {
		s, ok := Started(f, g)
		require.Equal(t, want != 0, ok, g)
		require.Equal(t, want, s.Step, g)
	}
}

func TestExpression(t *testing.T) {
	for _, p := range []struct{ operation, text, want string }{
		{"lock", "mu.Lock()", "mu"},
		{"lock", "defer s.a[i].mu.Lock()", "s.a[i].mu"},
		{"lock", "a.Lock(); b.Lock()", ""},
		{"lock", "a.Lock(); a.Lock()", "a"},
		{"lock", "b.Unlock(); a.Lock()", "a"},
		{"lock", "mu.RLock()", ""},
		{"lock", "f().Lock()", ""},
		{"lock", "f().mu.Lock()", ""},
		{"lock", "a[f(1)].mu.Lock()", ""},
		{"lock", "if x{a.Lock()}", "a"},
		{"lock", "sync.NewCond(m)", ""},
		{"read lock", "b.RUnlock(); a.RLock()", "a"},
		{"wait", "wg.Wait() // until they have ended", "wg"},
		{"once", "o.Do(f)", "o"},
		{"close", "defer close(s.done)", "s.done"},
		{"close", "close(<-c)", ""},
		{"send", "s.results <- f(x)", "s.results"},
		{"send", "f() <- 1", ""},
		{"receive", "v, ok := <-s.in", "s.in"},
		{"receive", "case v := <-s.in:", "s.in"},
		{"receive", "<-done", "done"},
		{"receive", "<-time.After(1)", ""},
		{"receive", "<-make(chan int)", ""},
		{"receive", "for v := range s.in {", "s.in"},
		{"receive", "f(<-a, <-b)", ""},
		{"receive", "case out <- i:", ""},
		{"receive", "out <- <-in", "in"},
		{"receive", "c[0] <- i", ""},
		{"send", "case <-s.in:", ""},
		{"send", "return <-s.in", ""},
		{"panic", "panic(x)", ""},
	} {
		require.Equal(t, p.want, expression(p.operation, p.text), "%s %s", p.operation, p.text)
	}
}

// TestLastSignal: of a goroutine that waits for a signal the cause says whom the last one has woken,
// or that it came before, if the interleaving tells.
func TestLastSignal(t *testing.T) {
	signal := func(object, after string) artifact.FindingStep {
		return artifact.FindingStep{G: "0", Operation: "signal", Object: object, After: after, File: "a.go", Line: 9}
	}
	for _, c := range []struct {
		steps []artifact.FindingStep
		want  string
	}{
		{[]artifact.FindingStep{signal("cond#1", "0.1")}, "; the last one, at a.go:9, has woken goroutine 0.1"},
		{[]artifact.FindingStep{signal("cond#1", "0.1, 0.3")}, "; the last one, at a.go:9, has woken goroutines 0.1, 0.3"},
		{[]artifact.FindingStep{signal("cond#1", "0.1"), signal("cond#2", "0.3")}, "; the last one, at a.go:9, has woken goroutine 0.1"},
		{[]artifact.FindingStep{signal("cond#1", "nobody")}, "; the last one, at a.go:9, came before it waited"},
		{[]artifact.FindingStep{signal("cond#1", "0.1, 0.2")}, "; the last one, at a.go:9, has woken it, and it has begun to wait again"},
		{[]artifact.FindingStep{signal("cond#1", "0.1"), signal("cond#1", "")}, ""},
		{[]artifact.FindingStep{signal("cond#2", "nobody")}, ""},
		{nil, ""},
	} {
		f := artifact.Finding{Kind: artifact.KindLeak, Interleaving: c.steps, Goroutines: []artifact.FindingGoroutine{
			{G: "0.2", Operation: "cond wait", Object: "cond#1", State: artifact.StateBlocked, File: "a.go", Line: 4, Text: "q.c.Wait()", Site: "f#1"},
		}}
		require.Equal(t, "goroutine 0.2 waits at a.go:4 for a signal of q.c, and nobody who is left gives one"+c.want, Cause(f))
	}
}

// TestCauseOwed: of a wait group whose counter stays the cause says who has not come to Done.
func TestCauseOwed(t *testing.T) {
	owed := func(g, operation string, line int) artifact.FindingAct {
		return artifact.FindingAct{G: g, Operation: operation, Object: "waitgroup#1", File: "a.go", Line: line}
	}
	for _, c := range []struct {
		owed []artifact.FindingAct
		want string
	}{
		{nil, ""},
		{[]artifact.FindingAct{owed("0.1", "done", 4)}, ", since goroutine 0.1 does not come to Done at a.go:4"},
		{[]artifact.FindingAct{owed("0.9", "done", 4)}, ", since goroutine 0.9 has ended without Done at a.go:4"},
		{[]artifact.FindingAct{owed("0.1", "wggo", 6)}, ", since goroutine 0.1 that Go has started at a.go:6 does not end"},
		{
			[]artifact.FindingAct{owed("0.1", "done", 4), owed("0.2", "done", 4), owed("0.3", "done", 5), owed("0.9", "done", 5)},
			", since goroutines 0.1 and 0.2 do not come to Done at a.go:4, and goroutine 0.3 does not come to Done at a.go:5, and goroutine 0.9 has ended without Done at a.go:5",
		},
		{
			[]artifact.FindingAct{owed("0.1", "wggo", 6), owed("0.2", "wggo", 6), owed("0.3", "wggo", 6), owed("0.4", "wggo", 6), owed("0.5", "wggo", 6)},
			", since goroutines 0.1, 0.2, 0.3 and 2 more that Go has started at a.go:6 do not end",
		},
	} {
		w := blocked("0", "wait", "waitgroup#1", 8, "wg.Wait()")
		w.Counter, w.Owed = 5, c.owed
		f := artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{w, ended("0.9")}}
		require.Equal(t, "goroutine 0 waits at a.go:8 for wg, whose counter stays at 5"+c.want, Cause(f))
		require.Equal(t, strings.TrimPrefix(c.want, ", since "), Owed(f, w))
		f.Cause = Cause(f)
		require.Empty(t, Owed(f, w), "it has been said")
	}
}

// TestCauseOwedChannel: of a channel the cause says who has not come to the other side.
func TestCauseOwedChannel(t *testing.T) {
	w := blocked("0", "receive", "chan#1", 8, "<-w.done")
	w.Owed = []artifact.FindingAct{{G: "0.1", Operation: "close", File: "a.go", Line: 4, Text: "close(w.done)"}, {G: "0.2", Operation: "send", File: "a.go", Line: 5, Text: "w.done <- v"}}
	require.Equal(t, "goroutine 0 waits at a.go:8 to receive from w.done, and nobody who is left sends on it: goroutine 0.1 has ended without `close(w.done)` at a.go:4, and goroutine 0.2 does not come to `w.done <- v` at a.go:5",
		Cause(artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{w, ended("0.1")}}))
}

// TestTableDefer: a statement that defers a call is not the call.
func TestTableDefer(t *testing.T) {
	lines := strings.Join(Table(artifact.Finding{Interleaving: []artifact.FindingStep{
		{Step: 1, G: "0", Site: "f@1", Operation: "access", File: "a.go", Line: 1, Text: "defer wg.Done()"},
		{Step: 2, G: "0", Site: "f@2", Operation: "access", File: "a.go", Line: 2, Text: "mu.Lock()"},
		{Step: 3, G: "0", Site: "f#2", Operation: "lock", File: "a.go", Line: 2, Text: "mu.Lock()"},
		{Step: 4, G: "0", Site: "f#1", Operation: "done", File: "a.go", Line: 1, Text: "defer wg.Done()"},
	}}), "\n")
	require.Equal(t, "step  where   0\n   1  a.go:1  defer wg.Done()\n 2-3  a.go:2  mu.Lock()\n   4  a.go:1  deferred wg.Done()", lines)
}

func TestOperand(t *testing.T) {
	for kind, text := range map[sites.Kind]string{
		sites.Lock: "s.x.Lock()", sites.TryLock: "if s.x.TryLock() {", sites.RLock: "s.x.RLock()", sites.WaitGroupWait: "s.x.Wait()",
		sites.CondWait: "s.x.Wait()", sites.OnceDo: "s.x.Do(f)", sites.Close: "close(s.x)", sites.Send: "s.x <- 1", sites.Recv: "v := <-s.x", sites.Range: "for v := range s.x {",
		sites.WaitGroupDone: "defer s.x.Done()", sites.WaitGroupGo: "s.x.Go(func() {",
	} {
		require.Equal(t, "s.x", Operand(kind, text), kind)
	}
	require.Empty(t, Operand(sites.Panic, "panic(s.x)"))
}

// TestCauseOfLeaks: of several goroutines that are left behind each is spoken of first in its own
// finding, which stays where it is; a deadlock is where the goroutine waits that causes it.
func TestCauseOfLeaks(t *testing.T) {
	all := []artifact.FindingGoroutine{
		{G: "0.1", Operation: "send", Object: "chan#1", State: artifact.StateBlocked, File: "a.go", Line: 1, Text: "c <- 1", Site: "f#1"},
		{G: "0.2", Operation: "send", Object: "chan#2", State: artifact.StateBlocked, File: "a.go", Line: 2, Text: "d <- 1", Site: "f#2"},
	}
	for i, want := range []string{"goroutine 0.1 waits at a.go:1", "goroutine 0.2 waits at a.go:2"} {
		f := artifact.Finding{Kind: artifact.KindLeak, File: "a.go", Line: i + 1, Goroutines: all}
		f.Cause = Cause(f)
		require.True(t, strings.HasPrefix(f.Cause, want), f.Cause)
		require.Equal(t, Location{File: "a.go", Line: i + 1}, Place(f))
	}
	f := artifact.Finding{Kind: artifact.KindDeadlock, File: "a.go", Line: 9, Goroutines: all}
	f.Cause = Cause(f)
	require.Equal(t, Location{File: "a.go", Line: 1, Site: "f#1", G: "0.1"}, Place(f))
	f.Cause, f.Goroutines = "goroutine 0, x", []artifact.FindingGoroutine{{G: "0"}}
	require.Equal(t, Location{File: "a.go", Line: 9}, Place(f), "the goroutine has no place")
}

// TestCauseOrder: who is awaited comes in front of who waits for work, and those who wait alike are one.
func TestCauseOrder(t *testing.T) {
	group := counting(blocked("0", "wait", "waitgroup#1", 9, "wg.Wait()"), 2)
	group.Owed = []artifact.FindingAct{act("0.2", "wggo", "waitgroup#1", 8, "wg.Go(f)"), act("0.4", "wggo", "waitgroup#1", 8, "wg.Go(f)")}
	f := artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{
		group, blocked("0.1", "cond wait", "cond#1", 2, "work.Wait()"),
		blocked("0.2", "cond wait", "cond#2", 3, "done.Wait()"), ended("0.3"), blocked("0.4", "cond wait", "cond#2", 3, "done.Wait()"),
	}}
	require.Equal(t, "goroutine 0.2, like goroutine 0.4, waits at a.go:3 for a signal of done, and nobody who is left gives one; "+
		"goroutine 0.1 waits at a.go:2 for a signal of work, and nobody who is left gives one; "+
		"goroutine 0 waits at a.go:9 for wg, whose counter stays at 2, since goroutines 0.2 and 0.4 that Go has started at a.go:8 do not end", Cause(f))
	f.Goroutines = append(f.Goroutines, blocked("0.5", "cond wait", "cond#2", 3, "done.Wait()"))
	require.True(t, strings.HasPrefix(Cause(f), "goroutine 0.2, like goroutines 0.4 and 0.5, waits at a.go:3"), Cause(f))
}

// TestCausePartner: who was on the other side of a channel, and is stuck too, is named.
func TestCausePartner(t *testing.T) {
	sender := blocked("0.1", "send", "chan#1", 4, "out <- v", act("0.1", "lock", "mutex#1", 3, "mu.Lock()"))
	receiver := blocked("0.2", "lock", "mutex#1", 7, "mu.Lock()")
	steps := []artifact.FindingStep{does("0.2", "range", 6, "for v := range out {", "chan#1", "0 of 1"), does("0.1", "send", 4, "out <- v", "chan#1", "1 of 1")}
	f := artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{sender, receiver}, Interleaving: steps}
	const partner = "nobody who is left receives from it: goroutine 0.2, which has received from it at a.go:6, waits itself at a.go:7"
	require.Contains(t, Cause(f), partner)
	other := f
	other.Interleaving = append(steps[:2:2], does("0.3", "receive", 9, "<-out", "chan#1", "0 of 1"))
	require.NotContains(t, Cause(other), "waits itself", "one of several")
	other.Interleaving = []artifact.FindingStep{does("0.2", "range", 6, "for v := range in {", "chan#2", "0 of 1")}
	require.NotContains(t, Cause(other), "waits itself", "another channel")
	other = f
	other.Goroutines = []artifact.FindingGoroutine{sender, ended("0.2")}
	require.NotContains(t, Cause(other), "waits itself", "it has ended")
}

// TestCauseFull: who has the places of a semaphore is why nobody gets another one.
func TestCauseFull(t *testing.T) {
	send := func(n int, g, after string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Operation: "send", Object: "chan#1", After: after, File: "a.go", Line: 1, Text: "slots <- x"}
	}
	waits := send(3, "0.3", "")
	waits.Waits = true
	f := artifact.Finding{
		Kind: artifact.KindDeadlock, Interleaving: []artifact.FindingStep{send(1, "0.2", "1 of 2"), send(2, "0.1", "2 of 2"), waits},
		Goroutines: []artifact.FindingGoroutine{
			blocked("0.3", "send", "chan#1", 1, "slots <- x"), blocked("0.1", "wait", "waitgroup#1", 2, "wg.Wait()"), blocked("0.2", "wait", "waitgroup#2", 2, "wg.Wait()"),
		},
	}
	require.Contains(t, Cause(f), "goroutine 0.3 waits at a.go:1 to send on slots, and nobody who is left receives from it: its buffer is full of what goroutines 0.1 and 0.2 have sent, which wait themselves; ")
	f.Interleaving[0].G = "0.1"
	require.Contains(t, Cause(f), ": its buffer is full of what goroutine 0.1 has sent, which waits itself; ")
	const said = "its buffer is full"
	for name, change := range map[string]func(f *artifact.Finding){
		"one who has sent goes on":  func(f *artifact.Finding) { f.Goroutines[1].State = artifact.StateFinished },
		"somebody has received":     func(f *artifact.Finding) { f.Interleaving[0].Operation, f.Interleaving[0].Text = "receive", "<-slots" },
		"there is no buffer":        func(f *artifact.Finding) { f.Interleaving[1].After = "with 0.4" },
		"it has sent that itself":   func(f *artifact.Finding) { f.Interleaving[0].G = "0.3" },
		"nobody has sent on it yet": func(f *artifact.Finding) { f.Interleaving = f.Interleaving[2:] },
	} {
		other := f
		other.Interleaving, other.Goroutines = slices.Clone(f.Interleaving), slices.Clone(f.Goroutines)
		change(&other)
		require.NotContains(t, Cause(other), said, name)
	}
}

// TestWaitingCases: a nil channel in a select is never ready, which nothing else shows.
func TestWaitingCases(t *testing.T) {
	for _, p := range []struct{ object, want string }{
		{"chan#1, chan#2", "case <-a, case b <- 1"},
		{"nil chan, chan#2", "case <-a (nil), case b <- 1"},
		{"nil chan", "case <-a (nil), case b <- 1 (nil)"},
		{"chan#1", "case <-a, case b <- 1"},
		{"", "case <-a, case b <- 1"},
	} {
		g := blocked("0.1", "select", p.object, 2, "select {")
		g.Cases = []string{"<-a", "b <- 1"}
		require.Equal(t, p.want, NamingOf(artifact.Finding{}).Cases(g))
		cause := Cause(artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{g}})
		require.Equal(t, p.object == "nil chan", strings.Contains(cause, "nil channels only, for ever"), cause)
	}
}

// TestWaiting: who waits for a wait group waits for others, of whom more is to be said. A page has what is asked for.
func TestWaiting(t *testing.T) {
	all := []artifact.FindingGoroutine{blocked("0", "wait", "waitgroup#1", 9, "wg.Wait()"), ended("0.1"), blocked("0.2", "send", "chan#1", 4, "c <- 1"), blocked("0.3", "range", "chan#1", 4, "for range c {"),
		blocked("0.4", "read lock", "rwmutex#1", 4, "mu.RLock()"), blocked("0.5", "cond wait", "cond#1", 4, "c.Wait()")}
	of := func(kind string, gs []artifact.FindingGoroutine) []string {
		return Waiting(artifact.Finding{Kind: kind, Goroutines: gs})
	}
	require.Equal(t, []string{"channel", "read lock", "condition"}, of(artifact.KindDeadlock, all))
	require.Equal(t, []string{"wait group"}, of(artifact.KindLeak, all[:2]))
	require.Empty(t, of(artifact.KindDeadlock, all[1:2]))
	require.Empty(t, of(artifact.KindTestFailure, all), "its page has no list")
	for message, want := range map[string]string{
		"panic: runtime error: index out of range [1] with length 1": "runtime error", "panic: assignment to entry in nil map": "runtime error", "panic: released twice": "panic",
	} {
		require.Equal(t, []string{want}, Waiting(artifact.Finding{Kind: artifact.KindPanic, Message: message}))
	}
}
