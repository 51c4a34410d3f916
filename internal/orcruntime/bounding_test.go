package orcruntime

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	boundingScripts = flag.Int("orc.bounding", 60, "random programs that TestBoundingRandom explores")
	boundingFrom    = flag.Int("orc.boundingfrom", 0, "seed of the first of them")
)

// boundedEnumeration is an enumeration of the schedules with at most so many preemptions.
// It shares with the search only which goroutines could go on.
type boundedEnumeration struct {
	enumeration
	bound int
	exec  *execution

	used int
	last *goroutine
}

func (e *boundedEnumeration) Next(v View) Choice {
	type choice struct{ index, of, cost int }
	var all []choice
	held := -1
	last := false
	for i, p := range v.Ready {
		switch {
		case v.run.enabled(p.g):
			all = append(all, choice{i, max(p.Cases, 1), 0})
			last = last || p.g == e.last
		case held < 0:
			held = i
		}
	}
	n := 0
	for i := range all {
		if c := &all[i]; last && v.Ready[c.index].g != e.last {
			if c.cost = 1; e.used == e.bound {
				c.of = 0
			}
		}
		n += all[i].of
	}
	if n == 0 {
		e.last = nil
		if held >= 0 && !v.Time {
			return Choice{Index: held}
		}
		return Choice{Index: TimePasses}
	}
	k := 0
	if n > 1 {
		k = e.pick(n)
	}
	for _, c := range all {
		if k < c.of {
			e.used += c.cost
			e.last = v.Ready[c.index].g
			return Choice{Index: c.index, Case: k}
		}
		k -= c.of
	}
	panic("unreachable")
}

// enumerateBounded does up to limit runs with at most so many preemptions.
func enumerateBounded(cfg Config, misuse bool, bound int, seen func(Result) string, limit int) outcomes {
	o := outcomes{seen: map[string]bool{}}
	e := &boundedEnumeration{bound: bound, exec: &execution{next: -1, misuse: misuse}}
	e.exec.pick = func(_ *goroutine, _ Site, n, _ int) int { return e.pick(n) }
	for ; o.runs < limit; o.runs++ {
		cfg.Chooser, cfg.NoLog, cfg.NoStacks, cfg.Record, cfg.exec = e, true, true, false, e.exec
		cfg.Plan.MaxSteps = 400
		e.exec.reset()
		e.pos, e.used, e.last = 0, 0, nil
		o.seen[seen(Run(cfg))] = true
		if !e.next() {
			o.runs++
			o.complete = true
			return o
		}
	}
	return o
}

// boundedTo explores with at most so many preemptions.
func boundedTo(t testing.TB, cfg Config, bound int, seen func(Result) string) outcomes {
	return exhaust(t, Exhaustion{Config: cfg, Bounding: &Bounding{Last: bound}}, seen)
}

// different says what one exploration has seen and another has not, "" if nothing.
func different(plain, o outcomes) string {
	if slices.Equal(plain.sorted(), o.sorted()) {
		return ""
	}
	missing := slices.DeleteFunc(plain.sorted(), func(s string) bool { return o.seen[s] })
	extra := slices.DeleteFunc(o.sorted(), func(s string) bool { return plain.seen[s] })
	return fmt.Sprintf("only in plain enumeration: %q\nonly in the bounded search: %q\n%d of %d executions", missing, extra, o.runs, plain.runs)
}

