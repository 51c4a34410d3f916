package orcruntime

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	partsScripts = flag.Int("orc.parts", 20, "random programs that TestPartsRandom explores in parts")
	partsFrom    = flag.Int("orc.partsfrom", 0, "seed of the first of them")
)

// ranRun is what an exploration has shown of one run.
type ranRun struct {
	end  string
	hash uint64
}

// history is all that an exploration has shown, in its order.
type history struct {
	runs  []ranRun
	plans map[string][]Step // of the first runs with an end
	sum   Exhausted
	rest  *Frontier
}

// watch has an exploration add to a history.
func (h *history) watch(e *Exhaustion) {
	h.plans = map[string][]Step{}
	e.Ran = func(_ int, res Result) { h.runs = append(h.runs, ranRun{res.end(), res.Hash}) }
	e.Found = func(_ int, res Result) {
		if _, known := h.plans[res.end()]; !known {
			h.plans[res.end()] = res.Trace
		}
	}
}

// add adds what came later.
func (h *history) add(out Exhausted, later *history) {
	h.runs = append(h.runs, later.runs...)
	for end, plan := range later.plans {
		if _, known := h.plans[end]; !known {
			h.plans[end] = plan
		}
	}
	h.count(out)
}

func (h *history) count(out Exhausted) {
	h.sum.Add(out)
	h.sum.Complete = false // rest says so
}

// alone explores in one go.
func alone(t *testing.T, e Exhaustion) *history {
	h := &history{}
	h.watch(&e)
	out := Exhaust(e)
	require.Empty(t, out.Left)
	h.count(out)
	h.rest = out.Frontier
	return h
}

// split says how an exploration is done in parts.
type split struct {
	begin     int // runs before that, 0: it begins with the frontier
	processes int
	chunk     int // runs of a task, at most
	fail      int // one of so many tasks comes to nothing, 0: none
}

// apart explores in parts, of which processes that are as fast as chance has it do several at
// once. Frontiers pass through their text, as they do between processes.
func apart(t *testing.T, e Exhaustion, how split, r *random) (h *history, tasks, discarded int) {
	h = &history{plans: map[string][]Step{}}
	rest := e.Frontier
	if how.begin > 0 {
		first := e
		first.Runs = how.begin
		if e.Runs > 0 {
			first.Runs = min(how.begin, e.Runs)
		}
		h.watch(&first)
		out := Exhaust(first)
		h.count(out)
		rest = out.Frontier
	}
	if rest == nil || e.Runs > 0 && h.sum.Runs >= e.Runs || e.Steps > 0 && h.sum.Steps >= e.Steps {
		h.rest = rest
		return h, 0, 0
	}
	p := NewParts(throughText(t, rest))
	if e.Runs > 0 {
		p.Runs = e.Runs - h.sum.Runs
	}
	if e.Steps > 0 {
		p.Steps = e.Steps - h.sum.Steps
	}
	p.Emit = func(out Exhausted, with any) { h.add(out, with.(*history)) }
	var busy []*Task
	for {
		busy = append(busy, p.Tasks(how.processes-len(busy))...)
		require.LessOrEqual(t, len(busy), how.processes)
		if len(busy) == 0 {
			break
		}
		i := r.next(len(busy))
		k := busy[i]
		busy = slices.Delete(busy, i, i+1)
		if tasks++; tasks > 20_000 {
			t.Fatal("it does not come to an end")
		}
		if how.fail > 0 && r.next(how.fail) == 0 {
			p.Done(k, nil, nil)
			continue
		}
		part, later := e, &history{}
		later.watch(&part)
		part.Frontier, part.Below, part.Runs, part.Steps = throughText(t, k.Frontier), k.Below, 1+r.next(how.chunk), k.Steps
		if k.Runs > 0 {
			part.Runs = min(part.Runs, k.Runs)
		}
		out := Exhaust(part)
		require.Empty(t, out.Left)
		if out.Frontier != nil {
			out.Frontier = throughText(t, out.Frontier)
		}
		p.Done(k, &out, later)
	}
	h.rest = p.Frontier()
	require.Equal(t, p.Complete(), h.rest == nil)
	return h, tasks, p.Discarded
}

func throughText(t *testing.T, f *Frontier) *Frontier {
	text, err := json.Marshal(f)
	require.NoError(t, err)
	out := new(Frontier)
	require.NoError(t, json.Unmarshal(text, out))
	return out
}

