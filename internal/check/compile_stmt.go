package check

import (
	"github.com/vtrace/vtrace/internal/uppaal"
)

// effect compiles an expression for its side effects; nil if it has none.
func (c *compiler) effect(e uppaal.Expr) runFn {
	switch e := e.(type) {
	case *uppaal.Assign:
		return c.assign(e)
	case *uppaal.Call:
		if !c.isAbs(e) {
			call := c.call(e, c.function(e))
			return func(m *machine) { call(m) }
		}
	case *uppaal.Comma:
		return both(c.effect(e.X), c.effect(e.Y))
	case *uppaal.IncDec:
		l, pos, step := c.place(e.X), e.X.Position(), stepOf(e)
		c.reads(l)
		c.writes(l)
		if l.fn == nil {
			dst := l.k
			return func(m *machine) { m.set(dst, m.v[dst]+step, pos) }
		}
		lf := l.code()
		return func(m *machine) {
			dst := lf(m)
			m.set(dst, m.v[dst]+step, pos)
		}
	}
	if isAggregate(c.typeOf(e)) {
		f := c.place(e).fn
		if f == nil {
			return nil
		}
		return func(m *machine) { f(m) }
	}
	if _, ok := hasChannels(c.typeOf(e)); ok {
		return nil
	}
	n := c.number(e)
	if n.form != codeNumber {
		return nil
	}
	f := n.fn
	return func(m *machine) { f(m) }
}

// both runs two effects one after the other; each may be nil.
func both(f, g runFn) runFn {
	switch {
	case f == nil:
		return g
	case g == nil:
		return f
	}
	return func(m *machine) { f(m); g(m) }
}

// assigned compiles an assignment as a reference to what it has changed.
func (c *compiler) assigned(e *uppaal.Assign) place {
	if !isAggregate(c.typeOf(e.L)) {
		return c.assignedScalar(e)
	}
	l, r := c.place(e.L), c.place(e.R)
	c.writes(l)
	c.reads(r)
	lf, rf := l.code(), r.code()
	size, pos := int32(uppaal.Size(l.typ)), e.L.Position()
	l.elem = false
	l.fn = func(m *machine) int32 {
		dst := lf(m)
		src := rf(m)
		if src == dst {
			return dst
		}
		// The two may be parts of one array: never overlapping otherwise.
		for i := range size {
			m.set(dst+i, m.v[src+i], pos)
		}
		return dst
	}
	return l
}

// assign compiles an assignment of scalars, arrays or structs.
func (c *compiler) assign(e *uppaal.Assign) runFn {
	if isAggregate(c.typeOf(e.L)) {
		f := c.assigned(e).fn
		return func(m *machine) { f(m) }
	}
	if e.Op == "=" {
		return c.store(e)
	}
	f := c.assignedScalar(e).fn
	return func(m *machine) { f(m) }
}

// store compiles a plain assignment to a scalar, without a result. What is
// certain to be in range is stored without looking.
func (c *compiler) store(e *uppaal.Assign) runFn {
	l, pos := c.place(e.L), e.L.Position()
	c.writes(l)
	dst, lf := l.k, l.code()
	if l.fn == nil && c.folding && c.p.cells[dst].kind == stateCell && c.p.cells[dst].truth {
		t := c.test(e.R)
		if t.fn == nil {
			x := truth(t.value)
			return func(m *machine) { m.put(dst, x, &m.prog.cells[dst]) }
		}
		f := t.fn
		return func(m *machine) { m.put(dst, truth(f(m)), &m.prog.cells[dst]) }
	}
	r := c.number(e.R)
	rf := r.code()
	switch {
	case r.form == constNumber && c.holds(l, r.k, r.k):
		x := r.k
		if l.fn == nil {
			return func(m *machine) { m.put(dst, x, &m.prog.cells[dst]) }
		}
		return func(m *machine) {
			dst := lf(m)
			m.put(dst, x, &m.prog.cells[dst])
		}
	case r.form == cellNumber && l.fn == nil && c.holds(l, c.p.cells[r.k].lo, c.p.cells[r.k].hi):
		src := r.k
		return func(m *machine) { m.put(dst, m.v[src], &m.prog.cells[dst]) }
	case l.fn == nil:
		return func(m *machine) { m.set(dst, rf(m), pos) }
	}
	return func(m *machine) {
		dst := lf(m)
		m.set(dst, rf(m), pos)
	}
}

