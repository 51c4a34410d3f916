package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/sites"
)

// operand is an argument of a call of the runtime: a piece of the source with
// something around it.
type operand struct {
	pre  string
	expr ast.Expr
	post string
}

// put adds the operand to a builder.
func (o operand) put(b *builder) {
	b.put("%s", o.pre)
	b.node(o.expr)
	b.put("%s", o.post)
}

// operation is a call of the runtime in place of a call of the program's.
type operation struct {
	function string // of the runtime, or a generated one
	site     sites.ID
	operands []operand
	selected bool // the first operand is an interface from which the method was selected
}

// bind has the receiver of an operation that is done later evaluated as the method value is.
func (r *rewriter) bind(op *operation) {
	if op.selected {
		op.operands[0] = r.bound(op.operands[0])
	}
}

// bound is the receiver of a method value, which defer and go statements evaluate too: a nil
// interface panics there, and not where the method is called.
func (r *rewriter) bound(o operand) operand {
	return operand{pre: r.zz + ".Bound(" + o.pre, expr: o.expr, post: o.post + ")"}
}

// put adds the call with its operands in place.
func (op *operation) put(b *builder) {
	b.put("%s(%d", op.function, op.site)
	for _, o := range op.operands {
		b.put(", ")
		o.put(b)
	}
	b.put(")")
}

// function returns the runtime's function for a guarded method or function, ""
// for one that has none of its own.
func function(obj types.Object) string {
	f, ok := obj.(*types.Func)
	if !ok {
		return ""
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		if _, ok := ifaceShapes["Iface_"+f.Name()]; ok {
			return "Iface_" + f.Name()
		}
		return ""
	}
	return sites.LibraryFuncOf(f).Runtime
}

// runtime is the name by which the file calls a function of the runtime, or a
// generated one in its place.
func (r *rewriter) runtime(function string) string {
	if function == "Settle" || strings.HasPrefix(function, "Iface_") {
		return r.helper(function)
	}
	return r.zz + "." + function
}

// receiver returns the receiver of a method as the runtime takes it: x, of the
// type that the selection is made from, with the embedded fields in the path
// spelt out. A field that is not accessible from this package is reached by
// reflection.
func (r *rewriter) receiver(x ast.Expr, s *types.Selection) (operand, bool) {
	open, end := "(", ")"
	if r.primary(x) {
		open, end = "", ""
	}
	path, t, ok := r.embedded(s)
	if !ok {
		named, pointer := syncType(t)
		if named == nil {
			return operand{}, false
		}
		switch {
		case isPointer(s.Recv()):
		case r.info.Types[x].Addressable():
			open = "&" + open
		case !pointer:
			return operand{}, false
		}
		return operand{
			pre: r.helper("Field_"+named.Obj().Name()) + "(" + open, expr: x,
			post: fmt.Sprintf("%s, %s)", end, indices(s.Index()[:len(s.Index())-1])),
		}, true
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		open = "&" + open
	}
	return operand{pre: open, expr: x, post: end + path}, true
}

// indices is a literal of the indices of fields.
func indices(path []int) string {
	return "[]int{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(path), " ", ", "), "[]") + "}"
}

// primary reports whether a selector can follow the expression as it is, and an
// ampersand precede it.
func (r *rewriter) primary(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.ParenExpr, *ast.CallExpr, *ast.TypeAssertExpr:
		return true
	}
	return false
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// syncType returns the type of package sync that t is or points to.
func syncType(t types.Type) (named *types.Named, pointer bool) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, _ = t.(*types.Named)
	if named == nil || types.IsInterface(t) || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync" {
		return nil, false
	}
	return named, pointer
}

// embedded returns the path of embedded fields, ".A.B", from what a selection
// is made from to what has the selected method, and its type. It fails if one
// is not accessible from this package.
func (r *rewriter) embedded(s *types.Selection) (path string, t types.Type, ok bool) {
	t, ok = s.Recv(), true
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, isStruct := t.Underlying().(*types.Struct)
		if !isStruct {
			return "", t, false
		}
		f := st.Field(i)
		ok = ok && (f.Exported() || f.Pkg() == r.Types)
		path += "." + f.Name()
		t = f.Type()
	}
	return path, t, ok
}

