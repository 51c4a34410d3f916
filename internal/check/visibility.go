package check

import "slices"

// A stubborn set need not hold what every path to a goal needs, if one enabled
// member is a key step: one that
//   - spoils no goal: where it does not make false what a cube of the goal
//     needs, it may come before a path to the goal without loss;
//   - goes forward: no infinite sequence of steps goes forward only, so that
//     the path is not put off for ever (the ignoring problem).
//
// For a goal that the step may spoil, the set has to hold what makes a false
// conjunct of it true, as otherwise. The first condition is a one-sided form of
// visibility; the argument is in reducer's comment for paths that have a member
// of the set, and for others: no step of the path disables or disturbs the key
// step, nor the other way round, so that the path is possible behind it and
// ends in a state that the key step has made no worse. With each step along the
// search either the path gets shorter, or the key step is forward.
//
// That a process is stuck, so that nothing that can happen makes it move, is no
// condition on the state alone: what makes it true is not known. But it stays
// true, whatever happens. So a path to where it is may have key steps that do
// not belong to it in front like others, if these do not spoil the rest of the
// cube; nor do they take away that a process can still move. While there are
// goals with stuck processes, each state is therefore expanded by a set with a
// key step, or in full. A state may then satisfy all of a cube but that the
// process is stuck yet: no step that spoils the cube is a key step there. Nor is
// it lost that a process moves in the end, but that it can move does not stay
// true: goals that need this are searched in full.
//
// Then what a process can do from a stored state is found by the steps that the
// sets leave, which depend on the state alone: all goals count as open.
//
// Paths get longer by the key steps taken first: shortest traces need a second
// search. See Valmari and Hansen, Stubborn set intuition explained, sections 4
// to 6, for visibility and ignoring; there, cycles are closed by looking at the
// states found. Here it depends on the network alone, so that the search may be
// parallel and in any order.

// progress finds the steps that go forward: those in which a process moves
// along an edge, and none along one that closes a cycle of its locations.
func (b *structurer) progress(local []bool) {
	back := make([]bool, b.st.edges)
	for i := range b.p.procs {
		for _, e := range cycleClosers(&b.p.procs[i], local) {
			back[e.id] = true
		}
	}
	for i := range b.st.transitions {
		t := &b.st.transitions[i]
		t.forward = t.edge.from != t.edge.to || t.recv != nil && t.recv.from != t.recv.to
		if back[t.edge.id] || t.recv != nil && back[t.recv.id] {
			t.forward = false
		}
		for _, r := range t.receivers {
			t.forward = t.forward && !back[r.id]
		}
		t.receivers = nil
	}
}

// localEdges are the internal edges, by number, that accord with all transitions of
// other processes: where both are enabled, neither disables or disturbs the other.
// That says nothing of who enables an edge. A set of edges that leaves out the
// transitions of others has to see to that where some of its edges are disabled, as
// closing does, and fusing on its own.
func (b *structurer) localEdges() []bool {
	local := make([]bool, b.st.edges)
	for i := range b.st.transitions {
		t := &b.st.transitions[i]
		if t.recv != nil || t.edge.kind != internalEdge {
			continue
		}
		own := func(g int32) bool {
			for _, id := range b.st.groups[g] {
				if u := &b.st.transitions[id]; u.edge.proc != t.edge.proc {
					return false
				}
			}
			return true
		}
		local[t.edge.id] = own(b.casts[t.edge.proc])
		for _, g := range t.groups {
			for _, h := range b.st.conflicts[g] {
				local[t.edge.id] = local[t.edge.id] && own(h)
			}
		}
	}
	return local
}

// cycleClosers gives edges of a process without which its locations are on no
// cycle, but for edges from a location to itself. It spares edges that are
// better for key steps: the local ones.
func cycleClosers(p *process, local []bool) []*edge {
	var all []*edge
	for i := range p.locs {
		all = slices.Concat(all, p.locs[i].acts, p.locs[i].recvs)
	}
	n := len(p.locs)
	comp := components(n, all)
	var preferred, others []*edge
	for _, e := range all {
		switch {
		case e.from == e.to || comp[e.from] != comp[e.to]:
		case local[e.id]:
			preferred = append(preferred, e)
		default:
			others = append(others, e)
		}
	}
	// Those that close a cycle of local edges, and those of the others that go
	// back in an order that the local ones respect.
	order, closers := depthFirst(n, preferred)
	closes := map[*edge]bool{}
	for _, e := range closers {
		closes[e] = true
	}
	preferred = slices.DeleteFunc(preferred, func(e *edge) bool { return closes[e] })
	rank := make([]int32, n)
	first, _ := depthFirst(n, slices.Concat(preferred, others))
	for i, l := range first {
		rank[l] = int32(i)
	}
	out := outgoing(n, preferred)
	for _, l := range order {
		for _, e := range out[l] {
			rank[e.to] = max(rank[e.to], rank[l]+1)
		}
	}
	for _, e := range others {
		if rank[e.to] <= rank[e.from] {
			closers = append(closers, e)
		}
	}
	return closers
}