// maxHolds bounds the cells that holds looks at.
const maxHolds = 1 << 10

// holds reports whether all cells that a place may denote are parts of the
// packed state that hold the values from lo to hi as they are.
func (c *compiler) holds(p place, lo, hi int32) bool {
	if !c.folding || p.hi-p.lo > maxHolds {
		return false
	}
	for i := p.lo; i < p.hi; i++ {
		cl := &c.p.cells[i]
		if cl.kind != stateCell || cl.truth || lo < cl.lo || hi > cl.hi {
			return false
		}
	}
	return true
}

// assignScalar compiles an assignment to a scalar; its value is what is
// stored.
func (c *compiler) assignScalar(e *uppaal.Assign) intFn {
	f := c.assignedScalar(e).fn
	return func(m *machine) int32 { return m.v[f(m)] }
}

// assignedScalar is assigned for a scalar. The left side is evaluated first.
func (c *compiler) assignedScalar(e *uppaal.Assign) place {
	l := c.place(e.L)
	c.writes(l)
	if e.Op != "=" {
		c.reads(l)
	}
	lf, r, pos := l.code(), c.number(e.R), e.L.Position()
	rf := r.code()
	if e.Op == "=" {
		l.elem = false
		l.fn = func(m *machine) int32 {
			dst := lf(m)
			m.set(dst, rf(m), pos)
			return dst
		}
		return l
	}
	op := uppaal.Op(e.Op[:len(e.Op)-1])
	opPos := e.Pos
	l.elem = false
	l.fn = func(m *machine) int32 {
		dst := lf(m)
		a := m.v[dst]
		x, problem := apply(op, a, rf(m))
		if problem != "" {
			throw(opPos, "%s", problem)
		}
		m.set(dst, x, pos)
		return dst
	}
	return l
}

// stepped compiles ++x or --x as a reference to x.
func (c *compiler) stepped(e *uppaal.IncDec) place {
	l := c.place(e.X)
	c.reads(l)
	c.writes(l)
	lf, pos := l.code(), e.X.Position()
	step := stepOf(e)
	l.elem = false
	l.fn = func(m *machine) int32 {
		dst := lf(m)
		m.set(dst, m.v[dst]+step, pos)
		return dst
	}
	return l
}

func stepOf(e *uppaal.IncDec) int32 {
	if e.Op == uppaal.OpDec {
		return -1
	}
	return 1
}

func (c *compiler) incDec(e *uppaal.IncDec) intFn {
	f := c.stepped(e).fn
	if e.Prefix {
		return func(m *machine) int32 { return m.v[f(m)] }
	}
	step := stepOf(e)
	// Integers are stored as they are, so that the old value is known.
	return func(m *machine) int32 { return m.v[f(m)] - step }
}

// function is a compiled function. Functions do not recurse, so parameters,
// variables and the result of each have fixed cells.
type function struct {
	name   string
	pos    uppaal.Pos
	params []uppaal.Var
	cells  []int32 // by parameter
	result uppaal.Type
	cell   int32  // of the result
	body   stmtFn // nil while being compiled

	accesses []access
}

// function resolves the callee of a call and compiles it on first use.
func (c *compiler) function(e *uppaal.Call) *function {
	outer, proc := c.fun, c.proc
	f, ok := c.info.Uses[e.Fun].(*uppaal.Func)
	if e.Process != nil {
		c.proc = c.processOf(e.Process)
		defer func() { c.proc = proc }()
		f = c.info.Function(c.info.Processes[c.proc].Template, e.Fun.Name)
		ok = f != nil
	}
	if !ok {
		c.fail(e.Pos, "call of %q", e.Fun.Name)
	}
	key := funcKey{f, -1}
	if f.Template != nil {
		key.proc = c.proc
	}
	if cf := c.funcs[key]; cf != nil {
		if cf.body == nil {
			c.fail(e.Pos, "recursive call of %q", f.Decl.Name)
		}
		return cf
	}
	cf := &function{name: f.Decl.Name, pos: f.Decl.Pos, result: f.Result}
	c.funcs[key] = cf
	for _, v := range f.Params {
		cf.params = append(cf.params, *v)
		if v.Ref {
			cf.cells = append(cf.cells, c.refCell(v))
		} else {
			cf.cells = append(cf.cells, c.tempOf(v))
		}
	}
	if _, void := f.Result.(uppaal.Void); !void {
		cf.cell = c.temps(f.Result)
	}
	c.fun = cf
	caller := c.proc
	if f.Template == nil {
		c.proc = -1
	}
	var body stmtFn
	cf.accesses = c.recorded(func() { body = c.stmt(f.Decl.Body) })
	c.fun, c.proc = outer, caller
	cf.body = body
	return cf
}