// requireSame: two explorations are the same in all that they say.
func requireSame(t *testing.T, want, got *history, name string) {
	t.Helper()
	require.Equal(t, want.runs, got.runs, name)
	require.Equal(t, want.plans, got.plans, name)
	w, g := want.sum, got.sum
	for _, s := range []*Exhausted{&w, &g} {
		for i := range s.Races { // addresses differ, as they do from run to run
			s.Races[i] = Race{First: RaceAccess{Site: s.Races[i].Places()}}
		}
	}
	require.Equal(t, w, g, name)
	if want.rest == nil || got.rest == nil {
		require.Equal(t, want.rest, got.rest, name)
		return
	}
	a, err := json.Marshal(want.rest)
	require.NoError(t, err)
	b, err := json.Marshal(got.rest)
	require.NoError(t, err)
	require.JSONEq(t, string(a), string(b), name)
}

// withoutAddress are kinds of operations that touch what has no address.
var withoutAddress = []string{"yield", "yield", "library", "send", "recv"}

// partsAccesses are statements that race.
func partsAccesses(r *random) (all []AccessGuard) {
	for site := range 600 {
		all = append(all, AccessGuard{Site: Site(site).key(), Group: 1 + r.next(2), Writes: r.next(2) == 0})
	}
	return all
}

// partsProgram is a program for TestPartsRandom: one of the families, or of all kinds, with
// more goroutines than there are elsewhere.
func partsProgram(seed int) (*randomProgram, string) {
	all := append([][]string{exhaustKinds, withoutAddress, withoutAddress}, families...)
	kinds := all[seed%len(all)]
	r := random(seed)
	p := newRandomProgram(&r, kinds)
	for range r.next(3) {
		var list []action
		for range 1 + r.next(3) {
			list = append(list, action{kinds[r.next(len(kinds))], r.next(2), r.next(2), r.next(5), false})
		}
		p.goros = append(p.goros, list)
	}
	p.logs = make([]string, len(p.goros))
	return p, fmt.Sprint(kinds, " ", seed)
}

// TestPartsRandom: an exploration in parts is the same as one in one go, wherever it is split,
// whoever is faster, and whatever comes to nothing: the same runs in the same order, the same
// that were cut, the same ends with the same plans, the same bounds, and where it is cut the
// same frontier.
func TestPartsRandom(t *testing.T) {
	n := *partsScripts
	if testing.Short() {
		n /= 20
	}
	var programs, runs, tasks, discarded, cuts int
	for i := range n {
		p, name := partsProgram(*partsFrom + i)
		r := random(*partsFrom + i)
		e := Exhaustion{
			Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, Runs: 600,
			Misuse: r.next(2) == 0, Stalls: r.next(2), Accesses: partsAccesses(&r),
		}
		whole := alone(t, e)
		if whole.sum.Runs < 8 {
			continue
		}
		programs++
		runs += whole.sum.Runs
		try := func(e Exhaustion, want *history) {
			how := split{begin: 1 + r.next(20), processes: 1 + r.next(5), chunk: 1 + r.next(40), fail: 0}
			if r.next(4) == 0 {
				how.fail = 2 + r.next(4)
			}
			got, k, d := apart(t, e, how, &r)
			tasks, discarded = tasks+k, discarded+d
			requireSame(t, want, got, fmt.Sprintf("%s %+v", name, how))
		}
		for range 3 {
			try(e, whole)
		}
		// With a bound.
		e.Runs = 1 + r.next(whole.sum.Runs)
		try(e, alone(t, e))
		e.Runs, e.Steps = 600, 1+r.next(whole.sum.Steps)
		want := alone(t, e)
		if want.rest != nil {
			cuts++
		}
		try(e, want)
	}
	t.Logf("%d programs, %d runs; %d tasks, %d discarded; %d cut", programs, runs, tasks, discarded, cuts)
	require.Positive(t, programs)
	require.Positive(t, discarded)
	require.Positive(t, cuts)
}

// TestPartsFamilies: in parts, too, each execution is run once.
func TestPartsFamilies(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	for _, f := range allFamilies {
		if f.count < 6 || f.count > 256 {
			continue
		}
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryMain, Main: func() { f.main(f.size) }}}
		r := random(1)
		got, tasks, _ := apart(t, e, split{begin: 2, processes: 3, chunk: 9}, &r)
		require.Positive(t, tasks, f.name)
		require.Equal(t, f.count, got.sum.Runs, f.name)
		requireSame(t, alone(t, e), got, f.name)
	}
}

