package uppaal

// This file checks types, declarations and functions.

// prefixes of a type, other than those that are part of it.
type prefixes struct{ constant, meta bool }

// typeExpr resolves a type as written. It gives nil after an error.
func (c *checker) typeExpr(t *TypeExpr) (Type, prefixes) {
	if t == nil {
		c.errorf(Pos{}, "a type is missing")
		return nil, prefixes{}
	}
	pre := prefixes{t.Const, t.Meta}
	var typ Type
	switch t.Kind {
	case VoidType:
		typ = Void{}
	case BoolType:
		typ = Bool{}
	case IntType:
		typ = Int{-32768, 32767}
		if t.Const {
			typ = fullInt // a constant has no range of its own
		}
	case RangeType:
		lo, ok1 := c.constant(t.Lo, "the bound of a range")
		hi, ok2 := c.constant(t.Hi, "the bound of a range")
		if !ok1 || !ok2 {
			return nil, pre
		}
		for _, e := range []Expr{t.Lo, t.Hi} {
			if c.info.Types[e] == (Bool{}) {
				c.errorf(e.Position(), "the bound of a range must be an integer, found bool")
				return nil, pre
			}
		}
		if lo > hi {
			c.errorf(t.Pos, "the range [%d,%d] is empty", lo, hi)
			return nil, pre
		}
		typ = Int{lo, hi}
	case ChanType:
		typ = Chan{}
	case ClockType:
		c.errorf(t.Pos, "clocks are not supported")
	case DoubleType:
		c.errorf(t.Pos, "floating-point numbers are not supported")
	case StringType:
		c.errorf(t.Pos, "strings are not supported")
	case ScalarType:
		n, ok := c.constant(t.Size, "the size of a scalar set")
		if !ok {
			return nil, pre
		}
		if n < 1 {
			c.errorf(t.Pos, "the size of a scalar set must be positive")
			return nil, pre
		}
		typ = &Scalar{Size: n}
	case StructType:
		typ = c.structType(t)
	case NamedType:
		typ = c.namedType(t, &pre)
	}
	if t.Urgent || t.Broadcast {
		typ = c.chanPrefix(t, typ)
	}
	if pre.constant || pre.meta {
		if hasChan(typ) {
			c.errorf(t.Pos, "a channel cannot be const or meta")
		}
	}
	return typ, pre
}

func (c *checker) namedType(t *TypeExpr, pre *prefixes) Type {
	switch o := c.scope.lookup(t.Name).(type) {
	case *TypeName:
		pre.constant = pre.constant || o.constant
		pre.meta = pre.meta || o.meta
		return o.Type
	case nil:
		c.errorf(t.Pos, "unknown type %s", t.Name)
	default:
		c.errorf(t.Pos, "%s is not a type", t.Name)
	}
	return nil
}

// chanPrefix adds urgent and broadcast to a channel type.
func (c *checker) chanPrefix(t *TypeExpr, typ Type) Type {
	switch u := typ.(type) {
	case nil:
		return nil
	case Chan:
		return Chan{u.Urgent || t.Urgent, u.Broadcast || t.Broadcast}
	case *Array:
		if hasChan(u) {
			a := *u
			a.Elem = c.chanPrefix(t, u.Elem)
			return &a
		}
	}
	c.errorf(t.Pos, "only channels can be urgent or broadcast")
	return typ
}

