package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// mapGuard is a call of the runtime in front of what uses a map.
type mapGuard struct {
	function string
	// of is the map if it is not what the call is put around.
	of ast.Expr
	// stmt is the statement if its site is not that of the place.
	stmt ast.Stmt
}

// mapGuards are the guards of what a file does with maps that goroutines may share,
// by the expressions that they are put around. Between a guard and the use of the map
// nothing may wait: the guard is around the map, or around what is evaluated last
// before.
type mapGuards struct {
	info    *types.Info
	private map[*types.Var]bool // maps that stay in their function
	around  map[ast.Expr]mapGuard
	writes  map[*ast.IndexExpr]bool
	// apart are assignments of the results of one expression that may wait: what is on the
	// left comes after it.
	apart map[*ast.AssignStmt]bool
}

func findMapGuards(info *types.Info, f *ast.File) *mapGuards {
	a := &mapGuards{info: info, private: privateMaps(info, f), around: map[ast.Expr]mapGuard{}, writes: map[*ast.IndexExpr]bool{}, apart: map[*ast.AssignStmt]bool{}}
	received := map[ast.Stmt]bool{}   // by a case of a select
	later := map[*ast.CallExpr]bool{} // not called where the arguments are evaluated
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			// What is received comes before what it is assigned to is evaluated.
			for _, c := range n.Body.List {
				if s, ok := c.(*ast.CommClause).Comm.(*ast.AssignStmt); ok {
					received[s] = true
					a.assigned(n, s.Lhs, nil)
				}
			}
		case *ast.AssignStmt:
			switch {
			case received[n]:
			case len(n.Lhs) > 1 && len(n.Rhs) == 1:
				a.assignedApart(n)
			default:
				a.assigned(nil, n.Lhs, n.Rhs)
			}
		case *ast.IncDecStmt:
			a.assigned(nil, []ast.Expr{n.X}, nil)
		case *ast.RangeStmt:
			// After what the range waits for.
			a.assigned(n, slices.DeleteFunc([]ast.Expr{n.Key, n.Value}, func(e ast.Expr) bool { return e == nil }), nil)
		case *ast.GoStmt:
			later[n.Call] = true
		case *ast.DeferStmt:
			later[n.Call] = true
		case *ast.CallExpr:
			if !later[n] {
				a.removed(n)
			}
		case *ast.IndexExpr:
			if x := a.element(n); x != nil && !a.writes[x] {
				a.guard("MapRead", "ThenMapRead", nil, x.X, x.Index)
			}
		}
		return true
	})
	return a
}

// element is an expression that denotes an element of a map, nil for others.
func (a *mapGuards) element(e ast.Expr) *ast.IndexExpr {
	if e == nil {
		return nil
	}
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if ok && a.isMap(x.X) {
		return x
	}
	return nil
}

// isMap: an instance of a generic type, as in set[int]{}, looks like an element of one.
func (a *mapGuards) isMap(e ast.Expr) bool {
	return !a.info.Types[e].IsType() && mapOf(a.info.TypeOf(e)) != nil
}

// assigned guards the writes of an assignment, which may be made by another statement.
func (a *mapGuards) assigned(by ast.Stmt, lhs, rhs []ast.Expr) {
	several := len(lhs) > 1 && (len(lhs) > 2 || !slices.ContainsFunc(lhs, isBlank))
	waits := slices.ContainsFunc(lhs, a.mayWait)
	for _, e := range lhs {
		x := a.element(e)
		if x == nil {
			continue
		}
		a.writes[x] = true
		if several && waits {
			continue
		}
		a.guard("MapWrite", "ThenMapWrite", by, x.X, append([]ast.Expr{x.Index}, rhs...)...)
	}
}

// assignedApart guards the writes of an assignment of the results of one expression.
func (a *mapGuards) assignedApart(s *ast.AssignStmt) {
	if !a.mayWait(s.Rhs[0]) {
		a.assigned(nil, s.Lhs, s.Rhs)
		return
	}
	elements, same := false, true
	for _, e := range s.Lhs {
		if x := a.element(e); x != nil {
			a.writes[x] = true
			elements = elements || !a.isPrivate(x.X) && !isTypeParam(a.info.TypeOf(x.X))
		}
		same = same && pure(a.info, e)
	}
	if elements && same {
		a.apart[s] = true
		a.assigned(nil, s.Lhs, nil)
	}
}

