package orcruntime

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	exhaustNeeds   = flag.Bool("orc.needs", false, "TestDependence looks for programs that need what those of its table do not need")
	exhaustScripts = flag.Int("orc.exhaust", 80, "random programs that TestExhaustRandom explores exhaustively")
	exhaustFrom    = flag.Int("orc.exhaustfrom", 0, "seed of the first of them")
)

// enumeration is a Chooser that takes every choice there is, one after the other, in
// runs of its own: no two steps are taken to commute. Time passes only when nothing else
// can happen.
type enumeration struct {
	path []int // the choices of the run
	of   []int // how many there were
	pos  int
}

func (e *enumeration) pick(n int) int {
	if e.pos == len(e.path) {
		e.path, e.of = append(e.path, 0), append(e.of, n)
	}
	e.pos++
	return e.path[e.pos-1]
}

func (e *enumeration) Next(v View) Choice {
	n := 0
	for _, p := range v.Ready {
		n += max(p.Cases, 1)
	}
	if n == 0 {
		return Choice{Index: TimePasses}
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
	panic("unreachable")
}

// next goes to the next run; it reports whether there is one.
func (e *enumeration) next() bool {
	for len(e.path) > 0 {
		last := len(e.path) - 1
		if e.path[last]++; e.path[last] < e.of[last] {
			return true
		}
		e.path, e.of = e.path[:last], e.of[:last]
	}
	return false
}

// outcomes is what enumerate and exhaust have seen: outcomes, and how many executions.
type outcomes struct {
	seen     map[string]bool
	runs     int
	complete bool
	out      Exhausted
	misuse   bool // goroutines stopped at minor guards
}

func (o outcomes) sorted() []string { return slices.Sorted(maps.Keys(o.seen)) }

// enumerate does up to limit runs by plain enumeration.
func enumerate(cfg Config, seen func(Result) string, limit int) outcomes {
	o := outcomes{seen: map[string]bool{}}
	e := &enumeration{}
	for ; o.runs < limit; o.runs++ {
		cfg.Chooser, cfg.NoLog, cfg.NoStacks, cfg.Record = e, true, true, false
		cfg.Plan.MaxSteps = 400
		e.pos = 0
		o.seen[seen(Run(cfg))] = true
		if !e.next() {
			o.runs++
			o.complete = true
			return o
		}
	}
	return o
}

// exhaust explores exhaustively.
func exhaust(t testing.TB, e Exhaustion, seen func(Result) string) outcomes {
	for {
		o := outcomes{seen: map[string]bool{}}
		e.Ran = func(_ int, res Result) { o.seen[seen(res)] = true }
		e.Found = func(int, Result) {}
		o.out = Exhaust(e)
		require.Empty(t, o.out.Left)
		o.runs, o.complete = o.out.Runs, o.out.Complete
		if o.misuse = e.Misuse; !o.out.Misuse || e.Misuse {
			return o
		}
		e.Misuse = true
	}
}

// TestExhaustPrograms: the exploration comes to every end that a program can have.
func TestExhaustPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			cfg := p.config(bubble(t))
			seen := func(res Result) string { return res.end() }
			if p.entry == EntryMain { // whose return comes last, and ends the program well
				seen = func(res Result) string { return strings.TrimSuffix(res.end(), Completed+"\n\n") }
			}
			limit := 2000
			if testing.Short() {
				limit = 200
			}
			plain := enumerate(cfg, seen, limit)
			runs := 20_000
			if raceDetector {
				runs = 500
			}
			o := exhaust(t, Exhaustion{Config: cfg, Accesses: accessGuards(p.name), Runs: runs}, seen)
			t.Logf("%d of %d executions, %d cut, %v %v", o.runs, plain.runs, o.out.Cut, plain.complete, o.out.Bounds)
			if raceDetector && !o.complete { // it looks for races of the search itself
				return
			}
			require.True(t, o.complete)
			if plain.complete {
				plain.seen[""] = plain.seen[""] || p.entry == EntryMain
				o.seen[""] = o.seen[""] || p.entry == EntryMain
				if o.out.Choices == 0 { // of the environment, which plain enumeration leaves alone
					require.Equal(t, plain.sorted(), o.sorted())
				}
			} else {
				for _, k := range p.outcomes {
					require.True(t, slices.ContainsFunc(o.sorted(), func(s string) bool { return strings.Split(s+"\n", "\n")[1] == k }), "%s", k)
				}
			}
		})
	}
}

// accessGuards are those of the programs: what they share, by name, is a group.
func accessGuards(program string) (all []AccessGuard) {
	switch program {
	case "a context that two look at", "a context that is polled":
		return nil
	case "broken mutual exclusion":
		const want, inside = 1, 2
		for _, at := range []Site{10, 20} {
			add := func(n Site, group int, writes bool) {
				all = append(all, AccessGuard{Site: (at + n).key(), Group: group, Writes: writes})
			}
			add(0, want, false)
			add(1, want, true)
			add(5, want, true)
			add(2, inside, true)
			add(4, inside, true)
		}
		return all
	}
	for n := range 99 {
		all = append(all, AccessGuard{Site: Site(n + 1).key(), Group: 1, Writes: true})
	}
	return all
}

