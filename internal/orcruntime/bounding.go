//go:build go1.25

package orcruntime

// Bounding has an exploration run all schedules with no preemption, then those with one,
// and so on (Musuvathi, Qadeer: Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs, PLDI 2007). A preemption is that another goroutine is chosen
// though the one that has done the last step could go on, or that time passes though a
// goroutine could. Where the goroutine is blocked, spins or has ended, where time has
// passed, and after every slice of its steps, the choice is free; so are those of select
// cases and of the environment.
//
// Of prefixes with the same fingerprint one is gone on with. This is not to be combined
// with sleep sets and wakeup trees: what these leave out since an equivalent execution is
// run elsewhere may need more preemptions there (Coons, Musuvathi, McKinley: Bounded
// Partial-Order Reduction, OOPSLA 2013).
type Bounding struct {
	// Last is the greatest number of preemptions; AllPreemptions: there is none.
	Last int
	// Fingerprints is how many are kept; 0 is 2²⁰, -1: none. If there are more, all are
	// forgotten, and equivalent executions are run.
	Fingerprints int
}

// AllPreemptions is for Bounding.Last: the search ends when no schedule was left out.
const AllPreemptions = -1

// Bounded is how far an exploration has come with a bound of preemptions.
type Bounded struct {
	Preemptions int
	// Runs and Cut are as those of Exhausted, of this bound: also of executions with
	// less preemptions.
	Runs, Cut int
	// Complete: there is no other execution with at most so many.
	Complete bool
	// Postponed: there are choices that need more preemptions.
	Postponed bool
	// Behind: goroutines call uninstrumented code in steps of others.
	Behind bool `json:",omitempty"`
}

const (
	// maxFingerprints is the default of Bounding.Fingerprints.
	maxFingerprints = 1 << 20
	// slice is after how many of its steps a goroutine may be left for another one at no
	// cost, so that one that never blocks does not keep all others from going on.
	slice = 64
)

// bounding is the strategy.
type bounding struct {
	*search
	how    Bounding
	prints fingerprint
	// seen are the fingerprints of prefixes after which all was explored, with one more
	// than the number of preemptions that were left.
	seen map[uint64]int
	// Of the run at hand:
	used  int   // preemptions
	steps []int // by goroutine
	baton int32 // the goroutine that has done the last step, -1: none, or time has passed
}

func newBounding(x *search, how Bounding) *bounding {
	if how.Fingerprints == 0 {
		how.Fingerprints = maxFingerprints
	}
	if len(x.out.Preemptions) == 0 {
		x.out.Preemptions = []Bounded{{}}
	}
	return &bounding{search: x, how: how, seen: map[uint64]int{}}
}

// now is the bound at hand.
func (b *bounding) now() *Bounded { return &b.out.Preemptions[len(b.out.Preemptions)-1] }

func (b *bounding) begin() {
	b.prints.reset()
	b.used, b.baton, b.steps = 0, -1, b.steps[:0]
}

func (b *bounding) observe() { b.prints.update(b.exec) }

func (b *bounding) stepped(_ *run, e *event) {
	if b.baton = e.g; e.g < 0 {
		return
	}
	for int(e.g) >= len(b.steps) {
		b.steps = append(b.steps, 0)
	}
	b.steps[e.g]++
}

func (b *bounding) chose(g *goroutine, value int) { b.prints.chose(g, value) }

// holder is who has the baton and could go on, in v.Ready; -1 if nobody, so that it costs
// nothing to choose.
func (b *bounding) holder(v View, ready []int) int {
	for _, i := range ready {
		if g := v.Ready[i].g; g.seq == b.baton && b.steps[g.seq]%slice != 0 {
			return i
		}
	}
	return -1
}

// open chooses who has the baton first, then, if preemptions are left, all others.
func (b *bounding) open(n *Node, s *run, v View, ready []int, stall bool) bool {
	left := b.now().Preemptions - b.used
	holder := b.holder(v, ready)
	if len(n.Ready) > 1 && s.strays.Load() == 0 && !b.first(b.print(s, v, holder), left) {
		return false
	}
	first := holder
	for _, i := range ready { // else who has waited longest
		if holder < 0 && (first < 0 || b.ageOf(v.Ready[i].g) < b.ageOf(v.Ready[first].g)) {
			first = i
		}
	}
	n.Chosen = v.Ready[first].G
	if holder < 0 || left > 0 {
		for _, g := range n.Ready {
			if g != n.Chosen && (g != TimeStep || left > 0) {
				n.To = append(n.To, branch{G: g})
			}
		}
	}
	if len(n.To)+1 < len(n.Ready) {
		b.now().Postponed = true
	}
	return true
}

// print is the fingerprint of a prefix, with what besides decides how it can go on.
func (b *bounding) print(s *run, v View, holder int) uint64 {
	sum := mix(b.prints.all(b.exec), s.queues(b.now().Behind), uint64(b.stalls))
	if holder >= 0 && lastComponent.in() {
		sum = mix(sum, v.Ready[holder].g.number)
	}
	if looksComponent.in() {
		sum = mix(sum, b.lookHash(s))
	}
	return sum
}

// first reports whether a prefix with the fingerprint has to be explored with so many
// preemptions left.
func (b *bounding) first(print uint64, left int) bool {
	if b.how.Fingerprints < 0 {
		return true
	}
	known := b.seen[print]
	if known > left || known > 0 && !leftComponent.in() {
		return false
	}
	if known == 0 && len(b.seen) >= b.how.Fingerprints {
		clear(b.seen)
	}
	b.seen[print] = left + 1
	return true
}

func (b *bounding) taken(v View, ready []int, i int) {
	if i == TimePasses {
		b.used++
	} else if holder := b.holder(v, ready); holder >= 0 && holder != i {
		b.used++
	}
}

func (b *bounding) analyse(res Result) {
	now := b.now()
	now.Behind = now.Behind || b.exec.behind != 0
	if b.cutOff {
		now.Cut++
		return // what it has shown, an equivalent one has, too
	}
	now.Runs++
	b.races(res, func(int, int) {})
}

func (b *bounding) leave(*Node) {}

func (b *bounding) note(*Node, int, *run) {}

func (b *bounding) more() (again, all bool) {
	now := b.now()
	now.Complete = true
	if !now.Postponed {
		return false, true
	}
	b.out.Preemptions = append(b.out.Preemptions, Bounded{Preemptions: now.Preemptions + 1, Behind: now.Behind})
	clear(b.seen)
	return !b.over(), false
}

// over reports whether the bound at hand is beyond the last one.
func (b *bounding) over() bool { return b.how.Last >= 0 && b.now().Preemptions > b.how.Last }

// lookHash is the hash of who looks at what in vain.
func (x *search) lookHash(s *run) (sum uint64) {
	for _, g := range s.live {
		if int(g.seq) >= len(x.looked) {
			continue
		}
		for i := range x.looked[g.seq] {
			l := &x.looked[g.seq][i]
			fresh := uint64(0)
			if x.unchanged(l) {
				fresh = 1
			}
			sum += mix(g.number, uint64(l.site), uint64(l.n), fresh)
		}
	}
	return sum
}
