package orcruntime

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var minimiseScripts = flag.Int("orc.minimise", 30, "random programs of TestMinimiseRandom")

// minimumTest is a program with an error, and what its least schedule is like.
type minimumTest struct {
	testProgram
	kind     string // of the error
	switches int    // of the least schedule
	held     time.Duration
	values   int      // that have to be chosen
	without  []string // goroutines that do nothing in the least schedule
}

// noise starts goroutines that have nothing to do with the error.
func noise(n int) {
	for range n {
		Go(900, func() { Access(901) })
	}
}

// lose panics if an update is lost: it is read by one goroutine, and written by the other
// before that one writes.
func lose(n int) {
	x := 0
	inc := func(at Site) {
		Access(at)
		v := x
		Access(at + 1)
		x = v + 1
	}
	c := make(chan int, 1)
	Go(1, func() {
		inc(2)
		To(c).Send(4, 1)
	})
	noise(n)
	inc(10)
	Recv(12, c)
	if x != 2 {
		panic(Panic(13, "lost"))
	}
}

var minimumTests = []minimumTest{
	{testProgram{"lost update", EntryMain, func() { lose(0) }, nil}, KindPanic, 2, 0, 0, nil},
	{testProgram{"lost update, and noise", EntryMain, func() { lose(1) }, nil}, KindPanic, 2, 0, 0, []string{"0.2"}},
	{testProgram{"locks in opposite order", EntryMain, func() {
		var a, b sync.Mutex
		Go(1, func() {
			Lock(2, &a)
			Lock(3, &b)
			Unlock(4, &b)
			Unlock(5, &a)
		})
		Lock(6, &b)
		Lock(7, &a)
		Unlock(8, &a)
		Unlock(9, &b)
	}, nil}, KindDeadlock, 2, 0, 0, nil},
	{testProgram{"locks in opposite order, and noise", EntryMain, func() {
		var a, b sync.Mutex
		Go(1, func() {
			Lock(2, &a)
			Lock(3, &b)
			Unlock(4, &b)
			Unlock(5, &a)
		})
		Go(900, func() { Access(901) })
		Lock(6, &b)
		Lock(7, &a)
		Unlock(8, &a)
		Unlock(9, &b)
	}, nil}, KindDeadlock, 2, 0, 0, []string{"0.2"}},
	{testProgram{"three locks in a circle", EntryMain, func() {
		var locks [3]sync.Mutex
		both := func(i int) {
			Lock(Site(10*i+1), &locks[i])
			Lock(Site(10*i+2), &locks[(i+1)%3])
			Unlock(Site(10*i+3), &locks[(i+1)%3])
			Unlock(Site(10*i+4), &locks[i])
		}
		Go(90, func() { both(1) })
		Go(91, func() { both(2) })
		both(0)
	}, nil}, KindDeadlock, 3, 0, 0, nil},
	{testProgram{"send on a channel that is closed", EntryMain, func() {
		c := make(chan int, 1)
		noise(1)
		Go(1, func() { To(c).Send(2, 1) })
		Close(3, c)
		Recv(4, make(chan int))
	}, nil}, KindSendOnClosed, 1, 0, 0, []string{"0.1"}},
	{testProgram{"an error of one goroutine", EntryMain, func() {
		noise(2)
		Access(1)
		panic(Panic(2, "always"))
	}, nil}, KindPanic, 0, 0, 0, []string{"0.1", "0.2"}},
	{testProgram{"a signal that is missed", EntryMain, func() {
		var m sync.Mutex
		c := sync.NewCond(&m)
		Go(1, func() {
			Lock(2, &m)
			CondSignal(3, c)
			Unlock(4, &m)
		})
		Lock(5, &m)
		CondWait(6, c)
		Unlock(7, &m)
	}, nil}, KindDeadlock, 2, 0, 0, nil},
	{testProgram{"check, then act, twice", EntryMain, func() {
		// The other one has to be interrupted too.
		var done, other atomic.Int32
		Go(1, func() {
			if loadWord(2, &done) == 1 {
				storeWord(3, &other, 1)
				storeWord(4, &other, 0)
			}
		})
		storeWord(5, &done, 1)
		if loadWord(6, &other) == 1 {
			panic(Panic(7, "seen"))
		}
	}, nil}, KindPanic, 2, 0, 0, nil},
	{testProgram{"a ping and a pong", EntryMain, func() {
		a, b := make(chan int, 1), make(chan int, 1)
		Go(1, func() {
			Recv(2, a)
			To(b).Send(3, 1)
			Recv(4, a)
			panic(Panic(5, "twice"))
		})
		To(a).Send(6, 1)
		Recv(7, b)
		To(a).Send(8, 1)
		Recv(9, b)
	}, nil}, KindPanic, 3, 0, 0, nil},
	{testProgram{"a leak", EntryTest, func() {
		c, d := make(chan int), make(chan int, 1)
		noise(1)
		Go(1, func() { To(c).Send(2, 1) })
		Go(3, func() { To(d).Send(4, 1) })
		r, q := R(c), R(d)
		Select(5, false, r, q)
	}, nil}, KindLeak, 2, 0, 1, []string{"0.1"}},
	{testProgram{"a stall that is needed", EntryMain, func() {
		timeout := time.After(Due(1, time.Second))
		c := make(chan int, 1)
		Go(1, func() { To(c).Send(2, 1) })
		r, q := R(c), R(timeout)
		if Select(3, false, r, q) == 1 {
			panic(Panic(4, "late"))
		}
	}, nil}, KindPanic, 0, time.Second, 1, nil},
	{testProgram{"a stall that is not needed", EntryMain, func() {
		c := make(chan int, 1)
		Go(1, func() {
			Sleep(2, time.Second)
			Access(3)
		})
		Go(4, func() { To(c).Send(5, 1) })
		Close(6, c)
		Sleep(7, 3*time.Second)
	}, nil}, KindSendOnClosed, 1, 0, 0, []string{"0.1"}},
	{testProgram{"a stall that would save switches", EntryMain, func() {
		Go(1, func() { Access(2) })
		Sleep(3, time.Second)
		panic(Panic(4, "always"))
	}, nil}, KindPanic, 2, 0, 0, nil},
	{testProgram{"time that passes again and again", EntryMain, func() {
		Go(1, func() {
			for range 3 {
				Sleep(2, time.Second)
			}
			panic(Panic(3, "always"))
		})
		Sleep(4, 10*time.Second)
	}, nil}, KindPanic, 1, 0, 0, nil},
	{testProgram{"a goroutine that is woken", EntryMain, func() {
		var m sync.Mutex
		c := sync.NewCond(&m)
		Go(1, func() {
			Lock(2, &m)
			CondSignal(3, c)
			Unlock(4, &m)
			Access(5)
		})
		Lock(6, &m)
		CondWait(7, c)
		panic(Panic(8, "woken"))
	}, nil}, KindPanic, 2, 0, 0, nil},
	{testProgram{"the shorter of two stalls", EntryMain, func() {
		short, long := time.After(Due(1, time.Millisecond)), time.After(Due(1, time.Second))
		c := make(chan int, 1)
		Go(1, func() { To(c).Send(2, 1) })
		r, p, q := R(c), R(short), R(long)
		if Select(3, false, q, p, r) < 2 {
			panic(Panic(4, "late"))
		}
	}, nil}, KindPanic, 0, time.Millisecond, 1, nil},
	{testProgram{"a value of the environment", EntryMain, func() {
		n, _ := Choose(1, 4)
		m, _ := Choose(2, 4)
		Access(Site(10 + m))
		Go(3, func() { Access(4) })
		if n == 3 {
			panic(Panic(5, "three"))
		}
	}, nil}, KindPanic, 0, 0, 1, []string{"0.1"}},
	{testProgram{"the case of a select", EntryMain, func() {
		c, d := make(chan int, 2), make(chan int, 2)
		To(c).Send(1, 1)
		To(d).Send(2, 1)
		r, q := R(c), R(d)
		Select(3, false, r, q) // either
		To(c).Send(4, 1)
		To(d).Send(5, 1)
		r, q = R(c), R(d)
		if Select(6, false, r, q) == 1 {
			panic(Panic(7, "the second"))
		}
	}, nil}, KindPanic, 0, 0, 1, nil},
	{testProgram{"a test that fails", EntryTest, nil, nil}, KindTestFailure, 4, 0, 0, []string{"0.2"}},
}

