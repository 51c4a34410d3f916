package uppaal

import "slices"

// This file computes calls of functions at compile time. A function can be
// called in a constant if it reads nothing but constants, its parameters and
// its own variables; these are kept among the bound variables of the
// evaluator. Functions do not recurse, so that one place for each is enough.

// maxCalls bounds nested calls.
const maxCalls = 1000

// call computes a call.
func (ev *evaluator) call(e *Call) (value, *notConst) {
	o := ev.info.Uses[e.Fun]
	if o == nil && ev.info.global != nil {
		o = ev.info.global.lookup(e.Fun.Name)
	}
	f, ok := o.(*Func)
	switch {
	case ev.calls == maxCalls:
		return value{}, ev.fail(e, "more than %d nested calls", maxCalls)
	case !ok || e.Process != nil || f.Decl.Body == nil || len(e.Args) != len(f.Params):
		return value{}, ev.fail(e, "function %s is called", e.Fun.Name)
	case !f.declared:
		return value{}, ev.fail(e, "function %s is called in its own declaration", e.Fun.Name)
	case f.Template != nil && f.Template != ev.template:
		return value{}, ev.fail(e, "function %s of another template is called", e.Fun.Name)
	}
	for _, v := range f.reads {
		if !v.Const {
			return value{}, ev.fail(e, "function %s uses %s, which is not a constant", e.Fun.Name, v.Name)
		}
	}
	args := make([][]int32, len(e.Args))
	for i, p := range f.Params {
		a := e.Args[i]
		if p.Ref && !p.Const {
			v, no := ev.place(a)
			if no != nil {
				return value{}, no
			}
			args[i] = v.v
			continue
		}
		v, no := ev.init(p.Type, a)
		if no != nil {
			return value{}, no
		}
		args[i] = v
	}
	if ev.bound == nil {
		ev.bound = map[*Var][]int32{}
	}
	for i, p := range f.Params {
		ev.bound[p] = args[i]
	}
	defer func() {
		for _, v := range slices.Concat(f.Params, f.Locals) {
			delete(ev.bound, v)
		}
	}()
	run := &constRun{ev: ev, result: f.Result}
	ev.calls++
	no := run.stmt(f.Decl.Body)
	if ev.calls--; no != nil {
		return value{}, no
	}
	if _, void := f.Result.(Void); !void && !run.returned {
		return value{}, ev.fail(e, "function %s ends without a result", e.Fun.Name)
	}
	return value{f.Result, run.value}, nil
}

// place gives a variable of a function, or a part of one; writing to its cells
// changes it.
func (ev *evaluator) place(e Expr) (value, *notConst) {
	switch e := e.(type) {
	case *Ident:
		if v, ok := ev.info.Uses[e].(*Var); ok {
			if cells, ok := ev.bound[v]; ok {
				return value{v.Type, cells}, nil
			}
		}
		return value{}, ev.fail(e, "%s is not a variable of the function", e.Name)
	case *Index:
		x, no := ev.place(e.X)
		if no != nil {
			return value{}, no
		}
		return ev.element(e, x)
	case *Field:
		x, no := ev.place(e.X)
		if no != nil {
			return value{}, no
		}
		return ev.member(e, x)
	case *Cond:
		c, no := ev.int(e.If)
		switch {
		case no != nil:
			return value{}, no
		case c != 0:
			return ev.place(e.Then)
		}
		return ev.place(e.Else)
	case *Assign:
		return ev.assign(e)
	case *IncDec:
		if e.Prefix {
			return ev.step(e)
		}
	}
	return value{}, ev.fail(e, "not a variable")
}

// assign computes an assignment and gives what has changed.
func (ev *evaluator) assign(e *Assign) (value, *notConst) {
	to, no := ev.place(e.L)
	if no != nil {
		return value{}, no
	}
	if e.Op == "=" {
		v, no := ev.init(to.typ, e.R)
		if no != nil {
			return value{}, no
		}
		copy(to.v, v)
		return to, nil
	}
	if len(to.v) != 1 {
		return value{}, ev.fail(e, "an integer is expected")
	}
	old := number(to.v[0])
	x, no := ev.apply(&Binary{e.Pos, Op(e.Op[:len(e.Op)-1]), e.L, e.R}, old)
	if no != nil {
		return value{}, no
	}
	return to, ev.set(to, x.v, e.L)
}

