package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

func TestTable(t *testing.T) {
	step := func(n int, g, operation string, line int, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Operation: operation, File: "a.go", Line: line, Text: text}
	}
	lock := step(3, "0.1", "lock", 12, "mu.Lock()")
	lock.Waits = true
	choice := step(6, "0", "select", 5, "select {")
	choice.Case = 1
	other := step(7, "0", "select", 5, "select {")
	other.Case = -1
	f := artifact.Finding{Kind: artifact.KindDeadlock, Interleaving: []artifact.FindingStep{
		step(1, "0", "go", 2, "go f()"), step(2, "0.1", "start", 2, "go f()"), lock,
		{}, step(5, artifact.TimeStep, "time passes", 0, ""), choice, other, step(8, "0.1", "access", 13, "x++"), step(9, "0.1", "return from wait", 14, "wg.Wait()"), step(10, "0.1", "end", 15, "}"),
	}, Goroutines: []artifact.FindingGoroutine{
		blocked("0", "lock", "mutex#1", 6, "mu.Lock() // which 0.1 has taken and has never given back, and that is long"),
		ended("0.1"), blocked("0.2", "lock", "mutex#1", 7, "mu.Lock()"),
	}}
	require.Equal(t, `
step  where        0                                                        0.1                        0.2
   1  a.go:2       go f()
   2  a.go:2                                                                start of the goroutine
   3  a.go:12                                                               waits: mu.Lock()
 ...
   5  time passes
   6  a.go:5       select: case number 2
   7  a.go:5       select: default
   8  a.go:13                                                               x++
   9  a.go:14                                                               comes back from wg.Wait()
  10  a.go:15                                                               return
      a.go:6       blocked: mu.Lock() // which 0.1 has taken and has never
                     given back, and that is long
      a.go:7                                                                                           blocked: mu.Lock()
`, "\n"+strings.Join(Table(f), "\n")+"\n")

	race := artifact.Finding{Kind: artifact.KindRace, Interleaving: f.Interleaving[:1], Goroutines: []artifact.FindingGoroutine{
		{G: "0", Operation: "read of x", File: "a.go", Line: 3, Text: "use(x)"}, {G: "0.1", Operation: "write of x", File: "a.go", Line: 12, Text: "x = 1"},
	}}
	require.Equal(t, `
step  where    0                0.1
   1  a.go:2   go f()
      a.go:3   reads x: use(x)
      a.go:12                   writes x: x = 1
`, "\n"+strings.Join(Table(race), "\n")+"\n")

	// Of many goroutines each is named.
	var many artifact.Finding
	for i := range 7 {
		many.Interleaving = append(many.Interleaving, step(i+1, fmt.Sprint("0.", i+1), "access", i, "c <- "+strings.Repeat("x", 100)))
	}
	got := Table(many)
	require.Equal(t, "step  where   goroutine  what it does", got[0])
	require.Equal(t, "   1  a.go:0  0.1        c <-", got[1][:len("   1  a.go:0  0.1        c <-")])
	require.Len(t, got, 1+2*7)
	require.Equal(t, []string{"step  where"}, Table(artifact.Finding{}))
}

// TestTableSelect: a select says which case was taken, or which it waits for, and what operations have given is said.
func TestTableSelect(t *testing.T) {
	step := func(n int, operation string, line int, text, site string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: "0", Operation: operation, File: "a.go", Line: line, Text: text, Site: site}
	}
	took, lock, closed, waits := step(1, "select", 5, "select {", "f#1"), step(2, "trylock", 7, "if mu.TryLock() {", "f#2"), step(3, "receive", 8, "<-done", "f#3"), step(4, "select", 9, "select {", "f#4")
	took.Case, took.Taken, took.Result = 1, "v := <-c", "7"
	lock.Result, closed.Result = "false", "closed"
	g := blocked("0", "select", "chan#1, chan#2", 9, "select {")
	g.Site, g.Cases = "f#4", []string{"<-a", "b <- f(1)"}
	other := g
	other.G, other.Site = "0.1", "f#9"
	f := artifact.Finding{Kind: artifact.KindDeadlock, Interleaving: []artifact.FindingStep{took, lock, closed, waits}, Goroutines: []artifact.FindingGoroutine{g, other}}
	require.Equal(t, `
step  where   0                                          0.1
   1  a.go:5  select: case v := <-c (gives 7)
   2  a.go:7  if mu.TryLock() (gives false)
   3  a.go:8  <-done (the channel is closed)
   4  a.go:9  blocked: select: case <-a, case b <- f(1)
      a.go:9                                             blocked: select: case <-a, case b <- f(1)
`, "\n"+strings.Join(Table(f), "\n")+"\n")
	f.Goroutines[0].Cases = nil // a bundle of an earlier version
	require.Contains(t, strings.Join(Table(f), "\n"), "   4  a.go:9  blocked: select\n")
	require.Contains(t, Cause(artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{g}}),
		"waits at a.go:9 in a select, and nobody who is left comes to what its cases wait for (case <-a, case b <- f(1))")
}