func (c *checker) structType(t *TypeExpr) Type {
	s := &Struct{}
	names := map[string]bool{}
	ok := true
	for _, f := range t.Fields {
		typ, pre := c.declared(f.Type, f.Dims, f.Pos)
		if names[f.Name] {
			c.errorf(f.Pos, "duplicate field %s", f.Name)
		}
		if !IsName(f.Name) {
			c.errorf(f.Pos, "%q cannot be the name of a field", f.Name)
		}
		names[f.Name] = true
		switch {
		case typ == nil:
			ok = false
		case hasChan(typ):
			c.errorf(f.Pos, "a struct cannot hold channels")
			ok = false
		case pre.constant || pre.meta:
			c.errorf(f.Pos, "a field cannot be const or meta")
		}
		s.Fields = append(s.Fields, FieldType{f.Name, typ})
	}
	if len(t.Fields) == 0 {
		c.errorf(t.Pos, "a struct needs a field")
		ok = false
	}
	if !ok {
		return nil
	}
	// The fields are bounded, so that this ends soon.
	if Size(s) > maxCells {
		c.errorf(t.Pos, "the struct has more than %d cells", maxCells)
		return nil
	}
	return s
}

// declared resolves the type of a declared name: the type with the dimensions
// behind the name.
func (c *checker) declared(t *TypeExpr, dims []*Dim, pos Pos) (Type, prefixes) {
	typ, pre := c.typeExpr(t)
	if _, void := typ.(Void); void {
		c.errorf(pos, "a variable cannot be void")
		typ = nil
	}
	for i := len(dims) - 1; i >= 0; i-- {
		a := c.dim(dims[i])
		if a == nil || typ == nil {
			typ = nil
			continue
		}
		a.Elem = typ
		if int64(a.Hi)-int64(a.Lo)+1 > maxCells || a.Len()*Size(typ) > maxCells {
			c.errorf(dims[i].Pos, "the array has more than %d elements", maxCells)
			typ = nil
			continue
		}
		typ = a
	}
	return typ, pre
}

// dim gives an array type without its element type.
func (c *checker) dim(d *Dim) *Array {
	defer func(outer bool) { c.restricting = outer }(c.restricting)
	c.restricting = true
	t := d.Type
	if id, ok := d.Size.(*Ident); ok && t == nil {
		if o, ok := c.scope.lookup(id.Name).(*TypeName); ok {
			c.info.Uses[id] = o
			t = &TypeExpr{Pos: id.Pos, Kind: NamedType, Name: id.Name}
		}
	}
	if t == nil {
		n, ok := c.constant(d.Size, "the size of an array")
		if !ok {
			return nil
		}
		if n < 1 {
			c.errorf(d.Pos, "the size of an array must be positive, not %d", n)
			return nil
		}
		return &Array{Lo: 0, Hi: n - 1}
	}
	typ, _ := c.typeExpr(t)
	switch typ := typ.(type) {
	case nil:
	case Int:
		return &Array{Lo: typ.Lo, Hi: typ.Hi}
	case *Scalar:
		return &Array{Lo: 0, Hi: typ.Size - 1, Scalar: typ}
	default:
		c.errorf(d.Pos, "an array is indexed by a bounded integer or scalar type, not %v", typ)
	}
	return nil
}

// depends notes the parameters of the template that an expression depends on.
func (c *checker) depends(e Expr) {
	var visit func(e Expr)
	seen := map[*Var]bool{}
	use := func(v *Var) {
		switch {
		case seen[v] || v.Template == nil || v.Template != c.template || v.Value != nil || v.Kind == BoundVar:
		case v.Kind == ParamVar:
			c.params[v] = true
			c.restricted[v] = c.restricted[v] || c.restricting
		case v.Kind == LocalVar && v.Const && v.Init != nil:
			seen[v] = true
			visit(v.Init)
		}
	}
	visit = func(e Expr) {
		Inspect(e, func(e Expr) {
			switch e := e.(type) {
			case *Ident:
				if v, ok := c.info.Uses[e].(*Var); ok {
					use(v)
				}
			case *Call:
				if f, ok := c.info.Uses[e.Fun].(*Func); ok {
					for _, v := range f.reads {
						use(v)
					}
				}
			}
		})
	}
	visit(e)
}