// call compiles a call. The result is the value, or the first cell of an
// aggregate that the next call of the same function overwrites.
func (c *compiler) call(e *uppaal.Call, f *function) intFn {
	if len(e.Args) != len(f.params) {
		c.fail(e.Pos, "call of %s with %d arguments for %d", f.name, len(e.Args), len(f.params))
	}
	// Arguments are all evaluated before the first parameter is written: an
	// argument may call the same function.
	var push, pop []runFn
	for i := len(e.Args) - 1; i >= 0; i-- {
		v, dst, pos := f.params[i], f.cells[i], e.Args[i].Position()
		size := int32(1)
		if !v.Ref {
			size = int32(uppaal.Size(v.Type))
		}
		pop = append(pop, func(m *machine) {
			n := int32(len(m.args)) - size
			for k := range size {
				m.set(dst+k, m.args[n+k], pos)
			}
			m.args = m.args[:n]
		})
	}
	refs := map[int32]place{}
	for i, a := range e.Args {
		v := f.params[i]
		switch {
		case v.Ref:
			p := c.argument(&v, a)
			refs[f.cells[i]] = p
			f := p.code()
			push = append(push, func(m *machine) { m.args = append(m.args, f(m)) })
		case isAggregate(v.Type):
			p, size := c.place(a), int32(uppaal.Size(v.Type))
			c.reads(p)
			f := p.code()
			push = append(push, func(m *machine) {
				src := f(m)
				m.args = append(m.args, m.v[src:src+size]...)
			})
		default:
			f := c.number(a).code()
			push = append(push, func(m *machine) {
				x := f(m)
				m.args = append(m.args, x)
			})
		}
	}
	c.called(f, refs)
	pos := e.Pos
	_, void := f.result.(uppaal.Void)
	return func(m *machine) int32 {
		m.iterate(1, pos)
		for _, p := range push {
			p(m)
		}
		for _, p := range pop {
			p(m)
		}
		if !f.body(m) && !void {
			throw(f.pos, "function %s ends without a result", f.name)
		}
		return m.ret
	}
}

// argument compiles what a reference parameter of a function stands for. A
// constant one may stand for a value, which gets a place of its own.
func (c *compiler) argument(v *uppaal.Var, e uppaal.Expr) place {
	if !v.Const || c.denotes(e) {
		return c.place(e)
	}
	base := c.temps(v.Type)
	run := c.initialise(base, v.Type, e)
	return place{
		fn:  func(m *machine) int32 { run(m); return base },
		typ: v.Type, lo: base, hi: base + int32(uppaal.Size(v.Type)),
	}
}

// denotes reports whether an expression denotes a variable.
func (c *compiler) denotes(e uppaal.Expr) bool {
	switch e := e.(type) {
	case *uppaal.Ident:
		v, ok := c.info.Uses[e].(*uppaal.Var)
		_, unrolled := c.bound[v]
		return ok && !unrolled
	case *uppaal.Index:
		return c.denotes(e.X)
	case *uppaal.Field:
		if o := c.info.Members[e]; o != nil {
			_, ok := o.(*uppaal.Var)
			return ok
		}
		return c.denotes(e.X)
	case *uppaal.Assign:
		return c.denotes(e.L)
	case *uppaal.Cond:
		return c.denotes(e.Then) && c.denotes(e.Else)
	}
	_, channel := hasChannels(c.typeOf(e))
	return channel
}

