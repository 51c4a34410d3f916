//go:build go1.25

package orcruntime

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Strategy is a way to choose the schedules of runs. StrategyPCT and StrategyDelay may have
// a number behind a colon, as in "pct:5".
//
// A strategy chooses who goes on, when time passes, and which case a select tries first. The
// rest of the environment, as the order of a map, follows from the seed of the run, uniformly
// and whatever the strategy: see EnvChoice. A run is a function of the program, the strategy,
// the seed and the Profile, which is one of the program alone.
//
// Those but StrategyRandom leave out choices that show nowhere: who would only queue for a
// lock that is held goes on when it is free; who polls in vain goes on when nobody else can;
// and in every second run the return of main, which ends the program, comes last. Once in 64
// choices they may take any of these, so that a program in which others go on for ever comes to
// its end.
type Strategy string

// The strategies. In what they promise n is the number of goroutines, where the passing of
// time counts as one, and k is the number of choices among several in a run.
const (
	// StrategyRandom is a random walk: whoever is ready goes on with the same probability.
	// A schedule with k choices among at most n comes with one of at least 1/nᵏ.
	StrategyRandom Strategy = "random"
	// StrategyPCT has a priority for each goroutine, and lowers that of the running one at
	// depth-1 random moments (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized
	// Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010). An error that
	// needs d orders between steps shows in a run with a probability of at least
	// 1/(n·kᵈ⁻¹), where d is the depth, unless a run has more choices than its profile.
	StrategyPCT Strategy = "pct"
	// StrategyPOS has a random priority for each step to come, and draws a new one for
	// those that race with the step that is done (Yuan, Yang, Gu: Partial Order Aware
	// Concurrency Sampling, CAV 2018). Steps that depend on nothing have no part in the
	// order of those that do: that one step comes behind m of another goroutine has
	// a probability of 1/(m+1) where only the last of these races with it, and of 1/2ᵐ in a
	// random walk.
	StrategyPOS Strategy = "pos"
	// StrategySURW is the selectively uniform random walk (Zhao, Wolff, Mathur,
	// Roychoudhury: Selectively Uniform Concurrency Testing, ASPLOS 2025). It takes some
	// steps as those that matter, here the operations on one object that is shared, or
	// on all, and goes on with a goroutine with a probability that is proportional to how many of
	// them it has left. If the profile is right in that, and none has to wait for another, all
	// interleavings of these steps have the same probability.
	StrategySURW Strategy = "surw"
	// StrategyDelay has goroutines go on one after the other, each as long as it can, and
	// passes over the next one at up to so many random moments (Emmi, Qadeer, Rakamarić:
	// Delay-Bounded Scheduling, POPL 2011). Every schedule with at most d delays comes with
	// a probability of at least 1/(k+1)ᵈ, where d is their number, unless a run has more
	// choices than its profile.
	StrategyDelay Strategy = "delay"
	// StrategyPortfolio takes another one of the above for each run: that which has shown
	// most of late, by the rule UCB1 (Auer, Cesa-Bianchi, Fischer: Finite-time Analysis of
	// the Multiarmed Bandit Problem, 2002) with a discount for what is long ago. What counts is
	// schedules that are not equivalent to earlier ones, and pairs of operations that have not
	// met before. One run of four goes to the strategies in turn, so that each promises as much in
	// a twentieth of the runs.
	StrategyPortfolio Strategy = "portfolio"
	// StrategyReuse is StrategyPOS that has goroutines use a WaitGroup again before those who wait for it have come
	// back, where they may. It is of no use for anything else, and not one of Strategies.
	StrategyReuse Strategy = "reuse"
	// StrategyEven has goroutines go on side by side, each at a speed of its own that hardly changes who ends first.
	StrategyEven Strategy = "even"
)

const (
	// defaultDepth is that of StrategyPCT, and defaultDelays how many StrategyDelay has.
	defaultDepth, defaultDelays = 3, 2
	// maxNumber bounds both.
	maxNumber = 100
	// unprofiled is how many choices a run is taken to have if no profile says it.
	unprofiled = 100
	// When a run has come to so many choices times those of its profile, and to so many beyond,
	// it goes on at random: a program may wait for one to whom priorities never come.
	runsOverFactor, runsOver = 4, 2000
	// unlimited is for strategies that take turns by themselves.
	unlimited = math.MaxInt
)

