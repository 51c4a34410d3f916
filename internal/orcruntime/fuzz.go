//go:build go1.25

package orcruntime

import (
	"math/bits"
	"slices"
	"time"
)

// Fuzzing is a search over schedules and choices of the environment that is guided by what runs
// come to. A run that has come to something new, see coverage, is kept, and others are made of
// it that differ in something: a select takes another case, as soon as that is possible (Liu, Xia, Liang,
// Song, Hu: Who Goes First? Detecting Go Concurrency Bugs via Message Reordering, ASPLOS 2022);
// some operations come in another order, a scheduling chain, which is shortened, turned
// round, changed or made longer (Jiang, Wei, Xu, Chen, Ma: Effective Concurrency Testing for Go
// via Directional Primitive-Constrained Interleaving Exploration, ASE 2023); or the
// environment answers otherwise. What comes before the difference is repeated. A chain that what has to
// come before what contradicts is not run.
//
// What is not prescribed so is chosen by partial order sampling, see StrategyPOS.
type Fuzzing struct {
	// Config is that of every run, without steps and chooser.
	Config Config
	// Seed decides everything.
	Seed uint64
	// Runs, Steps and Time bound the search, each if it is not 0; Stop, if not nil, ends it.
	Runs, Steps int
	Time        time.Duration
	Stop        func() bool
	// First makes the first run that ends in an error the last.
	First bool
	// Blind makes the search learn nothing from what runs come to but the first ten, for comparison.
	Blind bool
	// Patient makes time wait for everything else, see Patient.
	Patient bool
	// Corpus is what an earlier search has kept: it is run first.
	Corpus []Input
	// Ran is called after every run with the number, from 0, of its end.
	Ran func(end int, res Result)
	// Found is called before, when the end is a new one, with the recorded run.
	Found func(end int, in Input, res Result)
	// Kept, if not nil, is called with every input whose run has come to something new.
	Kept func(in Input)
}

// Fuzzed says what a search has done.
type Fuzzed struct {
	Runs, Steps int
	// Features counts the pairs of operations, the partners and the cases of selects that runs
	// have come to.
	Features int
	// Chains counts the runs with a scheduling chain, Enforced those in which all of it came in the
	// order of the chain, and Discarded the chains that were not run since they cannot be.
	Chains, Enforced, Discarded int
	// Single: all runs have done the same, and there was nothing to choose in them.
	Single bool `json:",omitempty"`
	// Corpus are the inputs whose runs have all that those of others have, few of them.
	Corpus []Input
	// Left says why the process should run no more; with Tainted, those done may have
	// influenced each other already.
	Left    string `json:",omitempty"`
	Tainted bool   `json:",omitempty"`
}

// Input is what decides a run of such a search.
type Input struct {
	// Seed is that of the environment, and Tail that of all choices that nothing prescribes.
	Seed, Tail uint64
	// Choices are answers of the environment that the seed does not decide.
	Choices []EnvChoice `json:",omitempty"`
	// Prefix are the steps to begin with, as far as the program can do them.
	Prefix []Step `json:",omitempty"`
	// Chain are operations behind the prefix that are to come in this order.
	Chain []Step `json:",omitempty"`
	// Cases are selects that are to take a case, as soon as it can be taken.
	Cases []Step `json:",omitempty"`
}

// hash tells inputs apart.
func (in *Input) hash() uint64 {
	h := mix(in.Seed, in.Tail, uint64(len(in.Prefix)), uint64(len(in.Chain)))
	for _, list := range [][]Step{in.Prefix, in.Chain, in.Cases} {
		for _, st := range list {
			h = mix(h, hashText(st.G), hashText(st.Site), uint64(st.Occ), uint64(st.Case))
		}
	}
	for _, c := range in.Choices {
		h = mix(h, hashText(c.G), hashText(c.Site), uint64(c.Occ), uint64(c.Value), uint64(c.Late))
	}
	return h
}

// newInputChooser is for a Config with the seed and the choices of the input.
func newInputChooser(in Input) *inputChooser {
	c := &inputChooser{prefix: in.Prefix}
	tail := &strategist{random: random(in.Tail), limit: unlimited}
	tail.picker = &pos{random: &tail.random, priorities: map[string]priority{}}
	c.tail = tail
	for _, st := range in.Chain {
		c.chain = append(c.chain, st.passing())
	}
	if len(in.Cases) > 0 {
		c.cases = map[passing]int{}
		for _, st := range in.Cases {
			c.cases[st.passing()] = st.Case
		}
	}
	return c
}

