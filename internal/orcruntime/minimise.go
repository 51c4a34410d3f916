//go:build go1.25

package orcruntime

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Minimisation is the search for a schedule with less to understand that ends in the
// same error as that of a plan. Every candidate is a run of the program: what the search
// leaves out is not needed, since the program has done without.
//
// A schedule is taken for a list of blocks, in each of which one goroutine goes on up to
// a guard. Blocks are left out, halves first, as delta debugging does (Zeller and
// Hildebrandt, 2002); two blocks of one goroutine are joined, which makes it go on where
// it was interrupted (Jalbert and Sen, 2010); blocks are cut short. When nothing of that
// helps any more, all schedules with fewer switches are tried, none at first, then one,
// and so on (Musuvathi and Qadeer, 2007).
type Minimisation struct {
	// Config is that of every run; its Plan ends in what it expects.
	Config Config
	// Runs, Steps of all runs together, and Until bound the search; 0 is no bound.
	Runs, Steps int
	Until       time.Time
	// Ran, if not nil, is called after every run, and Better with every plan that is
	// better than those before, and that the program has followed to the same error.
	Ran    func()
	Better func(Minimised)
}

// Minimised is the result of a Minimisation.
type Minimised struct {
	// Plan is the best plan found, the given one if there is none.
	Plan Plan
	// Before is the cost of the given plan, After that of the best.
	Before, After Cost
	// Runs were needed, with so many Steps.
	Runs, Steps int
	// Complete: no single block of the schedule can be left out, joined with another or
	// cut short, and no choice of the environment can be left to its default. Least: no
	// other schedule has fewer switches, with the same choices of the environment.
	Complete, Least bool
	// Left says why the search had to stop, "" if it has not.
	Left string
}

// minimumSteps is the least bound of the steps of a candidate. Else it is twice as many
// as the given plan needs.
const minimumSteps = 200

// Minimise does the search.
func Minimise(m Minimisation) Minimised {
	x := &minimiser{m: m, out: Minimised{Plan: m.Config.Plan}}
	x.search()
	return x.out
}

// candidate is a schedule, as it is to be run.
type candidate struct {
	blocks  []block
	cases   cases
	seed    uint64
	choices []EnvChoice
	late    string // as of a Plan; the choices of the run take its place
}

// minimiser is the state of a search.
type minimiser struct {
	m    Minimisation
	out  Minimised
	base Result
	// failedAt is the site after which the test fails, if that is the error.
	failedAt string
	best     candidate
	cost     Cost // of the best, with all of its steps
	plan     Plan // of the best, and the run that has followed it
	followed Result
	chosen   []EnvChoice     // by the environment in that run
	atomics  map[string]bool // the sites of atomic operations
	max      int             // steps of a run
}

// spent reports that the search has to end.
func (x *minimiser) spent() bool {
	return x.out.Left != "" || x.m.Runs > 0 && x.out.Runs >= x.m.Runs || x.m.Steps > 0 && x.out.Steps >= x.m.Steps ||
		!x.m.Until.IsZero() && time.Now().After(x.m.Until)
}

// run does one run.
func (x *minimiser) run(cfg Config) Result {
	cfg.Record, cfg.NoStacks, cfg.NoLog = true, true, true
	cfg.Log, cfg.Journal = nil, nil
	res := Run(cfg)
	x.out.Runs++
	x.out.Steps += res.Steps
	if res.Left != "" {
		x.out.Left = res.Left
	}
	if x.m.Ran != nil {
		x.m.Ran()
	}
	return res
}