// failingTest fails if an update is lost.
func failingTest(cfg Config) Config {
	failed := false
	cfg.Failed = func() bool { return failed }
	cfg.Main = func() {
		failed = false
		x := 0
		c := make(chan int, 1)
		Go(1, func() {
			Access(2)
			v := x
			Access(3)
			x = v + 1
			To(c).Send(4, 1)
		})
		Go(900, func() { Access(901) })
		Access(5)
		x++
		Recv(6, c)
		if Access(7); x != 2 {
			failed = true
		}
		Access(8)
	}
	return cfg
}

// errorsOf are the errors in which random runs end, of one kind or, with "", of any.
func errorsOf(cfg Config, kind string, runs int) (out []Result) {
	Explore(Exploration{
		Config: cfg, Runs: runs, Ran: func(int, Result) {},
		Found: func(_ int, _ uint64, res Result) {
			if res.Outcome.Kind != "" && (kind == "" || res.Outcome.Kind == kind) {
				out = append(out, res)
			}
		},
	})
	return out
}

// planOf repeats a run.
func planOf(res Result) Plan {
	return Plan{Steps: res.Trace, Expect: res.Observed(), Seed: res.Seed, Choices: res.Choices, Minor: res.Minor}
}

// anything is an enumeration in which time passes at any moment it can.
type anything struct{ enumeration }

