package translate

import (
	"go/token"
	"math"
)

// maxBits is how many values an operand of a bit operation may have that is not
// arithmetic: each is told apart.
const maxBits = 16

// bits is the result of a bit operation on integers.
func (p *path) bits(op token.Token, l, r *expr) *expr {
	l, r = p.simplify(l), p.simplify(r)
	if r.isConst() {
		return p.bitsConst(op, l, r.k)
	}
	return p.each(r, func(k int32) *expr { return p.bitsConst(op, l, k) })
}

// bitsConst is the same where the second operand is known.
func (p *path) bitsConst(op token.Token, l *expr, k int32) *expr {
	if l.isConst() {
		return bitsOf(op, int64(l.k), int64(k))
	}
	a := p.abs(l)
	if l.op == xUnknown || a.top {
		return unknown("bit operation")
	}
	lo, _ := a.bounds()
	switch {
	case op == token.AND && k == 0:
		return num(0)
	case op == token.AND && k > 0 && k < 1<<20 && k&(k+1) == 0 && lo > -1<<20:
		// What is left of a number is its remainder, also of a negative one.
		m := k + 1
		up := int32(0)
		if lo < 0 {
			up = (-lo + m - 1) / m * m
		}
		return arith(xMod, arith(xAdd, l, num(up)), num(m))
	case op == token.SHL && 0 <= k && k < 31:
		return arith(xMul, l, num(1<<k))
	case op == token.SHR && 0 <= k && k < 31 && lo >= 0:
		return arith(xDiv, l, num(1<<k))
	}
	return p.each(l, func(v int32) *expr { return bitsOf(op, int64(v), int64(k)) })
}

// each is f of an expression that has few values.
func (p *path) each(e *expr, f func(k int32) *expr) *expr {
	a := p.abs(e)
	if e.op == xUnknown || a.top || a.iv || len(a.set) == 0 || len(a.set) > maxBits {
		return unknown("bit operation")
	}
	out := f(a.set[len(a.set)-1])
	for i := len(a.set) - 2; i >= 0; i-- {
		out = ite(eq(e, a.set[i]), f(a.set[i]), out)
	}
	return out
}

// bitsOf is the result for two constants.
func bitsOf(op token.Token, u, v int64) *expr {
	var z int64
	switch op {
	case token.AND:
		z = u & v
	case token.OR:
		z = u | v
	case token.XOR:
		z = u ^ v
	case token.AND_NOT:
		z = u &^ v
	case token.SHL:
		if v < 0 || v > 31 {
			return unknown("shift")
		}
		z = u << v
	case token.SHR:
		if v < 0 {
			return unknown("shift")
		}
		z = u >> min(v, 63)
	default:
		return unknown("bit operation")
	}
	if z < math.MinInt32 || z > math.MaxInt32 {
		return unknown("a number that is not a small integer")
	}
	return num(int32(z))
}