// randomProgram is a program of a few goroutines that use shared objects at random. What
// they see is in logs, one for each goroutine.
type randomProgram struct {
	goros [][]action
	caps  []int
	logs  []string
}

var exhaustKinds = []string{
	"send", "recv", "send", "recv", "close", "select", "select recv", "poll", "try send",
	"lock", "lock", "unlock", "try lock", "rlock", "runlock", "wlock", "wunlock", "try rlock",
	"add", "done", "wait", "once", "cond wait", "signal", "broadcast", "store", "load", "cas", "yield",
}

func newRandomProgram(r *random, kinds []string) *randomProgram {
	p := &randomProgram{caps: []int{r.next(3), r.next(2)}}
	for range 2 + r.next(2) {
		var list []action
		for range 1 + r.next(4) {
			list = append(list, action{kinds[r.next(len(kinds))], r.next(2), r.next(2), r.next(5), false})
		}
		p.goros = append(p.goros, list)
	}
	p.logs = make([]string, len(p.goros))
	return p
}

func (p *randomProgram) main() {
	p.run(func(body func(log, i int), _ func(Site, action)) {
		for i := 1; i < len(p.goros); i++ {
			Go(Site(10+i), func() { body(i, i) })
		}
		body(0, 0)
	})
}

// run calls start with what the i-th goroutine does, which notes what it sees in a log, and with what does one thing.
func (p *randomProgram) run(start func(body func(log, i int), act func(Site, action))) {
	var (
		chans = []chan int{make(chan int, p.caps[0]), make(chan int, p.caps[1])}
		mus   [2]sync.Mutex
		rw    sync.RWMutex
		wg    sync.WaitGroup
		once  sync.Once
		cond  = sync.NewCond(&mus[0])
		words [2]atomic.Int32
	)
	clear(p.logs)
	act := func(site Site, x action, holds map[string]int) string {
		c := chans[x.a]
		mu := fmt.Sprint("mu", x.a)
		if x.reflected {
			if seen := reflectedAct(site, x, c, chans[x.b]); seen != "" {
				return seen
			}
		}
		switch x.kind {
		case "send":
			To(c).Send(site, x.v)
		case "recv":
			return fmt.Sprint(Recv2(site, c))
		case "close":
			Close(site, c)
		case "select":
			r := R(c)
			return fmt.Sprint(Select(site, false, r, To(chans[x.b]).Case(x.v)), r.V, r.OK)
		case "select recv":
			r, q := R(chans[0]), R(chans[1])
			return fmt.Sprint(Select(site, false, r, q), r.V, r.OK, q.V, q.OK)
		case "poll":
			r := R(c)
			return fmt.Sprint(Select(site, true, r), r.V, r.OK)
		case "try send":
			return fmt.Sprint(Select(site, true, To(c).Case(x.v)))
		case "lock":
			Lock(site, &mus[x.a])
			holds[mu]++
		case "unlock":
			if holds[mu] > 0 {
				holds[mu]--
				Unlock(site, &mus[x.a])
			}
		case "try lock":
			ok := TryLock(site, &mus[x.a])
			if ok {
				holds[mu]++
			}
			return fmt.Sprint(ok)
		case "rlock":
			RLock(site, &rw)
			holds["r"]++
		case "runlock":
			if holds["r"] > 0 {
				holds["r"]--
				RUnlock(site, &rw)
			}
		case "try rlock":
			ok := TryRLock(site, &rw)
			if ok {
				holds["r"]++
			}
			return fmt.Sprint(ok)
		case "wlock":
			WLock(site, &rw)
			holds["w"]++
		case "wunlock":
			if holds["w"] > 0 {
				holds["w"]--
				WUnlock(site, &rw)
			}
		case "try wlock":
			ok := TryWLock(site, &rw)
			if ok {
				holds["w"]++
			}
			return fmt.Sprint(ok)
		case "any unlock":
			Unlock(site, &mus[x.a])
		case "any runlock":
			RUnlock(site, &rw)
		case "any wunlock":
			WUnlock(site, &rw)
		case "add":
			Add(site, &wg, 1)
		case "done":
			Done(site, &wg)
		case "wait":
			Wait(site, &wg)
		case "once":
			first := false
			OnceDo(site, &once, func() {
				first = true
				To(chans[x.b]).Send(site+1, 7)
			})
			return fmt.Sprint(first)
		case "cond wait":
			if holds["mu0"] > 0 {
				CondWait(site, cond)
			}
		case "signal":
			CondSignal(site, cond)
		case "broadcast":
			CondBroadcast(site, cond)
		case "store":
			Int32(site, 0, &words[x.a]).Store(int32(x.v))
		case "count":
			Int32(site, 0, &words[x.a]).Accumulate(int32(x.v))
		case "load":
			return fmt.Sprint(Int32(site, 0, &words[x.a]).Load())
		case "cas":
			return fmt.Sprint(Int32(site, 0, &words[x.a]).CompareAndSwap(0, int32(x.v)))
		case "len":
			Access(site) // plain enumeration stops nowhere else
			return fmt.Sprint(len(Measured(site, c)))
		case "yield":
			Access(site)
		case "library":
			Access(site)
			Back(Lib(0))
		}
		return ""
	}
	start(func(log, i int) {
		holds := map[string]int{}
		for k, x := range p.goros[i] {
			p.logs[log] += x.kind + "("
			p.logs[log] += act(Site(100*(i+1)+2*k), x, holds) + ") "
		}
		p.logs[log] += "end"
	}, func(site Site, x action) { act(site, x, map[string]int{}) })
}