func (e *anything) Next(v View) Choice {
	n := 0
	for _, p := range v.Ready {
		n += max(p.Cases, 1)
	}
	if v.Time || n == 0 {
		n++
	}
	k := 0
	if n > 1 {
		k = e.pick(n)
	}
	for i, p := range v.Ready {
		if k < max(p.Cases, 1) {
			return Choice{Index: i, Case: k}
		}
		k -= max(p.Cases, 1)
	}
	return Choice{Index: TimePasses}
}

// told is what of a run has to be told: the steps until those who are stuck are, or the
// test has failed. It has the same error as want.
func told(res, want Result) []Step {
	steps := res.Trace
	switch want.Outcome.Kind {
	case KindDeadlock, KindLeak:
		for n := len(steps); n > 0; n-- {
			if slices.ContainsFunc(res.Goroutines, func(g GState) bool { return g.G == steps[n-1].G && g.State == "blocked" }) {
				return steps[:n]
			}
		}
	case KindTestFailure: // of failingTest
		return steps[:1+slices.IndexFunc(steps, func(st Step) bool { return st.Site == "#7" })]
	}
	return steps
}

func switchesIn(steps []Step) (n int) {
	last := ""
	for _, st := range steps {
		if st.G == TimeStep {
			continue
		}
		if last != "" && last != st.G {
			n++
		}
		last = st.G
	}
	return n
}

func heldIn(res Result) (sum time.Duration) {
	for _, s := range res.Stalls {
		sum += s.For
	}
	return sum
}

func sameEnd(a, b Result) bool {
	return a.Verdict == Reproduced && a.Outcome.Kind == b.Outcome.Kind && a.Outcome.G == b.Outcome.G && a.Outcome.Site == b.Outcome.Site
}

// leastOf are the shortest stalls of all schedules that end like a run, and the fewest
// switches of those, by trying every schedule there is.
func leastOf(cfg Config, want Result, limit int) (held time.Duration, switches int, complete bool) {
	held, switches = -1, -1
	e := &anything{}
	cfg.Plan.Steps = nil
	for range limit {
		e.pos = 0
		run := cfg
		run.Plan.MaxSteps = 400
		run.Chooser, run.Record, run.NoLog, run.NoStacks, run.noMinor = e, true, true, true, !want.Minor
		if res := Run(run); sameEnd(res, want) {
			for _, steps := range [][]Step{told(res, want), res.Trace} {
				n := switchesIn(steps)
				if held >= 0 && (heldIn(res) > held || heldIn(res) == held && n >= switches) {
					continue
				}
				again := cfg
				again.Plan.Steps, again.Plan.Minor = steps, want.Minor
				if r := Run(again); sameEnd(r, want) && (held < 0 || heldIn(r) < held || heldIn(r) == held && n < switches) {
					held, switches = heldIn(r), n
				}
			}
		}
		if !e.next() {
			return held, switches, true
		}
	}
	return held, switches, false
}