// operation returns the runtime's call in place of c, nil if c is to stay as it
// is, with a diagnostic if that leaves it without a guard.
func (r *rewriter) operation(c *ast.CallExpr) *operation {
	kind, obj := sites.Classify(r.info, c.Fun)
	op := &operation{}
	name := function(obj)
	if _, ok := obj.(*types.Builtin); ok && kind == sites.Close {
		if name = "Close"; !sites.OneElement(r.info.TypeOf(c.Args[0])) {
			r.diag(c.Lparen, "close of a channel with elements of one type or another: not guarded")
			return nil
		}
	}
	if name == "" {
		return nil
	}
	op.function = r.runtime(name)
	args := c.Args
	fun := ast.Unparen(c.Fun)
	sel, _ := fun.(*ast.SelectorExpr)
	if sel != nil {
		if s := r.info.Selections[sel]; s != nil {
			switch s.Kind() {
			case types.MethodVal:
				o, ok := r.receiver(sel.X, s)
				if !ok {
					r.diag(c.Lparen, "%v through an embedded field that is not accessible here: not guarded", kind)
					return nil
				}
				op.operands = append(op.operands, o)
				op.selected = strings.HasPrefix(name, "Iface_")
			case types.MethodExpr:
				if len(s.Index()) == 1 {
					break
				}
				o, ok := operand{}, false
				if len(args) > 0 && types.Identical(r.info.TypeOf(args[0]), s.Recv()) {
					o, ok = r.receiver(args[0], s)
				}
				if !ok {
					r.diag(c.Lparen, "%v by method expression of an embedding type: not guarded", kind)
					return nil
				}
				op.operands = append(op.operands, o)
				args = args[1:]
			default:
				return nil
			}
		}
	}
	if r.info.Selections[sel] == nil {
		r.unused(fun, obj)
	}
	for _, a := range args {
		if _, ok := r.info.TypeOf(a).(*types.Tuple); ok {
			r.diag(c.Lparen, "%v with the results of a call as arguments: not guarded", kind)
			return nil
		}
		op.operands = append(op.operands, operand{expr: a})
	}
	if last := len(op.operands) - 1; name == "WGGo" {
		op.operands[last] = r.alikeIn(op.operands[last])
	}
	if op.site = r.site(kind, c.Lparen); op.site == 0 {
		return nil
	}
	return op
}

// unused notes that a use of an imported function disappears.
func (r *rewriter) unused(fun ast.Expr, obj types.Object) {
	if f, ok := obj.(*types.Func); !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return
	}
	start, end := r.file.Offset(fun.Pos()), r.file.Offset(fun.End())
	r.keep[string(r.src[start:end])] = true
}

// call rewrites a call in an expression.
func (r *rewriter) call(c *ast.CallExpr) {
	kind, obj := sites.Classify(r.info, c.Fun)
	switch kind {
	case sites.Invalid, sites.Atomic:
		r.calledBy[calledFunc(c)] = c
		r.beginsBehind(c)
		r.walk(c.Fun)
		r.args(c)
		for _, a := range c.Args {
			r.guardMap(a)
		}
		r.fileTimes(c, obj)
		r.usedBehind(c)
		r.recordCallee(c)
		r.foreign(c, obj)
		r.subtest(c, obj)
		r.environment(c, obj)
		r.usesFiles(c, obj)
		r.pull(c, obj)
		r.builtinCall(c)
		r.removes(c)
		r.given(c)
		r.library(c)
		r.undecided(c, obj)
		return
	case sites.Callback:
		r.operandOf(c.Fun)
		r.args(c)
		r.callback(c, obj)
		return
	case sites.OnceFunc:
		r.args(c)
		r.onceFunc(c, obj)
		return
	case sites.Panic:
		r.args(c)
		if id := r.site(sites.Panic, c.Lparen); id != 0 {
			r.before(c.Args[0].Pos(), fmt.Sprintf("%s.Panic(%d, ", r.zz, id))
			r.after(c.Args[0].End(), ")")
		}
		return
	}
	r.operandOf(c.Fun)
	r.args(c)
	if r.reflectedOperation(c, kind, obj) {
		return
	}
	if op := r.operation(c); op != nil {
		if r.later[c] {
			r.bind(op)
		}
		b := r.build(c.Pos())
		op.put(b)
		b.done(c.End())
		return
	}
	switch {
	case kind != sites.Exit:
	case r.ends(obj) != "":
		r.endInPlace(c)
	default:
		r.endBehind(c, obj)
	}
}

