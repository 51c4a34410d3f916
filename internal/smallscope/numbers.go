package smallscope

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// least is the least number that is made smaller: what is below is as good as small.
const least = 3

// A number counts something if it flows to where iterations or goroutines are counted: the bound of a loop, a length
// that loops go over, what ends a recursion, a wait group. What it flows through is not followed by what the program does, but by name: a
// number that is assigned to a variable flows to all uses of it. That is enough, since nothing rests on it: whether the
// smaller program still makes sense is shown by a check of it.

// numbers are those of a program that count something.
type numbers struct {
	prog     *source.Program
	flows    map[types.Object][]flow
	changed  map[types.Object]bool // also by what is no flow
	seen     map[types.Object]bool
	literals []literal
	// bodies are the functions of the program, and meets says of functions, and of variables that have some, whether they are concurrent.
	bodies map[*types.Func]body
	meets  map[types.Object]bool
	called map[*types.Func][]*types.Func // what callees has found
	// loops are those that bound loops, related those that are compared with, or given to, what counts.
	loops, related map[int64]bool
	// lengths are those of lists that are written out, which loops go over.
	lengths map[int64]bool
}

// flow is an expression whose value something may have.
type flow struct {
	info *types.Info
	from ast.Expr
}

// body is what a function does.
type body struct {
	info *types.Info
	node *ast.BlockStmt
}

// literal is a number where it is written.
type literal struct {
	at    *ast.BasicLit
	value int64
}

// find finds the numbers of a program that count something, in what its entry can reach.
func find(prog *source.Program) *numbers {
	n := &numbers{
		prog: prog, flows: map[types.Object][]flow{}, changed: map[types.Object]bool{}, seen: map[types.Object]bool{}, bodies: map[*types.Func]body{}, meets: map[types.Object]bool{}, called: map[*types.Func][]*types.Func{},
		loops: map[int64]bool{}, related: map[int64]bool{}, lengths: map[int64]bool{},
	}
	type part struct {
		info *types.Info
		node ast.Node
	}
	var parts []part
	prog.Reached(func(p *packages.Package, node ast.Node) {
		if d, ok := node.(*ast.FuncDecl); ok && d.Body != nil {
			if f, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
				n.bodies[f] = body{p.TypesInfo, d.Body}
			}
		}
		if p.Module == nil || !p.Module.Main {
			return // dependencies stay as they are
		}
		parts = append(parts, part{p.TypesInfo, node})
		n.collect(p.TypesInfo, node)
	})
	for _, p := range parts {
		n.bounds(p.info, p.node)
	}
	for _, p := range parts { // what bounds a loop, too, is known by now
		n.relate(p.info, p.node)
	}
	return n
}