func TestWrap(t *testing.T) {
	for _, p := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"0123456789", []string{"0123456789"}},
		{"0123456789a", []string{"0123456789", "  a"}},
		{"01234567 89", []string{"01234567", "  89"}},
		{"0123456789 a", []string{"0123456789", "  a"}},
		{"0 23456789a", []string{"0 23456789", "  a"}},
		{"äöüäöüäöüäöü", []string{"äöüäöüäöüä", "  öü"}},
		{"012345.later(7)", []string{"012345.", "  later(7)"}}, // not within a word
		{"012345678901234567890", []string{"0123456789", "  01234567", "  890"}},
	} {
		require.Equal(t, p.want, wrap(p.text, 10), p.text)
	}
}

// TestTableOperations: the operation is named where the text of a line does not tell it, deferred
// ones, who is woken, who is blocked from where, and the crash.
func TestTableOperations(t *testing.T) {
	step := func(n int, g, operation, site string, line int, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Operation: operation, Site: site, File: "a.go", Line: line, Text: text}
	}
	f := artifact.Finding{Kind: artifact.KindPanic, File: "a.go", Line: 9, Message: "panic: boom", Interleaving: []artifact.FindingStep{
		step(1, "0", "go", "m#1", 1, "go f()"), step(2, "0.1", "start", "m#1.start", 1, "go f()"),
		step(3, "0.1", "lock", "f#1", 2, "mu.Lock(); mu.Unlock()"), step(4, "0.1", "unlock", "f#2", 2, "mu.Lock(); mu.Unlock()"),
		step(5, "0.1", "unlock", "f#3", 3, "defer mu.Unlock()"), step(6, "0.1", "condwait", "f#4", 4, "c.Wait()"), step(7, "0.1", "condwait", "f#4", 4, "c.Wait()"), step(7, "0.1", "condwait", "f#4", 4, "c.Wait()"),
		step(8, "0.1", "receive", "f#5", 5, "<-d"), step(9, "0", "send", "m#2", 6, "e <- 1"), step(10, "0", "send", "m#2", 6, "e <- 1"),
	}, Goroutines: []artifact.FindingGoroutine{
		{G: "0", State: artifact.StatePanicked},
		{G: "0.1", State: artifact.StateBlocked, Operation: "receive", Site: "f#5", File: "a.go", Line: 5, Text: "<-d"},
		{G: "0.2", State: artifact.StateFinished},
	}}
	require.Equal(t, `
step  where   0            0.1
   1  a.go:1  go f()
   2  a.go:1               start of the goroutine
   3  a.go:2               mu.Lock()
   4  a.go:2               mu.Unlock()
   5  a.go:3               deferred mu.Unlock()
   6  a.go:4               c.Wait()
   7  a.go:4               woken: c.Wait()
   7  a.go:4               c.Wait()
   8  a.go:5               blocked: <-d
   9  a.go:6  e <- 1
  10  a.go:6  e <- 1
      a.go:9  panic: boom
`, "\n"+strings.Join(Table(f), "\n")+"\n")

	f.Interleaving = append(f.Interleaving, step(11, "0", "panic", "m#3", 9, `panic("boom")`), step(12, "0.1", "wggo", "f#6", 7, "wg.Go(f); wg.Go(g)"), step(13, "0.1", "wggo", "f#7", 7, "wg.Go(f); wg.Go(g)"))
	got := Table(f)
	require.Equal(t, `  11  a.go:9  panic("boom")`, got[12])
	require.Regexp(t, `^  12  a.go:7 +wg.Go\(…\)$`, got[13])
	require.Regexp(t, `^ +a.go:5 +blocked: <-d$`, got[15], "not from a step before")
	require.Len(t, got, 16)
}

