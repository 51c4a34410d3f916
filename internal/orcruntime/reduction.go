//go:build go1.25

package orcruntime

import "slices"

// reduction is the strategy of optimal dynamic partial-order reduction by wakeup trees and
// sleep sets: of executions that are equivalent one is run.
type reduction struct {
	*search
	sequence  sequence
	reversals []reversal
	needed    []int32
	// Of the run at hand: what goroutines may touch that stand at guards, by node.
	nodeStands [][2]int32 // in stands
	own        [][2]int32 // in touches, of the step that was done
	stands     []standing
	touches    []touch
	ender      int32 // the event that has ended the program, -1: none
	partial    bool  // it has been cut, or has come to the limit of steps
}

func (x *reduction) begin() {
	x.nodeStands, x.stands, x.touches = x.nodeStands[:0], x.stands[:0], x.touches[:0]
	x.own = x.own[:0]
}

// taken notes what the step may touch that is about to be done.
func (x *reduction) taken(v View, _ []int, i int) {
	from := int32(len(x.touches))
	if i != TimePasses {
		x.touches = v.run.mayTouch(v.Ready[i].g, x.touches)
	} else if x.exec.timeCommutes {
		x.touches = v.run.timeMayTouch(x.touches)
	}
	for len(x.own) < x.pos {
		x.own = append(x.own, [2]int32{})
	}
	x.own[x.pos-1] = [2]int32{from, int32(len(x.touches))}
}

func (*reduction) observe()                {}
func (*reduction) chose(*goroutine, int)   {}
func (*reduction) more() (again, all bool) { return false, true }

// open has one goroutine go on. Others are chosen, too, once a run has shown that its
// steps depend on theirs.
func (x *reduction) open(n *Node, _ *run, v View, ready []int, stall bool) bool {
	if !x.e.distinct {
		n.Alike = x.exec.alike(v, ready)
	}
	n.Sleep = withAlike(x.sleep, n.Alike)
	exact := len(x.advice) > 0
	for _, b := range x.advice {
		switch {
		case !slices.Contains(n.Ready, b.G) || asleep(n.Sleep, b.G):
			exact = false
		case n.Chosen == "":
			n.Chosen, n.Then, n.Values = b.G, b.Then, b.Values
			exact = exact && !b.Loose
		default:
			n.To = append(n.To, b)
		}
	}
	if n.Chosen == "" {
		n.Chosen = x.preferred(n, v, ready, stall)
	}
	if !exact {
		stale(n.Sleep) // what comes now is in no tree
	}
	if slices.Contains(n.Ready, TimeStep) && (!x.exec.timeCommutes || x.ends) {
		x.also(n, TimeStep) // see passed; and before the end of the program
	}
	return n.Chosen != ""
}

// leave has the step that was chosen not be done again before one depends on it.
func (x *reduction) leave(n *Node) {
	n.Sleep = append(n.Sleep, sleeper{G: n.Chosen, Extra: n.Extra, Followed: !n.Ended})
	n.Sleep = withAlike(n.Sleep, n.Alike)
	n.Extra, n.Ended = nil, false
}

// stepped wakes those who are asleep and depend on a step.
func (x *reduction) stepped(s *run, e *event) {
	x.exec.seen(e)
	if x.pos == len(x.nodes) { // else the nodes say who is asleep
		x.wake(s, e)
	}
}

// extras notes what the steps of an execution have touched without an address.
func (x *reduction) extras() {
	for i := range x.exec.events {
		e := &x.exec.events[i]
		if e.node < 0 {
			continue
		}
		n := &x.nodes[e.node]
		n.Extra = e.extra(n.Extra)
	}
}

// preferred is whom a new node has go on: who has done the last step, though not for
// ever, else who has waited longest; time only if nobody else need be chosen.
func (x *reduction) preferred(n *Node, v View, ready []int, stall bool) (best string) {
	var oldest int
	if x.exec.symmetric { // those who are alike show it where all of them have begun
		for _, i := range ready {
			if p := v.Ready[i]; p.g.op == opStart && x.exec.maybeAlike(p.g) && !asleep(n.Sleep, p.G) {
				return p.G
			}
		}
	}
	for _, i := range ready {
		p := v.Ready[i]
		if asleep(n.Sleep, p.G) {
			continue
		}
		if p.g.seq == x.last && x.row < streak {
			return p.G
		}
		if age := x.ageOf(p.g); best == "" || age < oldest {
			best, oldest = p.G, age
		}
	}
	if best == "" && stall && !asleep(n.Sleep, TimeStep) {
		return TimeStep
	}
	return best
}

