package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// The language leaves open whether a statement reads a variable before or behind the calls in it, and compiled programs
// read most behind all calls. A call of the runtime around an expression is a call like others, made in its turn: what
// says where the value is would be read then, and an instrumented program would do what no compiled one does. Where calls
// follow, the expression is therefore written twice: as the operand of the runtime, and as what is evaluated,
//
//	(*zz.ReadLater(&x, zz.Rd(7, &x.f.n))).f.n
//
// where x is not read before the compiler would read it in x.f.n.

// readsLater finds the expressions behind which the statement that they stand in calls something. Only those count that
// can be written twice, and do not stand for the same variable whatever is called.
func readsLater(info *types.Info, f *ast.File) map[ast.Expr]bool {
	v := &evaluation{info: info, set: setByLiterals(info, f), behind: map[ast.Expr]bool{}}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			v.group(append(append([]ast.Expr{}, n.Lhs...), n.Rhs...)...)
		case *ast.ValueSpec:
			v.group(n.Values...)
		case *ast.ExprStmt:
			v.group(n.X)
		case *ast.ReturnStmt:
			v.group(n.Results...)
		case *ast.SendStmt:
			v.group(n.Chan, n.Value)
		case *ast.IncDecStmt:
			v.group(n.X)
		case *ast.IfStmt:
			v.group(n.Cond)
		case *ast.ForStmt:
			v.group(n.Cond)
		case *ast.RangeStmt:
			v.group(n.X)
		case *ast.SwitchStmt:
			v.group(n.Tag)
		case *ast.CaseClause:
			for _, e := range n.List {
				v.group(e)
			}
		case *ast.GoStmt:
			v.group(n.Call)
		case *ast.DeferStmt:
			v.group(n.Call)
		}
		return true
	})
	return v.behind
}

// evaluation is what is known of the order in which the operands of statements are evaluated.
type evaluation struct {
	info   *types.Info
	set    map[*types.Var]bool // local variables that a call may set
	behind map[ast.Expr]bool
}

// group looks at expressions that one statement, or one call in it, evaluates together.
func (v *evaluation) group(list ...ast.Expr) {
	list = slices.DeleteFunc(list, func(e ast.Expr) bool { return e == nil })
	last := token.NoPos // where the last call begins
	evaluates(list, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if v.calls(n) {
				last = max(last, n.Pos())
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				last = max(last, n.OpPos)
			}
		}
		return false
	})
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if v.calls(n) { // it has its operands when it is made
					v.group(append([]ast.Expr{n.Fun}, n.Args...)...)
					return false
				}
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR { // whether the right side is evaluated depends on the left one
					v.group(n.X)
					v.group(n.Y)
					return false
				}
			}
			if x, ok := n.(ast.Expr); ok && x.End() <= last && v.varies(x) {
				v.behind[x] = true
			}
			return true
		})
	}
}

// calls: it is not a conversion, or a builtin.
func (v *evaluation) calls(c *ast.CallExpr) bool {
	tv := v.info.Types[c.Fun]
	return !tv.IsType() && !tv.IsBuiltin()
}

// varies: a call may change what an expression stands for, which can be written twice.
func (v *evaluation) varies(e ast.Expr) bool {
	root := rootOf(v.info, e)
	if root == nil || !pure(v.info, e) {
		return false
	}
	x, ok := v.info.ObjectOf(root.name).(*types.Var)
	if !ok || x.IsField() {
		return false
	}
	if x.Parent() == nil || isPackageVar(x) || v.set[x] {
		return true
	}
	steps := 0 // of which each but the first one reads something that others may set
	for e != root.expr {
		switch n := e.(type) {
		case *ast.ParenExpr:
			e = n.X
			continue
		case *ast.SelectorExpr:
			e = n.X
		case *ast.StarExpr:
			e = n.X
		case *ast.IndexExpr:
			e = n.X
		}
		steps++
	}
	return steps > 0
}

// root is the variable from which an expression is found.
type root struct {
	expr ast.Expr // with the package, if it is one of another
	name *ast.Ident
}

// rootOf returns nil if there is none.
func rootOf(info *types.Info, e ast.Expr) *root {
	switch x := e.(type) {
	case *ast.Ident:
		return &root{x, x}
	case *ast.SelectorExpr:
		if info.Selections[x] == nil {
			return &root{x, x.Sel}
		}
		if s := info.Selections[x]; s.Kind() != types.FieldVal {
			return nil
		}
		return rootOf(info, x.X)
	case *ast.IndexExpr:
		return rootOf(info, x.X)
	case *ast.StarExpr:
		return rootOf(info, x.X)
	case *ast.ParenExpr:
		return rootOf(info, x.X)
	}
	return nil
}

