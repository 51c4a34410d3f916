//go:build go1.25

package orcruntime

import "slices"

// fingerprint is a hash of what the steps of a run so far have come to. It is that of the
// trace: of the steps of every goroutine, in their order, each with those before it that
// it depends on. Steps that do not depend on each other commute (see dependent), so that
// runs with the same trace have come to the same state, in whatever order their steps
// were done.
//
// The hash of a step is made of that of the step before it of its goroutine, of how it
// came out, and, for each kind of touch of its objects that it depends on, of the sum of
// the hashes of all steps that have touched the object so. The sums make steps commute
// that do not depend on each other, such as two that read. The hash of a prefix is the
// sum of those of the last steps of all goroutines.
//
// A send, receive or select is one step more, in the moment in which it is completed,
// which may be later, by what another goroutine does. Until then it is hashed only as a
// wait: it has seen nothing, and nobody has seen it. All that it has is a place in the
// queues of its channels, which is no part of a trace, see queues. So it makes no
// difference whether a send or the receive that meets it came first.
//
// Hashes have 64 bits. Of n states two have the same one with a probability of at most
// n²/2⁶⁵, which for a million is less than one in ten million.
type fingerprint struct {
	past   []uint64 // of goroutines: the hash of the last step
	hashed int      // events
	slots  map[touched]int
	sums   [][touchKinds]uint64 // by slot and kind
	// choices is the sum of the hashes of the choices of the environment, made by
	// goroutines that have asked so often.
	choices uint64
	asked   map[uint64]uint64
	pending []hashedComm
}

// hashedComm is the step of a communication that is completed.
type hashedComm struct {
	g       int32
	hash    uint64
	touches []touch
}

// component is a part of the fingerprint, or of what is compared besides.
type component uint8

const (
	noComponent     component = iota
	touchComponent            // how a step has touched its objects, which is how it came out
	choiceComponent           // of the environment
	timeComponent             // what depends on that time has passed
	queueComponent            // the order of those who wait for the same
	behindComponent           // the order of all who wait
	callsComponent            // the order in which they have called uninstrumented code
	lastComponent             // who has done the last step
	leftComponent             // how many preemptions are left
	looksComponent            // who looks in vain
)

// omitted is a component that a test leaves out, to see that it is needed.
var omitted component

func (c component) in() bool { return omitted != c }

// reset makes it ready for another run.
func (f *fingerprint) reset() {
	if f.slots == nil {
		f.slots, f.asked = make(map[touched]int), make(map[uint64]uint64)
	}
	clear(f.slots)
	clear(f.asked)
	f.past, f.sums, f.hashed, f.choices = f.past[:0], f.sums[:0], 0, 0
}

// chose notes a choice of the environment: value, for g. That it belongs to the step at
// hand need not be hashed: the goroutine has asked so often in its steps so far.
func (f *fingerprint) chose(g *goroutine, value int) {
	f.asked[g.number]++
	if choiceComponent.in() {
		f.choices += mix(g.number, f.asked[g.number], uint64(value))
	}
}

// update takes in the steps that have been done. What their communications touch has not
// been added to them yet, see execution.touchesOf.
func (f *fingerprint) update(x *execution) {
	for ; f.hashed < len(x.events); f.hashed++ {
		for len(f.past) < len(x.names) {
			f.past = append(f.past, hashText(x.names[len(f.past)]))
		}
		f.step(x, &x.events[f.hashed])
		f.completed(x, int32(f.hashed))
	}
}

// step takes in a step, without communications.
func (f *fingerprint) step(x *execution, e *event) {
	h := uint64(e.site)
	if e.g >= 0 {
		h = mix(f.past[e.g], h)
	} else if timeComponent.in() {
		// Time depends on everything, and everything on it.
		h = mix(f.all(x), h)
	}
	h = f.touched(h, e.touches)
	f.touch(h, e.touches)
	if e.g >= 0 {
		f.past[e.g] = h
		return
	}
	for g := range f.past {
		if timeComponent.in() {
			f.past[g] = mix(h, hashText(x.names[g]))
		}
	}
}

