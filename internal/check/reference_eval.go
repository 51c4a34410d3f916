package check

import (
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// refEnv is what an expression of the reference interpreter sees.
type refEnv struct {
	r    *reference
	st   *refState
	proc int // whose variables; -1: none
	vars map[*uppaal.Var]refPlace
	what func() string // names the label, for messages; few are said

	// In formulas of queries:
	formula bool
	limit   int  // of the states visited for a stuck atom
	known   bool // no limit was hit

	returned bool
	result   []int32
	function *uppaal.Func
}

// refPlace is a typed run of scalars that can be read and written.
type refPlace struct {
	typ   uppaal.Type
	cells []int32
	name  string
}

// named is a label of a fixed name.
func named(label string) func() string { return func() string { return label } }

func (env *refEnv) fail(pos uppaal.Pos, format string, args ...any) {
	panic(&refError{pos: pos, msg: env.what() + ": " + fmt.Sprintf(format, args...)})
}

func (env *refEnv) iterate(pos uppaal.Pos) {
	env.r.loops++
	if env.r.loops >= maxLoop {
		panic(&refError{pos: pos, loop: true, msg: env.what() + fmt.Sprintf(": more than %d loop iterations in one evaluation", maxLoop)})
	}
}

// copyInto stores values with range checks.
func (env *refEnv) copyInto(dst refPlace, values []int32, pos uppaal.Pos) {
	values = slices.Clone(values) // dst may overlap
	k := 0
	uppaal.Leaves(dst.typ, func(suffix string, t uppaal.Type) {
		x := values[k]
		switch t := t.(type) {
		case uppaal.Bool:
			if x != 0 {
				x = 1
			}
		case uppaal.Int:
			if x < t.Lo || x > t.Hi {
				env.fail(pos, "value %d of %s%s is outside [%d,%d]", x, dst.name, suffix, t.Lo, t.Hi)
			}
		case *uppaal.Scalar:
			if x < 0 || x >= t.Size {
				env.fail(pos, "value %d of %s%s is outside scalar[%d]", x, dst.name, suffix, t.Size)
			}
		}
		dst.cells[k] = x
		k++
	})
}

// initialise assigns an initialiser, which may be a list.
func (env *refEnv) initialise(dst refPlace, init uppaal.Expr) {
	if init == nil {
		env.fail(uppaal.Pos{}, "an initialiser of %s has too few elements", dst.name)
	}
	list, ok := init.(*uppaal.InitList)
	if !ok {
		env.copyInto(dst, env.values(init), init.Position())
		return
	}
	switch t := dst.typ.(type) {
	case *uppaal.Array:
		if len(list.Elems) != t.Len() {
			env.fail(list.Pos, "an initialiser of %s has %d elements", dst.name, len(list.Elems))
		}
		n := uppaal.Size(t.Elem)
		for i, e := range list.Elems {
			env.initialise(refPlace{t.Elem, dst.cells[i*n : (i+1)*n], fmt.Sprintf("%s[%d]", dst.name, int(t.Lo)+i)}, e)
		}
	case *uppaal.Struct:
		at := 0
		elems := list.ByField(t)
		for i, f := range t.Fields {
			n := uppaal.Size(f.Type)
			env.initialise(refPlace{f.Type, dst.cells[at : at+n], dst.name + "." + f.Name}, elems[i])
			at += n
		}
	default:
		env.fail(list.Pos, "a list as value of a number")
	}
}

// int evaluates a scalar.
func (env *refEnv) int(e uppaal.Expr) int32 {
	v := env.values(e)
	if len(v) != 1 {
		env.fail(e.Position(), "an integer is expected")
	}
	return v[0]
}

func refBool(b bool) []int32 {
	if b {
		return []int32{1}
	}
	return []int32{0}
}

// values evaluates an expression to its scalars.
func (env *refEnv) values(e uppaal.Expr) []int32 {
	switch e := e.(type) {
	case *uppaal.IntLit:
		return []int32{e.Value}
	case *uppaal.BoolLit:
		return refBool(e.Value)
	case *uppaal.Ident, *uppaal.Index:
		return slices.Clone(env.place(e).cells)
	case *uppaal.Field:
		if env.r.info.Members[e] != nil {
			proc := env.process(e.X)
			p := env.r.info.Processes[proc]
			switch o := env.r.info.Member(p, e.Name).(type) {
			case *uppaal.Location:
				return refBool(p.Template.Locations[env.st.locs[proc]] == o)
			case uppaal.LocationIndex:
				return []int32{int32(env.st.locs[proc])}
			}
		}
		return slices.Clone(env.place(e).cells)
	case *uppaal.Unary:
		x := env.int(e.X)
		switch e.Op {
		case uppaal.OpNot:
			return refBool(x == 0)
		case uppaal.OpNeg:
			return []int32{-x}
		}
		return []int32{x}
	case *uppaal.Binary:
		return env.binary(e)
	case *uppaal.Cond:
		if env.int(e.If) != 0 {
			return env.values(e.Then)
		}
		return env.values(e.Else)
	case *uppaal.Assign:
		return slices.Clone(env.assign(e).cells)
	case *uppaal.IncDec:
		now := env.step(e).cells[0]
		switch {
		case e.Prefix:
			return []int32{now}
		case e.Op == uppaal.OpInc:
			return []int32{now - 1}
		}
		return []int32{now + 1}
	case *uppaal.Call:
		return env.call(e)
	case *uppaal.Comma:
		env.run(e.X)
		return env.values(e.Y)
	case *uppaal.Quant:
		return env.quant(e)
	case *uppaal.Deadlock:
		moves, err := env.r.moves(*env.st)
		if err != nil {
			panic(err)
		}
		return refBool(len(moves) == 0)
	case *uppaal.Stuck:
		stuck, known := env.r.stuck(env.process(e.Process), *env.st, env.limit)
		env.known = env.known && known
		return refBool(stuck)
	}
	env.fail(e.Position(), "expression %T", e)
	return nil
}

// run evaluates an expression for its effects.
func (env *refEnv) run(e uppaal.Expr) {
	if _, ok := refChan(env.r.info.Types[e]); !ok {
		env.values(e)
	}
}

// process resolves the process of P.x.
func (env *refEnv) process(e uppaal.Expr) int {
	p := env.r.info.ProcessOf[e]
	if call, ok := e.(*uppaal.Call); ok && p == nil {
		var args []int32
		for _, a := range call.Args {
			args = append(args, env.int(a))
		}
		if set, ok := env.r.info.Uses[call.Fun].(*uppaal.ProcessSet); ok {
			p = set.At(args)
		}
	}
	i := slices.Index(env.r.info.Processes, p)
	if i < 0 {
		env.fail(e.Position(), "no such process")
	}
	return i
}

// place evaluates an expression that denotes storage.
func (env *refEnv) place(e uppaal.Expr) refPlace {
	switch e := e.(type) {
	case *uppaal.Ident:
		v, ok := env.r.info.Uses[e].(*uppaal.Var)
		if !ok {
			env.fail(e.Pos, "%s is not a variable", e.Name)
		}
		return env.variable(v)
	case *uppaal.Index:
		x := env.place(e.X)
		a, ok := x.typ.(*uppaal.Array)
		if !ok {
			env.fail(e.Pos, "not an array")
		}
		i := env.int(e.I)
		if i < a.Lo || i > a.Hi {
			env.fail(e.I.Position(), "index %d of %s is outside [%d,%d]", i, x.name, a.Lo, a.Hi)
		}
		n := uppaal.Size(a.Elem)
		at := int(int64(i)-int64(a.Lo)) * n
		return refPlace{a.Elem, x.cells[at : at+n], fmt.Sprintf("%s[%d]", x.name, i)}
	case *uppaal.Field:
		if env.r.info.Members[e] != nil {
			proc := env.process(e.X)
			v, ok := env.r.info.Member(env.r.info.Processes[proc], e.Name).(*uppaal.Var)
			if !ok {
				env.fail(e.Pos, "%s is not a variable", e.Name)
			}
			there := *env
			there.proc, there.vars = proc, nil
			return there.variable(v)
		}
		x := env.place(e.X)
		s, ok := x.typ.(*uppaal.Struct)
		if !ok {
			env.fail(e.Pos, "not a struct")
		}
		at, t, ok := s.Field(e.Name)
		if !ok {
			env.fail(e.Pos, "no field %s", e.Name)
		}
		return refPlace{t, x.cells[at : at+uppaal.Size(t)], x.name + "." + e.Name}
	case *uppaal.Cond:
		if env.int(e.If) != 0 {
			return env.place(e.Then)
		}
		return env.place(e.Else)
	case *uppaal.Assign:
		return env.assign(e)
	case *uppaal.IncDec:
		if e.Prefix {
			return env.step(e)
		}
	case *uppaal.Comma:
		env.run(e.X)
		return env.place(e.Y)
	case *uppaal.Call:
		return refPlace{env.r.info.Uses[e.Fun].(*uppaal.Func).Result, env.call(e), e.Fun.Name}
	}
	env.fail(e.Position(), "expression %T denotes no variable", e)
	return refPlace{}
}

// step increments or decrements a variable.
func (env *refEnv) step(e *uppaal.IncDec) refPlace {
	p := env.place(e.X)
	x := p.cells[0] + 1
	if e.Op == uppaal.OpDec {
		x = p.cells[0] - 1
	}
	env.copyInto(p, []int32{x}, e.X.Position())
	return p
}

func (env *refEnv) variable(v *uppaal.Var) refPlace {
	if p, ok := env.vars[v]; ok {
		return p
	}
	if env.proc >= 0 && v.Ref && v.Kind == uppaal.ParamVar {
		for _, a := range env.r.info.Processes[env.proc].Args {
			if a.Param == v && a.Ref != nil {
				outside := &refEnv{r: env.r, st: env.st, proc: env.proc, what: env.what}
				return outside.place(a.Ref)
			}
		}
	}
	return env.r.storage(v, env.proc, env.st)
}

func (env *refEnv) assign(e *uppaal.Assign) refPlace {
	dst := env.place(e.L)
	if e.Op == "=" {
		env.copyInto(dst, env.values(e.R), e.L.Position())
		return dst
	}
	old := dst.cells[0]
	x := env.arithmetic(uppaal.Op(e.Op[:len(e.Op)-1]), old, env.int(e.R), e.Pos)
	env.copyInto(dst, []int32{x}, e.L.Position())
	return dst
}

func (env *refEnv) binary(e *uppaal.Binary) []int32 {
	switch e.Op {
	case uppaal.OpAnd:
		return refBool(env.int(e.X) != 0 && env.int(e.Y) != 0)
	case uppaal.OpOr:
		return refBool(env.int(e.X) != 0 || env.int(e.Y) != 0)
	case uppaal.OpImply:
		return refBool(env.int(e.X) == 0 || env.int(e.Y) != 0)
	case uppaal.OpEq:
		x := env.values(e.X)
		return refBool(slices.Equal(x, env.values(e.Y)))
	case uppaal.OpNe:
		x := env.values(e.X)
		return refBool(!slices.Equal(x, env.values(e.Y)))
	}
	x := env.int(e.X)
	y := env.int(e.Y)
	switch e.Op {
	case uppaal.OpXor:
		return refBool((x != 0) != (y != 0))
	case uppaal.OpLt:
		return refBool(x < y)
	case uppaal.OpLe:
		return refBool(x <= y)
	case uppaal.OpGt:
		return refBool(x > y)
	case uppaal.OpGe:
		return refBool(x >= y)
	}
	return []int32{env.arithmetic(e.Op, x, y, e.Pos)}
}

// arithmetic computes in 64 bits and keeps the low 32.
func (env *refEnv) arithmetic(op uppaal.Op, x, y int32, pos uppaal.Pos) int32 {
	a, b := int64(x), int64(y)
	switch op {
	case uppaal.OpAdd:
		return int32(a + b)
	case uppaal.OpSub:
		return int32(a - b)
	case uppaal.OpMul:
		return int32(a * b)
	case uppaal.OpDiv, uppaal.OpMod:
		if b == 0 {
			env.fail(pos, "division by zero")
		}
		if op == uppaal.OpDiv {
			return int32(a / b)
		}
		return int32(a % b)
	case uppaal.OpShl, uppaal.OpShr:
		if b < 0 {
			env.fail(pos, "shift by %d", b)
		}
		if op == uppaal.OpShl {
			return int32(a << min(b, 63))
		}
		return int32(a >> min(b, 63))
	case uppaal.OpMin:
		return min(x, y)
	case uppaal.OpMax:
		return max(x, y)
	case uppaal.OpBAnd:
		return x & y
	case uppaal.OpBOr:
		return x | y
	case uppaal.OpBXor:
		return x ^ y
	case uppaal.OpPow:
		if b < 0 {
			env.fail(pos, "power with exponent %d", b)
		}
		// The powers modulo 2^32 of an even number are 0 from 32 on, those of
		// an odd one repeat within 2^30.
		p := int32(1)
		if b > 64 {
			half := env.arithmetic(op, x, y/2, pos)
			p = half * half
			if b%2 != 0 {
				p *= x
			}
			return p
		}
		for range b {
			p *= x
		}
		return p
	}
	env.fail(pos, "operator %s", op)
	return 0
}

func (env *refEnv) quant(e *uppaal.Quant) []int32 {
	v := env.r.info.Defs[e.Bind]
	lo, hi, _ := uppaal.Range(v.Type)
	sum := int32(0)
	for i := int64(lo); i <= int64(hi); i++ {
		env.iterate(e.Pos)
		env.bind(v, []int32{int32(i)})
		x := env.int(e.Body)
		switch {
		case e.Kind == uppaal.Sum:
			sum += x
		case e.Kind == uppaal.Forall && x == 0:
			return refBool(false)
		case e.Kind == uppaal.Exists && x != 0:
			return refBool(true)
		}
	}
	if e.Kind == uppaal.Sum {
		return []int32{sum}
	}
	return refBool(e.Kind == uppaal.Forall)
}

// bind makes a variable of this environment.
func (env *refEnv) bind(v *uppaal.Var, cells []int32) refPlace {
	if env.vars == nil {
		env.vars = map[*uppaal.Var]refPlace{}
	}
	env.vars[v] = refPlace{v.Type, cells, v.Name}
	return env.vars[v]
}

func (env *refEnv) call(e *uppaal.Call) []int32 {
	f, ok := env.r.info.Uses[e.Fun].(*uppaal.Func)
	proc := env.proc
	if e.Process != nil {
		proc = env.process(e.Process)
		f = env.r.info.Function(env.r.info.Processes[proc].Template, e.Fun.Name)
	}
	if !ok {
		if e.Fun.Name == "abs" {
			x := env.int(e.Args[0])
			if x < 0 {
				x = -x
			}
			return []int32{x}
		}
		env.fail(e.Pos, "%s is not a function", e.Fun.Name)
	}
	env.iterate(e.Pos)
	callee := &refEnv{r: env.r, st: env.st, proc: proc, what: env.what, function: f}
	if f.Template == nil {
		callee.proc = -1
	}
	// By-value arguments are copied as they are evaluated, but only stored,
	// with their range checks, when all are.
	values := make([][]int32, len(e.Args))
	for i, a := range e.Args {
		switch v := f.Params[i]; {
		case v.Ref && (!v.Const || env.denotes(a)):
			callee.bind(v, env.place(a).cells)
		case v.Ref:
			callee.copyInto(callee.bind(v, make([]int32, uppaal.Size(v.Type))), env.values(a), a.Position())
		default:
			values[i] = env.values(a)
		}
	}
	for i, v := range f.Params {
		if !v.Ref {
			callee.copyInto(callee.bind(v, make([]int32, len(values[i]))), values[i], e.Args[i].Position())
		}
	}
	callee.stmt(f.Decl.Body)
	if _, void := f.Result.(uppaal.Void); void {
		return nil
	}
	if !callee.returned {
		env.fail(f.Decl.Pos, "function %s ends without a result", f.Decl.Name)
	}
	return callee.result
}

// denotes reports whether an expression denotes a variable, and not a value.
func (env *refEnv) denotes(e uppaal.Expr) bool {
	switch e := e.(type) {
	case *uppaal.Ident:
		return true
	case *uppaal.Index:
		return env.denotes(e.X)
	case *uppaal.Field:
		switch env.r.info.Members[e].(type) {
		case nil:
			return env.denotes(e.X)
		case *uppaal.Var:
			return true
		}
	case *uppaal.Assign:
		return env.denotes(e.L)
	case *uppaal.Cond:
		return env.denotes(e.Then) && env.denotes(e.Else)
	}
	return false
}

func (env *refEnv) stmt(s uppaal.Stmt) {
	if env.returned {
		return
	}
	switch s := s.(type) {
	case nil:
	case *uppaal.Block:
		for _, d := range s.Decls {
			if d, ok := d.(*uppaal.VarDecl); ok {
				v := env.r.info.Defs[d]
				p := env.bind(v, uppaal.Zero(v.Type))
				if v.Init != nil {
					env.initialise(p, v.Init)
				}
			}
		}
		for _, st := range s.Stmts {
			env.stmt(st)
		}
	case *uppaal.ExprStmt:
		if s.X != nil {
			env.run(s.X)
		}
	case *uppaal.IfStmt:
		if env.int(s.Cond) != 0 {
			env.stmt(s.Then)
		} else {
			env.stmt(s.Else)
		}
	case *uppaal.WhileStmt:
		for first := s.Do; !env.returned && (first || env.int(s.Cond) != 0); first = false {
			env.iterate(s.Pos)
			env.stmt(s.Body)
		}
	case *uppaal.ForStmt:
		if s.Init != nil {
			env.run(s.Init)
		}
		for s.Cond == nil || env.int(s.Cond) != 0 {
			env.iterate(s.Pos)
			env.stmt(s.Body)
			if env.returned {
				return
			}
			if s.Post != nil {
				env.run(s.Post)
			}
		}
	case *uppaal.RangeStmt:
		v := env.r.info.Defs[s.Bind]
		lo, hi, _ := uppaal.Range(v.Type)
		for i := int64(lo); i <= int64(hi) && !env.returned; i++ {
			env.iterate(s.Bind.Pos)
			env.bind(v, []int32{int32(i)})
			env.stmt(s.Body)
		}
	case *uppaal.ReturnStmt:
		env.returned = true
		if s.X == nil {
			return
		}
		t := env.function.Result
		if _, void := t.(uppaal.Void); void {
			env.run(s.X)
			return
		}
		env.result = make([]int32, uppaal.Size(t))
		env.initialise(refPlace{t, env.result, "the result of " + env.function.Decl.Name}, s.X)
	case *uppaal.AssertStmt:
		if env.int(s.X) == 0 {
			env.fail(s.Pos, "assertion fails")
		}
	default:
		env.fail(uppaal.Pos{}, "statement %T", s)
	}
}
