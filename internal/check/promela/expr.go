package promela

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// scope is where an expression is evaluated and how it is written.
type scope struct {
	x     *exporter
	proc  int // whose variables, -1: none
	bound map[*uppaal.Var]binding
	c     bool // write C, not Promela
	// foreign is set where another process carries out an update: it cannot
	// see the local variables of this one.
	foreign bool
	query   bool
	dead    bool // the state is a deadlock
	// known narrows the values of variables, by text, as the guard tells.
	known map[string]val
	// result and end are where a function in C leaves its result.
	result *place
	end    string
}

// binding is what a name stands for: a value, or storage.
type binding struct {
	value *val
	place *place
}

func (s *scope) bind(v *uppaal.Var, b binding) {
	s.bound = maps.Clone(s.bound)
	if s.bound == nil {
		s.bound = map[*uppaal.Var]binding{}
	}
	s.bound[v] = b
}

// place is storage: the part of a variable's arrays that an index selects.
type place struct {
	name  string
	path  string
	index val // of an element of type typ, among all of them
	array bool
	typ   uppaal.Type
	// constants by path, instead of storage.
	constants map[string][]int32
	channel   bool
	base      int
}

func (s *scope) needC() {
	if !s.c {
		panic(notNative{})
	}
}

// place evaluates an expression that denotes storage or a channel.
func (s *scope) place(e uppaal.Expr) place {
	switch e := e.(type) {
	case *uppaal.Ident:
		if v, ok := s.x.info.Uses[e].(*uppaal.Var); ok {
			return s.variable(v, e.Pos)
		}
	case *uppaal.Index:
		p := s.place(e.X)
		a, ok := p.typ.(*uppaal.Array)
		if !ok {
			break
		}
		if effects(s.x.info, e.I) {
			failf(e.I.Position(), "an index with side effects cannot be exported")
		}
		i := s.expr(e.I)
		lo, hi := int64(a.Lo), int64(a.Hi)
		if i.within(lo, hi) {
			i = sub(i, lit(lo))
		} else {
			s.needC()
			i = val{fmt.Sprintf("ix(%s, %s, %s)", i.text, lit(lo).text, lit(hi).text), 0, hi - lo}
		}
		p.index = add(mul(p.index, lit(int64(a.Len()))), i)
		p.array, p.typ = true, a.Elem
		return p
	case *uppaal.Field:
		if s.x.info.Members[e] != nil {
			proc := s.process(e.X)
			v, ok := s.x.info.Member(s.x.info.Processes[proc], e.Name).(*uppaal.Var)
			if !ok {
				break
			}
			there := *s
			there.proc, there.bound, there.foreign = proc, nil, true
			return there.variable(v, e.Pos)
		}
		p := s.place(e.X)
		t, ok := p.typ.(*uppaal.Struct)
		if !ok {
			break
		}
		k := slices.IndexFunc(t.Fields, func(f uppaal.FieldType) bool { return f.Name == e.Name })
		p.path += fmt.Sprintf("_%d", k)
		p.typ = t.Fields[k].Type
		return p
	}
	failf(e.Position(), "this expression cannot be exported as a variable")
	return place{}
}

