package orcutil

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	boundingScripts = flag.Int("orc.bounding", 120, "random programs that TestBoundingRandom explores")
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
	e.exec.pick = func(_ *goroutine, n int) int { return e.pick(n) }
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

// bounded explores with at most so many preemptions.
func bounded(t testing.TB, cfg Config, bound int, seen func(Result) string) outcomes {
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
		n /= 5
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
		require.True(t, whole.complete)
		for c := range 3 {
			o := bounded(t, cfg, c, p.seen)
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
		if all.complete {
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