// TestBoundingRandom: what a random program can show with at most so many preemptions,
// of what every goroutine has seen, the bounded search shows, which does not go on from
// equivalent prefixes; and without a bound it shows what the exhaustive search does.
func TestBoundingRandom(t *testing.T) {
	n := *boundingScripts
	if testing.Short() {
		n /= 20
	}
	var programs, runs, plainRuns, cut [4]int
	for i := range n {
		seed := uint64(*boundingFrom + i)
		r := random(seed)
		kinds := exhaustKinds
		if i%2 == 1 {
			kinds = families[i/2%len(families)]
		}
		p := newRandomProgram(&r, kinds)
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
		whole := exhaust(t, Exhaustion{Config: cfg}, p.seen)
		if plain := enumerate(cfg, p.seen, 2000); plain.complete {
			whole.seen = plain.seen
		}
		known := len(whole.out.Bounds) == 0
		for c := range 3 {
			o := boundedTo(t, cfg, c, p.seen)
			plain := enumerateBounded(cfg, o.misuse, c, p.seen, 1000)
			if !plain.complete {
				break
			}
			at := o.out.Preemptions[min(c, len(o.out.Preemptions)-1)]
			require.True(t, at.Complete)
			require.Empty(t, different(plain, o), "seed %d, %d preemptions: caps %v %+v", seed, c, p.caps, p.goros)
			programs[c], plainRuns[c] = programs[c]+1, plainRuns[c]+plain.runs
			runs[c], cut[c] = runs[c]+at.Runs, cut[c]+at.Cut
		}
		all := exhaust(t, Exhaustion{Config: cfg, Bounding: &Bounding{Last: AllPreemptions}, Misuse: whole.misuse, Runs: 20_000}, p.seen)
		if all.complete && known {
			require.Empty(t, different(whole, all), "seed %d: caps %v %+v", seed, p.caps, p.goros)
			last := all.out.Preemptions[len(all.out.Preemptions)-1]
			programs[3], plainRuns[3] = programs[3]+1, plainRuns[3]+whole.runs
			runs[3], cut[3] = runs[3]+last.Runs, cut[3]+last.Cut
		}
	}
	for c, name := range []string{"no preemption", "1 preemption", "2 preemptions", "all (instead of plain enumeration, the exhaustive search)"} {
		t.Logf("%s: %d programs, %d executions and %d cut of %d", name, programs[c], runs[c], cut[c], plainRuns[c])
	}
}