// constant checks and computes an integer that must be known at compile time.
// In a template that is checked for itself, one that depends on a parameter is
// noted and taken as 1.
func (c *checker) constant(e Expr, what string) (int32, bool) {
	if e == nil {
		c.errorf(Pos{}, "%s is missing", what)
		return 0, false
	}
	var t Type
	c.inPure(what, func() { t = c.expr(e) })
	if t == nil {
		return 0, false
	}
	if !integral(t) {
		c.errorf(e.Position(), "%s must be an integer, found %v", what, t)
		return 0, false
	}
	ev := c.evaluator(nil)
	n, no := ev.int(e)
	if no == nil {
		return n, true
	}
	if no.param != nil && c.template != nil && no.param.Template == c.template {
		c.depends(e)
		return 1, true
	}
	c.errorf(e.Position(), "%s is not a compile-time constant: %s", what, no.msg)
	return 0, false
}

func (c *checker) decls(ds []Decl) {
	for _, d := range ds {
		c.decl(d)
	}
}

func (c *checker) decl(d Decl) {
	switch d := d.(type) {
	case *VarDecl:
		c.varDecl(d)
	case *TypedefDecl:
		typ, pre := c.declared(d.Type, d.Dims, d.Pos)
		if s, ok := typ.(*Scalar); ok && s.Name == "" {
			s.Name = d.Name
		}
		if oneLetter[d.Name] {
			c.errorf(d.Pos, "%s cannot be the name of a type", d.Name)
		}
		c.declare(d.Pos, d.Name, &TypeName{d.Name, typ, pre.constant, pre.meta})
	case *FuncDecl:
		c.funcDecl(d)
	case *InstanceDecl:
		c.errorf(d.Pos, "processes are instantiated in the system section only")
	case *ChanPriority:
		c.chanPriority(d)
	case *AroundUpdate:
		c.aroundUpdate(d)
	default:
		c.errorf(Pos{}, "unknown declaration %T", d)
	}
}

// oneLetter are names with a meaning in queries that cannot be types.
var oneLetter = wordSet("A E M R U W X")

func (c *checker) varDecl(d *VarDecl) {
	typ, pre := c.declared(d.Type, d.Dims, d.Pos)
	v := &Var{Pos: d.Pos, Name: d.Name, Type: typ, Const: pre.constant, Meta: pre.meta, Init: d.Init, Template: c.template}
	switch {
	case c.fn != nil:
		v.Kind = FuncLocal
		c.fn.fn.Locals = append(c.fn.fn.Locals, v)
		if hasChan(typ) {
			c.errorf(d.Pos, "a channel cannot be declared in a function")
		}
	case c.template != nil:
		v.Kind = LocalVar
		c.info.Locals[c.template] = append(c.info.Locals[c.template], v)
	default:
		c.info.Globals = append(c.info.Globals, v)
	}
	c.info.Defs[d] = v
	switch {
	case d.Init != nil:
		if hasChan(typ) {
			c.errorf(d.Pos, "a channel has no initial value")
			break
		}
		if c.fn != nil {
			c.inPure("an initialiser", func() { c.initialiser(typ, d.Init) })
			break
		}
		n := c.errs.adds
		c.inPure("an initialiser", func() { c.initialiser(typ, d.Init) })
		if typ != nil && c.errs.adds == n {
			c.initialValue(v)
		}
	case v.Const && typ != nil && !hasChan(typ):
		c.errorf(d.Pos, "constant %s has no value", d.Name)
	}
	c.declare(d.Pos, d.Name, v)
}

// initialValue demands that the initial value of a variable of the network or
// of a template is known at compile time, up to parameters of the template.
func (c *checker) initialValue(v *Var) {
	ev := c.evaluator(nil)
	value, no := ev.init(v.Type, v.Init)
	switch {
	case no == nil:
		if v.Const {
			v.Value = value
		}
	case c.template == nil || !c.fromParams(v.Init):
		c.errorf(no.pos, "the initial value of %s is not a compile-time constant: %s", v.Name, no.msg)
	}
}

