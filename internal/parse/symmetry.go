package parse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// The runtime takes goroutines that are started at one site for alike if all that they can refer to is the same, besides
// what is the same for all: see Alike there. It is told what that is: the addresses of the local variables that are used in
// what is started, and the values that it is given.

// refers are the addresses of the local variables, declared outside, that parts of a statement at a position refer to. It reports whether
// all of them can be named there.
func (r *rewriter) refers(at token.Pos, parts ...ast.Node) (list []string, ok bool) {
	ok = true
	for _, part := range parts {
		ast.Inspect(part, func(n ast.Node) bool {
			id, isIdent := n.(*ast.Ident)
			if !isIdent {
				return true
			}
			v, isVar := r.info.Uses[id].(*types.Var)
			if !isVar || v.IsField() || v.Pkg() == nil || isPackageVar(v) || part.Pos() <= v.Pos() && v.Pos() < part.End() {
				return true
			}
			if address := "&" + v.Name(); !slices.Contains(list, address) {
				list = append(list, address)
				ok = ok && r.means(at, v)
			}
			return true
		})
	}
	return list, ok
}

// alike returns what stands around the function that a go statement starts, which calls what was evaluated first.
func (r *rewriter) alike(s *ast.GoStmt, h *hoisted) (open, end string) {
	c := s.Call
	list := slices.Clone(h.tuple)
	var parts []ast.Node
	for i, name := range h.names {
		switch {
		case name != "":
			list = append(list, name)
		case len(h.tuple) == 0:
			parts = append(parts, h.operands[i].expr)
		}
	}
	if x, ok := r.receiverOf(c.Fun); ok && h.callee != nil {
		if x == "" {
			return "", ""
		}
		list = append(list, x)
	} else if h.callee != nil {
		list = append(list, h.function)
	} else {
		parts = append(parts, c.Fun)
	}
	more, ok := r.refers(s.Go, parts...)
	if !ok {
		return "", ""
	}
	return r.zz + ".Alike(", strings.Join(append([]string{""}, append(list, more...)...), ", ") + ")"
}

// receiverOf is what tells the value of a method from others of the same method, "" if nothing does in front of the statement.
// It reports whether an expression is one.
func (r *rewriter) receiverOf(fun ast.Expr) (x string, ok bool) {
	sel, _ := ast.Unparen(fun).(*ast.SelectorExpr)
	if sel == nil {
		return "", false
	}
	m := r.info.Selections[sel]
	if m == nil || m.Kind() != types.MethodVal {
		return "", false
	}
	x = string(r.src[r.file.Offset(sel.X.Pos()):r.file.Offset(sel.X.End())])
	t := r.info.TypeOf(sel.X)
	takes := isPointer(m.Obj().(*types.Func).Signature().Recv().Type())
	switch {
	case len(m.Index()) > 1, !pure(r.info, sel.X), strings.ContainsAny(x, "\n/"):
		return "", true
	case isPointer(t) == takes || types.IsInterface(t):
		return x, true
	case takes:
		return "&" + x, true
	}
	return "", true // a copy of what it points to
}

// alikeIn is alike for the function that is handed to the Go of a WaitGroup.
func (r *rewriter) alikeIn(o operand) operand {
	lit, ok := ast.Unparen(o.expr).(*ast.FuncLit)
	if !ok {
		return o
	}
	list, ok := r.refers(lit.Pos(), lit)
	if !ok {
		return o
	}
	return operand{pre: r.zz + ".Alike(" + o.pre, expr: o.expr, post: o.post + strings.Join(append([]string{""}, list...), ", ") + ")"}
}
