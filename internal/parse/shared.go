package parse

import (
	"go/ast"
	"go/token"
	"go/types"
)

// sharing finds the local variables of a file that another goroutine may come
// to see: those that a function literal uses which is not called on the spot,
// and those whose address is taken.
type sharing struct {
	info   *types.Info
	shared map[*types.Var]bool
}

func findShared(info *types.Info, f *ast.File) map[*types.Var]bool {
	s := &sharing{info: info, shared: map[*types.Var]bool{}}
	for _, d := range f.Decls {
		s.visit(d, d)
	}
	return s.shared
}

// visit looks at what is below n, in the function home.
func (s *sharing) visit(n, home ast.Node) {
	spot := map[*ast.FuncLit]bool{}
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.GoStmt:
			// Its function is not called on the spot.
			if lit, ok := ast.Unparen(m.Call.Fun).(*ast.FuncLit); ok {
				s.visit(lit.Type, lit)
				s.visit(lit.Body, lit)
				for _, a := range m.Call.Args {
					s.visit(a, home)
				}
				return false
			}
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(m.Fun).(*ast.FuncLit); ok {
				spot[lit] = true
			}
			s.receiver(m.Fun)
		case *ast.FuncLit:
			if spot[m] {
				return true
			}
			s.visit(m.Type, m)
			s.visit(m.Body, m)
			return false
		case *ast.UnaryExpr:
			if m.Op == token.AND {
				s.escapes(m.X)
			}
		case *ast.SliceExpr:
			if _, ok := s.info.TypeOf(m.X).Underlying().(*types.Array); ok {
				s.escapes(m.X)
			}
		case *ast.SelectorExpr:
			s.receiver(m)
		case *ast.Ident:
			lit, ok := home.(*ast.FuncLit)
			if !ok {
				break // all it can use is declared here, or by the package
			}
			if v, ok := s.info.Uses[m].(*types.Var); ok && (v.Pos() < lit.Pos() || lit.End() <= v.Pos()) {
				s.shared[v] = true
			}
		}
		return true
	})
}

// receiver: a method with a pointer receiver gets the address of a variable.
func (s *sharing) receiver(fun ast.Expr) {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	if m := s.info.Selections[sel]; m != nil && m.Kind() == types.MethodVal {
		if f, ok := m.Obj().(*types.Func); ok && isPointer(f.Signature().Recv().Type()) {
			s.escapes(sel.X)
		}
	}
}

// escapes notes that the address of e, if it is a variable or part of one, is
// taken.
func (s *sharing) escapes(e ast.Expr) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if v, ok := s.info.Uses[x].(*types.Var); ok {
				s.shared[v] = true
			}
			return
		case *ast.SelectorExpr:
			m := s.info.Selections[x]
			if m == nil || m.Kind() != types.FieldVal || isPointer(s.info.TypeOf(x.X)) {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			if _, ok := s.info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return
			}
			e = x.X
		default:
			return
		}
	}
}