func (r *rewriter) args(c *ast.CallExpr) {
	for _, a := range c.Args {
		r.walk(a)
	}
}

// operandOf rewrites inside the receiver of a guarded method.
func (r *rewriter) operandOf(fun ast.Expr) {
	switch e := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		r.walk(e.X)
	case *ast.IndexExpr:
		r.operandOf(e.X)
	case *ast.IndexListExpr:
		r.operandOf(e.X)
	}
}

// callback has the function handed to time.AfterFunc or context.AfterFunc
// announced to the runtime.
func (r *rewriter) callback(c *ast.CallExpr, obj types.Object) {
	if len(c.Args) != 2 {
		r.diag(c.Lparen, "callback in the results of a call: not guarded")
		return
	}
	id := r.site(sites.Callback, c.Lparen)
	if id == 0 {
		return
	}
	if fun := calledFunc(c); obj.Pkg().Path() == "time" {
		r.keep[r.qualifier(fun)+obj.Name()] = true
		r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.zz+".AfterFunc")
		r.before(c.Args[0].Pos(), fmt.Sprintf("%d, ", id))
		return
	}
	r.before(c.Args[1].Pos(), fmt.Sprintf("%s.Callback(%d, ", r.zz, id))
	r.after(c.Args[1].End(), ")")
}

// onceFunc rewrites sync.OnceFunc, OnceValue and OnceValues: every call of the
// function that they return passes the guard of a Once.
func (r *rewriter) onceFunc(c *ast.CallExpr, obj types.Object) {
	fun := calledFunc(c)
	if len(c.Args) != 1 {
		r.diag(c.Lparen, "%s of the results of a call: not guarded", obj.Name())
		return
	}
	id := r.site(sites.OnceFunc, c.Lparen)
	if id == 0 {
		return
	}
	r.keep[r.qualifier(fun)+"OnceFunc"] = true
	r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.helper(obj.Name()))
	r.before(c.Args[0].Pos(), fmt.Sprintf("%d, ", id))
}

// pull rewrites a call of iter.Pull or iter.Pull2: what the iterator does is done by who asks it
// for values.
func (r *rewriter) pull(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "iter" || len(c.Args) != 1 {
		return
	}
	fun, instances := calledFunc(c), map[string]string{"Pull": "Pull[struct{}]", "Pull2": "Pull2[struct{}, struct{}]"}
	if instances[f.Name()] == "" {
		return
	}
	r.keep[r.qualifier(fun)+instances[f.Name()]] = true
	r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.helper(f.Name()))
	r.before(c.Args[0].Pos(), fmt.Sprintf("%d, ", r.touch(c)))
}

// signals are the functions of package os/signal by which signals come to the
// program, with what takes them in.
var signals = map[string]string{
	"os/signal.Notify":        "NotifySignals",
	"os/signal.Stop":          "StopSignals",
	"os/signal.NotifyContext": "SignalContext",
}

// foreign looks at a call that is no operation.
func (r *rewriter) foreign(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	r.due(c)
}

// signal has the runtime take in a function of package os/signal, called or as a value.
func (r *rewriter) signal(e ast.Expr, obj types.Object) {
	if f, ok := obj.(*types.Func); ok && signals[f.FullName()] != "" {
		r.before(e.Pos(), r.zz+"."+signals[f.FullName()]+"(")
		r.after(e.End(), ")")
	}
}

// instead calls a generated function in place of one of the library: in a run,
// synctest.Test is a call, since the run has a bubble around it, and finalizers
// are never run, since they would be by a goroutine of the library.
func (r *rewriter) instead(c *ast.CallExpr, helper string, args int) {
	fun := calledFunc(c)
	if len(c.Args) != args {
		r.diag(c.Lparen, "%s with the results of a call as arguments: not guarded", helper)
		return
	}
	keep := map[string]string{"Bubble": "Test", "SetFinalizer": "SetFinalizer", "AddCleanup": "SetFinalizer"}[helper]
	r.keep[r.qualifier(fun)+keep] = true
	r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.helper(helper))
}