// TestMinimise: the least schedules of programs of which they are known are found, from
// whatever random runs show.
func TestMinimise(t *testing.T) {
	inLong(t)
	for _, p := range minimumTests {
		t.Run(p.name, func(t *testing.T) {
			cfg := p.config(bubble(t))
			if p.main == nil {
				cfg = failingTest(cfg)
			}
			var found []Result
			for seed := uint64(0); len(found) < 5 && seed < 500; seed++ {
				run := cfg
				run.Plan.Seed, run.Chooser, run.Record = seed, Random(seed), true
				if res := Run(run); res.Outcome.Kind == p.kind {
					found = append(found, res)
				}
			}
			require.NotEmpty(t, found)
			for i, res := range found {
				cfg := cfg
				cfg.Plan = planOf(res)
				got := Minimise(Minimisation{Config: cfg, Runs: 20_000})
				require.Empty(t, got.Left)
				require.True(t, got.Complete)
				require.True(t, got.Least)
				require.Equal(t, p.switches, got.After.Switches, "%v", got.Plan.Steps)
				require.Equal(t, p.held, got.After.Held)
				require.Equal(t, p.values, got.After.Values, "%+v", got.Plan)
				require.Zero(t, got.After.Seeds)
				require.LessOrEqual(t, got.After.Compare(got.Before), 0)
				for _, st := range got.Plan.Steps {
					require.NotContains(t, p.without, st.G, "%v", got.Plan.Steps)
				}
				cfg.Plan = got.Plan
				again := Run(cfg)
				require.True(t, sameEnd(again, res), again)
				require.Equal(t, p.held, heldIn(again))
				require.Equal(t, p.switches, switchesIn(got.Plan.Steps))
				if i > 0 {
					continue
				}
				cfg.Plan = planOf(res) // with all choices of the environment
				held, switches, complete := leastOf(cfg, res, 100_000)
				require.True(t, complete)
				require.Equal(t, p.held, held)
				require.Equal(t, p.switches, switches)
			}
		})
	}
}

// TestMinimiseSame: an error of another goroutine, at another line, or of a test that
// fails elsewhere, is another error, however much less there is to understand of it.
func TestMinimiseSame(t *testing.T) {
	crash := func(n int) {
		if n == 0 {
			panic("either")
		}
		panic("either") // on another line, behind the same guard
	}
	either := func() { panic(Panic(3, "either")) }
	failed := false
	for _, p := range []struct {
		name string
		main func()
		is   func(Result) bool // the error that takes more switches
		in   func([]Step) bool // what the least schedule of it has
	}{
		{"at another line", func() {
			n := 0
			Go(1, func() {
				Access(2)
				n = 1
			})
			Access(3)
			crash(n)
		}, func(r Result) bool { return r.Outcome.Kind == KindPanic && switchesIn(r.Trace) > 0 },
			func(steps []Step) bool { return switchesIn(steps) == 2 }},
		{"of another goroutine", func() {
			c := make(chan int, 1)
			Go(1, func() {
				Access(2)
				either()
			})
			To(c).Send(4, 1)
			either()
		}, func(r Result) bool { return r.Outcome.G == "0.1" },
			func(steps []Step) bool { return steps[len(steps)-1].G == "0.1" }},
		{"of a test that fails elsewhere", func() {
			failed = false
			n := 0
			Go(1, func() {
				Access(2)
				n = 1
			})
			if Access(3); n == 0 {
				Access(4)
				failed = true
				Access(5)
				return
			}
			Access(6)
			failed = true
			Access(7)
		}, func(r Result) bool {
			return slices.ContainsFunc(r.Trace, func(st Step) bool { return st.Site == "#6" })
		}, func(steps []Step) bool { return steps[len(steps)-1].Site == "#6" && switchesIn(steps) == 2 }},
	} {
		t.Run(p.name, func(t *testing.T) {
			failed = false
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main, Failed: func() bool { return failed }}
			found := false
			for seed := range uint64(40) {
				run := cfg
				run.Chooser, run.Record = Random(seed), true
				res := Run(run)
				if !p.is(res) {
					continue
				}
				if res.Outcome.Kind == KindPanic && strings.HasPrefix(p.name, "at") && !slices.ContainsFunc(res.Trace[:slices.IndexFunc(res.Trace, func(st Step) bool { return st.Site == "#3" })], func(st Step) bool { return st.Site == "#2" }) {
					continue // the line that needs nobody else
				}
				found = true
				run = cfg
				run.Plan = planOf(res)
				run.Plan.Expect.Goroutines = nil // any
				got := Minimise(Minimisation{Config: run})
				require.Empty(t, got.Left)
				require.True(t, p.in(got.Plan.Steps), "%v", got.Plan.Steps)
			}
			require.True(t, found)
		})
	}
}

