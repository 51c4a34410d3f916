//go:build go1.25

package orcruntime

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Cost is how much there is to understand of a schedule that shows an error. What comes
// first weighs more: an error that needs nobody to be slow is worth any number of
// switches.
type Cost struct {
	// Held is how long goroutines are held that could go on, and Stalls at how many
	// places.
	Held   time.Duration
	Stalls int
	// Switches counts from how many steps to the next another goroutine goes on.
	// Goroutines are those that do steps.
	Switches, Goroutines int
	// Steps counts all but those at Start guards that need none of their own.
	Steps int
	// Seeds is 1 if the answers of the environment follow from a seed, which tells
	// nothing. Values are what is chosen one by one: such answers, and cases of a select
	// other than the first.
	Seeds, Values int
}

// Compare is below 0 if there is less to understand.
func (c Cost) Compare(d Cost) int {
	return cmp.Or(
		cmp.Compare(c.Held, d.Held), cmp.Compare(c.Stalls, d.Stalls), cmp.Compare(c.Switches, d.Switches),
		cmp.Compare(c.Goroutines, d.Goroutines), cmp.Compare(c.Steps, d.Steps), cmp.Compare(c.Seeds, d.Seeds), cmp.Compare(c.Values, d.Values),
	)
}

// costOf is the cost of a plan, with the stalls of the run that has followed it.
func costOf(p Plan, stalls []Stall) Cost {
	c := Cost{Stalls: len(stalls), Values: len(p.Choices)}
	for _, s := range stalls {
		c.Held += s.For
	}
	if p.Seed != 0 {
		c.Seeds = 1
	}
	last, seen := "", map[string]bool{}
	for i, st := range p.Steps {
		if !startsOnly(p.Steps, i) {
			c.Steps++
		}
		if st.Case > 0 {
			c.Values++
		}
		if st.G == TimeStep {
			continue
		}
		if last != "" && st.G != last {
			c.Switches++
		}
		last = st.G
		seen[st.G] = true
	}
	c.Goroutines = len(seen)
	return c
}

// startsOnly: the i-th step is at a Start guard, and since the next one is of the same
// goroutine, a plan need not have it.
func startsOnly(steps []Step, i int) bool {
	return strings.HasSuffix(steps[i].Site, startSuffix) && i+1 < len(steps) && steps[i+1].G == steps[i].G
}

// place is a guard, and for which time, from 1, a goroutine stands there. The zero value
// is none.
type place struct {
	site  string
	occ   int
	again bool // it has been granted there, and has come back: for a lock, say
}

// block is what one goroutine does in a row, or, with TimeStep, that time passes.
type block struct {
	g     string
	steps []place
	// until is the guard in front of which it stops. Without one it goes on until it
	// cannot.
	until place
}

// untimed leaves out where time passes: it does when nothing else can happen.
func untimed(all []block) []block {
	return slices.DeleteFunc(slices.Clone(all), func(b block) bool { return b.g == TimeStep })
}