func (x *minimiser) search() {
	plan := x.m.Config.Plan
	if x.base = x.run(x.m.Config); x.base.Verdict != Reproduced {
		x.out.Left = "the plan does not show what it expects: " + x.base.Message
	}
	x.out.Before = costOf(plan, x.base.Stalls)
	x.out.After = x.out.Before
	if x.out.Complete, x.out.Least = len(plan.Steps) == 0, len(plan.Steps) == 0; x.out.Complete || x.spent() {
		return
	}
	x.atomics = map[string]bool{}
	x.max = max(2*x.base.Steps, minimumSteps)
	x.best = candidate{
		blocks: blocks(x.base.Trace, len(x.base.Trace), x.base.Goroutines), cases: cases{}, seed: plan.Seed, choices: plan.Choices,
	}
	for _, st := range x.base.Trace {
		if st.Case > 0 {
			x.best.cases[asked{st.G, st.Site, st.Occ}] = st.Case
		}
	}
	// The first candidate is the run itself, at any cost: where goroutines try again and again to lock, its blocks
	// may lead another way to the same error, which is more to understand at first, and can be made less.
	x.cost = Cost{Stalls: math.MaxInt}
	if costOf(plan, x.base.Stalls).Held > 0 {
		x.cost.Held = math.MaxInt64
	}
	if !x.try(x.best) {
		x.out.Left = "the run cannot be repeated by its steps"
		return
	}
	for {
		for x.reduce(); x.values() || x.setLate(); {
			x.reduce()
		}
		x.out.Complete = !x.spent()
		x.unnamed()
		if !x.fewer() {
			return
		}
	}
}

// try runs a candidate. It reports whether it is better than the best so far, and is the
// best from now on.
func (x *minimiser) try(c candidate) bool {
	if x.spent() {
		return false
	}
	s := &scheduled{blocks: c.blocks, cases: c.cases, atomics: x.atomics}
	s.wanted = x.m.Config.Plan.Expect.Kind == KindTestFailure
	return x.takes(c, x.run(x.config(c, s)), s.after)
}

// config is that of the run of a candidate.
func (x *minimiser) config(c candidate, chooser Chooser) Config {
	cfg := x.m.Config
	cfg.Plan.Steps, cfg.Plan.Seed, cfg.Plan.Choices, cfg.Plan.Late = nil, c.seed, c.choices, c.late
	cfg.Plan.Minor, cfg.noMinor = x.base.Minor, !x.base.Minor
	cfg.lengths = x.m.Config.Plan.stopsAtLengths()
	cfg.Plan.MaxSteps = x.max
	cfg.Chooser = chooser
	return cfg
}

// takes makes a candidate the best one if its run, in which the test had failed after so
// many steps, shows the same error at less cost, and if a plan of its steps does so, too.
func (x *minimiser) takes(c candidate, r Result, failed int) bool {
	if !x.same(r) {
		return false
	}
	if c.late != "" {
		c.late, c.choices = "", r.Choices
	}
	if x.m.Config.Plan.Expect.Kind == KindTestFailure {
		if failed == 0 {
			failed = len(r.Trace)
		}
		site := ""
		if failed > 0 {
			site = r.Trace[failed-1].Site
		}
		if x.failedAt == "" {
			x.failedAt = site
		}
		if site != x.failedAt {
			return false
		}
	}
	// What follows the error need not be told, if it comes about by itself.
	for _, n := range slices.Compact([]int{decided(r, failed), len(r.Trace)}) {
		plan := x.m.Config.Plan
		plan.Steps, plan.Seed, plan.Choices, plan.Minor = r.Trace[:n], c.seed, c.choices, r.Minor
		stalls := r.Stalls
		if x.cost.Held == 0 {
			stalls = nil // they may come after the error
		}
		if n == 0 || costOf(plan, stalls).Compare(x.cost) >= 0 {
			continue
		}
		got, ok := x.follows(plan)
		if !ok {
			continue
		}
		cost := costOf(plan, got.Stalls)
		if cost.Compare(x.cost) >= 0 {
			continue
		}
		x.best, x.cost, x.chosen = c, cost, r.Choices
		x.best.blocks = blocks(r.Trace, n, r.Goroutines)
		x.plan, x.followed = x.brief(plan, got)
		x.better(x.plan, x.followed.Stalls)
		return true
	}
	return false
}

// follows runs a plan, and reports whether it shows the same error.
func (x *minimiser) follows(p Plan) (Result, bool) {
	if x.spent() {
		return Result{}, false
	}
	cfg := x.m.Config
	cfg.Plan = p
	cfg.Plan.MaxSteps = x.max
	r := x.run(cfg)
	return r, x.same(r)
}

// better keeps a plan if it is better than the given one and those since.
func (x *minimiser) better(p Plan, stalls []Stall) {
	cost := costOf(p, stalls)
	if cost.Compare(x.out.After) >= 0 {
		return
	}
	x.out.Plan, x.out.After = p, cost
	if x.m.Better != nil {
		x.m.Better(x.out)
	}
}