// passing is what the step is, without the case of a select.
func (st Step) passing() passing {
	site, _ := siteOf(st.Site)
	return passing{st.G, site, st.Occ}
}

// held bounds how many choices somebody is held for the sake of a chain or a case.
const held = 300

// inputChooser does the prefix, then the chain, then goes on at random.
type inputChooser struct {
	prefix []Step
	pos    int
	chain  []passing
	cases  map[passing]int
	tail   *strategist

	link     int // of the chain that comes next
	waited   int // choices since the last one came
	missed   bool
	selected int // choices for which selects were held
	ready    []Parked
	at       []int
}

func (c *inputChooser) Next(v View) Choice {
	if len(v.Ready) == 0 {
		if c.pos < len(c.prefix) && c.prefix[c.pos].G == TimeStep {
			c.pos++
		}
		return Choice{Index: TimePasses}
	}
	choice, ok := c.repeat(v)
	if !ok {
		choice = c.free(v)
	}
	if choice.Index >= 0 {
		p := v.Ready[choice.Index]
		if k, ok := c.cases[passing{p.G, p.Site, p.g.occ()}]; ok && k < p.Cases {
			choice.Case = max(k, 0)
		}
		c.passes(p)
	}
	return choice
}

// passes notes that somebody is about to pass a guard.
func (c *inputChooser) passes(p Parked) {
	at := passing{p.G, p.Site, p.g.occ()}
	switch i := slices.Index(c.chain[c.link:], at); {
	case i == 0:
		c.link++
		c.waited = 0
	case i > 0:
		c.missed = true
		c.link += i + 1
	}
}

// repeat is the next step of the prefix that can be done, if there is one.
func (c *inputChooser) repeat(v View) (Choice, bool) {
	for c.pos < len(c.prefix) {
		st := c.prefix[c.pos]
		if st.G == TimeStep {
			c.pos++
			if v.run.mayPass() { // as it did, also where it waits for everything else
				return Choice{Index: TimePasses}, true
			}
			continue
		}
		i := index(v, st.G)
		if i < 0 {
			c.pos++
			continue
		}
		if site, ok := siteOf(st.Site); !ok || v.Ready[i].Site == site {
			c.pos++
		} else if v.Ready[i].g.passed[site] >= st.Occ {
			c.pos++ // it is beyond
			continue
		}
		return Choice{Index: i, Case: max(st.Case, 0)}, true
	}
	return Choice{}, false
}

// free is a choice behind the prefix: the next link of the chain, or at random, but for those who have to
// wait for the sake of the chain, or of the case that they are to take.
func (c *inputChooser) free(v View) Choice {
	c.ready, c.at = c.ready[:0], c.at[:0]
	waiting, forCase := false, false
	if c.link < len(c.chain) {
		if c.waited++; c.waited > held {
			c.missed = true
			c.link++
			c.waited = 0
		}
	}
	for i, p := range v.Ready {
		at := passing{p.G, p.Site, p.g.occ()}
		if k := slices.Index(c.chain[c.link:], at); k == 0 && v.run.enabled(p.g) {
			return Choice{Index: i}
		} else if k > 0 {
			waiting = true
			continue
		}
		if k, ok := c.cases[at]; ok && c.selected < held && k >= 0 && k < len(p.g.cases) && !v.run.couldTake(p.g.cases[k]) {
			c.selected++
			waiting, forCase = true, true
			continue
		}
		c.ready, c.at = append(c.ready, p), append(c.at, i)
	}
	if !waiting {
		return c.tail.Next(v)
	}
	if len(c.ready) == 0 && forCase && v.run.mayPass() {
		return Choice{Index: TimePasses} // the case may be that of a timeout
	}
	if len(c.ready) == 0 {
		// All wait for each other: what the chain wants cannot be.
		if c.link < len(c.chain) {
			c.missed = true
			c.link++
		}
		c.selected = held
		return c.tail.Next(v)
	}
	w := v
	w.Ready = c.ready
	choice := c.tail.Next(w)
	if choice.Index >= 0 {
		choice.Index = c.at[choice.Index]
	}
	return choice
}

// enforced: all of the chain has come in its order.
func (c *inputChooser) enforced() bool {
	return len(c.chain) > 0 && c.link == len(c.chain) && !c.missed
}