// variable is the storage of a variable or parameter.
func (s *scope) variable(v *uppaal.Var, pos uppaal.Pos) place {
	if b, ok := s.bound[v]; ok {
		if b.place != nil {
			return *b.place
		}
		s.needC() // where it is storage
		failf(pos, "%s cannot be exported as a variable", v.Name)
	}
	p := place{typ: v.Type, index: lit(0)}
	k := varKey{v, s.proc}
	if v.Kind == uppaal.GlobalVar {
		k.proc = -1
	}
	if k.proc >= 0 && v.Kind == uppaal.ParamVar {
		for _, a := range s.x.info.Processes[k.proc].Args {
			if a.Param != v {
				continue
			}
			if a.Ref != nil {
				return (&scope{x: s.x, proc: -1, c: s.c}).place(a.Ref)
			}
			if v.Const {
				p.constants, p.name = spread(v.Type, a.Value), fmt.Sprintf("k%d_%s", k.proc, v.Name)
				return p
			}
		}
	}
	if base, ok := s.x.channels[k]; ok {
		p.channel, p.base = true, base
		return p
	}
	if v.Const {
		switch {
		case v.Value != nil:
			p.constants = spread(v.Type, v.Value)
		case v.Init != nil && !aggregate(v.Type):
			// The value differs between processes.
			x := (&scope{x: s.x, proc: s.proc, c: true}).expr(v.Init)
			if !x.constant() {
				failf(v.Pos, "constant %s cannot be exported: its value is not known", v.Name)
			}
			p.constants = map[string][]int32{"": {int32(x.lo)}}
		default:
			failf(v.Pos, "constant %s cannot be exported: it is an array or struct that depends on a parameter", v.Name)
		}
		p.name = fmt.Sprintf("k%d_%s", max(k.proc, 0), v.Name)
		return p
	}
	st := s.x.vars[k]
	if st == nil {
		failf(pos, "variable %s cannot be exported here", v.Name)
	}
	p.name = st.name
	if st.local && (s.c || s.foreign) {
		s.x.demote(k)
	}
	if s.c {
		p.name = "now." + p.name
	}
	return p
}

func aggregate(t uppaal.Type) bool {
	switch t.(type) {
	case *uppaal.Array, *uppaal.Struct:
		return true
	}
	return false
}

// text is how the place of a scalar is written.
func (p place) text() string {
	if !p.array {
		return p.name + p.path
	}
	return p.name + p.path + "[" + p.index.text + "]"
}

// load is the value of a scalar place.
func (s *scope) load(p place, pos uppaal.Pos) val {
	if p.channel {
		return add(lit(int64(p.base)), p.index)
	}
	if aggregate(p.typ) {
		failf(pos, "an array or struct cannot be exported here")
	}
	if p.constants != nil {
		list := p.constants[p.path]
		if p.index.constant() {
			return lit(int64(list[p.index.lo]))
		}
		s.needC()
		text := make([]string, len(list))
		for i, v := range list {
			text[i] = lit(int64(v)).text
		}
		return val{fmt.Sprintf("((const int[]){%s})[%s]", strings.Join(text, ","), p.index.text), int64(slices.Min(list)), int64(slices.Max(list))}
	}
	v := opaque(p.typ, p.text())
	if k, ok := s.known[v.text]; ok && k.lo <= k.hi {
		v.lo, v.hi = max(v.lo, k.lo), min(v.hi, k.hi)
		if v.lo > v.hi { // the guard contradicts the type
			return opaque(p.typ, p.text())
		}
	}
	return v
}

// cells lists the scalars of a place in order.
func (p place) cells() []place {
	switch t := p.typ.(type) {
	case *uppaal.Array:
		var list []place
		for i := range t.Len() {
			q := p
			q.index = add(mul(p.index, lit(int64(t.Len()))), lit(int64(i)))
			q.array, q.typ = true, t.Elem
			list = append(list, q.cells()...)
		}
		return list
	case *uppaal.Struct:
		var list []place
		for i, f := range t.Fields {
			q := p
			q.path += fmt.Sprintf("_%d", i)
			q.typ = f.Type
			list = append(list, q.cells()...)
		}
		return list
	}
	return []place{p}
}

// effects reports whether evaluating an expression changes a variable.
func effects(info *uppaal.Info, e uppaal.Expr) bool {
	found := false
	uppaal.Inspect(e, func(e uppaal.Expr) {
		switch e := e.(type) {
		case *uppaal.Assign, *uppaal.IncDec:
			found = true
		case *uppaal.Call:
			f, ok := info.Uses[e.Fun].(*uppaal.Func)
			found = found || ok && !f.Pure
		}
	})
	return found
}

// expr evaluates a scalar.
func (s *scope) expr(e uppaal.Expr) val {
	s.x.spend(0)
	v := s.scalar(e)
	s.x.spend(len(v.text))
	if len(v.text) > maxNative {
		s.needC()
	}
	if len(v.text) > maxText {
		failf(e.Position(), "an expression is too large to be exported")
	}
	if effects(s.x.info, e) {
		v.lo, v.hi = math.MinInt32, math.MaxInt32 // never folded away
	}
	return v
}