// lend tells the runtime that uninstrumented code gets a *testing.T, whose Run
// panics in a bubble.
func (r *rewriter) lend(c *ast.CallExpr, f *types.Func) {
	params := f.Signature().Params()
	if f.Pkg() == nil || f.Pkg().Path() == "testing" || r.own[f.Pkg().Path()] || len(c.Args) < params.Len() {
		return
	}
	for i := range params.Len() {
		if types.TypeString(params.At(i).Type(), nil) == "*testing.T" {
			r.before(c.Args[i].Pos(), r.zz+".Lent(")
			r.after(c.Args[i].End(), ")")
		}
	}
}

// qualifier is how the file names the package of a function, with a dot.
func (r *rewriter) qualifier(fun ast.Expr) string {
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		return string(r.src[r.file.Offset(sel.X.Pos()):r.file.Offset(sel.X.End())]) + "."
	}
	return ""
}

// testWrites are the methods that write to a test, which it panics for when it has
// completed, with the function of the runtime that stands in front of a call.
var testWrites = map[string]string{
	"(*testing.common).Log": "Logging", "(testing.TB).Log": "Logging",
	"(*testing.common).Logf": "Logging", "(testing.TB).Logf": "Logging",
	"(*testing.common).Error": "Failing", "(testing.TB).Error": "Failing",
	"(*testing.common).Errorf": "Failing", "(testing.TB).Errorf": "Failing",
	"(*testing.common).Fail": "Failing", "(testing.TB).Fail": "Failing",
}

// mayWriteTest is the function of the runtime for a method of an interface of the program's
// own, in which a *testing.T may be, and of which the method writes to the test; "" for
// others.
func (r *rewriter) mayWriteTest(f *types.Func) string {
	if !r.behindTest(f) {
		return ""
	}
	return testWrites["(testing.TB)."+f.Name()]
}

// behindTest reports whether f is a method of an interface of the program's own in which a *testing.T may be.
func (r *rewriter) behindTest(f *types.Func) bool {
	recv := f.Signature().Recv()
	if r.testType == nil || recv == nil {
		return false
	}
	i, ok := recv.Type().Underlying().(*types.Interface)
	return ok && types.Implements(r.testType, i)
}

// contextBehind rewrites x.Context() for an interface in which a *testing.T may be.
func (r *rewriter) contextBehind(c *ast.CallExpr, f *types.Func) {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || f.Name() != "Context" || !types.IsInterface(r.info.TypeOf(sel.X)) || !r.behindTest(f) {
		return
	}
	b := r.build(c.Fun.Pos())
	b.put("%s.ContextOn(", r.zz)
	b.node(sel.X)
	b.put(")")
	b.done(c.Fun.End())
}

// testTypeOf is *testing.T, nil if the program does not import package testing.
func testTypeOf(roots []*packages.Package) types.Type {
	for _, p := range roots {
		for _, q := range p.Types.Imports() {
			if q.Path() == "testing" {
				return types.NewPointer(q.Scope().Lookup("T").Type())
			}
		}
	}
	return nil
}

// logging guards a call that writes to a test, behind all that is evaluated before.
func (r *rewriter) logging(c *ast.CallExpr, function string) {
	site, ok := r.idx.Stmt(c.Pos())
	sel, method := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || !method || r.info.Selections[sel] == nil || r.info.Selections[sel].Kind() != types.MethodVal {
		return
	}
	around := sel.X
	if n := len(c.Args); n > 0 {
		if tv := r.info.Types[c.Args[n-1]]; tv.IsValue() && !tv.IsNil() {
			if _, tuple := tv.Type.(*types.Tuple); !tuple {
				around = c.Args[n-1]
			}
		}
	}
	if around == sel.X {
		switch r.info.TypeOf(sel.X).Underlying().(type) {
		case *types.Pointer, *types.Interface:
		default:
			return
		}
	}
	r.before(around.Pos(), fmt.Sprintf("%s.%s(%d, ", r.zz, function, site.ID))
	r.after(around.End(), ")")
	r.unit.guarded[site.ID] = true
}