// fuzzer is the state of a search.
type fuzzer struct {
	Fuzzing
	random
	cover  *coverage
	out    Fuzzed
	corpus []*kept
	tried  map[uint64]bool
	until  time.Time
	ends   map[string]int
	fresh  uint64 // runs that nothing prescribes
	over   bool
	hashes map[uint64]bool // of the first runs
	// keptSteps are the steps of the runs that were kept.
	keptSteps int
	asked     int // how often runs have asked the environment
}

// kept is an input whose run has come to something new.
type kept struct {
	in       Input
	trace    []Step
	choices  []EnvChoice
	steps    *observation
	features []uint64 // all of its run
	new      int      // that were new
	newAt    int      // the step, from 1, with the first of these
	picked   int
}

const (
	// beginnings is how many runs there are first that nothing prescribes, and freshOf how many runs
	// later on have one.
	beginnings, freshOf = 10, 4
	// maxCorpus bounds what is kept, and maxChain the links of a chain: of longer ones hardly any is
	// enforced.
	maxCorpus, maxChain = 500, 4
	// maxKeptSteps bounds the steps of all that is kept: each input has those of its prefix.
	maxKeptSteps = 200_000
	// tries is how often a change is sought that has not been tried.
	tries = 20
)

// Fuzz does the search.
func Fuzz(f Fuzzing) Fuzzed {
	x := &fuzzer{Fuzzing: f, random: random(f.Seed), cover: newCoverage(), tried: map[uint64]bool{}, ends: map[string]int{}, hashes: map[uint64]bool{}}
	if f.Time > 0 {
		x.until = time.Now().Add(f.Time)
	}
	for _, in := range f.Corpus {
		if x.done() {
			break
		}
		x.try(in)
	}
	for n := 0; !x.done(); n++ {
		in, ok := Input{}, false
		if n >= beginnings && len(x.corpus) > 0 && n%freshOf != 0 {
			in, ok = x.change()
		}
		if !ok {
			x.fresh++
			in = Input{Seed: f.Seed + x.fresh, Tail: f.Seed + x.fresh}
		}
		x.try(in)
		if n+1 == beginnings && len(x.hashes) == 1 && x.asked == 0 {
			x.out.Single = true
			break
		}
	}
	x.out.Features = len(x.cover.features)
	x.out.Corpus = x.few()
	return x.out
}

// done reports whether the search is over.
func (x *fuzzer) done() bool {
	return x.over || x.out.Left != "" || x.Runs > 0 && x.out.Runs >= x.Runs || x.Steps > 0 && x.out.Steps >= x.Steps ||
		!x.until.IsZero() && time.Now().After(x.until) || x.Stop != nil && x.Stop()
}

// run does one run.
func (x *fuzzer) run(in Input, record bool) (Result, *inputChooser) {
	c := newInputChooser(in)
	cfg := chosen(x.Config, c, in.Seed, x.Patient)
	cfg.Plan.Choices = in.Choices
	cfg.Record, cfg.NoStacks, cfg.NoLog = record, !record, true
	cfg.cover = x.cover
	x.cover.begin()
	if x.cover.steps = nil; record {
		x.cover.steps = newObservation()
	}
	return Run(cfg), c
}

// try runs an input, and keeps it if that has come to something new.
func (x *fuzzer) try(in Input) {
	x.tried[in.hash()] = true
	res, c := x.run(in, false)
	_, found := x.cover.end()
	newAt := x.cover.newAt
	x.out.Runs++
	x.out.Steps += res.Steps
	x.asked += res.Asked
	if len(x.hashes) < 2 {
		x.hashes[res.Hash] = true
	}
	if len(in.Chain) > 0 {
		x.out.Chains++
		if c.enforced() {
			x.out.Enforced++
		}
	}
	key := res.end()
	n, known := x.ends[key]
	keep := found > 0 && len(x.corpus) < maxCorpus && x.keptSteps < maxKeptSteps && (!x.Blind || x.out.Runs <= beginnings)
	if (!known || keep) && res.Left == "" {
		again, _ := x.run(in, true)
		if again.Hash != res.Hash || again.end() != key {
			x.out.Left, x.out.Tainted = "two runs with one input differ: state outlives runs, or the program chooses by itself", true
			return
		}
		res.Left = again.Left
		if keep {
			x.cover.steps.release()
			x.keptSteps += len(again.Trace)
			x.corpus = append(x.corpus, &kept{in: in, trace: again.Trace, choices: again.Choices, steps: x.cover.steps, features: slices.Clone(x.cover.mine), new: found, newAt: newAt})
			if x.Kept != nil {
				x.Kept(in)
			}
		}
		if !known {
			n = len(x.ends)
			x.ends[key] = n
			x.Found(n, in, again)
		}
	} else if !known {
		n = len(x.ends)
		x.ends[key] = n
		x.Found(n, in, res)
	}
	x.Ran(n, res)
	x.out.Left = res.Left
	x.over = x.First && res.Verdict == Completed && res.Outcome.Kind != ""
	if x.out.Left == "" && x.out.Runs%controlled == settled && x.grows() {
		x.out.Left = "the memory of the process grows from run to run"
	}
}