// TestTableReads: a statement says what it has read and what it writes, also where these are two steps that are one
// row; of one expression without its name, and nothing twice.
func TestTableReads(t *testing.T) {
	n := 0
	step := func(operation string, line int, text, after, outcome string, reads ...artifact.FindingRead) artifact.FindingStep {
		n++
		return artifact.FindingStep{Step: n, G: "0", Operation: operation, Site: fmt.Sprint(operation, line), File: "a.go", Line: line, Text: text, Reads: reads, After: after, Outcome: outcome}
	}
	x := artifact.FindingRead{Name: "x", Value: "1"}
	f := artifact.Finding{Kind: artifact.KindTestFailure, Interleaving: []artifact.FindingStep{
		step(opAccess, 1, "h := x", "", "", x), step(opAccess, 2, "x = h + 1", "2", ""),
		step(opAccess, 3, "x++", "", "", x), step(opWrite, 3, "x++", "2", ""),
		step(opAccess, 4, "if x == y {", "", "false", x, artifact.FindingRead{Name: "y", Value: "2"}),
		step(opAccess, 5, "if !p.ok {", "", "true", artifact.FindingRead{Name: "p.ok", Value: "false"}),
		step(opAccess, 6, "for !ok {", "", "false", artifact.FindingRead{Name: "ok", Value: "true"}),
		step(opAccess, 7, "if !ok && f() {", "", "false", artifact.FindingRead{Name: "ok", Value: "true"}),
	}, Goroutines: []artifact.FindingGoroutine{{G: "0", State: artifact.StateFinished}}}
	require.Equal(t, `
step  where   0
   1  a.go:1  h := x (reads 1)
   2  a.go:2  x = h + 1 (stores 2)
 3-4  a.go:3  x++ (reads 1, stores 2)
   5  a.go:4  if x == y (reads x = 1, y = 2, condition false)
   6  a.go:5  if !p.ok (true)
   7  a.go:6  for !ok (false)
   8  a.go:7  if !ok && f() (reads true, condition false)
`, "\n"+strings.Join(Table(f), "\n")+"\n")
}

// TestGoroutine: a goroutine that a library has started for a function of the program is named by where the
// function was given, if that is known, all others by their creation paths.
func TestGoroutine(t *testing.T) {
	start := func(g, text string) artifact.FindingStep {
		return artifact.FindingStep{G: g, Operation: sites.Start.String(), File: "a.go", Line: 7, Text: text}
	}
	f := artifact.Finding{Interleaving: []artifact.FindingStep{
		start("F@m.f#1.1", "time.AfterFunc(d, g)"), start("F@m.f#1.2", "time.AfterFunc(d, g)"), start("F@m.f#2.1", "context.AfterFunc(ctx, g)"),
	}}
	for g, want := range map[string]string{
		"0": "0", "0.1.2": "0.1.2", "F@": "F@",
		"F@m.f#1.1": "timer set at a.go:7", "F@m.f#1.2": "timer set at a.go:7 (2)", "F@m.f#2.1": "callback given at a.go:7",
		"F@example.com/m.f#3.1": "callback of example.com/m.f#3",
	} {
		require.Equal(t, want, Goroutine(f, g))
	}
	require.Equal(t, "by goroutine 0, behind goroutine timer set at a.go:7 (2), F@m.f#1.21", Renamed(f, "by goroutine 0, behind goroutine F@m.f#1.2, F@m.f#1.21"))
}

// TestAccessed: what races is said by a verb.
func TestAccessed(t *testing.T) {
	for operation, want := range map[string]string{"read of x": "reads x", "write of s.n": "writes s.n", "write": "writes", "atomic add": "atomic add", "map write of m[k]": "writes m[k]", "map iteration of m": "ranges over m", "atomic read of n": "atomically reads n"} {
		require.Equal(t, want, Accessed(operation))
	}
}