// Strategies are all of them.
func Strategies() []Strategy {
	return []Strategy{StrategyRandom, StrategyPCT, StrategyPOS, StrategySURW, StrategyDelay, StrategyPortfolio}
}

// arms are those that StrategyPortfolio takes.
func arms() []Strategy {
	return []Strategy{StrategyRandom, StrategyPCT, StrategyPOS, StrategySURW, StrategyDelay}
}

// Check says what is wrong with the name of a strategy.
func (s Strategy) Check() error {
	_, _, err := s.parse()
	return err
}

// NeedsProfile reports whether the strategy expects something of the program.
func (s Strategy) NeedsProfile() bool {
	kind, _, _ := s.parse()
	return kind != "" && kind != StrategyRandom && kind != StrategyPOS && kind != StrategyReuse
}

// parse takes a strategy apart.
func (s Strategy) parse() (kind Strategy, n int, err error) {
	name, number, numbered := strings.Cut(string(s), ":")
	kind = Strategy(name)
	least := 1
	switch kind {
	case StrategyPCT:
		n = defaultDepth
	case StrategyDelay:
		n, least = defaultDelays, 0
	default:
		if kind != StrategyReuse && kind != StrategyEven && !slices.Contains(Strategies(), kind) {
			var names []string
			for _, s := range Strategies() {
				names = append(names, string(s))
			}
			return "", 0, fmt.Errorf("no strategy %q: they are %s", name, strings.Join(names, ", "))
		}
		if numbered {
			return "", 0, fmt.Errorf("strategy %s has no number", name)
		}
	}
	if numbered {
		if n, err = strconv.Atoi(number); err != nil || n < least || n > maxNumber {
			return "", 0, fmt.Errorf("strategy %s: %q is no number from %d to %d", name, number, least, maxNumber)
		}
	}
	return kind, n, nil
}

// strategies makes choosers with a profile.
type strategies struct {
	profile *Profile
	// groups are the steps that StrategySURW may take as those that matter.
	groups []group
}

func newStrategies(p *Profile) *strategies {
	if p == nil {
		p = &Profile{}
	}
	return &strategies{p, p.groups()}
}

// errPortfolio: it is none of a single run.
var errPortfolio = errors.New("a portfolio is no strategy of a single run")

// chooser is that of a run.
func (t *strategies) chooser(s Strategy, seed uint64) (Chooser, error) {
	kind, n, err := s.parse()
	if err != nil {
		return nil, err
	}
	c := &strategist{random: random(seed), limit: unlimited}
	c.late = c.next(2) == 0
	k := t.profile.Choices
	if k <= 0 {
		k = unprofiled
	}
	switch kind {
	case StrategyRandom:
		return Random(seed), nil
	case StrategyPCT:
		c.picker, c.limit = newPCT(&c.random, n, k), runsOverFactor*k+runsOver
	case StrategyPOS:
		c.picker = &pos{random: &c.random, priorities: map[string]priority{}}
	case StrategyReuse:
		c.picker = newReuse(&c.random)
	case StrategyEven:
		c.picker, c.limit = newEven(&c.random, t.groups, seed), runsOverFactor*k+runsOver
	case StrategySURW:
		c.picker, c.limit = newSURW(&c.random, t.groups), runsOverFactor*k+runsOver
	case StrategyDelay:
		c.picker, c.limit = newDelays(&c.random, n, k), runsOverFactor*k+runsOver
	default:
		return nil, errPortfolio
	}
	return c, nil
}

// picker is a strategy.
type picker interface {
	// pick is one of several candidates: they are in v.Ready, or TimePasses. The run is at
	// its n-th such choice, from 1.
	pick(v View, among []int, n int) int
	// took is told of every step that is about to be done, also where there was no choice.
	took(v View, i int)
	// yields: who goes on next, a creation path or TimeStep, has waited in vain or gone on for long.
	yields(name string)
}

// strategist is the Chooser of a picker.
type strategist struct {
	random
	picker
	limit   int  // after so many choices among several the rest is random
	late    bool // the return of main comes last
	choices int
	among   []int
	last    string // who has gone on, row times in a row
	row     int
}

