//go:build go1.25

package orcruntime

import (
	"slices"
	"unsafe"
)

// observation is what was done in a run, step by step, for another run to do it otherwise: the guards
// that were passed, what they touch, and what orders them. It is nil in runs of which nobody asks
// for it; all of its methods are no-ops then.
//
// What orders steps is what has to: the order of the steps of a goroutine, its start, a value that is
// passed, a WaitGroup, a Once, a Cond. That a lock was taken by one after the other could have
// been otherwise.
type observation struct {
	events  []observedStep
	places  map[passing]int // of events
	clocks  map[*goroutine][]int
	numbers map[*goroutine]int
	keys    map[syncKey][]int
	sent    map[unsafe.Pointer][][]int // by channel, of each send
	closed  map[unsafe.Pointer][]int
	got     map[unsafe.Pointer]int // how many were received
}

// passing is one pass of a guard.
type passing struct {
	g    string
	site Site
	occ  int
}

// observedStep is a step.
type observedStep struct {
	passing
	at      int // in the trace
	op      op
	cases   int
	touches []touch
	number  int   // of the goroutine
	clock   []int // how many steps of each goroutine have to come before, its own with it
}

// maxObserved bounds the steps that are looked at.
const maxObserved = 3000

func newObservation() *observation {
	return &observation{
		places: map[passing]int{}, clocks: map[*goroutine][]int{}, numbers: map[*goroutine]int{}, keys: map[syncKey][]int{},
		sent: map[unsafe.Pointer][][]int{}, closed: map[unsafe.Pointer][]int{}, got: map[unsafe.Pointer]int{},
	}
}

// clock is that of a goroutine.
func (o *observation) clock(g *goroutine) []int {
	n, ok := o.numbers[g]
	if !ok {
		n = len(o.numbers)
		o.numbers[g] = n
	}
	c := o.clocks[g]
	for len(c) <= n {
		c = append(c, 0)
	}
	o.clocks[g] = c
	return c
}

// joined is the later of two clocks, part by part.
func joined(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, n := range b {
		out[i] = max(out[i], n)
	}
	return out
}

func (o *observation) step(g *goroutine, touches []touch) {
	if o == nil || len(o.events) >= maxObserved {
		return
	}
	c := o.clock(g)
	c[o.numbers[g]]++
	at := passing{g.path, g.site, g.occ()}
	if _, again := o.places[at]; !again {
		o.places[at] = len(o.events)
	}
	o.events = append(o.events, observedStep{
		passing: at, at: len(g.run.trace) - 1, op: g.op, cases: len(g.cases), touches: slices.Clone(touches), number: o.numbers[g], clock: slices.Clone(c),
	})
}

// before reports whether step i of the events has to come before step j.
func (o *observation) before(i, j int) bool {
	a, b := &o.events[i], &o.events[j]
	return len(b.clock) > a.number && b.clock[a.number] >= a.clock[a.number]
}

func (o *observation) started(parent, child *goroutine) {
	if o != nil {
		c := slices.Clone(o.clock(parent))
		o.clock(child)
		o.clocks[child] = joined(o.clocks[child], c)
	}
}

// orders: the operation that g does orders goroutines whatever the schedule.
func orders(g *goroutine) bool {
	switch g.op {
	case opLock, opRLock, opTryLock, opTryRLock, opUnlock, opRUnlock:
		return false
	}
	return true
}

func (o *observation) released(g *goroutine, k syncKey) {
	if o != nil && orders(g) {
		o.keys[k] = joined(o.keys[k], o.clock(g))
	}
}

func (o *observation) acquired(g *goroutine, k syncKey) {
	if o != nil && orders(g) {
		o.clocks[g] = joined(o.clock(g), o.keys[k])
	}
}

func (o *observation) met(g, w *goroutine) {
	if o == nil {
		return
	}
	both := joined(o.clock(g), o.clock(w))
	o.clocks[g], o.clocks[w] = both, slices.Clone(both)
}

func (o *observation) communicated(g *goroutine, k Case) {
	if o == nil {
		return
	}
	p := k.channel()
	switch {
	case k.sends():
		o.sent[p] = append(o.sent[p], slices.Clone(o.clock(g)))
	case !k.received():
		o.clocks[g] = joined(o.clock(g), o.closed[p])
	default:
		n := o.got[p]
		o.got[p]++
		if n < len(o.sent[p]) {
			o.clocks[g] = joined(o.clock(g), o.sent[p][n])
		}
	}
}

// closes is told of the step that closes a channel.
func (o *observation) closes(g *goroutine, p unsafe.Pointer) {
	if o != nil {
		o.closed[p] = slices.Clone(o.clock(g))
	}
}

// release forgets all that is of the program itself, which its memory would stay for. Objects are numbers
// from then on.
func (o *observation) release() {
	numbers := map[touched]int32{}
	for i := range o.events {
		for j := range o.events[i].touches {
			t := &o.events[i].touches[j]
			n, ok := numbers[t.object]
			if !ok {
				n = int32(len(numbers))
				numbers[t.object] = n
			}
			t.object = touched{space: t.object.space, n: n}
		}
	}
	o.clocks, o.numbers, o.keys, o.sent, o.closed, o.got = nil, nil, nil, nil, nil, nil
}