// TestTableReadsAndWrites: a statement that reads and writes in steps of their own, between which somebody does something, says in each which it is, and the
// accesses of a race have a verb.
func TestTableReadsAndWrites(t *testing.T) {
	lines := strings.Join(Table(artifact.Finding{
		Kind: artifact.KindRace,
		Interleaving: []artifact.FindingStep{
			{Step: 1, G: "0", Site: "m.f@1", Operation: "access", File: "a.go", Line: 3, Text: "x++"},
			{Step: 2, G: "0.1", Site: "m.g@1", Operation: "access", File: "a.go", Line: 8, Text: "y++"},
			{Step: 3, G: "0.1", Site: "m.g@1.store", Operation: "write", File: "a.go", Line: 8, Text: "y++"},
			{Step: 4, G: "0", Site: "m.f@1.store", Operation: "write", File: "a.go", Line: 3, Text: "x++"},
			{Step: 5, G: "0", Site: "m.f@2", Operation: "access", File: "a.go", Line: 4, Text: "if x == 1 {"},
			{Step: 6, G: "0", Site: "m.f@3", Operation: "access", File: "a.go", Line: 5, Text: "z := m[x]"},
			{Step: 7, G: "0", Site: "m.f#1", Operation: "map access", File: "a.go", Line: 5, Text: "z := m[x]"},
			{Step: 8, G: "0", Site: "m.f#1", Operation: "map access", File: "a.go", Line: 5, Text: "z := m[x]"},
		},
		Goroutines: []artifact.FindingGoroutine{{G: "0.1", Operation: "write of x", File: "a.go", Line: 9, Text: "x = 2"}},
	}), "\n")
	// What nobody comes between is in one row, but not the statement when it is executed again.
	for _, want := range []string{"reads: x++", "writes: x++", "  if x == 1\n", "writes x: x = 2", "a.go:8                         y++\n", " 6-7  a.go:5  z := m[x]\n", "   8  a.go:5  map access: z := m[x]\n"} {
		require.Contains(t, lines, want)
	}
	require.NotContains(t, lines, "access: x")
}

// TestShares: columns that need less leave it to others, and what is cut is cut alike.
func TestShares(t *testing.T) {
	for _, row := range []struct{ widest, want []int }{
		{[]int{10, 20}, []int{10, 20}},
		{[]int{10, 120}, []int{10, 90}},
		{[]int{60, 10, 80}, []int{45, 10, 45}},
		{[]int{40, 40, 40, 5}, []int{31, 31, 31, 5}},
		{[]int{50, 50, 50, 50, 50}, []int{24, 24, 24, 24, 24}},
		{[]int{0}, []int{0}},
	} {
		require.Equal(t, row.want, shares(row.widest, 100))
	}
}

// TestTableCrash: a crash has a row where it happens, behind which deferred operations come, unless the
// statement says it, and an operation that waits has no result yet.
func TestTableCrash(t *testing.T) {
	step := func(n int, g, site, operation string, line int, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Site: site, Operation: operation, File: "a.go", Line: line, Text: text}
	}
	receive := step(3, "0", "m#2", "receive", 5, "v := <-c")
	receive.Waits, receive.Result = true, "3"
	f := artifact.Finding{
		Kind: artifact.KindSendOnClosed, File: "a.go", Line: 7, Message: "panic: send on closed channel",
		Interleaving: []artifact.FindingStep{
			step(1, "0.10", "f#1", "lock", 6, "mu.Lock()"), step(2, "0.2", "g#1", "close", 9, "close(c)"), receive,
			step(4, "0.10", "f#2", "send", 7, "c <- 1"), step(5, "0.10", "f#3", "unlock", 8, "defer mu.Unlock()"),
		},
		Goroutines: []artifact.FindingGoroutine{{G: "0.10", State: artifact.StatePanicked}},
	}
	require.Equal(t, `
step  where   0                0.2       0.10
   1  a.go:6                             mu.Lock()
   2  a.go:9                   close(c)
   3  a.go:5  waits: v := <-c
   4  a.go:7                             c <- 1
      a.go:7                             panic: send on closed channel
   5  a.go:8                             deferred mu.Unlock()
`, "\n"+strings.Join(Table(f), "\n")+"\n")
	f.Interleaving[3].Text = `panic("closed")`
	require.NotContains(t, strings.Join(Table(f), "\n"), "panic: ")
}