// TestMinimiseSteps: a goroutine does no more than it has to before another one goes on.
func TestMinimiseSteps(t *testing.T) {
	cfg := Config{Bubble: bubble(t), Entry: EntryMain, Main: func() {
		Go(1, func() { panic(Panic(2, "at once")) })
		for i := range 7 {
			Access(Site(10 + i))
		}
	}}
	for _, res := range errorsOf(cfg, KindPanic, 50) {
		cfg := cfg
		cfg.Plan = planOf(res)
		got := Minimise(Minimisation{Config: cfg})
		require.Equal(t, []Step{{G: "0", Site: "#1", Occ: 1}, {G: "0.1", Site: "#2", Occ: 1}}, got.Plan.Steps)
	}
}

// blocksOf are the goroutines of a schedule, each with its steps in a row.
func blocksOf(steps []Step) (out [][]Step) {
	for i, st := range steps {
		if i == 0 || steps[i-1].G != st.G {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], st)
	}
	return out
}

// roughly is a Chooser that has goroutines go on as steps name them, and leaves out those
// that cannot. What comes after goes on for as long as it can.
type roughly struct {
	sticky
	steps []Step
}

func (c *roughly) Next(v View) Choice {
	for len(c.steps) > 0 {
		st := c.steps[0]
		c.steps = c.steps[1:]
		if st.G == TimeStep {
			if v.Time || len(v.Ready) == 0 {
				return Choice{Index: TimePasses}
			}
			continue
		}
		if len(v.Ready) == 0 {
			c.steps = append([]Step{st}, c.steps...)
			return Choice{Index: TimePasses}
		}
		if i := index(v, st.G); i >= 0 {
			c.took(v.Ready[i])
			return Choice{Index: i, Case: max(st.Case, 0)}
		}
	}
	return c.sticky.Next(v)
}

