package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// hoisted are the function and the arguments of a call that is made later:
// those whose value may change, or have effects, are evaluated first, into
// variables.
type hoisted struct {
	callee   ast.Expr // nil if it stays in place
	function string   // its variable
	// calleeLast: the function is read behind the calls in the arguments, as compiled programs do
	calleeLast bool
	operands   []operand
	names      []string // the variable of each operand, "" if it stays in place
	retype     []string // what gives the variable the type that its place wants
	tuple      []string // the variables of the results of the single operand
}

// hoist prepares the arguments of a call. It returns nil if one would get
// another type by being put into a variable, and that type has no name here.
func (r *rewriter) hoist(args []ast.Expr) *hoisted {
	operands := make([]operand, len(args))
	for i, a := range args {
		operands[i] = operand{expr: a}
	}
	return r.hoistOperands(operands)
}

func (r *rewriter) hoistOperands(operands []operand) *hoisted {
	h := &hoisted{operands: operands, names: make([]string, len(operands)), retype: make([]string, len(operands))}
	for i, o := range operands {
		if t, ok := r.info.TypeOf(o.expr).(*types.Tuple); ok {
			for range t.Len() {
				h.tuple = append(h.tuple, r.name())
			}
			continue
		}
		// stays speaks of the expression alone: what is put around it may take an address, or panic, and is evaluated now.
		if o.pre == "" && o.post == "" && r.stays(o.expr) {
			continue
		}
		if t := r.info.TypeOf(o.expr); !r.keepsType(o.expr) {
			name, ok := r.typeName(o.expr.Pos(), t)
			switch {
			case ok:
				h.operands[i] = operand{pre: name + "(" + o.pre, expr: o.expr, post: o.post + ")"}
			case isBool(t):
				h.retype[i] = " == (0 == 0)" // an untyped bool again
			default:
				return nil
			}
		}
		h.names[i] = r.name()
	}
	return h
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// stays reports whether an argument can be evaluated late: constants, nil,
// function literals and declared functions, which may be generic and get their
// type arguments from their place.
func (r *rewriter) stays(e ast.Expr) bool {
	tv := r.info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return true
	}
	return r.static(e)
}

// keepsType reports whether a variable initialised with e gets the type that e
// has in its place. That of an untyped expression comes from its place.
func (r *rewriter) keepsType(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		t := r.info.TypeOf(e)
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return types.Identical(types.Default(t), types.Typ[types.Bool]) || types.IsInterface(t)
		case token.SHL, token.SHR:
			return r.info.Types[x.X].Value == nil || types.Identical(types.Default(t), types.Typ[types.Int]) || types.IsInterface(t)
		}
		if r.info.Types[x.X].Value != nil {
			return r.keepsType(x.Y)
		}
		if r.info.Types[x.Y].Value != nil {
			return r.keepsType(x.X)
		}
		return r.keepsType(x.X) || r.keepsType(x.Y)
	case *ast.UnaryExpr:
		return x.Op == token.ARROW || x.Op == token.AND || r.keepsType(x.X)
	}
	return true
}

// open adds the evaluation of the function and the arguments, and the start of
// the block around.
func (h *hoisted) open(b *builder) {
	if h.any() {
		b.put("{ ")
	}
	if h.callee != nil && !h.calleeLast {
		h.putCallee(b)
	}
	h.putOperands(b)
	if h.callee != nil && h.calleeLast {
		h.putCallee(b)
	}
}

func (h *hoisted) putCallee(b *builder) {
	b.put("%s := ", h.function)
	b.node(h.callee)
	b.put("; ")
}

// putOperands adds the evaluation of the arguments.
func (h *hoisted) putOperands(b *builder) {
	if len(h.tuple) > 0 {
		b.put("%s := ", strings.Join(h.tuple, ", "))
		h.operands[0].put(b)
		b.put("; ")
		return
	}
	var names []string
	for _, n := range h.names {
		if n != "" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return
	}
	b.put("%s := ", strings.Join(names, ", "))
	sep := ""
	for i, n := range h.names {
		if n != "" {
			b.put("%s", sep)
			h.operands[i].put(b)
			sep = ", "
		}
	}
	b.put("; ")
}

func (h *hoisted) any() bool {
	for _, n := range h.names {
		if n != "" {
			return true
		}
	}
	return len(h.tuple) > 0 || h.callee != nil
}

