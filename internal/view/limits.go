package view

import (
	"maps"
	"slices"
	"strconv"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

// The bounds of a page: it is small enough to be sent by mail, and what a bundle holds cannot make
// it take more time or memory than this. None depends on how fast anything is.
const (
	maxModel    = 8 << 20  // bytes of the model
	maxWork     = 1 << 19  // transitions of the model that are looked at, see check.Walk.Bound
	maxCells    = 50 << 20 // variables and processes of the states along one trace
	maxSteps    = 20_000   // of one trace
	maxAllSteps = 200_000  // of all traces that are computed, with what is cut from them then
	maxLanes    = 8 << 20  // goroutines of one trace times its steps
	maxOthers   = 40       // alternatives to one step
	maxFindings = 500
	maxEnd      = 300 // goroutines at the end of a finding
	maxHolds    = 50  // locks of one of them
	maxFacts    = 20
	maxText     = 600 // bytes of one text

	// Bytes of JSON, which leave room in 2 MB for the page itself.
	maxTraceBytes    = 1_350_000 // of the findings, their traces, and the sites of those
	maxFindingBytes  = 500_000   // of these for the findings
	minTraceBytes    = 300       // less than what any trace with a step has
	maxAutomataBytes = 150_000   // with the sites that no trace has
	maxFileBytes     = 150_000
	maxNoteBytes     = 50_000

	// The same of the page of a recording, which has no automata and no source.
	maxRecordedBytes = 1_850_000 // of the findings, the trace, and its sites
)

// fits takes the size of a value as JSON out of the room that is left, unless it is larger.
func fits(v any, room *int) bool {
	n := len(encoded(v))
	if n > *room {
		return false
	}
	*room -= n
	return true
}

// boundedSteps is how many steps of a trace there may be on a page, from the first one on.
func boundedSteps(steps []artifact.FindingStep) int {
	goroutines, children := map[string]bool{"0": true}, map[string]int{}
	for i, s := range steps[:min(len(steps), maxSteps)] {
		goroutines[s.G] = true
		if sites.Named(s.Operation).StartsGoroutine() {
			children[s.G]++
			goroutines[s.G+"."+strconv.Itoa(children[s.G])] = true
		}
		if len(goroutines)*(i+1) > maxLanes {
			return i
		}
	}
	return min(len(steps), maxSteps)
}

// cut leaves out steps at the beginning of a trace, so that it fits into the room that is left, and
// takes what it needs out of it. It is false where not even the last step fits.
func cut(tr *Trace, room *int, sizeOf func(Trace) int) bool {
	size := sizeOf(*tr)
	if size <= *room {
		*room -= size
		return true
	}
	if len(tr.Steps) == 0 {
		return false
	}
	whole, last := *tr, len(tr.Steps)-1
	least := sizeOf(whole.behind(last)) // what steps that are left out do not make smaller
	if least > *room {
		return false
	}
	// What is too much is left out as if all steps were of one size, and each time at least twice as
	// many as the time before, so that there are few attempts whatever sizes they have.
	skip := 0
	for more := 1; size > *room; more *= 2 {
		skip = min(skip+max(more, (last-skip)*(size-*room)/max(size-least, 1)), last)
		*tr = whole.behind(skip)
		size = sizeOf(*tr)
	}
	*room -= size
	return true
}

// behind is a trace without its first steps.
func (tr Trace) behind(skip int) Trace {
	values, index := []any{}, map[int]int{}
	renumbered := func(s State) State {
		out := State{}
		for _, key := range slices.Sorted(maps.Keys(s)) {
			i := s[key]
			if _, ok := index[i]; !ok && i >= 0 {
				index[i] = len(values)
				values = append(values, tr.Values[i])
			}
			if out[key] = -1; i >= 0 {
				out[key] = index[i]
			}
		}
		return out
	}
	state := maps.Clone(tr.Start)
	for _, s := range tr.Steps[:skip] {
		for key, i := range s.Set {
			if state[key] = i; i < 0 {
				delete(state, key)
			}
		}
	}
	out := tr
	out.Start, out.Skipped = renumbered(state), tr.Skipped+skip
	out.Steps = slices.Clone(tr.Steps[skip:])
	for i := range out.Steps {
		out.Steps[i].Set = renumbered(out.Steps[i].Set)
	}
	out.keepAlternatives()
	out.Values, out.Arrows = values, []Arrow{}
	for _, a := range tr.Arrows {
		if a.ToStep > out.Skipped {
			out.Arrows = append(out.Arrows, a)
		}
	}
	out.Shown = max(tr.Shown-skip, 0)
	if tr.Clocks != nil {
		out.Clocks = tr.clocksBehind(skip)
	}
	return out
}

// clocksBehind are the vector clocks of goroutines behind the first steps.
func (tr Trace) clocksBehind(skip int) [][]int {
	at := make([]map[int]int, len(tr.Clocks))
	join := func(g int, pairs []int) {
		for i := 0; i+1 < len(pairs); i += 2 {
			at[g][pairs[i]] = pairs[i+1]
		}
	}
	for g, pairs := range tr.Clocks {
		at[g] = map[int]int{}
		join(g, pairs)
	}
	for _, s := range tr.Steps[:skip] {
		join(s.Goroutine, s.Pre)
		if s.Phase != PhasePost {
			at[s.Goroutine][tr.Goroutines[s.Goroutine].Number] = s.PC
		}
		join(s.Goroutine, s.Post)
	}
	out := make([][]int, len(at))
	for g, components := range at {
		out[g] = []int{}
		for _, n := range slices.Sorted(maps.Keys(components)) {
			out[g] = append(out[g], n, components[n])
		}
	}
	return out
}

// keepAlternatives leaves out the alternatives that are those of no step.
func (tr *Trace) keepAlternatives() {
	alternatives, sets := tr.Alternatives, tr.AlternativeSets
	tr.Alternatives, tr.AlternativeSets = []Alternative{}, [][]int{}
	number, numberOfSet := map[int]int{-1: -1}, map[int]int{0: 0}
	for k := range tr.Steps {
		s := &tr.Steps[k]
		if _, ok := numberOfSet[s.Alternatives]; !ok {
			set := slices.Clone(sets[s.Alternatives-1])
			for n, i := range set {
				if _, ok := number[i]; !ok {
					number[i] = len(tr.Alternatives)
					tr.Alternatives = append(tr.Alternatives, alternatives[i])
				}
				set[n] = number[i]
			}
			tr.AlternativeSets = append(tr.AlternativeSets, set)
			numberOfSet[s.Alternatives] = len(tr.AlternativeSets)
		}
		s.Alternatives = numberOfSet[s.Alternatives]
	}
}

// eachSite puts another number in place of each number of a site.
func (tr *Trace) eachSite(number func(int) int) {
	change := func(i *int) {
		if *i >= 0 {
			*i = number(*i)
		}
	}
	for i := range tr.Goroutines {
		change(&tr.Goroutines[i].Site)
	}
	for i, v := range tr.Values {
		if g, ok := v.(GoroutineState); ok {
			change(&g.At)
			tr.Values[i] = g
		}
	}
	for i := range tr.Steps {
		change(&tr.Steps[i].Site)
	}
	for i := range tr.Alternatives {
		change(&tr.Alternatives[i].Site)
	}
}