// collect notes what flows where in a declaration, and the numbers in it.
func (n *numbers) collect(info *types.Info, node ast.Node) {
	var results []types.Object // of the functions around, by nesting
	var nested []ast.Node
	ast.Inspect(node, func(x ast.Node) bool {
		if x == nil {
			if _, ok := nested[len(nested)-1].(*ast.FuncDecl); ok {
				results = results[:len(results)-1]
			}
			nested = nested[:len(nested)-1]
			return true
		}
		nested = append(nested, x)
		switch x := x.(type) {
		case *ast.FuncDecl:
			results = append(results, info.Defs[x.Name])
		case *ast.ReturnStmt:
			if len(results) > 0 && len(x.Results) == 1 {
				n.flow(info, results[len(results)-1], x.Results[0])
			}
		case *ast.AssignStmt:
			if len(x.Lhs) == len(x.Rhs) {
				for i, l := range x.Lhs {
					n.flow(info, object(info, l), x.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(x.Names) == len(x.Values) {
				for i, name := range x.Names {
					n.flow(info, info.Defs[name], x.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			if id, ok := x.Key.(*ast.Ident); ok {
				n.flow(info, info.Uses[id], x.Value)
			}
		case *ast.IncDecStmt:
			n.changed[object(info, x.X)] = true
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				n.changed[object(info, x.X)] = true
			}
		case *ast.CompositeLit:
			n.fields(info, x)
		case *ast.CallExpr:
			n.arguments(info, x)
		case *ast.BasicLit:
			if v, ok := number(info, x); ok {
				n.literals = append(n.literals, literal{x, v})
			}
		}
		return true
	})
}

// flow notes that a value flows to an object, if there is one.
func (n *numbers) flow(info *types.Info, to types.Object, from ast.Expr) {
	if to != nil {
		n.flows[origin(to)] = append(n.flows[origin(to)], flow{info, from})
	}
}

// fields notes what flows to the fields of a struct that is written without their names.
func (n *numbers) fields(info *types.Info, lit *ast.CompositeLit) {
	t := info.TypeOf(lit)
	if t == nil {
		return
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if _, named := e.(*ast.KeyValueExpr); !named && i < s.NumFields() {
			n.flow(info, s.Field(i), e)
		}
	}
}

// arguments notes what flows to the parameters of a function, and to a counter by its methods.
func (n *numbers) arguments(info *types.Info, call *ast.CallExpr) {
	f := callee(info, call)
	if f == nil {
		return
	}
	if counter := counterOf(info, call, f); counter != nil {
		for _, a := range call.Args {
			n.flow(info, counter, a)
		}
		return
	}
	params := f.Origin().Signature().Params()
	for i, a := range call.Args {
		if i < params.Len() {
			n.flow(info, params.At(i), a)
		}
	}
}

// counterOf is what a method of package sync/atomic is called on, nil if it is none.
func counterOf(info *types.Info, call *ast.CallExpr, f *types.Func) types.Object {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync/atomic" || f.Signature().Recv() == nil {
		return nil
	}
	return object(info, sel.X)
}

// callee is the function that a call names, nil if it is a value.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) { // with type arguments
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	f, _ := object(info, fun).(*types.Func)
	return f
}

// object is what an expression names: a variable, a field, a function or a constant.
func object(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.ObjectOf(e)
	case *ast.SelectorExpr:
		return info.ObjectOf(e.Sel)
	case *ast.StarExpr:
		return object(info, e.X)
	case *ast.UnaryExpr:
		return object(info, e.X)
	}
	return nil
}

// origin is an object of generic code as it is declared.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return o
}

// number is the value of a literal that is written as a decimal number and is an integer of a type of the
// language: a duration, say, is none.
func number(info *types.Info, l *ast.BasicLit) (int64, bool) {
	text := strings.ReplaceAll(l.Value, "_", "")
	if l.Kind != token.INT || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	b, ok := info.TypeOf(l).(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil
}

// bounds finds the numbers that bound loops in which goroutines may meet, and recursions.
func (n *numbers) bounds(info *types.Info, node ast.Node) {
	recursive := false
	if d, ok := node.(*ast.FuncDecl); ok {
		f, _ := info.Defs[d.Name].(*types.Func)
		recursive = f != nil && n.concurrentFunc(f) && n.recursive(f)
	}
	ends := func(conds ...ast.Expr) {
		for _, c := range conds {
			for _, e := range conjuncts(c) {
				if recursive && !remainder(e.X) && !remainder(e.Y) {
					n.mark(info, e.X, n.loops)
					n.mark(info, e.Y, n.loops)
				}
			}
		}
	}
	ast.Inspect(node, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt:
			ends(x.Cond)
		case *ast.SwitchStmt:
			for _, c := range x.Body.List {
				if x.Tag == nil {
					ends(c.(*ast.CaseClause).List...)
				}
			}
		case *ast.ForStmt:
			if !n.concurrent(info, x) {
				break
			}
			for _, e := range conjuncts(x.Cond) {
				n.mark(info, e.X, n.loops)
				n.mark(info, e.Y, n.loops)
			}
		case *ast.RangeStmt:
			if !n.concurrent(info, x) {
				break
			}
			if b, ok := info.TypeOf(x.X).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				n.mark(info, x.X, n.loops)
			} else {
				n.size(info, x.X, n.loops)
			}
		}
		return true
	})
}

// relate finds the numbers that others are compared with, or that are given to what counts.
func (n *numbers) relate(info *types.Info, node ast.Node) {
	ast.Inspect(node, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.BinaryExpr:
			if comparison(x.Op) && !remainder(x.X) && !remainder(x.Y) {
				n.compared(info, x.X, x.Y)
				n.compared(info, x.Y, x.X)
			}
		case *ast.CallExpr:
			n.given(info, x)
		}
		return true
	})
}

// conjuncts are the comparisons of a condition all of which have to hold.
func conjuncts(e ast.Expr) []*ast.BinaryExpr {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	switch {
	case !ok:
		return nil
	case b.Op == token.LAND:
		return append(conjuncts(b.X), conjuncts(b.Y)...)
	case comparison(b.Op):
		return []*ast.BinaryExpr{b}
	}
	return nil
}

func comparison(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return true
	}
	return false
}

// remainder reports whether an expression takes a number apart, so that what it is compared with is no count.
func remainder(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && (b.Op == token.REM || b.Op == token.AND || b.Op == token.SHR || b.Op == token.QUO)
}

