package check

import "slices"

// expansion is the part of a machine that finds the transitions of a state.
type expansion struct {
	// visit is called for every transition that exists, with the machine in
	// the target state and parts and cut set; refused transitions, those into
	// a violated invariant or below a higher priority, are not shown.
	visit func() error
	parts []*edge // participants, sender first
	over  int32   // the channel, -1 for none
	cut   bool    // the transition completes a refuted sequence
	found int     // transitions of this expansion that exist
	// tolerant passes over transitions whose execution is invalid.
	tolerant bool

	filter *reducer // not nil: only these transitions

	committed bool // a participant must leave a committed location
	tries     int  // valuations of selections

	// With priorities, a first pass only collects the priorities of what may
	// be transitions; then each level is tried, from the highest, until one
	// has a transition.
	collecting bool
	levels     []int64
	level      int64

	groups []group // processes that take part in a broadcast
	pool   []offer
	values []int32
}

// group is one receiving process of a broadcast and its enabled edges, a run
// of the pool.
type group struct{ first, last, at int }

// offer is an enabled edge with its selected values, a run of values.
type offer struct {
	e      *edge
	values int
}

// expand visits every transition of the machine's state, in a fixed order.
func (m *machine) expand() error {
	m.committed = m.inCommitted()
	m.found = 0
	if !m.prog.priorities {
		return m.sweep()
	}
	m.collecting, m.levels = true, m.levels[:0]
	err := m.sweep()
	m.collecting = false
	slices.Sort(m.levels)
	for k := len(m.levels) - 1; k >= 0 && err == nil && m.found == 0; k-- {
		m.level = m.levels[k]
		err = m.sweep()
	}
	return err
}

// inCommitted reports whether a process is in a committed location.
func (m *machine) inCommitted() bool {
	for _, q := range m.prog.committable {
		p := &m.prog.procs[q]
		if p.locs[m.v[p.loc]].committed {
			return true
		}
	}
	return false
}

