package check

// A reducer chooses, for each state, a stubborn set of transitions: one such
// that whatever the other transitions do, they neither enable nor disturb those
// of the set. It is enough to expand the enabled members
//   - for deadlocks, if the set has an enabled member unless the state is a
//     deadlock;
//   - for states that satisfy a formula, if the set has a member of every path
//     to such a state (an up-set): all transitions that may make true one
//     conjunct that is false.
//
// In both cases every path that matters has a first member of the set, which
// may as well come first. So the reduced search finds what the full one finds,
// at the same depth, and needs no proviso against ignored transitions. That a
// transition is invalid is looked for like a formula.
//
// Sets with a key step, see visibility.go, keep what is found, but not the
// depth.
type reducer struct {
	st *structure
	m  *machine

	// What is still looked for, see search.retarget.
	cubes    []int32
	open     []bool // by cube
	deadlock bool
	keySteps bool

	now     uint32
	truth   []uint32 // by conjunct: now<<1 | value
	status  []uint32 // by transition: now<<1 | enabled
	enabled []int32
	set     closure
	best    closure
	begin   []uint32 // by edge: now, if a chosen transition begins with it
	chosen  []uint32 // by transition

	// Enabled transitions of the states seen, and those of them chosen.
	offered, kept int
	fused         int // steps
	detours       int // states expanded by a set with a key step
}

// closure is a set of transitions in the making.
type closure struct {
	now     uint32
	member  []uint32 // by transition
	groups  []uint32 // by group: added
	queue   []int32
	enabled int
}

func (c *closure) clear() {
	c.now++
	c.queue, c.enabled = c.queue[:0], 0
}

func (c *closure) add(t int32) {
	if c.member[t] != c.now {
		c.member[t] = c.now
		c.queue = append(c.queue, t)
	}
}

func (c *closure) addGroup(st *structure, g int32) {
	if c.groups[g] == c.now {
		return
	}
	c.groups[g] = c.now
	for _, t := range st.groups[g] {
		c.add(t)
	}
}

// reduce makes the workers use stubborn sets.
func (s *search) reduce(st *structure) {
	s.structure = st
	for _, w := range s.workers {
		w.r = newReducer(st)
		w.r.keySteps = s.keySteps
	}
	s.retarget()
}

func newReducer(st *structure) *reducer {
	n := len(st.transitions)
	set := func() closure { return closure{member: make([]uint32, n), groups: make([]uint32, len(st.groups))} }
	return &reducer{
		st: st, truth: make([]uint32, len(st.conjuncts)), status: make([]uint32, n),
		set: set(), best: set(), begin: make([]uint32, st.edges), chosen: make([]uint32, n),
	}
}

// retarget tells the reducers which goals are still open. It happens between
// levels, so that the reduction does not depend on the order within a level.
func (s *search) retarget() {
	if s.structure == nil {
		return
	}
	var cubes []int32
	open := make([]bool, len(s.structure.cubes))
	for i, c := range s.structure.cubes {
		if open[i] = !c.goal.done || s.structure.stuck; open[i] {
			cubes = append(cubes, int32(i))
		}
	}
	deadlock := s.structure.stuck
	for _, g := range s.local {
		deadlock = deadlock || !g.done
	}
	for _, w := range s.workers {
		w.r.cubes, w.r.open, w.r.deadlock = cubes, open, deadlock
	}
}

// A reduction that leaves out less than a tenth of at least enoughOffered
// transitions is suspended, for more and more levels: it costs more than it
// gains. Each state may be expanded in full.
const enoughOffered = 1 << 12

// A search with key steps that turns out to leave out little before it has
// stored muchStored states is given up.
const muchStored = 1 << 14

