package uppaal

import (
	"fmt"
	"slices"
)

// An evaluator computes compile-time constants. Arithmetic is that of the
// language: 32 bits, wrapping around.
type evaluator struct {
	info *Info
	// bound gives the values of bound variables and of parameters.
	bound map[*Var][]int32
	// left is what remains of the bound on the work, shared by the constants
	// of a network.
	left *int
	// template is the one whose functions can be called.
	template *Template
	calls    int // being computed
}

// maxSteps bounds the work on all constants of a network together.
const maxSteps = 1 << 22

// spend counts work.
func (ev *evaluator) spend(n int, at Expr) *notConst {
	if *ev.left -= n; *ev.left < 0 {
		return ev.fail(at, "the constants take too long to compute")
	}
	return nil
}

// A value is a typed flattened value.
type value struct {
	typ Type
	v   []int32
}

// notConst says why an expression has no value at compile time.
type notConst struct {
	pos Pos
	msg string
	// param is the template parameter that the value depends on, or nil.
	param *Var
}

// ConstEval computes an integer expression whose value is known before the
// search: literals, constants of the network, operators, quantifiers, and
// calls of global functions that use nothing else. Names that Check has not
// seen are looked up among the globals of the network.
func (info *Info) ConstEval(e Expr) (int32, bool) {
	left := maxSteps
	ev := evaluator{info: info, left: &left}
	v, no := ev.eval(e)
	if no != nil || len(v.v) != 1 {
		return 0, false
	}
	return v.v[0], true
}

func (ev *evaluator) fail(e Expr, format string, args ...any) *notConst {
	no := &notConst{msg: fmt.Sprintf(format, args...)}
	if e != nil {
		no.pos = e.Position()
	}
	return no
}

// int computes an integer.
func (ev *evaluator) int(e Expr) (int32, *notConst) {
	v, no := ev.eval(e)
	if no != nil {
		return 0, no
	}
	if len(v.v) != 1 {
		return 0, ev.fail(e, "an integer is expected")
	}
	return v.v[0], nil
}

func number(v int32) value { return value{fullInt, []int32{v}} }

func truth(b bool) value {
	if b {
		return value{Bool{}, []int32{1}}
	}
	return value{Bool{}, []int32{0}}
}

func (ev *evaluator) eval(e Expr) (value, *notConst) {
	if no := ev.spend(1, e); no != nil {
		return value{}, no
	}
	switch e := e.(type) {
	case *IntLit:
		return number(e.Value), nil
	case *BoolLit:
		return truth(e.Value), nil
	case *Ident:
		return ev.ident(e)
	case *Unary:
		x, no := ev.int(e.X)
		switch {
		case no != nil:
			return value{}, no
		case e.Op == OpNot:
			return truth(x == 0), nil
		case e.Op == OpNeg:
			return number(-x), nil
		}
		return number(x), nil
	case *Binary:
		return ev.binary(e)
	case *Cond:
		c, no := ev.int(e.If)
		if no != nil {
			return value{}, no
		}
		if c != 0 {
			return ev.eval(e.Then)
		}
		return ev.eval(e.Else)
	case *Index:
		x, no := ev.eval(e.X)
		if no != nil {
			return value{}, no
		}
		return ev.element(e, x)
	case *Field:
		x, no := ev.eval(e.X)
		if no != nil {
			return value{}, no
		}
		return ev.member(e, x)
	case *Quant:
		return ev.quant(e)
	case *Call:
		if e.Fun.Name == "abs" && len(e.Args) == 1 {
			x, no := ev.int(e.Args[0])
			if no == nil && x < 0 {
				x = -x
			}
			return number(x), no
		}
		return ev.call(e)
	case *Assign:
		return ev.assign(e)
	case *IncDec:
		x, no := ev.step(e)
		if no != nil || e.Prefix {
			return x, no
		}
		if e.Op == OpInc {
			return number(x.v[0] - 1), nil
		}
		return number(x.v[0] + 1), nil
	case *Comma:
		if _, no := ev.eval(e.X); no != nil {
			return value{}, no
		}
		return ev.eval(e.Y)
	case *InitList:
		return value{}, ev.fail(e, "an initialiser list stands in an expression")
	}
	return value{}, ev.fail(e, "not a constant")
}

// element gives an element of an array.
func (ev *evaluator) element(e *Index, x value) (value, *notConst) {
	a, ok := x.typ.(*Array)
	if !ok {
		return value{}, ev.fail(e, "not an array")
	}
	i, no := ev.int(e.I)
	if no != nil {
		return value{}, no
	}
	if i < a.Lo || i > a.Hi {
		return value{}, ev.fail(e, "index %d is out of range [%d,%d]", i, a.Lo, a.Hi)
	}
	n := Size(a.Elem)
	at := int(int64(i)-int64(a.Lo)) * n
	return value{a.Elem, x.v[at : at+n]}, nil
}

