//go:build go1.25

package orcruntime

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var alikeScripts = flag.Int("orc.alike", 200, "random programs of TestExhaustAlike")

// alikeProgram is a random program in which goroutines are started at one site that do the
// same. Between the starts, before and behind them their parent may do something.
type alikeProgram struct {
	randomProgram
	n       int      // how many are alike
	between []action // what the parent does after the k-th start; yield is nothing
}

func newAlikeProgram(r *random, kinds []string) *alikeProgram {
	p := &alikeProgram{randomProgram: *newRandomProgram(r, kinds), n: 2 + r.next(2)}
	p.goros = p.goros[:2]
	if n := len(p.goros[1]); n > 3 {
		p.goros[1] = p.goros[1][:3]
	}
	if n := len(p.goros[0]); n > 2 {
		p.goros[0] = p.goros[0][:2]
	}
	between := kinds
	if r.next(3) > 0 {
		between = []string{"none"}
	}
	for range p.n {
		p.between = append(p.between, action{between[r.next(len(between))], r.next(2), r.next(2), r.next(5), false})
	}
	for range p.n - 1 {
		p.goros = append(p.goros, p.goros[1])
	}
	p.logs = make([]string, len(p.goros))
	return p
}

func (p *alikeProgram) main() {
	p.run(func(body func(log, i int), act func(Site, action)) {
		next := 0
		for k := range p.n {
			Go(11, Alike(func() {
				next++ // as they begin, which nobody sees
				body(next, 1)
			}, &next))
			act(Site(50+2*k), p.between[k])
		}
		body(0, 0)
	})
}

// seen is what goroutines have seen, whoever of those who are alike.
func (p *alikeProgram) seen(res Result) string {
	logs := slices.Clone(p.logs)
	if res.Outcome.endsProgram() {
		logs = nil // wherever the others are
	} else {
		slices.Sort(logs[1:])
	}
	return res.end() + "\n" + strings.Join(logs, "\n")
}

// TestExhaustAlike: to exchange goroutines that are alike loses nothing, and saves executions.
func TestExhaustAlike(t *testing.T) {
	var all, saved, plain, cut, programs, exact, apart int
	n := *alikeScripts
	if raceDetector || testing.Short() {
		n /= 10
	}
	for i := range n {
		r := random(uint64(*exhaustFrom + i))
		p := newAlikeProgram(&r, exhaustKinds)
		before := r
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
		whole := exhaust(t, Exhaustion{Config: cfg, distinct: true, Runs: 3000, Accesses: partsAccesses(&r)}, p.seen)
		if !whole.complete || len(whole.out.Bounds) > 0 {
			continue
		}
		programs++
		r = before
		o := exhaust(t, Exhaustion{Config: cfg, Accesses: partsAccesses(&r)}, p.seen)
		require.True(t, o.complete)
		what := fmt.Sprintf("seed %d: caps %v, %d of %v, %v between, main %v", *exhaustFrom+i, p.caps, p.n, p.goros[1], p.between, p.goros[0])
		require.Equal(t, whole.sorted(), o.sorted(), what)
		if o.misuse && !whole.misuse {
			apart++ // it has begun again, with more steps
			continue
		}
		require.LessOrEqual(t, o.runs, whole.runs, what)
		if e := enumerate(cfg, p.seen, 1000); e.complete {
			exact++
			require.Equal(t, e.sorted(), o.sorted(), what)
		}
		all, saved, plain, cut = all+whole.runs, saved+o.runs, plain+whole.out.Cut, cut+o.out.Cut
	}
	t.Logf("%d programs, %d compared with plain enumeration, %d begun again: %d executions of %d, %d cut instead of %d", programs, exact, apart, saved, all, cut, plain)
}

