package check

import (
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A conjunct is one of the conditions that a transition or a formula needs all
// of: that a process is in a location, or a test.
type conjunct struct {
	// proc is in loc or, if negated, is not; proc is -1 for a test. Of a formula:
	// if loc is -1, proc is stuck.
	proc, loc int32
	negated   bool

	test test
	// before are conjuncts without which the test may be invalid.
	before []int32
	reads  []int32 // state cells
	simple *comparison
	unsafe bool // of a formula: the test may be invalid on its own

	// Groups of transitions that may make the conjunct true, and how many
	// transitions these are.
	enablers []int32
	cost     int
}

// A comparison of a cell with a constant.
type comparison struct {
	cell int32
	op   uppaal.Op
	k    int32
}

// conjuncts lists the operands of && in an expression.
func conjuncts(e uppaal.Expr) []uppaal.Expr {
	if b, ok := e.(*uppaal.Binary); ok && b.Op == uppaal.OpAnd {
		return append(conjuncts(b.X), conjuncts(b.Y)...)
	}
	return []uppaal.Expr{e}
}

// literal compiles an expression, negated unless positive, as a conjunct.
func (c *compiler) literal(e uppaal.Expr, positive bool) *conjunct {
	if f, ok := e.(*uppaal.Field); ok && c.info.Members[f] != nil {
		if p, o := c.member(f); isLocation(o) {
			locs := c.info.Processes[p].Template.Locations
			if k := slices.Index(locs, o.(*uppaal.Location)); k >= 0 && len(locs) > 1 {
				return &conjunct{proc: int32(p), loc: int32(k), negated: !positive}
			}
		}
	}
	if s, ok := e.(*uppaal.Stuck); ok {
		return &conjunct{proc: int32(c.processOf(s.Process)), loc: -1, negated: !positive}
	}
	l := &conjunct{proc: -1}
	accesses := c.recorded(func() { l.test = c.formula(e, positive) })
	l.reads = c.stateCells(accesses, false)
	l.simple = c.comparison(e, positive)
	alone := newRanges(c)
	l.unsafe = !alone.proves(func() bool { return alone.condition(e) })
	uppaal.Inspect(e, func(e uppaal.Expr) {
		if _, ok := e.(*uppaal.Stuck); ok {
			l.unsafe = true // it is no function of the state
		}
	})
	return l
}

// stateCells lists the state cells that are read, or written.
func (c *compiler) stateCells(accesses []access, write bool) []int32 {
	var cells []int32
	for _, a := range accesses {
		if a.write != write {
			continue
		}
		for i := a.lo; i < min(a.hi, int32(len(c.p.cells))); i++ {
			if c.p.cells[i].kind == stateCell {
				cells = append(cells, i)
			}
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// comparison recognises the comparison of a variable with a constant.
func (c *compiler) comparison(e uppaal.Expr, positive bool) *comparison {
	cell := func(e uppaal.Expr) (int32, bool) {
		switch e := e.(type) {
		case *uppaal.Ident, *uppaal.Field, *uppaal.Index:
			if c.isLocationIndex(e) {
				return 0, false // locations are no cells to stubborn sets
			}
			n := c.number(e)
			return n.k, n.form == cellNumber && c.p.cells[n.k].kind == stateCell
		}
		return 0, false
	}
	if u, ok := e.(*uppaal.Unary); ok && u.Op == uppaal.OpNot {
		return c.comparison(u.X, !positive)
	}
	x := &comparison{}
	if b, ok := e.(*uppaal.Binary); ok && mirrored[b.Op] != "" && !isAggregate(c.typeOf(b.X)) {
		l, r, op := b.X, b.Y, b.Op
		if c.number(l).form == constNumber {
			l, r, op = r, l, mirrored[op]
		}
		k := c.number(r)
		if x.cell, ok = cell(l); !ok || k.form != constNumber {
			return nil
		}
		x.op, x.k = op, k.k
	} else if x.cell, ok = cell(e); ok {
		x.op = uppaal.OpNe
	} else {
		return nil
	}
	if !positive {
		x.op = complement[x.op]
	}
	return x
}

// complement gives the comparison that is true when another is false.
var complement = map[uppaal.Op]uppaal.Op{
	uppaal.OpLt: uppaal.OpGe, uppaal.OpLe: uppaal.OpGt, uppaal.OpGt: uppaal.OpLe,
	uppaal.OpGe: uppaal.OpLt, uppaal.OpEq: uppaal.OpNe, uppaal.OpNe: uppaal.OpEq,
}

// maxCubes bounds the disjunctive form of a formula.
const maxCubes = 64

// cubes gives the disjunctive form of a formula, negated unless positive: it
// holds where all conjuncts of one of the cubes do.
func (c *compiler) cubes(e uppaal.Expr, positive bool) [][]*conjunct {
	all := func(parts ...[][]*conjunct) [][]*conjunct {
		product := [][]*conjunct{{}}
		for _, p := range parts {
			var next [][]*conjunct
			for _, a := range product {
				for _, b := range p {
					next = append(next, slices.Concat(a, b))
				}
			}
			if product = next; len(product) > maxCubes {
				return nil
			}
		}
		return product
	}
	tooMany := func(list [][]*conjunct, empty bool) bool {
		return len(list) > maxCubes || len(list) == 0 && !empty
	}
	var result [][]*conjunct
	switch e := e.(type) {
	case *uppaal.Unary:
		if e.Op == uppaal.OpNot {
			return c.cubes(e.X, !positive)
		}
	case *uppaal.Binary:
		left := positive
		conj := false
		switch e.Op {
		case uppaal.OpAnd:
			conj = positive
		case uppaal.OpOr:
			conj = !positive
		case uppaal.OpImply:
			left, conj = !positive, !positive
		default:
			return c.cube(e, positive)
		}
		x, y := c.cubes(e.X, left), c.cubes(e.Y, positive)
		if conj {
			result = all(x, y)
			if tooMany(result, len(x) == 0 || len(y) == 0) {
				return c.cube(e, positive)
			}
			return result
		}
		if result = append(x, y...); tooMany(result, true) {
			return c.cube(e, positive)
		}
		return result
	case *uppaal.Quant:
		if e.Kind == uppaal.Sum {
			return c.cube(e, positive)
		}
		var parts [][][]*conjunct
		if !c.instances(e.Bind, func() { parts = append(parts, c.cubes(e.Body, positive)) }) {
			return c.cube(e, positive)
		}
		if (e.Kind == uppaal.Forall) == positive {
			none := slices.ContainsFunc(parts, func(p [][]*conjunct) bool { return len(p) == 0 })
			if result = all(parts...); tooMany(result, none) {
				return c.cube(e, positive)
			}
			return result
		}
		for _, p := range parts {
			result = append(result, p...)
		}
		if tooMany(result, true) {
			return c.cube(e, positive)
		}
		return result
	}
	return c.cube(e, positive)
}

// cube is the form of an expression that is not taken apart.
func (c *compiler) cube(e uppaal.Expr, positive bool) [][]*conjunct {
	l := c.literal(e, positive)
	if l.proc < 0 && l.test.fn == nil {
		if l.test.value {
			return [][]*conjunct{{}}
		}
		return nil
	}
	return [][]*conjunct{{l}}
}

// monotone reports whether a formula, negated unless positive, can only become
// true when "deadlock" does.
func monotone(e uppaal.Expr, positive bool) bool {
	switch e := e.(type) {
	case *uppaal.Deadlock:
		return positive
	case *uppaal.Unary:
		return monotone(e.X, positive == (e.Op != uppaal.OpNot))
	case *uppaal.Binary:
		switch e.Op {
		case uppaal.OpAnd, uppaal.OpOr:
			return monotone(e.X, positive) && monotone(e.Y, positive)
		case uppaal.OpImply:
			return monotone(e.X, !positive) && monotone(e.Y, positive)
		}
	case *uppaal.Quant:
		if e.Kind != uppaal.Sum {
			return monotone(e.Body, positive)
		}
	}
	found := false
	uppaal.Inspect(e, func(e uppaal.Expr) {
		if _, ok := e.(*uppaal.Deadlock); ok {
			found = true
		}
	})
	return !found
}
