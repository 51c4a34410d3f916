package translate

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A number that seems to grow for ever is kept within limits. What leaves them
// is not tracked from there on: the greatest value of the range stands for it,
// and whoever reads that makes a free choice.

// beyond is the reason given for such a number.
const beyond = "a number beyond the limits of the model"

// pastLimits reports that an expression is unknown since it depends on such a
// number: where it is kept, it is kept as one.
func pastLimits(e *sym.Expr) bool {
	u := e.UnknownIn()
	return u != nil && u.Why.Reason == beyond
}

// limits is the range to which counters are kept, but for the value that stands
// for those beyond: that of the constants of the program, as far as they are
// small, with room for a few steps beyond those.
func (x *translator) limits() sym.Set {
	lo, hi := int32(-1), int32(16)
	for _, k := range x.prog.Thresholds {
		if -129 <= k && k < lo {
			lo = k
		}
		if hi < k && k <= 129 {
			hi = k
		}
	}
	const room = 32
	if lo < -2 {
		lo -= room
	}
	if hi > 17 {
		hi += room
	}
	return sym.Set{Interval: true, Lo: lo, Hi: hi + 1}
}

// confine keeps a cell within limits from now on.
func (x *translator) confine(c *state.Cell) {
	if c.Confined || c.Fix || c.Ref || c.Sync || c.Payload || c.Abs.Top {
		return
	}
	c.Confined = true
	c.Abs = x.limits()
	// A number that starts elsewhere has room around it.
	const room, most = 32, 4096
	if k := c.Init; -most <= k && k <= most && !(c.Abs.Lo <= k && k < c.Abs.Hi) {
		c.Abs.Lo, c.Abs.Hi = min(c.Abs.Lo, k-room), max(c.Abs.Hi, k+room)
	}
	x.wake(c)
	x.wakePlaces(c) // it is kept by place no more
}

// confined writes what a path leaves in cells with limits: a value beyond them
// is replaced by the one that says so. Copies of such cells are such cells.
func (p *path) confine() {
	x := p.x
	for _, addr := range p.written() {
		c, e := x.mem.Cells[addr], p.heap.m[addr]
		if !c.Confined && !x.emitting && (p.mayBeLost(e) || pastLimits(e)) {
			x.confine(c)
		}
		if !c.Confined || c.Abs.Top {
			continue
		}
		lo, hi := c.Abs.Bounds()
		switch a := p.abs(e); {
		case e.UnknownIn() != nil || a.Top:
			p.heap.set(addr, sym.Num(hi))
		case e.Op == sym.OpCell && state.CellOf(e) == c:
		case lo > e.K && e.IsConst(), e.IsConst() && e.K > hi:
			p.heap.set(addr, sym.Num(hi))
		case !a.Within(c.Abs):
			p.heap.set(addr, sym.Ite(sym.And(sym.Arith(sym.OpLe, sym.Num(lo), e), sym.Arith(sym.OpLt, e, sym.Num(hi))), e, sym.Num(hi)))
		}
		// What stands for the numbers beyond the limits of another cell may be within these.
		if l := p.lost(e); l != nil && otherLimits(e, hi) {
			p.heap.set(addr, sym.Ite(l, sym.Num(hi), p.heap.m[addr]))
		}
	}
}

// otherLimits reports that an expression is a cell, or chooses among cells, of which one
// has another greatest value than hi.
func otherLimits(e *sym.Expr, hi int32) bool {
	switch e.Op {
	case sym.OpCell:
		c := state.CellOf(e)
		return c.Confined && c.Abs.Hi != hi
	case sym.OpIte:
		return otherLimits(e.B, hi) || otherLimits(e.C, hi)
	}
	return false
}

// copied reads one cell to be written to another one, which may have other limits.
func (p *path) copied(addr int32) *sym.Expr {
	e := p.rawCell(addr)
	if p.x.isLost(addr, e) {
		return sym.Unknown(beyond)
	}
	return e
}

// mayBeLost reports that an expression copies a cell that can be beyond its
// limits. A condition is no such copy: where it was computed, the cell was within
// them.
func (p *path) mayBeLost(e *sym.Expr) bool {
	if e == nil || !e.Cells && e.Op != sym.OpCell {
		return false
	}
	switch e.Op {
	case sym.OpCell:
		return p.lost(e) != nil
	case sym.OpEq, sym.OpLt, sym.OpLe, sym.OpAnd, sym.OpOr, sym.OpNot:
		return false
	}
	return p.mayBeLost(e.A) || p.mayBeLost(e.B) || p.mayBeLost(e.C)
}