// fromParams reports whether an initialiser uses, besides constants, only
// parameters by value of the template and constants made of them.
func (c *checker) fromParams(e Expr) bool {
	params, other := false, false
	use := func(v *Var) {
		switch {
		case v.Value != nil || v.Kind == BoundVar:
		case v.Template == c.template && (v.Kind == ParamVar && (v.Const || !v.Ref) || v.Kind == LocalVar && v.Const):
			params = true
		default:
			other = true
		}
	}
	Inspect(e, func(e Expr) {
		switch e := e.(type) {
		case *Ident:
			if v, ok := c.info.Uses[e].(*Var); ok {
				use(v)
			}
		case *Call:
			f, ok := c.info.Uses[e.Fun].(*Func)
			if !ok {
				other = true
				break
			}
			for _, v := range f.reads {
				use(v)
			}
		}
	})
	return params && !other
}

// Inspect calls f for an expression and every expression in it, the outer one
// first. Types of quantified variables are not visited.
func Inspect(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	f(e)
	switch e := e.(type) {
	case *Unary:
		Inspect(e.X, f)
	case *Binary:
		Inspect(e.X, f)
		Inspect(e.Y, f)
	case *Cond:
		Inspect(e.If, f)
		Inspect(e.Then, f)
		Inspect(e.Else, f)
	case *Index:
		Inspect(e.X, f)
		Inspect(e.I, f)
	case *Field:
		Inspect(e.X, f)
	case *Call:
		if e.Process != nil {
			Inspect(e.Process, f)
		}
		for _, a := range e.Args {
			Inspect(a, f)
		}
	case *Assign:
		Inspect(e.L, f)
		Inspect(e.R, f)
	case *IncDec:
		Inspect(e.X, f)
	case *Comma:
		Inspect(e.X, f)
		Inspect(e.Y, f)
	case *Quant:
		Inspect(e.Body, f)
	case *InitList:
		for _, x := range e.Elems {
			Inspect(x, f)
		}
	case *Stuck:
		Inspect(e.Process, f)
	}
}

// initialiser checks an initialiser against a type; a nil type checks the
// parts only.
func (c *checker) initialiser(t Type, e Expr) {
	l, ok := e.(*InitList)
	if !ok {
		src := c.expr(e)
		if t != nil && src != nil && !assignable(t, src) {
			c.errorf(e.Position(), "%v cannot initialise %v", src, t)
		}
		return
	}
	c.info.Types[l] = t
	if l.Names != nil && len(l.Names) != len(l.Elems) {
		c.errorf(l.Pos, "the initialiser has %d names for %d elements", len(l.Names), len(l.Elems))
		return
	}
	switch t := t.(type) {
	case nil:
		for _, x := range l.Elems {
			c.initialiser(nil, x)
		}
	case *Array:
		if l.Names != nil {
			c.errorf(l.Pos, "the elements of an array have no names")
		}
		if len(l.Elems) != t.Len() {
			c.errorf(l.Pos, "the initialiser has %d elements for an array of %d", len(l.Elems), t.Len())
		}
		for _, x := range l.Elems {
			c.initialiser(t.Elem, x)
		}
	case *Struct:
		c.structInit(t, l)
	default:
		c.errorf(l.Pos, "a list cannot initialise %v", t)
	}
}

func (c *checker) structInit(t *Struct, l *InitList) {
	if len(l.Elems) != len(t.Fields) {
		c.errorf(l.Pos, "the initialiser has %d elements for a struct of %d fields", len(l.Elems), len(t.Fields))
	}
	seen := make([]bool, len(t.Fields))
	at := 0
	for i, x := range l.Elems {
		if l.Names != nil && l.Names[i] != "" {
			if at = t.index(l.Names[i]); at < 0 {
				c.errorf(x.Position(), "the struct has no field %s", l.Names[i])
			}
		}
		var typ Type
		switch {
		case at < 0:
			c.initialiser(nil, x)
			return // where the elements that follow belong is unknown
		case at >= len(seen):
			c.errorf(x.Position(), "there is no field for this element")
		default:
			if seen[at] {
				c.errorf(x.Position(), "field %s is initialised twice", t.Fields[at].Name)
			}
			seen[at] = true
			typ = t.Fields[at].Type
		}
		c.initialiser(typ, x)
		at++
	}
}

