package parse

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/vtrace/vtrace/internal/sites"
)

// guard returns the call that guards the statement at pos, "" for none.
func (r *rewriter) guard(pos token.Pos) string {
	s, ok := r.idx.At(sites.Stmt, pos)
	function := "Line"
	switch {
	case !ok:
		return ""
	case r.accesses[s.ID] && r.opts.Shared && r.atomicFuncs[s.Func] && !r.inLocalLoop(pos):
		function = "AccessOrBeside"
	case r.accesses[s.ID]:
		function = "Access"
	case r.atomicFuncs[s.Func] && !r.inLocalLoop(pos):
		function = "Beside"
	case !r.opts.EveryLine:
		return ""
	}
	r.place(s.ID)
	return fmt.Sprintf("%s.%s(%d)", r.zz, function, s.ID)
}

// front is guard as a statement in front of another.
func (r *rewriter) front(pos token.Pos) string {
	if g := r.guard(pos); g != "" {
		return g + "; "
	}
	return ""
}

func (r *rewriter) list(list []ast.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

// stmt rewrites a statement of a list, with its guard.
func (r *rewriter) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		r.list(s.List)
		return
	case *ast.LabeledStmt:
		r.labeled(s)
		return
	case *ast.EmptyStmt:
		return
	}
	first := len(r.overlay.Diagnostics)
	r.body(s)
	r.clockDecides(s.Pos(), s.End())
	r.before(s.Pos(), r.frontOf(s)+r.timed(s)+r.reached(first))
}

// labeled rewrites a labelled statement. Loops and the like must follow their
// label at once, so their guard stands before it, and before each goto to it.
func (r *rewriter) labeled(s *ast.LabeledStmt) {
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		r.body(inner)
		r.before(s.Pos(), r.front(inner.Pos())+r.timed(inner))
	default:
		r.stmt(inner)
	}
}

// body rewrites a statement but for its guard.
func (r *rewriter) body(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.IfStmt:
		r.ifStmt(s)
	case *ast.ForStmt:
		r.simple(s.Init)
		r.walkExpr(s.Cond)
		r.simple(s.Post)
		r.list(s.Body.List)
		if r.races != nil {
			r.copied(s)
		}
		if s.Cond == nil {
			return
		}
		// The condition is evaluated before each iteration, so its guard has to be in it. Guards return 0.
		if g := r.guard(s.Cond.Pos()); g != "" {
			for _, call := range r.readCalls(s.Cond.Pos(), s.Cond) {
				g += " == 0 && " + call
			}
			r.before(s.Cond.Pos(), g+" == 0 && (")
			r.after(s.Cond.End(), ")")
		}
	case *ast.RangeStmt:
		if r.rangesOverChan(s) {
			r.rangeChan(s)
			return
		}
		if r.rangeMap(s) {
			return
		}
		r.walkExpr(s.Key)
		r.walkExpr(s.Value)
		r.walk(s.X)
		r.list(s.Body.List)
		r.after(s.Body.Lbrace+1, r.variables([]ast.Expr{s.Key, s.Value}, s.Tok == token.DEFINE))
		if r.races != nil {
			r.rangeElements(s)
		}
	case *ast.SwitchStmt:
		r.simple(s.Init)
		r.walkExpr(s.Tag)
		r.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		r.simple(s.Init)
		r.simple(s.Assign)
		r.clauses(s.Body)
	case *ast.SelectStmt:
		r.selectStmt(s)
	case *ast.GoStmt:
		r.goStmt(s)
	case *ast.DeferStmt:
		r.deferStmt(s)
	case *ast.AssignStmt:
		r.assign(s, true)
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && r.endCall(c, s.Pos(), s.End(), plainCall) {
			return
		}
		if c, ok := s.X.(*ast.CallExpr); ok {
			r.listed[c] = true
		}
		r.walk(s.X)
	case *ast.IncDecStmt:
		r.incDec(s, true)
	case *ast.BranchStmt:
		r.branch(s)
	case *ast.ReturnStmt:
		r.returnStmt(s)
	default:
		r.walk(s)
	}
}

// simple rewrites the initialiser or post statement of another.
func (r *rewriter) simple(s ast.Stmt) {
	if s != nil {
		r.walk(s)
	}
}

func (r *rewriter) walkExpr(e ast.Expr) {
	if e != nil {
		r.walk(e)
	}
}

func (r *rewriter) ifStmt(s *ast.IfStmt) {
	r.simple(s.Init)
	r.walk(s.Cond)
	r.list(s.Body.List)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		r.list(e.List)
	case *ast.IfStmt:
		r.ifStmt(e)
		if g := r.frontOf(e); g != "" {
			r.before(e.Pos(), "{ "+g)
			r.after(e.End(), " }")
		}
	}
}

func (r *rewriter) clauses(body *ast.BlockStmt) {
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		for _, e := range c.List {
			r.walk(e)
		}
		r.list(c.Body)
	}
}

// branch puts the guard of a labelled loop in front of a goto to it.
func (r *rewriter) branch(s *ast.BranchStmt) {
	if s.Tok != token.GOTO || s.Label == nil {
		return
	}
	label := r.info.Uses[s.Label]
	if label == nil {
		return
	}
	inner := r.findLabel(label.Pos())
	switch inner.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		r.before(s.Pos(), r.front(inner.Pos()))
	}
}

// findLabel returns the statement with the label at pos.
func (r *rewriter) findLabel(pos token.Pos) (found ast.Stmt) {
	ast.Inspect(r.ast, func(n ast.Node) bool {
		if n == nil || found != nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		if l, ok := n.(*ast.LabeledStmt); ok && l.Label.Pos() == pos {
			found = l.Stmt
			return false
		}
		return true
	})
	return found
}