// TestTableLeaves: steps say how full a buffer is, with whom a send meets, what a counter is, whom a signal wakes and what
// an atomic operation stores; that a goroutine only comes to an atomic operation is no row.
func TestTableLeaves(t *testing.T) {
	var f artifact.Finding
	var got []string
	for _, row := range []struct{ operation, text, taken, result, after, want string }{
		{"send", "c <- 1", "", "", "1 of 2", "c <- 1 (buffer 1 of 2)"},
		{"receive", "<-c", "", "7", "0 of 2", "<-c (gives 7, buffer 0 of 2)"},
		{"send", "d <- 1", "", "", "with 0.2", "d <- 1 (to goroutine 0.2)"},
		{"receive", "<-d", "", "", "with 0.2", "<-d (from goroutine 0.2)"},
		{"select", "select {", "v := <-d", "", "with 0.2", "select: case v := <-d (from goroutine 0.2)"},
		{"select", "select {", "d <- v", "", "with 0.2", "select: case d <- v (with goroutine 0.2)"},
		{"done", "wg.Done()", "", "", "0", "wg.Done() (counter 0)"},
		{"signal", "q.Signal()", "", "", "nobody", "q.Signal() (wakes nobody)"},
		{"broadcast", "q.Broadcast()", "", "", "0.1, 0.2", "q.Broadcast() (wakes goroutines 0.1, 0.2)"},
		{"access", "n.Store(3)", "", "", "", ""},
		{"atomic", "n.Store(3)", "", "", "3", "n.Store(3) (stores 3)"},
		{"atomic", "n.Add(1)", "", "4", "4", "n.Add(1) (gives 4)"},
		{"lock", "mu.Lock()", "", "", "", "mu.Lock()"},
		{"access", "if x {", "", "", "", "if x (true)"},
		{"trylock", "if mu.TryLock() {", "", "true", "", "if mu.TryLock() (gives true)"},
		{"atomic", "if n.Load() > 3 {", "", "4", "", "if n.Load() > 3 (gives 4, condition true)"},
	} {
		n := len(f.Interleaving) + 1
		f.Interleaving = append(f.Interleaving, artifact.FindingStep{
			Step: n, G: "0", Site: fmt.Sprint("f#", n), Operation: row.operation, File: "a.go", Line: n, Text: row.text, Taken: row.taken, Result: row.result, After: row.after,
		})
		if strings.HasPrefix(row.text, "if ") {
			f.Interleaving[n-1].Outcome = "true"
		}
		if row.want == "" {
			f.Interleaving[n-1].Line++
		}
		if row.want != "" {
			got = append(got, row.want)
		}
	}
	lines := Table(f)[1:]
	require.Len(t, lines, len(got))
	for i, want := range got {
		require.Equal(t, want, strings.TrimSpace(lines[i][len("step  where    "):]))
	}
}

// TestBrief: of a long statement the operation stands, if it can be told, and the bodies of functions never.
func TestBrief(t *testing.T) {
	long := strings.Repeat("x", maxStatement)
	for _, row := range []struct{ operation, text, want string }{
		{"send", "c <- f(" + long + ")", "c <- …"},
		{"send", "func (s *server) put() { s.c <- s.n; s.n++ }", "s.c <- s.n"},
		{"send", "func (s *server) put() { if s.open { s.c <- s.n } }", "s.c <- s.n"},
		{"send", "c <- f(x)", "c <- f(x)"},
		{"send", "c <- 1; d <- " + long, "c <- 1; d <- " + long},
		{"close", "func (s *server) Close() { close(s.stop) }", "close(s.stop)"},
		{"wggo", "wg.Go(func() { a.deposit(10) })", "wg.Go(func() {…})"},
		{"go", "go func(n int) { defer wg.Done(); if n > 0 { f(n) } }(1)", "go func(n int) {…}(1)"},
		{"go", "go func() {", "go func() {…}"},
		{"wggo", "wg.Go(func() { f(); g(func() {", "wg.Go(func() {…})"},
		{"subtest", "t.Run(\"x\", func(t *testing.T) {", "t.Run(\"x\", func(t *testing.T) {…})"},
		{"go", "go func() {}()", "go func() {}()"},
		{"access", "func (b *box) dec() { b.mu.Lock(); defer b.mu.Unlock(); b.n-- }", "b.n--"},
		{"access", "func (b *box) set(n int) { b.n = n + 1 }", "b.n = n + 1"},
		{"access", "func (b *box) set(n int) { b.n = n; b.m = n }", "func (b *box) set(n int) { b.n = n; b.m = n }"},
		{"access", "if v := f(); v > 0 {", "if v := f(); v > 0 {"},
		{"panic", `if b.get() < 0 { panic("negative") }`, `panic("negative")`},
		{"access", "run(func() (int, error) { return 1, nil }, func() { g() })", "run(func() (int, error) {…}, func() {…})"},
	} {
		require.Equal(t, row.want, brief(artifact.FindingStep{Operation: row.operation, Text: row.text}), row.text)
	}
}