// TestMinimiseRandom: of the errors of random programs what comes out is a schedule that
// ends in the same error, is no worse, and of which no part can be left out: not one that
// the program does without. Where every schedule can be tried, none has fewer switches.
func TestMinimiseRandom(t *testing.T) {
	inLong(t)
	n := *minimiseScripts
	var before, after, errors, proved, least int
	for seed := range uint64(n) {
		kinds := append(slices.Clone(exhaustKinds), "any unlock")
		if seed%2 == 1 {
			kinds = families[seed/2%uint64(len(families))]
		}
		r := random(seed)
		p := newRandomProgram(&r, kinds)
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
		for _, res := range errorsOf(cfg, "", 30) {
			name := fmt.Sprintf("seed %d: %s of %+v", seed, res.Outcome.Kind, p.goros)
			cfg := cfg
			cfg.Plan = planOf(res)
			got := Minimise(Minimisation{Config: cfg, Runs: 20_000})
			require.Empty(t, got.Left, name)
			require.True(t, got.Complete, name)
			errors, before, after = errors+1, before+got.Before.Switches, after+got.After.Switches
			// It ends in the same error, and is no worse.
			cfg.Plan = got.Plan
			cfg.Record = true
			again := Run(cfg)
			cfg.Record = false
			require.True(t, sameEnd(again, res), "%s\n%v", name, again)
			require.LessOrEqual(t, got.After.Compare(got.Before), 0, name)
			require.Equal(t, switchesIn(res.Trace), got.Before.Switches, name)
			require.Equal(t, switchesIn(got.Plan.Steps), got.After.Switches, name)
			if got.After != got.Before {
				require.Len(t, got.Plan.Steps, got.After.Steps, name)
			}
			// The same again comes out the same.
			cfg.Plan = planOf(res)
			require.Equal(t, got, Minimise(Minimisation{Config: cfg, Runs: 20_000}), name)
			oneMinimal(t, name, cfg, got, res)
			if !slices.ContainsFunc(p.goros, func(list []action) bool {
				return slices.ContainsFunc(list, func(a action) bool { return strings.HasPrefix(a.kind, "select") })
			}) {
				if _, switches, complete := leastOf(cfg, res, 2000); complete {
					proved++
					require.True(t, got.Least, name)
					require.Equal(t, switches, got.After.Switches, "%s\n%v", name, got.Plan.Steps)
				}
			}
			if got.Least {
				least++
			}
		}
	}
	t.Logf("%d errors: %d switches, then %d; %d are the least, %d of them by trying every schedule", errors, before, after, least, proved)
}

// oneMinimal leaves out one block of a schedule, or has one go on where it was
// interrupted, or ends one earlier, and looks whether that would have been better.
func oneMinimal(t *testing.T, name string, cfg Config, got Minimised, want Result) {
	all := blocksOf(got.Plan.Steps)
	attempt := func(what string, change func(b [][]Step) [][]Step) {
		steps := slices.Concat(change(slices.Clone(all))...)
		run := cfg
		run.Plan.Steps, run.Plan.Seed, run.Plan.Choices = nil, got.Plan.Seed, got.Plan.Choices
		run.Plan.MaxSteps = 400
		run.Chooser, run.Record, run.NoLog, run.NoStacks, run.noMinor = &roughly{steps: steps}, true, true, true, !want.Minor
		res := Run(run)
		if !sameEnd(res, want) || heldIn(res) > got.After.Held {
			return
		}
		shorter := told(res, want)
		goroutines := map[string]bool{}
		n := 0
		for i, st := range shorter {
			if goroutines[st.G] = true; !startsOnly(shorter, i) {
				n++
			}
		}
		if cmp.Or(cmp.Compare(switchesIn(shorter), got.After.Switches), cmp.Compare(len(goroutines), got.After.Goroutines), cmp.Compare(n, got.After.Steps)) >= 0 {
			return
		}
		again := cfg
		again.Plan = got.Plan
		again.Plan.Steps = shorter
		require.False(t, sameEnd(Run(again), want), "%s\n%s of\n%v\nis better:\n%v", name, what, got.Plan.Steps, shorter)
	}
	for i := range all {
		attempt(fmt.Sprintf("without block %d", i), func(b [][]Step) [][]Step { return slices.Delete(b, i, i+1) })
		for j := i + 1; j < len(all); j++ {
			if all[j][0].G != all[i][0].G {
				continue
			}
			attempt(fmt.Sprintf("block %d directly after %d", j, i), func(b [][]Step) [][]Step {
				moved := b[j]
				return slices.Insert(slices.Delete(b, j, j+1), i+1, moved)
			})
			break
		}
		if n := len(all[i]); n > 1 {
			attempt(fmt.Sprintf("block %d without its last step", i), func(b [][]Step) [][]Step {
				b[i] = b[i][:n-1]
				return b
			})
		}
	}
}

