package parse

import (
	"go/ast"
	"go/token"
	"go/types"
)

// memory are the places of a file where memory is touched that goroutines may
// share, and the calls of functions that may synchronise out of sight.
type memory struct {
	pkg    *types.Package
	info   *types.Info
	own    map[string]bool // paths of the instrumented packages
	plain  map[string]*plainPackage
	shared map[*types.Var]bool
	// private are local variables of slices whose elements nobody else has.
	private map[*types.Var]bool

	// reads are variables, elements and what pointers point to, maps the
	// operands of indexing and ranging, whose value is read.
	reads, maps map[ast.Expr]bool
	// copied are pointers whose method takes a copy of what they point to; of those that are
	// also operands of a call, pointed are passed on. fieldsCopied are operands whose embedded
	// field a method takes a copy of, with the fields that lead to it.
	copied, pointed map[ast.Expr]bool
	fieldsCopied    map[ast.Expr][]*types.Var
	// dynamic are what is in an interface, with the method that is called: it takes a copy of
	// what is pointed to, perhaps.
	dynamic map[ast.Expr]string
	// elements are slices whose elements are read.
	elements map[ast.Expr]bool
	// results are those of the function around the node that is looked at; bodies and returned
	// say which ones the body of a function has, and a statement returns.
	results  *namedResults
	bodies   map[*ast.BlockStmt]*namedResults
	returned map[*ast.ReturnStmt]*namedResults
	// mapWrites are maps whose method writes them.
	mapWrites map[ast.Expr]bool
	// uses are the receivers, or pointers to them, of methods of types that their
	// packages document for one goroutine at a time; the value says that they may change them.
	uses map[ast.Expr]bool
	// lengthRead are those of them whose length a method is certain to read.
	lengthRead map[ast.Expr]bool
	// promoted are the embedded fields that lead from such a receiver to the value that has
	// the method.
	promoted map[ast.Expr][]*types.Var
	// handed are arguments of functions that are not instrumented, which may read what they
	// refer to; the value says that they may write it.
	handed map[ast.Expr]bool
	// addressed are those of them whose address is given.
	addressed map[ast.Expr]bool
	// called are the functions of calls.
	called map[ast.Expr]bool
	// behind are those of which also what is behind them is read, with the function of the runtime that records it.
	behind map[ast.Expr]string
	// valueMethods are the names of methods of instrumented packages that take copies.
	valueMethods map[string]bool
	// unlocked are the types that unlocked names, of the packages that the program imports.
	unlocked []types.Type
	// plainCalls are those of plain packages, and those of such methods that are made later,
	// with what they use.
	plainCalls map[*ast.CallExpr][]ast.Expr
	// usedLater are those that are made later; the value says that they change something.
	usedLater map[*ast.CallExpr]bool
	// given are calls of functions that order nothing, with the arguments whose memory they
	// read or write.
	given map[*ast.CallExpr][]givenArg
	// calls of uninstrumented code, or perhaps; operands are those of which one decides.
	calls    map[*ast.CallExpr]callee
	operands map[*ast.CallExpr][]ast.Expr
	// loggers are calls of functions of package log, with the name of the package: its logger is an operand, too.
	loggers map[*ast.CallExpr]ast.Expr
	// promotedBy are the embedded fields, of the receiver of a call, whose method it calls.
	promotedBy map[*ast.CallExpr][]*types.Var
	// embedded are operands of selectors that follow embedded pointers, with the indices of
	// the fields that these are read from, one after the other.
	embedded map[ast.Expr][]int
	// reflected are operands of type reflect.Value, a method of which reads or writes memory; those
	// of reflectedRead are read by a function. reflectedBy are functions of package reflect that do,
	// with those of the runtime that record it.
	reflected, reflectedRead map[ast.Expr]bool
	reflectedBy              map[ast.Expr]string
	// hidden are reads that are not recorded, with the reason.
	hidden map[ast.Expr]string
}

// callee is what a call may call.
type callee uint8

const (
	library    callee = iota + 1 // uninstrumented code
	funcValue                    // a function value decides
	ifaceCall                    // what is in an interface decides
	forwarding                   // what is behind the operands decides
)

