package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/vtrace/vtrace/sites"
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
	function string // of the runtime
	site     sites.ID
	operands []operand
}

// put adds the call with its operands in place.
func (op *operation) put(r *rewriter, b *builder) {
	b.put("%s.%s(%d", r.zz, op.function, op.site)
	for _, o := range op.operands {
		b.put(", ")
		o.put(b)
	}
	b.put(")")
}

// functions are the functions of the runtime, by the receiver's name in package
// sync and the kind of operation.
var functions = map[string]map[sites.Kind]string{
	"Mutex": {sites.Lock: "Lock", sites.Unlock: "Unlock", sites.TryLock: "TryLock"},
	"RWMutex": {
		sites.Lock: "WLock", sites.Unlock: "WUnlock", sites.TryLock: "TryWLock",
		sites.RLock: "RLock", sites.RUnlock: "RUnlock", sites.TryRLock: "TryRLock",
	},
	"Locker": {sites.Lock: "LockIface", sites.Unlock: "UnlockIface"},
	"WaitGroup": {
		sites.WaitGroupAdd: "Add", sites.WaitGroupDone: "Done",
		sites.WaitGroupWait: "Wait", sites.WaitGroupGo: "WGGo",
	},
	"Once": {sites.OnceDo: "OnceDo"},
	"Cond": {sites.CondWait: "CondWait", sites.CondSignal: "CondSignal", sites.CondBroadcast: "CondBroadcast"},
}

// function returns the runtime's function for a guarded method or function, ""
// for one that has none of its own.
func function(kind sites.Kind, obj types.Object) string {
	f, ok := obj.(*types.Func)
	if !ok {
		return ""
	}
	recv := f.Signature().Recv()
	if recv == nil {
		switch f.FullName() {
		case "os.Exit":
			return "Exit"
		case "runtime.Goexit":
			return "Goexit"
		case "time.Sleep":
			return "Sleep"
		}
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || types.IsInterface(t) {
		return functions["Locker"][kind]
	}
	return functions[named.Obj().Name()][kind]
}

// receiver returns the receiver of a method call as the runtime takes it, with
// the embedded fields in the path spelt out.
func (r *rewriter) receiver(sel *ast.SelectorExpr, s *types.Selection) (operand, bool) {
	path, t, ok := r.embedded(sel, s)
	if !ok {
		return operand{}, false
	}
	pre := ""
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		pre = "&"
	}
	return operand{pre: pre, expr: sel.X, post: path}, true
}

// embedded returns the path of embedded fields, ".A.B", from the operand of a
// selector to what has the selected method, and its type. It fails if one is
// not accessible from this package.
func (r *rewriter) embedded(sel *ast.SelectorExpr, s *types.Selection) (string, types.Type, bool) {
	t := s.Recv()
	path := ""
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return "", nil, false
		}
		f := st.Field(i)
		if !f.Exported() && f.Pkg() != r.Types {
			return "", nil, false
		}
		path += "." + f.Name()
		t = f.Type()
	}
	return path, t, true
}

