package parse

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/vtrace/vtrace/sites"
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
	h.open(b)
	switch m {
	case deferredCall:
		b.put("defer ")
	case goCall:
		b.put("%s.Go(%d, func() { ", r.zz, r.site(sites.Go, from))
	}
	b.put("%s.%s(%d, func() { ", r.zz, r.ends(obj), id)
	r.endCallee(b, c.Fun, obj)
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
	b.done(to)
	return true
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
	r.endCallee(b, c.Fun, obj)
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

// endCallee adds the function to call: of package log, Output.
func (r *rewriter) endCallee(b *builder, fun ast.Expr, obj types.Object) {
	if !logs(obj) {
		b.node(fun)
		return
	}
	switch e := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		b.node(e.X)
		if s := r.info.Selections[e]; s != nil && s.Kind() == types.MethodVal {
			if path, _, ok := r.embedded(s); ok {
				b.put("%s", path) // the embedding type may have an Output of its own
			}
		}
		b.put(".Output")
	default:
		b.put("Output") // of a dot import
	}
}
