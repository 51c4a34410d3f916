package uppaal

// This file checks expressions.

// expr checks an expression and gives its type, or nil after an error.
func (c *checker) expr(e Expr) Type {
	t := c.exprType(e)
	if t != nil {
		c.info.Types[e] = t
	}
	return t
}

func (c *checker) exprType(e Expr) Type {
	switch e := e.(type) {
	case nil:
		c.errorf(Pos{}, "an expression is missing")
	case *IntLit:
		return Int{e.Value, e.Value}
	case *BoolLit:
		return Bool{}
	case *Ident:
		return c.ident(e)
	case *Unary:
		t := c.expr(e.X)
		if t == nil || !c.wantIntegral(e.X, t, string(e.Op)) {
			return nil
		}
		if e.Op == OpNot {
			return Bool{}
		}
		return fullInt
	case *Binary:
		return c.binary(e)
	case *Cond:
		return c.cond(e)
	case *Index:
		return c.index(e)
	case *Field:
		return c.field(e)
	case *Call:
		return c.call(e)
	case *Assign:
		return c.assign(e)
	case *Comma:
		c.effect(e.X)
		return c.expr(e.Y)
	case *IncDec:
		t := c.expr(e.X)
		if !c.change(e.X, string(e.Op)) || t == nil {
			return nil
		}
		if _, ok := t.(Int); !ok {
			c.errorf(e.X.Position(), "operator %s needs an integer variable, found %v", e.Op, t)
			return nil
		}
		return t
	case *Quant:
		return c.quant(e)
	case *InitList:
		c.errorf(e.Pos, "a list can stand in an initialiser only")
	case *Deadlock:
		if !c.query {
			c.errorf(e.Pos, "deadlock can stand in a query only")
		}
		return Bool{}
	case *Stuck:
		if !c.query {
			c.errorf(e.Pos, "stuck can stand in a query only")
			return nil
		}
		if e.Process == nil {
			c.errorf(e.Pos, "the argument of stuck is missing")
		} else if !c.process(e.Process) {
			c.errorf(e.Process.Position(), "the argument of stuck must be a process")
		}
		return Bool{}
	default:
		c.errorf(Pos{}, "unknown expression %T", e)
	}
	return nil
}

func (c *checker) wantIntegral(e Expr, t Type, op string) bool {
	if integral(t) {
		return true
	}
	c.errorf(e.Position(), "operator %s needs integers or booleans, found %v", op, t)
	return false
}

func (c *checker) ident(e *Ident) Type {
	switch o := c.scope.lookup(e.Name).(type) {
	case *Var:
		c.info.Uses[e] = o
		if c.fn != nil && (o.Kind == GlobalVar || o.Kind == LocalVar || o.Kind == ParamVar) {
			c.fn.use(o)
		}
		return o.Type
	case nil:
		if doubleNames[e.Name] {
			c.errorf(e.Pos, "%s is a floating-point number, which is not supported", e.Name)
		} else {
			c.errorf(e.Pos, "unknown identifier %s", e.Name)
		}
	case *TypeName:
		c.errorf(e.Pos, "%s is a type, a value is expected", e.Name)
	case *Func:
		c.errorf(e.Pos, "function %s is not called", e.Name)
	case *Location:
		c.errorf(e.Pos, "location %s cannot be used in an expression of the model", e.Name)
	default:
		c.errorf(e.Pos, "%s is a template or process, a value is expected", e.Name)
	}
	return nil
}

func (c *checker) binary(e *Binary) Type {
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
	t := c.expr(left)
	for i := len(chain) - 1; i >= 0; i-- {
		b := chain[i]
		t = c.operate(b, t, c.expr(b.Y))
		if t != nil && i > 0 {
			c.info.Types[b] = t
		}
	}
	return t
}

// operate gives the type of a binary operation on two types.
func (c *checker) operate(e *Binary, x, y Type) Type {
	if binaryPrec[e.Op] == 0 {
		c.errorf(e.Pos, "unknown operator %q", e.Op)
		return nil
	}
	if x == nil || y == nil {
		return nil
	}
	if e.Op == OpEq || e.Op == OpNe {
		if integral(x) && integral(y) || equivalent(x, y) && x != (Void{}) {
			return Bool{}
		}
		c.errorf(e.Pos, "%v and %v cannot be compared", x, y)
		return nil
	}
	if !c.wantIntegral(e.X, x, string(e.Op)) || !c.wantIntegral(e.Y, y, string(e.Op)) {
		return nil
	}
	switch e.Op {
	case OpLt, OpLe, OpGe, OpGt, OpAnd, OpOr, OpXor, OpImply:
		return Bool{}
	}
	return fullInt
}