func (p *randomProgram) seen(res Result) string {
	if res.Outcome.endsProgram() { // wherever the others are
		i, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(res.Outcome.G, "0"), "."))
		return res.end() + "\n" + p.logs[i]
	}
	return res.end() + "\n" + strings.Join(p.logs, "\n")
}

// tally counts the executions of programs.
type tally struct {
	programs, runs, plain, cut int
	// ended: of programs that a goroutine can end.
	ended bool
}

func (e *tally) add(o tally) {
	e.programs, e.runs, e.plain, e.cut = e.programs+1, e.runs+o.runs, e.plain+o.plain, e.cut+o.cut
}

// testExhaustRandom: what a random program can show, of what every goroutine has seen in
// all of its executions, the exploration shows.
func testExhaustRandom(t *testing.T, seed uint64, kinds []string) (e tally) {
	r := random(seed)
	p := newRandomProgram(&r, kinds)
	for _, list := range p.goros { // some of what is done on channels is by reflection
		for i := range list {
			list[i].reflected = list[i].v == 4
		}
	}
	return testExhaustProgram(t, fmt.Sprintf("seed %d", seed), p)
}

func testExhaustProgram(t *testing.T, name string, p *randomProgram) (e tally) {
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
	plain := enumerate(cfg, p.seen, 3000)
	if !plain.complete {
		return tally{}
	}
	o := exhaust(t, Exhaustion{Config: cfg}, func(res Result) string {
		e.ended = e.ended || res.Outcome.endsProgram()
		return p.seen(res)
	})
	require.True(t, o.complete, "%s: %+v", name, p.goros)
	if len(o.out.Bounds) == 0 && !slices.Equal(plain.sorted(), o.sorted()) {
		missing := slices.DeleteFunc(plain.sorted(), func(s string) bool { return o.seen[s] })
		extra := slices.DeleteFunc(o.sorted(), func(s string) bool { return plain.seen[s] })
		t.Fatalf("%s: caps %v %+v\nonly in plain enumeration: %q\nonly in the reduced one: %q\n%d of %d executions", name, p.caps, p.goros, missing, extra, o.runs, plain.runs)
	}
	e.runs, e.plain, e.cut = o.runs, plain.runs, o.out.Cut
	return e
}

// TestExhaustRandom: nothing is lost, and few executions turn out to be another one. Of
// programs that end while others could go on these have to be tried, see wakeup.go.
func TestExhaustRandom(t *testing.T) {
	var whole, ended tally
	explore := func(n int, kinds []string) {
		for i := range n {
			e := testExhaustRandom(t, uint64(*exhaustFrom+i), kinds)
			switch {
			case e.runs == 0:
			case e.ended:
				ended.add(e)
			default:
				whole.add(e)
			}
		}
	}
	n := *exhaustScripts
	switch {
	case raceDetector: // it looks for races of the search itself
		n /= 15
	case testing.Short():
		n = n * 2 / 5
	}
	explore(n, exhaustKinds)
	for _, kinds := range withCounts {
		explore(n/16, kinds)
	}
	t.Logf("%d programs: %d executions of %d, %d cut; %d that can end before others: %d executions of %d, %d cut",
		whole.programs, whole.runs, whole.plain, whole.cut, ended.programs, ended.runs, ended.plain, ended.cut)
	if !raceDetector { // these are shares of many programs
		require.LessOrEqual(t, whole.cut, whole.runs/cutShare)
		require.LessOrEqual(t, ended.cut, ended.runs/5)
	}
}

// phrases are what a goroutine does with one object, with what has to come before.
var phrases = []string{
	"send", "recv", "close", "select", "select recv", "poll", "try send", "len",
	"lock", "lock unlock", "try lock", "try lock unlock", "lock cond wait", "lock cond wait unlock", "signal", "broadcast",
	"rlock", "rlock runlock", "try rlock", "try rlock runlock", "wlock", "wlock wunlock", "try wlock", "try wlock wunlock",
	"add", "add done", "wait", "add wait", "once", "store", "load", "cas",
}

