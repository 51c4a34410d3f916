package check

import (
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A goal is a query as the search sees it: it looks for a state that decides
// the query, a violation of an A[] formula or a witness of an E<> formula.
type goal struct {
	query  int // index in the caller's list
	number int // among the goals of the search
	target test
	alive  test  // the target if "deadlock" is false
	dead   bool  // the target depends on "deadlock"
	atoms  []int // processes of stuck atoms
	// The target implies that process proc is in location loc, if proc >= 0.
	proc, loc int
	implies   []implied // all values that the target implies
	reads     []int32   // state cells that the target depends on
	needs     []need

	done   bool
	result Result
	stats  Stats  // when it was decided
	at     uint32 // deciding state, if found
	found  bool
}

// asksStuck reports whether the goal needs to know who is stuck.
func (g *goal) asksStuck() bool { return len(g.atoms) > 0 }

// reset forgets what a search has found.
func (g *goal) reset() {
	g.done, g.found, g.at, g.result, g.stats, g.needs = false, false, 0, Result{}, Stats{}, nil
}

// verdictOf is the verdict of an A[] or E<> query once a deciding state was
// found, or once it is certain that there is none.
func verdictOf(op uppaal.PathOp, found bool) Verdict {
	if (op == uppaal.Possibly) == found {
		return True
	}
	return False
}

// goal compiles an A[] or E<> query.
func (c *compiler) goal(q *uppaal.Query, index int) (g *goal, err error) {
	g = &goal{query: index, proc: -1}
	err = caught(func() {
		c.inQuery = true
		defer func() { c.inQuery, c.assumeAlive = false, false }()
		positive := q.Op != uppaal.Always
		c.stuckAtoms = nil
		accesses := c.recorded(func() { g.target = c.formula(q.X, positive) })
		g.reads = c.stateCells(accesses, false)
		g.atoms = slices.Compact(slices.Sorted(slices.Values(c.stuckAtoms)))
		c.assumeAlive = true
		g.alive = c.formula(q.X, positive)
		c.assumeAlive = false
		uppaal.Inspect(q.X, func(e uppaal.Expr) {
			if _, ok := e.(*uppaal.Deadlock); ok {
				g.dead = true
			}
		})
		// What may be invalid has to be evaluated everywhere.
		known := newRanges(c)
		if known.proves(func() bool { return known.condition(q.X) }) {
			c.implied(q.X, positive, g)
			g.target.safe, g.alive.safe = true, true
		}
	})
	return g, err
}

// formula compiles a state formula, negated unless positive.
func (c *compiler) formula(e uppaal.Expr, positive bool) test {
	t := c.test(e)
	if positive {
		return t
	}
	return negate(t)
}

// implied looks for locations and values of variables that the formula, negated
// unless positive, implies.
func (c *compiler) implied(e uppaal.Expr, positive bool, g *goal) {
	if x := c.comparison(e, positive); x != nil {
		cl := &c.p.cells[x.cell]
		switch {
		case x.op == uppaal.OpEq:
			g.imply(x.cell, x.k)
		case x.op == uppaal.OpNe && cl.hi == cl.lo+1 && x.k == cl.lo:
			g.imply(x.cell, cl.hi)
		case x.op == uppaal.OpNe && cl.hi == cl.lo+1 && x.k == cl.hi:
			g.imply(x.cell, cl.lo)
		}
		return
	}
	switch e := e.(type) {
	case *uppaal.Unary:
		if e.Op == uppaal.OpNot {
			c.implied(e.X, !positive, g)
		}
	case *uppaal.Binary:
		switch {
		case e.Op == uppaal.OpAnd && positive, e.Op == uppaal.OpOr && !positive:
			c.implied(e.X, positive, g)
			c.implied(e.Y, positive, g)
		case e.Op == uppaal.OpImply && !positive:
			c.implied(e.X, true, g)
			c.implied(e.Y, false, g)
		}
	case *uppaal.Field:
		if c.info.Members[e] == nil || !positive {
			return
		}
		if p, o := c.member(e); isLocation(o) {
			loc := slices.Index(c.info.Processes[p].Template.Locations, o.(*uppaal.Location))
			if g.proc < 0 {
				g.proc, g.loc = p, loc
			}
			if cell := c.p.procs[p].loc; c.p.cells[cell].kind == stateCell {
				g.imply(cell, int32(loc))
			}
		}
	}
}

// maxImplied bounds the values for which goals are indexed.
const maxImplied = 1 << 12

// imply notes that a cell has a value wherever the target holds.
func (g *goal) imply(cell, value int32) {
	if value < 0 || value > maxImplied || slices.ContainsFunc(g.implies, func(n implied) bool { return n.cell == cell }) {
		return
	}
	g.implies = append(g.implies, implied{cell, value})
}

func (c *compiler) stuckTest(e *uppaal.Stuck) test {
	if !c.inQuery {
		c.fail(e.Pos, "stuck outside a query")
	}
	p := c.processOf(e.Process)
	c.stuckAtoms = append(c.stuckAtoms, p)
	return test{fn: func(m *machine) bool { return m.stuck[p] }, safe: true}
}

// maxAtoms bounds the stuck atoms of a formula whose truth values are tried in
// all combinations to see whether a state matters; beyond, every state does.
const maxAtoms = 8

// possible reports whether the target holds in the machine's state, which is
// no deadlock, for some truth values of its stuck atoms.
func (g *goal) possible(m *machine) bool {
	if len(g.atoms) > maxAtoms {
		return true
	}
	for set := range 1 << len(g.atoms) {
		for i, p := range g.atoms {
			m.stuck[p] = set>>i&1 != 0
		}
		if g.alive.holds(m) {
			return true
		}
	}
	return false
}

// holds evaluates a test as a formula.
func (t test) holds(m *machine) bool {
	if t.fn == nil {
		return t.value
	}
	m.begin()
	return t.fn(m)
}

// A goalIndex finds the goals that a state may decide by the locations they
// imply.
type goalIndex struct {
	byLoc   []locIndex
	general []*goal // imply no location
}

// locIndex holds the goals that imply a location of one process.
type locIndex struct {
	cell  int32
	goals [][]*goal // by location
}

func (x *locIndex) at(m *machine) []*goal { return x.goals[m.v[x.cell]] }

func (x *goalIndex) empty() bool { return len(x.byLoc) == 0 && len(x.general) == 0 }

func (x *goalIndex) add(prog *program, g *goal) {
	if g.proc < 0 {
		x.general = append(x.general, g)
		return
	}
	p := &prog.procs[g.proc]
	k := slices.IndexFunc(x.byLoc, func(l locIndex) bool { return l.cell == p.loc })
	if k < 0 {
		k = len(x.byLoc)
		x.byLoc = append(x.byLoc, locIndex{p.loc, make([][]*goal, len(p.locs))})
	}
	x.byLoc[k].goals[g.loc] = append(x.byLoc[k].goals[g.loc], g)
}

// each calls f for every goal that the machine's state may decide.
func (x *goalIndex) each(m *machine, f func(*goal)) {
	for _, g := range x.general {
		f(g)
	}
	for i := range x.byLoc {
		for _, g := range x.byLoc[i].at(m) {
			f(g)
		}
	}
}