func (s *scope) scalar(e uppaal.Expr) val {
	switch e := e.(type) {
	case *uppaal.IntLit:
		return lit(int64(e.Value))
	case *uppaal.BoolLit:
		return bit(e.Value)
	case *uppaal.Ident:
		if v, ok := s.x.info.Uses[e].(*uppaal.Var); ok {
			if b, ok := s.bound[v]; ok && b.value != nil {
				return *b.value
			}
		}
		return s.load(s.place(e), e.Pos)
	case *uppaal.Index:
		return s.load(s.place(e), e.Position())
	case *uppaal.Field:
		if s.x.info.Members[e] != nil {
			proc := s.process(e.X)
			p := s.x.info.Processes[proc]
			switch o := s.x.info.Member(p, e.Name).(type) {
			case *uppaal.Location:
				s.x.track(proc)
				return truth("(%s == %d)", s.state(locationVar(proc)), slices.Index(p.Template.Locations, o))
			case uppaal.LocationIndex:
				s.x.track(proc)
				return val{s.state(locationVar(proc)), 0, int64(len(p.Template.Locations) - 1)}
			}
		}
		return s.load(s.place(e), e.Position())
	case *uppaal.Unary:
		x := s.expr(e.X)
		switch e.Op {
		case uppaal.OpNot:
			return not(x)
		case uppaal.OpNeg:
			return mk(-x.hi, -x.lo, "(-%s)", x.text)
		}
		return x
	case *uppaal.Binary:
		return s.binary(e)
	case *uppaal.Cond:
		c := s.expr(e.If)
		if c.constant() {
			if c.lo != 0 {
				return s.expr(e.Then)
			}
			return s.expr(e.Else)
		}
		x, y := s.expr(e.Then), s.expr(e.Else)
		format := "(%s -> %s : %s)"
		if s.c {
			format = "(%s ? %s : %s)"
		}
		return mk(min(x.lo, y.lo), max(x.hi, y.hi), format, c.text, x.text, y.text)
	case *uppaal.Assign:
		s.needC()
		return s.assign(e)
	case *uppaal.IncDec:
		s.needC()
		p := s.place(e.X)
		op := "+"
		if e.Op == uppaal.OpDec {
			op = "-"
		}
		t := s.x.fresh("t")
		value := t
		if e.Prefix {
			value = p.text()
		}
		return val{fmt.Sprintf("({ int %s = %s; %s %s; })", t, p.text(), store(p, val{fmt.Sprintf("(%s %s 1)", t, op), math.MinInt32, math.MaxInt32}), value), math.MinInt32, math.MaxInt32}
	case *uppaal.Call:
		return s.call(e)
	case *uppaal.Quant:
		return s.quant(e)
	case *uppaal.Deadlock:
		if !s.query {
			failf(e.Pos, "deadlock can be exported in a query only")
		}
		if s.dead {
			return lit(1)
		}
		return lit(0)
	case *uppaal.Stuck:
		failf(e.Pos, "stuck cannot be exported")
	}
	failf(e.Position(), "this expression cannot be exported")
	return val{}
}

// state is the name of a variable of the export itself.
func (s *scope) state(name string) string {
	if s.c {
		return "now." + name
	}
	return name
}

// process resolves the process of P.x.
func (s *scope) process(e uppaal.Expr) int {
	p := s.x.info.ProcessOf[e]
	if call, ok := e.(*uppaal.Call); ok && p == nil {
		var args []int32
		for _, a := range call.Args {
			v := s.expr(a)
			if !v.constant() {
				failf(a.Position(), "the process cannot be exported: the argument is not constant")
			}
			args = append(args, int32(v.lo))
		}
		if set, ok := s.x.info.Uses[call.Fun].(*uppaal.ProcessSet); ok {
			p = set.At(args)
		}
	}
	i := slices.Index(s.x.info.Processes, p)
	if i < 0 {
		failf(e.Position(), "there is no such process")
	}
	return i
}

