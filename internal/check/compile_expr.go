package check

import (
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A number is a compiled scalar expression: a constant, the plain value of a
// cell, that of an element of an array, or code.
type number struct {
	form numberForm
	k    int32 // the constant, or the cell, or that of the index
	off  int32 // of an element: its cell without the index
	fn   intFn
}

type numberForm uint8

const (
	constNumber numberForm = iota
	cellNumber
	elemNumber
	codeNumber
)

func constant(k int32) number  { return number{form: constNumber, k: k} }
func computed(fn intFn) number { return number{form: codeNumber, fn: fn} }

// code is the number as a function, whatever its form.
func (n number) code() intFn {
	k := n.k
	switch n.form {
	case constNumber:
		return func(*machine) int32 { return k }
	case cellNumber:
		return func(m *machine) int32 { return m.v[k] }
	case elemNumber:
		off := n.off
		return func(m *machine) int32 { return m.v[m.v[k]+off] }
	}
	return n.fn
}

// A place is a compiled reference: the first cell, or channel, that the
// expression denotes. Its cells lie in [lo,hi).
type place struct {
	fn     intFn // nil: always k
	k      int32
	typ    uppaal.Type
	lo, hi int32
	ref    int32 // of accesses through a reference parameter, see access

	// elem says that fn does nothing but add the value of cell index to k.
	elem  bool
	index int32
}

func (p place) code() intFn {
	if p.fn != nil {
		return p.fn
	}
	k := p.k
	return func(*machine) int32 { return k }
}

// A test is a compiled condition: known, or code.
type test struct {
	fn    truthFn // nil: always value
	value bool
	safe  bool // evaluation cannot fail
}

func known(v bool) test { return test{value: v} }

func (t test) code() truthFn {
	if t.fn != nil {
		return t.fn
	}
	v := t.value
	return func(*machine) bool { return v }
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// typeOf is the type of an expression.
func (c *compiler) typeOf(e uppaal.Expr) uppaal.Type {
	if t := c.info.Types[e]; t != nil {
		return t
	}
	switch e := e.(type) {
	case *uppaal.Ident:
		if v, ok := c.info.Uses[e].(*uppaal.Var); ok {
			return v.Type
		}
	case *uppaal.Field:
		if v, ok := c.info.Members[e].(*uppaal.Var); ok {
			return v.Type
		}
	}
	return uppaal.Int{Lo: -1 << 31, Hi: 1<<31 - 1}
}

// place compiles an expression that denotes cells or channels.
func (c *compiler) place(e uppaal.Expr) place {
	switch e := e.(type) {
	case *uppaal.Ident:
		v, ok := c.info.Uses[e].(*uppaal.Var)
		if !ok {
			c.fail(e.Pos, "%q is not a variable", e.Name)
		}
		return c.varPlace(v, e.Pos)
	case *uppaal.Field:
		if c.info.Members[e] != nil {
			proc, o := c.member(e)
			v, ok := o.(*uppaal.Var)
			if !ok {
				c.fail(e.Pos, "%q is not a variable", e.Name)
			}
			saved := c.proc
			c.proc = proc
			p := c.varPlace(v, e.Pos)
			c.proc = saved
			return p
		}
		base := c.place(e.X)
		st, ok := base.typ.(*uppaal.Struct)
		if !ok {
			c.fail(e.Pos, "field %q of a value that is no struct", e.Name)
		}
		off := int32(0)
		for _, f := range st.Fields {
			if f.Name == e.Name {
				return c.offset(base, off, int32(uppaal.Size(f.Type)), f.Type)
			}
			off += int32(uppaal.Size(f.Type))
		}
		c.fail(e.Pos, "no field %q", e.Name)
	case *uppaal.Index:
		return c.index(e)
	case *uppaal.Cond:
		then, els := c.place(e.Then), c.place(e.Else)
		cond := c.test(e.If)
		if cond.fn == nil {
			if cond.value {
				return then
			}
			return els
		}
		cf, tf, ef := cond.fn, then.code(), els.code()
		return place{
			fn: func(m *machine) int32 {
				if cf(m) {
					return tf(m)
				}
				return ef(m)
			},
			typ: then.typ, lo: min(then.lo, els.lo), hi: max(then.hi, els.hi),
		}
	case *uppaal.Assign:
		return c.assigned(e)
	case *uppaal.IncDec:
		if e.Prefix {
			return c.stepped(e)
		}
	case *uppaal.Comma:
		first, p := c.effect(e.X), c.place(e.Y)
		if first != nil {
			f := p.code()
			p.fn, p.elem = func(m *machine) int32 { first(m); return f(m) }, false
		}
		return p
	case *uppaal.Call:
		f := c.function(e)
		call := c.call(e, f)
		size := uppaal.Size(f.result)
		base := c.temps(f.result)
		return place{
			fn: func(m *machine) int32 {
				src := call(m)
				copy(m.v[base:int(base)+size], m.v[src:int(src)+size])
				return base
			},
			typ: f.result, lo: base, hi: base + int32(size),
		}
	case *uppaal.InitList:
		t := c.typeOf(e)
		base := c.temps(t)
		run := c.initialise(base, t, e)
		return place{
			fn:  func(m *machine) int32 { run(m); return base },
			typ: t, lo: base, hi: base + int32(uppaal.Size(t)),
		}
	}
	c.fail(e.Position(), "not an expression that denotes a variable")
	return place{}
}

func (c *compiler) offset(base place, off, size int32, t uppaal.Type) place {
	p := place{k: base.k + off, typ: t, lo: base.lo, hi: base.hi, ref: base.ref}
	if f := base.fn; f != nil {
		p.fn, p.elem, p.index = f, base.elem, base.index
		if off != 0 {
			p.fn = func(m *machine) int32 { return f(m) + off }
		}
		return p
	}
	p.lo, p.hi = p.k, p.k+size
	return p
}

func (c *compiler) index(e *uppaal.Index) place {
	base := c.place(e.X)
	arr, ok := base.typ.(*uppaal.Array)
	if !ok {
		c.fail(e.Pos, "index of a value that is no array")
	}
	size := int32(uppaal.Size(arr.Elem))
	lo, hi, pos := arr.Lo, arr.Hi, e.I.Position()
	i := c.number(e.I)
	if i.form == constNumber && i.k >= lo && i.k <= hi {
		return c.offset(base, (i.k-lo)*size, size, arr.Elem)
	}
	p := place{typ: arr.Elem, lo: base.lo, hi: base.hi, ref: base.ref}
	check := func(x int32) int32 {
		if x < lo || x > hi {
			throw(pos, "index %d is outside [%d,%d]", x, lo, hi)
		}
		return (x - lo) * size
	}
	switch f, k := base.fn, base.k; {
	case f == nil && i.form == cellNumber && size == 1 && c.p.cells[i.k].lo >= lo && c.p.cells[i.k].hi <= hi:
		// What a cell holds is in its range.
		cell := i.k
		p.elem, p.index, p.k = true, cell, k-lo
		off := p.k
		p.fn = func(m *machine) int32 { return m.v[cell] + off }
	case f == nil && i.form == cellNumber:
		cell := i.k
		p.fn = func(m *machine) int32 {
			x := m.v[cell]
			if x < lo || x > hi {
				throw(pos, "index %d is outside [%d,%d]", x, lo, hi)
			}
			return k + (x-lo)*size
		}
	case f == nil:
		in := i.code()
		p.fn = func(m *machine) int32 { return k + check(in(m)) }
	default:
		in := i.code()
		p.fn = func(m *machine) int32 {
			b := f(m)
			return b + check(in(m))
		}
	}
	return p
}

// number compiles a scalar expression.
func (c *compiler) number(e uppaal.Expr) number {
	switch e := e.(type) {
	case *uppaal.IntLit:
		return constant(e.Value)
	case *uppaal.BoolLit:
		return constant(truth(e.Value))
	case *uppaal.Ident:
		if loc, ok := c.info.Uses[e].(*uppaal.Location); ok {
			return c.testNumber(c.locationTest(c.proc, loc, e.Pos))
		}
		if v, ok := c.info.Uses[e].(*uppaal.Var); ok {
			if k, ok := c.bound[v]; ok {
				return constant(k)
			}
		}
		return c.load(c.place(e))
	case *uppaal.Field:
		if _, ok := c.info.Members[e].(*uppaal.Location); ok {
			return c.testNumber(c.test(e))
		}
		if c.isLocationIndex(e) {
			return c.locationIndex(c.processOf(e.X))
		}
		return c.load(c.place(e))
	case *uppaal.Index:
		return c.load(c.place(e))
	case *uppaal.Unary:
		switch e.Op {
		case uppaal.OpNot:
			return c.testNumber(c.test(e))
		case uppaal.OpPos:
			return c.number(e.X)
		}
		x := c.number(e.X)
		if x.form == constNumber {
			return constant(-x.k)
		}
		f := x.code()
		return computed(func(m *machine) int32 { return -f(m) })
	case *uppaal.Binary:
		switch e.Op {
		case uppaal.OpAnd, uppaal.OpOr, uppaal.OpImply, uppaal.OpXor, uppaal.OpEq, uppaal.OpNe,
			uppaal.OpLt, uppaal.OpLe, uppaal.OpGt, uppaal.OpGe:
			return c.testNumber(c.test(e))
		}
		return c.arithmetic(e)
	case *uppaal.Cond:
		cond := c.test(e.If)
		if cond.fn == nil {
			if cond.value {
				return c.number(e.Then)
			}
			return c.number(e.Else)
		}
		cf, tf, ef := cond.fn, c.number(e.Then).code(), c.number(e.Else).code()
		return computed(func(m *machine) int32 {
			if cf(m) {
				return tf(m)
			}
			return ef(m)
		})
	case *uppaal.Call:
		if c.isAbs(e) {
			f := c.number(e.Args[0]).code()
			return computed(func(m *machine) int32 {
				x := f(m)
				if x < 0 {
					return -x
				}
				return x
			})
		}
		f := c.function(e)
		return computed(c.call(e, f))
	case *uppaal.Assign:
		if isAggregate(c.typeOf(e.L)) {
			c.fail(e.Pos, "an array or struct where a number is needed")
		}
		return computed(c.assignScalar(e))
	case *uppaal.IncDec:
		return computed(c.incDec(e))
	case *uppaal.Comma:
		first, y := c.effect(e.X), c.number(e.Y)
		if first == nil {
			return y
		}
		f := y.code()
		return computed(func(m *machine) int32 { first(m); return f(m) })
	case *uppaal.Quant:
		if e.Kind != uppaal.Sum {
			return c.testNumber(c.test(e))
		}
		return c.sum(e)
	case *uppaal.Deadlock, *uppaal.Stuck:
		return c.testNumber(c.test(e))
	}
	c.fail(e.Position(), "an expression of kind %s here", strings.TrimPrefix(fmt.Sprintf("%T", e), "*uppaal."))
	return number{}
}

// isAbs reports a call of the built-in function.
func (c *compiler) isAbs(e *uppaal.Call) bool {
	return e.Fun.Name == "abs" && len(e.Args) == 1 && c.info.Uses[e.Fun] == nil
}

// load is the value of a scalar place.
func (c *compiler) load(p place) number {
	if isAggregate(p.typ) {
		c.fail(uppaal.Pos{}, "an array or struct where a number is needed")
	}
	if p.elem {
		c.reads(p)
		return number{form: elemNumber, k: p.index, off: p.k}
	}
	if f := p.fn; f != nil {
		c.reads(p)
		return computed(func(m *machine) int32 { return m.v[f(m)] })
	}
	if c.folding && c.p.cells[p.k].kind == constCell {
		return constant(c.p.initial[p.k])
	}
	c.reads(p)
	return number{form: cellNumber, k: p.k}
}

func (c *compiler) testNumber(t test) number {
	if t.fn == nil {
		return constant(truth(t.value))
	}
	f := t.fn
	return computed(func(m *machine) int32 {
		if f(m) {
			return 1
		}
		return 0
	})
}

// apply computes an arithmetic operator on 32-bit numbers that wrap around;
// problem is not empty if the operation is invalid.
func apply(op uppaal.Op, a, b int32) (result int32, problem string) {
	switch op {
	case uppaal.OpAdd:
		return a + b, ""
	case uppaal.OpSub:
		return a - b, ""
	case uppaal.OpMul:
		return a * b, ""
	case uppaal.OpDiv:
		if b == 0 {
			return 0, "division by zero"
		}
		return a / b, ""
	case uppaal.OpMod:
		if b == 0 {
			return 0, "division by zero"
		}
		return a % b, ""
	case uppaal.OpShl:
		if b < 0 {
			return 0, fmt.Sprintf("shift by %d", b)
		}
		return a << b, ""
	case uppaal.OpShr:
		if b < 0 {
			return 0, fmt.Sprintf("shift by %d", b)
		}
		return a >> b, ""
	case uppaal.OpMin:
		return min(a, b), ""
	case uppaal.OpMax:
		return max(a, b), ""
	case uppaal.OpBAnd:
		return a & b, ""
	case uppaal.OpBOr:
		return a | b, ""
	case uppaal.OpBXor:
		return a ^ b, ""
	case uppaal.OpPow:
		if b < 0 {
			return 0, fmt.Sprintf("power with exponent %d", b)
		}
		r := int32(1)
		for ; b > 0; b >>= 1 {
			if b&1 != 0 {
				r *= a
			}
			a *= a
		}
		return r, ""
	}
	return 0, fmt.Sprintf("operator %q", op)
}

func (c *compiler) arithmetic(e *uppaal.Binary) number {
	return c.arithmeticOf(e.Op, c.number(e.X), c.number(e.Y), e.Pos)
}

func (c *compiler) arithmeticOf(op uppaal.Op, x, y number, pos uppaal.Pos) number {
	if x.form == constNumber && y.form == constNumber {
		if r, problem := apply(op, x.k, y.k); problem == "" {
			return constant(r)
		}
	}
	f, g := x.code(), y.code()
	switch op {
	case uppaal.OpAdd:
		if x.form == cellNumber && y.form == constNumber {
			a, k := x.k, y.k
			return computed(func(m *machine) int32 { return m.v[a] + k })
		}
		return computed(func(m *machine) int32 { a := f(m); return a + g(m) })
	case uppaal.OpSub:
		if x.form == cellNumber && y.form == constNumber {
			a, k := x.k, y.k
			return computed(func(m *machine) int32 { return m.v[a] - k })
		}
		return computed(func(m *machine) int32 { a := f(m); return a - g(m) })
	case uppaal.OpMul:
		return computed(func(m *machine) int32 { a := f(m); return a * g(m) })
	case uppaal.OpMod:
		if y.form == constNumber && y.k > 0 {
			k := y.k
			return computed(func(m *machine) int32 { return f(m) % k })
		}
	case uppaal.OpBXor:
		return computed(func(m *machine) int32 { a := f(m); return a ^ g(m) })
	}
	return computed(func(m *machine) int32 {
		a := f(m)
		r, problem := apply(op, a, g(m))
		if problem != "" {
			throw(pos, "%s", problem)
		}
		return r
	})
}

// test compiles an expression as a condition.
func (c *compiler) test(e uppaal.Expr) test {
	switch e := e.(type) {
	case *uppaal.BoolLit:
		return known(e.Value)
	case *uppaal.Ident:
		if loc, ok := c.info.Uses[e].(*uppaal.Location); ok {
			return c.locationTest(c.proc, loc, e.Pos)
		}
	case *uppaal.Field:
		if c.info.Members[e] != nil {
			if proc, o := c.member(e); isLocation(o) {
				return c.locationTest(proc, o.(*uppaal.Location), e.Pos)
			}
		}
	case *uppaal.Unary:
		if e.Op == uppaal.OpNot {
			if x, ok := e.X.(*uppaal.Index); ok {
				return compare(uppaal.OpEq, c.number(x), constant(0))
			}
			return negate(c.test(e.X))
		}
	case *uppaal.Binary:
		switch e.Op {
		case uppaal.OpAnd:
			return conjoin(c.test(e.X), c.test(e.Y))
		case uppaal.OpOr:
			return disjoin(c.test(e.X), c.test(e.Y))
		case uppaal.OpImply:
			return disjoin(negate(c.test(e.X)), c.test(e.Y))
		case uppaal.OpXor:
			x, y := c.test(e.X), c.test(e.Y)
			if x.fn == nil && y.fn == nil {
				return known(x.value != y.value)
			}
			f, g := x.code(), y.code()
			return test{fn: func(m *machine) bool { a := f(m); return a != g(m) }}
		case uppaal.OpEq, uppaal.OpNe, uppaal.OpLt, uppaal.OpLe, uppaal.OpGt, uppaal.OpGe:
			if _, channels := hasChannels(c.typeOf(e.X)); channels {
				return c.compareChannels(e)
			}
			if isAggregate(c.typeOf(e.X)) {
				return c.compareAggregates(e)
			}
			return compare(e.Op, c.number(e.X), c.number(e.Y))
		}
	case *uppaal.Quant:
		if e.Kind != uppaal.Sum {
			return c.quantifier(e)
		}
	case *uppaal.Deadlock:
		if !c.inQuery {
			c.fail(e.Pos, "deadlock outside a query")
		}
		if c.assumeAlive {
			return known(false)
		}
		return test{fn: func(m *machine) bool { return m.dead }}
	case *uppaal.Stuck:
		return c.stuckTest(e)
	}
	n := c.number(e)
	switch n.form {
	case constNumber:
		return known(n.k != 0)
	case cellNumber:
		k := n.k
		return test{fn: func(m *machine) bool { return m.v[k] != 0 }}
	}
	f := n.code()
	return test{fn: func(m *machine) bool { return f(m) != 0 }}
}

func negate(t test) test {
	if t.fn == nil {
		return known(!t.value)
	}
	f := t.fn
	return test{fn: func(m *machine) bool { return !f(m) }, safe: t.safe}
}

func conjoin(x, y test) test {
	switch {
	case x.fn == nil && !x.value:
		return x
	case x.fn == nil:
		return y
	case y.fn == nil && (y.value || x.safe):
		if y.value {
			return x
		}
		return y
	}
	f, g := x.fn, y.code()
	return test{fn: func(m *machine) bool { return f(m) && g(m) }, safe: x.safe && (y.safe || y.fn == nil)}
}

func disjoin(x, y test) test {
	switch {
	case x.fn == nil && x.value:
		return x
	case x.fn == nil:
		return y
	case y.fn == nil && (!y.value || x.safe):
		if !y.value {
			return x
		}
		return y
	}
	f, g := x.fn, y.code()
	return test{fn: func(m *machine) bool { return f(m) || g(m) }, safe: x.safe && (y.safe || y.fn == nil)}
}

func compareValues(op uppaal.Op, a, b int32) bool {
	switch op {
	case uppaal.OpEq:
		return a == b
	case uppaal.OpNe:
		return a != b
	case uppaal.OpLt:
		return a < b
	case uppaal.OpLe:
		return a <= b
	case uppaal.OpGt:
		return a > b
	}
	return a >= b
}

func compare(op uppaal.Op, x, y number) test {
	if x.form == constNumber && y.form == constNumber {
		return known(compareValues(op, x.k, y.k))
	}
	if x.form == cellNumber && y.form == constNumber {
		a, k := x.k, y.k
		switch op {
		case uppaal.OpEq:
			return test{fn: func(m *machine) bool { return m.v[a] == k }}
		case uppaal.OpNe:
			return test{fn: func(m *machine) bool { return m.v[a] != k }}
		case uppaal.OpLt:
			return test{fn: func(m *machine) bool { return m.v[a] < k }}
		case uppaal.OpLe:
			return test{fn: func(m *machine) bool { return m.v[a] <= k }}
		case uppaal.OpGt:
			return test{fn: func(m *machine) bool { return m.v[a] > k }}
		}
		return test{fn: func(m *machine) bool { return m.v[a] >= k }}
	}
	if x.form == constNumber {
		return compare(mirrored[op], y, x)
	}
	if x.form == cellNumber && y.form == cellNumber {
		a, b := x.k, y.k
		switch op {
		case uppaal.OpEq:
			return test{fn: func(m *machine) bool { return m.v[a] == m.v[b] }}
		case uppaal.OpNe:
			return test{fn: func(m *machine) bool { return m.v[a] != m.v[b] }}
		case uppaal.OpLt:
			return test{fn: func(m *machine) bool { return m.v[a] < m.v[b] }}
		case uppaal.OpLe:
			return test{fn: func(m *machine) bool { return m.v[a] <= m.v[b] }}
		case uppaal.OpGt:
			return test{fn: func(m *machine) bool { return m.v[a] > m.v[b] }}
		}
		return test{fn: func(m *machine) bool { return m.v[a] >= m.v[b] }}
	}
	if x.form == elemNumber && y.form == constNumber {
		a, off, k := x.k, x.off, y.k
		switch op {
		case uppaal.OpEq:
			return test{fn: func(m *machine) bool { return m.v[m.v[a]+off] == k }}
		case uppaal.OpNe:
			return test{fn: func(m *machine) bool { return m.v[m.v[a]+off] != k }}
		}
	}
	f, g := x.code(), y.code()
	if y.form == constNumber {
		k := y.k
		switch op {
		case uppaal.OpEq:
			return test{fn: func(m *machine) bool { return f(m) == k }}
		case uppaal.OpNe:
			return test{fn: func(m *machine) bool { return f(m) != k }}
		}
	}
	switch op {
	case uppaal.OpEq:
		return test{fn: func(m *machine) bool { a := f(m); return a == g(m) }}
	case uppaal.OpNe:
		return test{fn: func(m *machine) bool { a := f(m); return a != g(m) }}
	case uppaal.OpLt:
		return test{fn: func(m *machine) bool { a := f(m); return a < g(m) }}
	case uppaal.OpLe:
		return test{fn: func(m *machine) bool { a := f(m); return a <= g(m) }}
	case uppaal.OpGt:
		return test{fn: func(m *machine) bool { a := f(m); return a > g(m) }}
	}
	return test{fn: func(m *machine) bool { a := f(m); return a >= g(m) }}
}

func (c *compiler) compareAggregates(e *uppaal.Binary) test {
	x, y := c.place(e.X), c.place(e.Y)
	c.reads(x)
	c.reads(y)
	f, g := x.code(), y.code()
	size, equal := int32(uppaal.Size(x.typ)), e.Op == uppaal.OpEq
	return test{fn: func(m *machine) bool {
		a := f(m)
		b := g(m)
		for i := range size {
			if m.v[a+i] != m.v[b+i] {
				return !equal
			}
		}
		return equal
	}}
}

// compareChannels tells whether two expressions denote the same channels.
func (c *compiler) compareChannels(e *uppaal.Binary) test {
	f, g, equal := c.place(e.X).code(), c.place(e.Y).code(), e.Op == uppaal.OpEq
	return test{fn: func(m *machine) bool { a := f(m); return (a == g(m)) == equal }}
}

// isLocationIndex reports whether an expression is P.location.
func (c *compiler) isLocationIndex(e uppaal.Expr) bool {
	f, ok := e.(*uppaal.Field)
	if !ok {
		return false
	}
	_, ok = c.info.Members[f].(uppaal.LocationIndex)
	return ok
}

// locationIndex is the index of the location that a process is in.
func (c *compiler) locationIndex(proc int) number {
	cell := c.p.procs[proc].loc
	if len(c.info.Processes[proc].Template.Locations) == 1 {
		return constant(0)
	}
	c.reads(place{lo: cell, hi: cell + 1})
	return number{form: cellNumber, k: cell}
}

// locationTest is true when the process is in the location.
func (c *compiler) locationTest(proc int, loc *uppaal.Location, pos uppaal.Pos) test {
	if proc < 0 {
		c.fail(pos, "a location without a process")
	}
	for i, l := range c.info.Processes[proc].Template.Locations {
		if l == loc {
			cell := c.p.procs[proc].loc
			if len(c.info.Processes[proc].Template.Locations) == 1 {
				return known(true)
			}
			k := int32(i)
			c.reads(place{lo: cell, hi: cell + 1})
			return test{fn: func(m *machine) bool { return m.v[cell] == k }, safe: true}
		}
	}
	c.fail(pos, "location %q is not one of process %s", loc.Name, c.info.Processes[proc].Name)
	return test{}
}

// binding gives the cell and range of a quantified or range-loop variable.
func (c *compiler) binding(b *uppaal.Binding) (v *uppaal.Var, cell, lo, hi int32) {
	v = c.info.Defs[b]
	if v == nil {
		c.fail(b.Pos, "binding %q is not resolved", b.Name)
	}
	lo, hi, _ = scalarRange(v.Type)
	return v, c.tempOf(v), lo, hi
}

// Instances of nested quantifiers that are compiled one by one, at most: in a
// query, where that is what lets them name processes, and elsewhere.
const (
	maxUnroll      = 1 << 16
	maxUnrollModel = 64
)

// instances calls visit for every value of a quantified variable of a query,
// bound to the value. It reports false if there are too many.
func (c *compiler) instances(b *uppaal.Binding, visit func()) bool {
	return c.inQuery && c.unroll(b, maxUnroll, visit)
}

// unrolled is instances for what is compiled, be it part of a query or of the
// model.
func (c *compiler) unrolled(e *uppaal.Quant, visit func()) bool {
	if c.inQuery {
		return c.instances(e.Bind, visit)
	}
	calls := false
	uppaal.Inspect(e.Body, func(x uppaal.Expr) {
		if x, ok := x.(*uppaal.Call); ok && !c.isAbs(x) {
			calls = true // and there is more to do than for the loop
		}
	})
	return !calls && c.unroll(e.Bind, maxUnrollModel, visit)
}

// unroll calls visit for every value of a quantified variable, bound to the
// value, if there are no more than limit with those of the quantifiers around.
func (c *compiler) unroll(b *uppaal.Binding, limit int64, visit func()) bool {
	v := c.info.Defs[b]
	if v == nil {
		return false
	}
	lo, hi, _ := scalarRange(v.Type)
	outer := c.nested
	c.nested = max(outer, 1) * (int64(hi) - int64(lo) + 1)
	defer func() { c.nested = outer }()
	if c.nested > limit {
		return false
	}
	for k := int64(lo); k <= int64(hi); k++ {
		c.bound[v] = int32(k)
		visit()
	}
	delete(c.bound, v)
	return true
}

func (c *compiler) quantifier(e *uppaal.Quant) test {
	all := e.Kind == uppaal.Forall
	var tests []truthFn        // the instances to evaluate, in order
	var upTo []int             // for each, the iterations of the loop that it stands for
	decided, count := false, 0 // the last of them decides
	if c.unrolled(e, func() {
		if decided {
			return
		}
		count++
		t := c.test(e.Body)
		decided = t.fn == nil && t.value != all
		if t.fn != nil || decided {
			tests, upTo = append(tests, t.code()), append(upTo, count)
		}
	}) {
		if len(tests) == 0 || decided && len(tests) == 1 {
			return known(all != decided)
		}
		pos := e.Pos
		if c.inQuery { // of which the instances are not counted
			clear(upTo)
			count = 0
		}
		return test{fn: func(m *machine) bool {
			for i, t := range tests {
				if t(m) != all {
					m.iterate(upTo[i], pos)
					return !all
				}
			}
			m.iterate(count, pos)
			return all
		}}
	}
	_, cell, lo, hi := c.binding(e.Bind)
	body, pos := c.test(e.Body).code(), e.Pos
	return test{fn: func(m *machine) bool {
		for i := int64(lo); i <= int64(hi); i++ {
			m.iterate(1, pos)
			m.v[cell] = int32(i)
			if body(m) != all {
				return !all
			}
		}
		return all
	}}
}

func (c *compiler) sum(e *uppaal.Quant) number {
	var terms []intFn
	fixed, count := int32(0), 0
	if c.unrolled(e, func() {
		count++
		if n := c.number(e.Body); n.form == constNumber {
			fixed += n.k
		} else {
			terms = append(terms, n.code())
		}
	}) {
		if len(terms) == 0 {
			return constant(fixed)
		}
		pos := e.Pos
		if c.inQuery {
			count = 0
		}
		return computed(func(m *machine) int32 {
			s := fixed
			for _, t := range terms {
				s += t(m)
			}
			m.iterate(count, pos)
			return s
		})
	}
	_, cell, lo, hi := c.binding(e.Bind)
	body, pos := c.number(e.Body).code(), e.Pos
	return computed(func(m *machine) int32 {
		s := int32(0)
		for i := int64(lo); i <= int64(hi); i++ {
			m.iterate(1, pos)
			m.v[cell] = int32(i)
			s += body(m)
		}
		return s
	})
}

// member resolves P.x. The checker resolves it for the first of several
// processes only.
func (c *compiler) member(e *uppaal.Field) (proc int, o uppaal.Object) {
	proc = c.processOf(e.X)
	return proc, c.info.Member(c.info.Processes[proc], e.Name)
}

func isLocation(o uppaal.Object) bool {
	_, ok := o.(*uppaal.Location)
	return ok
}

// processOf resolves the process expression of P.x or stuck(P).
func (c *compiler) processOf(e uppaal.Expr) int {
	if p := c.info.ProcessOf[e]; p != nil {
		return c.processIndex[p]
	}
	if call, ok := e.(*uppaal.Call); ok {
		// P(i) with a quantified i: each instance of the quantifier is
		// compiled on its own.
		set, ok := c.info.Uses[call.Fun].(*uppaal.ProcessSet)
		if !ok {
			c.fail(call.Pos, "%s is not a set of processes", call.Fun.Name)
		}
		var values []int32
		for _, a := range call.Args {
			n := c.number(a)
			if n.form != constNumber {
				c.fail(call.Pos, "process %s(..) with an argument that is not constant", call.Fun.Name)
			}
			values = append(values, n.k)
		}
		p := set.At(values)
		if p == nil {
			c.fail(call.Pos, "no process %s(%s)", call.Fun.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]"))
		}
		return c.processIndex[p]
	}
	c.fail(e.Position(), "not a process")
	return -1
}