// actions are those of a phrase.
func actions(phrase string) (out []action) {
	words := strings.Fields(phrase)
	for i := 0; i < len(words); i++ {
		kind := words[i]
		if i+1 < len(words) && slices.Contains(scriptedPairs, kind+" "+words[i+1]) {
			i++
			kind += " " + words[i]
		}
		out = append(out, action{kind: kind, v: 1})
	}
	return out
}

// scriptedPairs are the kinds of two words.
var scriptedPairs = []string{"select recv", "try send", "try lock", "try rlock", "try wlock", "cond wait"}

// TestExhaustPairs: every two phrases, one behind another one's, against every third. Random
// programs seldom have what has to come before.
func TestExhaustPairs(t *testing.T) {
	r := random(1)
	tried := 0
	for _, a := range phrases {
		for _, b := range phrases {
			if testing.Short() && r.next(4) > 0 {
				continue
			}
			c := phrases[r.next(len(phrases))]
			p := &randomProgram{caps: []int{r.next(3), 1}, goros: [][]action{actions(a), slices.Concat(actions(b), actions(c))}, logs: make([]string, 2)}
			if e := testExhaustProgram(t, fmt.Sprintf("%s | %s %s", a, b, c), p); e.runs > 0 {
				tried++
			}
		}
	}
	t.Logf("%d programs", tried)
	require.Greater(t, tried, len(phrases)*len(phrases)/5)
}

// TestExhaustForeignUnlock: who is let in by a goroutine that unlocks for another one could
// have come before that one.
func TestExhaustForeignUnlock(t *testing.T) {
	require.Positive(t, testExhaustRandom(t, 1223, []string{"lock", "try lock", "any unlock"}).runs)
}

// TestExhaustValues: a choice with more alternatives than are explored is a limit of what was.
func TestExhaustValues(t *testing.T) {
	for _, c := range []struct {
		keys, values int
		found        bool
	}{{4, 0, true}, {5, 0, false}, {5, 120, true}} {
		m := map[int]int{}
		for k := range c.keys {
			m[k] = k
		}
		program := func() {
			last := 0
			for r := RangeMap(1, m, false); r.Next(); {
				last = r.K
			}
			if last == 0 {
				panic(Panic(2, "the least key came last"))
			}
		}
		seen := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Main: program, Entry: EntryTest, EndSite: endSite}, Values: c.values}, func(res Result) string { return res.Outcome.Kind })
		require.True(t, seen.complete)
		require.Equal(t, c.found, seen.seen[KindPanic])
		require.Equal(t, !c.found, seen.out.Untaken)
		if c.found {
			require.Empty(t, seen.out.Bounds)
		} else {
			require.Contains(t, seen.out.Bounds[0], "more alternatives than are explored")
		}
	}
}

// TestExhaustEnds: programs whose ends are known beforehand. Time passes only when nothing
// else can happen.
func TestExhaustEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		main func()
		ends []string
	}{
		{"a flag that is set behind as many sends as there is room for", func() {
			c := make(chan int, 2)
			var flag atomic.Int32
			Go(1, func() {
				To(c).Send(2, 1)
				To(c).Send(3, 2)
				Int32(4, 0, &flag).Store(1)
			})
			if Int32(5, 0, &flag).Load() == 1 {
				panic(Panic(6, "it was set"))
			}
			Recv(7, c)
		}, []string{"", KindPanic}},
		{"the last of several cases that are ready", func() {
			a, b, c, d := make(chan int, 1), make(chan int, 1), make(chan int, 1), make(chan int, 1)
			To(a).Send(1, 1)
			To(b).Send(2, 1)
			To(c).Send(3, 1)
			To(d).Send(4, 1)
			if Select(5, false, R(a), R(b), R(c), R(d)) == 3 {
				panic(Panic(6, "the last"))
			}
		}, []string{"", KindPanic}},
		{"who sleeps wakes before a deadline that is later", func() {
			done := make(chan int, 1)
			Go(1, func() {
				Sleep(2, time.Second)
				To(done).Send(3, 1)
			})
			late := time.After(Due(4, 2*time.Second))
			if Select(5, false, R(done), R(late)) == 1 {
				panic(Panic(6, "too late"))
			}
		}, []string{""}},
	} {
		seen := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Main: c.main, Entry: EntryTest, EndSite: endSite}}, func(res Result) string { return res.Outcome.Kind })
		require.True(t, seen.complete, c.name)
		require.Equal(t, c.ends, seen.sorted(), c.name)
	}
}