// compared marks a constant, or a length, that something else is compared with.
func (n *numbers) compared(info *types.Info, e, with ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if info.Types[e].Value != nil && info.Types[with].Value == nil || ok && isBuiltin(info, call) {
		n.mark(info, e, n.related)
	}
}

func isBuiltin(info *types.Info, call *ast.CallExpr) bool {
	_, ok := object(info, call.Fun).(*types.Builtin)
	return ok
}

// given marks what is given to make, a wait group or a counter.
func (n *numbers) given(info *types.Info, call *ast.CallExpr) {
	if isBuiltin(info, call) && object(info, call.Fun).Name() == "make" {
		for _, a := range call.Args[1:] {
			n.mark(info, a, n.related)
		}
	}
	if f := callee(info, call); f != nil && f.Pkg() != nil && (f.Pkg().Path() == "sync" || f.Pkg().Path() == "sync/atomic") {
		for _, a := range call.Args {
			if info.Types[a].Value != nil || f.Pkg().Path() == "sync" {
				n.mark(info, a, n.related)
			}
		}
	}
}

// mark notes the numbers that an expression may have its value from.
func (n *numbers) mark(info *types.Info, e ast.Expr, as map[int64]bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if v, ok := number(info, e); ok && v >= least {
			as[v] = true
		}
	case *ast.Ident, *ast.SelectorExpr:
		n.markObject(object(info, e), as)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB:
			n.mark(info, e.X, as)
			n.mark(info, e.Y, as)
		case token.MUL: // a factor that is written as a number counts nothing
			for _, x := range []ast.Expr{e.X, e.Y} {
				if _, ok := ast.Unparen(x).(*ast.BasicLit); !ok {
					n.mark(info, x, as)
				}
			}
		}
	case *ast.CallExpr:
		n.markCall(info, e, as)
	}
}

func (n *numbers) markCall(info *types.Info, call *ast.CallExpr, as map[int64]bool) {
	if info.Types[call.Fun].IsType() {
		for _, a := range call.Args {
			n.mark(info, a, as)
		}
		return
	}
	if b, ok := object(info, call.Fun).(*types.Builtin); ok {
		for _, a := range call.Args {
			switch b.Name() {
			case "len", "cap":
				n.size(info, a, as)
			case "min", "max":
				n.mark(info, a, as)
			}
		}
		return
	}
	if f := callee(info, call); f != nil {
		if counter := counterOf(info, call, f); counter != nil {
			n.markObject(counter, as)
		}
		n.markObject(f, as)
	}
}

// markObject notes the numbers that something may have its value from, once.
func (n *numbers) markObject(o types.Object, as map[int64]bool) {
	if o == nil || n.seen[origin(o)] {
		return
	}
	o = origin(o)
	n.seen[o] = true
	for _, f := range n.flows[o] {
		n.mark(f.info, f.from, as)
	}
}

// size notes the numbers that the length of a list or a channel is from.
func (n *numbers) size(info *types.Info, e ast.Expr, as map[int64]bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		if a, ok := e.Type.(*ast.ArrayType); ok {
			if a.Len != nil {
				n.mark(info, a.Len, as)
			} else {
				n.lengths[int64(len(e.Elts))] = true
			}
		}
	case *ast.CallExpr:
		if b, ok := object(info, e.Fun).(*types.Builtin); ok {
			if b.Name() == "make" && len(e.Args) > 1 {
				n.mark(info, e.Args[1], as)
			}
			return
		}
		if f := callee(info, e); f != nil {
			n.sizeOf(f, as)
		}
	case *ast.Ident, *ast.SelectorExpr:
		if t := info.TypeOf(e); t != nil {
			if a, ok := array(t); ok {
				n.arrays(a.Len(), as)
				return
			}
		}
		n.sizeOf(object(info, e), as)
	}
}

// array is the type of an array, or of what a pointer to one points to.
func array(t types.Type) (*types.Array, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	a, ok := t.Underlying().(*types.Array)
	return a, ok
}

// arrays notes the length of arrays, where it is written as a number.
func (n *numbers) arrays(length int64, as map[int64]bool) {
	if length >= least && slices.ContainsFunc(n.literals, func(l literal) bool { return l.value == length }) {
		as[length] = true
	}
}

func (n *numbers) sizeOf(o types.Object, as map[int64]bool) {
	if o == nil || n.seen[origin(o)] {
		return
	}
	o = origin(o)
	n.seen[o] = true
	for _, f := range n.flows[o] {
		n.size(f.info, f.from, as)
	}
}
