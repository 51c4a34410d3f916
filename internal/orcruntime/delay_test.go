//go:build go1.25

package orcruntime

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var timedScripts = flag.Int("orc.timed", 26, "random programs with timers that TestExhaustTimed explores")

// timedKinds are what goroutines of a timed program do. Timers are shared, but for the own one
// that a goroutine sets by "arm". "put" and "look" send to and poll a channel with room.
var timedKinds = []string{"sleep", "poll", "poll", "recv", "stop", "reset", "arm", "poll own", "recv own", "poll own", "stop own", "put", "look"}

// unsharedKinds are those of programs without shared timers.
var unsharedKinds = []string{"sleep", "arm", "arm", "poll own", "recv own", "stop own", "put", "look"}

// readingKinds are those of programs that read the clock: "mark" keeps what it shows, "since"
// looks whether a duration has passed since then, "stamp" counts who has read it before.
var readingKinds = []string{"sleep", "arm", "poll own", "put", "look", "mark", "since", "since", "since", "stamp"}

// timedUnit is the unit of durations. In the simulation it has timedTicks instants.
const (
	timedUnit  = time.Millisecond
	timedTicks = 6
)

// timedAction is something that a goroutine does: with timer of, and for d units.
type timedAction struct {
	kind  string
	of, d int
}

// timedProgram is a program of goroutines that use timers.
type timedProgram struct {
	first []int // durations of the timers that all share, which are set at the beginning
	goros [][]timedAction
	logs  []string
	reads bool // the program reads the clock
}

func newTimedProgram(r *random) *timedProgram {
	p := &timedProgram{}
	kinds := timedKinds
	for range r.next(3) {
		p.first = append(p.first, 1+r.next(3))
	}
	if len(p.first) == 0 {
		kinds = unsharedKinds
	}
	for range 1 + r.next(2) {
		var list []timedAction
		for range 1 + r.next(4) {
			list = append(list, timedAction{kinds[r.next(len(kinds))], r.next(max(len(p.first), 1)), 1 + r.next(3)})
		}
		p.goros = append(p.goros, list)
	}
	p.logs = make([]string, len(p.goros))
	return p
}

// newReadingProgram is a random program that reads the clock.
func newReadingProgram(r *random) *timedProgram {
	p := &timedProgram{reads: true}
	for range 1 + r.next(2) {
		var list []timedAction
		for range 1 + r.next(4) {
			list = append(list, timedAction{kind: readingKinds[r.next(len(readingKinds))], d: 1 + r.next(3)})
		}
		p.goros = append(p.goros, list)
	}
	p.logs = make([]string, len(p.goros))
	return p
}

// main is the program.
func (p *timedProgram) main() {
	clear(p.logs)
	var start time.Time
	if p.reads {
		start = Clock(20).Now()
	}
	stamps := 0
	var timers []*time.Timer
	for i, d := range p.first {
		timers = append(timers, time.NewTimer(Due(Site(5+i), time.Duration(d)*timedUnit)))
	}
	var wg sync.WaitGroup
	c := make(chan int, 8)
	body := func(i int) {
		var own *time.Timer
		mark := start
		for k, x := range p.goros[i] {
			site := Site(100*(i+1) + 2*k)
			d := time.Duration(x.d) * timedUnit
			t := own
			if x.of < len(timers) && !strings.HasSuffix(x.kind, "own") {
				t = timers[x.of]
			}
			result := ""
			switch x.kind {
			case "sleep":
				Sleep(site, d)
			case "arm":
				own = time.NewTimer(Due(site, d))
			case "mark":
				mark = Clock(site).Now()
			case "since":
				result = fmt.Sprint(Compared(Clock(site).Since(mark), d) > 0)
			case "stamp":
				Clock(site).Now()
				result = fmt.Sprint(stamps)
				stamps++
			case "put":
				To(c).Send(site, 1)
			case "look":
				r := R(c)
				result = fmt.Sprint(Select(site, true, r), r.OK)
			default:
				if t == nil {
					continue
				}
				switch strings.Fields(x.kind)[0] {
				case "poll":
					r := R(t.C)
					result = fmt.Sprint(Select(site, true, r), r.OK)
				case "recv":
					Recv(site, t.C)
				case "stop":
					m := Lib(site)
					result = fmt.Sprint(Timer(site, t).Stop())
					Back(m)
				case "reset":
					m := Lib(site)
					result = fmt.Sprint(Timer(site, t).Reset(d))
					Back(m)
				}
			}
			p.logs[i] += x.kind + "(" + result + ") "
		}
		p.logs[i] += "end"
	}
	for i := 1; i < len(p.goros); i++ {
		Add(1, &wg, 1)
		Go(Site(10+i), func() {
			body(i)
			Done(2, &wg)
		})
	}
	body(0)
	Wait(3, &wg)
}

