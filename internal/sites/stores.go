package sites

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A store is the second point of a statement: in front of its write.
type store struct {
	stmt   token.Pos // of the statement
	op     token.Pos // of the operator
	target token.Pos // by which the SSA form knows the write
}

// store notes that a statement is an assignment to a plain variable or a chain
// of fields whose value reads memory, or calls what may run for long.
func (n *numberer) store(s ast.Stmt) {
	if n.quiet {
		return
	}
	switch s := s.(type) {
	case *ast.IncDecStmt:
		if at, ok := n.target(s.X); ok {
			n.writes = append(n.writes, store{s.Pos(), s.TokPos, at})
		}
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return
		}
		if s.Tok == token.ASSIGN && (!n.reads(s.Rhs[0]) || !n.typed(s.Rhs[0], n.pkg.Info.TypeOf(s.Lhs[0]))) {
			return
		}
		if at, ok := n.target(s.Lhs[0]); ok {
			n.writes = append(n.writes, store{s.Pos(), s.TokPos, at})
		}
	}
}

// addStores gives the stores of the package their numbers.
func (n *numberer) addStores() {
	for _, s := range n.writes {
		site := n.sites[n.at[place{Stmt, s.stmt}]]
		if site.ID == 0 {
			continue
		}
		pos := n.fset.PositionFor(s.op, false)
		site.ID, site.Kind, site.Key, site.Pos = ID(len(n.sites)), Store, StoreKey(site.Key), s.op
		site.Line, site.Col = pos.Line, pos.Column
		n.sites = append(n.sites, site)
		n.Index.stores[n.at[place{Stmt, s.stmt}]] = site.ID
		n.at[place{Store, s.op}], n.at[place{Store, s.target}] = site.ID, site.ID
	}
}

// StoreKey is the key of the store of a statement, of which it has the key.
func StoreKey(stmt string) string { return stmt + ".store" }

// target is the position of the write to a variable or a chain of fields, as
// the SSA form has it. Such an expression can be evaluated twice.
func (n *numberer) target(e ast.Expr) (token.Pos, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Pos(), n.variable(e)
	case *ast.SelectorExpr:
		return e.Sel.Pos(), n.chain(e)
	case *ast.StarExpr:
		return e.Star, n.chain(e.X)
	}
	return token.NoPos, false
}

// chain reports that an expression is a variable, or a field of one, perhaps
// behind pointers.
func (n *numberer) chain(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return n.variable(e)
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if _, ok := n.pkg.Info.Uses[x].(*types.PkgName); ok {
				return n.variable(e.Sel)
			}
		}
		return n.variable(e.Sel) && n.chain(e.X)
	case *ast.StarExpr:
		return n.chain(e.X)
	}
	return false
}

func (n *numberer) variable(id *ast.Ident) bool {
	_, ok := n.pkg.Info.Uses[id].(*types.Var)
	return ok
}

// reads reports that an expression reads a variable or calls a function.
func (n *numberer) reads(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			found = found || n.variable(m)
		case *ast.CallExpr:
			f := n.pkg.Info.Types[m.Fun]
			found = found || !f.IsType() && !f.IsBuiltin()
		}
		return !found
	})
	return found
}

// typed reports that an expression has the type that it is recorded with also
// where nothing says what is wanted: no part of it is an untyped value that
// decides its type.
func (n *numberer) typed(e ast.Expr, want types.Type) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return n.variable(e)
	case *ast.SelectorExpr:
		return n.variable(e.Sel)
	case *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	case *ast.CallExpr:
		return n.pkg.Info.Types[e].Value == nil
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND:
			return false
		case token.ARROW:
			return true
		}
		return n.typed(e.X, want)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
			return want == types.Typ[types.Bool]
		case token.SHL, token.SHR:
			return n.typed(e.X, want)
		}
		return n.typed(e.X, want) || n.typed(e.Y, want)
	}
	return false
}