func findMemory(pkg *types.Package, info *types.Info, own map[string]bool, plain map[string]*plainPackage, unlocked []types.Type, valueMethods map[string]bool, f *ast.File) *memory {
	a := &memory{
		pkg: pkg, info: info, unlocked: unlocked, promoted: map[ast.Expr][]*types.Var{}, handed: map[ast.Expr]bool{}, addressed: map[ast.Expr]bool{}, called: map[ast.Expr]bool{}, behind: map[ast.Expr]string{}, mapWrites: map[ast.Expr]bool{}, own: own, plain: plain, plainCalls: map[*ast.CallExpr][]ast.Expr{}, usedLater: map[*ast.CallExpr]bool{}, given: map[*ast.CallExpr][]givenArg{}, shared: findShared(info, f), private: findPrivate(info, f),
		reads: map[ast.Expr]bool{}, maps: map[ast.Expr]bool{}, copied: map[ast.Expr]bool{}, uses: map[ast.Expr]bool{}, lengthRead: map[ast.Expr]bool{}, calls: map[*ast.CallExpr]callee{}, operands: map[*ast.CallExpr][]ast.Expr{}, loggers: map[*ast.CallExpr]ast.Expr{}, promotedBy: map[*ast.CallExpr][]*types.Var{}, embedded: map[ast.Expr][]int{}, hidden: map[ast.Expr]string{},
		pointed: map[ast.Expr]bool{}, fieldsCopied: map[ast.Expr][]*types.Var{}, dynamic: map[ast.Expr]string{}, elements: map[ast.Expr]bool{}, bodies: map[*ast.BlockStmt]*namedResults{}, returned: map[*ast.ReturnStmt]*namedResults{}, valueMethods: valueMethods,
		reflected: map[ast.Expr]bool{}, reflectedRead: map[ast.Expr]bool{}, reflectedBy: map[ast.Expr]string{},
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				a.function(d.Type, d.Body)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs { // an initialiser before may have started goroutines
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					a.values(v.Values)
				}
			}
		}
	}
	return a
}

// isShared reports whether goroutines may share the memory of an addressable
// expression.
func (a *memory) isShared(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := a.info.Uses[x].(*types.Var)
		return ok && a.variable(v)
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		m := a.info.Selections[x]
		if m == nil {
			v, ok := a.info.Uses[x.Sel].(*types.Var)
			return ok && a.variable(v)
		}
		return m.Indirect() || isPointer(a.info.TypeOf(x.X)) || a.isShared(x.X)
	case *ast.IndexExpr:
		if _, ok := a.info.TypeOf(x.X).Underlying().(*types.Array); ok {
			return a.isShared(x.X)
		}
		return !a.isPrivate(x.X)
	}
	return false
}

// isPrivate: a variable of a slice whose elements nobody else has.
func (a *memory) isPrivate(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := a.info.Uses[id].(*types.Var)
	return ok && a.private[v]
}

// variable: others may see the variable. The errors that libraries declare are
// never changed.
func (a *memory) variable(v *types.Var) bool {
	if v.Pkg() == nil || v.IsField() || v.Name() == "_" {
		return false
	}
	if isPackageVar(v) {
		return a.own[v.Pkg().Path()] || v.Type().String() != "error"
	}
	return a.shared[v]
}

// read marks an expression whose value is read.
func (a *memory) read(e ast.Expr) {
	if a.info.Types[e].Addressable() || isVar(a.info, e) {
		if a.isShared(e) {
			a.reads[e] = true
		}
	}
}

// isVar: a variable; those of other packages are recorded for their selector.
func isVar(info *types.Info, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		_, ok := info.Uses[x].(*types.Var)
		return ok
	case *ast.SelectorExpr:
		_, ok := info.Uses[x.Sel].(*types.Var)
		return ok && info.Selections[x] == nil
	}
	return false
}

func (a *memory) values(list []ast.Expr) {
	for _, e := range list {
		a.value(e)
	}
}