// hidden are programs in which, for a while, nothing but the order of steps says how they
// go on.
var hidden = []struct {
	testProgram
	stalls int
}{
	{testProgram{"a number that was drawn", EntryTest, func() {
		n, _ := Choose(1, 2)
		meanwhile()
		if n == 1 {
			panic(Panic(5, "one"))
		}
	}, nil}, 0},
	{testProgram{"which of two contexts", EntryTest, func() {
		var done [2]<-chan struct{}
		for i := range done {
			m := Lib(0)
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			Back(m)
			done[i] = ctx.Done()
		}
		first, second := R(done[0]), R(done[1])
		i := Select(1, false, first, second)
		meanwhile()
		panic(Panic(2, i))
	}, nil}, 0},
	{testProgram{"a clock that was read", EntryTest, func() {
		var (
			both        sync.WaitGroup
			late, ended atomic.Int32
			saw         [2]int
		)
		start := time.Now()
		Add(1, &both, 2)
		Go(2, func() { Sleep(3, time.Second) })
		Go(4, func() {
			Access(5)
			storeWord(6, &late, min(int(time.Since(start)), 1))
			Access(7)
			storeWord(8, &ended, 1)
			Done(9, &both)
		})
		Go(10, func() {
			saw = [2]int{loadWord(11, &late), loadWord(12, &ended)}
			Done(13, &both)
		})
		Wait(14, &both)
		panic(Panic(15, fmt.Sprint(saw)))
	}, nil}, 1},
	{testProgram{"who waits first for a value", EntryTest, func() {
		c := make(chan int)
		b := bothWait(func(int) int { return Recv(2, c) })
		To(c).Send(3, 1)
		To(c).Send(4, 2)
		Access(5)
		panic(Panic(6, b.result()))
	}, nil}, 0},
	{testProgram{"who is woken first by a library", EntryTest, func() {
		m := Lib(0)
		ctx, cancel := context.WithCancel(context.Background())
		var done [2]<-chan struct{}
		var stop [2]func()
		for i := range done {
			child, s := context.WithCancel(ctx)
			done[i], stop[i] = child.Done(), s
		}
		Back(m)
		n := 0
		b := bothWait(func(i int) int {
			Recv2(2, done[i])
			m := Lib(0)
			n++
			v := n
			Back(m)
			return v
		})
		m = Lib(0)
		cancel()
		Back(m)
		Access(3)
		panic(Panic(6, b.result()))
	}, nil}, 0},
	{testProgram{"a signal and who waits for it", EntryTest, func() {
		var mu sync.Mutex
		var waits atomic.Int32
		cond := sync.NewCond(&mu)
		done := make(chan bool)
		Go(1, func() {
			Lock(2, &mu)
			storeWord(3, &waits, 1)
			CondWait(4, cond)
			Unlock(5, &mu)
			To(done).Send(6, true)
		})
		Go(7, func() { CondSignal(8, cond) })
		for i := range 2 {
			Go(9, func() {
				Lock(10, &mu)
				witness[i] = loadWord(11, &waits)
				Unlock(12, &mu)
			})
		}
		Recv(13, done)
	}, nil}, 0},
	{testProgram{"who looks in vain", EntryTest, func() {
		c := make(chan int, 1)
		var wg sync.WaitGroup
		Add(1, &wg, 1)
		Go(2, func() { Recv(3, c) })
		Go(4, func() { Done(5, &wg) })
		Go(6, func() {
			To(c).Send(7, 1)
			To(c).Send(8, 1)
		})
		Go(9, func() { Access(10) })
		Wait(11, &wg)
		n := 0
		for range 6 {
			r := R(c)
			if Select(12, true, r) == 0 {
				break
			}
			n++
		}
		panic(Panic(13, n))
	}, nil}, 0},

	after("two that send", func(x *shared) (a, b func()) {
		x.c = make(chan int, 2)
		return func() { To(x.c).Send(10, 1) }, func() { To(x.c).Send(11, 2) }
	}, func(x *shared) int { return Recv(12, x.c) }),
	after("two that receive", func(x *shared) (a, b func()) {
		x.c = make(chan int, 2)
		To(x.c).Send(8, 1)
		To(x.c).Send(9, 2)
		return func() { x.v = Recv(10, x.c) }, func() { Recv(11, x.c) }
	}, func(x *shared) int { return x.v }),
	after("two that lock", func(x *shared) (a, b func()) {
		set := func(i int) {
			Lock(10, &x.mu)
			x.v = i
			Unlock(11, &x.mu)
		}
		return func() { set(1) }, func() { set(2) }
	}, func(x *shared) int { return x.v }),
	after("a reader and a writer", func(x *shared) (a, b func()) {
		return func() {
				WLock(10, &x.rw)
				x.w = 1
				WUnlock(11, &x.rw)
			}, func() {
				RLock(12, &x.rw)
				x.v = x.w
				RUnlock(13, &x.rw)
			}
	}, func(x *shared) int { return x.v }),
	after("who waits for a group before it begins", func(x *shared) (a, b func()) {
		return func() {
				Add(10, &x.wg, 1)
				x.w = 1
				Done(11, &x.wg)
			}, func() {
				Wait(12, &x.wg)
				x.v = x.w
			}
	}, func(x *shared) int { return x.v }),
	after("two that store", func(x *shared) (a, b func()) {
		return func() { storeWord(10, &x.word, 1) }, func() { storeWord(11, &x.word, 2) }
	}, func(x *shared) int { return loadWord(12, &x.word) }),
	after("one that stores and one that loads", func(x *shared) (a, b func()) {
		return func() { storeWord(10, &x.word, 1) }, func() { x.v = loadWord(11, &x.word) }
	}, func(x *shared) int { return x.v }),
	after("two that call a library", func(x *shared) (a, b func()) {
		set := func(i int) {
			Access(10)
			m := Lib(0)
			x.v = i
			Back(m)
		}
		return func() { set(1) }, func() { set(2) }
	}, func(x *shared) int { return x.v }),
	after("a length after a send", func(x *shared) (a, b func()) {
		x.c = make(chan int, 1)
		return func() { To(x.c).Send(10, 1) }, func() {
			x.v = len(Measured(11, x.c))
		}
	}, func(x *shared) int { return x.v }),
	after("a length after a receive", func(x *shared) (a, b func()) {
		x.c = make(chan int, 1)
		To(x.c).Send(9, 1)
		return func() { Recv(10, x.c) }, func() {
			x.v = len(Measured(11, x.c))
		}
	}, func(x *shared) int { return x.v }),
}

