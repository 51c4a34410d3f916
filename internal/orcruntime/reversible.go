//go:build go1.25

package orcruntime

import (
	"math"
	"slices"
)

// happensBefore is the order of that name of an execution, of which its reversible races
// follow: pairs of dependent steps of two goroutines with nothing between them that
// orders them. In another execution they come the other way round. It is kept by vector
// clocks, one component for each goroutine: how many of its steps have happened before.
// The steps in which time passes have one as well, as if a goroutine did them.
//
// It is worked out when the execution is over, since how a send or receive depends on
// others shows only when it is completed.
type happensBefore struct {
	x      *execution
	clocks []clock // of goroutines, and of time: what has happened before their next step
	time   int32   // its component
	after  []clock // of events, themselves included
	local  []uint32
	counts []uint32

	objects  map[touched][]toucher
	released map[syncKey]*clock
	chans    map[syncKey]*chanClock
	buf      []uint32 // behind the clocks

	// together are the steps with calls of uninstrumented code that might come in another
	// order, and do not, since the steps have done something before. See call.
	together []int32
	called   [][]callRecord // by goroutine, of steps that are not apart
	lastCall []uint32       // by goroutine, 0: none

	adds  map[syncKey][]added // to WaitGroups
	early bool                // a Done may come before its Add

	before     clock // of the event at hand: what its goroutine had behind it
	candidates []int32
	// letIn are those of them that have unlocked for another goroutine what the event
	// locks. That they come after an earlier lock does not keep the event from coming
	// before that: they would unlock for it.
	letIn []int32
}

// toucher is the last event by which a goroutine has touched an object so.
type toucher struct {
	g     int32
	kind  touchKind
	event int32
}

// newClock returns a copy of c with a component for each goroutine, and one for time.
func (o *happensBefore) newClock(c clock) clock {
	n := len(o.x.names) + 1
	if len(o.buf)+n > cap(o.buf) {
		o.buf = make([]uint32, 0, max(4*cap(o.buf), 64*n, 1024))
	}
	at := len(o.buf)
	o.buf = o.buf[:at+n]
	out := clock(o.buf[at : at+n : at+n])
	clear(out)
	copy(out, c)
	return out
}

// races calls found for every reversible race: of the events first and second.
func (o *happensBefore) races(x *execution, found func(first, second int)) {
	o.x = x
	for i := range x.comms {
		x.touchesOf(&x.comms[i])
	}
	x.offersOfPartners()
	n := len(x.names)
	o.time = int32(n)
	o.buf = o.buf[:0]
	o.clocks, o.after, o.local, o.counts = o.clocks[:0], o.after[:0], o.local[:0], append(o.counts[:0], make([]uint32, n+1)...)
	if o.objects == nil {
		o.objects = make(map[touched][]toucher)
	}
	clear(o.objects)
	o.together, o.called, o.lastCall = o.together[:0], make([][]callRecord, n), make([]uint32, n)
	o.adds, o.early = make(map[syncKey][]added), false
	o.released, o.chans = make(map[syncKey]*clock), make(map[syncKey]*chanClock)
	for range n + 1 {
		o.clocks = append(o.clocks, o.newClock(nil))
	}
	for i := range x.events {
		o.event(i, found)
	}
}

// event adds an event to the order.
func (o *happensBefore) event(i int, found func(first, second int)) {
	e := &o.x.events[i]
	if e.whole {
		all := o.newClock(nil)
		for _, c := range o.clocks {
			all.join(c)
		}
		for g := range o.clocks {
			copy(o.clocks[g], all)
		}
		o.after, o.local = append(o.after, all), append(o.local, 0)
		return
	}
	own := o.component(e.g)
	o.before = o.newClock(o.clocks[own])
	o.candidates, o.letIn = o.candidates[:0], o.letIn[:0]
	for _, t := range e.touches {
		for _, d := range o.objects[t.object] {
			if d.g != e.g && dependent[d.kind][t.kind] {
				o.candidates = append(o.candidates, d.event)
				if d.kind == touchForeignUnlock && t.kind == touchLock {
					o.letIn = append(o.letIn, d.event)
				}
			}
		}
	}
	now := o.newClock(o.before)
	slices.Sort(o.candidates)
	o.candidates = slices.Compact(o.candidates)
	// The latest one comes first: an earlier one that has happened before it is no race of its own, since
	// it cannot be reversed alone.
	for k := len(o.candidates) - 1; k >= 0; k-- {
		c := o.candidates[k]
		if o.happened(int(c), now) {
			continue // with all that has happened before it
		}
		found(int(c), i)
		if !slices.Contains(o.letIn, c) {
			now.join(o.after[c])
		}
	}
	for _, c := range o.letIn {
		now.join(o.after[c])
	}
	for k := e.firstAct; k < e.lastAct; k++ {
		if a := &o.x.acts[k]; a.kind == actPassed { // who goes on in the step was there before
			now.join(o.clocks[a.other])
		}
	}
	if e.waits {
		o.after, o.local = append(o.after, now), append(o.local, math.MaxUint32)
		return
	}
	o.counts[own]++
	now[own] = o.counts[own]
	o.after, o.local = append(o.after, now), append(o.local, o.counts[own])
	copy(o.clocks[own], now)
	for k := e.firstAct; k < e.lastAct; k++ {
		o.act(&o.x.acts[k])
	}
	for k := range e.calls {
		o.call(i, e.calls[k].g)
	}
	for _, t := range e.touches {
		list := o.objects[t.object]
		j := slices.IndexFunc(list, func(d toucher) bool { return d.g == e.g && d.kind == t.kind })
		if j < 0 {
			o.objects[t.object] = append(list, toucher{e.g, t.kind, int32(i)})
		} else {
			list[j].event = int32(i)
		}
	}
}