// value marks what is read for the value of an expression.
func (a *memory) value(e ast.Expr) {
	if e == nil {
		return
	}
	if tv, ok := a.info.Types[e]; ok && (tv.Value != nil || tv.IsType()) {
		return
	}
	switch x := e.(type) {
	case *ast.Ident:
		a.read(x)
		a.reflectedFunction(x, x)
	case *ast.ParenExpr:
		a.value(x.X)
	case *ast.SelectorExpr:
		m := a.info.Selections[x]
		switch {
		case m == nil:
			a.read(x)
			a.reflectedFunction(x, x.Sel)
		case m.Kind() == types.FieldVal:
			a.base(x.X)
			a.read(x)
			a.implicit(x, m, len(m.Index())-1)
		case m.Kind() == types.MethodVal:
			a.receiver(x, m)
			a.reflectedMethod(x, m)
			a.methodValue(x, m)
		case m.Kind() == types.MethodExpr:
			a.methodExpr(nil, x)
			a.reflectedMethod(x, m)
			a.methodValue(x, m)
		}
	case *ast.IndexExpr:
		a.index(x)
		a.read(x)
	case *ast.SliceExpr:
		if _, ok := a.info.TypeOf(x.X).Underlying().(*types.Array); ok {
			a.place(x.X)
		} else {
			a.value(x.X)
		}
		a.value(x.Low)
		a.value(x.High)
		a.value(x.Max)
	case *ast.StarExpr:
		a.value(x.X)
		a.read(x)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			a.place(x.X)
		} else {
			a.value(x.X)
		}
	case *ast.BinaryExpr:
		a.value(x.X)
		a.value(x.Y)
	case *ast.CallExpr:
		a.call(x)
	case *ast.TypeAssertExpr:
		a.value(x.X)
	case *ast.CompositeLit:
		_, isStruct := a.info.TypeOf(x).Underlying().(*types.Struct)
		for _, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if !isStruct {
					a.value(kv.Key)
				}
				elt = kv.Value
			}
			a.value(elt)
		}
	case *ast.FuncLit:
		a.function(x.Type, x.Body)
	}
}

// implicit notes the pointers that a selector follows silently.
func (a *memory) implicit(x *ast.SelectorExpr, m *types.Selection, n int) {
	t := m.Recv()
	for k, i := range m.Index()[:n] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		if t = s.Field(i).Type(); !isPointer(t) {
			continue
		}
		switch {
		case isPointer(a.info.TypeOf(x.X)), a.info.Types[x.X].Addressable() && a.isShared(x.X):
			a.embedded[x.X] = m.Index()[:k+1]
		case a.info.Types[x.X].Addressable(): // the first is nobody else's
			if k > 0 {
				a.embedded[x.X] = m.Index()[:k+1]
			}
		case k > 0:
			a.hidden[x] = "the embedded pointer " + s.Field(i).Name() + " is read without being recorded"
		}
	}
}

// base marks what is read to find the memory that a part of e lies in.
func (a *memory) base(e ast.Expr) {
	if isPointer(a.info.TypeOf(e)) || !a.info.Types[e].Addressable() && !isVar(a.info, e) {
		a.value(e)
		return
	}
	a.place(e)
}

// place marks what is read to find the memory of e, which is not read.
func (a *memory) place(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		a.place(x.X)
	case *ast.SelectorExpr:
		if m := a.info.Selections[x]; m != nil && m.Kind() == types.FieldVal {
			a.base(x.X)
			a.implicit(x, m, len(m.Index())-1)
		}
	case *ast.IndexExpr:
		a.index(x)
		delete(a.maps, x.X)
	case *ast.StarExpr:
		a.value(x.X)
	default:
		a.value(e)
	}
}

// index marks what is read by indexing, but for the element.
func (a *memory) index(x *ast.IndexExpr) {
	if _, ok := a.info.TypeOf(x.X).(*types.Signature); ok {
		a.value(x.X)
		return // an instantiation
	}
	switch t := a.info.TypeOf(x.X); t.Underlying().(type) {
	case *types.Array:
		a.base(x.X)
	case *types.Map:
		a.value(x.X)
		a.maps[x.X] = true
	default:
		a.value(x.X)
		switch {
		case !isTypeParam(t):
		case mapOf(t) != nil:
			a.hidden[x] = "the element of a map whose type is a type parameter is not recorded"
		case a.info.Types[x].Value == nil && !a.info.Types[x].Addressable():
			a.hidden[x] = "the element of a string or slice whose type is a type parameter is not recorded"
		}
	}
	a.value(x.Index)
}

// receiver marks what is read to bind a method.
func (a *memory) receiver(x *ast.SelectorExpr, m *types.Selection) {
	a.implicit(x, m, len(m.Index())-1)
	f, ok := m.Obj().(*types.Func)
	if !ok || types.IsInterface(f.Signature().Recv().Type()) {
		if len(m.Index()) > 1 {
			a.base(x.X)
			return
		}
		a.value(x.X)
		if ok && types.IsInterface(a.info.TypeOf(x.X)) && !isTypeParam(a.info.TypeOf(x.X)) && a.valueMethods[f.Name()] {
			a.dynamic[x.X] = f.Name()
		}
		return
	}
	if isPointer(f.Signature().Recv().Type()) {
		a.base(x.X)
		return
	}
	if len(m.Index()) > 1 {
		a.base(x.X)
		a.embeddedCopy(x, m)
		return
	}
	a.value(x.X)
	a.copied[x.X] = isPointer(a.info.TypeOf(x.X))
}