// stmt compiles a statement of a function body.
func (c *compiler) stmt(s uppaal.Stmt) stmtFn {
	switch s := s.(type) {
	case nil:
		return func(*machine) bool { return false }
	case *uppaal.Block:
		return c.block(s)
	case *uppaal.ExprStmt:
		if s.X != nil {
			if f := c.effect(s.X); f != nil {
				return func(m *machine) bool { f(m); return false }
			}
		}
		return func(*machine) bool { return false }
	case *uppaal.IfStmt:
		cond := c.test(s.Cond).code()
		then, els := c.stmt(s.Then), c.stmt(s.Else)
		return func(m *machine) bool {
			if cond(m) {
				return then(m)
			}
			return els(m)
		}
	case *uppaal.WhileStmt:
		cond, body, pos, do := c.test(s.Cond).code(), c.stmt(s.Body), s.Pos, s.Do
		return func(m *machine) bool {
			for first := do; first || cond(m); first = false {
				m.iterate(1, pos)
				if body(m) {
					return true
				}
			}
			return false
		}
	case *uppaal.ForStmt:
		none := func(*machine) {}
		part := func(e uppaal.Expr) runFn {
			if e != nil {
				if f := c.effect(e); f != nil {
					return f
				}
			}
			return none
		}
		init, post := part(s.Init), part(s.Post)
		cond := known(true)
		if s.Cond != nil {
			cond = c.test(s.Cond)
		}
		cf, body, pos := cond.code(), c.stmt(s.Body), s.Pos
		return func(m *machine) bool {
			for init(m); cf(m); post(m) {
				m.iterate(1, pos)
				if body(m) {
					return true
				}
			}
			return false
		}
	case *uppaal.RangeStmt:
		_, cell, lo, hi := c.binding(s.Bind)
		body, pos := c.stmt(s.Body), s.Pos
		return func(m *machine) bool {
			for i := int64(lo); i <= int64(hi); i++ {
				m.iterate(1, pos)
				m.v[cell] = int32(i)
				if body(m) {
					return true
				}
			}
			return false
		}
	case *uppaal.ReturnStmt:
		return c.returnStmt(s)
	case *uppaal.AssertStmt:
		cond, pos := c.test(s.X).code(), s.Pos
		return func(m *machine) bool {
			if !cond(m) {
				throw(pos, "assertion fails")
			}
			return false
		}
	}
	c.fail(uppaal.Pos{}, "statement %T", s)
	return nil
}

func (c *compiler) block(s *uppaal.Block) stmtFn {
	var code []stmtFn
	for _, d := range s.Decls {
		d, ok := d.(*uppaal.VarDecl)
		if !ok {
			continue
		}
		v := c.info.Defs[d]
		if v == nil {
			c.fail(d.Pos, "variable %q is not resolved", d.Name)
		}
		base := c.tempOf(v)
		if v.Init != nil {
			f := c.initialise(base, v.Type, v.Init)
			code = append(code, func(m *machine) bool { f(m); return false })
			continue
		}
		end := base + int32(uppaal.Size(v.Type))
		code = append(code, func(m *machine) bool {
			copy(m.v[base:end], m.prog.initial[base:end])
			return false
		})
	}
	for _, st := range s.Stmts {
		code = append(code, c.stmt(st))
	}
	if len(code) == 1 {
		return code[0]
	}
	return func(m *machine) bool {
		for _, f := range code {
			if f(m) {
				return true
			}
		}
		return false
	}
}

func (c *compiler) returnStmt(s *uppaal.ReturnStmt) stmtFn {
	if s.X == nil {
		return func(*machine) bool { return true }
	}
	if c.fun == nil {
		c.fail(s.Pos, "return outside a function")
	}
	dst, pos, t := c.fun.cell, s.X.Position(), c.fun.result
	if _, void := t.(uppaal.Void); void {
		f := c.effect(s.X)
		return func(m *machine) bool {
			if f != nil {
				f(m)
			}
			return true
		}
	}
	if !isAggregate(t) {
		f := c.number(s.X).code()
		return func(m *machine) bool {
			m.set(dst, f(m), pos)
			m.ret = m.v[dst]
			return true
		}
	}
	run := c.initialise(dst, t, s.X)
	return func(m *machine) bool {
		run(m)
		m.ret = dst
		return true
	}
}

// pure reports whether evaluating e changes nothing.
func (c *compiler) pure(e uppaal.Expr) bool {
	pure := true
	uppaal.Inspect(e, func(e uppaal.Expr) {
		switch e := e.(type) {
		case *uppaal.Assign, *uppaal.IncDec:
			pure = false
		case *uppaal.Call:
			if f, ok := c.info.Uses[e.Fun].(*uppaal.Func); ok && !f.Pure {
				pure = false
			}
		}
	})
	return pure
}