// TestMinimiseBounds: a bound of the runs is kept, what has been found by then is used,
// and a plan that does not show its error stays as it is.
func TestMinimiseBounds(t *testing.T) {
	inLong(t)
	p := minimumTests[1]
	cfg := p.config(bubble(t))
	res := errorsOf(cfg, p.kind, 500)[0]
	cfg.Plan = planOf(res)
	whole := Minimise(Minimisation{Config: cfg})
	require.True(t, whole.Complete)
	last := whole.Before
	for runs := 1; runs < whole.Runs; runs++ {
		calls := 0
		var better []Minimised
		got := Minimise(Minimisation{Config: cfg, Runs: runs, Ran: func() { calls++ }, Better: func(m Minimised) { better = append(better, m) }})
		require.LessOrEqual(t, got.Runs, runs)
		require.Equal(t, got.Runs, calls)
		require.LessOrEqual(t, got.After.Compare(last), 0)
		last = got.After
		if len(better) > 0 {
			require.Equal(t, got.Plan, better[len(better)-1].Plan)
		}
		again := cfg
		again.Plan = got.Plan
		require.True(t, sameEnd(Run(again), res))
	}
	require.Equal(t, whole.After, last)

	cfg.Plan.Expect.Kind = KindDeadlock
	got := Minimise(Minimisation{Config: cfg})
	require.Equal(t, 1, got.Runs)
	require.Contains(t, got.Left, "does not show what it expects")
	require.Equal(t, cfg.Plan, got.Plan)
	require.Equal(t, got.Before, got.After)
}

// TestMinimisePlan: what plans of models do not name, minor guards and atomic operations,
// is not in what becomes of them, and a plan of which nothing can be left out stays.
func TestMinimisePlan(t *testing.T) {
	cfg := Config{Bubble: bubble(t), Entry: EntryMain, Main: func() {
		var wg sync.WaitGroup
		var word atomic.Int32
		Add(1, &wg, 1)
		Go(2, func() {
			for range 5 {
				storeWord(3, &word, 1)
			}
			Access(4)
			Done(5, &wg)
		})
		Access(6)
		Wait(7, &wg)
		panic(Panic(8, "always"))
	}}
	step := func(g, site string) Step { return Step{G: g, Site: site, Occ: 1} }
	least := []Step{step("0", "#1"), step("0", "#2"), step("0", "#6"), step("0", "#7"), step("0.1", "#4"), step("0.1", "#5"), step("0", "#8")}
	expect := Expect{KindPanic, []At{{"0", "#8"}}}
	cfg.Plan = Plan{Expect: expect, Steps: []Step{least[0], least[1], least[4], least[2], least[3], least[5], least[6]}}
	got := Minimise(Minimisation{Config: cfg})
	require.Equal(t, least, got.Plan.Steps)
	require.False(t, got.Plan.Minor)
	require.Equal(t, Cost{Switches: 4, Goroutines: 2, Steps: 7}, got.Before)
	require.Equal(t, Cost{Switches: 2, Goroutines: 2, Steps: 7}, got.After)

	cfg.Plan.Steps = least
	got = Minimise(Minimisation{Config: cfg, Better: func(m Minimised) { t.Errorf("%v is no better", m.Plan.Steps) }})
	require.Equal(t, cfg.Plan, got.Plan)
	require.True(t, got.Complete)
	require.True(t, got.Least)
}

// TestCost: what comes first weighs more than all that follows.
func TestCost(t *testing.T) {
	order := []Cost{
		{Values: 9}, {Seeds: 1}, {Seeds: 9, Values: 9}, {Steps: 1}, {Steps: 9, Seeds: 9}, {Goroutines: 1}, {Goroutines: 9, Steps: 9},
		{Switches: 1}, {Switches: 9, Goroutines: 9}, {Stalls: 1}, {Stalls: 9, Switches: 9}, {Held: 1}, {Held: 9, Stalls: 9},
	}
	for i := range order {
		for j := range order {
			require.Equal(t, cmp.Compare(i, j), order[i].Compare(order[j]), "%+v %+v", order[i], order[j])
		}
	}
}