// embeddedCopy marks the embedded field that a method takes a copy of.
func (a *memory) embeddedCopy(x *ast.SelectorExpr, m *types.Selection) {
	shared := isPointer(m.Recv()) || a.info.Types[x.X].Addressable() && a.isShared(x.X)
	fields := a.fields(m)
	for _, f := range fields {
		shared = shared || isPointer(f.Type())
	}
	switch {
	case !shared:
	case len(fields) < len(m.Index())-1:
		a.hidden[x] = "the embedded value that a method takes a copy of is read without being recorded"
	default:
		a.fieldsCopied[x.X] = fields
	}
}

// methodExpr marks what a method takes a copy of that a method expression names by the type
// of a pointer.
func (a *memory) methodExpr(c *ast.CallExpr, x *ast.SelectorExpr) (is bool) {
	m := a.info.Selections[x]
	if m == nil || m.Kind() != types.MethodExpr || !isPointer(m.Recv()) {
		return false
	}
	f, ok := m.Obj().(*types.Func)
	if !ok || isPointer(f.Signature().Recv().Type()) || types.IsInterface(f.Signature().Recv().Type()) {
		return false
	}
	if c == nil || len(c.Args) == 0 || len(m.Index()) > 1 {
		a.hidden[x] = "what the method takes a copy of is read without being recorded"
	} else {
		a.pointed[c.Args[0]] = true
	}
	return true
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// readsElements: a conversion copies the elements of a slice.
func readsElements(from, to types.Type) bool {
	isSlice := func(t types.Type) bool {
		if p, ok := types.Unalias(t).(*types.TypeParam); ok {
			return !types.Identical(from, to) && mayBeSlice(p)
		}
		_, ok := t.Underlying().(*types.Slice)
		return ok
	}
	if !isSlice(from) {
		return false
	}
	if isTypeParam(to) {
		return true
	}
	switch t := to.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0
	case *types.Array:
		return true
	}
	return false
}

// mayBeSlice: a type of the type parameter may be a slice.
func mayBeSlice(p *types.TypeParam) bool {
	i := p.Constraint().Underlying().(*types.Interface)
	for k := range i.NumEmbeddeds() {
		switch t := i.EmbeddedType(k).Underlying().(type) {
		case *types.Slice:
			return true
		case *types.Union:
			for n := range t.Len() {
				if _, ok := t.Term(n).Type().Underlying().(*types.Slice); ok {
					return true
				}
			}
		case *types.Interface:
			return true // it is looked at when it runs
		}
	}
	return false
}

// call marks what a call reads, and whether it may synchronise.
func (a *memory) call(c *ast.CallExpr) {
	if tv := a.info.Types[c.Fun]; tv.IsType() {
		a.values(c.Args)
		if a.info.Types[c].Value == nil && a.info.Types[c.Args[0]].Type != nil && readsElements(a.info.TypeOf(c.Args[0]), tv.Type) {
			a.elements[c.Args[0]] = true
		}
		return
	}
	if b, ok := a.builtin(c.Fun); ok {
		a.builtinCall(c, b)
		return
	}
	a.called[ast.Unparen(c.Fun)] = true
	if x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); !ok || !a.methodExpr(c, x) {
		a.value(c.Fun)
	}
	a.values(c.Args)
	a.use(c)
	if k := a.calleeOf(c); k != 0 {
		a.calls[c] = k
	}
	a.give(c)
	a.hand(c)
	a.reflectedCall(c)
}

func (a *memory) builtin(fun ast.Expr) (*types.Builtin, bool) { return builtin(a.info, fun) }

// builtin is the builtin function that fun is, if it is one.
func builtin(info *types.Info, fun ast.Expr) (*types.Builtin, bool) {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		b, ok := info.Uses[x].(*types.Builtin)
		return b, ok
	case *ast.SelectorExpr:
		b, ok := info.Uses[x.Sel].(*types.Builtin)
		return b, ok
	}
	return nil, false
}