// TestAlike: goroutines are alike only if they were started with the same, one after the other, and what their parent has
// done between the starts tells them apart nowhere.
func TestAlike(t *testing.T) {
	type shared struct {
		mu    sync.Mutex
		wg    sync.WaitGroup
		n     atomic.Int32
		x     int
		first bool
	}
	locks := func(s *shared) { Lock(20, &s.mu); Unlock(21, &s.mu) }
	for _, c := range []struct {
		name  string
		start func(s *shared, k int)
		runs  int
		races bool
	}{
		{"same", func(s *shared, k int) { Go(11, Alike(func() { locks(s) }, s)) }, 1, false},
		{"not known", func(s *shared, k int) { Go(11, func() { locks(s) }) }, 6, false},
		{"of another function", func(s *shared, k int) { Alike(func() {}, s); Go(11, func() { locks(s) }) }, 6, false},
		{"other values", func(s *shared, k int) { Go(11, Alike(func() { locks(s) }, s, k)) }, 6, false},
		{"other slices", func(s *shared, k int) { Go(11, Alike(func() { locks(s) }, s, make([]int, 1))) }, 6, false},
		{"values that cannot be compared", func(s *shared, k int) {
			Go(11, Alike(func() { locks(s) }, s, struct{ f func() }{}))
		}, 6, false},
		{"other functions", func(s *shared, k int) { Go(11, Alike(func() { locks(s) }, func() int { return k })) }, 6, false},
		{"other sites", func(s *shared, k int) { Go(Site(11+k), Alike(func() { locks(s) }, s)) }, 6, false},
		{"counted before", func(s *shared, k int) {
			Add(10, &s.wg, 1)
			Go(11, Alike(func() { locks(s); Done(22, &s.wg) }, s))
		}, 1, false},
		{"counted by Go", func(s *shared, k int) { WGGo(11, &s.wg, Alike(func() { locks(s) }, s)) }, 1, false},
		{"something done between", func(s *shared, k int) {
			Int32(10, 0, &s.n).Add(1)
			Go(11, Alike(func() { locks(s) }, s))
		}, 6, false},
		{"who is first reads what others add", func(s *shared, k int) {
			Int32(10, 0, &s.n).Store(int32(k))
			Go(11, Alike(func() { Int32(23, 0, &s.n).Load() }, s))
		}, 6, false},
		{"the first one writes what was read between", func(s *shared, k int) {
			Rd(1, &s.x)
			Go(11, Alike(func() {
				Lock(20, &s.mu)
				if !s.first {
					s.first = true
					s.x = k
					Wr(2, &s.x)
				}
				Unlock(21, &s.mu)
			}, s))
		}, 6, true},
		{"what was read between stays", func(s *shared, k int) {
			Rd(1, &s.x)
			Go(11, Alike(func() { locks(s) }, s))
		}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Races: true, Main: func() {
				s := new(shared)
				for k := range 3 {
					c.start(s, k)
				}
			}}}, func(Result) string { return "" })
			require.True(t, o.complete)
			require.Equal(t, c.runs, o.runs)
			require.Equal(t, c.races, len(o.out.Races) > 0, "%v", o.out.Races)
		})
	}
	// Who waits before all is counted, and who does more than one Done, is to be looked at in small steps.
	for name, f := range map[string]func(s *shared){
		"waits":     func(s *shared) { Wait(20, &s.wg) },
		"two Dones": func(s *shared) { Done(20, &s.wg); Done(21, &s.wg) },
	} {
		out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			s := new(shared)
			for range 2 {
				Go(11, Alike(func() { f(s) }, s))
				Add(10, &s.wg, 2)
			}
		}}, Ran: func(int, Result) {}, Found: func(int, Result) {}})
		require.True(t, out.Misuse, name)
	}
}

// TestPartsAlike: an exploration with goroutines that are alike is the same in parts.
func TestPartsAlike(t *testing.T) {
	programs := 0
	for i := range *alikeScripts / 10 {
		r := random(uint64(*exhaustFrom + i))
		p := newAlikeProgram(&r, exhaustKinds)
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, Runs: 400, Stalls: r.next(2), Accesses: partsAccesses(&r)}
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
