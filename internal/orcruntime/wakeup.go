//go:build go1.25

package orcruntime

import "slices"

// A wakeup tree is what is to be run at a node besides what was run first: sequences of
// steps, those with a common beginning together. Each reverses a race, and wakes all who
// are asleep where it begins, so that no execution that begins with it is cut (Abdulla,
// Aronis, Jonsson, Sagonas: Source Sets, Journal of the ACM 64, 2017).
//
// A sequence is left out if somebody who is asleep could as well come first: what he has
// touched depends on nothing in it, up to the end of the execution. That is right only as
// long as all that the executions with him first have shown is run, too, which the trees
// see to: it is in them, at the same nodes. A run can leave its tree, since a goroutine is
// not ready that was to go on, or a step has another choice of the environment, and at the
// end of a tree somebody may be asleep who should not. From there on the sleepers are
// stale, and nodes with stale sleepers are explored by source sets, of the same authors:
// only who is first in a sequence has it left out. That never loses an execution, but some
// are begun that turn out to be equivalent to others. Trees are advice then.
//
// So the reduction is optimal where operations are what the theory takes them for. It is
// not where
//   - a step has a choice: a select with several ready cases, the environment. All values
//     are run, also those that wake nobody;
//   - a step ends the program: what the others would have done is not known, and they are
//     all tried, though mostly nothing of it depends on that step;
//   - a step that could come out in several ways is reversed, a select, a TryLock or the
//     length of a channel, and others have to do with the same objects that it has no
//     order to: they may be needed before it, or in the way. The sequence is open then,
//     and nothing but its first step is run;
//   - time may pass before a step that depends on it: it is tried there, though for whom it passes is not known.

// branch is a step of a wakeup tree, and what comes after it.
type branch struct {
	G string // creation path, or TimeStep
	// Values are those of the environment, and the cases, that the step has chosen.
	Values []int    `json:",omitempty"`
	Then   []branch `json:",omitempty"`
	// Unless has those that could as well come before this step and what follows, as far
	// as that is known before they are run. Then what has no address is compared: Extra
	// is what the step, and what follows, have touched of that.
	Unless []string     `json:",omitempty"`
	Extra  []extraTouch `json:",omitempty"`
	// Loose: what the sequence comes to is open, see there.
	Loose bool `json:",omitempty"`
}

// maxWakeup bounds the steps of a sequence, and so what nodes need.
const maxWakeup = 512

// reversal is a race that may be reversed: of the events first and second.
type reversal struct {
	first, second int32
	before        clock   // what the goroutine of second had behind it
	candidates    []int32 // what second depends on
}

// standing is what the next step of a goroutine may touch that stands at a guard at a node.
type standing struct {
	g        string
	from, to int32 // in reduction.touches
}

// sequence is what is to come first, in the place of a race: all later events but those
// that the first event of the race has to precede.
type sequence struct {
	x       *reduction
	race    *reversal
	events  []int32
	heads   []head
	removed []int32 // the goroutines of the events that were taken away
	// strict: the node is not loose, and the execution is at its end, so that nothing is
	// missing in the sequence.
	strict bool
}

// head is the first event of a goroutine in a sequence.
type head struct {
	g, event int32
	at       int // in the sequence
	initial  bool
}

// sequenceOf makes the sequence of a race. It is valid until the next one is made.
func (x *reduction) sequenceOf(r *reversal) *sequence {
	v := &x.sequence
	v.x, v.race, v.events = x, r, v.events[:0]
	v.removed = v.removed[:0]
	for k := r.first + 1; int(k) < len(x.exec.events); k++ {
		e := &x.exec.events[k]
		if k == r.second || k != x.ender && !e.waits && !e.whole && !x.hb.happened(int(r.first), x.hb.after[k]) {
			v.events = append(v.events, k)
		}
	}
	v.findHeads()
	return v
}

// findHeads finds the first events of the goroutines.
func (v *sequence) findHeads() {
	v.heads = v.heads[:0]
	for at, k := range v.events {
		g := v.x.exec.events[k].g
		if slices.ContainsFunc(v.heads, func(h head) bool { return h.g == g }) {
			continue
		}
		initial := !slices.ContainsFunc(v.heads, func(h head) bool { return v.precedes(h.event, k) })
		v.heads = append(v.heads, head{g, k, at, initial})
	}
}