func (c *strategist) Next(v View) Choice {
	if len(v.Ready) == 0 {
		return Choice{Index: TimePasses}
	}
	among := c.candidates(v)
	i := among[0]
	if len(among) > 1 {
		c.choices++
		switch {
		case c.choices > c.limit:
			i = among[c.next(len(among))]
		default:
			i = c.pick(v, among, c.choices)
		}
	}
	c.took(v, i)
	name := nameOf(v, i)
	if name != c.last {
		c.last, c.row = name, 0
	}
	if c.row++; i == TimePasses || v.Ready[i].g.op == opSpin || c.row >= fairness {
		c.yields(name)
		c.row = 0
	}
	if i == TimePasses {
		return Choice{Index: TimePasses}
	}
	choice := Choice{Index: i}
	if k := v.Ready[i].Cases; k > 1 {
		choice.Case = c.next(k)
	}
	return choice
}

// candidates are those whose turn shows somewhere.
func (c *strategist) candidates(v View) []int {
	c.among = c.among[:0]
	if (c.choices+1)%turn != 0 {
		for i, p := range v.Ready {
			if p.g.op != opSpin && v.run.enabled(p.g) && !(p.End && c.late && v.run.cfg.Entry == EntryMain) {
				c.among = append(c.among, i)
			}
		}
	}
	if len(c.among) == 0 {
		for i := range v.Ready {
			c.among = append(c.among, i)
		}
	}
	if v.Time {
		c.among = append(c.among, TimePasses)
	}
	return c.among
}

// nameOf is who goes on: a creation path, or TimeStep.
func nameOf(v View, i int) string {
	if i == TimePasses {
		return TimeStep
	}
	return v.Ready[i].G
}

// pct is StrategyPCT.
type pct struct {
	*random
	priorities map[string]int64 // of goroutines, and time
	points     map[int][]int64  // by choice: the priorities to which those are lowered that are highest
	low        int64            // all priorities are above it
}

// newPCT draws depth-1 of k choices.
func newPCT(r *random, depth, k int) *pct {
	c := &pct{random: r, priorities: map[string]int64{}, points: map[int][]int64{}}
	for i := 1; i < depth; i++ {
		at := 1 + r.next(k)
		c.points[at] = append(c.points[at], int64(i))
	}
	return c
}

func (c *pct) pick(v View, among []int, n int) int {
	for _, i := range among {
		if name := nameOf(v, i); c.priorities[name] == 0 {
			c.priorities[name] = int64(c.word()>>2) + maxNumber
		}
	}
	highest := func() int {
		best := among[0]
		for _, i := range among[1:] {
			if c.priorities[nameOf(v, i)] > c.priorities[nameOf(v, best)] {
				best = i
			}
		}
		return best
	}
	for _, to := range c.points[n] {
		c.priorities[nameOf(v, highest())] = to
	}
	return highest()
}

func (c *pct) took(View, int) {}

func (c *pct) yields(name string) {
	c.low--
	c.priorities[name] = c.low
}

// pos is StrategyPOS.
type pos struct {
	*random
	priorities    map[string]priority
	mine, touches []touch
}

// priority is that of a step to come.
type priority struct {
	site  Site
	occ   int
	value uint64
}

func (c *pos) pick(v View, among []int, _ int) int {
	best, highest := among[0], uint64(0)
	for _, i := range among {
		name, at := nameOf(v, i), priority{}
		if i != TimePasses {
			at.site, at.occ = v.Ready[i].Site, v.Ready[i].g.occ()
		}
		p, ok := c.priorities[name]
		if !ok || p.site != at.site || p.occ != at.occ {
			at.value = c.word()
			p = at
			c.priorities[name] = p
		}
		if p.value >= highest {
			best, highest = i, p.value
		}
	}
	return best
}

func (c *pos) took(v View, i int) {
	delete(c.priorities, nameOf(v, i))
	if i == TimePasses {
		return
	}
	c.mine = v.run.mayTouch(v.Ready[i].g, c.mine[:0])
	if len(c.mine) == 0 {
		return
	}
	for j, p := range v.Ready {
		if _, ok := c.priorities[p.G]; !ok || j == i {
			continue
		}
		c.touches = v.run.mayTouch(p.g, c.touches[:0])
		if !independent(c.mine, c.touches) {
			delete(c.priorities, p.G)
		}
	}
}