func outgoing(n int, edges []*edge) [][]*edge {
	out := make([][]*edge, n)
	for _, e := range edges {
		out[e.from] = append(out[e.from], e)
	}
	return out
}

// depthFirst gives the locations in a topological order of the edges without
// those that close a cycle, which it also gives.
func depthFirst(n int, edges []*edge) (order []int32, closers []*edge) {
	out := outgoing(n, edges)
	const (
		open = 1
		done = 2
	)
	state := make([]uint8, n)
	var walk func(l int32)
	walk = func(l int32) {
		state[l] = open
		for _, e := range out[l] {
			switch state[e.to] {
			case open:
				closers = append(closers, e)
			case done:
			default:
				walk(e.to)
			}
		}
		state[l] = done
		order = append(order, l)
	}
	for l := range int32(n) {
		if state[l] == 0 {
			walk(l)
		}
	}
	slices.Reverse(order)
	return order, closers
}

// components numbers the strongly connected components of the locations, by
// Tarjan's algorithm.
func components(n int, edges []*edge) []int {
	out := outgoing(n, edges)
	comp, low, num := make([]int, n), make([]int, n), make([]int, n)
	var stack []int32
	next, count := 0, 0
	var walk func(l int32)
	walk = func(l int32) {
		next++
		num[l], low[l] = next, next
		stack = append(stack, l)
		for _, e := range out[l] {
			if num[e.to] == 0 {
				walk(e.to)
				low[l] = min(low[l], low[e.to])
			} else if comp[e.to] == 0 {
				low[l] = min(low[l], num[e.to])
			}
		}
		if low[l] != num[l] {
			return
		}
		count++
		for {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			comp[top] = count
			if top == l {
				return
			}
		}
	}
	for l := range int32(n) {
		if num[l] == 0 {
			walk(l)
		}
	}
	return comp
}

// spoilers finds, for each transition, the cubes of which it may make a
// conjunct false.
func (b *structurer) spoilers() error {
	st := b.st
	st.spoils = make([][]int32, len(st.transitions))
	total := 0
	for n, c := range st.cubes {
		for _, i := range c.conjuncts {
			if l := st.conjuncts[i]; l.proc >= 0 && slices.Contains(c.stuck, l.proc) {
				continue // who is stuck stays where it is
			}
			for _, g := range b.disablers(st.conjuncts[i]) {
				for _, t := range st.groups[g] {
					if l := st.spoils[t]; len(l) > 0 && l[len(l)-1] == int32(n) {
						continue
					}
					if total++; total > maxUses {
						return errStructure
					}
					st.spoils[t] = append(st.spoils[t], int32(n))
				}
			}
		}
	}
	st.bytes += int64(total) * 8
	return nil
}

// disablers gives groups of transitions that hold all which may make a
// conjunct false.
func (b *structurer) disablers(l *conjunct) []int32 {
	var list []int32
	switch {
	case l.proc >= 0 && !l.negated:
		return []int32{b.atLoc[l.proc][l.loc], b.casts[l.proc]}
	case l.proc >= 0:
		return []int32{b.into[l.proc][l.loc]}
	}
	var opposite *comparison
	if l.simple != nil {
		opposite = &comparison{l.simple.cell, complement[l.simple.op], l.simple.k}
	}
	for _, i := range l.reads {
		if p, ok := b.procOf[i]; ok {
			list = append(list, b.atLoc[p]...)
			list = append(list, b.casts[p])
		}
		for u, g := range b.byUse[i] {
			if opposite != nil && opposite.cell == i && !opposite.enabledBy(u) {
				continue
			}
			if u.use&useChanges != 0 {
				list = append(list, g)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