// shared is what goroutines of a hidden program share.
type shared struct {
	c    chan int
	mu   sync.Mutex
	rw   sync.RWMutex
	wg   sync.WaitGroup
	word atomic.Int32
	v, w int
}

// after is a program that looks at what two goroutines have left, when both have ended
// and another one has gone on.
func after(name string, two func(*shared) (a, b func()), look func(*shared) int) (p struct {
	testProgram
	stalls int
}) {
	p.testProgram = testProgram{name, EntryTest, func() {
		x := &shared{}
		var both sync.WaitGroup
		a, b := two(x)
		Add(80, &both, 2)
		Go(81, func() {
			a()
			Done(82, &both)
		})
		Go(83, func() {
			b()
			Done(84, &both)
		})
		Wait(85, &both)
		meanwhile()
		panic(Panic(86, look(x)))
	}, nil}
	return p
}

// meanwhile lets another goroutine go on, or not yet.
func meanwhile() {
	Go(90, func() { Access(91) })
	Access(92)
	Access(93)
}

// waiting are two goroutines that wait for something, and what they get.
type waiting struct {
	got   [2]int
	third atomic.Int32
}

// bothWait starts two goroutines, and returns when both wait, if there is no preemption. A
// third one may go on before or after that.
func bothWait(wait func(i int) int) *waiting {
	w := &waiting{}
	var both sync.WaitGroup
	Add(70, &both, 2)
	for i := range 2 {
		Go(71, func() {
			Done(72, &both)
			w.got[i] = wait(i)
		})
	}
	Go(73, func() { storeWord(74, &w.third, 1) })
	Wait(75, &both)
	return w
}

// result is what they have got, and whether the third one has gone on.
func (w *waiting) result() string {
	return fmt.Sprint(w.got, loadWord(76, &w.third))
}

// witness is what a program has seen that does not end.
var witness [2]int

// sample is a program with a bound.
type sample struct {
	name string
	e    Exhaustion
	seen func(Result) string
	want []string
	runs int // of the last search
}

// explored is what a bounded search has seen.
func (s *sample) explored(t *testing.T, fingerprints int) (seen []string, complete bool) {
	e := s.e
	e.Bounding = &Bounding{Last: e.Bounding.Last, Fingerprints: fingerprints}
	o := exhaust(t, e, s.seen)
	s.runs = o.runs
	return o.sorted(), o.complete || o.out.Preemptions[len(o.out.Preemptions)-1].Preemptions > e.Bounding.Last
}