func (c *pos) yields(string) {}

// delays is StrategyDelay.
type delays struct {
	*random
	points map[int]int // by choice: how many are passed over
	turn   string      // whose turn it is
	over   bool        // that of the one behind
}

// newDelays draws so many of k choices, or none.
func newDelays(r *random, n, k int) *delays {
	c := &delays{random: r, points: map[int]int{}}
	for range n {
		c.points[1+r.next(k+1)]++ // the last one is none that a run comes to
	}
	return c
}

func (c *delays) pick(v View, among []int, n int) int {
	at := 0
	if c.turn != "" {
		// Creation paths, with time behind them.
		at = slices.IndexFunc(among, func(i int) bool {
			name := nameOf(v, i)
			switch {
			case name == c.turn:
				return !c.over
			case name == TimeStep:
				return true
			}
			return c.turn != TimeStep && lowerPath(c.turn, name)
		})
		at = max(at, 0)
	}
	return among[(at+c.points[n])%len(among)]
}

func (c *delays) took(v View, i int) { c.turn, c.over = nameOf(v, i), false }

func (c *delays) yields(string) { c.over = true }

// surw is StrategySURW.
type surw struct {
	*random
	group
	left     map[string]int // steps that matter, by goroutine, with those of whom it has not started yet
	seen     map[string]bool
	intended string // who does the next of them
	free     []int
}

func newSURW(r *random, groups []group) *surw {
	c := &surw{random: r, left: map[string]int{}, seen: map[string]bool{}}
	if len(groups) > 0 {
		c.group = groups[r.next(len(groups))]
	}
	for _, n := range c.steps {
		c.left[entryPath] += n
	}
	c.seen[entryPath] = true
	return c
}

// matters: who goes on does a step that matters.
func (c *surw) matters(v View, i int) bool {
	return i != TimePasses && (c.sites == nil || c.sites[v.Ready[i].Site])
}

// born gives a goroutine the steps of its own, which its creator had.
func (c *surw) born(g string) {
	c.seen[g] = true
	n := 0
	for path, steps := range c.steps {
		if path == g || strings.HasPrefix(path, g+".") {
			n += steps
		}
	}
	creator := g
	for !c.seen[creator] || creator == g {
		dot := strings.LastIndexByte(creator, '.')
		if dot < 0 {
			creator = entryPath
			break
		}
		creator = creator[:dot]
	}
	c.left[g] = n
	c.left[creator] = max(c.left[creator]-n, 0)
	if all := n + c.left[creator]; c.intended == creator && all > 0 && c.next(all) < n {
		c.intended = g
	}
}

func (c *surw) pick(v View, among []int, _ int) int {
	for _, p := range v.Ready {
		if !c.seen[p.G] {
			c.born(p.G)
		}
	}
	if c.intended == "" {
		c.intended = c.draw(v)
	}
	if slices.ContainsFunc(among, func(i int) bool { return i != TimePasses && v.Ready[i].G == c.intended }) {
		c.free = c.free[:0]
		for _, i := range among {
			if !c.matters(v, i) || v.Ready[i].G == c.intended {
				c.free = append(c.free, i)
			}
		}
		return c.free[c.next(len(c.free))]
	}
	// Who is intended has to wait for others.
	weight := func(i int) int { return max(c.left[nameOf(v, i)], 1) }
	sum := 0
	for _, i := range among {
		sum += weight(i)
	}
	at := c.next(sum)
	for _, i := range among {
		if at -= weight(i); at < 0 {
			return i
		}
	}
	return among[0]
}

// draw is one of the goroutines, by how many steps they have left; "" if nobody has any.
func (c *surw) draw(v View) string {
	sum := 0
	for _, g := range v.run.live {
		sum += c.left[g.path]
	}
	if sum == 0 {
		return ""
	}
	at := c.next(sum)
	for _, g := range v.run.live {
		if at -= c.left[g.path]; at < 0 {
			return g.path
		}
	}
	return ""
}

func (c *surw) took(v View, i int) {
	if !c.matters(v, i) {
		return
	}
	g := v.Ready[i].G
	c.left[g] = max(c.left[g]-1, 0)
	c.intended = ""
}

func (c *surw) yields(string) {}