// completed takes in the communications that a step has completed. Those of one step do
// not depend on each other.
func (f *fingerprint) completed(x *execution, event int32) {
	f.pending = f.pending[:0]
	for i, id := range x.changed {
		c := &x.comms[id]
		if c.end != event || slices.Contains(x.changed[:i], id) {
			continue
		}
		g := x.events[c.event].g
		if g < 0 {
			continue // a goroutine that time has started is not at a guard
		}
		touches := x.outcomeOf(c)
		f.pending = append(f.pending, hashedComm{g, f.touched(mix(f.past[g], 1), touches), touches})
	}
	for _, c := range f.pending {
		f.past[c.g] = c.hash
		f.touch(c.hash, c.touches)
	}
}

// touched is the hash of a step with what it touches, and with what it depends on.
func (f *fingerprint) touched(h uint64, touches []touch) uint64 {
	for _, t := range touches {
		if t.kind == touchFreed {
			continue // it says only who of a send and a receive came first
		}
		if touchComponent.in() {
			h = mix(h, uint64(t.kind))
		}
		slot, known := f.slots[t.object]
		if !known {
			continue
		}
		for k, sum := range f.sums[slot] {
			if sum != 0 && (dependent[k][t.kind] || dependent[t.kind][k]) {
				h = mix(h, uint64(k), sum)
			}
		}
	}
	return h
}

// touch has later steps depend on a step with this hash.
func (f *fingerprint) touch(h uint64, touches []touch) {
	for _, t := range touches {
		if t.kind == touchFreed {
			continue
		}
		slot, known := f.slots[t.object]
		if !known {
			slot = len(f.sums)
			f.slots[t.object] = slot
			f.sums = append(f.sums, [touchKinds]uint64{})
		}
		f.sums[slot][t.kind] += h
	}
}

// all is the hash of everything that was done.
func (f *fingerprint) all(x *execution) uint64 {
	sum := f.choices
	if callsComponent.in() {
		sum += x.behind
	}
	for g, h := range f.past {
		sum += mix(h, hashText(x.names[g]))
	}
	return sum
}

// outcomeOf is what a communication that is completed has touched, as far as others may
// depend on it afterwards. In the order of the cases it also says which was taken.
func (x *execution) outcomeOf(c *communication) (out []touch) {
	for i, k := range c.cases {
		if k.channel() == nil {
			continue
		}
		object := touched{space: spaceChan, p: k.channel()}
		switch {
		case i != c.chosen:
			out = append(out, touch{object, offer(k)})
		case k.sends():
			out = append(out, touch{object, touchSend}, touch{object, touchFilled})
		case c.value:
			out = append(out, touch{object, touchRecv}, touch{object, touchTaken})
		default:
			out = append(out, touch{object, touchRecvClosed})
		}
		if !k.sends() && k.event() && !x.own[k.channel()] {
			out = append(out, touch{touched{space: spaceLibrary}, touchLibrarySee})
		}
	}
	return out
}

// queues is the hash of the order in which goroutines are queued for the same object. If
// all, it is that of the order in which all are queued: those that one step completes go
// on in that order, which shows if they call uninstrumented code on the way.
func (s *run) queues(all bool) (sum uint64) {
	for i, b := range s.blocked {
		for _, a := range s.blocked[:i] {
			if all && behindComponent.in() || meet(a, b) && queueComponent.in() {
				sum += mix(a.number, b.number)
			}
		}
	}
	return sum
}

// meet reports whether two goroutines are queued for the same.
func meet(a, b *goroutine) bool {
	if a.lock.kind != noLock && a.lock.p == b.lock.p {
		return true
	}
	if len(a.cases) == 0 || len(b.cases) == 0 {
		return a.obj != nil && a.obj == b.obj
	}
	for _, c := range a.cases {
		for _, d := range b.cases {
			if p := c.channel(); p != nil && p == d.channel() {
				return true
			}
		}
	}
	return false
}
