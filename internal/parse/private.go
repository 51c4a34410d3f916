package parse

import (
	"go/ast"
	"go/token"
	"go/types"
)

// findPrivate finds the local variables of slices whose elements nobody else can have before
// the function returns: the array behind one is made in the function, and the variable is
// indexed, appended to, cut, ranged over and returned, and nothing else.
//
// Accesses to these elements are not recorded. No other goroutine can do one at the same time,
// and who records them gives their address away. The compiler puts such an array on the stack
// as long as it is small, and where it does how much room an append leaves differs from what
// it is on the heap: the program would append to another array than the original does.
func findPrivate(info *types.Info, f *ast.File) map[*types.Var]bool {
	p := &privacy{info: info, made: map[*types.Var]bool{}, lost: map[*types.Var]bool{}, own: map[*ast.Ident]bool{}}
	ast.Inspect(f, p.visit)
	names := map[string]bool{}
	for v := range p.made {
		names[v.Name()] = true
	}
	if len(names) == 0 {
		return p.made
	}
	// A use that visit did not take for one of the function's own may give the array away. It
	// looks at what is around an identifier before it comes to that.
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && names[id.Name] && !p.own[id] {
			if v := p.variable(id); v != nil {
				p.lost[v] = true
			}
		}
		return true
	})
	for v := range p.lost {
		delete(p.made, v)
	}
	return p.made
}

// privacy is what is known of the slices of a file.
type privacy struct {
	info *types.Info
	made map[*types.Var]bool // declared with an array of their own, or none
	lost map[*types.Var]bool // others may have their elements
	own  map[*ast.Ident]bool // uses that keep the elements to the function
}

func (p *privacy) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			v := p.variable(name)
			switch {
			case v == nil:
			case len(n.Values) == 0, len(n.Values) == len(n.Names) && p.fresh(v, n.Values[i]):
				p.made[v] = true
				p.own[name] = true
			}
		}
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			id, ok := ast.Unparen(e).(*ast.Ident)
			if !ok || len(n.Lhs) != len(n.Rhs) {
				continue
			}
			if v := p.variable(id); v != nil && p.fresh(v, n.Rhs[i]) {
				if p.info.Defs[id] != nil {
					p.made[v] = true
				}
				p.own[id] = true
			}
		}
	case *ast.IndexExpr:
		p.keep(n.X)
	case *ast.RangeStmt:
		p.keep(n.X)
		if _, ok := p.info.TypeOf(n.X).Underlying().(*types.Signature); ok {
			p.captured(n.Body) // the body is a function that the iterator is given
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			p.keep(e)
			p.fresh(nil, e)
		}
	case *ast.BinaryExpr:
		if p.info.Types[n.X].IsNil() || p.info.Types[n.Y].IsNil() {
			p.keep(n.X)
			p.keep(n.Y)
		}
	case *ast.CallExpr:
		switch p.builtin(n) {
		case "len", "cap":
			p.keep(n.Args[0])
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			p.lose(n.X)
		}
	case *ast.SliceExpr:
		if _, ok := p.info.TypeOf(n.X).Underlying().(*types.Array); ok {
			p.lose(n.X)
		}
	case *ast.SelectorExpr:
		if m := p.info.Selections[n]; m != nil && m.Kind() == types.MethodVal {
			if f, ok := m.Obj().(*types.Func); ok && isPointer(f.Signature().Recv().Type()) {
				p.lose(n.X)
			}
		}
	case *ast.FuncLit:
		p.captured(n.Body)
	}
	return true
}

// variable is the local variable of a slice that an identifier declares or uses, nil for others.
func (p *privacy) variable(id *ast.Ident) *types.Var {
	v, ok := p.info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || isPackageVar(v) {
		return nil
	}
	if _, ok := types.Unalias(v.Type()).(*types.TypeParam); ok {
		return nil
	}
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return nil
	}
	return v
}

// fresh reports whether a value has an array that nobody else has, or that of v alone, nil for
// any variable. The uses of the variable in it are its own.
func (p *privacy) fresh(v *types.Var, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.info.Types[e].IsNil()
	case *ast.CompositeLit:
		return true
	case *ast.SliceExpr:
		return p.keepOf(v, e.X)
	case *ast.CallExpr:
		switch tv := p.info.Types[e.Fun]; {
		case p.builtin(e) == "make":
			return true
		case p.builtin(e) == "append":
			return p.keepOf(v, e.Args[0]) || p.fresh(v, e.Args[0])
		case tv.IsType() && len(e.Args) == 1:
			b, ok := p.info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
			return p.info.Types[e.Args[0]].IsNil() || ok && b.Info()&types.IsString != 0 // a text is copied
		}
	}
	return false
}

// keepOf: e is v, or with a v of nil any variable.
func (p *privacy) keepOf(v *types.Var, e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || p.variable(id) == nil || v != nil && p.variable(id) != v {
		return false
	}
	p.own[id] = true
	return true
}

func (p *privacy) keep(e ast.Expr) { p.keepOf(nil, e) }

// lose: the address of e is taken, which may be an element or a part of one.
func (p *privacy) lose(e ast.Expr) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if v := p.variable(x); v != nil {
				p.lost[v] = true
			}
			return
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return
		}
	}
}

// captured: what a function literal uses of the function around it. It may run in another
// goroutine, or after that function.
func (p *privacy) captured(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v := p.variable(id); v != nil && (v.Pos() < body.Pos() || body.End() <= v.Pos()) {
				p.lost[v] = true
			}
		}
		return true
	})
}

// builtin is the name of the builtin that is called, "" for other calls.
func (p *privacy) builtin(c *ast.CallExpr) string {
	if b, ok := builtin(p.info, c.Fun); ok {
		return b.Name()
	}
	return ""
}
