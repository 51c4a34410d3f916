package exploration

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A number that seems to grow for ever is kept within limits. Where it leaves
// them it saturates: the greatest value of the range stands for all numbers
// beyond, it is not tracked from there on, and whoever reads it makes a free
// choice.
//
// For n in
//
//	for { mu.Lock(); n += 7; mu.Unlock() }
//
// there is neither a bound nor room for all numbers. Not tracked at all it would be a
// free choice for everybody from the beginning on. With limits, n == 3 is decided as
// long as n is small, and only behind that everything is possible: false alarms, but
// no false calm. In arithmetic the saturated value would be a number like any other,
// so whoever reads it for more than a copy forks before (Decide).

// SaturatedReason is the reason given for such a number.
const SaturatedReason = "a number beyond the limits of the model"

// DependsOnSaturated reports that an expression is unknown since it depends on
// such a number: where it is kept, it is kept as one.
func DependsOnSaturated(e *sym.Expr) bool {
	u := e.UnknownIn()
	return u != nil && u.Why.Reason == SaturatedReason
}

// limits is the range to which counters are kept, with the saturated value: that
// of the constants of the program, as far as they are small, with room for a few
// steps beyond those.
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

// confine keeps a cell within limits from now on. Only what holds a number of the program has a value to spare that
// can stand for others: not a reference, nor a cell of a channel or lock.
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
	// Who has read the cell has taken for a number what is the saturated value now.
	x.Wake(c)
	x.wakeByLocation(c) // it is kept by location no more
}

// confine writes what a path leaves in cells with limits: a value beyond them
// saturates. Copies of such cells are such cells.
//
// Segments that only write a cell need not be executed again when it gets limits: all that they can leave in it is
// within, and edges are made by executing them once more.
func (p *Path) confine() {
	x := p.Explorer
	for _, addr := range p.Written() {
		c, e := x.Memory.Cells[addr], p.written(addr)
		if !c.Confined && !x.Emitting && (p.MayBeSaturated(e) || DependsOnSaturated(e)) {
			x.confine(c)
		}
		if !c.Confined || c.Abs.Top {
			continue
		}
		lo, hi := c.Abs.Bounds()
		switch a := p.Abs(e); {
		// A number that is not tracked is treated as one beyond the limits: whoever reads it chooses.
		case e.UnknownIn() != nil || a.Top:
			p.write(addr, sym.Num(hi))
		// Put back as it was, saturated or not.
		case e.Op == sym.OpCell && state.CellOf(e) == c:
		case lo > e.K && e.IsConst(), e.IsConst() && e.K > hi:
			p.write(addr, sym.Num(hi))
		case !a.Within(c.Abs):
			p.write(addr, sym.Ite(sym.And(sym.Arith(sym.OpLe, sym.Num(lo), e), sym.Arith(sym.OpLt, e, sym.Num(hi))), e, sym.Num(hi)))
		}
		// The saturated value of another cell may be within these limits.
		if l := p.SaturatedIf(e); l != nil && otherLimits(e, hi) {
			p.write(addr, sym.Ite(l, sym.Num(hi), p.written(addr)))
		}
	}
}

// otherLimits reports that an expression is a cell, or chooses among cells, of which one has another greatest value
// than hi: 17 stands for all greater ones in a cell up to 17, and is a number in one up to 130.
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
	if p.Explorer.IsSaturated(addr, e) {
		return sym.Unknown(SaturatedReason)
	}
	return e
}

// MayBeSaturated reports that an expression copies a cell that can be saturated. A
// condition is no such copy: where it was computed, the cell was not.
func (p *Path) MayBeSaturated(e *sym.Expr) bool { return (&saturation{path: p}).possible(e) }