// operation returns the runtime's call in place of c, nil if c is to stay as it
// is, with a diagnostic if that leaves it without a guard.
func (r *rewriter) operation(c *ast.CallExpr) *operation {
	kind, obj := sites.Classify(r.info, c.Fun)
	op := &operation{}
	if kind == sites.Close {
		op.function = "Close"
	} else {
		op.function = function(kind, obj)
	}
	if op.function == "" {
		return nil
	}
	fun := ast.Unparen(c.Fun)
	sel, _ := fun.(*ast.SelectorExpr)
	if sel != nil {
		if s := r.info.Selections[sel]; s != nil {
			switch s.Kind() {
			case types.MethodVal:
				o, ok := r.receiver(sel, s)
				if !ok {
					r.diag(c.Lparen, "%v through an embedded field that is not accessible here: not guarded", kind)
					return nil
				}
				op.operands = append(op.operands, o)
			case types.MethodExpr:
				if len(s.Index()) > 1 {
					r.diag(c.Lparen, "%v by method expression of an embedding type: not guarded", kind)
					return nil
				}
			default:
				return nil
			}
		}
	}
	if r.info.Selections[sel] == nil {
		r.unused(fun, obj)
	}
	for _, a := range c.Args {
		if _, ok := r.info.TypeOf(a).(*types.Tuple); ok {
			r.diag(c.Lparen, "%v with the results of a call as arguments: not guarded", kind)
			return nil
		}
		op.operands = append(op.operands, operand{expr: a})
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
	case sites.Invalid:
		r.foreign(c, obj)
		r.walk(c.Fun)
		r.args(c)
		r.subtest(c, obj)
		return
	case sites.Callback:
		r.operandOf(c.Fun)
		r.args(c)
		r.callback(c)
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
	if op := r.operation(c); op != nil {
		b := r.build(c.Pos())
		op.put(r, b)
		b.done(c.End())
		return
	}
	if kind == sites.Exit && r.ends(obj) != "" {
		r.endInPlace(c)
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
func (r *rewriter) callback(c *ast.CallExpr) {
	if len(c.Args) != 2 {
		r.diag(c.Lparen, "callback in the results of a call: not guarded")
		return
	}
	if id := r.site(sites.Callback, c.Lparen); id != 0 {
		r.before(c.Args[1].Pos(), fmt.Sprintf("%s.Callback(%d, ", r.zz, id))
		r.after(c.Args[1].End(), ")")
	}
	r.due(c)
}

// durations are the library functions that arm a timer, with the argument that
// says for how long, or until when.
var durations = map[string]int{
	"time.After": 0, "time.NewTimer": 0, "time.AfterFunc": 0, "(*time.Timer).Reset": 0,
	"time.Tick": 0, "time.NewTicker": 0, "(*time.Ticker).Reset": 0,
	"context.WithTimeout": 1, "context.WithTimeoutCause": 1,
	"context.WithDeadline": 1, "context.WithDeadlineCause": 1,
}

// due announces to the runtime when a timer will fire.
func (r *rewriter) due(c *ast.CallExpr) {
	_, obj := sites.Classify(r.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok {
		return
	}
	i, ok := durations[f.FullName()]
	if !ok || i >= len(c.Args) {
		return
	}
	announce := r.zz + ".Due"
	if strings.HasPrefix(f.Name(), "WithDeadline") {
		announce = r.helper("Deadline")
	}
	r.before(c.Args[i].Pos(), announce+"(")
	r.after(c.Args[i].End(), ")")
}

// outside are library functions that start goroutines, block or call back in
// ways that the runtime does not see.
var outside = map[string]string{
	"sync.OnceFunc":           "the function is run by library code",
	"sync.OnceValue":          "the function is run by library code",
	"sync.OnceValues":         "the function is run by library code",
	"iter.Pull":               "a coroutine outside of control",
	"iter.Pull2":              "a coroutine outside of control",
	"reflect.Select":          "a select by reflection",
	"(reflect.Value).Send":    "a send by reflection",
	"(reflect.Value).Recv":    "a receive by reflection",
	"(reflect.Value).TrySend": "a send by reflection",
	"(reflect.Value).TryRecv": "a receive by reflection",
	"os/signal.Notify":        "signals come from outside",
}

// foreign looks at a call that is no operation.
func (r *rewriter) foreign(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		if name := r.syncBehind(recv.Type(), f.Name()); name != "" {
			r.diag(c.Lparen, "call of %s through an interface, behind which a sync.%s may be: not guarded", f.Name(), name)
		}
	}
	if reason := outside[f.FullName()]; reason != "" {
		r.diag(c.Lparen, "call of %s: %s: not guarded", f.FullName(), reason)
	}
	r.due(c)
}

// subtest rewrites t.Run and t.Parallel. In a run, a subtest is a call and
// Parallel does nothing: the runtime alone decides what goes on at one time.
// Since it is a call, a Fatal in the subtest ends the test around it as well.
func (r *rewriter) subtest(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok {
		return
	}
	var helper string
	switch f.FullName() {
	case "(*testing.T).Run":
		helper = "TRun"
	case "(*testing.T).Parallel":
		helper = "TParallel"
	default:
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
	o, ok := r.receiver(sel, s)
	if !ok {
		r.diag(c.Lparen, "%s through an embedded field that is not accessible here: not guarded", f.FullName())
		return
	}
	b := r.build(c.Pos())
	b.put("%s(", r.helper(helper))
	o.put(b)
	for _, a := range c.Args {
		b.put(", ")
		b.node(a)
	}
	b.put(")")
	b.done(c.End())
}

// syncBehind returns a type of package sync that a value of the interface may
// hold and whose method is guarded, "" if there is none.
func (r *rewriter) syncBehind(t types.Type, method string) string {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return ""
	}
	pkg := r.syncPackage()
	if pkg == nil {
		return ""
	}
	for _, name := range []string{"Mutex", "RWMutex", "WaitGroup", "Once", "Cond"} {
		obj := pkg.Scope().Lookup(name)
		if obj == nil || !types.Implements(types.NewPointer(obj.Type()), iface) {
			continue
		}
		m, _, _ := types.LookupFieldOrMethod(types.NewPointer(obj.Type()), false, pkg, method)
		if f, ok := m.(*types.Func); ok && sites.KindOf(f) != sites.Invalid {
			return name
		}
	}
	return ""
}

// syncPackage is package sync as the package knows it, nil if it does not
// import it.
func (r *rewriter) syncPackage() *types.Package {
	for _, p := range r.Types.Imports() {
		if p.Path() == "sync" {
			return p
		}
	}
	return nil
}