func (p *timedProgram) seen(Result) string { return strings.Join(p.logs, " | ") }

// timedState is a state of the simulation: of the timers, first those that are shared, then
// one of each goroutine, how many instants are left, -1 if it is not set, and whether its
// value is there; of each goroutine what is next, and how long it sleeps, -1 if it does not.
type timedState struct {
	left  [4]int8
	value [4]bool
	made  [4]bool
	pc    [2]int8
	put   int8 // values in the channel
	sleep [2]int8
	// since is for how long what the clock has shown is kept, up to sinceMost, and stamps are
	// how many have read it.
	since  [2]int8
	stamps int8
	logs   [2]string
}

// sinceMost is longer than all durations.
const sinceMost = 3*timedTicks + 1

// simulated is what goroutines can see by the meaning of timers: any time passes before each
// step of a goroutine. It shares nothing with the runtime.
func (p *timedProgram) simulated() map[string]bool {
	shared := len(p.first)
	s := timedState{left: [4]int8{-1, -1, -1, -1}, sleep: [2]int8{-1, -1}}
	var starts []timedState
	var begin func(s timedState, i int)
	begin = func(s timedState, i int) { // time may pass between the first timers, too
		if i == shared {
			starts = append(starts, s)
			return
		}
		s.left[i], s.made[i] = int8(p.first[i]*timedTicks), true
		begin(s, i+1)
		if i+1 < shared {
			for {
				var ok bool
				if s, ok = s.tick(); !ok {
					return
				}
				begin(s, i+1)
			}
		}
	}
	begin(s, 0)
	known := map[timedState]bool{}
	ends := map[string]bool{}
	todo := starts
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if known[s] {
			continue
		}
		known[s] = true
		stuck := true
		if t, ok := s.tick(); ok || p.reads && t != s {
			stuck = false
			todo = append(todo, t)
		}
		for i := range p.goros {
			if t, ok := p.step(s, i); ok {
				stuck = false
				todo = append(todo, t)
			}
		}
		if stuck {
			ends[strings.Join(s.logs[:len(p.goros)], " | ")] = true
		}
	}
	return ends
}

// tick lets one instant pass, if anybody waits for it.
func (s timedState) tick() (timedState, bool) {
	some := false
	for i, n := range s.left {
		if n > 0 {
			some = true
			if s.left[i]--; n == 1 {
				s.left[i], s.value[i] = -1, true
			}
		}
	}
	for i, n := range s.sleep {
		if n > 0 {
			some = true
			if s.sleep[i]--; n == 1 {
				s.sleep[i] = -1
			}
		}
	}
	for i := range s.since {
		s.since[i] = min(s.since[i]+1, sinceMost)
	}
	return s, some
}

