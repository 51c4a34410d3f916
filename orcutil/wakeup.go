//go:build go1.25

package orcutil

import "slices"

// A wakeup tree is what is to be run at a node besides what was run first: sequences of
// steps, those with a common beginning together. Each reverses a race, and is such that at
// its end nobody is asleep, so that an execution that begins with it is not cut (Abdulla,
// Aronis, Jonsson, Sagonas: Source Sets, Journal of the ACM 64, 2017).
//
// That no execution is lost follows from its first steps alone: of every execution that is
// not equivalent to one that was run, one of the first steps is to be chosen at some node.
// The steps after that only advise, and a run may leave them: where a goroutine is not
// ready it goes on as if there were none.

// branch is a step of a wakeup tree, and what comes after it.
type branch struct {
	G string // creation path, or TimeStep
	// Values are those of the environment, and the cases, that the step has chosen.
	Values []int    `json:",omitempty"`
	Then   []branch `json:",omitempty"`
	// Unless one of these has been explored in the place of the sequence, and nothing
	// that it has touched without an address depends on Extra, which the sequence has:
	// then the sequence comes after it, too. Only the first step of a sequence has them.
	Unless []string     `json:",omitempty"`
	Extra  []extraTouch `json:",omitempty"`
}

// maxWakeup bounds the steps of a sequence, and so what nodes need.
const maxWakeup = 512

