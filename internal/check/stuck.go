package check

import (
	"errors"
	"slices"
)

// stateSet is a set of state numbers.
type stateSet []uint64

func (s stateSet) has(i uint32) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s stateSet) add(i uint32)      { s[i>>6] |= 1 << (i & 63) }

func (s *search) newSet() (stateSet, error) {
	n := (s.store.len() + 63) / 64
	if err := s.mem.take(int64(8 * n)); err != nil {
		return nil, err
	}
	return make(stateSet, n), nil
}

// settleStuck decides the goals with stuck atoms after a complete exploration.
//
// Candidates are the states where the goal's target holds for some truth
// values of its atoms. For each process named, the part of the graph that can
// be reached from candidates without a move of that process is expanded once
// more; the process is not stuck in the states from which a state is reached
// there in which it can move.
func (s *search) settleStuck() {
	if s.global.empty() {
		return
	}
	err := s.settle()
	if err == nil {
		return
	}
	for _, g := range s.global.all() {
		if !g.done && !g.found {
			g.result = Result{Verdict: Maybe, Reason: err.Error()}
		}
		g.done = true
	}
}

func (x *goalIndex) all() []*goal {
	list := slices.Clone(x.general)
	for _, l := range x.byLoc {
		for _, gs := range l.goals {
			list = append(list, gs...)
		}
	}
	return list
}

func (s *search) settle() error {
	candidates, err := s.candidates()
	if err != nil {
		return err
	}
	dead, err := s.newSet()
	if err != nil {
		return err
	}
	byProc := map[int][]uint32{}
	for _, g := range s.global.all() {
		for _, p := range g.atoms {
			byProc[p] = append(byProc[p], candidates[g]...)
		}
	}
	stuck := map[int]stateSet{}
	sub := &subgraph{s: s}
	for p := range s.prog.procs {
		list := byProc[p]
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		if stuck[p], err = sub.stuck(int32(p), slices.Compact(list), dead); err != nil {
			return err
		}
	}
	m := s.m
	for _, g := range s.global.all() {
		if g.done {
			continue
		}
		for _, i := range candidates[g] {
			s.store.load(i, m.w)
			m.unpack()
			m.dead = dead.has(i)
			t := g.alive
			if m.dead {
				t = g.target
			}
			for _, p := range g.atoms {
				m.stuck[p] = stuck[p].has(i)
			}
			holds := false
			err := caught(func() { holds = t.holds(m) })
			var f *fault
			if errors.As(err, &f) {
				s.failGoal(g, f, i)
				break
			}
			if err != nil {
				return err
			}
			if holds {
				g.found, g.at, g.result = true, i, Result{}
				break
			}
		}
		g.done = true
	}
	return nil
}

// candidates lists, for each goal with stuck atoms, the states that may decide
// it, in order.
func (s *search) candidates() (map[*goal][]uint32, error) {
	found := map[*goal][]uint32{}
	m := s.m
	m.dead = false
	end := uint32(s.store.len())
	for i := uint32(0); i < end; i++ {
		s.store.load(i, m.w)
		m.unpack()
		if err := s.poll(1); err != nil {
			return nil, err
		}
		if s.refuted(m) {
			continue
		}
		var stop error
		s.global.each(m, func(g *goal) {
			if g.done || g.found && i >= g.at || stop != nil {
				return
			}
			possible := false
			err := caught(func() { possible = g.possible(m) })
			var f *fault
			if errors.As(err, &f) {
				err, possible = nil, true // or not: not with all values of its atoms
			}
			if err == nil && possible {
				if err = s.mem.take(8); err == nil {
					found[g] = append(found[g], i)
				}
			}
			stop = err
		})
		if stop != nil {
			return nil, stop
		}
	}
	return found, nil
}

// A subgraph is the part of the state graph that is reached from some states
// without a move of one process. It is reused from process to process.
type subgraph struct {
	s     *search
	id    []uint32 // by state: number in the subgraph plus one, or 0
	nodes []uint32 // states by number
	edges []edgePair
}

type edgePair struct{ from, to uint32 }

// stuck computes in which of the subgraph's states the process is stuck, and
// notes deadlocks.
func (b *subgraph) stuck(proc int32, from []uint32, dead stateSet) (stateSet, error) {
	s := b.s
	if b.id == nil {
		if err := s.mem.take(int64(4 * s.store.len())); err != nil {
			return nil, err
		}
		b.id = make([]uint32, s.store.len())
	}
	for _, i := range b.nodes {
		b.id[i] = 0
	}
	held := int64(0)
	take := func(n int64) error {
		if err := s.mem.take(n); err != nil {
			return err
		}
		held += n
		return nil
	}
	defer func() { s.mem.give(held) }()
	b.nodes, b.edges = b.nodes[:0], b.edges[:0]
	node := func(i uint32) (uint32, error) {
		if b.id[i] == 0 {
			if err := take(32); err != nil {
				return 0, err
			}
			b.nodes = append(b.nodes, i)
			b.id[i] = uint32(len(b.nodes))
		}
		return b.id[i] - 1, nil
	}
	for _, i := range from {
		if _, err := node(i); err != nil {
			return nil, err
		}
	}
	m := s.m
	moves := []bool{}
	defer s.resume()
	for k := 0; k < len(b.nodes); k++ {
		s.store.load(b.nodes[k], m.w)
		m.unpack()
		first := len(b.edges)
		m.visit = func() error {
			for _, e := range m.parts {
				if e.proc == proc {
					return errFound
				}
			}
			to, ok := s.store.find(m.w)
			if !ok {
				return errors.New("internal: a successor is missing from a complete search")
			}
			n, err := node(to)
			if err != nil {
				return err
			}
			if err := take(16 + 8); err != nil {
				return err
			}
			b.edges = append(b.edges, edgePair{uint32(k), n})
			return nil
		}
		m.filter = nil
		// The sets depend on the state alone while processes have to be stuck, so that each successor that is left is stored.
		// That a process can move is not lost by them; see visibility.go.
		if r := s.workers[0].r; r != nil {
			if err := caught(func() { r.choose(m) }); err != nil {
				return nil, err
			}
		}
		err := s.workers[0].expand()
		m.filter = nil
		if err != nil && !errors.Is(err, errFound) {
			return nil, err
		}
		moves = append(moves, err != nil)
		if err != nil {
			// Its other successors do not matter.
			b.edges = b.edges[:first]
		} else if m.found == 0 {
			dead.add(b.nodes[k])
		}
		if err := s.poll(1 + m.found); err != nil {
			return nil, err
		}
	}
	reach := backward(b.edges, moves)
	set, err := s.newSet()
	if err != nil {
		return nil, err
	}
	for k, i := range b.nodes {
		if !reach[k] {
			set.add(i)
		}
	}
	return set, nil
}

// predecessors gives those of node i as pred[start[i]:start[i+1]].
func predecessors(n int, edges []edgePair) (start, pred []uint32) {
	start = make([]uint32, n+1)
	for _, e := range edges {
		start[e.to+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	pred = make([]uint32, len(edges))
	next := slices.Clone(start[:n])
	for _, e := range edges {
		pred[next[e.to]] = e.from
		next[e.to]++
	}
	return start, pred
}

// backward extends the marked nodes by all nodes that reach one of them.
func backward(edges []edgePair, marked []bool) []bool {
	start, pred := predecessors(len(marked), edges)
	var work []uint32
	for i, ok := range marked {
		if ok {
			work = append(work, uint32(i))
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range pred[start[i]:start[i+1]] {
			if !marked[p] {
				marked[p] = true
				work = append(work, p)
			}
		}
	}
	return marked
}
