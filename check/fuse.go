package check

// Fusing leaves out states in which a process is about to take a step of its
// own: the search follows such steps, as long as they are the only ones of the
// process, until one matters. They are key steps (see visibility.go) of a
// stubborn set that holds the edges of a location only: all of them internal
// and local, their guards included, which nobody else can enable or disturb.
// One that is enabled goes forward, is valid and spoils no cube of any goal, so
// that what holds in a state that is left out holds in the one that is kept.
// Where a process in a committed location may stop the others, so that there is
// a deadlock before their own steps, steps are only fused if nobody looks for
// deadlocks.

// fusedEdge is an edge from a location whose edges are all local.
type fusedEdge struct {
	*edge
	follow bool // may be followed without a look at its target's other edges
}

// fuseable lists the edges of the locations at which steps are fused.
func (b *structurer) fuseable(local []bool) {
	st := b.st
	follow := make([]bool, st.edges)
	for i := range st.transitions {
		if t := &st.transitions[i]; t.recv == nil && t.edge.kind == internalEdge {
			follow[t.edge.id] = t.forward && !t.committed && len(st.spoils[i]) == 0
		}
	}
	for _, i := range st.risky {
		follow[st.transitions[i].edge.id] = false
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
				list = append(list, fusedEdge{e, follow[e.id]})
				any = any || follow[e.id]
			}
			if any {
				st.fused[p][l] = list
			}
		}
	}
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
			var next *fusedEdge
			list := st.fused[x.proc][m.v[loc]]
			for i := range list {
				if !m.enabled(list[i].edge) {
					continue
				}
				if next != nil {
					next = nil
					break
				}
				next = &list[i]
			}
			if next == nil || !next.follow {
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