// member gives a field of a struct.
func (ev *evaluator) member(e *Field, x value) (value, *notConst) {
	s, ok := x.typ.(*Struct)
	if !ok {
		return value{}, ev.fail(e, "not a constant")
	}
	at, typ, ok := s.Field(e.Name)
	if !ok {
		return value{}, ev.fail(e, "no field %s", e.Name)
	}
	return value{typ, x.v[at : at+Size(typ)]}, nil
}

func (ev *evaluator) ident(e *Ident) (value, *notConst) {
	obj := ev.info.Uses[e]
	if obj == nil && ev.info.global != nil {
		obj = ev.info.global.lookup(e.Name)
	}
	v, ok := obj.(*Var)
	if !ok {
		return value{}, ev.fail(e, "%s is not a constant", e.Name)
	}
	if b, ok := ev.bound[v]; ok {
		return value{v.Type, b}, nil
	}
	if v.Value != nil {
		return value{v.Type, v.Value}, nil
	}
	no := ev.fail(e, "%s is not a constant", e.Name)
	switch {
	case v.Const && v.Kind == ParamVar:
		no.param = v
	case v.Const && v.Kind == LocalVar && v.Init != nil:
		// A local constant computed from parameters.
		if _, why := ev.init(v.Type, v.Init); why != nil {
			no.param = why.param
		}
	}
	return value{}, no
}

func (ev *evaluator) quant(e *Quant) (value, *notConst) {
	v := ev.info.Defs[e.Bind]
	if v == nil {
		return value{}, ev.fail(e, "the quantifier is not checked")
	}
	lo, hi, ok := Range(v.Type)
	if !ok {
		return value{}, ev.fail(e, "the range of %s is not known", e.Bind.Name)
	}
	if ev.bound == nil {
		ev.bound = map[*Var][]int32{}
	}
	defer delete(ev.bound, v)
	sum := int32(0)
	for i := int64(lo); i <= int64(hi); i++ {
		ev.bound[v] = []int32{int32(i)}
		x, no := ev.int(e.Body)
		if no != nil {
			return value{}, no
		}
		switch {
		case e.Kind == Sum:
			sum += x
		case e.Kind == Forall && x == 0:
			return truth(false), nil
		case e.Kind == Exists && x != 0:
			return truth(true), nil
		}
	}
	if e.Kind == Sum {
		return number(sum), nil
	}
	return truth(e.Kind == Forall), nil
}

func (ev *evaluator) binary(e *Binary) (value, *notConst) {
	// A chain of operators is deep on the left only: go down by a loop.
	var chain []*Binary
	var left Expr = e
	for {
		b, ok := left.(*Binary)
		if !ok {
			break
		}
		chain = append(chain, b)
		left = b.X
	}
	acc, no := ev.eval(left)
	for i := len(chain) - 1; i >= 0 && no == nil; i-- {
		acc, no = ev.apply(chain[i], acc)
	}
	return acc, no
}

// apply computes x Op e.Y.
func (ev *evaluator) apply(e *Binary, x value) (value, *notConst) {
	if len(x.v) != 1 {
		if e.Op != OpEq && e.Op != OpNe {
			return value{}, ev.fail(e, "an integer is expected")
		}
		x.v = slices.Clone(x.v) // of a variable that e.Y may change
		y, no := ev.eval(e.Y)
		if no != nil {
			return value{}, no
		}
		if no := ev.spend(len(x.v), e); no != nil {
			return value{}, no
		}
		same := len(x.v) == len(y.v)
		for i := 0; same && i < len(x.v); i++ {
			same = x.v[i] == y.v[i]
		}
		return truth(same == (e.Op == OpEq)), nil
	}
	a := x.v[0]
	switch {
	case e.Op == OpAnd && a == 0, e.Op == OpImply && a == 0, e.Op == OpOr && a != 0:
		return truth(e.Op != OpAnd), nil
	}
	b, no := ev.int(e.Y)
	if no != nil {
		return value{}, no
	}
	switch e.Op {
	case OpAnd, OpOr, OpImply:
		return truth(b != 0), nil
	case OpXor:
		return truth((a != 0) != (b != 0)), nil
	case OpEq:
		return truth(a == b), nil
	case OpNe:
		return truth(a != b), nil
	case OpLt:
		return truth(a < b), nil
	case OpLe:
		return truth(a <= b), nil
	case OpGe:
		return truth(a >= b), nil
	case OpGt:
		return truth(a > b), nil
	case OpAdd:
		return number(a + b), nil
	case OpSub:
		return number(a - b), nil
	case OpMul:
		return number(a * b), nil
	case OpDiv, OpMod:
		if b == 0 {
			return value{}, ev.fail(e.Y, "division by zero")
		}
		if e.Op == OpDiv {
			return number(a / b), nil
		}
		return number(a % b), nil
	case OpShl, OpShr:
		if b < 0 || b > 31 {
			return value{}, ev.fail(e.Y, "shift count %d", b)
		}
		if e.Op == OpShl {
			return number(a << b), nil
		}
		return number(a >> b), nil
	case OpMin:
		return number(min(a, b)), nil
	case OpMax:
		return number(max(a, b)), nil
	case OpBAnd:
		return number(a & b), nil
	case OpBOr:
		return number(a | b), nil
	case OpBXor:
		return number(a ^ b), nil
	case OpPow:
		if b < 0 {
			return value{}, ev.fail(e.Y, "negative exponent")
		}
		r := int32(1)
		for ; b > 0; b >>= 1 {
			if b&1 != 0 {
				r *= a
			}
			a *= a
		}
		return number(r), nil
	}
	return value{}, ev.fail(e, "operator %s has no value", e.Op)
}