// blocks cuts the first n steps of a trace into blocks. The states are those at its end.
func blocks(trace []Step, n int, states []GState) []block {
	// Backwards, since a block ends at the next step of its goroutine.
	passed := map[string]map[string]int{}
	for _, st := range trace {
		if passed[st.G] == nil {
			passed[st.G] = map[string]int{}
		}
		passed[st.G][st.Site] = max(passed[st.G][st.Site], st.Occ)
	}
	next := map[string]place{}
	for _, g := range states {
		if g.State == "at" {
			next[g.G] = place{site: g.Site, occ: passed[g.G][g.Site] + 1}
		}
	}
	var out []block // the last one first
	for i := len(trace) - 1; i >= 0; i-- {
		st := trace[i]
		at := place{site: st.Site, occ: st.Occ}
		if i >= n {
			next[st.G] = at
			continue
		}
		if last := len(out) - 1; last < 0 || out[last].g != st.G || st.G == TimeStep {
			b := block{g: st.G}
			if st.G != TimeStep {
				b.until = next[st.G]
				b.until.again = b.until == at
			}
			out = append(out, b)
		}
		b := &out[len(out)-1]
		b.steps = append(b.steps, at)
		next[st.G] = at
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	for _, b := range out {
		for i, j := 0, len(b.steps)-1; i < j; i, j = i+1, j-1 {
			b.steps[i], b.steps[j] = b.steps[j], b.steps[i]
		}
	}
	return out
}

// sticky is a Chooser that lets a goroutine go on for as long as it can, then the one
// with the lowest creation path. Who has had a long turn, or polls, yields.
type sticky struct {
	last    string
	streak  int
	yielded map[string]bool
}

// turn is how many steps in a row sticky gives one goroutine while others could go on.
const turn = 64

func (c *sticky) Next(v View) Choice {
	if len(v.Ready) == 0 {
		c.yielded = nil
		return Choice{Index: TimePasses}
	}
	best := -1
	for i, p := range v.Ready {
		if c.yielded[p.G] {
			continue
		}
		if p.G == c.last {
			best = i
			break
		}
		if best < 0 {
			best = i
		}
	}
	if best < 0 {
		c.yielded, c.last, c.streak = nil, "", 0
		if v.Time {
			return Choice{Index: TimePasses}
		}
		best = 0
	}
	c.took(v.Ready[best])
	return Choice{Index: best}
}

// took notes that a goroutine goes on.
func (c *sticky) took(p Parked) {
	if p.G != c.last {
		c.last, c.streak = p.G, 0
	}
	if c.streak++; c.streak >= turn || p.Op == opNames[opSpin] {
		if c.yielded == nil {
			c.yielded = map[string]bool{}
		}
		c.yielded[p.G] = true
	}
}

// cases are the cases that selects try first, by goroutine, site and occurrence.
type cases map[asked]int

// of is the case for a goroutine that stands at its guard.
func (c cases) of(v View, i int) int {
	p := v.Ready[i]
	if len(c) == 0 || p.Cases < 2 {
		return 0
	}
	return max(c[asked{p.G, p.Key(), v.run.all[p.G].occ()}], 0)
}

// failing finds out after how many steps a test has failed.
type failing struct {
	wanted bool
	after  int // 0: it has not
}

func (f *failing) look(v View) {
	if f.wanted && f.after == 0 && v.run.failed() {
		f.after = len(v.run.trace)
	}
}

// scheduled is a Chooser that does blocks, as far as the program can, and then lets it
// go on by itself. A block whose goroutine cannot go on, or is beyond its end, is left
// out.
type scheduled struct {
	sticky
	failing
	blocks  []block
	cases   cases
	atomics map[string]bool // gets the sites of atomic operations
	pos     int
	begun   bool // the block at pos
}

func (c *scheduled) Next(v View) Choice {
	c.look(v)
	choice := c.next(v)
	if choice.Index >= 0 {
		if p := v.Ready[choice.Index]; p.Op == opNames[opAtomic] {
			c.atomics[p.Key()] = true
		}
		choice.Case = c.cases.of(v, choice.Index)
	}
	return choice
}

func (c *scheduled) next(v View) Choice {
	for ; c.pos < len(c.blocks); c.pos, c.begun = c.pos+1, false {
		b := c.blocks[c.pos]
		switch {
		case b.g == TimeStep && (v.Time || len(v.Ready) == 0):
			c.pos++
			return Choice{Index: TimePasses}
		case b.g == TimeStep:
			continue
		case len(v.Ready) == 0 && !c.begun: // it may wait for an event
			return Choice{Index: TimePasses}
		}
		if i := index(v, b.g); i >= 0 && !v.run.beyond(b.g, b.until) {
			c.took(v.Ready[i])
			c.begun = true
			return Choice{Index: i}
		}
	}
	return c.sticky.Next(v)
}

// ends reports whether the guard at the end of the entry function is to be passed, though
// others go on.
func (c *scheduled) ends(s *run) bool {
	for _, b := range c.blocks[min(c.pos, len(c.blocks)):] {
		switch {
		case b.g == TimeStep:
			return false
		case b.g == entryPath && !s.beyond(entryPath, b.until):
			return slices.ContainsFunc(b.steps, func(at place) bool { return at.site == s.cfg.EndSite })
		case !s.skips(b):
			return false
		}
	}
	return false
}

// skips: a block is left out.
func (s *run) skips(b block) bool {
	g := s.all[b.g]
	return g == nil || g.state != parked || s.beyond(b.g, b.until)
}

func index(v View, g string) int {
	for i, p := range v.Ready {
		if p.G == g {
			return i
		}
	}
	return -1
}

// beyond: a goroutine is at a place or has passed it.
func (s *run) beyond(path string, at place) bool {
	if at.site == "" {
		return false
	}
	site, ok := siteOf(at.site)
	g := s.all[path]
	switch {
	case !ok || g == nil:
		return false
	case g.site == site && g.occ() == at.occ:
		return !at.again || g.granted
	}
	return g.passed[site] >= at.occ
}

// bounded is a Chooser that takes every choice with a number of switches, in runs of its
// own, see next. Then, as in between, a goroutine goes on for as long as it can.
type bounded struct {
	sticky
	failing
	cases    cases
	switches int
	stalls   int // how often time may pass while somebody could go on

	path, of []int // the choices of the run, and how many there were
	pos      int
	// Of the run: what is left.
	leftSwitches, leftStalls int
}

// begin is called before every run.
func (c *bounded) begin() {
	c.sticky, c.failing.after, c.pos = sticky{}, 0, 0
	c.leftSwitches, c.leftStalls = c.switches, c.stalls
}

func (c *bounded) Next(v View) Choice {
	c.look(v)
	choice := c.next(v)
	if choice.Index >= 0 {
		choice.Case = c.cases.of(v, choice.Index)
	}
	return choice
}

func (c *bounded) next(v View) Choice {
	if len(v.Ready) == 0 {
		return c.sticky.Next(v)
	}
	// The default first, so that a run without choices is the default run.
	before := c.sticky
	first := c.sticky.Next(v)
	if first.Index < 0 || before.yielded[v.Ready[first.Index].G] {
		return first
	}
	options := []int{first.Index}
	if c.leftSwitches > 0 {
		for i := range v.Ready {
			if i != first.Index && v.Ready[i].Op != opNames[opSpin] {
				options = append(options, i)
			}
		}
	}
	if v.Time && c.leftStalls > 0 {
		options = append(options, TimePasses)
	}
	chosen := options[0]
	if len(options) > 1 {
		chosen = options[c.pick(len(options))]
	}
	if chosen == TimePasses {
		c.sticky = before
		c.leftStalls--
		return Choice{Index: TimePasses}
	}
	if chosen != first.Index {
		c.sticky = before
		c.took(v.Ready[chosen])
	}
	if before.last != "" && v.Ready[chosen].G != before.last {
		c.leftSwitches--
	}
	return Choice{Index: chosen}
}

func (c *bounded) pick(n int) int {
	if c.pos == len(c.path) {
		c.path, c.of = append(c.path, 0), append(c.of, n)
	}
	c.pos++
	return c.path[c.pos-1]
}

// more goes to the next run; it reports whether there is one.
func (c *bounded) more() bool {
	for len(c.path) > 0 {
		last := len(c.path) - 1
		if c.path[last]++; c.path[last] < c.of[last] {
			return true
		}
		c.path, c.of = c.path[:last], c.of[:last]
	}
	return false
}

// sorted are those that have a case, in a fixed order.
func (c cases) sorted() []asked {
	var out []asked
	for k := range c {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b asked) int {
		return cmp.Or(cmp.Compare(a.g, b.g), cmp.Compare(a.site, b.site), cmp.Compare(a.occ, b.occ))
	})
	return out
}