func (c *checker) aroundUpdate(d *AroundUpdate) {
	list, word := &c.info.Before, "before_update"
	if d.After {
		list, word = &c.info.After, "after_update"
	}
	if c.template != nil {
		c.errorf(d.Pos, "%s is declared globally", word)
		return
	}
	if len(*list) > 0 {
		c.errorf(d.Pos, "%s is declared twice", word)
		return
	}
	*list = d.X
	for _, e := range d.X {
		c.effect(e)
	}
}

// effect checks an expression that stands for what it does: an update, a
// statement, or a part of a for statement.
func (c *checker) effect(e Expr) {
	if t := c.expr(e); hasChan(t) {
		c.errorf(e.Position(), "a channel does nothing")
	}
}

func (c *checker) chanPriority(d *ChanPriority) {
	if c.template != nil {
		c.errorf(d.Pos, "channel priorities are declared globally")
		return
	}
	if c.info.Priorities != nil {
		c.errorf(d.Pos, "channel priorities are declared twice")
		return
	}
	c.info.Priorities = d
	defaults := 0
	for _, g := range d.Groups {
		for _, e := range g {
			if e == nil {
				if defaults++; defaults == 2 {
					c.errorf(d.Pos, "default occurs twice in the channel priorities")
				}
				continue
			}
			c.inPure("a channel priority", func() {
				if t := c.expr(e); t != nil && !hasChan(t) {
					c.errorf(e.Position(), "channel expected, found %v", t)
				}
				c.constIndices(e)
			})
		}
	}
}

// constIndices demands that the indices of an lvalue are constants in range.
func (c *checker) constIndices(e Expr) {
	for {
		x, ok := e.(*Index)
		if !ok {
			return
		}
		ev := c.evaluator(nil)
		i, no := ev.int(x.I)
		a, _ := c.info.Types[x.X].(*Array)
		switch {
		case no != nil:
			c.errorf(x.I.Position(), "the index is not a compile-time constant: %s", no.msg)
		case a != nil && (i < a.Lo || i > a.Hi):
			c.errorf(x.I.Position(), "index %d is out of range [%d,%d]", i, a.Lo, a.Hi)
		}
		e = x.X
	}
}

// ---- functions ----

// funcState is what is known about the function being checked.
type funcState struct {
	fn   *Func
	uses map[*Var]bool
	effects
}

// use notes that the function uses a variable from outside.
func (s *funcState) use(v *Var) {
	if !s.uses[v] {
		s.uses[v] = true
		s.fn.reads = append(s.fn.reads, v)
	}
}

// effects are what a call of a function changes.
type effects struct {
	outer bool          // variables outside the function
	refs  map[*Var]bool // arguments of these reference parameters
}

// param checks and declares a parameter.
func (c *checker) param(p *Param, kind VarKind) *Var {
	typ, pre := c.declared(p.Type, p.Dims, p.Pos)
	v := &Var{Pos: p.Pos, Name: p.Name, Kind: kind, Type: typ, Const: pre.constant, Ref: p.Ref, Template: c.template}
	if hasChan(typ) && !p.Ref {
		c.errorf(p.Pos, "channel parameter %s must be a reference", p.Name)
	}
	if pre.meta {
		c.errorf(p.Pos, "a parameter cannot be meta")
	}
	c.info.Defs[p] = v
	c.declare(p.Pos, p.Name, v)
	return v
}