// review decides between levels whether the reduction is worth its cost.
func (s *search) review() error {
	if s.structure == nil {
		return nil
	}
	if s.suspended > 0 {
		s.suspended--
		return nil
	}
	offered, kept, taken, fused := 0, 0, 0, 0
	for _, w := range s.workers {
		taken += w.transitions
		fused += w.r.fused
		offered += w.r.offered
		kept += w.r.kept
	}
	if offered < enoughOffered {
		return nil
	}
	for _, w := range s.workers {
		// Levels of different sorts of states may alternate.
		w.r.offered -= w.r.offered / 4
		w.r.kept -= w.r.kept / 4
	}
	if kept*10 > offered*9 {
		s.suspension = max(2*s.suspension, 4)
		s.suspended = s.suspension
		if s.keySteps && !s.structure.stuck && fused < taken/10 && s.store.len() < muchStored {
			return errNoGain
		}
	}
	return nil
}

// begins reports whether a chosen transition begins with the edge.
func (r *reducer) begins(e *edge) bool { return r.begin[e.id] == r.now }

// meets reports whether the synchronisation of two edges, or the broadcast of
// the first, is chosen.
func (r *reducer) meets(e, x *edge) bool {
	t, ok := r.st.pairs[uint64(e.id)<<32|uint64(x.id)]
	return ok && r.chosen[t] == r.now
}

// choose makes the machine, which holds a state, expand a stubborn set only.
func (r *reducer) choose(m *machine) {
	r.m, m.filter = m, nil
	if m.inCommitted() {
		return
	}
	r.next()
	r.enabled = r.enabled[:0]
	for p := range m.prog.procs {
		for _, t := range r.st.starts[p][m.v[m.prog.procs[p].loc]] {
			if r.isEnabled(t) {
				r.enabled = append(r.enabled, t)
			}
		}
	}
	r.offered += len(r.enabled)
	// The only enabled transition can be left out too, unless deadlocks are looked for: the set must have an enabled
	// member then.
	if len(r.enabled) == 0 || len(r.enabled) == 1 && r.deadlock || !r.stubborn() {
		r.kept += len(r.enabled)
		return
	}
	for _, t := range r.enabled {
		if r.best.member[t] == r.best.now {
			r.kept++
			r.chosen[t] = r.now
			r.begin[r.st.transitions[t].edge.id] = r.now
		}
	}
	m.filter = r
}

// next starts a new state.
func (r *reducer) next() {
	if r.now++; r.now == 1<<31 {
		r.now = 1
		clear(r.truth)
		clear(r.status)
		clear(r.begin)
		clear(r.chosen)
	}
	if r.set.now > 1<<31 || r.best.now > 1<<31 {
		for _, c := range []*closure{&r.set, &r.best} {
			c.now = 0
			clear(c.member)
			clear(c.groups)
		}
	}
}

// maxSeeds bounds the transitions from which a set is tried.
const maxSeeds = 64

// stubborn finds a stubborn set, the best of some, and reports whether it
// leaves out an enabled transition.
func (r *reducer) stubborn() bool {
	limit, found := len(r.enabled), false
	better := func() {
		found, limit = true, r.set.enabled
		r.set, r.best = r.best, r.set
	}
	// The set of the goals is part of the sets of all seeds but key steps.
	// Where processes have to be stuck, there is no such set.
	goals := !r.st.stuck && r.close(limit, -1, false)
	if goals && (!r.deadlock || r.set.enabled > 0) {
		if better(); limit <= 1 || !r.keySteps {
			return true
		}
	}
	seeds, detour := 0, 0
	try := func(t int32, key bool) bool {
		if r.close(limit, t, key) {
			better()
			if key {
				detour = 1
			}
		}
		seeds++
		return limit == 1 || seeds == maxSeeds
	}
	defer func() { r.detours += detour }()
	if r.keySteps {
		for _, free := range []bool{true, false} {
			for _, t := range r.enabled {
				if r.st.transitions[t].forward && r.spoilsNothing(t) == free && try(t, true) {
					return found
				}
			}
		}
	}
	if goals && r.deadlock && !found {
		for _, t := range r.enabled {
			if try(t, false) {
				break
			}
		}
	}
	return found
}

// spoilsNothing reports whether a transition spoils no open goal.
func (r *reducer) spoilsNothing(t int32) bool {
	for _, i := range r.st.spoils[t] {
		if r.open[i] {
			return false
		}
	}
	return true
}