// brief leaves out the steps at Start guards that need none of their own.
func (x *minimiser) brief(p Plan, r Result) (Plan, Result) {
	short := p
	short.Steps = nil
	for i, st := range p.Steps {
		if !startsOnly(p.Steps, i) {
			short.Steps = append(short.Steps, st)
		}
	}
	if len(short.Steps) < len(p.Steps) {
		if got, ok := x.follows(short); ok && got.Hash == r.Hash {
			return short, got
		}
	}
	return p, r
}

// unnamed leaves out the steps of atomic operations that nobody has to stop at: those
// that a plan names nowhere are no steps of it.
func (x *minimiser) unnamed() {
	// What has failed for a site may not fail any more when another one is gone.
	gone, failed := map[string]bool{}, map[string]bool{}
	for _, st := range x.plan.Steps {
		if !x.atomics[st.Site] || gone[st.Site] || failed[st.Site] {
			continue
		}
		if x.spent() {
			break
		}
		p := x.plan
		p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), func(o Step) bool { return o.Site == st.Site })
		if got, ok := x.follows(p); ok && len(p.Steps) > 0 && got.Hash == x.followed.Hash {
			x.plan, gone[st.Site] = p, true
			clear(failed)
		} else {
			failed[st.Site] = true
		}
	}
	x.better(x.plan, x.followed.Stalls)
}

// same reports whether a run ends in the error of the given plan: the same, of the same
// goroutine, at the same place.
func (x *minimiser) same(r Result) bool {
	b := &x.base
	if r.Verdict != Reproduced || r.Failed != b.Failed || r.Weak && !b.Weak || b.Settled && !r.Settled || r.Restless && !b.Restless {
		return false
	}
	if x.m.Config.Plan.Expect.Kind == KindRace {
		return true // it names both accesses
	}
	if r.Outcome.Kind != b.Outcome.Kind || r.Outcome.G != b.Outcome.G || r.Outcome.Site != b.Outcome.Site {
		return false
	}
	if !r.Outcome.endsProgram() {
		return true
	}
	return innermost(r.Outcome.Stack) == innermost(b.Outcome.Stack) && withoutNumbers(r.Outcome.Message) == withoutNumbers(b.Outcome.Message)
}

func innermost(stack []string) string {
	if len(stack) == 0 {
		return ""
	}
	return stack[0]
}

// withoutNumbers is a message without its digits: addresses and values may differ.
func withoutNumbers(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// decided is after how many steps of a run the error is there: those that are stuck in
// the end have come to where they are stuck, or the test has failed.
func decided(r Result, failed int) int {
	switch r.Outcome.Kind {
	case KindTestFailure:
		return failed
	case KindDeadlock, KindPartialDeadlock, KindLeak:
	default:
		return len(r.Trace)
	}
	stuck := map[string]bool{}
	for _, g := range r.Goroutines {
		stuck[g.G] = (g.State == stateBlocked || g.State == stateOutside) && !slices.Contains(r.Daemons, g.G)
	}
	for i, st := range slices.Backward(r.Trace) {
		if stuck[st.G] {
			return i + 1
		}
	}
	return len(r.Trace)
}

// reduce leaves out, joins and shortens blocks until none of that helps.
func (x *minimiser) reduce() {
	for better := true; better && !x.spent(); {
		better = x.drop()
		better = x.join() || better
		better = x.shorten() || better
	}
}

// with is the best candidate with other blocks.
func (x *minimiser) with(b []block) candidate {
	c := x.best
	c.blocks = b
	return c
}

// drop leaves out blocks, many at first.
func (x *minimiser) drop() (better bool) {
	if x.try(x.with(untimed(x.best.blocks))) {
		better = true
	}
	for size := len(x.best.blocks) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(x.best.blocks) && !x.spent(); {
			if x.try(x.with(slices.Delete(slices.Clone(x.best.blocks), i, i+size))) {
				better = true
			} else {
				i += size
			}
		}
	}
	return better
}