// TestTableFolds: goroutines that do what another one has done right before, and have nothing to do with the error, are
// one row.
func TestTableFolds(t *testing.T) {
	f := artifact.Finding{Kind: artifact.KindSendOnClosed, Cause: "goroutine 0.5 sends on c at a.go:3"}
	f.Goroutines = append(f.Goroutines, artifact.FindingGoroutine{G: "0", State: artifact.StateAt})
	for i := range 5 {
		g := fmt.Sprint("0.", i+1)
		for line, operation := range []string{"start", "send"} {
			f.Interleaving = append(f.Interleaving, artifact.FindingStep{Step: 2*i + line + 1, G: g, Site: operation, Operation: operation, File: "a.go", Line: line + 1, Text: "c <- 1"})
		}
		f.Goroutines = append(f.Goroutines, artifact.FindingGoroutine{G: g, State: artifact.StateFinished})
	}
	require.Equal(t, `
step  where   0.1                                                0.5
   1  a.go:1  start of the goroutine
   2  a.go:2  c <- 1
 3-8          the same by 0.2, 0.3 and 0.4, one after the other
   9  a.go:1                                                     start of the goroutine
  10  a.go:2                                                     c <- 1
`, "\n"+strings.Join(Table(f), "\n")+"\n")
	f.Goroutines[2].State = artifact.StateBlocked // and so on
	require.Len(t, Table(f), 11, "one of them is involved")
}

// TestNames: many goroutines are named by the first of them.
func TestNames(t *testing.T) {
	require.Equal(t, "0.1", Names([]string{"0.1"}))
	require.Equal(t, "0.1 and 0.2", Names([]string{"0.1", "0.2"}))
	require.Equal(t, "1, 2, 3, 4 and 5", Names([]string{"1", "2", "3", "4", "5"}))
	require.Equal(t, "1, 2, 3, 4 and 2 more", Names([]string{"1", "2", "3", "4", "5", "6"}))
}

// TestInvolved: who has come to its end and is not spoken of has nothing to do with an error.
func TestInvolved(t *testing.T) {
	f := artifact.Finding{Cause: "goroutine 0.12 waits at a.go:1 for goroutine 0.2.", Stalls: []artifact.FindingStall{{G: "0.3"}}}
	for g, want := range map[string]bool{"0.1": false, "0.12": true, "0.2": true, "0.3": true, "0.4": false, "0.2.1": false, "0": false} {
		require.Equal(t, want, Involved(f, artifact.FindingGoroutine{G: g, State: artifact.StateFinished}), g)
	}
	require.True(t, Involved(f, artifact.FindingGoroutine{G: "0.4", State: artifact.StateBlocked}))
	require.True(t, Involved(f, artifact.FindingGoroutine{G: "0.4", State: artifact.StateFinished, Holds: []artifact.FindingAct{{}}}))
}

// TestTableLibrary: that a goroutine calls a library for an operand is no row, and else said in plain words.
func TestTableLibrary(t *testing.T) {
	step := func(n int, operation string, line int, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: "0", Operation: operation, File: "a.go", Line: line, Text: text}
	}
	after := step(3, "select", 3, "select {")
	after.Taken = "<-time.After(d)"
	require.Equal(t, []string{"step  where   0", "   1  a.go:2  f(time.Now())", " 2-3  a.go:3  select: case <-time.After(d)"}, Table(artifact.Finding{Interleaving: []artifact.FindingStep{
		step(1, opOperand, 2, "f(time.Now())"), step(2, opOperand, 3, "select {"), after,
	}}))
	require.Equal(t, []string{"calls a library", "reads the clock", "asks for a length", "lock for reading"}, []string{spoken(opOperand), spoken("reading of the clock"), spoken("length of a channel"), spoken("rlock")})
}

// TestTableEntryFile: what is done in a file that makes a function an entry point, which nobody has written, is left out.
func TestTableEntryFile(t *testing.T) {
	require.Equal(t, []string{"step  where                        0", "   1  p/zz_fuzzx_entry_test.go:13  is called with value number 3", "   2  m_test.go:9                  c <- 1"}, Table(artifact.Finding{Interleaving: []artifact.FindingStep{
		{Step: 1, G: "0", Operation: "close", File: "p/" + sites.EntryFile("FuzzX"), Line: 12, Text: "close(ready)"},
		{Step: 1, G: "0", Operation: "select", Case: 2, Result: "closed", File: "p/" + sites.EntryFile("FuzzX"), Line: 13, Text: "select {"},
		{Step: 2, G: "0", Operation: "send", File: "m_test.go", Line: 9, Text: "c <- 1"},
	}}))
}