// removed guards the builtins delete and clear.
func (a *mapGuards) removed(c *ast.CallExpr) {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || len(c.Args) == 0 || !a.isMap(c.Args[0]) {
		return
	}
	if b, ok := a.info.Uses[id].(*types.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear") {
		a.guard("MapDelete", "ThenMapWrite", nil, c.Args[0], c.Args[1:]...)
	}
}

// guard puts a guard around the map m, or, if what is evaluated before its use may
// wait, around that.
func (a *mapGuards) guard(around, then string, by ast.Stmt, m ast.Expr, before ...ast.Expr) {
	if a.isPrivate(m) || isTypeParam(a.info.TypeOf(m)) {
		return
	}
	var last ast.Expr // that may wait
	for _, e := range before {
		if a.mayWait(e) {
			last = e
		}
	}
	switch {
	case last == nil:
		a.around[m] = mapGuard{around, nil, by}
	case a.keepsType(last) && pure(a.info, m):
		a.around[last] = mapGuard{then, m, by}
	}
	// Else there is no guard: the use is in one step with what comes before it.
}

// isPrivate: the map stays in its function.
func (a *mapGuards) isPrivate(m ast.Expr) bool {
	id, ok := ast.Unparen(m).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := a.info.Uses[id].(*types.Var)
	return ok && a.private[v]
}

// keepsType: the value of the expression has the same type as an argument of a
// generic function.
func (a *mapGuards) keepsType(e ast.Expr) bool {
	tv := a.info.Types[e]
	if _, tuple := tv.Type.(*types.Tuple); tuple || !tv.IsValue() || tv.Value != nil {
		return false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr, *ast.TypeAssertExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.AND || x.Op == token.ARROW || x.Op != token.NOT && a.keepsType(x.X)
	case *ast.CompositeLit:
		return x.Type != nil
	case *ast.BinaryExpr:
		switch x.Op {
		case token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
			return a.keepsType(x.X) || a.keepsType(x.Y)
		}
	}
	return false
}

// mayWait reports whether the evaluation of an expression may wait for other
// goroutines, or order anything with respect to them.
func (a *mapGuards) mayWait(e ast.Expr) bool {
	return evaluates([]ast.Expr{e}, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		case *ast.CallExpr:
			fun := ast.Unparen(n.Fun)
			if asksLength(a.info, n) {
				return true
			}
			if tv := a.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
				return false
			}
			sel, ok := fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			f, ok := a.info.Uses[sel.Sel].(*types.Func)
			return !ok || f.Pkg() == nil || !silent[f.FullName()] && !isQuiet(a.info, n, f)
		}
		return false
	})
}

// privateMaps are the local variables whose maps nothing but the function that
// declares them can see, until it returns them: they are made there, and only
// indexed, ranged over, measured, cleared and compared.
func privateMaps(info *types.Info, f *ast.File) map[*types.Var]bool {
	made, names, seen := map[*types.Var]bool{}, map[string]bool{}, map[*ast.Ident]bool{}
	used := map[*types.Var]bool{} // in another way
	own := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			seen[id] = true
		}
	}
	define := func(lhs, rhs ast.Expr) {
		id, ok := lhs.(*ast.Ident)
		if !ok {
			return
		}
		v, ok := info.ObjectOf(id).(*types.Var)
		if !ok || mapOf(v.Type()) == nil {
			return
		}
		switch x := ast.Unparen(rhs).(type) {
		case *ast.CompositeLit:
		case *ast.CallExpr:
			if !info.Types[x.Fun].IsBuiltin() {
				return
			}
		default:
			return
		}
		made[v], names[v.Name()], seen[id] = true, true, true
	}
	var uses []*ast.Ident
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					define(n.Lhs[i], n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i := range n.Names {
				if len(n.Names) == len(n.Values) {
					define(n.Names[i], n.Values[i])
				}
			}
		case *ast.IndexExpr:
			own(n.X)
		case *ast.RangeStmt:
			own(n.X)
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				own(e)
			}
		case *ast.CallExpr:
			// What a panic carries may be recovered by whoever passes it on.
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && info.Types[n.Fun].IsBuiltin() && id.Name != "panic" && len(n.Args) > 0 {
				own(n.Args[0])
			}
		case *ast.Ident:
			uses = append(uses, n)
		}
		return true
	})
	if len(made) == 0 {
		return nil
	}
	for _, id := range uses {
		if !names[id.Name] || seen[id] {
			continue
		}
		if v, ok := info.Uses[id].(*types.Var); ok {
			used[v] = true
		}
	}
	shared := findShared(info, f)
	for v := range made {
		if shared[v] || used[v] || v.Pkg() == nil || isPackageVar(v) || v.IsField() {
			delete(made, v)
		}
	}
	return made
}