func (s *scope) binary(e *uppaal.Binary) val {
	switch e.Op {
	case uppaal.OpAnd:
		x := s.expr(e.X)
		if x.constant() && x.lo == 0 {
			return x
		}
		return and(x, s.expr(e.Y))
	case uppaal.OpOr, uppaal.OpImply:
		x := s.expr(e.X)
		if e.Op == uppaal.OpImply {
			x = not(x)
		}
		if x.constant() && x.lo != 0 {
			return lit(1)
		}
		return or(x, s.expr(e.Y))
	}
	if (e.Op == uppaal.OpEq || e.Op == uppaal.OpNe) && aggregate(s.x.info.Types[e.X]) {
		return s.same(e)
	}
	x, y := s.expr(e.X), s.expr(e.Y)
	if !effects(s.x.info, e) {
		return s.operate(e.Op, x, y)
	}
	// C leaves the order open.
	s.needC()
	a, b := s.x.fresh("t"), s.x.fresh("t")
	r := s.operate(e.Op, val{a, x.lo, x.hi}, val{b, y.lo, y.hi})
	return val{fmt.Sprintf("({ int %s = %s; int %s = %s; %s; })", a, x.text, b, y.text, r.text), math.MinInt32, math.MaxInt32}
}

// same compares arrays or structs.
func (s *scope) same(e *uppaal.Binary) val {
	s.needC()
	n := s.size(s.x.info.Types[e.X], e.Pos)
	a, b := s.x.fresh("t"), s.x.fresh("t")
	return truth("({ int %s[%d], %s[%d]; %s %s __builtin_memcmp(%s, %s, sizeof(%s)) %s 0; })", a, n, b, n, s.fill(a, e.X), s.fill(b, e.Y), a, b, a, e.Op)
}

func (s *scope) size(t uppaal.Type, pos uppaal.Pos) int {
	n := uppaal.Size(t)
	if n > maxCells {
		failf(pos, "an array or struct of more than %d integers cannot be exported as a whole", maxCells)
	}
	return n
}

// operate writes an operation on operands without side effects.
func (s *scope) operate(op uppaal.Op, x, y val) val {
	helper := func(lo, hi int64, name string) val {
		if x.constant() && y.constant() && lo == hi {
			return lit(lo)
		}
		s.needC()
		return val{fmt.Sprintf("%s(%s, %s)", name, x.text, y.text), lo, hi}
	}
	full := func(name string) val { return helper(math.MinInt32, math.MaxInt32, name) }
	switch op {
	case uppaal.OpLt, uppaal.OpLe, uppaal.OpGt, uppaal.OpGe, uppaal.OpEq, uppaal.OpNe:
		return compare(op, x, y)
	case uppaal.OpXor:
		return compare(uppaal.OpNe, boolean(x), boolean(y))
	case uppaal.OpAdd:
		return add(x, y)
	case uppaal.OpSub:
		return sub(x, y)
	case uppaal.OpMul:
		return mul(x, y)
	case uppaal.OpDiv:
		if y.lo > 0 {
			a, b, c, d := x.lo/y.lo, x.lo/y.hi, x.hi/y.lo, x.hi/y.hi
			return mk(min(a, b, c, d), max(a, b, c, d), "(%s / %s)", x.text, y.text)
		}
		return full("dv")
	case uppaal.OpMod:
		if y.lo > 0 {
			lo, hi := max(1-y.hi, min(x.lo, 0)), min(y.hi-1, max(x.hi, 0))
			if x.constant() && y.constant() {
				lo, hi = x.lo%y.lo, x.lo%y.lo
			}
			if x.within(0, y.lo-1) {
				return x
			}
			return mk(lo, hi, "(%s %% %s)", x.text, y.text)
		}
		return full("md")
	case uppaal.OpShl:
		if x.constant() && y.constant() && y.within(0, 31) {
			return lit(int64(int32(x.lo) << y.lo))
		}
		return full("sl")
	case uppaal.OpShr:
		if y.within(0, 31) {
			lo, hi := min(x.lo, x.lo>>y.hi, x.lo>>y.lo), max(x.hi, x.hi>>y.hi, x.hi>>y.lo)
			if y.constant() {
				lo, hi = x.lo>>y.lo, x.hi>>y.lo
			}
			return mk(lo, hi, "(%s >> %s)", x.text, y.text)
		}
		return full("sr")
	case uppaal.OpMin, uppaal.OpMax:
		lo, hi, name := min(x.lo, y.lo), min(x.hi, y.hi), "mn"
		if op == uppaal.OpMax {
			lo, hi, name = max(x.lo, y.lo), max(x.hi, y.hi), "mx"
		}
		return helper(lo, hi, name)
	case uppaal.OpBAnd, uppaal.OpBOr, uppaal.OpBXor:
		lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
		if x.lo >= 0 && y.lo >= 0 {
			lo, hi = 0, 1
			for hi <= max(x.hi, y.hi) {
				hi <<= 1
			}
			hi--
		}
		if x.constant() && y.constant() {
			a, b := int32(x.lo), int32(y.lo)
			n := map[uppaal.Op]int32{uppaal.OpBAnd: a & b, uppaal.OpBOr: a | b, uppaal.OpBXor: a ^ b}[op]
			return lit(int64(n))
		}
		return mk(lo, hi, "(%s %s %s)", x.text, op, y.text)
	case uppaal.OpPow:
		return full("pw")
	}
	failf(uppaal.Pos{}, "operator %s cannot be exported", op)
	return val{}
}

