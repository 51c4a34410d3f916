package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// mode is how a call is made.
type mode int

const (
	plainCall mode = iota
	deferredCall
	goCall
)

// ends returns the runtime's function for a call that prints and ends the
// program or the test, "" for others.
func (r *rewriter) ends(obj types.Object) string {
	if f, ok := obj.(*types.Func); ok && f.Pkg() != nil {
		switch f.Pkg().Path() {
		case "log":
			return "Fatal"
		case "testing":
			return "TestEnd"
		}
	}
	return ""
}

// endBehind rewrites the function of a call through an interface that ends the test, or the program, if
// a *testing.T or a *log.Logger is behind it.
func (r *rewriter) endBehind(c *ast.CallExpr, obj types.Object) {
	f, ok := obj.(*types.Func)
	if !ok || !sites.EndsBehind(f) {
		return
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := r.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		r.diag(c.Lparen, "%s by a method expression of an interface: not guarded", f.Name())
		return
	}
	id := r.site(sites.Exit, c.Lparen)
	if id == 0 {
		return
	}
	b := r.build(c.Fun.Pos())
	r.boundEnd(b, sel, s, f, id)
	b.done(c.Fun.End())
}

// boundEnd adds the method value of such a method, which guards every call.
func (r *rewriter) boundEnd(b *builder, sel *ast.SelectorExpr, s *types.Selection, f *types.Func, id sites.ID) {
	o, ok := r.receiver(sel.X, s)
	if !ok {
		r.diag(sel.Sel.Pos(), "%s through an embedded field that is not accessible here: not guarded", f.Name())
		b.node(sel)
		return
	}
	b.put("%s(%d, ", r.helper("End_"+f.Name()), id)
	o.put(b)
	b.put(")")
}

// endSource is the generated function for such a method.
func endSource(zz, method string) string {
	var params string
	for f := range sites.LibraryFuncs() {
		if f.Kind == sites.Exit && f.Receiver != "" && f.Name == method {
			params = f.Parameters
		}
	}
	args, format := arguments(params), formats[method]
	var b strings.Builder
	fmt.Fprintf(&b, "func %[1]sEnd_%[2]s(site %[1]s.Site, x interface{ %[2]s(%[3]s) }) func(%[3]s) {\n", zz, method, params)
	fmt.Fprintf(&b, "\tif %s.Watched() {\n\t\tbehind := %s.Behind(x, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName(%q) })\n\t\tswitch y := behind.(type) {\n", zz, zz, method)
	fmt.Fprintf(&b, "\t\tcase interface{ Helper() }:\n\t\t\treturn func(%s) {\n\t\t\t\ty.Helper()\n\t\t\t\t%s.TestEnds(site)\n\t\t\t\tx.%s(%s)\n\t\t\t}\n", params, zz, method, args)
	if format != "" {
		fmt.Fprintf(&b, "\t\tcase interface{ Output(int, string) error }:\n\t\t\treturn func(%s) {\n\t\t\t\t%s.Fatal(site, func() { y.Output(%d, fmt.%s(%s)) })\n\t\t\t}\n", params, zz, logDepth+1, format, args)
	}
	fmt.Fprintf(&b, "\t\t}\n\t}\n\treturn x.%s\n}", method)
	return b.String()
}

// formats are the functions that make the text of log.Fatal and the like, which
// Output prints.
var formats = map[string]string{"Fatal": "Sprint", "Fatalf": "Sprintf", "Fatalln": "Sprintln"}

// logs reports whether obj is log.Fatal or the like.
func logs(obj types.Object) bool { return obj.Pkg() != nil && obj.Pkg().Path() == "log" }

// logDepth is how many calls lie between Output and the program's function that
// calls log.Fatal: a function literal and the runtime's Fatal.
const logDepth = 3

// endCall rewrites a call of log.Fatal, t.Fatal and the like: its arguments are
// evaluated before the guard, which is in front of the call alone.
func (r *rewriter) endCall(c *ast.CallExpr, from, to token.Pos, m mode) bool {
	kind, obj := sites.Classify(r.info, c.Fun)
	if kind != sites.Exit || r.ends(obj) == "" {
		return false
	}
	r.operandOf(c.Fun)
	r.args(c)
	id := r.site(sites.Exit, c.Lparen)
	if id == 0 {
		return true
	}
	h := r.hoist(c.Args)
	if h == nil {
		r.diag(c.Lparen, "%s with arguments that cannot be evaluated early: not guarded", obj.Name())
		return true
	}
	b := r.build(from)
	receiver := r.waitingReceiver(c.Fun)
	name := ""
	if receiver != nil { // it waits before the arguments are evaluated, and before the goroutine ends
		name = r.name()
		b.put("{ %s := ", name)
		b.node(receiver)
		b.put("; ")
	}
	h.open(b)
	switch m {
	case deferredCall:
		b.put("defer ")
	case goCall:
		b.put("%s.Go(%d, func() { ", r.zz, r.site(sites.Go, from))
	}
	b.put("%s.%s(%d, func() { ", r.zz, r.ends(obj), id)
	r.endCallee(b, c.Fun, obj, name)
	if logs(obj) {
		b.put("(%d, %s", logDepth, r.helper(formats[obj.Name()]))
		h.args(b, c)
		b.put(")")
	} else {
		h.args(b, c)
	}
	b.put(" })")
	if m == goCall {
		b.put(" })")
	}
	h.close(b)
	if name != "" {
		b.put(" }")
	}
	b.done(to)
	return true
}

// waitingReceiver is what a method is called on if evaluating it has effects, nil for others, and where it is no pointer and
// no interface: the method may be for the place and not for a copy.
func (r *rewriter) waitingReceiver(fun ast.Expr) ast.Expr {
	e, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok || r.info.Selections[e] == nil || !effects(e.X) {
		return nil
	}
	if t := r.info.TypeOf(e.X); !isPointer(t) && !types.IsInterface(t) {
		return nil
	}
	return e.X
}

// endInPlace rewrites such a call where no block may stand, as in the
// initialiser of an if statement.
func (r *rewriter) endInPlace(c *ast.CallExpr) {
	_, obj := sites.Classify(r.info, c.Fun)
	id := r.site(sites.Exit, c.Lparen)
	if id == 0 {
		return
	}
	b := r.build(c.Pos())
	b.put("%s.%s(%d, func() { ", r.zz, r.ends(obj), id)
	r.endCallee(b, c.Fun, obj, "")
	if logs(obj) {
		b.put("(%d, %s", logDepth, r.helper(formats[obj.Name()]))
		b.source(c.Lparen, c.End())
		b.put(")")
	} else {
		b.source(c.Lparen, c.End())
	}
	b.put(" })")
	b.done(c.End())
}

// endCallee adds the function to call: of package log, Output. of is the variable that has what a method is called on, "" if
// that stands where it was.
func (r *rewriter) endCallee(b *builder, fun ast.Expr, obj types.Object, of string) {
	e, selects := ast.Unparen(fun).(*ast.SelectorExpr)
	switch {
	case !logs(obj) && of == "":
		b.node(fun)
	case !logs(obj):
		b.put("%s.%s", of, e.Sel.Name)
	case !selects:
		b.put("Output") // of a dot import
	default:
		if of != "" {
			b.put("%s", of)
		} else {
			b.node(e.X)
		}
		if s := r.info.Selections[e]; s != nil && s.Kind() == types.MethodVal {
			if path, _, ok := r.embedded(s); ok {
				b.put("%s", path) // the embedding type may have an Output of its own
			}
		}
		b.put(".Output")
	}
}
