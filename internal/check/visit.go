package check

import (
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// visitStmt calls f for every expression of a statement.
func visitStmt(s uppaal.Stmt, f func(uppaal.Expr)) {
	switch s := s.(type) {
	case *uppaal.Block:
		for _, d := range s.Decls {
			if d, ok := d.(*uppaal.VarDecl); ok {
				uppaal.Inspect(d.Init, f)
			}
		}
		for _, st := range s.Stmts {
			visitStmt(st, f)
		}
	case *uppaal.ExprStmt:
		uppaal.Inspect(s.X, f)
	case *uppaal.IfStmt:
		uppaal.Inspect(s.Cond, f)
		visitStmt(s.Then, f)
		visitStmt(s.Else, f)
	case *uppaal.WhileStmt:
		uppaal.Inspect(s.Cond, f)
		visitStmt(s.Body, f)
	case *uppaal.ForStmt:
		uppaal.Inspect(s.Init, f)
		uppaal.Inspect(s.Cond, f)
		uppaal.Inspect(s.Post, f)
		visitStmt(s.Body, f)
	case *uppaal.RangeStmt:
		visitStmt(s.Body, f)
	case *uppaal.ReturnStmt:
		uppaal.Inspect(s.X, f)
	case *uppaal.AssertStmt:
		uppaal.Inspect(s.X, f)
	}
}

// writtenVars finds the variables that an assignment or a reference reaches
// anywhere in the network. All others keep their initial values.
func writtenVars(info *uppaal.Info) map[*uppaal.Var]bool {
	written := map[*uppaal.Var]bool{}
	// root marks the variables that an expression may denote.
	root := func(e uppaal.Expr) {
		for e != nil {
			switch x := e.(type) {
			case *uppaal.Index:
				e = x.X
			case *uppaal.Field:
				e = x.X
			case *uppaal.Ident:
				if v, ok := info.Uses[x].(*uppaal.Var); ok {
					written[v] = true
				}
				e = nil
			default:
				// A conditional or something unusual: everything in it.
				uppaal.Inspect(e, func(e uppaal.Expr) {
					if x, ok := e.(*uppaal.Ident); ok {
						if v, ok := info.Uses[x].(*uppaal.Var); ok {
							written[v] = true
						}
					}
				})
				e = nil
			}
		}
	}
	visit := func(e uppaal.Expr) {
		switch e := e.(type) {
		case *uppaal.Assign:
			root(e.L)
		case *uppaal.IncDec:
			root(e.X)
		case *uppaal.Call:
			if f, ok := info.Uses[e.Fun].(*uppaal.Func); ok {
				for i, v := range f.Params {
					if v.Ref && i < len(e.Args) {
						root(e.Args[i])
					}
				}
			}
		}
	}
	for d := range info.Funcs {
		visitStmt(d.Body, visit)
	}
	for _, e := range slices.Concat(info.Before, info.After) {
		uppaal.Inspect(e, visit)
	}
	seen := map[*uppaal.Template]bool{}
	for _, p := range info.Processes {
		if seen[p.Template] {
			continue
		}
		seen[p.Template] = true
		for _, e := range p.Template.Edges {
			for _, u := range e.Update {
				uppaal.Inspect(u, visit)
			}
		}
	}
	for _, p := range info.Processes {
		for _, a := range p.Args {
			root(a.Ref)
		}
	}
	return written
}