// TestExhaustCut: runs that come to the limit of steps are no proof.
func TestExhaustCut(t *testing.T) {
	program := func() {
		a, b, c := make(chan int), make(chan int), make(chan int, 2)
		Go(1, func() {
			for {
				To(b).Send(2, Recv(3, a))
			}
		})
		Go(7, func() { To(c).Send(8, 1) })
		To(c).Send(9, 2)
		for i := range 100 {
			To(a).Send(4, i)
			Recv(5, b)
		}
		panic(Panic(6, "after all rounds"))
	}
	for steps, cut := range map[int]bool{100: true, 1000: false} {
		cfg := Config{Bubble: bubble(t), Main: program, Entry: EntryTest, EndSite: endSite, Plan: Plan{MaxSteps: steps}}
		seen := exhaust(t, Exhaustion{Config: cfg}, func(res Result) string { return res.Outcome.Kind })
		require.Greater(t, seen.out.Runs, 1)
		require.Equal(t, cut, seen.out.Limited == seen.out.Runs)
		require.Equal(t, cut, seen.out.Limited > 0)
		require.Equal(t, cut, slices.Contains(seen.out.Bounds, "runs that were cut off"), "%v", seen.out.Bounds)
		require.Equal(t, !cut, seen.seen[KindPanic])
	}
}

// families are kinds of operations that belong together: programs of few kinds come
// sooner to what is special about two of them.
var families = [][]string{
	{"send", "recv", "close"},
	{"send", "recv", "select", "close"},
	{"send", "select recv", "close"},
	{"send", "recv", "poll", "try send", "close"},
	{"select", "select recv", "poll", "try send", "recv", "send"},
	{"lock", "unlock", "try lock"},
	{"rlock", "runlock", "wlock", "wunlock", "try rlock", "try wlock"},
	{"lock", "try lock", "any unlock"},
	{"rlock", "runlock", "wlock", "any runlock", "any wunlock", "try wlock"},
	{"add", "done", "wait"},
	{"once", "send", "recv"},
	{"lock", "unlock", "cond wait", "signal", "broadcast"},
	{"store", "load", "cas"},
	{"send", "recv", "len"},
	{"send", "recv", "select", "try send", "poll", "close", "len"},
}

// withCounts are also those which programs of a seed, of which goldens are kept, are not of, and those whose order
// recordings do not have as runs do.
var withCounts = append(slices.Clone(families), []string{"count", "load", "store", "cas"})

