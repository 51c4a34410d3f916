package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A return statement sets the named results of its function, which a goroutine that the
// function has started may still use. One that names no values has them read, when the
// deferred calls are done.

// namedResults are those of a function, some of which goroutines may share.
type namedResults struct {
	all, shared []*types.Var
	bare        *ast.ReturnStmt // the first that names no values
	flag        string          // the variable that such a statement sets
}

// resultsOf are the named results of a function, nil if none of them is shared.
func (a *memory) resultsOf(t *ast.FuncType) *namedResults {
	if t.Results == nil {
		return nil
	}
	out := &namedResults{}
	for _, f := range t.Results.List {
		for _, id := range f.Names {
			v, ok := a.info.Defs[id].(*types.Var)
			if !ok {
				return nil
			}
			out.all = append(out.all, v)
			if a.shared[v] {
				out.shared = append(out.shared, v)
			}
		}
	}
	if len(out.shared) == 0 {
		return nil
	}
	return out
}

// function marks what the body of a function reads.
func (a *memory) function(t *ast.FuncType, body *ast.BlockStmt) {
	outer := a.results
	if a.results = a.resultsOf(t); a.results != nil {
		a.bodies[body] = a.results
	}
	a.stmt(body)
	a.results = outer
}

// returns notes the results that a return statement sets.
func (a *memory) returns(s *ast.ReturnStmt) {
	if a.results == nil {
		return
	}
	a.returned[s] = a.results
	if len(s.Results) == 0 && a.results.bare == nil {
		a.results.bare = s
	}
}

// functionBody rewrites the body of a function.
func (r *rewriter) functionBody(body *ast.BlockStmt) {
	text := ""
	if r.races != nil {
		if out := r.races.bodies[body]; out != nil && out.bare != nil {
			out.flag = r.name()
			text = fmt.Sprintf(" %s := %s;", out.flag, constantBool(false))
			for _, v := range out.shared {
				text += fmt.Sprintf(" defer %s.Returned(&%s, %d, &%s);", r.zz, out.flag, r.touchAs(out.bare, v.Name()), v.Name())
			}
		}
	}
	r.list(body.List)
	if text != "" {
		r.after(body.Lbrace+1, text)
	}
}

// names reports whether an expression is a variable.
func (r *rewriter) names(e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.info.Uses[id] == v
}

// returnStmt rewrites a return statement.
func (r *rewriter) returnStmt(s *ast.ReturnStmt) {
	r.walk(s)
	if r.races == nil || r.races.returned[s] == nil {
		return
	}
	out := r.races.returned[s]
	if len(s.Results) == 0 {
		r.before(s.Pos(), out.flag+" = "+constantBool(true)+"; ")
		return
	}
	writes, named := "", true
	var names []string
	for _, v := range out.all {
		named = named && v.Name() != "_" && r.means(s.Pos(), v)
		names = append(names, v.Name())
	}
	for _, v := range out.shared {
		if i := slices.Index(out.all, v); len(s.Results) == len(out.all) && r.names(s.Results[i], v) {
			continue // it stays what it is, and nothing is written
		}
		if !r.means(s.Pos(), v) {
			r.unrecorded(s.Pos(), "the write of the result %s is not recorded, since another variable hides it", v.Name())
			continue
		}
		writes += fmt.Sprintf("%s.Wr(%d, &%s); ", r.zz, r.touchAs(s, v.Name()), v.Name())
	}
	switch {
	case callFree(s.Results):
		r.before(s.Pos(), writes)
	case !named:
		r.unrecorded(s.Pos(), "the write of results is not recorded: they cannot all be named here")
	default: // the write comes behind what the calls do
		list := strings.Join(names, ", ")
		start := r.file.Offset(s.Pos())
		r.replace(start, start+len("return"), "{ "+list+" =")
		r.after(s.End(), "; "+writes+"return "+list+" }")
	}
}

// means: at a position the name of a variable stands for it.
func (r *rewriter) means(at token.Pos, v *types.Var) bool {
	scope := r.info.Scopes[r.ast].Innermost(at)
	if scope == nil {
		return false
	}
	_, o := scope.LookupParent(v.Name(), at)
	return o == v
}