// TestElided: what is left out of many steps is nothing that a goroutine does last, or by which it starts.
func TestElided(t *testing.T) {
	steps := func(goroutines ...string) (all []artifact.FindingStep) {
		for _, g := range goroutines {
			all = append(all, artifact.FindingStep{Step: len(all) + 1, G: g, Site: strconv.Itoa(len(all))})
		}
		return all
	}
	numbers := func(all []artifact.FindingStep) (out []int) {
		for _, s := range elided(all) {
			out = append(out, s.Step)
		}
		return out
	}
	require.Len(t, numbers(steps(slices.Repeat([]string{"0"}, 61)...)), 61)
	long := slices.Repeat([]string{"0", "0.1"}, 100)
	require.Equal(t, slices.Concat(count(1, 20), []int{0}, count(161, 200)), numbers(steps(long...)))
	early := slices.Clone(long)
	for _, i := range []int{50, 60, 62, 64, 66, 68, 70, 72} { // steps are one more
		early[i] = "0.2"
	}
	early[100] = artifact.TimeStep
	require.Equal(t, slices.Concat(count(1, 20), []int{0, 51, 0}, count(63, 73), []int{0}, count(161, 200)), numbers(steps(early...)),
		"a step between two others takes no more room than what would stand for it")
	var many []string
	for i := range 200 {
		many = append(many, "0."+strconv.Itoa(i%20))
	}
	require.Len(t, numbers(steps(many...)), 61, "of many goroutines, as they share a column")
	said := elided(steps(early...))
	require.Equal(t, "steps 21-50 are left out, of goroutines 0 and 0.1", said[20].Text)
	require.Equal(t, "steps 52-62 are left out, of goroutines 0, 0.1 and 0.2", said[22].Text)
	require.Equal(t, "steps 21-60 are left out: goroutine 0 goes on alone", elided(steps(slices.Repeat([]string{"0"}, 100)...))[20].Text)
}

// TestElidedRounds: of what comes again and again the first and the last time are shown.
func TestElidedRounds(t *testing.T) {
	round := []artifact.FindingStep{{G: "0", Site: "a"}, {G: "0.1", Site: "b", Waits: true}, {G: "0", Site: "c"}}
	rounds := func(n int) []artifact.FindingStep {
		all := append([]artifact.FindingStep{{G: "0", Site: "start"}}, slices.Concat(slices.Repeat(round, n), []artifact.FindingStep{{G: "0", Site: "a"}, {G: "0.1", Site: "end"}})...)
		for i := range all {
			all[i].Step, all[i].Result = i+1, strconv.Itoa(i)
		}
		return all
	}
	require.Equal(t, rounds(3), elided(rounds(3)), "too few")
	all := rounds(10)
	want := slices.Concat(all[:4], []artifact.FindingStep{{Text: "steps 5-28: steps 2-4 again, 8 times"}}, all[28:])
	require.Equal(t, want, elided(all))
	other := rounds(10)
	other[13].Waits = true // that one goes another way
	got := elided(other)
	require.Contains(t, got, other[13])
	require.Equal(t, "steps 5-10: steps 2-4 again, 2 times", got[4].Text)
	spin := slices.Repeat([]artifact.FindingStep{{G: "0", Site: "a"}}, 6)
	for i := range spin {
		spin[i].Step = i + 1
	}
	require.Equal(t, []artifact.FindingStep{spin[0], {Text: "steps 2-5: step 1 again, 4 times"}, spin[5]}, elided(spin))
	require.Equal(t, spin[:5], elided(spin[:5]))
}

// TestTableLeftOut: what is said of steps that are left out makes no column wider.
func TestTableLeftOut(t *testing.T) {
	require.Equal(t, `
step  where   0
   1  a.go:3  x++
 ...  steps 2-5: step 1 again, 4 times
   6  a.go:3  x++
`, "\n"+strings.Join(Table(artifact.Finding{Interleaving: []artifact.FindingStep{
		{Step: 1, G: "0", Operation: opAccess, File: "a.go", Line: 3, Text: "x++"}, {Text: "steps 2-5: step 1 again, 4 times"}, {Step: 6, G: "0", Operation: opAccess, File: "a.go", Line: 3, Text: "x++"},
	}}), "\n")+"\n")
}

