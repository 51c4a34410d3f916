package check

import "github.com/vtrace/vtrace/uppaal"

// visitExpr calls f for e and every expression in it, outermost first.
func visitExpr(e uppaal.Expr, f func(uppaal.Expr)) {
	if e == nil {
		return
	}
	f(e)
	switch e := e.(type) {
	case *uppaal.Unary:
		visitExpr(e.X, f)
	case *uppaal.Binary:
		visitExpr(e.X, f)
		visitExpr(e.Y, f)
	case *uppaal.Cond:
		visitExpr(e.If, f)
		visitExpr(e.Then, f)
		visitExpr(e.Else, f)
	case *uppaal.Index:
		visitExpr(e.X, f)
		visitExpr(e.I, f)
	case *uppaal.Field:
		visitExpr(e.X, f)
	case *uppaal.Call:
		for _, a := range e.Args {
			visitExpr(a, f)
		}
	case *uppaal.Assign:
		visitExpr(e.L, f)
		visitExpr(e.R, f)
	case *uppaal.IncDec:
		visitExpr(e.X, f)
	case *uppaal.Quant:
		visitExpr(e.Body, f)
	case *uppaal.InitList:
		for _, x := range e.Elems {
			visitExpr(x, f)
		}
	case *uppaal.Stuck:
		visitExpr(e.Process, f)
	}
}

// visitStmt calls f for every expression of a statement.
func visitStmt(s uppaal.Stmt, f func(uppaal.Expr)) {
	switch s := s.(type) {
	case *uppaal.Block:
		for _, d := range s.Decls {
			if d, ok := d.(*uppaal.VarDecl); ok {
				visitExpr(d.Init, f)
			}
		}
		for _, st := range s.Stmts {
			visitStmt(st, f)
		}
	case *uppaal.ExprStmt:
		visitExpr(s.X, f)
	case *uppaal.IfStmt:
		visitExpr(s.Cond, f)
		visitStmt(s.Then, f)
		visitStmt(s.Else, f)
	case *uppaal.WhileStmt:
		visitExpr(s.Cond, f)
		visitStmt(s.Body, f)
	case *uppaal.ForStmt:
		visitExpr(s.Init, f)
		visitExpr(s.Cond, f)
		visitExpr(s.Post, f)
		visitStmt(s.Body, f)
	case *uppaal.RangeStmt:
		visitStmt(s.Body, f)
	case *uppaal.ReturnStmt:
		visitExpr(s.X, f)
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
				visitExpr(e, func(e uppaal.Expr) {
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
	seen := map[*uppaal.Template]bool{}
	for _, p := range info.Processes {
		if seen[p.Template] {
			continue
		}
		seen[p.Template] = true
		for _, e := range p.Template.Edges {
			for _, u := range e.Update {
				visitExpr(u, visit)
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