// isLost reports that what a cell holds is known to be beyond its limits.
func (x *translator) isLost(addr int32, e *sym.Expr) bool {
	if addr <= 0 || int(addr) >= len(x.mem.Cells) {
		return false
	}
	c := x.mem.Cells[addr]
	return c.Confined && !c.Abs.Top && e.Is(c.Abs.Hi)
}

// lost is the condition that what was read from a cell, or chosen among such, is
// beyond its limits, nil if it cannot be.
func (p *path) lost(e *sym.Expr) *sym.Expr {
	if e.Op == sym.OpIte && e.Cells {
		a, b := p.lost(e.B), p.lost(e.C)
		switch {
		case a == nil && p.mayBeLost(e.B), b == nil && p.mayBeLost(e.C), a == nil && b == nil:
			return nil
		case a == nil:
			a = sym.Num(0)
		case b == nil:
			b = sym.Num(0)
		}
		return sym.Ite(e.A, a, b)
	}
	if e.Op != sym.OpCell {
		return nil
	}
	c := state.CellOf(e)
	if !c.Confined || c.Abs.Top || !p.root(e).Has(c.Abs.Hi) {
		return nil
	}
	return eq(e, c.Abs.Hi)
}

// cells reads n cells, each with the condition that it is beyond its limits, for
// decide.
func (p *path) cells(addr int32, n int) (out, lost []*sym.Expr) {
	out, lost = make([]*sym.Expr, n), make([]*sym.Expr, n)
	for i := range out {
		at := addr + int32(i)
		out[i] = p.rawCell(at)
		lost[i] = p.lost(out[i])
		if lost[i] == nil && (p.mayBeLost(out[i]) || p.x.isLost(at, out[i])) {
			out[i] = sym.Unknown(beyond)
		}
	}
	return out, lost
}

// decide continues with f for what was read, each scalar of it with the
// condition that it is beyond its limits, nil if it cannot be: then it is
// unknown.
func (x *translator) decide(p *path, v, lost []*sym.Expr, f func(q *path, v []*sym.Expr)) {
	for i, c := range lost {
		if c == nil {
			continue
		}
		rest := append([]*sym.Expr(nil), lost...)
		rest[i] = nil
		c = p.simplify(c)
		p.spread()
		if q := p.goBeyond(c); q != nil {
			q.note("free-choice", artifact.DirectionOver, beyond)
			w := append([]*sym.Expr(nil), v...)
			w[i] = sym.Unknown(beyond)
			x.decide(q, w, rest, f)
		}
		if !p.assume(sym.Not(c)) {
			return
		}
		p.know(c, sym.Single(0))
		x.decide(p, v, rest, f)
		return
	}
	f(p, v)
}

// decideAll continues with f for what was read and is used together: where one of the
// scalars is beyond its limits, none is known.
func (x *translator) decideAll(p *path, v, lost []*sym.Expr, f func(q *path, v []*sym.Expr)) {
	some := sym.Num(0)
	for _, c := range lost {
		some = sym.Or(some, orFalse(c))
	}
	if some = p.simplify(some); some.Is(0) {
		f(p, v)
		return
	}
	p.spread()
	if q := p.goBeyond(some); q != nil {
		q.note("free-choice", artifact.DirectionOver, beyond)
		w := make([]*sym.Expr, len(v))
		for i := range w {
			w[i] = sym.Unknown(beyond)
		}
		f(q, w)
	}
	if p.assume(sym.Not(some)) {
		p.know(some, sym.Single(0))
		f(p, v)
	}
}

// goBeyond is the path on which numbers are beyond their limits, nil if there is
// none.
func (p *path) goBeyond(c *sym.Expr) *path {
	q := p.fork(c)
	if q == nil {
		return nil
	}
	q.beyond = true
	if p.x.emitting {
		p.x.remember(c)
	}
	return q
}

// remember collects the cells that a condition reads.
func (x *translator) remember(c *sym.Expr) {
	if c == nil {
		return
	}
	if c.Op == sym.OpCell && state.CellOf(c).Confined {
		x.limited[state.CellOf(c)] = true
	}
	x.remember(c.A)
	x.remember(c.B)
	x.remember(c.C)
}

func orFalse(e *sym.Expr) *sym.Expr {
	if e == nil {
		return sym.Num(0)
	}
	return e
}