func (c *checker) cond(e *Cond) Type {
	c.condition(e.If, "a condition")
	x, y := c.expr(e.Then), c.expr(e.Else)
	switch {
	case x == nil || y == nil:
		return nil
	case x == (Bool{}) && y == (Bool{}):
		return Bool{}
	case integral(x) && integral(y):
		return fullInt
	case equivalent(x, y) && x != (Void{}):
		return x
	}
	c.errorf(e.Position(), "the branches of the conditional have the types %v and %v", x, y)
	return nil
}

func (c *checker) index(e *Index) Type {
	x, i := c.expr(e.X), c.expr(e.I)
	if x == nil || i == nil {
		return nil
	}
	a, ok := x.(*Array)
	switch {
	case !ok:
		c.errorf(e.X.Position(), "array expected, found %v", x)
		return nil
	case a.Scalar != nil && i != Type(a.Scalar):
		c.errorf(e.I.Position(), "the index must have the type %v, found %v", a.Scalar, i)
		return nil
	case a.Scalar == nil && !integral(i):
		c.errorf(e.I.Position(), "the index must be an integer, found %v", i)
		return nil
	}
	return a.Elem
}

func (c *checker) field(e *Field) Type {
	if c.isProcess(e.X) {
		return c.member(e)
	}
	x := c.expr(e.X)
	if x == nil {
		return nil
	}
	s, ok := x.(*Struct)
	if !ok {
		c.errorf(e.X.Position(), "struct expected, found %v", x)
		return nil
	}
	_, t, ok := s.Field(e.Name)
	if !ok {
		c.errorf(e.Pos, "the struct has no field %s", e.Name)
		return nil
	}
	return t
}

func (c *checker) assign(e *Assign) Type {
	l, r := c.expr(e.L), c.expr(e.R)
	ok := c.change(e.L, e.Op)
	if l == nil || r == nil || !ok {
		return nil
	}
	_, isInt := l.(Int)
	switch {
	case !assignOps[e.Op]:
		c.errorf(e.Pos, "unknown assignment operator %q", e.Op)
	case e.Op == "=":
		if !assignable(l, r) {
			c.errorf(e.Pos, "%v cannot be assigned to %v", r, l)
		}
	case e.Op == "+=" && !isInt:
		c.errorf(e.Pos, "operator %s needs an integer variable, found %v", e.Op, l)
	case !integral(l) || !integral(r):
		c.errorf(e.Pos, "operator %s needs integers, found %v and %v", e.Op, l, r)
	}
	return l
}

// roots gives the variables that an lvalue may be a part of: several for a
// conditional. It gives nil if the expression is no lvalue.
func (c *checker) roots(e Expr) []*Var {
	switch e := e.(type) {
	case *Index:
		return c.roots(e.X)
	case *Field:
		if v, ok := c.info.Members[e].(*Var); ok {
			return []*Var{v}
		} else if c.info.Members[e] != nil {
			return nil
		}
		return c.roots(e.X)
	case *Ident:
		if v, ok := c.info.Uses[e].(*Var); ok {
			return []*Var{v}
		}
	case *Assign:
		return c.roots(e.L)
	case *IncDec:
		if e.Prefix {
			return c.roots(e.X)
		}
	case *Cond:
		x, y := c.roots(e.Then), c.roots(e.Else)
		if x != nil && y != nil && equivalent(c.info.Types[e.Then], c.info.Types[e.Else]) {
			return append(x[:len(x):len(x)], y...)
		}
	}
	return nil
}

// variableType is the type of the variable that an lvalue of type t is: the values of
// assignments and conditionals have the range of no variable.
func (c *checker) variableType(e Expr, t Type) Type {
	typ := func(e Expr) Type { return c.variableType(e, c.info.Types[e]) }
	switch e := e.(type) {
	case *Assign:
		return typ(e.L)
	case *IncDec:
		return typ(e.X)
	case *Cond:
		if then := typ(e.Then); identical(then, typ(e.Else)) {
			return then
		}
	}
	return t
}

// change notes that an operator changes an lvalue and reports whether it may.
func (c *checker) change(e Expr, op string) bool {
	roots := c.roots(e)
	if roots == nil {
		if c.info.Types[e] != nil {
			c.errorf(e.Position(), "the operand of %s must be a variable", op)
		}
		return false
	}
	for _, v := range roots {
		switch {
		case v.Const:
			c.errorf(e.Position(), "%s is constant", v.Name)
			return false
		case c.pure != "":
			c.errorf(e.Position(), "%s must have no side effects, but %s changes %s", c.pure, op, v.Name)
			return false
		}
		c.noteChange(v)
	}
	return true
}

// noteChange records for the current function that it changes v.
func (c *checker) noteChange(v *Var) {
	if c.fn == nil {
		return
	}
	switch {
	case v.Kind == FuncParam && v.Ref:
		c.fn.refs[v] = true
	case v.Kind == FuncParam || v.Kind == FuncLocal:
	default:
		c.fn.outer = true
	}
}

