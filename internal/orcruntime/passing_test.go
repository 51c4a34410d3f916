//go:build go1.25

package orcruntime

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var passingScripts = flag.Int("orc.passing", 40, "random programs of which TestExhaustPassing compares explorations")

// passingKinds are what goroutines of a passing program do: with what waits for time, and with what has nothing to do with
// it.
var passingKinds = []string{
	"lock", "lock", "lock", "send", "recv", "select timer", "select done", "select tick", "poll timer", "poll done", "poll tick",
	"sleep", "stop", "reset", "cancel", "err", "after", "close", "go", "stop tick", "arm", "poll own", "select own",
}

// passingAction is something that a goroutine does: with channel or mutex of, and for d units.
type passingAction struct {
	kind  string
	of, d int
}

// passingProgram is a program of goroutines that wait for time, and for each other.
type passingProgram struct {
	goros            [][]passingAction
	alike            bool // two goroutines do what the last list says
	room, timer, end int  // of the channels; when the timer fires and the context ends
	tick             int  // 0: there is no ticker
	// logs are what goroutines have seen that do what a list says, in the order in which they have begun.
	logs [][]*string
}

func newPassingProgram(r *random) *passingProgram {
	p := &passingProgram{room: r.next(2), timer: 1 + r.next(3), end: 1 + r.next(3), tick: r.next(3), alike: r.next(4) == 0}
	kinds := slices.DeleteFunc(slices.Clone(passingKinds), func(k string) bool { return p.tick == 0 && strings.HasSuffix(k, "tick") })
	for range 2 + r.next(5)/4 {
		var list []passingAction
		for range 1 + r.next(3) {
			list = append(list, passingAction{kinds[r.next(len(kinds))], r.next(2), 1 + r.next(3)})
		}
		p.goros = append(p.goros, list)
	}
	return p
}

// main is the program. What a goroutine has seen is in its log: among others how often a mutex was locked before.
func (p *passingProgram) main() {
	p.logs = make([][]*string, len(p.goros))
	library := func(site Site, f func()) {
		m := Lib(site)
		f()
		Back(m)
	}
	var mus [2]sync.Mutex
	var locked [2]int
	lock := func(site Site, of int) int {
		Lock(site, &mus[of])
		locked[of]++
		n := locked[of]
		Unlock(site+1, &mus[of])
		return n
	}
	timer := time.NewTimer(Due(1, time.Duration(p.timer)*timedUnit))
	var tick *time.Ticker
	if p.tick > 0 {
		tick = NewTicker(2, time.Duration(p.tick)*timedUnit)
	}
	var ctx context.Context
	var cancel func()
	library(3, func() {
		ctx, cancel = context.WithTimeout(context.Background(), Due(4, time.Duration(p.end)*timedUnit))
	})
	chans := [2]chan int{make(chan int, p.room), make(chan int, p.room)}
	body := func(i int) {
		own, log := timer, new(string)
		p.logs[i] = append(p.logs[i], log)
		for k, x := range p.goros[i] {
			site := Site(100*(i+1) + 4*k)
			d := time.Duration(x.d) * timedUnit
			var result any
			on := func() Case {
				switch _, what, _ := strings.Cut(x.kind, " "); what {
				case "timer":
					return R(timer.C)
				case "tick":
					return R(tick.C)
				case "own":
					return R(own.C)
				}
				return R(ctx.Done())
			}
			switch first, _, _ := strings.Cut(x.kind, " "); first {
			case "lock":
				result = lock(site, x.of)
			case "send":
				To(chans[x.of]).Send(site, i)
			case "recv":
				result = Recv(site, chans[x.of])
			case "close":
				Close(site, chans[x.of])
			case "select":
				result = Select(site, false, R(chans[x.of]), on())
			case "poll":
				result = Select(site, true, on())
			case "sleep":
				Sleep(site, d)
			case "stop":
				if x.kind == "stop" {
					library(site, func() { result = Timer(site, timer).Stop() })
				} else {
					library(site, func() { Ticker(site, tick).Stop() })
				}
			case "reset":
				library(site, func() { result = Timer(site, timer).Reset(d) })
			case "cancel":
				library(site, cancel)
			case "err":
				library(site, func() { result = ctx.Err() })
			case "arm":
				own = time.NewTimer(Due(site, d))
			case "after":
				library(site, func() { AfterFunc(site, d, func() { lock(site+2, x.of) }) })
			case "go":
				Go(site, func() { lock(site+2, x.of) })
			}
			*log += fmt.Sprintf("%s %v, ", x.kind, result)
		}
	}
	for i := 1; i < len(p.goros); i++ {
		times := 1
		if p.alike && i == len(p.goros)-1 {
			times = 2
		}
		for range times {
			Go(Site(10+i), Alike(func() { body(i) }, i))
		}
	}
	body(0)
}