// precedes reports whether an event has to come before another one of the sequence.
func (v *sequence) precedes(j, k int32) bool {
	if k != v.race.second {
		return v.x.hb.happened(int(j), v.x.hb.after[k])
	}
	return v.x.hb.precedes(v.race, int(j))
}

// head returns the first event of a goroutine, nil if there is none.
func (v *sequence) head(g string) *head {
	for i := range v.heads {
		if v.x.exec.nameOf(v.heads[i].g) == g {
			return &v.heads[i]
		}
	}
	return nil
}

// remove takes the first event of a goroutine away, with which all begins.
func (v *sequence) remove(h *head) {
	v.removed = append(v.removed, h.g)
	v.events = slices.Delete(v.events, h.at, h.at+1)
	v.findHeads()
}

// begins reports whether the first event of a goroutine may come before all others. What
// the second event of the race touches when it is reversed may be something else: who comes
// after it must have nothing to do with the same objects.
func (v *sequence) begins(h *head) bool {
	return h.initial && (h.event <= v.race.second || v.strict && (v.reversed() || v.apart(v.x.exec.events[h.event].touches, v.race.second)))
}

// reversed: the second event of the race was taken away.
func (v *sequence) reversed() bool { return !slices.Contains(v.events, v.race.second) }

// apart reports whether a step that touches so commutes with an event, also with the second
// of the race.
func (v *sequence) apart(touches []touch, k int32) bool {
	of := v.x.exec.events[k].touches
	if !independent(touches, of) {
		return false
	}
	return k != v.race.second || !together(touches, of)
}

// steady: a step that touches so does it in any order.
func steady(k touchKind) bool {
	return k == touchRead || k == touchRLock || k == touchAdd || k == touchAccumulate
}

// commutes reports whether a step that touches so commutes with all of the sequence.
func (v *sequence) commutes(touches []touch) bool {
	return !slices.ContainsFunc(v.events, func(k int32) bool { return !v.apart(touches, k) })
}

// covered reports whether what a goroutine that is asleep would do may come before the
// sequence: the executions that begin with both have been explored, or will be.
func (v *sequence) covered(z *sleeper) bool {
	if h := v.head(z.G); h != nil {
		return v.begins(h)
	}
	if !z.Followed || !v.strict {
		return false // it has ended the program, which the sequence may do otherwise
	}
	touches, known := v.standing(z.G)
	return known && v.commutes(z.with(touches))
}

// with adds what the step of a goroutine that is asleep touches without an address.
func (z *sleeper) with(touches []touch) []touch {
	for _, t := range z.Extra {
		touches = append(touches, touch{touched{space: t.Space, n: int32(t.N)}, t.Kind})
	}
	return touches
}

