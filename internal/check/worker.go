package check

import "errors"

// A worker expands states. Workers share the program and, between rounds, the
// search.
type worker struct {
	s *search
	m *machine    // expands states
	q *machine    // evaluates formulas on new states
	r *reducer    // chooses what to expand; nil: everything
	n *normaliser // nil: states are stored as they are

	at          uint32 // the state being expanded
	transitions int
	hits        []hit // by goal, of this round
	// held are the successors of the state; with priorities, they are only
	// known to exist once all transitions have been evaluated.
	held []uint64

	// The first state with an invalid transition that the worker met.
	invalid   *fault
	invalidAt uint32

	parallelWorker
}

// hit is the first state that decides a goal, or in which its formula is
// invalid.
type hit struct {
	found bool
	state uint32
	fault *fault
}

func newWorker(s *search) *worker {
	w := &worker{s: s, m: newMachine(s.prog), q: newMachine(s.prog), hits: make([]hit, len(s.goals))}
	if s.prog.symmetry != nil {
		w.n = newNormaliser(s.prog.symmetry)
	}
	w.m.visit = w.insert
	w.m.poll, w.q.poll = w.poll, w.poll
	return w
}

// poll is called now and then during evaluations.
func (w *worker) poll(work int) error {
	if w.passing {
		return w.pollPass(work)
	}
	return w.s.poll(work)
}

// expandState finds the successors of a stored state, and evaluates the goals
// that depend on whether it has any.
func (w *worker) expandState(i uint32) error {
	m, s := w.m, w.s
	w.at, w.seq = i, 0
	m.load(s.store.state(i))
	m.filter = nil
	if w.r != nil && s.suspended == 0 {
		if err := caught(func() { w.r.choose(m) }); err != nil {
			return err
		}
	}
	err := w.expand()
	if s.prog.priorities {
		for ; err == nil && len(w.held) > 0; w.held = w.held[s.prog.width:] {
			err = w.emit(w.held[:s.prog.width])
		}
		w.held = w.held[:0]
	}
	if err != nil {
		return w.failed(i, err)
	}
	if len(s.local) > 0 && !s.refuted(m) {
		return w.tryLocal()
	}
	return nil
}

// failed is told that the expansion of state i has ended with an error: an invalid
// transition is noted, and others are looked at.
func (w *worker) failed(i uint32, err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	if w.invalid == nil {
		w.invalid, w.invalidAt = f, i
	}
	if w.s.opts.Order != BreadthFirst {
		return f
	}
	if w.s.prog.priorities {
		return nil // what else is possible may depend on it
	}
	// What else is possible here does not depend on the order in which
	// transitions are tried.
	w.m.tolerant = true
	err = w.expand()
	w.m.tolerant = false
	if errors.As(err, &f) {
		err = nil
	}
	// Whether this is a deadlock cannot be said.
	return err
}

// expand runs the machine and turns faults into errors.
func (w *worker) expand() (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			return
		case *fault:
			err = r
		case interrupted:
			err = r.err
		default:
			panic(r)
		}
		w.m.recovered()
	}()
	return w.m.expand()
}

// insert is the visitor of the machine.
func (w *worker) insert() error {
	s := w.s
	if w.transitions++; w.transitions&(1<<12-1) == 0 {
		// The state may have very many successors.
		if err := w.poll(1 << 12); err != nil {
			return err
		}
	}
	if w.m.cut && !s.prog.monitor.follow {
		return nil
	}
	if s.prog.priorities {
		w.held = append(w.held, w.m.w...)
		return nil
	}
	if s.fusing {
		w.r.fused += s.structure.fuse(w.m, nil)
	}
	return w.emit(w.m.w)
}

// emit hands a successor on.
func (w *worker) emit(words []uint64) error {
	words = w.normal(words)
	if w.passing {
		return w.keep(words)
	}
	return w.s.store.add(words, w.at)
}

// normal is a state as it is stored. It is valid until the next call.
func (w *worker) normal(words []uint64) []uint64 {
	if w.n == nil {
		return words
	}
	return w.n.normalise(words)
}

// show evaluates the plain goals on stored states.
func (w *worker) show(from, end int) error {
	s, m := w.s, w.q
	if s.plain.empty() {
		return nil
	}
	unpacked := false
	i := uint32(from)
	visit := func(g *goal) error {
		if g.done || w.hits[g.number].found || !g.met(m.w) {
			return nil
		}
		if !unpacked {
			m.unpack()
			unpacked = true
			if s.refuted(m) {
				return errFound
			}
		}
		return w.try(m, g, g.target, i)
	}
	for ; i < uint32(end); i++ {
		s.store.load(i, m.w)
		unpacked = false
		var before []uint64
		if p := s.store.parent(i); p != noParent {
			before = s.store.state(p)
		}
		if err := s.plain.each(m.w, before, visit); err != nil && !errors.Is(err, errFound) {
			return err
		}
	}
	return nil
}

// try evaluates a goal's condition on a machine that holds state i.
func (w *worker) try(m *machine, g *goal, t test, i uint32) error {
	h := &w.hits[g.number]
	if g.done || g.found || h.found {
		return nil
	}
	if t.safe || t.fn == nil {
		if t.holds(m) {
			*h = hit{found: true, state: i}
		}
		return nil
	}
	holds := false
	err := caught(func() { holds = t.holds(m) })
	var f *fault
	switch {
	case errors.As(err, &f):
		*h = hit{found: true, state: i, fault: f}
	case err != nil:
		return err
	case holds:
		*h = hit{found: true, state: i}
	}
	return nil
}

// tryLocal evaluates the goals that need to know whether the expanded state is
// a deadlock. A deadlock also settles every stuck atom.
func (w *worker) tryLocal() error {
	s, m := w.s, w.m
	m.dead = m.found == 0
	goals := s.alive
	if m.dead {
		goals = s.local
	}
	for _, g := range goals {
		if g.proc >= 0 && int(m.v[s.prog.procs[g.proc].loc]) != g.loc {
			continue
		}
		t := g.alive
		if m.dead {
			t = g.target
			for _, p := range g.atoms {
				m.stuck[p] = true
			}
		}
		if err := w.try(m, g, t, w.at); err != nil {
			return err
		}
	}
	return nil
}

// resume makes the first worker's machine insert what it visits, after another
// use.
func (s *search) resume() { s.m.visit = s.workers[0].insert }