// TestFingerprint: every component of fingerprints is needed. Without it prefixes are
// taken to be equivalent that are not, and what can happen after one of them is lost.
func TestFingerprint(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, which has TestBoundingRandom")
	}
	var samples []sample
	add := func(name string, e Exhaustion, seen func(Result) string) {
		for c := range 3 {
			e.Bounding, e.Runs = &Bounding{Last: c}, 3000
			s := sample{name: fmt.Sprintf("%s, %d preemptions", name, c), e: e, seen: seen}
			complete := false
			if s.want, complete = s.explored(t, -1); !complete {
				t.Logf("%s: too many executions", s.name)
				return
			}
			got, _ := s.explored(t, 0)
			require.Equal(t, s.want, got, s.name)
			if len(got) > 1 {
				samples = append(samples, s)
			}
		}
	}
	for _, p := range hidden {
		main := p.main
		p.main = func() {
			clear(witness[:])
			main()
		}
		cfg := p.config(bubble(t))
		cfg.Races = true
		add(p.name, Exhaustion{Config: cfg, Stalls: p.stalls}, func(res Result) string { return fmt.Sprint(res.end(), res.Outcome.Message, witness) })
	}
	for _, kinds := range families[:4] {
		for seed := range 12 {
			r := random(seed)
			p := newRandomProgram(&r, kinds)
			add(fmt.Sprint(kinds, seed), Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}}, p.seen)
		}
	}
	// Any of them may show what is needed: those that take few executions are tried first.
	slices.SortStableFunc(samples, func(a, b sample) int { return cmp.Compare(a.runs, b.runs) })
	noticed := func(what string) {
		i := slices.IndexFunc(samples, func(s sample) bool {
			got, _ := s.explored(t, 0)
			return !slices.Equal(s.want, got)
		})
		if i < 0 {
			t.Errorf("no program needs %s", what)
			return
		}
		t.Logf("%s: %s", what, samples[i].name)
	}
	for _, c := range []struct {
		component component
		name      string
	}{
		{touchComponent, "how steps come out"},
		{choiceComponent, "choices of the environment"},
		{timeComponent, "time"},
		{queueComponent, "the order of those who wait for the same"},
		{behindComponent, "the order of all who wait"},
		{callsComponent, "the order in which they have called uninstrumented code"},
		{lastComponent, "who has done the last step"},
		{leftComponent, "how many preemptions are left"},
		{looksComponent, "who looks in vain"},
	} {
		omitted = c.component
		noticed(c.name)
		omitted = noComponent
	}
	// What else depends on each other shows in how a step comes out, or in these.
	for _, needed := range [][][2]touchKind{
		{{touchSend, touchSend}},
		{{touchRecv, touchRecv}},
		{{touchLock, touchLock}},
		{{touchLock, touchRLock}},
		{{touchAdd, touchWait}},
		{{touchRead, touchWrite}},
		{{touchWrite, touchWrite}},
		{{touchAny, touchAny}},
		{{touchLibrary, touchLibrary}},
		{{touchSend, touchMeasured}}, {{touchRecv, touchMeasured}},
	} {
		before := dependent
		for _, p := range needed {
			dependent[p[0]][p[1]], dependent[p[1]][p[0]] = false, false
		}
		noticed(fmt.Sprintf("the dependence of %v", needed))
		dependent = before
	}
}

// A counter for each step of a few goroutines, and a bug behind two preemptions: too many
// schedules for the exhaustive search, few with two preemptions.
func twoPreemptions(buggy bool) func() {
	return func() {
		const others, steps = 2, 7
		var words [others]atomic.Int32
		var turn, done atomic.Int32
		workers(others+2, func(i int) {
			switch i {
			case 0: // its check and its use are two steps, twice
				if loadWord(1, &turn) == 1 {
					storeWord(2, &turn, 2)
					if buggy && loadWord(3, &done) == 1 && loadWord(4, &turn) == 2 {
						panic(Panic(5, "twice between"))
					}
				}
			case 1:
				storeWord(6, &turn, 1)
				if loadWord(7, &turn) == 2 {
					storeWord(8, &done, 1)
				}
			default:
				for range steps {
					storeWord(9, &words[i-2], loadWord(10, &words[(i-1)%others]))
				}
			}
		})
	}
}

// TestBoundingFinds: an error that needs two preemptions is found with two, and not with
// less, where the exhaustive search is not at its end after many more executions.
func TestBoundingFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, which has TestBoundingRandom")
	}
	explore := func(e Exhaustion, buggy bool) (out Exhausted, panics bool) {
		e.Config = Config{Bubble: bubble(t), Entry: EntryMain, EndSite: endSite, Main: twoPreemptions(buggy)}
		e.Ran = func(_ int, res Result) { panics = panics || res.Outcome.Kind == KindPanic }
		e.Found = func(int, Result) {}
		out = Exhaust(e)
		return out, panics
	}
	one, panics := explore(Exhaustion{Bounding: &Bounding{Last: 1}}, true)
	t.Logf("%+v", one.Preemptions)
	require.False(t, panics)
	two, panics := explore(Exhaustion{Bounding: &Bounding{Last: 2}, Runs: 20_000}, true)
	t.Logf("%+v", two.Preemptions)
	require.True(t, panics)
	whole, panics := explore(Exhaustion{Runs: two.Runs + two.Cut}, true)
	require.False(t, whole.Complete)
	t.Logf("exhaustive search: %d executions, found: %v", whole.Runs, panics)
	_, panics = explore(Exhaustion{Bounding: &Bounding{Last: 2}, Runs: two.Runs}, false)
	require.False(t, panics)
}