func (m *machine) sweep() error {
	for i := range m.prog.procs {
		p := &m.prog.procs[i]
		l := &p.locs[m.v[p.loc]]
		for _, e := range l.acts {
			if m.committed && !l.committed && e.kind == internalEdge {
				continue
			}
			if m.filter != nil && !m.filter.begins(e) {
				continue
			}
			var err error
			if len(e.sel) > 0 {
				err = m.each(e, 0, func() error { return m.start(e, l.committed) })
			} else if m.enabled(e) {
				err = m.start(e, l.committed)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// enabled evaluates the guard.
func (m *machine) enabled(e *edge) bool {
	if e.guard == nil {
		return true
	}
	m.begin()
	return e.guard(m)
}

// each calls f for every enabled valuation of the edge's selections.
func (m *machine) each(e *edge, k int, f func() error) error {
	if k == len(e.sel) {
		if m.tries++; m.tries&(1<<12-1) == 0 && m.poll != nil {
			if err := m.poll(1 << 12); err != nil {
				return err
			}
		}
		if !m.enabled(e) {
			return nil
		}
		return f()
	}
	s := e.sel[k]
	for x := int64(s.lo); x <= int64(s.hi); x++ {
		m.v[s.cell] = int32(x)
		if err := m.each(e, k+1, f); err != nil {
			return err
		}
	}
	return nil
}

// channel evaluates the channel of an edge with a synchronisation.
func (m *machine) channel(e *edge) int32 {
	if e.chanFn == nil {
		return e.chanID
	}
	m.begin()
	return e.chanFn(m)
}

// start completes the transitions that begin with edge e.
func (m *machine) start(e *edge, committed bool) error {
	m.parts = append(m.parts[:0], e)
	if e.kind == internalEdge {
		return m.fire(-1)
	}
	ch := m.channel(e)
	if m.prog.channels[ch].broadcast {
		return m.broadcast(e, ch, committed)
	}
	for _, q := range m.prog.receivers[ch] {
		if q == e.proc {
			continue
		}
		p := &m.prog.procs[q]
		l := &p.locs[m.v[p.loc]]
		if m.committed && !committed && !l.committed {
			continue
		}
		for _, r := range l.recvs {
			if ch < r.chanLo || ch >= r.chanHi {
				continue
			}
			if m.filter != nil && !m.filter.meets(m.parts[0], r) {
				continue
			}
			var err error
			if len(r.sel) > 0 {
				err = m.each(r, 0, func() error { return m.meet(r, ch) })
			} else if m.enabled(r) {
				err = m.meet(r, ch)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// meet fires the synchronisation of m.parts[0] with r if r receives from ch.
func (m *machine) meet(r *edge, ch int32) error {
	if m.channel(r) != ch {
		return nil
	}
	m.parts = append(m.parts[:1], r)
	return m.fire(ch)
}

// broadcast fires e with every choice of one enabled edge for each process
// that has any.
func (m *machine) broadcast(e *edge, ch int32, committed bool) error {
	m.groups, m.pool, m.values = m.groups[:0], m.pool[:0], m.values[:0]
	for _, q := range m.prog.receivers[ch] {
		if q == e.proc {
			continue
		}
		p := &m.prog.procs[q]
		l := &p.locs[m.v[p.loc]]
		g := group{first: len(m.pool)}
		for _, r := range l.recvs {
			if ch < r.chanLo || ch >= r.chanHi {
				continue
			}
			if err := m.each(r, 0, func() error {
				if m.channel(r) != ch {
					return nil
				}
				m.pool = append(m.pool, offer{r, len(m.values)})
				for _, s := range r.sel {
					m.values = append(m.values, m.v[s.cell])
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if g.last = len(m.pool); g.last > g.first {
			g.at = g.first
			m.groups = append(m.groups, g)
			committed = committed || l.committed
		}
	}
	if m.committed && !committed {
		return nil
	}
	for {
		m.parts = append(m.parts[:0], e)
		for _, g := range m.groups {
			o := m.pool[g.at]
			for k, s := range o.e.sel {
				m.v[s.cell] = m.values[o.values+k]
			}
			m.parts = append(m.parts, o.e)
		}
		if err := m.fire(ch); err != nil {
			return err
		}
		// The next choice, the last process varying fastest.
		k := len(m.groups) - 1
		for ; k >= 0; k-- {
			if m.groups[k].at++; m.groups[k].at < m.groups[k].last {
				break
			}
			m.groups[k].at = m.groups[k].first
		}
		if k < 0 {
			return nil
		}
	}
}

// fire executes the transition of m.parts over a channel, -1 for an internal
// one, shows it, and goes back to the source state.
func (m *machine) fire(ch int32) error {
	if m.prog.priorities {
		prio := m.priority(ch)
		if m.collecting && !slices.Contains(m.levels, prio) {
			m.levels = append(m.levels, prio)
		}
		if m.collecting || prio != m.level {
			return nil
		}
	}
	var ok bool
	if m.tolerant {
		var valid bool
		if ok, valid = m.tryExecute(); !valid {
			m.found++
			return nil
		}
	} else {
		ok = m.execute()
	}
	if !ok {
		m.rollback()
		return nil
	}
	m.found++
	m.over = ch
	err := m.visit()
	m.rollback()
	return err
}

// execute goes to the target state of the transition of m.parts. It reports
// false if that violates an invariant.
func (m *machine) execute() bool {
	for _, e := range m.parts {
		if e.from != e.to {
			loc := m.prog.procs[e.proc].loc
			m.put(loc, e.to, &m.prog.cells[loc])
		}
	}
	if len(m.prog.before) > 0 {
		m.runAll(m.prog.before)
	}
	for _, e := range m.parts {
		m.runAll(e.update)
	}
	if len(m.prog.after) > 0 {
		m.runAll(m.prog.after)
	}
	// Meta variables keep no value from one step to the next, and neither
	// invariants nor formulas see what a step left in them.
	m.resetMetas()
	if len(m.prog.invariant) > 0 && !m.invariants() {
		return false
	}
	m.cut = false
	if mon := m.prog.monitor; mon != nil {
		state := m.v[mon.cell]
		was := state
		for _, e := range m.parts {
			if e.label >= 0 {
				state = mon.next(state, e.label)
			}
		}
		m.cut = state == mon.refuted() && was != state
		m.put(mon.cell, state, &m.prog.cells[mon.cell])
	}
	return true
}

func (m *machine) runAll(code []runFn) {
	m.begin()
	for _, f := range code {
		f(m)
	}
}

// tryExecute is execute for a transition that may be invalid.
func (m *machine) tryExecute() (ok, valid bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, fault := r.(*fault); !fault {
				panic(r)
			}
			m.recovered()
			ok, valid = false, false
		}
	}()
	return m.execute(), true
}

// recovered goes back to the source state after an evaluation that failed.
func (m *machine) recovered() {
	m.rollback()
	m.resetMetas()
	m.args, m.collecting = m.args[:0], false
}

func (m *machine) resetMetas() {
	for _, i := range m.prog.metas {
		m.v[i] = m.prog.initial[i]
	}
}

// invariants reports whether the state satisfies all of them.
func (m *machine) invariants() bool {
	for _, q := range m.prog.invariant {
		p := &m.prog.procs[q]
		if inv := p.locs[m.v[p.loc]].inv; inv != nil {
			m.begin()
			if !inv(m) {
				return false
			}
		}
	}
	return true
}

// priority orders transitions: that of the channel first, then the highest of
// the participants.
func (m *machine) priority(ch int32) int64 {
	prio := m.prog.defaultPrio
	if ch >= 0 {
		prio = m.prog.channels[ch].prio
	}
	highest := m.prog.procs[m.parts[0].proc].prio
	for _, e := range m.parts[1:] {
		highest = max(highest, m.prog.procs[e.proc].prio)
	}
	return int64(prio)<<32 | int64(highest)
}

// selected gives the values of an edge's selections in the transition shown.
func (m *machine) selected(e *edge) []int32 {
	if len(e.sel) == 0 {
		return nil
	}
	values := make([]int32, 0, len(e.sel))
	for _, s := range e.sel {
		values = append(values, m.v[s.cell])
	}
	return slices.Clip(values)
}