// step is what goroutine i does next, if it can.
func (p *timedProgram) step(s timedState, i int) (timedState, bool) {
	if s.sleep[i] > 0 || int(s.pc[i]) > len(p.goros[i]) {
		return s, false
	}
	if int(s.pc[i]) == len(p.goros[i]) {
		s.pc[i]++
		s.logs[i] += "end"
		return s, true
	}
	x := p.goros[i][s.pc[i]]
	// What a sleep has to say is said when it is over.
	if x.kind == "sleep" && s.sleep[i] == -1 {
		s.sleep[i] = int8(x.d * timedTicks)
		s.pc[i]++
		s.logs[i] += "sleep() "
		return s, true
	}
	switch x.kind {
	case "mark":
		s.since[i] = 0
		s.pc[i]++
		s.logs[i] += "mark() "
		return s, true
	case "since":
		s.pc[i]++
		s.logs[i] += fmt.Sprintf("since(%v) ", int(s.since[i]) >= x.d*timedTicks)
		return s, true
	case "stamp":
		s.pc[i]++
		s.logs[i] += fmt.Sprintf("stamp(%d) ", s.stamps)
		s.stamps++
		return s, true
	case "put":
		s.put++
		s.pc[i]++
		s.logs[i] += "put() "
		return s, true
	case "look":
		s.pc[i]++
		if s.put == 0 {
			s.logs[i] += "look(-1 false) "
			return s, true
		}
		s.put--
		s.logs[i] += "look(0 true) "
		return s, true
	}
	n := x.of
	if x.kind == "arm" || strings.HasSuffix(x.kind, "own") {
		n = len(p.first) + i
	}
	if x.kind != "arm" && !s.made[n] {
		s.pc[i]++
		return s, true
	}
	result := ""
	switch strings.Fields(x.kind)[0] {
	case "arm":
		s.left[n], s.value[n], s.made[n] = int8(x.d*timedTicks), false, true
	case "poll":
		result = "-1 false"
		if s.value[n] {
			result, s.value[n] = "0 true", false
		}
	case "recv":
		if !s.value[n] {
			return s, false
		}
		s.value[n] = false
	case "stop", "reset":
		result = fmt.Sprint(s.left[n] > 0 || s.value[n])
		s.left[n], s.value[n] = -1, false
		if x.kind == "reset" {
			s.left[n] = int8(x.d * timedTicks)
		}
	}
	s.pc[i]++
	s.logs[i] += x.kind + "(" + result + ") "
	return s, true
}

// TestExhaustTimed: what goroutines of random programs can see of timers, if time may pass
// at any moment, is what a simulation says that knows nothing of the runtime.
func TestExhaustTimed(t *testing.T) {
	inLong(t)
	n := *timedScripts
	exhaustTimed(t, newTimedProgram, n, 1237) // in which a sleep that begins later lets time pass before a step
}

// TestExhaustTimedLate: so it is, for every program that sets a timer beside one that is due
// at the same time and then does three things with them, also if the program has a reading
// of the clock somewhere: who goes on behind an event is a little late then.
func TestExhaustTimedLate(t *testing.T) {
	inLong(t)
	kinds := []string{"poll", "recv", "poll own", "recv own", "sleep"}
	var programs []*timedProgram
	for n := range len(kinds) * len(kinds) * len(kinds) {
		list := []timedAction{{kind: "arm", d: 1}}
		for range 3 {
			list = append(list, timedAction{kind: kinds[n%len(kinds)], d: 1})
			n /= len(kinds)
		}
		programs = append(programs, &timedProgram{first: []int{1}, goros: [][]timedAction{list}, logs: make([]string, 1)})
	}
	next := 0
	each := func(*random) *timedProgram {
		next++
		return programs[next-1]
	}
	exhaustTimed(t, each, len(programs))
	readsDurations(t)
	next = 0
	exhaustTimed(t, each, len(programs))
}

// TestExhaustReadings: so it is with what the clock shows.
func TestExhaustReadings(t *testing.T) {
	n := *timedScripts / 3
	if testing.Short() {
		n /= 2
	}
	readsDurations(t, timedUnit) // the others are noticed
	exhaustTimed(t, newReadingProgram, n)
}

// readsDurations makes a test one of a program that reads the clock and names durations.
func readsDurations(t *testing.T, list ...time.Duration) {
	t.Helper()
	program.Lock()
	defer program.Unlock()
	clock, named := program.clock, program.durations
	program.clock, program.durations = true, list
	t.Cleanup(func() {
		program.Lock()
		defer program.Unlock()
		program.clock, program.durations = clock, named
	})
}