func (h *hoisted) close(b *builder) {
	if h.any() {
		b.put(" }")
	}
}

// operand adds the i-th operand.
func (h *hoisted) operand(b *builder, i int) {
	if h.names[i] != "" {
		b.put("%s%s", h.names[i], h.retype[i])
		return
	}
	h.operands[i].put(b)
}

// args adds the argument list of c.
func (h *hoisted) args(b *builder, c *ast.CallExpr) {
	b.put("(%s", strings.Join(h.tuple, ", "))
	if len(h.tuple) == 0 {
		for i := range h.operands {
			if i > 0 {
				b.put(", ")
			}
			h.operand(b, i)
		}
	}
	if c.Ellipsis.IsValid() {
		b.put("...")
	}
	b.put(")")
}

// goStmt rewrites a go statement. The function and its arguments are evaluated
// first, by the goroutine that starts the other.
func (r *rewriter) goStmt(s *ast.GoStmt) {
	c := s.Call
	if r.endCall(c, s.Go, s.End(), goCall) {
		return
	}
	kind, obj := sites.Classify(r.info, c.Fun)
	removal := "" // the goroutine removes something, and records it itself
	switch kind {
	case sites.Invalid, sites.Atomic:
		if kind == sites.Atomic { // others are used as values here
			r.calledBy[calledFunc(c)] = c
		}
		r.walk(c.Fun)
		r.args(c)
		r.foreign(c, obj)
		r.goFiles(s, obj)
		if r.races != nil {
			removal = r.removal(c)
		}
		if b, ok := builtin(r.info, c.Fun); ok && r.races != nil && b.Name() == "copy" {
			r.unrecorded(s.Go, "what is copied in a goroutine of its own is not recorded")
		} else if removal == "" {
			r.builtinCall(c)
		}
	case sites.Callback:
		r.operandOf(c.Fun)
		r.args(c)
		r.callback(c, obj)
	default:
		r.operandOf(c.Fun)
		r.args(c)
		switch op := r.operation(c); {
		case op != nil:
			r.goOperation(s, op)
			return
		case !r.reflectedOperation(c, kind, obj):
			r.endBehind(c, obj)
		}
	}
	id := r.site(sites.Go, s.Go)
	if id == 0 {
		return
	}
	if r.races != nil && (len(r.races.plainCalls[c])+len(r.races.given[c]) > 0 || slices.ContainsFunc(c.Args, r.races.isUsed) || r.writesBehind(c)) {
		r.unrecorded(s.Go, "what a library uses in a goroutine of its own is not recorded")
	}
	b := r.build(s.Go)
	lit, isLit := ast.Unparen(c.Fun).(*ast.FuncLit)
	if isLit && len(c.Args) == 0 && lit.Type.Results.NumFields() == 0 && lit.Type.Params.NumFields() == 0 {
		o := r.alikeIn(operand{expr: lit})
		b.put("%s.Go(%d, ", r.zz, id)
		o.put(b)
		b.put(")")
		b.done(s.End())
		return
	}
	h := r.hoist(c.Args)
	if h == nil {
		r.diag(s.Go, "go statement with an argument whose type its place decides: not guarded")
		return
	}
	if !r.static(c.Fun) {
		h.callee, h.function, h.calleeLast = c.Fun, r.name(), pure(r.info, c.Fun) && !callFree(c.Args)
	}
	h.open(b)
	open, end := r.alike(s, h)
	foreign := ""
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && r.calls[c] == ifaceCall && pure(r.info, sel.X) {
		foreign = r.name()
		b.put("%s := %s.IsForeign(", foreign, r.zz)
		b.node(sel.X)
		b.put("); ")
	}
	if sig, ok := r.info.TypeOf(c.Fun).Underlying().(*types.Signature); ok && h.callee != nil && len(c.Args) == 0 && sig.Results().Len() == 0 {
		// Go finds a nil function here; others, where they are called.
		b.put("%s.GoValue(%d, %s, %sfunc() { ", r.zz, id, h.function, open)
	} else {
		b.put("%s.Go(%d, %sfunc() { ", r.zz, id, open)
	}
	b.put("%s", r.goLibrary(c, h.function, foreign))
	switch {
	case kind == sites.Panic:
		b.put("panic(%s.Panic(%d, ", r.zz, r.site(sites.Panic, c.Lparen))
		h.operand(b, 0)
		b.put("))")
	case removal != "":
		b.put("%s.%s(%d, ", r.zz, removal, r.touch(c.Args[0]))
		h.operand(b, 0)
		b.put("); ")
		fallthrough
	case h.callee == nil:
		b.node(c.Fun)
		h.args(b, c)
	default:
		b.put("%s", h.function)
		h.args(b, c)
	}
	b.put(" }%s)", end)
	h.close(b)
	b.done(s.End())
}