// join has a goroutine go on at the end of a block: as far as its next block goes, or as
// far as it can.
func (x *minimiser) join() (better bool) {
	for i := 0; i < len(x.best.blocks) && !x.spent(); {
		all := x.best.blocks
		b := all[i]
		if b.g == TimeStep || b.until.site == "" {
			i++
			continue
		}
		on := slices.Clone(all)
		on[i].until = place{}
		tries := [][]block{on}
		if k := slices.IndexFunc(all[i+1:], func(o block) bool { return o.g == b.g }); k >= 0 {
			j := i + 1 + k
			next := slices.Clone(all)
			next[i].until = all[j].until
			tries = append(tries, slices.Delete(next, j, j+1))
		}
		if slices.ContainsFunc(tries, func(t []block) bool { return x.try(x.with(t)) }) {
			better = true
		} else {
			i++
		}
	}
	return better
}

// shorten ends blocks earlier, by many steps at first.
func (x *minimiser) shorten() (better bool) {
	for i := 0; i < len(x.best.blocks) && !x.spent(); i++ {
		for cut := len(x.best.blocks[i].steps) - 1; cut > 0 && i < len(x.best.blocks); {
			if n := len(x.best.blocks[i].steps); cut < n {
				short := slices.Clone(x.best.blocks)
				short[i].until = short[i].steps[n-cut]
				short[i].steps = short[i].steps[:n-cut]
				if x.try(x.with(short)) {
					better = true
					continue
				}
			}
			cut /= 2
		}
	}
	return better
}

// values leaves choices to their defaults: all of the environment, the numbers of its
// seed, and the cases of selects.
func (x *minimiser) values() (better bool) {
	attempt := func(change func(c *candidate)) bool {
		c := x.best
		change(&c)
		ok := x.try(c)
		better = better || ok
		return ok
	}
	if x.best.seed != 0 && !attempt(func(c *candidate) { c.seed, c.choices = 0, nil }) {
		// All that the seed has decided, instead of it.
		attempt(func(c *candidate) { c.seed, c.choices = 0, x.chosen })
	}
	for size := len(x.best.choices); size > 0; size /= 2 {
		for i := 0; i+size <= len(x.best.choices) && !x.spent(); {
			without := func(c *candidate) { c.choices = slices.Delete(slices.Clone(c.choices), i, i+size) }
			// Where nobody is late any more, the events come in another order, and so time has to pass elsewhere.
			if !attempt(without) && !attempt(func(c *candidate) { without(c); c.blocks = untimed(c.blocks) }) {
				i += size
			}
		}
	}
	for i, choice := range x.best.choices {
		// A goroutine is to be slow for no longer than it needs to be: of the durations that
		// the program names for the least one that will do.
		for _, d := range durations() {
			late := d + lag
			if late >= choice.Late || attempt(func(c *candidate) { c.choices = slices.Clone(c.choices); c.choices[i].Late = late }) {
				break
			}
		}
	}
	for _, name := range x.best.cases.sorted() {
		attempt(func(c *candidate) {
			c.cases = cases{}
			for k, v := range x.best.cases {
				if k != name {
					c.cases[k] = v
				}
			}
		})
	}
	return better
}

// setLate has goroutines set deadlines late, instead of that time passes while somebody could go on: of two
// deadlines the other one comes first then too, though nobody has to stand still for as long as it takes to come.
func (x *minimiser) setLate() bool {
	if x.cost.Held <= lag {
		return false
	}
	rest := untimed(x.best.blocks)
	tried := map[string]bool{}
	return slices.ContainsFunc(rest, func(b block) bool {
		if tried[b.g] {
			return false
		}
		tried[b.g] = true
		c := x.with(rest)
		c.late = b.g
		return x.try(c)
	})
}

// fewer tries all schedules with fewer switches, as far as the bounds of the search let
// it. It reports whether it has found one.
func (x *minimiser) fewer() bool {
	for n := 0; n < x.cost.Switches; n++ {
		c := &bounded{cases: x.best.cases, switches: n}
		c.wanted = x.m.Config.Plan.Expect.Kind == KindTestFailure
		if x.cost.Held > 0 {
			c.stalls = x.cost.Stalls
		}
		for more := true; more; more = c.more() {
			if x.spent() {
				return false
			}
			c.begin()
			if x.takes(x.best, x.run(x.config(x.best, c)), c.after) {
				return true
			}
		}
	}
	x.out.Least = true
	return false
}