// saturation looks for the cells in one expression that can be saturated. Its parts occur more than once: as a tree, a number that
// is counted in a loop with branches is twice as large after each of them. So what is known of large parts is kept.
type saturation struct {
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

func (s *saturation) possible(e *sym.Expr) bool {
	if e == nil || !e.Cells && e.Op != sym.OpCell {
		return false
	}
	switch e.Op {
	case sym.OpCell:
		return s.condition(e) != nil
	case sym.OpEq, sym.OpLt, sym.OpLe, sym.OpAnd, sym.OpOr, sym.OpNot:
		return false
	}
	known, ok := s.possibles[e]
	if !ok {
		known = s.possible(e.A) || s.possible(e.B) || s.possible(e.C)
		keep(&s.possibles, e, known)
	}
	return known
}

// IsSaturated reports that what a cell holds is known to be saturated.
func (x *Explorer) IsSaturated(addr int32, e *sym.Expr) bool {
	if addr <= 0 || int(addr) >= len(x.Memory.Cells) {
		return false
	}
	c := x.Memory.Cells[addr]
	return c.Confined && !c.Abs.Top && e.Is(c.Abs.Hi)
}

// SaturatedIf is the condition that what was read from a cell, or chosen among
// such, is saturated, nil if it cannot be.
// It is nil as well for what is computed from such a cell, as n+1, of which no condition says what it is then: that
// is possible and cannot be decided, so that it has to be taken for unknown. MayBeSaturated tells the two apart.
func (p *Path) SaturatedIf(e *sym.Expr) *sym.Expr { return (&saturation{path: p}).condition(e) }

func (s *saturation) condition(e *sym.Expr) *sym.Expr {
	switch {
	case e.Op == sym.OpIte && e.Cells:
		known, ok := s.conditions[e]
		if !ok {
			known = s.choice(e)
			keep(&s.conditions, e, known)
		}
		return known
	case e.Op != sym.OpCell:
		return nil
	}
	c := state.CellOf(e)
	if !c.Confined || c.Abs.Top || !s.path.Root(e).Has(c.Abs.Hi) {
		return nil
	}
	return Eq(e, c.Abs.Hi)
}

// choice is the condition that what is chosen of two parts is saturated.
func (s *saturation) choice(e *sym.Expr) *sym.Expr {
	a, b := s.condition(e.B), s.condition(e.C)
	switch {
	// One side may be computed from a saturated cell: no condition says when.
	case a == nil && s.possible(e.B), b == nil && s.possible(e.C), a == nil && b == nil:
		return nil
	case a == nil:
		a = sym.Num(0)
	case b == nil:
		b = sym.Num(0)
	}
	return sym.Ite(e.A, a, b)
}

// Cells reads n cells, each with the condition that it is saturated, for Decide.
func (p *Path) Cells(addr int32, n int) (out, saturated []*sym.Expr) {
	out, saturated = make([]*sym.Expr, n), make([]*sym.Expr, n)
	for i := range out {
		at := addr + int32(i)
		out[i] = p.RawCell(at)
		saturated[i] = p.SaturatedIf(out[i])
		if saturated[i] == nil && (p.MayBeSaturated(out[i]) || p.Explorer.IsSaturated(at, out[i])) {
			out[i] = sym.Unknown(SaturatedReason)
		}
	}
	return out, saturated
}

// Decide continues with f for what was read, each scalar of it with the
// condition that it is saturated, nil if it cannot be: where it is, it is
// unknown.
func (x *Explorer) Decide(p *Path, v, saturated []*sym.Expr, f func(q *Path, v []*sym.Expr)) {
	for i, c := range saturated {
		if c == nil {
			continue
		}
		rest := append([]*sym.Expr(nil), saturated...)
		rest[i] = nil
		c = p.Simplify(c)
		p.MarkFork()
		if q := p.ForkSaturated(c); q != nil {
			q.Note("free-choice", artifact.DirectionOver, SaturatedReason)
			w := append([]*sym.Expr(nil), v...)
			w[i] = sym.Unknown(SaturatedReason)
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
// scalars is saturated, none is known.
// There are two paths then, not one for each of the scalars.
func (x *Explorer) DecideAll(p *Path, v, saturated []*sym.Expr, f func(q *Path, v []*sym.Expr)) {
	some := sym.Num(0)
	for _, c := range saturated {
		some = sym.Or(some, OrFalse(c))
	}
	if some = p.Simplify(some); some.Is(0) {
		f(p, v)
		return
	}
	p.MarkFork()
	if q := p.ForkSaturated(some); q != nil {
		q.Note("free-choice", artifact.DirectionOver, SaturatedReason)
		w := make([]*sym.Expr, len(v))
		for i := range w {
			w[i] = sym.Unknown(SaturatedReason)
		}
		f(q, w)
	}
	if p.Assume(sym.Not(some)) {
		p.Know(some, sym.Single(0))
		f(p, v)
	}
}

// ForkSaturated is the path on which c holds, so that numbers are saturated, nil
// if there is none.
func (p *Path) ForkSaturated(c *sym.Expr) *Path {
	q := p.Fork(c)
	if q == nil {
		return nil
	}
	q.Saturated = true
	if p.Explorer.Emitting {
		p.Explorer.remember(c)
	}
	return q
}

// remember collects the cells that a condition reads.
// Whether one of them ever is saturated is asked of the model: if not, what rests on that is exact.
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