func (p *passingProgram) seen(res Result) string {
	var all []string
	for i, of := range p.logs {
		var logs []string
		for _, log := range of {
			logs = append(logs, *log)
		}
		slices.Sort(logs)
		if all = append(all, fmt.Sprint(logs)); !res.Outcome.endsProgram() {
			continue
		}
		if g, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(res.Outcome.G, "0"), ".")); g == i && !(p.alike && i == len(p.goros)-1) {
			return fmt.Sprint(logs, res.end()) // wherever the others are
		}
	}
	if res.Outcome.endsProgram() {
		return res.end()
	}
	return fmt.Sprint(all, res.end())
}

// beforeTime are programs in which something is done after which time passes to another event than before. It comes when all
// that begins with the passing of time has been explored: the exploration must see that it is another event, or it loses the
// panic.
var beforeTime = []testProgram{
	{"a sleep that begins before time passes", EntryTest, func() {
		changesTime(func() bool { Sleep(105, time.Second); return true })
	}, []string{KindPanic}},
	{"a timer that is set before time passes", EntryTest, func() {
		changesTime(func() bool {
			t := time.NewTimer(Due(105, time.Second))
			return Select(106, true, R(t.C)) == 0
		})
	}, []string{KindPanic}},
	{"a look for a tick before time passes", EntryTest, func() {
		tick := NewTicker(114, time.Second)
		changesTime(func() bool { return Select(106, true, R(tick.C)) == 0 })
	}, []string{KindPanic}},
	{"who waits for a tick no more before time passes", EntryTest, func() {
		tick := NewTicker(114, time.Second)
		c, d, ready, taken := make(chan int, 1), make(chan int, 1), make(chan int), make(chan int, 1)
		long := time.NewTimer(Due(101, 3*time.Second))
		c2 := make(chan int)
		Go(116, func() { To(taken).Send(118, Select(117, false, R(c2), R(tick.C))) })
		Go(123, func() { To(ready).Send(124, 0) })
		Recv(125, ready)
		Go(110, func() {
			if Select(103, true, R(d)) < 0 {
				To(c).Send(104, 1)
				To(c2).Send(105, 1)
			}
		})
		if Select(111, true, R(c), R(long.C)) == 1 && Recv(112, taken) == 0 {
			panic(Panic(109, "the long one came first"))
		}
		To(d).Send(113, 1)
	}, []string{KindPanic}},
}

// changesTime is a program that panics if what change does has come, in time, to what it reports, while a long timer is
// pending and before somebody else looks. It is done only if first somebody has found nothing in another channel.
func changesTime(change func() bool) {
	c, d := make(chan int, 1), make(chan int, 1)
	long := time.NewTimer(Due(101, 3*time.Second))
	Go(110, func() {
		if Select(103, true, R(d)) == 0 {
			return
		}
		To(c).Send(104, 1)
		if change() {
			Recv(107, c)
			To(c).Send(108, 2)
		}
	})
	r := R(c)
	if Select(111, true, r, R(long.C)) == 0 && r.V == 2 && Select(113, true, R(long.C)) < 0 {
		panic(Panic(109, "there was time"))
	}
	To(d).Send(112, 1)
}

