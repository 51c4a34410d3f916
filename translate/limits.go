package translate

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
)

// A number that seems to grow for ever is kept within limits. What leaves them
// is not tracked from there on: the greatest value of the range stands for it,
// and whoever reads that makes a free choice.

// beyond is the reason given for such a number.
const beyond = "a number beyond the limits of the model"

// pastLimits reports that an expression is unknown since it depends on such a
// number: where it is kept, it is kept as one.
func pastLimits(e *expr) bool {
	u := e.unknownIn()
	return u != nil && u.why.reason == beyond
}

// limits is the range to which counters are kept, but for the value that stands
// for those beyond: that of the constants of the program, as far as they are
// small, with room for a few steps beyond those.
func (x *translator) limits() abs {
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
	return abs{iv: true, lo: lo, hi: hi + 1}
}

// confine keeps a cell within limits from now on.
func (x *translator) confine(c *cell) {
	if c.confined || c.fix || c.ref || c.sync || c.payload || c.abs.top {
		return
	}
	c.confined = true
	c.abs = x.limits()
	// A number that starts elsewhere has room around it.
	const room, most = 32, 4096
	if k := c.init; -most <= k && k <= most && !(c.abs.lo <= k && k < c.abs.hi) {
		c.abs.lo, c.abs.hi = min(c.abs.lo, k-room), max(c.abs.hi, k+room)
	}
	x.wake(c)
	x.wakePlaces(c) // it is kept by place no more
}

// start is what a cell holds at first.
func (c *cell) start() int32 {
	if c.confined && !c.abs.top && (c.init < c.abs.lo || c.abs.hi < c.init) {
		return c.abs.hi
	}
	return c.init
}

// confined writes what a path leaves in cells with limits: a value beyond them
// is replaced by the one that says so. Copies of such cells are such cells.
func (p *path) confine() {
	x := p.x
	for _, addr := range sortedKeys(p.heap.m) {
		c, e := x.mem.cells[addr], p.heap.m[addr]
		if !c.confined && !x.emitting && (p.mayBeLost(e) || pastLimits(e)) {
			x.confine(c)
		}
		if !c.confined || c.abs.top {
			continue
		}
		lo, hi := c.abs.bounds()
		switch a := p.abs(e); {
		case e.unknownIn() != nil || a.top:
			p.heap.set(addr, num(hi))
		case e.op == xCell && cellOf(e) == c:
		case lo > e.k && e.isConst(), e.isConst() && e.k > hi:
			p.heap.set(addr, num(hi))
		case !a.within(c.abs):
			p.heap.set(addr, ite(and(arith(xLe, num(lo), e), arith(xLt, e, num(hi))), e, num(hi)))
		}
		// What stands for the numbers beyond the limits of another cell may be within these.
		if l := p.lost(e); l != nil && otherLimits(e, hi) {
			p.heap.set(addr, ite(l, num(hi), p.heap.m[addr]))
		}
	}
}

// otherLimits reports that an expression is a cell, or chooses among cells, of which one
// has another greatest value than hi.
func otherLimits(e *expr, hi int32) bool {
	switch e.op {
	case xCell:
		c := cellOf(e)
		return c.confined && c.abs.hi != hi
	case xIte:
		return otherLimits(e.b, hi) || otherLimits(e.c, hi)
	}
	return false
}

// copied reads one cell to be written to another one, which may have other limits.
func (p *path) copied(addr int32) *expr {
	e := p.rawCell(addr)
	if p.x.isLost(addr, e) {
		return unknown(beyond)
	}
	return e
}

// mayBeLost reports that an expression copies a cell that can be beyond its
// limits. A condition is no such copy: where it was computed, the cell was within
// them.
func (p *path) mayBeLost(e *expr) bool {
	if e == nil || !e.cells && e.op != xCell {
		return false
	}
	switch e.op {
	case xCell:
		return p.lost(e) != nil
	case xEq, xLt, xLe, xAnd, xOr, xNot:
		return false
	}
	return p.mayBeLost(e.a) || p.mayBeLost(e.b) || p.mayBeLost(e.c)
}

// isLost reports that what a cell holds is known to be beyond its limits.
func (x *translator) isLost(addr int32, e *expr) bool {
	if addr <= 0 || int(addr) >= len(x.mem.cells) {
		return false
	}
	c := x.mem.cells[addr]
	return c.confined && !c.abs.top && e.is(c.abs.hi)
}