func (c *checker) quant(e *Quant) Type {
	var t Type
	c.inScope(func() {
		c.bind(e.Bind)
		c.inPure("the body of a quantifier", func() { t = c.expr(e.Body) })
	})
	if t == nil {
		return nil
	}
	if !integral(t) {
		c.errorf(e.Body.Position(), "the body of a quantifier must be a boolean or an integer, found %v", t)
		return nil
	}
	if e.Kind == Sum {
		return fullInt
	}
	return Bool{}
}

func (c *checker) call(e *Call) Type {
	if e.Fun == nil {
		c.errorf(e.Pos, "the name of the called function is missing")
		return nil
	}
	args := make([]Type, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.expr(a)
	}
	var o Object
	if e.Process != nil {
		if !c.process(e.Process) {
			c.errorf(e.Pos, "only the functions of a process can be called by a member")
			return nil
		}
		set := c.setOf(e.Process)
		if set == nil {
			return nil // reported
		}
		f := c.info.Function(set.Processes[0].Template, e.Fun.Name)
		if f == nil {
			c.errorf(e.Fun.Pos, "process %s has no function %s", processName(e.Process).Name, e.Fun.Name)
			return nil
		}
		o = f
	} else {
		o = c.scope.lookup(e.Fun.Name)
	}
	f, ok := o.(*Func)
	switch {
	case o == nil:
		c.errorf(e.Pos, "unknown function %s", e.Fun.Name)
		return nil
	case !ok:
		c.errorf(e.Pos, "%s is not a function", e.Fun.Name)
		return nil
	}
	c.info.Uses[e.Fun] = f
	if c.fn != nil && c.fn.fn == f {
		c.errorf(e.Pos, "function %s calls itself: recursion is not allowed", e.Fun.Name)
		return f.Result
	}
	if len(args) != len(f.Params) {
		c.errorf(e.Pos, "function %s takes %d arguments, found %d", e.Fun.Name, len(f.Params), len(args))
		return f.Result
	}
	for i, p := range f.Params {
		c.argument(p, e.Args[i], args[i], f.effects.refs[p])
	}
	if c.fn != nil {
		for _, v := range f.reads {
			c.fn.use(v)
		}
	}
	if f.effects.outer {
		if c.pure != "" {
			c.errorf(e.Pos, "%s must have no side effects, but function %s has", c.pure, e.Fun.Name)
		}
		if c.fn != nil {
			c.fn.outer = true
		}
	}
	return f.Result
}

// argument checks an argument for a parameter. changed says that the parameter
// is a reference through which the callee changes the argument.
func (c *checker) argument(p *Var, e Expr, t Type, changed bool) {
	if t == nil || p.Type == nil {
		return
	}
	roots := c.roots(e)
	if !p.Ref || p.Const && !modifiable(roots) {
		if !assignable(p.Type, t) {
			c.errorf(e.Position(), "%v cannot be passed for parameter %s of type %v", t, p.Name, p.Type)
		}
		return
	}
	switch {
	case roots == nil:
		c.errorf(e.Position(), "reference parameter %s needs a variable", p.Name)
		return
	case !p.Const && !modifiable(roots): // the type of a constant is not what is wrong: see below
	case !refCompatible(p, c.variableType(e, t)):
		c.errorf(e.Position(), "reference parameter %s has the type %v, not %v", p.Name, p.Type, t)
		return
	}
	for _, v := range roots {
		switch {
		case v.Const && !p.Const:
			c.errorf(e.Position(), "reference parameter %s could change the constant %s", p.Name, v.Name)
		case changed:
			if c.pure != "" {
				c.errorf(e.Position(), "%s must have no side effects, but the call changes %s", c.pure, v.Name)
			}
			c.noteChange(v)
		}
	}
}

// modifiable reports whether an lvalue with these roots can be changed.
func modifiable(roots []*Var) bool {
	for _, v := range roots {
		if v.Const {
			return false
		}
	}
	return roots != nil
}

// refCompatible reports whether a variable of type t can be referred to by a
// parameter.
func refCompatible(p *Var, t Type) bool {
	a, ok := p.Type.(Chan)
	b, ok2 := t.(Chan)
	switch {
	case ok && ok2:
		return a.capability() <= b.capability()
	case p.Const:
		return equivalent(p.Type, t)
	}
	return identical(p.Type, t)
}

// capability orders channels by what they can be used for. A parameter takes
// channels that can do as much as it, or more.
func (t Chan) capability() int {
	switch {
	case t.Urgent:
		return 0
	case t.Broadcast:
		return 1
	}
	return 2
}