// grows reports whether the process is much larger than a search should make it.
func (x *fuzzer) grows() bool {
	return heap() > maxFuzzHeap
}

// maxFuzzHeap bounds the heap of a search, in bytes.
const maxFuzzHeap = 1 << 30

// pick is one of those that were kept: those that have come to much that is new, and of which
// little has been made, more often.
func (x *fuzzer) pick() *kept {
	weight := func(k *kept) int { return 1 + 32*bits.Len(uint(k.new))/(1+k.picked) }
	sum := 0
	for _, k := range x.corpus {
		sum += weight(k)
	}
	at := x.next(sum)
	for _, k := range x.corpus {
		if at -= weight(k); at < 0 {
			return k
		}
	}
	return x.corpus[0]
}

// change makes an input of one that was kept, if there is one that was not tried.
func (x *fuzzer) change() (Input, bool) {
	for range tries {
		k := x.pick()
		var in Input
		var ok bool
		switch x.next(8) {
		case 0, 1:
			in, ok = x.otherCase(k)
		case 2, 3, 4:
			in, ok = x.newChain(k)
		case 5:
			in, ok = x.otherChain(k)
		case 6:
			in, ok = x.otherAnswer(k)
		default:
			in, ok = x.otherEnd(k)
		}
		if !ok || x.tried[in.hash()] {
			continue
		}
		if !x.feasible(k, in.Chain) {
			x.tried[in.hash()] = true
			x.out.Discarded++
			continue
		}
		k.picked++
		return in, true
	}
	return Input{}, false
}

// upTo is the input of a run that repeats the first n steps of another one.
func (x *fuzzer) upTo(k *kept, n int) Input {
	n = max(min(n, len(k.trace)), 0)
	return Input{Seed: k.in.Seed, Tail: x.word(), Choices: k.in.Choices, Prefix: k.trace[:n:n]}
}

// otherCase has a select take another case.
func (x *fuzzer) otherCase(k *kept) (Input, bool) {
	i := x.some(k, func(e *observedStep) bool { return e.op == opSelect && e.cases > 0 })
	if i < 0 {
		return Input{}, false
	}
	e := &k.steps.events[i]
	in := x.upTo(k, e.at)
	for _, st := range k.in.Cases {
		if at, ok := x.placeOf(k, st); ok && at > i { // those before are in the prefix
			in.Cases = append(in.Cases, st)
		}
	}
	st := e.step()
	st.Case = x.next(e.cases)
	in.Cases = append(in.Cases, st)
	return in, true
}

// some is one of the steps of which something holds, -1 if there is none: in every second case of those
// from where the run has come to something new.
func (x *fuzzer) some(k *kept, is func(e *observedStep) bool) int {
	var list []int
	late := 0 // of the list
	for i := range k.steps.events {
		if is(&k.steps.events[i]) {
			list = append(list, i)
			if i+1 < k.newAt {
				late = len(list)
			}
		}
	}
	if late < len(list) && x.next(2) == 0 {
		list = list[late:]
	}
	if len(list) == 0 {
		return -1
	}
	return list[x.next(len(list))]
}

func (e *observedStep) step() Step {
	return Step{G: e.g, Site: e.site.key(), Occ: e.occ}
}

// placeOf is where a step of a plan is in a run.
func (x *fuzzer) placeOf(k *kept, st Step) (int, bool) {
	i, ok := k.steps.places[st.passing()]
	return i, ok
}

// meets reports whether two steps of different goroutines touch the same object.
func (e *observedStep) meets(f *observedStep) bool {
	return e.g != f.g && slices.ContainsFunc(e.touches, func(t touch) bool {
		return slices.ContainsFunc(f.touches, func(u touch) bool {
			return t.object == u.object && (t.kind != touchRead || u.kind != touchRead)
		})
	})
}

// window is how far two steps may be apart that are to come the other way round.
const window = 200