// exhaustTimed compares the explorations of random programs, the first n and those of more
// seeds, with their simulations.
func exhaustTimed(t *testing.T, program func(*random) *timedProgram, n int, seeds ...uint64) {
	for seed := range uint64(n) {
		seeds = append(seeds, seed)
	}
	runs, ends := 0, 0
	for _, seed := range seeds {
		r := random(seed)
		p := program(&r)
		want := p.simulated()
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
		o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, p.seen)
		about := fmt.Sprintf("seed %d: first %v %+v", seed, p.first, p.goros)
		for len(o.out.Durations) > 0 {
			for _, d := range o.out.Durations {
				require.Contains(t, []time.Duration{2 * timedUnit, 3 * timedUnit}, d, about)
			}
			cfg.Durations = union(cfg.Durations, o.out.Durations)
			o = exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, p.seen)
		}
		require.True(t, o.complete)
		require.Empty(t, o.out.Bounds)
		for s := range want {
			require.True(t, o.seen[s], "%s: no schedule shows %q, of %d; others %q", about, s, o.runs, o.sorted())
		}
		for s := range o.seen {
			require.True(t, want[s], "%s: no clock allows %q", about, s)
		}
		runs, ends = runs+o.runs, ends+len(want)
	}
	t.Logf("%d programs: %d executions, %d ends", len(seeds), runs, ends)
	require.Greater(t, ends, len(seeds))
}

// TestExhaustBubble: in a bubble of the program time is exact: nobody is late with a deadline there, as somebody may be outside.
func TestExhaustBubble(t *testing.T) {
	for _, inside := range []bool{true, false} {
		main := func() {
			body := func() {
				long := time.NewTimer(Due(1, 2*timedUnit))
				short := time.NewTimer(Due(2, timedUnit)) // perhaps set when the other one is nearly due
				if Select(3, false, R(short.C), R(long.C)) == 1 {
					panic(Panic(4, "the long one came first"))
				}
			}
			Access(5)
			if inside {
				InBubble(body)
			} else {
				body()
			}
		}
		seen := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main}, Stalls: -1}, func(res Result) string { return res.Outcome.Kind })
		require.Equal(t, !inside, seen.seen[KindPanic], "%v", seen.sorted())
	}
}

// TestLateSetter: the steps of a model do not say who sets his deadline first. With one goroutine after the other late
// there is each order, and the run repeats.
func TestLateSetter(t *testing.T) {
	for _, c := range []struct {
		other bool // the goroutine of the short timer is the entry function
		steps string
		late  string // who has to be late
	}{
		{false, "0 #110, 0.1 #110.start, 0.1 #106, 0 #102, 0 #111/-, T, 0 #103, 0 #104, 0.1 #107, 0.1 #108/-", "0.1"},
		{true, "0 #110, 0.1 #110.start, 0 #106, 0.1 #102, 0.1 #111/-, T, 0.1 #103, 0.1 #104, 0 #107, 0 #108/-", "0"},
	} {
		for _, by := range []string{"", "0", "0.1"} {
			cfg := Config{
				Bubble: bubble(t), Main: func() { late(c.other) }, Entry: EntryTest, Record: true,
				Plan: Plan{Steps: steps(c.steps), Expect: Expect{Kind: KindPanic}, Late: by, Elastic: true},
			}
			res := Run(cfg)
			require.Equal(t, by == c.late, res.Verdict == Reproduced, "%v %q: %s", c.other, by, res)
			require.Equal(t, []string{"0", "0.1"}, res.Setters)
			if by == c.late {
				cfg.Plan = Plan{Steps: res.Trace, Choices: res.Choices, Expect: cfg.Plan.Expect}
				require.Equal(t, Reproduced, Run(cfg).Verdict, "%v", cfg.Plan)
			}
		}
	}
}