// TestTableNumbers: a row has the numbers of the steps of which nothing is said.
func TestTableNumbers(t *testing.T) {
	step := func(n int, g, operation, text string) artifact.FindingStep {
		return artifact.FindingStep{Step: n, G: g, Operation: operation, Site: text, File: "a.go", Line: len(text), Text: text}
	}
	atomic := func(n int, g, operation string) artifact.FindingStep {
		s := step(n, g, operation, "n.Add(1)")
		s.Site += operation
		return s
	}
	entry := step(1, "0", "access", "x := values()")
	entry.File = sites.EntryFile("FuzzX")
	again := entry
	again.Step = 9
	require.Equal(t, `
step  where   0    0.1
1, 3  a.go:3  x++
2, 4  a.go:8       n.Add(1)
5, 9  a.go:3  y++
 6-8  a.go:8       n.Add(1)
`, "\n"+strings.Join(Table(artifact.Finding{Interleaving: []artifact.FindingStep{
		entry, atomic(2, "0.1", opAccess), step(3, "0", opAccess, "x++"), atomic(4, "0.1", "atomic"), step(5, "0", opAccess, "y++"),
		atomic(6, "0.1", opAccess), atomic(7, "0.1", opAccess), atomic(8, "0.1", "atomic"), again,
	}}), "\n")+"\n")
}

// count are the numbers from a to b.
func count(a, b int) (out []int) {
	for i := a; i <= b; i++ {
		out = append(out, i)
	}
	return out
}

// TestObjects: an object is told of once, by all its names.
func TestObjects(t *testing.T) {
	made := func(object, expression string, line int) artifact.FindingObject {
		return artifact.FindingObject{Object: object, Expression: expression, File: "a.go", Line: line, Text: "text"}
	}
	f := artifact.Finding{Goroutines: []artifact.FindingGoroutine{
		{Made: []artifact.FindingObject{made("chan#1", "out", 3)}},
		{},
		{Made: []artifact.FindingObject{made("mutex#1", "", 4), made("chan#1", "p.results", 3)}},
		{Made: []artifact.FindingObject{made("chan#1", "out", 3), made("chan#2", "out", 3), made("chan#3", "out", 3)}},
	}}
	require.Equal(t, []Object{{Name: "out, also p.results (chan#1)", File: "a.go", Text: "text", Line: 3}, {Name: "lock", File: "a.go", Text: "text", Line: 4}, {Name: "out (chan#2, chan#3)", File: "a.go", Text: "text", Line: 3}}, Objects(f))
	require.Empty(t, Objects(artifact.Finding{}))
	for text, want := range map[string]string{"v, ok := <-s.in": "s.in", "out <- f(x)": "out", "<-time.After(t)": "", "<-done": "done",
		"out <- i": "out", "case out <- i": "out", "case <-stop": "stop", "out <- <-in": "out", "s.c[0] <- x": "s.c[0]", "return <-in": "in"} {
		require.Equal(t, want, Channel(text), text)
	}
}

// TestTableApproach: a step in which a goroutine only comes to what it does after others have acted says so.
func TestTableApproach(t *testing.T) {
	f := artifact.Finding{Interleaving: []artifact.FindingStep{
		{Step: 1, G: "0", Site: "p.f@1", Operation: "access", File: "a.go", Line: 3, Text: "close(c.done)"},
		{Step: 2, G: "0.1", Site: "p.f@1", Operation: "access", File: "a.go", Line: 3, Text: "close(c.done)"},
		{Step: 3, G: "0.1", Site: "p.f#1", Operation: "close", File: "a.go", Line: 3, Text: "close(c.done)"},
		{Step: 4, G: "0", Site: "p.f#1", Operation: "close", File: "a.go", Line: 3, Text: "close(c.done)"},
		{Step: 5, G: "0", Site: "p.f$1#1", Operation: "send", File: "a.go", Line: 4, Text: "New(a, func(p string) { got <- p })"},
	}}
	var rows []string
	for _, line := range Table(f)[1:] {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, []string{"1 a.go:3 comes to: close(c.done)", "2-3 a.go:3 close(c.done)", "4 a.go:3 close(c.done)", "5 a.go:4 got <- p"}, rows)
}

// TestTableWide: where a column for each goroutine makes a table that nobody can read, one column names them.
func TestTableWide(t *testing.T) {
	var f artifact.Finding
	for i := range 6 {
		f.Interleaving = append(f.Interleaving, artifact.FindingStep{Step: i + 1, G: fmt.Sprint("0.", i), Operation: "send", File: "a.go", Line: 3, Text: "results <- " + strings.Repeat("x", 40)})
	}
	require.Equal(t, "step  where   goroutine  what it does", Table(f)[0])
	require.Len(t, Table(f), 7)
	f.Interleaving = f.Interleaving[:4]
	require.Equal(t, []string{"step", "where", "0.0", "0.1", "0.2", "0.3"}, strings.Fields(Table(f)[0]))
}