// TestBeforeTime: what is done before time passes may have it pass to another event.
func TestBeforeTime(t *testing.T) {
	for _, p := range slices.Concat(beforeTime, lateDeadlines) {
		o := exhaust(t, Exhaustion{Config: p.config(bubble(t)), Stalls: -1}, func(res Result) string { return res.Outcome.Kind })
		require.True(t, o.complete, p.name)
		require.True(t, o.seen[KindPanic], "%s: %v", p.name, o.sorted())
	}
}

// TestPassingCounts: programs in which time passes have the executions that the table of dependences gives them.
func TestPassingCounts(t *testing.T) {
	locks := func(site Site) {
		var mu sync.Mutex
		for range 3 {
			Lock(site, &mu)
			Unlock(site+1, &mu)
		}
	}
	for _, c := range []struct {
		name string
		main func()
		runs int
	}{
		// It comes before main returns, or behind it.
		{"a timeout beside what has nothing to do with it", func() {
			time.NewTimer(Due(1, time.Second))
			var wg sync.WaitGroup
			Add(2, &wg, 2)
			for k := range 2 {
				Go(3, func() {
					locks(Site(10 + 2*k))
					Done(4, &wg)
				})
			}
			Wait(5, &wg)
		}, 2},
		// One or the other is first to lock.
		{"two that wake one after the other", func() {
			var mu sync.Mutex
			c := make(chan int)
			Go(1, func() {
				Sleep(2, time.Second)
				Lock(3, &mu)
				Unlock(4, &mu)
				Close(5, c)
			})
			locks(10)
			Lock(6, &mu)
			Unlock(7, &mu)
			Recv(8, c)
		}, 2},
	} {
		o := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryMain, EndSite: endSite, Main: c.main}, Stalls: -1}, Result.end)
		require.True(t, o.complete, c.name)
		require.Equal(t, c.runs, o.runs, c.name)
		require.Zero(t, o.out.Cut, c.name)
	}
}

// TestPartsPassing: an exploration of such a program is the same in parts.
func TestPartsPassing(t *testing.T) {
	programs := 0
	for i := range *passingScripts / 10 {
		r := random(uint64(*exhaustFrom + i))
		p := newPassingProgram(&r)
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, Runs: 400, Stalls: -1}
		whole := alone(t, e)
		if whole.sum.Runs < 6 {
			continue
		}
		programs++
		for range 2 {
			how := split{begin: 1 + r.next(5), processes: 1 + r.next(5), chunk: 1 + r.next(10)}
			got, _, _ := apart(t, e, how, &r)
			requireSame(t, whole, got, fmt.Sprintf("program %d: %+v", i, how))
		}
	}
	require.Positive(t, programs)
}

// TestExhaustPassing: that time passes commutes with steps that have nothing to do with it: random programs can come to the
// same as if everything depended on it.
func TestExhaustPassing(t *testing.T) {
	compared, whole, commuting, cut := 0, 0, 0, 0
	scripts := *passingScripts
	if raceDetector || testing.Short() { // it looks for races of the search itself
		scripts /= 10
	}
	for i := range scripts {
		r := random(uint64(*exhaustFrom + i))
		p := newPassingProgram(&r)
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, Stalls: -1, Runs: 600}
		got := exhaust(t, e, p.seen)
		e.wholeTime, e.distinct = true, true
		want := exhaust(t, e, p.seen)
		if !want.complete {
			continue
		}
		about := fmt.Sprintf("program %d: %+v", i, p.goros)
		require.True(t, got.complete, about)
		require.Equal(t, want.sorted(), got.sorted(), about)
		require.Equal(t, want.out.Bounds, got.out.Bounds, about)
		compared++
		whole, commuting, cut = whole+want.runs, commuting+got.runs, cut+got.out.Cut
	}
	t.Logf("%d of %d programs: %d executions of %d, %d cut", compared, scripts, commuting, whole, cut)
	require.Greater(t, compared, scripts/4)
	require.Less(t, commuting, whole)
}