// special are programs for what random ones seldom show.
var special = []testProgram{
	{"a context, cancelled and waited for", EntryTest, func() {
		ctx, cancel := context.WithCancel(context.Background())
		c := make(chan int, 1)
		Go(1, func() {
			Access(2)
			m := Lib(0)
			cancel()
			Back(m)
		})
		Go(3, func() { To(c).Send(4, 1) })
		d, r := R(ctx.Done()), R(c)
		if Select(5, false, d, r) == 1 {
			Access(6)
			m := Lib(0)
			err := ctx.Err()
			Back(m)
			if err != nil {
				panic(Panic(7, "received, and cancelled"))
			}
		}
	}, nil},
	{"the length of a channel of which somebody receives", EntryTest, func() {
		c := make(chan int, 1)
		To(c).Send(1, 1)
		Go(2, func() { Recv(3, c) })
		Access(4) // plain enumeration does not stop at lengths
		if len(Measured(5, c)) == 0 {
			panic(Panic(6, "empty"))
		}
	}, nil},
	{"goroutines counted beside one that starts another", EntryTest, func() {
		c := make(chan int)
		Go(1, func() {
			Go(2, func() { Recv(3, c) })
			Recv(4, c)
		})
		if Goroutines(5).Count() == 3 {
			panic(Panic(6, "three"))
		}
		Close(7, c)
	}, nil},
	{"goroutines counted beside one that ends", EntryTest, func() {
		Go(1, func() {})
		if Goroutines(2).Count() == 1 {
			panic(Panic(3, "alone"))
		}
	}, nil},
	{"a receive that comes too late for who polls", EntryTest, func() {
		c := make(chan int)
		Go(1, func() { Recv2(2, c) })
		if Select(3, true, To(c).Case(1)) == 0 {
			panic(Panic(4, "received"))
		}
		Close(5, c)
	}, nil},
	{"a close that comes too late for who sends", EntryTest, func() {
		c := make(chan int)
		Go(1, func() { To(c).Send(2, 1) })
		Go(3, func() { Close(4, c) })
		Go(5, func() { Recv(6, c) })
	}, nil},
	{"a poll that a select could have met", EntryTest, func() {
		c, d := make(chan int), make(chan int, 1)
		Go(1, func() {
			r, q := R(c), R(d)
			Select(2, false, r, q)
		})
		if Select(3, true, To(c).Case(1)) == 0 {
			panic(Panic(4, "met"))
		}
		To(d).Send(5, 1)
	}, nil},
	{"a poll that meets a select before there is room for what that sends", EntryTest, func() {
		c, d := make(chan int, 1), make(chan int)
		Go(1, func() {
			r := R(d)
			Select(2, false, r, To(c).Case(1))
		})
		Go(3, func() {
			if Select(4, true, To(d).Case(1)) == 0 {
				panic(Panic(5, "met"))
			}
		})
		To(c).Send(6, 1)
		Recv(7, c)
	}, nil},
	{"a poll that meets a select before there is something to receive", EntryTest, func() {
		c, d := make(chan int, 1), make(chan int)
		Go(1, func() {
			r, q := R(d), R(c)
			Select(2, false, r, q)
		})
		To(c).Send(3, 1)
		if Select(4, true, To(d).Case(1)) == 0 {
			panic(Panic(5, "met after the send"))
		}
	}, nil},
	{"a poll that meets a select before a sender comes", EntryTest, func() {
		c, d := make(chan int), make(chan int)
		Go(1, func() {
			r, q := R(d), R(c)
			Select(2, false, r, q)
		})
		Go(3, func() { To(c).Send(4, 1) })
		if Select(5, true, To(d).Case(1)) == 0 {
			panic(Panic(6, "met"))
		}
	}, nil},
	{"who receives the last value", EntryTest, func() {
		c := make(chan int, 1)
		To(c).Send(1, 1)
		Close(2, c)
		Go(3, func() {
			if _, ok := Recv2(4, c); !ok {
				panic(Panic(5, "closed"))
			}
		})
		Recv(6, c)
	}, nil},
	{"a context that two look at", EntryTest, func() {
		ctx, cancel := context.WithCancel(context.Background())
		Go(1, func() {
			Access(2)
			m := Lib(0)
			cancel()
			Back(m)
		})
		Access(3)
		m := Lib(0)
		err := ctx.Err()
		Back(m)
		if err != nil {
			panic(Panic(4, "cancelled"))
		}
	}, nil},
	{"a context that is polled", EntryTest, func() {
		ctx, cancel := context.WithCancel(context.Background())
		Go(1, func() {
			Access(2)
			m := Lib(0)
			cancel()
			Back(m)
		})
		if Select(3, true, R(ctx.Done())) == 0 {
			panic(Panic(4, "cancelled"))
		}
	}, nil},
	{"two that unlock for a third", EntryTest, func() {
		var mu sync.Mutex
		Lock(1, &mu)
		Go(2, func() { Unlock(3, &mu) })
		if !TryLock(4, &mu) {
			Unlock(5, &mu)
		}
	}, nil},
	{"a reader that another one waits for in vain", EntryTest, func() {
		var mu sync.RWMutex
		c := make(chan int)
		RLock(1, &mu)
		Go(2, func() {
			if TryWLock(3, &mu) {
				panic(Panic(4, "free"))
			}
		})
		Go(5, func() { To(c).Send(6, 1) })
		Recv(7, c)
		RUnlock(8, &mu)
	}, nil},
	{"two that unlock what a third has locked", EntryTest, func() {
		var mu sync.Mutex
		Lock(1, &mu)
		Go(2, func() { Unlock(3, &mu) })
		Go(4, func() { Unlock(5, &mu) })
	}, nil},
	{"a test that ends beside one that logs", EntryTest, func() {
		Go(1, func() { Failing(2, 0) })
	}, nil},
	{"parallel subtests", EntryTest, func() {
		var mu sync.Mutex
		n := 0
		for i := range 2 {
			Subtest(Site(10*(i+1)), func() {
				Parallel(Site(10*(i+1)+1), nil)
				Lock(Site(10*(i+1)+2), &mu)
				n = 2*n + i
				if n == 2 {
					panic(Panic(5, n))
				}
				Unlock(Site(10*(i+1)+3), &mu)
			})
		}
	}, nil},
}

// lateDeadlines are programs that panic only where a goroutine is slow to set its timer, so
// that it is behind one that another goroutine has set before. Whichever goroutine is run
// first, one of them needs the other order.
var lateDeadlines = []testProgram{
	{"a deadline that is late", EntryTest, func() { late(false) }, []string{KindPanic}},
	{"a deadline that is late, of the other goroutine", EntryTest, func() { late(true) }, []string{KindPanic}},
}

// late has sites beyond those of accessGuards.
func late(other bool) {
	ready, fired := make(chan int, 1), make(chan int, 1)
	long := func() {
		t := time.NewTimer(Due(101, 3*time.Second))
		Recv(102, ready)
		if Select(111, true, R(t.C)) >= 0 { // it has fired before the other one was set, perhaps
			To(fired).Send(112, 0)
			return
		}
		Recv(103, t.C)
		To(fired).Send(104, 1)
	}
	short := func() {
		t := time.NewTimer(Due(105, 2*time.Second))
		To(ready).Send(106, 1)
		if Recv(107, fired) == 1 && Select(108, true, R(t.C)) < 0 {
			panic(Panic(109, "not yet"))
		}
	}
	if other {
		long, short = short, long
	}
	Go(110, short)
	long()
}