// newChain has two steps that meet come the other way round.
func (x *fuzzer) newChain(k *kept) (Input, bool) {
	j := x.some(k, func(e *observedStep) bool { return len(e.touches) > 0 })
	if j < 0 {
		return Input{}, false
	}
	var list []int
	for i := max(j-window, 0); i < j; i++ {
		if k.steps.events[i].meets(&k.steps.events[j]) && !k.steps.before(i, j) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return Input{}, false
	}
	i := list[x.next(len(list))]
	in := x.upTo(k, k.steps.events[i].at)
	in.Chain = []Step{k.steps.events[j].step(), k.steps.events[i].step()}
	return in, true
}

// otherChain changes a chain: it leaves a link out, swaps two, puts another step of the same goroutine in
// the place of one, or adds one that meets the last.
func (x *fuzzer) otherChain(k *kept) (Input, bool) {
	chain := slices.Clone(k.in.Chain)
	if len(chain) < 2 {
		return Input{}, false
	}
	i := x.next(len(chain))
	at, known := x.placeOf(k, chain[i])
	switch x.next(4) {
	case 0:
		if len(chain) < 3 {
			return Input{}, false
		}
		if x.next(2) == 0 {
			chain = chain[1:]
		} else {
			chain = chain[:len(chain)-1]
		}
	case 1:
		i = x.next(len(chain) - 1)
		chain[i], chain[i+1] = chain[i+1], chain[i]
	case 2:
		if !known {
			return Input{}, false
		}
		near := x.some(k, func(e *observedStep) bool { return e.g == chain[i].G && len(e.touches) > 0 })
		if near < 0 || near == at {
			return Input{}, false
		}
		chain[i] = k.steps.events[near].step()
	default:
		last, ok := x.placeOf(k, chain[len(chain)-1])
		if !ok || len(chain) >= maxChain {
			return Input{}, false
		}
		meets := x.some(k, func(e *observedStep) bool { return e.meets(&k.steps.events[last]) })
		if meets < 0 || slices.Contains(chain, k.steps.events[meets].step()) {
			return Input{}, false
		}
		chain = append(chain, k.steps.events[meets].step())
	}
	first := len(k.trace)
	for _, st := range chain {
		if i, ok := x.placeOf(k, st); ok {
			first = min(first, k.steps.events[i].at)
		}
	}
	in := x.upTo(k, first)
	in.Chain = chain
	return in, true
}

// feasible reports whether no link of a chain has to come before an earlier one, as far as a run has
// shown.
func (x *fuzzer) feasible(k *kept, chain []Step) bool {
	for j, later := range chain {
		b, ok := x.placeOf(k, later)
		if !ok {
			continue
		}
		for _, earlier := range chain[:j] {
			if a, ok := x.placeOf(k, earlier); ok && (a == b || k.steps.before(b, a)) {
				return false
			}
		}
	}
	return true
}

// otherAnswer has the environment answer otherwise once.
func (x *fuzzer) otherAnswer(k *kept) (Input, bool) {
	if len(k.choices) == 0 {
		return Input{}, false
	}
	c := k.choices[x.next(len(k.choices))]
	if c.N < 2 {
		return Input{}, false
	}
	c.Value = (c.Value + 1 + x.next(c.N-1)) % c.N
	c.Late = 0
	in := x.upTo(k, len(k.trace))
	in.Choices = append(slices.DeleteFunc(slices.Clone(in.Choices), func(o EnvChoice) bool {
		return o.G == c.G && o.Site == c.Site && o.Occ == c.Occ
	}), c)
	return in, true
}

// otherEnd goes on at random from somewhere.
func (x *fuzzer) otherEnd(k *kept) (Input, bool) {
	if len(k.trace) == 0 {
		return Input{}, false
	}
	i := x.some(k, func(*observedStep) bool { return true })
	if i < 0 {
		return Input{}, false
	}
	return x.upTo(k, k.steps.events[i].at), true
}

// few are inputs that together have come to all that those that were kept have: first those that have
// come to most.
func (x *fuzzer) few() (out []Input) {
	have := map[uint64]bool{}
	rest := slices.Clone(x.corpus)
	for len(rest) > 0 {
		best, most := -1, 0
		for i, k := range rest {
			n := 0
			for _, f := range k.features {
				if !have[f] {
					n++
				}
			}
			if n > most || n == most && best >= 0 && n > 0 && len(k.in.Prefix) < len(rest[best].in.Prefix) {
				best, most = i, n
			}
		}
		if best < 0 {
			break
		}
		for _, f := range rest[best].features {
			have[f] = true
		}
		out = append(out, rest[best].in)
		rest = slices.Delete(rest, best, best+1)
	}
	return out
}