// quant writes a quantifier out, or as a loop.
func (s *scope) quant(e *uppaal.Quant) val {
	v := s.x.info.Defs[e.Bind]
	lo, hi, _ := uppaal.Range(v.Type)
	if effects(s.x.info, e.Body) {
		failf(e.Body.Position(), "a quantifier with side effects cannot be exported")
	}
	if n := int64(hi) - int64(lo) + 1; n <= maxUnrolled || s.query && n <= maxCells {
		return s.unrolled(e, v, int64(lo), int64(hi))
	}
	s.needC()
	q, i := s.x.fresh("t"), s.x.fresh("t")
	inner := *s
	value := val{"((int)" + i + ")", int64(lo), int64(hi)}
	inner.bind(v, binding{value: &value})
	x := inner.expr(e.Body)
	loop := fmt.Sprintf("for (long %s = %s; %s <= %s; %s++)", i, lit(int64(lo)).text, i, lit(int64(hi)).text, i)
	switch e.Kind {
	case uppaal.Forall:
		return truth("({ int %s = 1; %s if (!%s) { %s = 0; break; } %s; })", q, loop, x.text, q, q)
	case uppaal.Exists:
		return truth("({ int %s = 0; %s if (%s) { %s = 1; break; } %s; })", q, loop, x.text, q, q)
	}
	return val{fmt.Sprintf("({ int %s = 0; %s %s += %s; %s; })", q, loop, q, x.text, q), math.MinInt32, math.MaxInt32}
}

// unrolled writes a quantifier out.
func (s *scope) unrolled(e *uppaal.Quant, v *uppaal.Var, lo, hi int64) val {
	var text []string
	var from, to int64 // of the sum
	for i := lo; i <= hi; i++ {
		inner := *s
		value := lit(i)
		inner.bind(v, binding{value: &value})
		x := inner.expr(e.Body)
		if e.Kind != uppaal.Sum {
			x = boolean(x)
			if x.constant() && (x.lo == 0) == (e.Kind == uppaal.Forall) {
				return x // this value decides
			}
			if x.constant() {
				continue
			}
		} else if from, to = from+x.lo, to+x.hi; x.constant() && x.lo == 0 {
			continue
		}
		text = append(text, x.text)
	}
	op := map[uppaal.QuantKind]string{uppaal.Forall: " && ", uppaal.Exists: " || ", uppaal.Sum: " + "}[e.Kind]
	switch {
	case e.Kind == uppaal.Sum && len(text) == 0:
		return lit(0)
	case e.Kind == uppaal.Sum:
		return mk(from, to, "(%s)", strings.Join(text, op))
	case len(text) == 0:
		return bit(e.Kind == uppaal.Forall)
	}
	return truth("(%s)", strings.Join(text, op))
}