// TestPartsOlder: the frontier of a version without wakeup trees can be gone on with in parts.
func TestPartsOlder(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	tasks := 0
	ofSomeSize(t, bySourceSets, func(name string, e Exhaustion, seen func(Result) string, _ outcomes) {
		e.Runs = 5
		first := bySourceSets(t, e, seen)
		require.False(t, first.complete)
		e.Runs, e.Frontier = 0, older(t, first.out.Frontier)
		want := alone(t, e)
		r := random(1)
		got, n, _ := apart(t, e, split{processes: 3, chunk: 10}, &r)
		tasks += n
		requireSame(t, want, got, name)
	})
	require.Greater(t, tasks, 50)
}

// TestPartsExact: guesses count only if the exploration would not have ended before, or said
// less.
func TestPartsExact(t *testing.T) {
	s := NewParts(&Frontier{Bounds: []string{"a"}})
	s.Runs, s.Steps = 10, 100
	guess := func(runs, steps int, before []string, more ...string) []result {
		return []result{{Exhausted{Runs: runs, Steps: steps, Bounds: slices.Concat(before, more)}, before, nil}}
	}
	known := []string{"a"}
	require.True(t, s.exact(guess(9, 99, known)))
	require.False(t, s.exact(guess(10, 99, known)), "it would have ended before executions that were cut")
	require.False(t, s.exact(guess(9, 100, known)), "it would have ended before")
	many := []string{"b", "c", "d", "e", "f", "g", "h", "i"}
	require.True(t, s.exact(guess(1, 1, known, many...)), "the same were known")
	require.True(t, s.exact(guess(1, 1, nil, many[:7]...)), "there is room for all")
	require.False(t, s.exact(guess(1, 1, nil, many...)), "the last one would be left out")
}

// TestPartsSpeed logs how long explorations take in parts, in executions: a process does one
// in the time of one, and begins in the time of 8.
func TestPartsSpeed(t *testing.T) {
	if *measure == 0 {
		t.Skip("needs -orc.measure=1")
	}
	const begin, chunk, start = 200, 200, 8
	mixed := func(n int) {
		var mu, other sync.Mutex
		workers(n, func(int) {
			for range 2 {
				Lock(1, &mu)
				Unlock(2, &mu)
			}
			Lock(3, &other)
			Unlock(4, &other)
		})
	}
	for _, f := range []family{
		{"one lock for all", 7, 5040, allFamilies[0].main}, {"last zero", 11, 7168, lastZero}, {"indexer", 15, 4096, indexer},
		{"readers and a writer of memory", 13, 8192, allFamilies[2].main}, {"two locks", 3, 0, mixed}, {"two locks", 4, 0, mixed},
	} {
		for _, processes := range []int{2, 4} {
			e := Exhaustion{
				Config: Config{Bubble: bubble(t), Entry: EntryMain, Main: func() { f.main(f.size) }},
				Ran:    func(int, Result) {}, Found: func(int, Result) {}, Runs: begin,
			}
			first := Exhaust(e)
			runs := first.Runs
			p := NewParts(first.Frontier)
			p.Emit = func(out Exhausted, _ any) { runs += out.Runs }
			type job struct {
				task *Task
				end  int
				out  Exhausted
			}
			var busy []job
			now, work, idle, tasks := first.Runs+first.Cut, 0, 0, 0
			for {
				for _, k := range p.Tasks(processes - len(busy)) {
					e.Runs, e.Frontier, e.Below = chunk, throughText(t, k.Frontier), k.Below
					out := Exhaust(e)
					busy = append(busy, job{k, now + start + out.Runs + out.Cut, out})
					work, tasks = work+out.Runs+out.Cut, tasks+1
				}
				if len(busy) == 0 {
					break
				}
				soonest := 0
				for i := range busy {
					if busy[i].end < busy[soonest].end {
						soonest = i
					}
				}
				b := busy[soonest]
				idle += (processes - len(busy)) * (b.end - now)
				now = b.end
				busy = slices.Delete(busy, soonest, soonest+1)
				p.Done(b.task, &b.out, nil)
				busy = slices.DeleteFunc(busy, func(b job) bool { return !p.Wanted(b.task) })
			}
			t.Logf("%s %d, %d processes: %d executions in the time of %d: %.2f; %d executed, %d tasks, %d discarded, idle %d", f.name, f.size, processes, runs, now, float64(runs)/float64(now), work+begin, tasks, p.Discarded, idle)
			require.True(t, p.Complete())
			if f.count > 0 {
				require.Equal(t, f.count, runs)
			}
		}
	}
}