// subtest rewrites t.Run and t.Parallel. In a run, a subtest that may come to
// t.Parallel is a goroutine; another one is a call, so that a Fatal in it ends the
// test around it as well.
func (r *rewriter) subtest(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok {
		return
	}
	if function := testWrites[f.FullName()]; function != "" {
		if !r.later[c] {
			r.logging(c, function)
		}
		return
	}
	if function := r.mayWriteTest(f); function != "" {
		if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && types.IsInterface(r.info.TypeOf(sel.X)) && !r.later[c] {
			if at := r.statement(c.Pos()); at != 0 {
				r.before(sel.X.Pos(), fmt.Sprintf("%s.%sOn(%d, ", r.zz, function, at))
				r.after(sel.X.End(), ")")
			}
		}
		return
	}
	var helper string
	switch f.FullName() {
	case "(*testing.T).Run":
		helper = "TRun"
	case "(*testing.T).Parallel":
		helper = "TParallel"
	case "(*testing.common).Cleanup", "(testing.TB).Cleanup":
		if len(c.Args) == 1 && ast.Unparen(c.Fun) == c.Fun && r.info.Selections[c.Fun.(*ast.SelectorExpr)].Kind() == types.MethodVal {
			r.before(c.Fun.Pos(), r.zz+".Cleanup(")
			r.replace(r.file.Offset(c.Lparen), r.file.Offset(c.Lparen)+1, ", ")
			return
		}
		return // the run takes it from the *testing.T
	case "(*testing.T).Setenv", "(*testing.T).Chdir", "(testing.TB).Setenv", "(testing.TB).Chdir":
		b := r.build(c.Fun.Pos())
		b.put("%s.NoParallel(", r.zz)
		b.node(c.Fun)
		b.put(")")
		b.done(c.Fun.End())
		return
	case "(*testing.common).TempDir", "(testing.TB).TempDir":
		b := r.build(c.Fun.Pos())
		n := 0
		if r.races != nil {
			n = r.inParts(c, "the removal of the directory of TempDir")
		}
		b.put("%s.TempDir(%d, ", r.zz, n)
		b.node(c.Fun)
		b.put(")")
		b.done(c.Fun.End())
		return
	case "(*testing.common).Context", "(testing.TB).Context":
		r.before(c.Pos(), r.zz+".TestContext(")
		r.after(c.End(), ")")
		return
	case "(*testing.common).Output", "(testing.TB).Output":
		if at := r.statement(c.Pos()); at != 0 {
			// As a whole: what orders the call looks at its receiver again.
			b := r.build(c.Pos())
			b.put("%s.TestOutput(%d, ", r.zz, at)
			b.node(c)
			b.put(")")
			b.done(c.End())
		}
		return
	case "testing/synctest.Test":
		r.instead(c, "Bubble", 2)
		return
	case "runtime.SetFinalizer":
		r.instead(c, "SetFinalizer", 2)
		return
	case "runtime.AddCleanup":
		r.instead(c, "AddCleanup", 3)
		return
	default:
		r.contextBehind(c, f)
		r.lend(c, f)
		return
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := r.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		r.diag(c.Lparen, "%s by method expression: not guarded", f.FullName())
		return
	}
	o, ok := r.receiver(sel.X, s)
	if !ok {
		r.diag(c.Lparen, "%s through an embedded field that is not accessible here: not guarded", f.FullName())
		return
	}
	var id sites.ID // 0 for one that is no guard
	kind := map[string]sites.Kind{"TRun": sites.Subtest, "TParallel": sites.Parallel}[helper]
	if _, ok := r.idx.At(kind, c.Lparen); ok {
		id = r.site(kind, c.Lparen)
	}
	b := r.build(c.Pos())
	b.put("%s(%d, ", r.helper(helper), id)
	o.put(b)
	for _, a := range c.Args {
		b.put(", ")
		b.node(a)
	}
	b.put(")")
	b.done(c.End())
}