// callRecord is a call of uninstrumented code: the step that it was made in, and how many
// steps its goroutine had done by then.
type callRecord struct {
	event int32
	local uint32
}

// maxCallRecords bounds the calls of one goroutine that are remembered.
const maxCallRecords = 64

// call looks for calls of other goroutines before one of g that might as well come after
// it: nothing that their goroutines have done later has happened before it. To reverse two
// steps reverses such calls only if the steps begin with them.
func (o *happensBefore) call(event int, g int32) {
	apart := o.x.events[event].apart
	now := o.clocks[g]
	hides := false
	for other := range o.called {
		if int32(other) == g {
			continue
		}
		unordered := func(local uint32) bool { return local+1 > now[other] }
		hides = hides || o.lastCall[other] > 0 && unordered(o.lastCall[other]-1)
		for k := len(o.called[other]) - 1; k >= 0 && unordered(o.called[other][k].local); k-- {
			o.together = append(o.together, o.called[other][k].event)
		}
	}
	if hides && !apart {
		o.together = append(o.together, int32(event))
	}
	local := o.counts[g]
	o.lastCall[g] = local + 1
	if !apart {
		if len(o.called[g]) == maxCallRecords {
			o.called[g] = append(o.called[g][:0], o.called[g][1:]...)
		}
		o.called[g] = append(o.called[g], callRecord{int32(event), local})
	}
}

// happened reports whether an event is among what a clock counts.
func (o *happensBefore) happened(event int, c clock) bool {
	e := &o.x.events[event]
	return e.whole || o.local[event] <= c[o.component(e.g)]
}

// component is that of a goroutine, or of time.
func (o *happensBefore) component(g int32) int32 {
	if g < 0 {
		return o.time
	}
	return g
}

func (o *happensBefore) channel(k syncKey) *chanClock {
	h := o.chans[k]
	if h == nil {
		h = new(chanClock)
		o.chans[k] = h
	}
	return h
}

// act orders goroutines by what a step has done.
func (o *happensBefore) act(a *act) {
	if a.g < 0 { // time has started it, or let it go on
		o.clocks[a.other].join(o.after[len(o.after)-1])
		return
	}
	g := &o.clocks[a.g]
	switch a.kind {
	case actStart, actWake:
		o.clocks[a.other].join(*g)
	case actMet:
		other := &o.clocks[a.other]
		g.join(*other)
		other.join(*g)
	case actSettle:
		for _, c := range o.clocks {
			g.join(c)
		}
	case actCount:
		o.count(a, *g)
	case actRelease:
		c := o.released[a.object]
		if c == nil {
			c = new(clock)
			*c = o.newClock(nil)
			o.released[a.object] = c
		}
		c.join(*g)
	case actAcquire:
		if c := o.released[a.object]; c != nil {
			g.join(*c)
		}
	case actClose:
		h := o.channel(a.object)
		h.closed = o.newClock(*g)
	case actClosed:
		g.join(o.channel(a.object).closed)
	case actSend:
		h := o.channel(a.object)
		if h.sends++; h.sends > a.n && len(h.taken) > 0 {
			g.join(h.taken[0])
			h.taken = h.taken[1:]
		}
		h.sent = append(h.sent, o.newClock(*g))
	case actRecv:
		h := o.channel(a.object)
		if len(h.sent) > 0 { // else uninstrumented code has sent it
			g.join(h.sent[0])
			h.sent = h.sent[1:]
		}
		h.taken = append(h.taken, o.newClock(*g))
	}
}

// added is what an event has added to a WaitGroup, and nobody has taken off.
type added struct {
	event int
	left  int
}

// count finds for every Done an Add of its own that has happened before it. If there is
// one for each, no order of the steps of this execution makes a counter negative (Hall's
// theorem).
func (o *happensBefore) count(a *act, now clock) {
	list := o.adds[a.object]
	if a.n > 0 {
		o.adds[a.object] = append(list, added{len(o.after) - 1, a.n})
		return
	}
	for n := -a.n; n > 0; n-- {
		// The last one is the one that the fewest can have.
		i := len(list) - 1
		for i >= 0 && (list[i].left == 0 || !o.happened(list[i].event, now)) {
			i--
		}
		if i < 0 {
			o.early = true
			return
		}
		list[i].left--
	}
}

// initials are the goroutines that could come first, in the place of the event first, in
// an execution in which second does not come after it: of the events from there up to
// second that do not depend on first, those that nothing else of these has to precede.
func (o *happensBefore) initials(first, second int) (out []int32) {
	race := reversal{int32(first), int32(second), o.before, o.candidates}
	var heads []int // the first event of each goroutine among those
	for k := first + 1; k <= second; k++ {
		g := o.x.events[k].g
		if k < second && (o.x.events[k].waits || o.x.events[k].whole || o.happened(first, o.after[k])) {
			continue
		}
		before := func(head int) bool {
			if k < second {
				return o.happened(head, o.after[k])
			}
			return o.precedes(&race, head)
		}
		own := func(head int) bool { return o.x.events[head].g == g }
		if slices.ContainsFunc(heads, own) {
			continue
		}
		if !slices.ContainsFunc(heads, before) {
			out = append(out, g)
		}
		heads = append(heads, k)
	}
	return out
}

// precedes reports whether an event has to come before the second one of a race even if
// the first one does not.
func (o *happensBefore) precedes(r *reversal, event int) bool {
	if o.happened(event, r.before) {
		return true
	}
	return slices.ContainsFunc(r.candidates, func(c int32) bool {
		return c != r.first && !o.happened(int(r.first), o.after[c]) && o.happened(event, o.after[c])
	})
}
