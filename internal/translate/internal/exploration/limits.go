package exploration

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A number that seems to grow for ever is kept within limits. What leaves them
// is not tracked from there on: the greatest value of the range stands for it,
// and whoever reads that makes a free choice.

// Beyond is the reason given for such a number.
const Beyond = "a number beyond the limits of the model"

// PastLimits reports that an expression is unknown since it depends on such a
// number: where it is kept, it is kept as one.
func PastLimits(e *sym.Expr) bool {
	u := e.UnknownIn()
	return u != nil && u.Why.Reason == Beyond
}

// limits is the range to which counters are kept, but for the value that stands
// for those beyond: that of the constants of the program, as far as they are
// small, with room for a few steps beyond those.
func (x *Explorer) limits() sym.Set {
	lo, hi := int32(-1), int32(16)
	for _, k := range x.Program.Thresholds {
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
func (x *Explorer) confine(c *state.Cell) {
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
	x.Wake(c)
	x.wakePlaces(c) // it is kept by place no more
}

// confined writes what a path leaves in cells with limits: a value beyond them
// is replaced by the one that says so. Copies of such cells are such cells.
func (p *Path) confine() {
	x := p.Explorer
	for _, addr := range p.Written() {
		c, e := x.Memory.Cells[addr], p.written(addr)
		if !c.Confined && !x.Emitting && (p.MayBeLost(e) || PastLimits(e)) {
			x.confine(c)
		}
		if !c.Confined || c.Abs.Top {
			continue
		}
		lo, hi := c.Abs.Bounds()
		switch a := p.Abs(e); {
		case e.UnknownIn() != nil || a.Top:
			p.write(addr, sym.Num(hi))
		case e.Op == sym.OpCell && state.CellOf(e) == c:
		case lo > e.K && e.IsConst(), e.IsConst() && e.K > hi:
			p.write(addr, sym.Num(hi))
		case !a.Within(c.Abs):
			p.write(addr, sym.Ite(sym.And(sym.Arith(sym.OpLe, sym.Num(lo), e), sym.Arith(sym.OpLt, e, sym.Num(hi))), e, sym.Num(hi)))
		}
		// What stands for the numbers beyond the limits of another cell may be within these.
		if l := p.Lost(e); l != nil && otherLimits(e, hi) {
			p.write(addr, sym.Ite(l, sym.Num(hi), p.written(addr)))
		}
	}
}

// otherLimits reports that an expression is a cell, or chooses among cells, of which one
// has another greatest value than hi.
func otherLimits(e *sym.Expr, hi int32) bool {
	seen := map[*sym.Expr]bool{}
	var visit func(e *sym.Expr) bool
	visit = func(e *sym.Expr) bool {
		switch {
		case e.Op == sym.OpCell:
			c := state.CellOf(e)
			return c.Confined && c.Abs.Hi != hi
		case e.Op != sym.OpIte || seen[e]:
			return false
		}
		seen[e] = true
		return visit(e.B) || visit(e.C)
	}
	return visit(e)
}

// Copied reads one cell to be written to another one, which may have other limits.
func (p *Path) Copied(addr int32) *sym.Expr {
	e := p.RawCell(addr)
	if p.Explorer.IsLost(addr, e) {
		return sym.Unknown(Beyond)
	}
	return e
}

// MayBeLost reports that an expression copies a cell that can be beyond its
// limits. A condition is no such copy: where it was computed, the cell was within
// them.
func (p *Path) MayBeLost(e *sym.Expr) bool { return (&losses{path: p}).possible(e) }

// losses looks for the cells in one expression that can be beyond their limits. Its parts occur more than once: as a tree, a number that
// is counted in a loop with branches is twice as large after each of them. So what is known of large parts is kept.
type losses struct {
	path       *Path
	possibles  map[*sym.Expr]bool
	conditions map[*sym.Expr]*sym.Expr
}

// keptSize is the size, as a tree, of parts of which it is kept what is known.
const keptSize = 64

// keep keeps what is known of a part, if that is large.
func keep[T any](in *map[*sym.Expr]T, e *sym.Expr, known T) {
	switch {
	case e.Size < keptSize:
		return
	case *in == nil:
		*in = map[*sym.Expr]T{}
	}
	(*in)[e] = known
}

func (l *losses) possible(e *sym.Expr) bool {
	if e == nil || !e.Cells && e.Op != sym.OpCell {
		return false
	}
	switch e.Op {
	case sym.OpCell:
		return l.condition(e) != nil
	case sym.OpEq, sym.OpLt, sym.OpLe, sym.OpAnd, sym.OpOr, sym.OpNot:
		return false
	}
	known, ok := l.possibles[e]
	if !ok {
		known = l.possible(e.A) || l.possible(e.B) || l.possible(e.C)
		keep(&l.possibles, e, known)
	}
	return known
}

// IsLost reports that what a cell holds is known to be beyond its limits.
func (x *Explorer) IsLost(addr int32, e *sym.Expr) bool {
	if addr <= 0 || int(addr) >= len(x.Memory.Cells) {
		return false
	}
	c := x.Memory.Cells[addr]
	return c.Confined && !c.Abs.Top && e.Is(c.Abs.Hi)
}

// Lost is the condition that what was read from a cell, or chosen among such, is
// beyond its limits, nil if it cannot be.
func (p *Path) Lost(e *sym.Expr) *sym.Expr { return (&losses{path: p}).condition(e) }

func (l *losses) condition(e *sym.Expr) *sym.Expr {
	switch {
	case e.Op == sym.OpIte && e.Cells:
		known, ok := l.conditions[e]
		if !ok {
			known = l.choice(e)
			keep(&l.conditions, e, known)
		}
		return known
	case e.Op != sym.OpCell:
		return nil
	}
	c := state.CellOf(e)
	if !c.Confined || c.Abs.Top || !l.path.Root(e).Has(c.Abs.Hi) {
		return nil
	}
	return Eq(e, c.Abs.Hi)
}

// choice is the condition that what is chosen of two parts is beyond its limits.
func (l *losses) choice(e *sym.Expr) *sym.Expr {
	a, b := l.condition(e.B), l.condition(e.C)
	switch {
	case a == nil && l.possible(e.B), b == nil && l.possible(e.C), a == nil && b == nil:
		return nil
	case a == nil:
		a = sym.Num(0)
	case b == nil:
		b = sym.Num(0)
	}
	return sym.Ite(e.A, a, b)
}

// Cells reads n cells, each with the condition that it is beyond its limits, for
// decide.
func (p *Path) Cells(addr int32, n int) (out, lost []*sym.Expr) {
	out, lost = make([]*sym.Expr, n), make([]*sym.Expr, n)
	for i := range out {
		at := addr + int32(i)
		out[i] = p.RawCell(at)
		lost[i] = p.Lost(out[i])
		if lost[i] == nil && (p.MayBeLost(out[i]) || p.Explorer.IsLost(at, out[i])) {
			out[i] = sym.Unknown(Beyond)
		}
	}
	return out, lost
}

// Decide continues with f for what was read, each scalar of it with the
// condition that it is beyond its limits, nil if it cannot be: then it is
// unknown.
func (x *Explorer) Decide(p *Path, v, lost []*sym.Expr, f func(q *Path, v []*sym.Expr)) {
	for i, c := range lost {
		if c == nil {
			continue
		}
		rest := append([]*sym.Expr(nil), lost...)
		rest[i] = nil
		c = p.Simplify(c)
		p.MarkFork()
		if q := p.GoBeyond(c); q != nil {
			q.Note("free-choice", artifact.DirectionOver, Beyond)
			w := append([]*sym.Expr(nil), v...)
			w[i] = sym.Unknown(Beyond)
			x.Decide(q, w, rest, f)
		}
		if !p.Assume(sym.Not(c)) {
			return
		}
		p.Know(c, sym.Single(0))
		x.Decide(p, v, rest, f)
		return
	}
	f(p, v)
}

// DecideAll continues with f for what was read and is used together: where one of the
// scalars is beyond its limits, none is known.
func (x *Explorer) DecideAll(p *Path, v, lost []*sym.Expr, f func(q *Path, v []*sym.Expr)) {
	some := sym.Num(0)
	for _, c := range lost {
		some = sym.Or(some, OrFalse(c))
	}
	if some = p.Simplify(some); some.Is(0) {
		f(p, v)
		return
	}
	p.MarkFork()
	if q := p.GoBeyond(some); q != nil {
		q.Note("free-choice", artifact.DirectionOver, Beyond)
		w := make([]*sym.Expr, len(v))
		for i := range w {
			w[i] = sym.Unknown(Beyond)
		}
		f(q, w)
	}
	if p.Assume(sym.Not(some)) {
		p.Know(some, sym.Single(0))
		f(p, v)
	}
}

// GoBeyond is the path on which numbers are beyond their limits, nil if there is
// none.
func (p *Path) GoBeyond(c *sym.Expr) *Path {
	q := p.Fork(c)
	if q == nil {
		return nil
	}
	q.Beyond = true
	if p.Explorer.Emitting {
		p.Explorer.remember(c)
	}
	return q
}

// remember collects the cells that a condition reads.
func (x *Explorer) remember(c *sym.Expr) {
	if c == nil {
		return
	}
	if c.Op == sym.OpCell && state.CellOf(c).Confined {
		x.Limited[state.CellOf(c)] = true
	}
	x.remember(c.A)
	x.remember(c.B)
	x.remember(c.C)
}

// OrFalse is a condition that never holds in place of none.
func OrFalse(e *sym.Expr) *sym.Expr {
	if e == nil {
		return sym.Num(0)
	}
	return e
}