func (x *reduction) wake(s *run, e *event) {
	x.sleep = slices.DeleteFunc(x.sleep, func(z sleeper) bool {
		g := s.all[z.G]
		switch {
		case e.whole:
			return true
		case z.G == TimeStep:
			if !x.exec.timeCommutes {
				return true
			}
			x.mayTouch = z.with(s.timeMayTouch(x.mayTouch[:0]))
		case g == nil || g.state != parked:
			return true
		default:
			x.mayTouch = z.with(s.mayTouch(g, x.mayTouch[:0]))
		}
		return !independent(x.mayTouch, e.touches)
	})
}

// analyse adds to the nodes of an execution what is to be run there too.
func (x *reduction) analyse(res Result) {
	events := x.exec.events
	defer x.extras()
	x.ender, x.partial = -1, x.cutOff || res.Verdict == Limit
	last := int32(-1) // the choice of the step that has ended the program
	if res.Outcome.endsProgram() && res.Verdict == Completed {
		for i := len(events) - 1; i >= 0 && last < 0; i-- {
			if x.ender < 0 && !events[i].waits {
				x.ender = int32(i)
			}
			last = events[i].node
		}
	}
	x.reversals = x.reversals[:0]
	x.races(res, func(first, second int) {
		if !x.planned(first, second) {
			x.reversals = append(x.reversals, reversal{int32(first), int32(second), x.hb.before, slices.Clone(x.hb.candidates)})
		}
	})
	x.out.Misuse = x.out.Misuse || !x.e.Misuse && !x.e.distinct && x.toldApart()
	for i := range x.reversals {
		x.insert(&x.reversals[i])
	}
	switch {
	case x.exec.timeCommutes:
		x.timeFirst()
		x.passed(func(e *event) bool { return e.early })
	case x.e.Stalls != 0:
		x.passed(func(e *event) bool { return e.g < 0 })
	}
	if last >= 0 {
		// The program has ended, and the others could do nothing more.
		n := &x.nodes[last]
		n.Ended = true
		x.ask(last)
		for _, g := range n.Ready {
			x.also(n, g)
		}
	}
}

// timeFirst has time chosen where it could have passed before a step that depends on it. No race tells that: it may be
// this step that keeps time from passing later, or has it pass to another event.
func (x *reduction) timeFirst() {
	for i := range x.exec.events {
		e := &x.exec.events[i]
		if e.node < 0 || e.g < 0 {
			continue
		}
		n := &x.nodes[e.node]
		if !slices.Contains(n.Ready, TimeStep) {
			continue
		}
		if touches, known := x.standingAt(e.node, TimeStep); !known || !independent(touches, e.touches) {
			x.ask(e.node)
			x.also(n, TimeStep)
		}
	}
}

// passed has all goroutines that were ready chosen at the nodes before time has passed in a step
// on which every other one depends. It may be a later step, as a sleep, that lets it pass: then it
// could not have come there, and no race tells that others could come first.
func (x *reduction) passed(depends func(*event) bool) {
	last := -1
	for i := range x.exec.events {
		if depends(&x.exec.events[i]) {
			last = i
		}
	}
	for i := range x.exec.events[:last+1] {
		node := x.exec.events[i].node
		if node < 0 {
			continue
		}
		x.ask(node)
		n := &x.nodes[node]
		for _, g := range n.Ready {
			x.also(n, g)
		}
	}
}

// planned reports whether one of the goroutines that could come first if a race were
// reversed has been chosen where it could, or will be.
func (x *reduction) planned(first, second int) bool {
	n := &x.nodes[x.exec.events[first].node]
	for _, i := range x.hb.initials(first, second) {
		g := x.exec.nameOf(i)
		if asleep(n.Sleep, g) || slices.ContainsFunc(n.To, func(b branch) bool { return b.G == g && len(b.Then) == 0 && len(b.Unless) == 0 }) {
			return true
		}
	}
	return false
}

// ask notes that an execution has more to add to a node than stands there. Whether it is
// added depends on what stands there, which matters to who explores a part of the
// executions only, see Parts.
func (x *reduction) ask(node int32) {
	if int(node) < x.e.Below {
		x.nodes[node].Asked = true
	}
}

// also has a goroutine chosen at a node.
func (x *reduction) also(n *Node, g string) {
	if g != n.Chosen && !slices.ContainsFunc(n.To, func(b branch) bool { return b.G == g }) && !asleep(n.Sleep, g) {
		n.To = append(n.To, branch{G: g})
	}
}

func asleep(list []sleeper, g string) bool {
	return slices.ContainsFunc(list, func(s sleeper) bool { return s.G == g })
}
