package check

import (
	"math"
	"reflect"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// ranges computes bounds of expressions from declared ranges and from the
// conditions that are known to hold. It serves to prove that an evaluation
// cannot be invalid: ok is false where it may be.
type ranges struct {
	c *compiler
	// Bounds that are narrower than declared: of cells, and of expressions by
	// their text, such as "n[i]".
	cells map[int32]bounds
	texts map[string]bounds
	// steps is how often what is looked at may be evaluated, and spent the sum
	// of the loop iterations and calls of the evaluation, at most.
	steps int64
	spent *int64
}

type bounds struct{ lo, hi int64 }

// maxSafeSteps bounds what may be spent, below maxLoop, which would be invalid.
// What one edge and a formula spend stays below with it.
const maxSafeSteps = maxLoop / 16

// spend accounts for n iterations or calls at the current place.
func (r *ranges) spend(n int64) bool {
	if n > maxSafeSteps || r.steps > maxSafeSteps {
		*r.spent = maxSafeSteps + 1
	} else {
		*r.spent += min(n*r.steps, maxSafeSteps+1)
	}
	return *r.spent <= maxSafeSteps
}

// maxLocations is more than a template can have.
const maxLocations = 1 << 24

var int32Bounds = bounds{math.MinInt32, math.MaxInt32}

func (b bounds) within(o bounds) bool { return o.lo <= b.lo && b.hi <= o.hi }

func newRanges(c *compiler) *ranges {
	return &ranges{c: c, cells: map[int32]bounds{}, texts: map[string]bounds{}, steps: 1, spent: new(int64)}
}

// proves runs a check and takes what cannot be compiled for a failure.
func (r *ranges) proves(f func() bool) bool {
	ok := false
	saved := r.c.effects
	r.c.effects = nil
	err := caught(func() { ok = f() })
	r.c.effects = saved
	return err == nil && ok
}

// of bounds the value of a scalar expression.
func (r *ranges) of(e uppaal.Expr) (b bounds, ok bool) {
	truth := bounds{0, 1}
	switch e := e.(type) {
	case *uppaal.IntLit:
		return bounds{int64(e.Value), int64(e.Value)}, true
	case *uppaal.BoolLit:
		return truth, true
	case *uppaal.Ident, *uppaal.Field, *uppaal.Index:
		return r.variable(e)
	case *uppaal.Unary:
		if e.Op == uppaal.OpNot {
			return truth, r.condition(e.X)
		}
		b, ok = r.of(e.X)
		if e.Op == uppaal.OpNeg {
			b = wrap(bounds{-b.hi, -b.lo})
		}
		return b, ok
	case *uppaal.Binary:
		switch e.Op {
		case uppaal.OpAnd, uppaal.OpOr, uppaal.OpImply, uppaal.OpXor, uppaal.OpEq, uppaal.OpNe,
			uppaal.OpLt, uppaal.OpLe, uppaal.OpGt, uppaal.OpGe:
			return truth, r.condition(e)
		}
		x, okX := r.of(e.X)
		y, okY := r.of(e.Y)
		b, ok = arithmeticBounds(e.Op, x, y)
		return b, ok && okX && okY
	case *uppaal.Cond:
		if !r.condition(e.If) {
			return b, false
		}
		x, okX := r.of(e.Then)
		y, okY := r.of(e.Else)
		return bounds{min(x.lo, y.lo), max(x.hi, y.hi)}, okX && okY
	case *uppaal.Call:
		if r.c.isAbs(e) {
			x, ok := r.of(e.Args[0])
			return wrap(bounds{0, max(-x.lo, x.hi)}), ok
		}
		f, ok := r.call(e)
		if !ok {
			return b, false
		}
		if b, ok := r.texts[uppaal.ExprString(e)]; ok {
			return b, true
		}
		lo, hi, _ := scalarRange(f.Result)
		return bounds{int64(lo), int64(hi)}, !isAggregate(f.Result)
	case *uppaal.Quant:
		return r.quantified(e)
	}
	return truth, r.condition(e)
}

// wrap gives up on bounds that 32 bits do not hold.
func wrap(b bounds) bounds {
	if !b.within(int32Bounds) {
		return int32Bounds
	}
	return b
}

func arithmeticBounds(op uppaal.Op, x, y bounds) (b bounds, ok bool) {
	span := func(v ...int64) bounds {
		b := bounds{v[0], v[0]}
		for _, v := range v[1:] {
			b = bounds{min(b.lo, v), max(b.hi, v)}
		}
		return wrap(b)
	}
	switch op {
	case uppaal.OpAdd:
		return span(x.lo+y.lo, x.hi+y.hi), true
	case uppaal.OpSub:
		return span(x.lo-y.hi, x.hi-y.lo), true
	case uppaal.OpMul:
		return span(x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi), true
	case uppaal.OpDiv:
		if y.lo <= 0 && y.hi >= 0 {
			return b, false
		}
		m := max(-x.lo, x.hi)
		return span(-m, m), true
	case uppaal.OpMod:
		if y.lo <= 0 && y.hi >= 0 {
			return b, false
		}
		m := max(-y.lo, y.hi) - 1
		if x.lo >= 0 {
			return span(0, min(m, x.hi)), true
		}
		return span(-m, m), true
	case uppaal.OpMin:
		return bounds{min(x.lo, y.lo), min(x.hi, y.hi)}, true
	case uppaal.OpMax:
		return bounds{max(x.lo, y.lo), max(x.hi, y.hi)}, true
	case uppaal.OpBAnd:
		if x.lo >= 0 && y.lo >= 0 {
			return bounds{0, min(x.hi, y.hi)}, true
		}
		return int32Bounds, true
	case uppaal.OpBOr, uppaal.OpBXor:
		return int32Bounds, true
	case uppaal.OpShl, uppaal.OpShr, uppaal.OpPow:
		return int32Bounds, y.lo >= 0
	}
	return b, false
}

// quantified bounds a quantifier. Those of queries are unrolled as they are
// compiled.
func (r *ranges) quantified(e *uppaal.Quant) (b bounds, ok bool) {
	v := r.c.info.Defs[e.Bind]
	if v == nil {
		return b, false
	}
	lo, hi, _ := scalarRange(v.Type)
	n := int64(hi) - int64(lo) + 1
	if !r.spend(n) {
		return b, false
	}
	outer := r.steps
	r.steps *= max(n, 1)
	defer func() { r.steps = outer }()
	// The variable may have the name of another that a text speaks of.
	inner := &ranges{c: r.c, cells: clone(r.cells), texts: map[string]bounds{}, steps: r.steps, spent: r.spent}
	body := func() bool {
		if e.Kind == uppaal.Sum {
			_, ok := inner.of(e.Body)
			return ok
		}
		return inner.condition(e.Body)
	}
	ok = true
	if !r.c.instances(e.Bind, func() { ok = ok && body() }) {
		ok = body()
	}
	if e.Kind == uppaal.Sum {
		return int32Bounds, ok
	}
	return bounds{0, 1}, ok
}

// variable bounds the value of a variable.
func (r *ranges) variable(e uppaal.Expr) (b bounds, ok bool) {
	if r.location(e) {
		return bounds{0, 1}, true
	}
	if r.c.isLocationIndex(e) {
		return bounds{0, maxLocations}, true
	}
	if x, ok := e.(*uppaal.Ident); ok {
		if v, ok := r.c.info.Uses[x].(*uppaal.Var); ok {
			if k, ok := r.c.bound[v]; ok {
				return bounds{int64(k), int64(k)}, true
			}
		}
	}
	p, ok := r.reference(e)
	if !ok || isAggregate(p.typ) {
		return b, false
	}
	lo, hi, _ := scalarRange(p.typ)
	b = bounds{int64(lo), int64(hi)}
	if p.fn == nil {
		cl := &r.c.p.cells[p.k]
		b = bounds{int64(cl.lo), int64(cl.hi)}
		if cl.kind == constCell {
			b = bounds{int64(r.c.p.initial[p.k]), int64(r.c.p.initial[p.k])}
		}
		if n, ok := r.cells[p.k]; ok {
			b = n
		}
	} else if n, ok := r.texts[uppaal.ExprString(e)]; ok {
		b = n
	}
	return b, true
}

// location reports whether an expression is a location of a process.
func (r *ranges) location(e uppaal.Expr) bool {
	switch e := e.(type) {
	case *uppaal.Ident:
		return isLocation(r.c.info.Uses[e])
	case *uppaal.Field:
		return isLocation(r.c.info.Members[e])
	}
	return false
}

// reference checks the indices of an expression that denotes cells.
func (r *ranges) reference(e uppaal.Expr) (p place, ok bool) {
	for x := e; ; {
		switch y := x.(type) {
		case *uppaal.Ident:
			v, isVar := r.c.info.Uses[y].(*uppaal.Var)
			if !isVar {
				return p, false
			}
			if v.Ref && v.Kind == uppaal.ParamVar && r.c.proc >= 0 {
				for _, a := range r.c.info.Processes[r.c.proc].Args {
					if a.Param == v && a.Ref != nil {
						if _, ok := r.reference(a.Ref); !ok {
							return p, false
						}
					}
				}
			}
			return r.c.place(e), true
		case *uppaal.Field:
			if r.c.info.Members[y] != nil {
				return r.c.place(e), true
			}
			x = y.X
		case *uppaal.Index:
			arr, isArray := r.c.place(y.X).typ.(*uppaal.Array)
			i, ok := r.of(y.I)
			if !isArray || !ok || !i.within(bounds{int64(arr.Lo), int64(arr.Hi)}) {
				return p, false
			}
			x = y.X
		default:
			return p, false
		}
	}
}

// condition checks an expression used as a condition.
func (r *ranges) condition(e uppaal.Expr) bool {
	if b, ok := e.(*uppaal.Binary); ok {
		switch b.Op {
		case uppaal.OpAnd, uppaal.OpOr, uppaal.OpImply:
			if !r.condition(b.X) {
				return false
			}
			inner := &ranges{c: r.c, cells: clone(r.cells), texts: clone(r.texts), steps: r.steps, spent: r.spent}
			inner.assume(b.X, b.Op != uppaal.OpOr)
			return inner.condition(b.Y)
		case uppaal.OpXor:
			return r.condition(b.X) && r.condition(b.Y)
		case uppaal.OpEq, uppaal.OpNe, uppaal.OpLt, uppaal.OpLe, uppaal.OpGt, uppaal.OpGe:
			if _, channels := hasChannels(r.c.typeOf(b.X)); channels || isAggregate(r.c.typeOf(b.X)) {
				_, x := r.reference(b.X)
				_, y := r.reference(b.Y)
				return x && y
			}
			_, x := r.of(b.X)
			_, y := r.of(b.Y)
			return x && y
		}
	}
	switch e.(type) {
	case *uppaal.Deadlock, *uppaal.Stuck:
		return true
	case *uppaal.Assign, *uppaal.IncDec, *uppaal.InitList, *uppaal.Comma:
		return false
	}
	_, ok := r.of(e)
	return ok
}

func clone[K comparable, V any](m map[K]V) map[K]V {
	n := make(map[K]V, len(m))
	for k, v := range m {
		n[k] = v
	}
	return n
}

// assume narrows bounds by a condition that is known to be true, or false.
func (r *ranges) assume(e uppaal.Expr, value bool) {
	switch x := e.(type) {
	case *uppaal.Unary:
		if x.Op == uppaal.OpNot {
			r.assume(x.X, !value)
		}
	case *uppaal.Binary:
		switch {
		case x.Op == uppaal.OpAnd && value, x.Op == uppaal.OpOr && !value:
			r.assume(x.X, value)
			r.assume(x.Y, value)
		case x.Op == uppaal.OpImply && !value:
			r.assume(x.X, true)
			r.assume(x.Y, false)
		default:
			op := x.Op
			if !value {
				op = map[uppaal.Op]uppaal.Op{
					uppaal.OpLt: uppaal.OpGe, uppaal.OpLe: uppaal.OpGt, uppaal.OpGt: uppaal.OpLe,
					uppaal.OpGe: uppaal.OpLt, uppaal.OpEq: uppaal.OpNe, uppaal.OpNe: uppaal.OpEq,
				}[op]
			}
			r.compare(x.X, op, x.Y)
			r.compare(x.Y, mirrored[op], x.X)
		}
	case *uppaal.Ident, *uppaal.Field, *uppaal.Index:
		if _, truth := r.c.typeOf(e).(uppaal.Bool); truth {
			k := int64(0)
			if value {
				k = 1
			}
			r.narrow(e, bounds{k, k})
		}
	}
}

// mirrored gives the operator with its sides exchanged.
var mirrored = map[uppaal.Op]uppaal.Op{
	uppaal.OpLt: uppaal.OpGt, uppaal.OpLe: uppaal.OpGe, uppaal.OpGt: uppaal.OpLt,
	uppaal.OpGe: uppaal.OpLe, uppaal.OpEq: uppaal.OpEq, uppaal.OpNe: uppaal.OpNe,
}

// compare narrows a variable, or the result of a function without side effects,
// by a comparison that holds.
func (r *ranges) compare(e uppaal.Expr, op uppaal.Op, other uppaal.Expr) {
	switch e := e.(type) {
	case *uppaal.Ident, *uppaal.Field, *uppaal.Index:
	case *uppaal.Call:
		if !r.c.pure(e) {
			return
		}
	default:
		return
	}
	if isAggregate(r.c.typeOf(e)) {
		return
	}
	b, ok := r.of(e)
	o, ok2 := r.of(other)
	if !ok || !ok2 {
		return
	}
	switch op {
	case uppaal.OpLt:
		b.hi = min(b.hi, o.hi-1)
	case uppaal.OpLe:
		b.hi = min(b.hi, o.hi)
	case uppaal.OpGt:
		b.lo = max(b.lo, o.lo+1)
	case uppaal.OpGe:
		b.lo = max(b.lo, o.lo)
	case uppaal.OpEq:
		b.lo, b.hi = max(b.lo, o.lo), min(b.hi, o.hi)
	case uppaal.OpNe:
		if o.lo == o.hi && b.lo == o.lo {
			b.lo++
		}
		if o.lo == o.hi && b.hi == o.lo {
			b.hi--
		}
	default:
		return
	}
	if b.lo <= b.hi {
		r.narrow(e, b)
	}
}

func (r *ranges) narrow(e uppaal.Expr, b bounds) {
	if r.location(e) || r.c.isLocationIndex(e) {
		return
	}
	if _, call := e.(*uppaal.Call); call {
		r.texts[uppaal.ExprString(e)] = b
		return
	}
	p, ok := r.reference(e)
	switch {
	case !ok:
	case p.fn == nil:
		r.cells[p.k] = b
	default:
		r.texts[uppaal.ExprString(e)] = b
	}
}

// forget drops what was known before a store to a place.
func (r *ranges) forget(p place) {
	clear(r.texts)
	for k := range r.cells {
		if k >= p.lo && k < p.hi {
			delete(r.cells, k)
		}
	}
}

// forgetAll drops everything known.
func (r *ranges) forgetAll() {
	clear(r.texts)
	clear(r.cells)
}

// update checks an expression evaluated for its effects.
func (r *ranges) update(e uppaal.Expr) bool {
	// A function called on the way may change what is known.
	pure := false
	switch x := e.(type) {
	case *uppaal.Assign:
		pure = r.c.pure(x.L) && r.c.pure(x.R)
	case *uppaal.IncDec:
		pure = r.c.pure(x.X)
	default:
		pure = r.c.pure(e)
	}
	if !pure {
		r.forgetAll()
		defer r.forgetAll()
	}
	switch e := e.(type) {
	case *uppaal.Assign:
		p, ok := r.reference(e.L)
		if !ok {
			return false
		}
		if isAggregate(p.typ) {
			q, ok := r.reference(e.R)
			r.forget(p)
			return ok && e.Op == "=" && reflect.DeepEqual(p.typ, q.typ)
		}
		b, ok := r.of(e.R)
		if ok && e.Op != "=" {
			var old bounds
			if old, ok = r.variable(e.L); ok {
				b, ok = arithmeticBounds(uppaal.Op(e.Op[:len(e.Op)-1]), old, b)
			}
		}
		return ok && r.store(p, b)
	case *uppaal.IncDec:
		p, ok := r.reference(e.X)
		b, ok2 := r.variable(e.X)
		step := int64(1)
		if e.Op == uppaal.OpDec {
			step = -1
		}
		return ok && ok2 && r.store(p, wrap(bounds{b.lo + step, b.hi + step}))
	case *uppaal.Call:
		if !r.c.isAbs(e) {
			_, ok := r.call(e)
			return ok
		}
	}
	if isAggregate(r.c.typeOf(e)) {
		return false
	}
	_, ok := r.of(e)
	return ok
}

// store checks a store of a value.
func (r *ranges) store(p place, b bounds) bool {
	lo, hi, truth := scalarRange(p.typ)
	if p.fn == nil {
		cl := &r.c.p.cells[p.k]
		lo, hi, truth = cl.lo, cl.hi, cl.truth
	}
	r.forget(p)
	if truth {
		return true
	}
	if !b.within(bounds{int64(lo), int64(hi)}) {
		return false
	}
	if p.fn == nil {
		r.cells[p.k] = b
	}
	return true
}

// call checks a call. Functions with reference parameters or unbounded loops
// are not looked into.
func (r *ranges) call(e *uppaal.Call) (*uppaal.Func, bool) {
	f, ok := r.c.info.Uses[e.Fun].(*uppaal.Func)
	if !ok || len(e.Args) != len(f.Params) || e.Process != nil {
		return nil, false
	}
	for i, v := range f.Params {
		if v.Ref || isAggregate(v.Type) {
			return nil, false
		}
		if !r.fits(e.Args[i], v.Type) {
			return nil, false
		}
	}
	if _, void := f.Result.(uppaal.Void); !void && !returns(f.Decl.Body) {
		return nil, false
	}
	cost := r.c.cost(f)
	return f, cost.valid && r.spend(1+cost.steps)
}

// functionCost is what is known of the calls of a function: whether they are
// certainly valid, whatever the state, and what each spends at most.
type functionCost struct {
	valid bool
	steps int64
}

// cost analyses a function on its first call.
func (c *compiler) cost(f *uppaal.Func) functionCost {
	key := funcKey{f, -1}
	if f.Template != nil {
		key.proc = c.proc
	}
	cost, ok := c.costs[key]
	if ok {
		return cost
	}
	c.costs[key] = cost // recursion is not valid
	r := newRanges(c)
	saved := c.proc
	defer func() { c.proc = saved }()
	c.proc = key.proc
	cost.valid = r.statement(f.Decl.Body, f.Result)
	cost.steps = *r.spent
	c.costs[key] = cost
	return cost
}

// fits checks that a value is within a type.
func (r *ranges) fits(e uppaal.Expr, t uppaal.Type) bool {
	if isAggregate(t) {
		return false
	}
	b, ok := r.of(e)
	lo, hi, truth := scalarRange(t)
	return ok && (truth || b.within(bounds{int64(lo), int64(hi)}))
}

// returns reports whether a statement always returns.
func returns(s uppaal.Stmt) bool {
	switch s := s.(type) {
	case *uppaal.ReturnStmt:
		return true
	case *uppaal.Block:
		for _, st := range s.Stmts {
			if returns(st) {
				return true
			}
		}
	case *uppaal.IfStmt:
		return s.Else != nil && returns(s.Then) && returns(s.Else)
	}
	return false
}

// statement checks a statement of a function. Nothing is known about variables
// in a function but their declared ranges.
func (r *ranges) statement(s uppaal.Stmt, result uppaal.Type) bool {
	defer r.forgetAll()
	r.forgetAll()
	switch s := s.(type) {
	case nil:
		return true
	case *uppaal.Block:
		for _, d := range s.Decls {
			d, ok := d.(*uppaal.VarDecl)
			if !ok {
				continue
			}
			if v := r.c.info.Defs[d]; v == nil || v.Init != nil && !r.fits(v.Init, v.Type) {
				return false
			}
			r.forgetAll()
		}
		for _, st := range s.Stmts {
			if !r.statement(st, result) {
				return false
			}
		}
		return true
	case *uppaal.ExprStmt:
		return s.X == nil || r.update(s.X)
	case *uppaal.IfStmt:
		return r.condition(s.Cond) && r.statement(s.Then, result) && r.statement(s.Else, result)
	case *uppaal.RangeStmt:
		v := r.c.info.Defs[s.Bind]
		if v == nil {
			return false
		}
		lo, hi, _ := scalarRange(v.Type)
		n := int64(hi) - int64(lo) + 1
		if !r.spend(n) {
			return false
		}
		outer := r.steps
		defer func() { r.steps = outer }()
		r.steps *= max(n, 1)
		return r.statement(s.Body, result)
	case *uppaal.ReturnStmt:
		if s.X == nil {
			return true
		}
		if _, void := result.(uppaal.Void); void {
			return r.update(s.X)
		}
		return r.fits(s.X, result)
	}
	return false
}