// step computes an increment or decrement and gives what has changed.
func (ev *evaluator) step(e *IncDec) (value, *notConst) {
	to, no := ev.place(e.X)
	if no != nil {
		return value{}, no
	}
	if len(to.v) != 1 {
		return value{}, ev.fail(e, "an integer is expected")
	}
	x := to.v[0] + 1
	if e.Op == OpDec {
		x = to.v[0] - 1
	}
	return to, ev.set(to, []int32{x}, e.X)
}

// set stores a value in a place.
func (ev *evaluator) set(to value, v []int32, at Expr) *notConst {
	stored, no := ev.store(to.typ, v, at)
	copy(to.v, stored)
	return no
}

// A constRun executes the body of a function.
type constRun struct {
	ev       *evaluator
	result   Type
	returned bool
	value    []int32
}

// effect evaluates an expression for what it does; nil does nothing.
func (r *constRun) effect(e Expr) *notConst {
	if e == nil {
		return nil
	}
	_, no := r.ev.eval(e)
	return no
}

// loop executes a body while a condition holds, which is true if it is nil,
// and post after it.
func (r *constRun) loop(cond Expr, body Stmt, post Expr, do bool) *notConst {
	for {
		if cond != nil && !do {
			if c, no := r.ev.int(cond); no != nil || c == 0 {
				return no
			}
		}
		do = false
		if no := r.ev.spend(1, cond); no != nil {
			return no
		}
		if no := r.stmt(body); no != nil || r.returned {
			return no
		}
		if no := r.effect(post); no != nil {
			return no
		}
	}
}

func (r *constRun) stmt(s Stmt) *notConst {
	switch s := s.(type) {
	case *Block:
		return r.block(s)
	case *ExprStmt:
		return r.effect(s.X)
	case *IfStmt:
		c, no := r.ev.int(s.Cond)
		switch {
		case no != nil:
			return no
		case c != 0:
			return r.stmt(s.Then)
		case s.Else != nil:
			return r.stmt(s.Else)
		}
	case *WhileStmt:
		return r.loop(s.Cond, s.Body, nil, s.Do)
	case *ForStmt:
		if no := r.effect(s.Init); no != nil {
			return no
		}
		return r.loop(s.Cond, s.Body, s.Post, false)
	case *RangeStmt:
		v := r.ev.info.Defs[s.Bind]
		lo, hi, _ := Range(v.Type)
		for i := int64(lo); i <= int64(hi) && !r.returned; i++ {
			if no := r.ev.spend(1, nil); no != nil {
				return no
			}
			r.ev.bound[v] = []int32{int32(i)}
			if no := r.stmt(s.Body); no != nil {
				return no
			}
		}
	case *ReturnStmt:
		r.returned = true
		if _, void := r.result.(Void); void || s.X == nil {
			return r.effect(s.X)
		}
		v, no := r.ev.init(r.result, s.X)
		r.value = v
		return no
	case *AssertStmt:
		c, no := r.ev.int(s.X)
		if no == nil && c == 0 {
			no = r.ev.fail(s.X, "assertion fails")
		}
		return no
	}
	return nil
}

func (r *constRun) block(b *Block) *notConst {
	for _, d := range b.Decls {
		d, ok := d.(*VarDecl)
		if !ok {
			continue
		}
		v := r.ev.info.Defs[d]
		if no := r.ev.spend(Size(v.Type), d.Init); no != nil {
			return no
		}
		cells := Zero(v.Type)
		if d.Init != nil {
			var no *notConst
			if cells, no = r.ev.init(v.Type, d.Init); no != nil {
				return no
			}
		}
		r.ev.bound[v] = cells
	}
	for _, s := range b.Stmts {
		if no := r.stmt(s); no != nil || r.returned {
			return no
		}
	}
	return nil
}