// close computes the stubborn set of a seed, -1 for none, and of the goals: all
// of them or, if the seed is a key step, those that it may spoil. It gives up,
// and reports false, when the set has as many enabled members as the limit.
func (r *reducer) close(limit int, seed int32, key bool) bool {
	c, st := &r.set, r.st
	c.clear()
	if key {
		for _, i := range st.spoils[seed] {
			if r.open[i] && !r.addEnablers(st.cubes[i].conjuncts) && len(st.cubes[i].stuck) > 0 {
				return false
			}
		}
	} else {
		for _, t := range st.risky {
			c.add(t)
		}
		for _, i := range r.cubes {
			r.addEnablers(st.cubes[i].conjuncts)
		}
	}
	if seed >= 0 {
		c.add(seed)
	}
	for len(c.queue) > 0 {
		id := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		t := &st.transitions[id]
		if !r.isEnabled(id) {
			r.addEnablers(t.conjuncts)
			continue
		}
		// What leaves or enters a committed location decides what else is enabled, so no set with such a member is tried.
		if c.enabled++; c.enabled >= limit || t.committed {
			return false
		}
		for _, g := range t.others {
			c.addGroup(st, g)
		}
		for _, g := range t.groups {
			for _, h := range st.conflicts[g] {
				c.addGroup(st, h)
			}
		}
		if r.deadlock && st.committing >= 0 {
			c.addGroup(st, st.committing)
		}
	}
	return true
}

// enabledWeight is how much worse an enabled member of a set is than one that
// is not.
const enabledWeight = 1 << 10

// addEnablers adds what may make true a conjunct that is false: the one for
// which that costs least. Which one is taken decides how small the set gets. It
// is false if there is none.
func (r *reducer) addEnablers(conjuncts []int32) bool {
	best, least := int32(-1), 0
	for _, i := range conjuncts {
		if value, known := r.value(i); !known || value {
			continue
		}
		if cost := r.cost(i); best < 0 || cost < least {
			best, least = i, cost
		}
		if least == 0 {
			break
		}
	}
	if best < 0 {
		return false
	}
	for _, g := range r.st.conjuncts[best].enablers {
		r.set.addGroup(r.st, g)
	}
	return true
}

// cost estimates what the enablers of a conjunct add to the set.
func (r *reducer) cost(i int32) int {
	const look = 32 // members that are looked at one by one
	l := r.st.conjuncts[i]
	if l.cost > look {
		return l.cost * enabledWeight
	}
	cost := 0
	for _, g := range l.enablers {
		for _, t := range r.st.groups[g] {
			switch {
			case r.set.member[t] == r.set.now:
			case r.isEnabled(t):
				cost += enabledWeight
			default:
				cost++
			}
		}
	}
	return cost
}

// isEnabled reports whether a transition is enabled.
func (r *reducer) isEnabled(t int32) bool {
	if r.status[t]>>1 == r.now {
		return r.status[t]&1 != 0
	}
	status := r.now << 1
	if r.hold(r.st.transitions[t].conjuncts) {
		status |= 1
	}
	r.status[t] = status
	return status&1 != 0
}

// hold reports whether all conjuncts are true.
func (r *reducer) hold(conjuncts []int32) bool {
	for _, i := range conjuncts {
		if value, known := r.value(i); !known || !value {
			return false
		}
	}
	return true
}

// value evaluates a conjunct, unless that may be invalid.
func (r *reducer) value(i int32) (value, known bool) {
	if r.truth[i]>>1 == r.now {
		return r.truth[i]&1 != 0, true
	}
	l, m := r.st.conjuncts[i], r.m
	if len(l.before) > 0 && !r.hold(l.before) {
		return false, false
	}
	if l.proc >= 0 {
		value = (m.v[m.prog.procs[l.proc].loc] == l.loc) != l.negated
	} else {
		value = l.test.holds(m)
	}
	r.truth[i] = r.now << 1
	if value {
		r.truth[i] |= 1
	}
	return value, true
}