// standing returns what the next step of a goroutine may touch where the sequence begins: if
// it stands at a guard at the node and that was noted, else what it may touch when it is
// done.
func (v *sequence) standing(g string) (touches []touch, known bool) {
	x, skip := v.x, 0
	for _, o := range v.removed {
		if x.exec.nameOf(o) == g {
			skip++
		}
	}
	if node := x.exec.events[v.race.first].node; skip == 0 && int(node) < len(x.nodeStands) {
		if touches, known := x.standingAt(node, g); known {
			return touches, true
		}
	}
	for k := v.race.first; int(k) < len(x.exec.events); k++ {
		e := &x.exec.events[k]
		if e.whole || x.exec.nameOf(e.g) != g {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if e.node < 0 {
			return nil, false
		}
		at := x.own[e.node]
		return append(x.mayTouch[:0], x.touches[at[0]:at[1]]...), true
	}
	return nil, false
}

// standingAt is what was noted at a node of the next step of a goroutine that stood there. It is valid until the next
// call.
func (x *reduction) standingAt(node int32, g string) (touches []touch, known bool) {
	for _, s := range x.stands[x.nodeStands[node][0]:x.nodeStands[node][1]] {
		if s.g == g {
			return append(x.mayTouch[:0], x.touches[s.from:s.to]...), true
		}
	}
	return nil, false
}

// note notes what goroutines may touch that are asleep at a node, or are to be chosen, and what time may if it can pass.
func (x *reduction) note(n *Node, pos int, s *run) {
	for len(x.nodeStands) <= pos {
		x.nodeStands = append(x.nodeStands, [2]int32{})
	}
	from := int32(len(x.stands))
	add := func(path string) {
		if g := s.all[path]; g != nil && g.state == parked {
			at := int32(len(x.touches))
			x.touches = s.mayTouch(g, x.touches)
			x.stands = append(x.stands, standing{path, at, int32(len(x.touches))})
		}
	}
	for i := range n.Sleep {
		add(n.Sleep[i].G)
	}
	for i := range n.To {
		add(n.To[i].G)
	}
	if x.exec.timeCommutes && slices.Contains(n.Ready, TimeStep) {
		at := int32(len(x.touches))
		x.touches = s.timeMayTouch(x.touches)
		x.stands = append(x.stands, standing{TimeStep, at, int32(len(x.touches))})
	}
	x.nodeStands[pos] = [2]int32{from, int32(len(x.stands))}
}

// insert adds the sequence of a race to the wakeup tree of the node before it, unless an
// equivalent beginning is explored anyway.
func (x *reduction) insert(r *reversal) {
	n := &x.nodes[x.exec.events[r.first].node]
	v := x.sequenceOf(r)
	open := v.open()
	v.strict = !x.partial && !x.loose(n.Sleep) && !open
	for i := range n.Sleep {
		if v.covered(&n.Sleep[i]) {
			return
		}
	}
	x.needed = append(x.needed[:0], r.second)
	for i := range n.Sleep {
		v.waker(n.Sleep[i].G, n.Sleep[i].Extra)
	}
	list, unless := v.place(&n.To)
	if list == nil {
		return
	}
	x.ask(x.exec.events[r.first].node)
	extra := v.extra(unless)
	steps := v.shortened()
	if list == &n.To && !v.begin(n, steps) {
		if x.exec.timeCommutes && !slices.ContainsFunc(steps, func(k int32) bool { return x.exec.events[k].g >= 0 }) {
			return // no event was known then
		}
		// Nobody who could come first in it was ready then.
		for _, g := range n.Ready {
			x.also(n, g)
		}
		return
	}
	if len(steps) == 0 {
		return
	}
	if open || x.e.sourceSets {
		steps = steps[:1]
	}
	tree := x.chain(steps)
	tree[0].Loose = open
	tree[0].Unless, tree[0].Extra = unless, extra
	*list = append(*list, tree...)
}

// place goes along the first branches of a tree that begin the sequence, and takes their
// steps away. It returns where what is left is to be added, nil if nowhere: what comes
// after the end of a branch is explored without a tree. It notes who passes by.
func (v *sequence) place(list *[]branch) (at *[]branch, unless []string) {
	for i := 0; i < len(*list); i++ {
		b := &(*list)[i]
		h := v.head(b.G)
		switch {
		case h == nil:
			// What it touches without an address shows when it is done.
			if touches, known := v.standing(b.G); v.strict && known && v.commutes(touches) {
				unless = append(unless, b.G)
			}
			v.waker(b.G, nil)
		case !v.begins(h):
			v.waker(b.G, nil)
		case len(b.Unless) > 0: // it may be left out
		case len(b.Then) == 0 || !slices.Equal(b.Values, v.x.valuesOf(h.event)):
			return nil, nil
		default:
			v.remove(h)
			list, unless, i = &b.Then, nil, -1
		}
	}
	return list, unless
}

// begin has a sequence begin with one who was ready at a node. Of several it is the last
// one, who often is that of the race: if that step depends on more than is known, most of
// it shows there.
func (v *sequence) begin(n *Node, steps []int32) bool {
	for i, k := range slices.Backward(steps) {
		initial := slices.ContainsFunc(v.heads, func(h head) bool { return h.event == k && h.initial && k <= v.race.second })
		if initial && slices.Contains(n.Ready, v.x.exec.nameOf(v.x.exec.events[k].g)) {
			copy(steps[1:i+1], steps[:i])
			steps[0] = k
			return true
		}
	}
	return len(steps) == 0
}

// waker adds to the events that are needed those that wake a goroutine, or one of them.
func (v *sequence) waker(g string, extra []extraTouch) {
	x := v.x
	if h := v.head(g); h != nil {
		if h.initial {
			x.needed = append(x.needed, v.race.second) // which it may depend on
		}
		for _, k := range v.events[:h.at] {
			if v.precedes(k, h.event) {
				x.needed = append(x.needed, k)
			}
		}
		return
	}
	z := sleeper{G: g, Extra: extra}
	if touches, known := v.standing(g); known {
		touches = z.with(touches)
		for _, k := range v.events {
			if independent(touches, x.exec.events[k].touches) {
				continue
			}
			x.needed = append(x.needed, k)
			for i := range x.exec.comms { // what it touches may show only when that ends
				if c := &x.exec.comms[i]; c.event == k && c.end > k && slices.Contains(v.events, c.end) {
					x.needed = append(x.needed, c.end)
				}
			}
			return
		}
	}
	x.needed = append(x.needed, v.events...)
}

// shortened are the events of the sequence that are needed, and those that have to come
// before them, or may have made them what they are.
func (v *sequence) shortened() []int32 {
	x := v.x
	return slices.DeleteFunc(slices.Clone(v.events), func(k int32) bool {
		return !slices.ContainsFunc(x.needed, func(b int32) bool {
			return b == k || k < b && (v.precedes(k, b) || b != v.race.second && x.exec.events[b].several() && v.meets(k, b))
		})
	})
}

// open reports whether it is open what the second event of the race comes to in the
// sequence: it could come out in several ways, and another event of the sequence, which
// has no order to it, has to do with the same objects. It may be needed or in the way.
func (v *sequence) open() bool {
	second := v.race.second
	return v.x.exec.events[second].several() && slices.ContainsFunc(v.events, func(k int32) bool {
		return k != second && !v.precedes(k, second) && v.meets(k, second)
	})
}

// meets reports whether two events touch the same object, and not only in a way that makes
// no difference.
func (v *sequence) meets(j, k int32) bool {
	return together(v.x.exec.events[j].touches, v.x.exec.events[k].touches)
}

func together(a, b []touch) bool {
	for _, t := range a {
		for _, u := range b {
			if t.object == u.object && !(t.kind == u.kind && steady(t.kind)) {
				return true
			}
		}
	}
	return false
}

// several: the step could have come out in another way, without an order of the others that
// it depends on having changed.
func (e *event) several() bool {
	return slices.ContainsFunc(e.touches, func(t touch) bool {
		switch t.kind {
		case touchOfferSend, touchOfferRecv, touchMeasured, touchTried, touchTryFailed, touchForeignUnlock:
			return true
		}
		return false
	})
}

// extra is what the events of the sequence have touched without an address, if it is to be
// compared.
func (v *sequence) extra(unless []string) (out []extraTouch) {
	if len(unless) == 0 {
		return nil
	}
	for _, k := range v.events {
		out = v.x.exec.events[k].extra(out)
	}
	return out
}

// chain makes a tree of one sequence.
func (x *reduction) chain(steps []int32) []branch {
	var tree []branch
	for i := min(len(steps), maxWakeup) - 1; i >= 0; i-- {
		tree = []branch{{G: x.exec.nameOf(x.exec.events[steps[i]].g), Values: x.valuesOf(steps[i]), Then: tree}}
	}
	return tree
}

// valuesOf are the choices that a step has made.
func (x *reduction) valuesOf(event int32) (out []int) {
	node := x.exec.events[event].node
	if node < 0 {
		return nil
	}
	for _, n := range x.nodes[node+1:] {
		if n.Of == 0 {
			break
		}
		out = append(out, n.Value)
	}
	return out
}

// superseded reports whether a sequence that is to be run next comes after a step that has
// been explored since it was found.
func (x *search) superseded(b *branch, asleep []sleeper) bool {
	if x.loose(asleep) {
		return false
	}
	for i := range asleep {
		z := &asleep[i]
		if !z.Followed || !slices.Contains(b.Unless, z.G) {
			continue
		}
		other := sleeper{Extra: b.Extra}
		if independent(z.with(nil), other.with(nil)) {
			return true
		}
	}
	return false
}

// straight is the first sequence of a tree.
func straight(tree []branch) []branch {
	if len(tree) > 1 {
		return tree[:1]
	}
	return tree
}

// loose reports whether a node with these sleepers is explored by source sets.
func (x *search) loose(asleep []sleeper) bool {
	return x.e.sourceSets || slices.ContainsFunc(asleep, func(z sleeper) bool { return z.Stale })
}

// stale has nodes with these sleepers explored by source sets.
func stale(asleep []sleeper) {
	for i := range asleep {
		asleep[i].Stale = true
	}
}
