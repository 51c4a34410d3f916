package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/vtrace/vtrace/internal/sites"
)

// This file has the runtime told what statements read: a report then says that a goroutine has read 1, and not
// only that it has read.
//
// The values are read right behind the guard of the statement, in front of it: nobody else acts until the
// statement is done, so that they are those that it reads itself. That has to be so, and must not change what the
// program does: see statementReads.

// maxReads is how many reads of a statement are shown: more are no explanation.
const maxReads = 3

// maxReadName is the length of an expression up to which what it reads is shown.
const maxReadName = 40

// frontOf is a guard with what is told behind it, as a statement in front of another.
func (r *rewriter) frontOf(s ast.Stmt) string {
	front := r.front(s.Pos())
	if front == "" {
		return ""
	}
	for _, call := range r.readCalls(s.Pos(), s) {
		front += call + "; "
	}
	return front
}

// readCalls are the calls that tell the runtime what a statement reads, or a condition; they return 0.
func (r *rewriter) readCalls(pos token.Pos, n ast.Node) (out []string) {
	site, ok := r.idx.At(sites.Stmt, pos)
	if !ok || !r.accesses[site.ID] {
		return nil
	}
	for _, e := range r.statementReads(n) {
		text := types.ExprString(e)
		out = append(out, fmt.Sprintf("%s.Reads(%d, %s, %s)", r.zz, site.ID, strconv.Quote(text), text))
	}
	return out
}

// statementReads are the variables and fields that goroutines may share, and lengths of those, that a statement, or
// a condition, reads whatever it does, of types whose values are short. There are none if
//   - a call or another operation in it may let somebody act, or change what is read;
//   - reading them first would have it panic in another way or place than it does.
func (r *rewriter) statementReads(n ast.Node) []ast.Expr {
	f := &readFinder{rewriter: r, node: n}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			switch n.Tok {
			case token.DEFINE:
			case token.ASSIGN:
				f.target(e)
			default:
				f.value(e)
			}
		}
		if op := n.Tok; op == token.QUO_ASSIGN || op == token.REM_ASSIGN || op == token.SHL_ASSIGN || op == token.SHR_ASSIGN {
			f.panics = f.panics || r.info.Types[n.Rhs[0]].Value == nil
		}
		f.values(n.Rhs)
	case *ast.IncDecStmt:
		f.value(n.X)
	case *ast.IfStmt:
		if n.Init != nil {
			return nil // which may change what is read
		}
		f.condition(n.Cond)
	case *ast.SwitchStmt:
		if n.Init != nil || n.Tag == nil {
			return nil
		}
		f.value(n.Tag)
	case *ast.ReturnStmt:
		f.values(n.Results)
	case *ast.DeclStmt:
		d := n.Decl.(*ast.GenDecl)
		if d.Tok != token.VAR || len(d.Specs) != 1 {
			return nil // each of several is behind the one before
		}
		f.values(d.Specs[0].(*ast.ValueSpec).Values)
	case ast.Expr:
		f.condition(n)
	default:
		return nil
	}
	if f.acts {
		return nil
	}
	found := slices.DeleteFunc(f.found, func(e ast.Expr) bool { return f.panics && f.follows(e) })
	return found[:min(len(found), maxReads)]
}

// readFinder collects what a statement reads.
type readFinder struct {
	*rewriter
	node  ast.Node
	found []ast.Expr
	// acts: something in the statement may change what it reads.
	acts bool
	// panics: something in it may panic that is no nil pointer, which then might panic first.
	panics bool
}

func (f *readFinder) values(list []ast.Expr) {
	for _, e := range list {
		f.value(e)
	}
}

// condition collects of an expression that is all of what is evaluated: what stands behind && and || is, or
// is not, when what stands in front has been.
func (f *readFinder) condition(e ast.Expr) {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
		f.condition(b.X)
		return
	}
	f.value(e)
}

// target looks at what is assigned to.
func (f *readFinder) target(e ast.Expr) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && id.Name == "_" {
		return
	}
	if !f.chain(e) {
		f.without(e)
	}
}

// without looks at an expression of which nothing is collected.
func (f *readFinder) without(e ast.Expr) {
	found := f.found
	f.value(e)
	f.found = found
}

// value collects what an expression reads that is evaluated as a whole.
func (f *readFinder) value(e ast.Expr) {
	if f.info.Types[e].Value != nil {
		return // a constant
	}
	if f.chain(e) {
		f.add(e, f.info.TypeOf(e))
		return
	}
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit:
	case *ast.ParenExpr:
		f.value(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ARROW:
			f.acts = true
		case token.AND:
			f.without(e.X)
		default:
			f.value(e.X)
		}
	case *ast.BinaryExpr:
		f.value(e.X)
		switch e.Op {
		case token.LAND, token.LOR:
			f.without(e.Y) // which may not be evaluated
		case token.QUO, token.REM, token.SHL, token.SHR:
			f.panics = f.panics || f.info.Types[e.Y].Value == nil
			f.value(e.Y)
		case token.EQL, token.NEQ:
			f.panics = f.panics || f.compares(e)
			f.value(e.Y)
		default:
			f.value(e.Y)
		}
	case *ast.IndexExpr:
		if _, ok := under(f.info.TypeOf(e.X)).(*types.Map); ok || f.info.Types[e.Index].IsType() {
			f.acts = true // a guard of its own, or a function
			return
		}
		f.panics = true
		f.without(e.X)
		f.value(e.Index)
	case *ast.CallExpr:
		f.call(e)
	default:
		f.acts = true
	}
}