// needs has, of each pair of kinds that depend on each other, a program that needs it: of the
// tables, or a random one, by the kinds of its operations and its seed. With -orc.needs the test
// looks for one of each pair that has none here, or another one than it needs.
var needs = map[[2]touchKind]string{
	{touchSend, touchSend}:            "a poll that meets a select before there is room for what that sends",
	{touchSend, touchClose}:           "[send recv close] 1",
	{touchSend, touchOfferRecv}:       "[send select recv close] 7",
	{touchRecv, touchRecv}:            "who receives the last value",
	{touchRecv, touchRecvClosed}:      "who receives the last value",
	{touchRecv, touchRecvQueued}:      "[once send recv] 1",
	{touchRecv, touchOfferSend}:       "[send recv poll try send close] 11",
	{touchRecvQueued, touchOfferSend}: "a receive that comes too late for who polls",
	{touchRecvClosed, touchOfferSend}: "a receive that comes too late for who polls",
	{touchFilled, touchOfferSend}:     "[select select recv poll try send recv send] 9",
	{touchTaken, touchOfferRecv}:      "panic through deferred operations, recovered or not",
	{touchOfferSend, touchOfferRecv}:  "a poll that a select could have met",
	{touchClose, touchFreed}:          "a close that comes too late for who sends",
	{touchClose, touchClose}:          "[send recv close] 1",
	{touchClose, touchOfferSend}:      "[send recv poll try send close] 19",
	{touchClose, touchOfferRecv}:      "[send select recv close] 12",
	{touchMeasured, touchSend}:        "[send recv len] 1",
	{touchMeasured, touchRecv}:        "the length of a channel of which somebody receives",
	{touchLock, touchLock}:            "two locks in opposite order",
	{touchLock, touchRLock}:           "recursive read lock and a writer",
	{touchTried, touchUnlock}:         "double unlock",
	{touchTried, touchRUnlock}:        "[rlock runlock wlock wunlock try rlock try wlock] 7",
	{touchForeignUnlock, touchLock}:   "[lock try lock any unlock] 0",
	{touchForeignUnlock, touchUnlock}: "two that unlock for a third",
	{touchAdd, touchWait}:             "[add done wait] 1",
	{touchOnceFirst, touchOnceLater}:  "[once send recv] 1",
	{touchRead, touchWrite}:           "a test that ends beside one that logs",
	{touchWrite, touchWrite}:          "[store load cas] 1",
	{touchAccumulate, touchRead}:      "[count load store cas] 13",
	{touchAccumulate, touchWrite}:     "[count load store cas] 6",
	{touchAny, touchAny}:              "[add done wait] 6",
	{touchLibrary, touchLibrary}:      "a context that two look at",
	{touchLibrary, touchLibrarySee}:   "a context that is polled",
	{touchSet, touchSet}:              "a deadline that is late, of the other goroutine",
	{touchPassed, touchDue}:           "a sleep that begins before time passes",
	{touchPassed, touchLibrary}:       "passing 44",
	{touchPassed, touchLibrarySee}:    "passing 3",
	{touchCounted, touchBorn}:         "goroutines counted beside one that starts another",
	{touchCounted, touchOver}:         "goroutines counted beside one that ends",
	{touchLock, touchTryFailed}:       "[lock unlock try lock] 0",
	{touchRLock, touchTryFailed}:      "[rlock runlock wlock wunlock try rlock try wlock] 7",
	{touchTryFailed, touchUnlock}:     "two that unlock for a third",
	{touchTryFailed, touchRUnlock}:    "a reader that another one waits for in vain",
}

// TestDependence: every pair of kinds that is said to depend on each other is needed.
// Without it an execution is lost that plain enumeration has, or, where time may pass at any moment, the exploration in which
// everything depends on that.
func TestDependence(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	RegisterCount()
	defer func() { program.counts = false }()
	type sample struct {
		name   string
		cfg    Config
		seen   func(Result) string
		limit  int      // of plain enumeration
		want   []string // of it, once it is done
		stalls int
	}
	var samples []*sample
	for _, p := range append(slices.Clone(special), programs...) {
		cfg := p.config(bubble(t))
		cfg.Races = true
		samples = append(samples, &sample{name: p.name, cfg: cfg, seen: func(res Result) string { return res.end() }, limit: 20_000})
	}
	for _, kinds := range withCounts {
		for seed := range uint64(20) {
			r := random(seed)
			p := newRandomProgram(&r, kinds)
			samples = append(samples, &sample{name: fmt.Sprint(kinds, seed), cfg: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, seen: p.seen, limit: 600})
		}
	}
	for seed := range uint64(50) {
		r := random(seed)
		p := newPassingProgram(&r)
		samples = append(samples, &sample{name: fmt.Sprint("passing ", seed), cfg: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, seen: p.seen, limit: 600, stalls: -1})
	}
	for _, p := range slices.Concat(lateDeadlines, beforeTime) { // which plain enumeration does not know of
		seen := func(res Result) string { return res.Verdict + " " + res.Outcome.Kind + " " + res.Outcome.Site }
		samples = append(samples, &sample{name: p.name, cfg: p.config(bubble(t)), seen: seen, want: []string{Completed + " " + KindPanic + " " + Site(109).key()}, stalls: -1})
	}
	lost := func(s *sample) bool {
		o := exhaust(t, Exhaustion{Config: s.cfg, Stalls: s.stalls, Accesses: accessGuards(s.name), Runs: 10_000}, s.seen)
		if len(o.out.Bounds) > 0 {
			return false
		}
		return slices.ContainsFunc(s.want, func(w string) bool {
			return !o.seen[w] && !(s.cfg.Entry == EntryMain && strings.HasPrefix(w, Completed+"\n\n"))
		})
	}
	// whole says whether all ends of a program are known, and are found with all dependences.
	whole := func(s *sample) bool {
		if s.want == nil {
			plain := outcomes{}
			if s.stalls == 0 {
				plain = enumerate(s.cfg, s.seen, s.limit)
			} else { // with everything depending on that time passes
				plain = exhaust(t, Exhaustion{Config: s.cfg, Stalls: s.stalls, Runs: s.limit, wholeTime: true}, s.seen)
			}
			if !plain.complete || plain.runs < 2 {
				return false
			}
			s.want = plain.sorted()
		}
		return !lost(s)
	}
	for _, p := range slices.Concat(pairs[:], oneWay[:]) {
		needed := func(s *sample) bool {
			if !whole(s) {
				return false
			}
			a, b := p[0], p[1]
			before, after := dependent[a][b], dependent[b][a]
			dependent[a][b], dependent[b][a] = false, false
			defer func() { dependent[a][b], dependent[b][a] = before, after }()
			return lost(s)
		}
		i := slices.IndexFunc(samples, func(s *sample) bool { return s.name == needs[p] })
		switch {
		case i >= 0 && needed(samples[i]):
			continue
		case !*exhaustNeeds:
			t.Errorf("%q does not need the dependence of %d and %d, or an end of it is lost", needs[p], p[0], p[1])
			continue
		}
		if i = slices.IndexFunc(samples, needed); i < 0 {
			t.Errorf("no program needs the dependence of %d and %d", p[0], p[1])
		} else {
			t.Logf("%d and %d: %q", p[0], p[1], samples[i].name)
		}
	}
	require.Len(t, needs, len(pairs)+len(oneWay))
}

