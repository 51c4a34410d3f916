package sites

import (
	"go/ast"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// guardOf is where the guard stands of a statement around an expression, by the syntax alone;
// false where it has none. stack has the nodes around the expression, the outermost first.
func guardOf(stack []ast.Node) (token.Pos, bool) {
	for i := len(stack) - 1; i >= 0; i-- {
		inner := func(n ast.Node) bool { return i+1 < len(stack) && stack[i+1] == n }
		switch s := stack[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return 0, false // parameters
		case *ast.BlockStmt, *ast.LabeledStmt:
		case *ast.CaseClause, *ast.CommClause: // of the statement around it
		case *ast.IfStmt:
			return s.If, true
		case *ast.ForStmt:
			switch {
			case inner(s.Post):
				return 0, false
			case inner(s.Cond):
				return s.Cond.Pos(), true
			}
			return s.For, true
		case *ast.RangeStmt:
			return s.For, inner(s.X)
		case *ast.SwitchStmt:
			return s.Switch, true
		case *ast.TypeSwitchStmt:
			return s.Switch, true
		case *ast.SelectStmt:
			return s.Select, true
		case ast.Stmt:
			if i > 0 && partOf(stack[i-1], s) {
				continue
			}
			return s.Pos(), true
		}
	}
	return 0, false
}

// partOf reports that a statement is one of the header of another one, or the communication
// of a case.
func partOf(n ast.Node, s ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Init == s
	case *ast.ForStmt:
		return n.Init == s || n.Post == s
	case *ast.SwitchStmt:
		return n.Init == s
	case *ast.TypeSwitchStmt:
		return n.Init == s || n.Assign == s
	case *ast.CommClause:
		return n.Comm == s
	}
	return false
}

// TestStatements: every variable in an expression belongs to the statement that has it, be it in
// the third case of a switch or in a function literal within an argument.
func TestStatements(t *testing.T) {
	patterns := []string{"golang.org/x/tools/go/ssa", "net/http", "database/sql", "testing", "encoding/json"}
	if testing.Short() {
		patterns = patterns[:1]
	}
	pkgs := append(loadSyntax(t, false, patterns...), loadSyntax(t, false, "./testdata/forms.go")...)
	checked := map[string]int{} // variables, by where they are
	for _, p := range pkgs {
		x := number([]*packages.Package{p}, nil)
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || hasPragma(fn.Doc) {
					continue
				}
				var stack []ast.Node
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if n == nil {
						stack = stack[:len(stack)-1]
						return true
					}
					stack = append(stack, n)
					id, ok := n.(*ast.Ident)
					if !ok {
						return true
					}
					v, ok := p.TypesInfo.Uses[id].(*types.Var)
					if !ok || v.IsField() || assignedByCase(stack) {
						return true
					}
					want, has := guardOf(stack)
					if !has {
						return true
					}
					at := p.Fset.Position(id.Pos())
					s, ok := x.Stmt(id.Pos())
					require.True(t, ok, "%s: %s belongs to no statement", at, id.Name)
					guard := p.Fset.Position(want)
					require.Equal(t, [2]int{guard.Line, guard.Column}, [2]int{s.Line, s.Col}, "%s: %s", at, id.Name)
					checked[placeOf(stack)]++
					return true
				})
			}
		}
	}
	for _, where := range []string{"if", "for", "range", "case", "select", "literal", "simple"} {
		require.NotZero(t, checked[where], where)
	}
}

// assignedByCase reports that an expression is what a case of a select assigns to.
func assignedByCase(stack []ast.Node) bool {
	for i := len(stack) - 1; i > 0; i-- {
		c, ok := stack[i-1].(*ast.CommClause)
		if !ok || c.Comm != stack[i] {
			continue
		}
		a, ok := c.Comm.(*ast.AssignStmt)
		return ok && stack[i+1] != a.Rhs[0]
	}
	return false
}

// placeOf says in what kind of place an expression is.
func placeOf(stack []ast.Node) string {
	for i := len(stack) - 1; i >= 0; i-- {
		switch s := stack[i].(type) {
		case *ast.IfStmt:
			return "if"
		case *ast.ForStmt:
			return "for"
		case *ast.RangeStmt:
			return "range"
		case *ast.CaseClause:
			return "case"
		case *ast.CommClause, *ast.SelectStmt:
			return "select"
		case *ast.FuncLit:
			return "literal"
		case ast.Stmt:
			if i > 0 && partOf(stack[i-1], s) {
				continue
			}
			if i > 2 {
				if _, ok := stack[i-2].(*ast.FuncLit); ok {
					return "literal"
				}
			}
			return "simple"
		}
	}
	return ""
}