// TestMinimiseAnotherWay: where goroutines try again and again to lock, the blocks of a run may lead another way to its
// error, which is more to understand at first. It is made less all the same.
func TestMinimiseAnotherWay(t *testing.T) {
	main := func() {
		var m sync.Mutex
		n := 0
		for g := range 5 {
			Go(Site(100*g+1), func() {
				for range 2 {
					Lock(Site(100*g+2), &m)
					Access(Site(100*g + 3))
					if n++; n == 5 && g == 2 {
						panic(Panic(Site(100*g+4), "the fifth"))
					}
					Access(Site(100*g + 5))
					Unlock(Site(100*g+6), &m)
					Sleep(Site(100*g+7), time.Duration(g+1)*time.Millisecond)
				}
			})
		}
		Sleep(901, time.Hour)
	}
	found := 0
	for seed := uint64(300); found == 0 && seed < 2000; seed++ {
		cfg := Config{Bubble: bubble(t), Entry: EntryMain, Main: main}
		run := cfg
		run.Plan.Seed, run.Chooser, run.Record = seed, Random(seed), true
		res := Run(run)
		if res.Outcome.Kind != KindPanic {
			continue
		}
		found++
		cfg.Plan = planOf(res)
		got := Minimise(Minimisation{Config: cfg, Runs: 500})
		require.Empty(t, got.Left, "seed %d", seed)
		require.LessOrEqual(t, got.After.Compare(got.Before), 0)
		require.Negative(t, got.After.Compare(got.Before), "seed %d: there is less to understand", seed)
		cfg.Plan = got.Plan
		require.True(t, sameEnd(Run(cfg), res))
	}
	require.Positive(t, found)
}

// TestMinimiseLate: where a deadline has to be set late for an error to come about, that is all that is left, whatever else
// was late, and however long.
func TestMinimiseLate(t *testing.T) {
	main := func() {
		timer := time.NewTimer(Due(1, time.Hour))
		ctx, cancel := context.WithTimeout(context.Background(), Due(2, 20*time.Millisecond))
		defer cancel()
		Timer(4, timer).Reset(10 * time.Millisecond)
		if ctx.Err() != nil {
			return
		}
		Recv(5, ctx.Done())
		if Select(6, true, R(timer.C)) != 0 {
			panic(Panic(7, "not before the deadline"))
		}
	}
	long := 0
	for seed := range uint64(100) {
		cfg := Config{Bubble: bubble(t), Main: main, Delays: true, Record: true, Chooser: Random(seed)}
		cfg.Plan.Seed = seed
		res := Run(cfg)
		if res.Outcome.Kind != KindPanic {
			continue
		}
		if heldIn(res) > time.Minute {
			long++
		}
		got := Minimise(Minimisation{Config: Config{Bubble: bubble(t), Main: main, Plan: planOf(res)}, Runs: 20_000})
		require.Empty(t, got.Left)
		require.True(t, got.Complete)
		require.Equal(t, 10*time.Millisecond+lag, got.After.Held, "%+v", got.Plan)
	}
	require.NotZero(t, long)
}

// TestMinimiseSetLate: where it is enough that a goroutine sets its deadline a little late, none is held until the other
// deadline has come.
func TestMinimiseSetLate(t *testing.T) {
	main := func() {
		begin, timers, done := make(chan int), make(chan *time.Timer), make(chan int)
		Go(1, func() {
			Recv(2, begin)
			Sleep(3, time.Hour)
			if Timer(12, Recv(4, timers)).Stop() {
				panic(Panic(5, "the sleep was first"))
			}
			To(done).Send(6, 1)
		})
		To(begin).Send(7, 1)
		To(timers).Send(8, AfterFunc(9, time.Hour, func() {}))
		Recv(11, done)
	}
	held := 0
	for seed := range uint64(100) {
		cfg := Config{Bubble: bubble(t), Main: main, Delays: true, Record: true, Chooser: Random(seed)}
		cfg.Plan.Seed = seed
		res := Run(cfg)
		if res.Outcome.Kind != KindPanic || heldIn(res) < time.Minute {
			continue
		}
		held++
		got := Minimise(Minimisation{Config: Config{Bubble: bubble(t), Main: main, Plan: planOf(res)}, Runs: 20_000})
		require.Empty(t, got.Left)
		require.True(t, got.Complete)
		require.Less(t, got.After.Held, time.Second, "%+v", got.Plan)
	}
	require.NotZero(t, held)
}