// lost is the condition that what was read from a cell, or chosen among such, is
// beyond its limits, nil if it cannot be.
func (p *path) lost(e *expr) *expr {
	if e.op == xIte && e.cells {
		a, b := p.lost(e.b), p.lost(e.c)
		switch {
		case a == nil && p.mayBeLost(e.b), b == nil && p.mayBeLost(e.c), a == nil && b == nil:
			return nil
		case a == nil:
			a = num(0)
		case b == nil:
			b = num(0)
		}
		return ite(e.a, a, b)
	}
	if e.op != xCell {
		return nil
	}
	c := cellOf(e)
	if !c.confined || c.abs.top || !p.root(e).has(c.abs.hi) {
		return nil
	}
	return eq(e, c.abs.hi)
}

// cells reads n cells, each with the condition that it is beyond its limits, for
// decide.
func (p *path) cells(addr int32, n int) (out, lost []*expr) {
	out, lost = make([]*expr, n), make([]*expr, n)
	for i := range out {
		at := addr + int32(i)
		out[i] = p.rawCell(at)
		lost[i] = p.lost(out[i])
		if lost[i] == nil && (p.mayBeLost(out[i]) || p.x.isLost(at, out[i])) {
			out[i] = unknown(beyond)
		}
	}
	return out, lost
}

// decide continues with f for what was read, each scalar of it with the
// condition that it is beyond its limits, nil if it cannot be: then it is
// unknown.
func (x *translator) decide(p *path, v, lost []*expr, f func(q *path, v []*expr)) {
	for i, c := range lost {
		if c == nil {
			continue
		}
		rest := append([]*expr(nil), lost...)
		rest[i] = nil
		c = p.simplify(c)
		p.spread()
		if q := p.goBeyond(c); q != nil {
			q.note("free-choice", artifact.DirectionOver, beyond)
			w := append([]*expr(nil), v...)
			w[i] = unknown(beyond)
			x.decide(q, w, rest, f)
		}
		if !p.assume(not(c)) {
			return
		}
		p.know(c, absConst(0))
		x.decide(p, v, rest, f)
		return
	}
	f(p, v)
}

// decideAll continues with f for what was read and is used together: where one of the
// scalars is beyond its limits, none is known.
func (x *translator) decideAll(p *path, v, lost []*expr, f func(q *path, v []*expr)) {
	some := num(0)
	for _, c := range lost {
		some = or(some, orFalse(c))
	}
	if some = p.simplify(some); some.is(0) {
		f(p, v)
		return
	}
	p.spread()
	if q := p.goBeyond(some); q != nil {
		q.note("free-choice", artifact.DirectionOver, beyond)
		w := make([]*expr, len(v))
		for i := range w {
			w[i] = unknown(beyond)
		}
		f(q, w)
	}
	if p.assume(not(some)) {
		p.know(some, absConst(0))
		f(p, v)
	}
}

// goBeyond is the path on which numbers are beyond their limits, nil if there is
// none.
func (p *path) goBeyond(c *expr) *path {
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
func (x *translator) remember(c *expr) {
	if c == nil {
		return
	}
	if c.op == xCell && cellOf(c).confined {
		x.limited[cellOf(c)] = true
	}
	x.remember(c.a)
	x.remember(c.b)
	x.remember(c.c)
}

// beyondLimits asks whether a number is ever beyond its limits, where somebody asks
// for it, or a map has more entries than the model keeps, less than asked for. If none is, the approximations of ways on which one is are none. number is
// that of the query.
func (e *emitter) beyondLimits(number int) (q artifact.Query, ok bool) {
	x := e.x
	var conditional []int
	for i := range x.approx {
		if x.beyond[i] && !x.plainly[i] {
			conditional = append(conditional, i)
		}
	}
	if len(conditional) == 0 {
		return q, false
	}
	var at []string
	what := "numbers are"
	for _, b := range x.inOrder() {
		if full := e.overfull(b); len(full) > 0 {
			at, what = append(at, full...), "numbers and maps are"
		}
	}
	for _, c := range x.mem.cells {
		if c != nil && x.limited[c] && e.n.cells[c] != "" {
			at = append(at, fmt.Sprintf("%s == %d", e.n.cells[c], c.abs.hi))
		}
	}
	for _, t := range x.templates {
		for _, l := range t.locs {
			if _, ok := e.kept[l]; !ok {
				continue
			}
			for i, lv := range l.live {
				if name := e.n.vars[lv.v]; l.lost[i] && name != "" {
					for _, p := range e.processes[t] {
						at = append(at, fmt.Sprintf("(%s.%s and %s.%s == %d)", p, l.name, p, name, l.in[i].hi))
					}
				}
			}
		}
	}
	if len(at) == 0 {
		return q, false
	}
	for _, i := range conditional {
		x.approx[i].Query = number
	}
	return artifact.Query{Formula: "A[] not " + disjunction(at), Kind: artifact.KindImprecise,
		Description: "the model is exact where " + what + " within its limits: none is beyond them"}, true
}
