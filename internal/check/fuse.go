package check

import "slices"

// Fusing leaves out states in which a process is about to take a step of its
// own: the search follows such steps, as long as they are the only ones of the
// process, until one matters. They are key steps (see visibility.go) of a
// stubborn set that holds the edges of a location only. That this set is
// stubborn needs, of the state in which the step is followed:
//   - All edges of the location are internal and none has selections, so that
//     the process cannot leave it, nor be moved, but by them.
//   - Nobody else disables or disturbs the edge that is enabled, and it does not
//     do so to others: localEdges.
//   - Nobody else can enable one of those that are not. That does not follow from
//     the former: n++ and a step that needs n > 0 do not disturb each other, but
//     the one enables the other. Were it forgotten, what the process does there
//     would be lost. An edge stays disabled if a conjunct of its guard is
//     false that nobody else makes true.
//
// To be a key step, the enabled one goes forward, is valid and spoils no cube of
// any goal, so that what holds in a state that is left out holds in the one that
// is kept. Where a process in a committed location may stop the others, so that
// there is a deadlock before their own steps, steps are only fused if nobody looks
// for deadlocks.

// fusedEdge is an edge from a location whose edges are all local.
type fusedEdge struct {
	*edge
	follow bool // may be followed without a look at its target's other edges
	// others is set if another process can make true some conjunct of the guard.
	// The edge then stays disabled while one of the tests fails: the conjuncts
	// that only this process can make true.
	others bool
	own    []test
}

// staysDisabled reports whether no other process can enable an edge whose guard
// is false in the machine's state.
func (f *fusedEdge) staysDisabled(m *machine) bool {
	return !f.others || slices.ContainsFunc(f.own, func(t test) bool { return !t.holds(m) })
}

// fuseable lists the edges of the locations at which steps are fused.
func (b *structurer) fuseable(local []bool) {
	st := b.st
	fused := make([]fusedEdge, st.edges)
	for i := range st.transitions {
		t := &st.transitions[i]
		if t.recv != nil || t.edge.kind != internalEdge {
			continue
		}
		f := &fused[t.edge.id]
		f.follow = t.forward && !t.committed && len(st.spoils[i]) == 0
		for _, n := range b.facts[t.edge].guard {
			l := st.conjuncts[n]
			switch {
			case slices.ContainsFunc(l.enablers, func(g int32) bool { return !b.needs(g, t.edge.proc) }):
				f.others = true
			case len(l.before) == 0:
				f.own = append(f.own, l.test)
			}
		}
	}
	for _, i := range st.risky {
		fused[st.transitions[i].edge.id].follow = false
	}
	st.fused = make([][][]fusedEdge, len(b.p.procs))
	for p := range b.p.procs {
		locs := b.p.procs[p].locs
		st.fused[p] = make([][]fusedEdge, len(locs))
		for l := range locs {
			if len(locs[l].recvs) > 0 || locs[l].committed {
				continue
			}
			var list []fusedEdge
			any := false
			for _, e := range locs[l].acts {
				if e.kind != internalEdge || !local[e.id] || len(e.sel) > 0 {
					any = false
					break
				}
				f := fused[e.id]
				f.edge = e
				list = append(list, f)
				any = any || f.follow
			}
			if any {
				st.fused[p][l] = list
			}
		}
	}
}

// needs reports whether no transition of a group happens without a process that
// begins it or synchronises with it.
func (b *structurer) needs(group, proc int32) bool {
	return !slices.ContainsFunc(b.st.groups[group], func(id int32) bool {
		t := &b.st.transitions[id]
		return t.edge.proc != proc && (t.recv == nil || t.recv.proc != proc)
	})
}

// fuse follows the steps of the participants of a transition that has led to
// the machine's state, and shows each. It returns how many these are.
func (st *structure) fuse(m *machine, step func(*edge)) (n int) {
	if m.inCommitted() {
		return 0
	}
	for _, x := range m.parts {
		loc := m.prog.procs[x.proc].loc
		for {
			next := nextFused(m, st.fused[x.proc][m.v[loc]])
			if next == nil {
				break
			}
			m.put(loc, next.to, &m.prog.cells[loc])
			m.begin()
			for _, f := range next.update {
				f(m)
			}
			m.resetMetas()
			n++
			if step != nil {
				step(next.edge)
			}
		}
	}
	return n
}

// nextFused gives the step that a process at a location with these edges is about
// to take, nil if there is none that may be followed.
func nextFused(m *machine, list []fusedEdge) *fusedEdge {
	var next *fusedEdge
	for i := range list {
		f := &list[i]
		switch {
		case !m.enabled(f.edge):
			if !f.staysDisabled(m) {
				return nil
			}
		case next != nil || !f.follow:
			return nil
		default:
			next = f
		}
	}
	return next
}