// writesBehind reports whether a call is one of a logger, which writes to what is behind it.
func (r *rewriter) writesBehind(c *ast.CallExpr) bool {
	_, obj := sites.Classify(r.info, c.Fun)
	f, ok := obj.(*types.Func)
	return ok && f.Pkg() != nil && (f.Pkg().Path() == "log" || f.Pkg().Path() == "log/slog") && !wraps(f)
}

// goOperation rewrites the go statement of a guarded operation.
func (r *rewriter) goOperation(s *ast.GoStmt, op *operation) {
	id := r.site(sites.Go, s.Go)
	r.bind(op)
	h := r.hoistOperands(op.operands)
	if id == 0 || h == nil {
		r.diag(s.Go, "go statement with an argument whose type its place decides: not guarded")
		return
	}
	b := r.build(s.Go)
	h.open(b)
	b.put("%s.Go(%d, func() { %s(%d", r.zz, id, op.function, op.site)
	for i := range op.operands {
		b.put(", ")
		h.operand(b, i)
	}
	b.put(") })")
	h.close(b)
	b.done(s.End())
}

// static reports whether the callee denotes a function that evaluating it later
// does not change: a declared function, a builtin or a literal.
func (r *rewriter) static(fun ast.Expr) bool {
	switch e := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		switch r.info.Uses[e].(type) {
		case *types.Func, *types.Builtin:
			return true
		}
	case *ast.SelectorExpr:
		if s := r.info.Selections[e]; s != nil {
			return s.Kind() == types.MethodExpr
		}
		switch r.info.Uses[e.Sel].(type) {
		case *types.Func, *types.Builtin:
			return true
		}
	case *ast.IndexExpr:
		return r.static(e.X)
	case *ast.IndexListExpr:
		return r.static(e.X)
	}
	return false
}

// deferLogging has a deferred call that writes to a test guarded when it is made, and not where it is deferred: by one that is
// deferred behind it.
func (r *rewriter) deferLogging(s *ast.DeferStmt) {
	sel, ok := ast.Unparen(s.Call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	f, ok := r.info.Uses[sel.Sel].(*types.Func)
	if !ok {
		return
	}
	function := testWrites[f.FullName()]
	if function == "" {
		function = r.mayWriteTest(f)
	}
	if function == "" {
		return
	}
	site, ok := r.idx.Stmt(s.Call.Pos())
	if selection := r.info.Selections[sel]; !ok || selection == nil || selection.Kind() != types.MethodVal || !pure(r.info, sel.X) {
		r.diag(s.Call.Pos(), "testing's %s in a deferred call: that it is called after the end of the test is not seen", f.Name())
		return
	}
	r.deferInFront(s, fmt.Sprintf("%s.%sOn(%d, ", r.zz, function, site.ID), sel.X)
	r.unit.guarded[site.ID] = true
}

// deferStmt rewrites a defer statement: what is deferred is guarded when it
// runs.
func (r *rewriter) deferStmt(s *ast.DeferStmt) {
	c := s.Call
	if r.endCall(c, s.Defer, s.End(), deferredCall) {
		return
	}
	if kind, _ := sites.Classify(r.info, c.Fun); kind != sites.Panic {
		r.later[c] = true
		r.call(c)
		r.deferLibrary(s)
		r.deferRemoval(s)
		r.deferFiles(s)
		r.deferLogging(s)
		return
	}
	r.args(c)
	id := r.site(sites.Panic, c.Lparen)
	if id == 0 {
		return
	}
	v := r.name()
	r.before(c.Fun.Pos(), fmt.Sprintf("func(%s interface{}) { ", v))
	r.after(c.Fun.End(), fmt.Sprintf("(%s.Panic(%d, %s)) }", r.zz, id, v))
}