// removes has ranges over a map learn of what the builtins delete and clear remove from it: an
// entry that is there again is another one.
func (r *rewriter) removes(c *ast.CallExpr) {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || len(c.Args) == 0 {
		return
	}
	b, ok := r.info.Uses[id].(*types.Builtin)
	if !ok || b.Name() != "delete" && b.Name() != "clear" {
		return
	}
	t := r.info.TypeOf(c.Args[0])
	m := mapOf(t)
	switch {
	case m == nil:
		return
	case isTypeParam(t) && !oneMap(t), r.version != "" && version.Compare(r.version, "go1.20") < 0 && !strictlyComparable(m.Key()):
		r.diag(c.Lparen, "%s of a map of type %v: a range over it does not learn of what is removed", b.Name(), t)
		return
	}
	if b.Name() == "clear" {
		r.replace(r.file.Offset(c.Fun.Pos()), r.file.Offset(c.Fun.End()), r.zz+".Clears")
		return
	}
	out, key := r.build(c.Pos()), ""
	first := r.listed[c] && r.behind[c.Args[0]] && r.maps.keepsType(c.Args[1]) // what is called for it may set the map
	if first {
		key = r.name()
		out.put("{ %s := ", key)
		out.node(c.Args[1])
		out.put("; ")
	}
	out.put("%s.Deletes(", r.zz)
	out.node(c.Args[0])
	out.put(")(")
	if first {
		out.put("%s) }", key)
	} else {
		out.node(c.Args[1])
		out.put(")")
	}
	out.done(c.End())
}

// oneMap: all types of a type parameter are maps of one type.
func oneMap(t types.Type) bool {
	var only *types.Map
	one := true
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch u := t.(type) {
		case *types.Interface:
			for e := range u.EmbeddedTypes() {
				visit(e)
			}
		case *types.Union:
			for term := range u.Terms() {
				visit(term.Type())
			}
		default:
			switch u := u.Underlying().(type) {
			case *types.Interface:
				visit(u)
			case *types.Map:
				one = one && (only == nil || types.Identical(only, u))
				only = u
			default:
				one = false
			}
		}
	}
	visit(types.Unalias(t).(*types.TypeParam).Constraint().Underlying())
	return one && only != nil
}

// guardMap puts the guard of what uses a map around an expression, if it has one.
func (r *rewriter) guardMap(e ast.Expr) {
	g, ok := r.maps.around[e]
	if !ok {
		return
	}
	site, ok := r.idx.Stmt(e.Pos())
	if g.stmt != nil {
		site, ok = r.idx.At(sites.Stmt, g.stmt.Pos())
	}
	if !ok {
		return
	}
	text := fmt.Sprintf("%s.%s(%d, ", r.zz, g.function, site.ID)
	if g.of != nil {
		start, end := r.file.Offset(g.of.Pos()), r.file.Offset(g.of.End())
		of := string(r.src[start:end])
		if now := r.text(start, end); !callFree([]ast.Expr{g.of}) && strings.HasPrefix(now, r.zz+"_") {
			of = now // a variable that has it
		}
		if strings.ContainsAny(of, "\n/") {
			return // lines and comments have to stay where they are
		}
		text += of + ", "
	}
	r.before(e.Pos(), text)
	r.after(e.End(), ")")
	r.unit.guarded[site.ID] = true
}
