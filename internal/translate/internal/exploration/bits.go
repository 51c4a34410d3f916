package exploration

import (
	"go/token"
	"go/types"
	"math"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// maxBits is how many values an operand of a bit operation may have that is not
// arithmetic: each is told apart.
const maxBits = 16

// Bits is the result of a bit operation on integers.
func (p *Path) Bits(op token.Token, l, r *sym.Expr) *sym.Expr {
	l, r = p.Simplify(l), p.Simplify(r)
	if r.IsConst() {
		return p.bitsConst(op, l, r.K)
	}
	// Expressions have no bit operations: those that are no arithmetic are told apart by values.
	return p.Each(r, func(k int32) *sym.Expr { return p.bitsConst(op, l, k) })
}

// bitsConst is the same where the second operand is known.
func (p *Path) bitsConst(op token.Token, l *sym.Expr, k int32) *sym.Expr {
	if l.IsConst() {
		return bitsOf(op, int64(l.K), int64(k))
	}
	a := p.Abs(l)
	if l.Op == sym.OpUnknown || a.Top {
		return sym.Unknown("bit operation")
	}
	lo, _ := a.Bounds()
	switch {
	case op == token.AND && k == 0:
		return sym.Num(0)
	case op == token.AND && k > 0 && k < 1<<20 && k&(k+1) == 0 && lo > -1<<20:
		// What is left of a number is its remainder, also of a negative one.
		m := k + 1
		up := int32(0)
		if lo < 0 {
			up = (-lo + m - 1) / m * m
		}
		return sym.Arith(sym.OpMod, sym.Arith(sym.OpAdd, l, sym.Num(up)), sym.Num(m))
	case op == token.SHL && 0 <= k && k < 31:
		return sym.Arith(sym.OpMul, l, sym.Num(1<<k))
	case op == token.SHR && 0 <= k && k < 31 && lo >= 0:
		return sym.Arith(sym.OpDiv, l, sym.Num(1<<k))
	}
	return p.Each(l, func(v int32) *sym.Expr { return bitsOf(op, int64(v), int64(k)) })
}

// Each is f of an expression that has few values.
func (p *Path) Each(e *sym.Expr, f func(k int32) *sym.Expr) *sym.Expr {
	a := p.Abs(e)
	if e.Op == sym.OpUnknown || a.Top || a.Interval || len(a.Elems) == 0 || len(a.Elems) > maxBits {
		return sym.Unknown("bit operation")
	}
	out := f(a.Elems[len(a.Elems)-1])
	for i := len(a.Elems) - 2; i >= 0; i-- {
		out = sym.Ite(Eq(e, a.Elems[i]), f(a.Elems[i]), out)
	}
	return out
}

// bitsOf is the result for two constants.
func bitsOf(op token.Token, u, v int64) *sym.Expr {
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
			return sym.Unknown("shift")
		}
		z = u << v
	case token.SHR:
		if v < 0 {
			return sym.Unknown("shift")
		}
		z = u >> min(v, 63)
	default:
		return sym.Unknown("bit operation")
	}
	if z < math.MinInt32 || z > math.MaxInt32 {
		return sym.Unknown("a number that is not a small integer")
	}
	return sym.Num(int32(z))
}

// Fits is a value in an integer type: where that would wrap it wraps, if that can be said,
// and is unknown otherwise.
func (p *Path) Fits(e *sym.Expr, t types.Type) *sym.Expr {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return e
	}
	a := p.Abs(e)
	if a.Top {
		if e.Op >= sym.OpAdd && e.Op <= sym.OpMod && e.UnknownIn() == nil {
			return sym.Unknown("arithmetic beyond 32 bits")
		}
		return e
	}
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	var wrap func(k int32) int32
	switch b.Kind() {
	case types.Int8:
		lo, hi, wrap = math.MinInt8, math.MaxInt8, func(k int32) int32 { return int32(int8(k)) }
	case types.Int16:
		lo, hi, wrap = math.MinInt16, math.MaxInt16, func(k int32) int32 { return int32(int16(k)) }
	case types.Uint8:
		lo, hi, wrap = 0, math.MaxUint8, func(k int32) int32 { return int32(uint8(k)) }
	case types.Uint16:
		lo, hi, wrap = 0, math.MaxUint16, func(k int32) int32 { return int32(uint16(k)) }
	case types.Uint, types.Uint32, types.Uint64, types.Uintptr:
		lo = 0 // what is less is a number that the model has no place for
	default:
		return e
	}
	l, h := a.Bounds()
	switch {
	case int64(l) >= lo && int64(h) <= hi:
		return e
	case wrap == nil || a.Interval || len(a.Elems) > maxBits:
		return sym.Unknown("wraps around")
	case e.IsConst():
		return sym.Num(wrap(e.K))
	}
	return p.Each(e, func(k int32) *sym.Expr { return sym.Num(wrap(k)) })
}

// Integer is the result of an operation on integers, which is of type t.
func (p *Path) Integer(op token.Token, t types.Type, l, r *sym.Expr) *sym.Expr {
	switch op {
	case token.ADD:
		return p.Fits(sym.Arith(sym.OpAdd, l, r), t)
	case token.SUB:
		return p.Fits(sym.Arith(sym.OpSub, l, r), t)
	case token.MUL:
		return p.Fits(sym.Arith(sym.OpMul, l, r), t)
	case token.QUO, token.REM:
		if p.Abs(r).Has(0) {
			return sym.Unknown("division by a value that may be 0")
		}
		if op == token.QUO {
			return p.Fits(sym.Arith(sym.OpDiv, l, r), t)
		}
		return p.Fits(sym.Arith(sym.OpMod, l, r), t)
	case token.LSS:
		return sym.Arith(sym.OpLt, l, r)
	case token.LEQ:
		return sym.Arith(sym.OpLe, l, r)
	case token.GTR:
		return sym.Arith(sym.OpLt, r, l)
	case token.GEQ:
		return sym.Arith(sym.OpLe, r, l)
	}
	return p.Fits(p.Bits(op, l, r), t)
}