// setByLiterals are local variables that function literals set that are not theirs, and those whose address is taken.
func setByLiterals(info *types.Info, f *ast.File) map[*types.Var]bool {
	set := map[*types.Var]bool{}
	var literals []*ast.FuncLit
	note := func(e ast.Expr, always bool) {
		for {
			switch x := e.(type) {
			case *ast.ParenExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				e = x.X
				continue
			case *ast.IndexExpr:
				e = x.X
				continue
			}
			break
		}
		id, ok := e.(*ast.Ident)
		if !ok {
			return
		}
		if v, ok := info.ObjectOf(id).(*types.Var); ok {
			if n := len(literals); always || n > 0 && v.Pos() < literals[n-1].Pos() {
				set[v] = true
			}
		}
	}
	ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
		literals = literals[:0]
		for _, s := range stack {
			if l, ok := s.(*ast.FuncLit); ok {
				literals = append(literals, l)
			}
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				note(e, false)
			}
		case *ast.IncDecStmt:
			note(n.X, false)
		case *ast.RangeStmt:
			note(n.Key, false)
			note(n.Value, false)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X, true)
			}
		}
		return true
	})
	return set
}

// readLater rewrites an expression by a function that puts calls of the runtime around it, or not. It is then read as
// compiled programs read it: behind the calls that follow in its statement.
func (r *rewriter) readLater(e ast.Expr, rewrite func()) {
	if !r.behind[e] {
		rewrite()
		return
	}
	start, end := r.file.Offset(e.Pos()), r.file.Offset(e.End())
	operand := r.text(start, end)
	rewrite()
	now, original := strings.TrimSpace(r.text(start, end)), string(r.src[start:end])
	if now == strings.TrimSpace(operand) || strings.ContainsAny(original, "\n/") {
		return
	}
	of := rootOf(r.info, e)
	if strings.HasPrefix(now, "(*"+r.zz+".") {
		if of.expr == e {
			return // a pointer to a variable, which is followed in its turn
		}
		now = now[len("(*") : len(now)-len(")")]
	}
	from, to := r.file.Offset(of.expr.Pos()), r.file.Offset(of.expr.End())
	r.replace(start, end, fmt.Sprintf("%s(*%s.ReadLater(&%s, %s))%s", r.src[start:from], r.zz, r.src[from:to], now, r.src[to:end]))
}

// calleeLast is the function, or the value in an interface, that a call reads behind the calls in its arguments, nil if it
// does not. Compiled programs read it so where it stands by itself, and not where it is what a pointer refers to that a call
// in its place returns.
func (r *rewriter) calleeLast(c *ast.CallExpr) ast.Expr {
	e := ast.Unparen(c.Fun)
	if sel, ok := e.(*ast.SelectorExpr); ok && r.info.Selections[sel] != nil && r.info.Selections[sel].Kind() == types.MethodVal {
		e = sel.X
		if !types.IsInterface(r.info.TypeOf(e)) || isTypeParam(r.info.TypeOf(e)) {
			return nil // an argument like others
		}
	}
	if !r.behind[e] || r.static(e) || strings.ContainsAny(string(r.src[r.file.Offset(e.Pos()):r.file.Offset(e.End())]), "\n/") {
		return nil
	}
	return e
}

// restore has an expression be as it is in the file.
func (r *rewriter) restore(e ast.Expr) {
	if e == nil {
		return
	}
	start, end := r.file.Offset(e.Pos()), r.file.Offset(e.End())
	if i, j, _ := r.inside(start, end); i < j {
		r.replace(start, end, string(r.src[start:end]))
	}
}

// recordCallee records the read of what a call reads last behind its last argument that calls something.
func (r *rewriter) recordCallee(c *ast.CallExpr) {
	e := r.calleeLast(c)
	if e == nil || r.later[c] || r.calls[c] != 0 {
		return // it is where the call begins, or is deferred
	}
	start, end := r.file.Offset(e.Pos()), r.file.Offset(e.End())
	text := r.text(start, end)
	if text == string(r.src[start:end]) {
		return
	}
	for _, a := range slices.Backward(c.Args) {
		if _, several := r.info.TypeOf(a).(*types.Tuple); !callFree([]ast.Expr{a}) && !several && r.maps.keepsType(a) {
			r.restore(e)
			r.before(a.Pos(), r.zz+".Recorded(")
			r.after(a.End(), ", "+text+")")
			return
		}
	}
}