// init computes the initial value of a variable of a type, flattened, and
// checks the ranges.
func (ev *evaluator) init(t Type, e Expr) ([]int32, *notConst) {
	l, ok := e.(*InitList)
	if !ok {
		v, no := ev.eval(e)
		if no != nil {
			return nil, no
		}
		return ev.store(t, v.v, e)
	}
	var out []int32
	switch t := t.(type) {
	case *Array:
		if len(l.Elems) != t.Len() {
			return nil, ev.fail(l, "wrong number of elements")
		}
		for _, x := range l.Elems {
			v, no := ev.init(t.Elem, x)
			if no != nil {
				return nil, no
			}
			out = append(out, v...)
		}
	case *Struct:
		if len(l.Elems) != len(t.Fields) {
			return nil, ev.fail(l, "wrong number of fields")
		}
		elems := l.ByField(t)
		for i, f := range t.Fields {
			if elems[i] == nil {
				return nil, ev.fail(l, "field %s has no value", f.Name)
			}
			v, no := ev.init(f.Type, elems[i])
			if no != nil {
				return nil, no
			}
			out = append(out, v...)
		}
	default:
		return nil, ev.fail(l, "a list initialises an integer")
	}
	return out, nil
}

// ByField gives the elements of the initialiser of a struct in the order of the
// fields, nil for a field without one. An element without a name belongs to the
// field behind that of the element before it.
func (l *InitList) ByField(t *Struct) []Expr {
	out := make([]Expr, len(t.Fields))
	at := 0
	for i, x := range l.Elems {
		if i < len(l.Names) && l.Names[i] != "" {
			if at = t.index(l.Names[i]); at < 0 {
				return out
			}
		}
		if at < len(out) && out[at] == nil {
			out[at] = x
		}
		at++
	}
	return out
}

// store converts a flattened value to a type: integers stored in a bool become
// 0 or 1, others must lie in the range.
func (ev *evaluator) store(t Type, v []int32, at Expr) ([]int32, *notConst) {
	if len(v) != Size(t) {
		return nil, ev.fail(at, "the value has another type")
	}
	if no := ev.spend(len(v), at); no != nil {
		return nil, no
	}
	out := append([]int32(nil), v...)
	if _, no := ev.convert(t, out, at); no != nil {
		return nil, no
	}
	return out, nil
}

// convert converts the cells of one value in place and gives the rest.
func (ev *evaluator) convert(t Type, v []int32, at Expr) (rest []int32, no *notConst) {
	switch t := t.(type) {
	case *Array:
		for n := t.Len(); n > 0 && no == nil; n-- {
			v, no = ev.convert(t.Elem, v, at)
		}
		return v, no
	case *Struct:
		for _, f := range t.Fields {
			if v, no = ev.convert(f.Type, v, at); no != nil {
				break
			}
		}
		return v, no
	case Bool:
		if v[0] != 0 {
			v[0] = 1
		}
	default:
		if Size(t) != 1 { // one in whose declaration an error was found
			return nil, ev.fail(at, "the type has no values")
		}
		if lo, hi, ok := Range(t); ok && (v[0] < lo || v[0] > hi) {
			return nil, ev.fail(at, "value %d is out of range [%d,%d]", v[0], lo, hi)
		}
	}
	return v[1:], nil
}
