package check

import (
	"errors"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A pathGoal is a query about paths as the search sees it: it looks for a path
// all of whose states satisfy stay, from the initial state or, for a leads-to
// query, from any reachable state that satisfies start. The path must be
// infinite, or end in a deadlock, or in a state where time can pass for ever:
// one without urgent or committed locations in which no synchronisation over
// an urgent channel is possible. UPPAAL knows no fairness.
type pathGoal struct {
	query int
	op    uppaal.PathOp
	start test
	stay  test
}

// pathGoal compiles an E[], A<> or --> query.
func (c *compiler) pathGoal(q *uppaal.Query, index int) (g *pathGoal, err error) {
	g = &pathGoal{query: index, op: q.Op}
	err = caught(func() {
		c.inQuery = true
		defer func() { c.inQuery = false }()
		switch q.Op {
		case uppaal.PotentiallyAlway:
			g.stay = c.formula(q.X, true)
		case uppaal.Eventually:
			g.stay = c.formula(q.X, false)
		case uppaal.LeadsTo:
			g.stay = c.formula(q.Y, false)
			g.start = conjoin(c.formula(q.X, true), g.stay)
		default:
			c.fail(q.Pos, "the temporal operator %s", q.Op)
		}
	})
	return g, err
}

// needsGraph reports whether all reachable states have to be known.
func (g *pathGoal) needsGraph() bool { return g.op == uppaal.LeadsTo }

// concludePaths answers the queries about paths after the main search.
func (v *verification) concludePaths(s *search, replay *replayer, stop error, failure *Result) {
	for _, g := range v.paths {
		// A search that was stopped may not even have stored the initial state.
		open := stop != nil && (g.needsGraph() || s.store.len() == 0)
		r := &v.report.Results[g.query]
		p := &pathSearch{s: s, goal: g}
		states, err := p.run()
		p.release()
		var f *fault
		switch {
		case errors.As(err, &f):
			*r = Result{Verdict: Error, Reason: f.Error()}
		case err != nil:
			*r = Result{Verdict: Maybe, Reason: err.Error()}
		case states != nil:
			*r = Result{Verdict: False}
			if g.op == uppaal.PotentiallyAlway {
				r.Verdict = True
			}
			trace, err := s.trace(states)
			if err == nil {
				err = replay.trace(trace)
			}
			if err == nil {
				err = replay.forever(v.queries[g.query], p.prefix)
			}
			r.finish(trace, err)
		case open && failure != nil:
			*r = *failure
		case open:
			*r = Result{Verdict: Maybe, Reason: stop.Error()}
		default:
			*r = Result{Verdict: True}
			if g.op == uppaal.PotentiallyAlway {
				r.Verdict = False
			}
		}
		st := s.snapshot()
		st.States += p.explored
		st.Explored += p.explored
		v.report.Decided[g.query] = st
	}
}

// Bytes of the bookkeeping of a pathSearch, generously.
const (
	perOrigin = 48
	perEdge   = 24
	perNode   = 64
)

// A pathSearch explores the states that satisfy stay from the start states.
type pathSearch struct {
	s      *search
	goal   *pathGoal
	store  *packedStore
	edges  []edgePair
	held   int64
	urgent bool // a synchronisation over an urgent channel is possible
	// prefix is the number of steps before the path to stay on begins.
	prefix   int
	explored int // states, once it is released
}

func (p *pathSearch) release() {
	if p.store != nil {
		p.explored = p.store.len()
		p.store.release()
	}
	p.s.mem.give(p.held)
}

// run returns the packed states of a path, or nil if there is none.
func (p *pathSearch) run() ([][]uint64, error) {
	s := p.s
	var err error
	if p.store, err = newPackedStore(s.prog.width, s.opts.MaxStates, false, &s.mem); err != nil {
		return nil, err
	}
	m := s.m
	defer s.resume()
	origin := map[uint32]uint32{} // start states by number here: number in the main store
	begin := func(i uint32) error {
		n := p.store.len()
		if err := p.store.add(m.w, noParent); err != nil {
			return err
		}
		if err := p.store.flush(); err != nil {
			return err
		}
		if p.store.len() == n {
			return nil
		}
		origin[uint32(n)] = i
		return p.take(perOrigin)
	}
	head := 0
	explore := func() ([][]uint64, error) {
		for ; ; head++ {
			if head == p.store.len() {
				if err := p.store.flush(); err != nil {
					return nil, err
				}
				if head == p.store.len() {
					return nil, nil
				}
			}
			ends, err := p.expand(uint32(head))
			if err != nil {
				return nil, err
			}
			if ends {
				return p.full(uint32(head), origin), nil
			}
			if err := s.poll(1 + m.found); err != nil {
				return nil, err
			}
		}
	}
	end := uint32(1) // only the initial state
	if p.goal.needsGraph() {
		end = uint32(s.store.len())
	}
	for i := range min(end, uint32(s.store.len())) {
		s.store.load(i, m.w)
		m.unpack()
		if s.refuted(m) {
			continue
		}
		t := p.goal.stay
		if p.goal.needsGraph() {
			t = p.goal.start
		}
		holds := false
		if err := caught(func() { holds = t.holds(m) }); err != nil {
			return nil, err
		}
		if !holds {
			continue
		}
		if err := begin(i); err != nil {
			return nil, err
		}
		if path, err := explore(); path != nil || err != nil {
			return path, err
		}
		if err := s.poll(1); err != nil {
			return nil, err
		}
	}
	return p.cycle(origin)
}

// full is the path from the initial state by way of a start state.
func (p *pathSearch) full(i uint32, origin map[uint32]uint32) [][]uint64 {
	path := statesTo(p.store, i)
	first := i
	for p.store.parent(first) != noParent {
		first = p.store.parent(first)
	}
	before := statesTo(p.s.store, origin[first])
	p.prefix = len(before) - 1
	return append(before, path[1:]...)
}

// expand adds the successors of a state that satisfy stay. It reports whether
// a path may end in the state.
func (p *pathSearch) expand(i uint32) (ends bool, err error) {
	s, m := p.s, p.s.m
	p.store.load(i, m.w)
	m.unpack()
	lazy := true
	for k := range s.prog.procs {
		pr := &s.prog.procs[k]
		l := &pr.locs[m.v[pr.loc]]
		lazy = lazy && !l.urgent && !l.committed
	}
	p.urgent = false
	m.visit = func() error {
		if m.over >= 0 && s.prog.channels[m.over].urgent {
			p.urgent = true
		}
		if s.refuted(m) || m.cut || !p.goal.stay.holds(m) {
			return nil
		}
		return p.store.add(m.w, i)
	}
	if err := s.workers[0].expand(); err != nil {
		return false, err
	}
	return m.found == 0 || lazy && !p.urgent, nil
}

// cycle looks for a cycle among the states explored, none of which ends a
// path, and returns a path into it and once around.
func (p *pathSearch) cycle(origin map[uint32]uint32) ([][]uint64, error) {
	s, m := p.s, p.s.m
	n := uint32(p.store.len())
	if err := p.take(int64(n) * perNode); err != nil {
		return nil, err
	}
	out := make([]uint32, n)
	for i := range n {
		p.store.load(i, m.w)
		m.unpack()
		m.visit = func() error {
			to, ok := p.store.find(m.w)
			if !ok {
				return nil
			}
			if err := p.take(perEdge); err != nil {
				return err
			}
			p.edges = append(p.edges, edgePair{i, to})
			out[i]++
			return nil
		}
		if err := s.workers[0].expand(); err != nil {
			return nil, err
		}
		if err := s.poll(1 + m.found); err != nil {
			return nil, err
		}
	}
	// Remove states without successors until none is left; what remains can
	// go on for ever.
	start, pred := predecessors(int(n), p.edges)
	var work []uint32
	for i, k := range out {
		if k == 0 {
			work = append(work, uint32(i))
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, j := range pred[start[i]:start[i+1]] {
			if out[j]--; out[j] == 0 {
				work = append(work, j)
			}
		}
	}
	first := slices.IndexFunc(out, func(k uint32) bool { return k > 0 })
	if first < 0 {
		return nil, nil
	}
	next := map[uint32]uint32{} // the first remaining successor
	for _, e := range p.edges {
		if _, ok := next[e.from]; !ok && out[e.from] > 0 && out[e.to] > 0 {
			next[e.from] = e.to
		}
	}
	path := p.full(uint32(first), origin)
	seen := map[uint32]bool{uint32(first): true}
	for i := next[uint32(first)]; ; i = next[i] {
		w := make([]uint64, s.prog.width)
		p.store.load(i, w)
		path = append(path, w)
		if seen[i] {
			return path, nil
		}
		seen[i] = true
	}
}

func (p *pathSearch) take(n int64) error {
	if err := p.s.mem.take(n); err != nil {
		return err
	}
	p.held += n
	return nil
}