// sourceSets: a test has only the first steps of sequences run, and all that nothing known
// of v_full would leave out.
var sourceSets bool

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
	x      *reduction
	race   *reversal
	events []int32
	heads  []head
	// strict: all that has to be known for optimality is.
	strict bool
	// removed are the goroutines of the events that were taken away.
	removed []int32
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
		if k == r.second || k != x.ender && !e.waits && e.g >= 0 && !x.hb.happened(int(r.first), x.hb.after[k]) {
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
		if v.x.exec.names[v.heads[i].g] == g {
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
	if k != v.race.second {
		return true
	}
	for _, a := range touches {
		for _, b := range of {
			if a.object == b.object && !(a.kind == b.kind && steady(a.kind)) {
				return false
			}
		}
	}
	return true
}

// steady: a step that touches so does it in any order.
func steady(k touchKind) bool { return k == touchRead || k == touchRLock || k == touchAdd }

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
		if x.exec.names[o] == g {
			skip++
		}
	}
	if node := x.exec.events[v.race.first].node; skip == 0 && int(node) < len(x.nodeStands) {
		for _, s := range x.stands[x.nodeStands[node][0]:x.nodeStands[node][1]] {
			if s.g == g {
				return append(x.mayTouch[:0], x.touches[s.from:s.to]...), true
			}
		}
	}
	for k := v.race.first; int(k) < len(x.exec.events); k++ {
		e := &x.exec.events[k]
		if e.g < 0 || x.exec.names[e.g] != g {
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

// note notes what goroutines may touch that are asleep at a node, or are to be chosen.
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
	x.nodeStands[pos] = [2]int32{from, int32(len(x.stands))}
}

// insert adds the sequence of a race to the wakeup tree of the node before it, unless an
// equivalent beginning is explored anyway.
func (x *reduction) insert(r *reversal) {
	node := x.exec.events[r.first].node
	n := &x.nodes[node]
	v := x.sequenceOf(r)
	v.strict = !x.cutOff && !loose(n.Sleep) && !sourceSets
	for i := range n.Sleep {
		if v.covered(&n.Sleep[i]) {
			return
		}
	}
	needed := x.needed[:0] // events that wake somebody, or reverse the race
	for i := range n.Sleep {
		needed = v.waker(n.Sleep[i].G, n.Sleep[i].Extra, needed)
	}
	var unless []string
	list, top := &n.To, true
search:
	for {
		for i := range *list {
			b := &(*list)[i]
			h := v.head(b.G)
			if h == nil {
				// Its step is not known in full before it is done.
				if touches, known := v.standing(b.G); v.strict && known && v.commutes(touches) {
					unless = append(unless, b.G)
				}
				needed = v.waker(b.G, nil, needed)
				continue
			}
			if !v.begins(h) {
				needed = v.waker(b.G, nil, needed)
				continue
			}
			if len(b.Unless) > 0 {
				continue // it may be left out
			}
			if len(b.Then) == 0 || !slices.Equal(b.Values, x.valuesOf(h.event)) {
				return
			}
			v.remove(h)
			if len(v.events) == 0 {
				return
			}
			list, top, unless = &b.Then, false, nil
			continue search
		}
		break
	}
	x.needed = append(needed, r.second)
	extra := v.extra(unless)
	steps := v.shortened(x.needed)
	if top && len(steps) > 0 && !slices.Contains(n.Ready, x.exec.names[x.exec.events[steps[0]].g]) {
		// It was not to be granted then. Another one may come first.
		i := slices.IndexFunc(v.heads, func(h head) bool { return h.initial && slices.Contains(n.Ready, x.exec.names[h.g]) })
		if i < 0 {
			for _, g := range n.Ready {
				x.also(n, g)
			}
			return
		}
		first := v.heads[i].event
		steps = slices.DeleteFunc(steps, func(k int32) bool { return k == first })
		steps = slices.Insert(steps, 0, first)
	}
	if len(steps) == 0 {
		return
	}
	if sourceSets {
		steps = steps[:1]
	}
	tree := x.chain(steps)
	tree[0].Unless, tree[0].Extra = unless, extra
	*list = append(*list, tree...)
}

// waker adds to the events that are needed one that wakes a goroutine.
func (v *sequence) waker(g string, extra []extraTouch, needed []int32) []int32 {
	if h := v.head(g); h != nil {
		if h.initial {
			return append(needed, v.race.second) // which it may depend on
		}
		for _, k := range v.events[:h.at] {
			if v.precedes(k, h.event) {
				needed = append(needed, k)
			}
		}
		return needed
	}
	z := sleeper{G: g, Extra: extra}
	touches, known := v.standing(g)
	if known {
		touches = z.with(touches)
		for _, k := range v.events {
			if !independent(touches, v.x.exec.events[k].touches) {
				needed = append(needed, k)
				for i := range v.x.exec.comms { // what it touches may show only later
					if c := &v.x.exec.comms[i]; c.event == k && c.end > k && slices.Contains(v.events, c.end) {
						needed = append(needed, c.end)
					}
				}
				return needed
			}
		}
	}
	return append(needed, v.events...)
}

// shortened are the events of the sequence that are needed, and those that have to come
// before them.
func (v *sequence) shortened(needed []int32) []int32 {
	out := make([]int32, 0, len(v.events))
	for _, k := range v.events {
		if slices.ContainsFunc(needed, func(n int32) bool { return n == k || k < n && v.precedes(k, n) }) {
			out = append(out, k)
		}
	}
	return out
}

// extra is what the events of the sequence have touched without an address, if it is to be
// compared.
func (v *sequence) extra(unless []string) (out []extraTouch) {
	if len(unless) == 0 {
		return nil
	}
	for _, k := range v.events {
		for _, t := range v.x.exec.events[k].touches {
			if o := (extraTouch{t.object.space, int(t.object.n), t.kind}); t.object.p == nil && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// chain makes a tree of one sequence.
func (x *reduction) chain(steps []int32) []branch {
	var tree []branch
	for i := min(len(steps), maxWakeup) - 1; i >= 0; i-- {
		tree = []branch{{G: x.exec.names[x.exec.events[steps[i]].g], Values: x.valuesOf(steps[i]), Then: tree}}
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
func (b *branch) superseded(asleep []sleeper) bool {
	if loose(asleep) {
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

func loose(asleep []sleeper) bool {
	return slices.ContainsFunc(asleep, func(z sleeper) bool { return z.Stale })
}

func grow(asleep []sleeper) {
	for i := range asleep {
		asleep[i].Stale = true
	}
}