// TestExhaustFrontier: what an exploration has seen bounds those that go on from it, also
// if they do not see it again.
func TestExhaustFrontier(t *testing.T) {
	e := Exhaustion{
		Config: Config{Bubble: bubble(t), Entry: EntryMain, EndSite: endSite, Main: func() {
			var word atomic.Int32
			Go(1, func() { storeWord(2, &word, 1) })
			if loadWord(3, &word) == 0 {
				Goroutines(0).Count()
			}
		}},
		Ran: func(int, Result) {}, Found: func(int, Result) {},
	}
	whole := Exhaust(e)
	require.True(t, whole.Complete)
	require.Equal(t, 2, whole.Runs)
	require.Len(t, whole.Bounds, 1)
	e.Runs = 1
	first := Exhaust(e)
	require.False(t, first.Complete)
	require.NotNil(t, first.Frontier)
	e.Frontier = first.Frontier
	second := Exhaust(e)
	require.True(t, second.Complete)
	require.Equal(t, whole.Bounds, second.Bounds)
}

// TestExhaustQueuedSelect: who comes late to a select has the choice between all who wait, also those who wait in a select of
// their own.
func TestExhaustQueuedSelect(t *testing.T) {
	seen := map[int]bool{}
	main := func() {
		x, y, z := make(chan int), make(chan int), make(chan int)
		Go(1, func() { Select(2, false, To(x).Case(1), To(z).Case(1)) })
		Go(3, func() { To(y).Send(4, 2) })
		Sleep(5, time.Second) // both wait by then
		i := Select(6, false, R(x), R(y))
		seen[i] = true
		if i == 0 {
			Recv(7, y)
		} else {
			Recv(8, x)
		}
	}
	e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main}}
	require.True(t, exhaust(t, e, func(res Result) string { return res.Outcome.Kind }).complete)
	require.Len(t, seen, 2)
}

// TestLooksApart: who looks at the same in calls that stand one after the other goes on, and who does so in a loop waits for a
// change, also where the loop has more than one call.
func TestLooksApart(t *testing.T) {
	var word atomic.Int32
	look := func() int32 { return Int32(1, 1, &word).Load() }
	for _, c := range []struct {
		name  string
		looks func() int32
		loops bool
		runs  int // one for each place of the store, and of each loop the last look
	}{
		{"one after the other", func() int32 { return look() + look() + look() + look() + look() + look() }, false, 7},
		{"loop", func() (n int32) {
			for look() == 0 {
				n++
			}
			return n
		}, true, 4},
		{"loop of two", func() (n int32) {
			for look() == 0 {
				if n++; look() != 0 {
					break
				}
			}
			return n
		}, true, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			sums := map[int32]bool{}
			out := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
				word.Store(0)
				Go(2, func() { Int32(3, 2, &word).Store(1) })
				sums[c.looks()] = true
			}}}, Result.end)
			require.True(t, out.complete)
			require.Equal(t, c.loops, len(out.out.Bounds) > 0, "%q", out.out.Bounds)
			require.Equal(t, c.runs, out.runs, "%v", sums)
		})
	}
}