// TestBoundingFrontier: a search that is cut into many comes to the same result.
func TestBoundingFrontier(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	seed := 0
	for n := 0; n < 6; seed++ {
		r := random(seed)
		p := newRandomProgram(&r, exhaustKinds)
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, Bounding: &Bounding{Last: 2}}
		whole := exhaust(t, e, p.seen)
		if whole.runs < 20 || whole.misuse {
			continue
		}
		n++
		for _, k := range []int{1, 3, 7} {
			seen := map[string]bool{}
			e := e
			e.Runs = k
			e.Ran = func(_ int, res Result) { seen[p.seen(res)] = true }
			e.Found = func(int, Result) {}
			out := Exhaust(e)
			for range 10_000 {
				if out.Complete || len(out.Preemptions) > 0 && out.Preemptions[len(out.Preemptions)-1].Preemptions > 2 {
					break
				}
				e.Frontier = out.Frontier
				out = Exhaust(e)
			}
			require.Equal(t, whole.sorted(), outcomes{seen: seen}.sorted())
			require.Equal(t, whole.complete, out.Complete)
			require.Equal(t, len(whole.out.Preemptions), len(out.Preemptions))
			for c, b := range out.Preemptions {
				require.Equal(t, whole.out.Preemptions[c].Complete, b.Complete)
				require.Equal(t, whole.out.Preemptions[c].Postponed, b.Postponed)
				require.GreaterOrEqual(t, b.Runs, whole.out.Preemptions[c].Runs)
			}
		}
		// Its frontier is none of the other kind of search.
		e.Bounding, e.Runs, e.Frontier = nil, 0, &Frontier{Preemptions: []Bounded{{}}}
		require.NotEmpty(t, Exhaust(e).Left)
	}
}

// TestBoundingCache: a cache that is too small costs executions, and nothing else.
func TestBoundingCache(t *testing.T) {
	more := false
	for seed := range 12 {
		r := random(seed)
		p := newRandomProgram(&r, exhaustKinds)
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}}
		explore := func(fingerprints int) outcomes {
			e.Bounding = &Bounding{Last: 1, Fingerprints: fingerprints}
			return exhaust(t, e, p.seen)
		}
		large, small, none := explore(0), explore(3), explore(-1)
		require.Equal(t, none.sorted(), small.sorted())
		require.Equal(t, large.sorted(), small.sorted())
		require.LessOrEqual(t, small.runs, none.runs)
		require.Zero(t, none.out.Cut)
		more = more || small.runs > large.runs
	}
	require.True(t, more, "no program has more than three prefixes")
}

var numbered = regexp.MustCompile(`chan#[0-9]+`)

// TestBoundingPrograms: what a program can show within a bound it shows with fingerprints.
func TestBoundingPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, which has TestBoundingRandom")
	}
	for _, p := range append(slices.Clone(special), programs...) {
		cfg := p.config(bubble(t))
		cfg.Races = true
		for c := range 3 {
			explore := func(fingerprints int) outcomes {
				e := Exhaustion{Config: cfg, Accesses: accessGuards(p.name), Runs: 2000, Bounding: &Bounding{Last: c, Fingerprints: fingerprints}}
				// Channels are numbered in the order of their first use, be it seen or not.
				return exhaust(t, e, func(res Result) string {
					return numbered.ReplaceAllString(res.end()+res.Outcome.Message, "chan")
				})
			}
			plain := explore(-1)
			if plain.runs >= 2000 {
				break
			}
			require.Empty(t, different(plain, explore(0)), "%s, %d preemptions", p.name, c)
		}
	}
}