func (a *memory) builtinCall(c *ast.CallExpr, b *types.Builtin) {
	switch b.Name() {
	case "Sizeof", "Offsetof", "Alignof":
		return // not evaluated
	case "len":
		if t := a.info.TypeOf(c.Args[0]); isTypeParam(t) && mapOf(t) != nil {
			a.hidden[c] = "the length of a map whose type is a type parameter is not recorded"
		} else if _, ok := t.Underlying().(*types.Map); ok {
			a.maps[c.Args[0]] = true
		}
		if _, ok := a.info.TypeOf(c.Args[0]).Underlying().(*types.Array); ok {
			a.base(c.Args[0])
			return
		}
	case "append":
		if n := len(c.Args); c.Ellipsis.IsValid() && a.info.Types[c.Args[n-1]].Type != nil && !a.info.Types[c.Args[n-1]].IsNil() {
			t := a.info.TypeOf(c.Args[n-1])
			if _, ok := t.Underlying().(*types.Slice); ok || isTypeParam(t) {
				a.elements[c.Args[n-1]] = true
			}
		}
	case "cap":
		if _, ok := a.info.TypeOf(c.Args[0]).Underlying().(*types.Array); ok {
			a.base(c.Args[0])
			return
		}
	}
	for _, arg := range c.Args {
		a.value(arg)
	}
}

func (a *memory) stmts(list []ast.Stmt) {
	for _, s := range list {
		a.stmt(s)
	}
}

// stmt marks what a statement reads.
func (a *memory) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		a.stmts(s.List)
	case *ast.LabeledStmt:
		a.stmt(s.Stmt)
	case *ast.ExprStmt:
		a.value(s.X)
	case *ast.SendStmt:
		a.value(s.Chan)
		a.value(s.Value)
	case *ast.IncDecStmt:
		a.place(s.X)
	case *ast.AssignStmt:
		for _, e := range s.Lhs {
			if s.Tok != token.DEFINE {
				a.place(e)
			}
		}
		a.values(s.Rhs)
	case *ast.GoStmt:
		a.value(s.Call)
		a.unuse(s.Call)
	case *ast.DeferStmt:
		a.value(s.Call)
		a.unuse(s.Call)
	case *ast.ReturnStmt:
		a.values(s.Results)
		a.returns(s)
	case *ast.IfStmt:
		a.stmt(s.Init)
		a.value(s.Cond)
		a.stmt(s.Body)
		a.stmt(s.Else)
	case *ast.ForStmt:
		a.stmt(s.Init)
		a.value(s.Cond)
		a.stmt(s.Post)
		a.stmt(s.Body)
	case *ast.RangeStmt:
		a.rangeStmt(s)
	case *ast.SwitchStmt:
		a.stmt(s.Init)
		a.value(s.Tag)
		a.stmt(s.Body)
	case *ast.TypeSwitchStmt:
		a.stmt(s.Init)
		a.stmt(s.Assign)
		a.stmt(s.Body)
	case *ast.SelectStmt:
		a.stmt(s.Body)
	case *ast.CaseClause:
		a.values(s.List)
		a.stmts(s.Body)
	case *ast.CommClause:
		a.stmt(s.Comm)
		a.stmts(s.Body)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				a.values(v.Values)
			}
		}
	}
}

func (a *memory) rangeStmt(s *ast.RangeStmt) {
	if s.Tok == token.ASSIGN {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if e != nil {
				a.place(e)
			}
		}
	}
	t := a.info.TypeOf(s.X)
	_, isArray := t.Underlying().(*types.Array)
	switch {
	case s.Value == nil && (isArray || isArrayPointer(t)) && callFree([]ast.Expr{s.X}): // its length is a constant, and it is not evaluated
	case isArray && (s.Value == nil || isBlank(s.Value)):
		a.base(s.X)
	default:
		a.value(s.X)
		if _, ok := t.Underlying().(*types.Map); ok {
			a.maps[s.X] = true
		}
	}
	a.stmt(s.Body)
}

// valueMethods are the methods of the types of a package that take copies of their
// receivers, as in "Type.Method".
func valueMethods(p *types.Package) (out []string) {
	for _, name := range p.Scope().Names() {
		t, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		n, ok := t.Type().(*types.Named)
		if !ok {
			continue
		}
		for f := range n.Methods() {
			if !isPointer(f.Signature().Recv().Type()) {
				out = append(out, name+"."+f.Name())
			}
		}
	}
	return out
}
