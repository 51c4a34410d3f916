//go:build go1.25

package orcutil

import "slices"

// reduction is the strategy of dynamic partial-order reduction by source sets and sleep
// sets: of executions that are equivalent one is run.
type reduction struct{ *search }

func (reduction) begin()                  {}
func (reduction) observe()                {}
func (reduction) chose(*goroutine, int)   {}
func (reduction) taken(View, []int, int)  {}
func (reduction) more() (again, all bool) { return false, true }

// open has one goroutine go on. Others are chosen, too, once a run has shown that its
// steps depend on theirs.
func (x reduction) open(n *Node, _ *run, v View, ready []int, stall bool) bool {
	n.Sleep = x.sleep
	n.Chosen = x.preferred(n, v, ready, stall)
	if stall {
		n.To = without(n.Ready, n.Chosen) // time depends on everything
	}
	return n.Chosen != ""
}

// leave has the step that was chosen not be done again before one depends on it.
func (x reduction) leave(n *Node) {
	n.Sleep = append(n.Sleep, sleeper{n.Chosen, n.Extra})
	n.Extra = nil
}

// stepped wakes those who are asleep and depend on a step.
func (x reduction) stepped(s *run, e *event) {
	if x.pos == len(x.nodes) { // else the nodes say who is asleep
		x.wake(s, e)
	}
}

// extras notes what the steps of an execution have touched without an address.
func (x reduction) extras() {
	for i := range x.exec.events {
		e := &x.exec.events[i]
		if e.node < 0 {
			continue
		}
		n := &x.nodes[e.node]
		for _, t := range e.touches {
			if o := (extraTouch{t.object.space, int(t.object.n), t.kind}); t.object.p == nil && !slices.Contains(n.Extra, o) {
				n.Extra = append(n.Extra, o)
			}
		}
	}
}

// preferred is whom a new node has go on: who has done the last step, though not for
// ever, else who has waited longest; time only if nobody else need be chosen.
func (x reduction) preferred(n *Node, v View, ready []int, stall bool) (best string) {
	var oldest int
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

func (x reduction) wake(s *run, e *event) {
	x.sleep = slices.DeleteFunc(x.sleep, func(z sleeper) bool {
		if e.g < 0 || z.G == TimeStep {
			return true
		}
		g := s.all[z.G]
		if g == nil || g.state != parked {
			return true
		}
		x.mayTouch = s.mayTouch(g, x.mayTouch[:0])
		for _, t := range z.Extra {
			x.mayTouch = append(x.mayTouch, touch{touched{space: t.Space, n: int32(t.N)}, t.Kind})
		}
		return !independent(x.mayTouch, e.touches)
	})
}

// analyse adds to the nodes of an execution what is to be chosen there too.
func (x reduction) analyse(res Result) {
	events := x.exec.events
	defer x.extras()
	x.races(res, func(first, second int) {
		x.add(&x.nodes[events[first].node], x.hb.initials(first, second))
	})
	if n := len(events); n > 0 && res.Outcome.endsProgram() && res.Verdict == Completed {
		// The program has ended, and the others could do nothing more.
		for i := n - 1; i >= 0; i-- {
			if node := events[i].node; node >= 0 {
				for _, g := range x.nodes[node].Ready {
					x.also(&x.nodes[node], g)
				}
				break
			}
		}
	}
}

// add has one of the goroutines chosen at a node, unless one is anyway.
func (x reduction) add(n *Node, initials []int32) {
	best := ""
	for _, i := range initials {
		g := x.exec.names[i]
		if g == n.Chosen || slices.Contains(n.To, g) || asleep(n.Sleep, g) {
			return
		}
		if slices.Contains(n.Ready, g) {
			best = g // the last one is often that of the race
		}
	}
	if best != "" {
		n.To = append(n.To, best)
		return
	}
	for _, g := range n.Ready {
		x.also(n, g)
	}
}

// also has a goroutine chosen at a node.
func (x reduction) also(n *Node, g string) {
	if g != n.Chosen && !slices.Contains(n.To, g) && !asleep(n.Sleep, g) {
		n.To = append(n.To, g)
	}
}

func asleep(list []sleeper, g string) bool {
	return slices.ContainsFunc(list, func(s sleeper) bool { return s.G == g })
}

func without(list []string, g string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(o string) bool { return o == g })
}