// compares reports whether a comparison may panic: of interfaces with what cannot be compared in them, perhaps as
// a part of something.
func (f *readFinder) compares(e *ast.BinaryExpr) bool {
	parts := func(e ast.Expr) bool {
		switch under(f.info.TypeOf(e)).(type) {
		case *types.Interface, *types.Struct, *types.Array:
			return true
		}
		return false
	}
	return !f.info.Types[e.X].IsNil() && !f.info.Types[e.Y].IsNil() && (parts(e.X) || parts(e.Y))
}

// call collects of conversions of numbers and of lengths; all other calls may do something.
func (f *readFinder) call(c *ast.CallExpr) {
	if len(c.Args) != 1 {
		f.acts = true
		return
	}
	arg := c.Args[0]
	if f.info.Types[c.Fun].IsType() {
		if !basic(f.info.TypeOf(c)) || !basic(f.info.TypeOf(arg)) {
			f.acts = true
			return
		}
		f.value(arg)
		return
	}
	if b, ok := builtin(f.info, c.Fun); !ok || b.Name() != "len" && b.Name() != "cap" {
		f.acts = true
		return
	}
	switch t := under(f.info.TypeOf(arg)).(type) {
	case *types.Slice:
	case *types.Basic:
		if t.Kind() != types.String {
			f.acts = true
			return
		}
	default: // those of maps and channels have guards of their own
		f.acts = true
		return
	}
	if f.chain(arg) {
		if f.shares(arg) {
			f.keep(c)
		}
		return
	}
	f.without(arg)
}

// add collects a chain, if goroutines may share it, and its values are shown.
func (f *readFinder) add(e ast.Expr, t types.Type) {
	if shown(t) && f.shares(e) {
		f.keep(e)
	}
}

// shown: the runtime shows values of a type, or whether they are nil.
func shown(t types.Type) bool {
	switch t := under(t).(type) {
	case *types.Basic:
		return t.Info()&(types.IsBoolean|types.IsInteger) != 0
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// keep collects an expression once, if it stands in the line of the statement: a panic there would be
// one of another line.
func (f *readFinder) keep(e ast.Expr) {
	text := types.ExprString(e)
	if len(text) > maxReadName || f.file.Line(e.End()) != f.file.Line(f.node.Pos()) {
		return
	}
	if !slices.ContainsFunc(f.found, func(x ast.Expr) bool { return types.ExprString(x) == text }) {
		f.found = append(f.found, e)
	}
}

// shares: goroutines may share a chain, all of whose variables were declared in front of the statement.
func (f *readFinder) shares(e ast.Expr) bool {
	declared := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := f.info.Uses[id]; o != nil && f.node.Pos() <= o.Pos() && o.Pos() < f.node.End() {
				declared = false
			}
		}
		return true
	})
	return declared && f.memory.isShared(e)
}

// chain reports that an expression is a variable, or a field of one, perhaps behind pointers: it can be
// evaluated twice, and does not panic but for a nil pointer.
func (f *readFinder) chain(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := f.info.Uses[e].(*types.Var)
		return ok
	case *ast.StarExpr:
		return f.chain(e.X)
	case *ast.SelectorExpr:
		if m := f.info.Selections[e]; m != nil {
			return m.Kind() == types.FieldVal && f.chain(e.X)
		}
		v, ok := f.info.Uses[e.Sel].(*types.Var)
		return ok && f.own[v.Pkg().Path()]
	}
	return false
}

// follows: evaluating a chain, or the length of one, follows a pointer.
func (f *readFinder) follows(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return f.follows(e.Args[0])
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		m := f.info.Selections[e]
		return m != nil && (m.Indirect() || f.follows(e.X))
	}
	return false
}

// basic: a type of numbers, texts or truth values.
func basic(t types.Type) bool {
	_, ok := under(t).(*types.Basic)
	return ok
}

// under is the underlying type, nil of nothing.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// stores is the call around the value of an assignment that tells the runtime what a statement writes in one step with
// all else that it does, "" for none.
func (r *rewriter) stores(s ast.Stmt, to ast.Expr) string {
	site, ok := r.idx.At(sites.Stmt, s.Pos())
	if !ok || !r.accesses[site.ID] || !shown(r.info.TypeOf(to)) || !r.memory.isShared(to) {
		return ""
	}
	return fmt.Sprintf("%s.Stores(%d, ", r.zz, site.ID)
}