func (c *checker) funcDecl(d *FuncDecl) {
	f := &Func{Decl: d, Template: c.template}
	result, pre := c.typeExpr(d.Result)
	if hasChan(result) {
		c.errorf(d.Pos, "function %s cannot return a channel", d.Name)
		result = nil
	}
	if holdsArray(result) {
		c.errorf(d.Pos, "function %s cannot return an array or a struct that holds one", d.Name)
		result = nil
	}
	if pre.meta {
		c.errorf(d.Pos, "a result cannot be meta")
	}
	f.Result = result
	c.info.Funcs[d] = f
	c.declare(d.Pos, d.Name, f)
	c.fn = &funcState{f, map[*Var]bool{}, effects{refs: map[*Var]bool{}}}
	c.inScope(func() {
		for _, p := range d.Params {
			f.Params = append(f.Params, c.param(p, FuncParam))
		}
		if d.Body == nil {
			c.errorf(d.Pos, "function %s has no body", d.Name)
			return
		}
		// Parameters and the outermost locals share a scope.
		c.blockBody(d.Body)
	})
	f.declared = true
	f.effects = c.fn.effects
	f.Pure = !c.fn.outer && len(c.fn.refs) == 0
	c.fn = nil
	if _, void := result.(Void); !void && d.Body != nil && !returns(d.Body) {
		c.errorf(d.Pos, "return statement expected at the end of function %s", d.Name)
	}
}

// holdsArray reports whether a type is an array or a struct with one in it.
func holdsArray(t Type) bool {
	switch t := t.(type) {
	case *Array:
		return true
	case *Struct:
		for _, f := range t.Fields {
			if holdsArray(f.Type) {
				return true
			}
		}
	}
	return false
}

// returns reports whether a statement ends in a return on the paths that can
// be seen.
func returns(s Stmt) bool {
	switch s := s.(type) {
	case *ReturnStmt:
		return true
	case *Block:
		return len(s.Stmts) > 0 && returns(s.Stmts[len(s.Stmts)-1])
	case *IfStmt:
		return s.Else != nil && returns(s.Then) && returns(s.Else)
	}
	return false
}

func (c *checker) blockBody(b *Block) {
	for _, d := range b.Decls {
		switch d.(type) {
		case *VarDecl, *TypedefDecl:
			c.decl(d)
		default:
			c.errorf(b.Pos, "a function can declare variables and types only")
		}
	}
	for _, s := range b.Stmts {
		c.stmt(s)
	}
}

func (c *checker) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		c.inScope(func() { c.blockBody(s) })
	case *ExprStmt:
		if s.X != nil {
			c.effect(s.X)
		}
	case *IfStmt:
		c.condition(s.Cond, "a condition")
		c.stmt(s.Then)
		if s.Else != nil {
			c.stmt(s.Else)
		}
	case *WhileStmt:
		c.condition(s.Cond, "a condition")
		c.stmt(s.Body)
	case *ForStmt:
		if s.Init != nil {
			c.effect(s.Init)
		}
		if s.Cond != nil {
			c.condition(s.Cond, "a condition")
		}
		if s.Post != nil {
			c.effect(s.Post)
		}
		c.stmt(s.Body)
	case *RangeStmt:
		c.inScope(func() {
			v := c.bind(s.Bind)
			c.fn.fn.Locals = append(c.fn.fn.Locals, v)
			c.stmt(s.Body)
		})
	case *ReturnStmt:
		c.returnStmt(s)
	case *AssertStmt:
		c.inPure("an assertion", func() { c.condition(s.X, "an assertion") })
	default:
		c.errorf(Pos{}, "unknown statement %T", s)
	}
}

func (c *checker) returnStmt(s *ReturnStmt) {
	want := c.fn.fn.Result
	_, void := want.(Void)
	if s.X == nil {
		if !void {
			c.errorf(s.Pos, "function %s must return a value", c.fn.fn.Decl.Name)
		}
		return
	}
	t := c.expr(s.X)
	switch {
	case void:
		c.errorf(s.Pos, "function %s returns nothing", c.fn.fn.Decl.Name)
	case t != nil && want != nil && !assignable(want, t):
		c.errorf(s.X.Position(), "function %s returns %v, not %v", c.fn.fn.Decl.Name, want, t)
	}
}
