package parse

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// receive rewrites a receive; outer is the receive or parentheses around it.
func (r *rewriter) receive(u *ast.UnaryExpr, outer ast.Expr, function string) {
	r.walk(u.X)
	id := r.site(sites.Recv, u.OpPos)
	if id == 0 {
		return
	}
	b := r.build(outer.Pos())
	b.put("%s.%s(%d, ", r.zz, function, id)
	b.node(u.X)
	b.put(")")
	b.done(outer.End())
}

func (r *rewriter) send(s *ast.SendStmt) {
	r.walk(s.Chan)
	r.walk(s.Value)
	id := r.site(sites.Send, s.Arrow)
	if id == 0 {
		return
	}
	b := r.build(s.Pos())
	if callFree([]ast.Expr{s.Chan}) && !callFree([]ast.Expr{s.Value}) {
		// The compiler reads the channel behind the calls and receives of the value, which may
		// change it. Where the value is converted to the type of the elements the channel is read
		// in front of them, too, to say what type that is.
		if ch := sites.ChanOf(r.info.TypeOf(s.Chan)); ch == nil || !types.Identical(ch.Elem(), r.info.TypeOf(s.Value)) {
			b.put("%s.To(", r.zz)
			b.original(s.Chan)
			b.put(")")
		} else {
			b.put("%s", r.zz)
		}
		b.put(".SendOn(%d, ", id)
		b.node(s.Value)
		b.put(", ")
		b.node(s.Chan)
	} else {
		b.put("%s.To(", r.zz)
		b.node(s.Chan)
		b.put(").Send(%d, ", id)
		b.node(s.Value)
	}
	b.put(")")
	b.done(s.End())
}

// assign rewrites an assignment; a block may stand in its place if it is a
// statement of a list.
func (r *rewriter) assign(s *ast.AssignStmt, list bool) {
	for _, e := range s.Lhs {
		r.walk(e)
		if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
			r.keyed(r.info.TypeOf(x.X), x.Index)
		}
	}
	u := commaOK(len(s.Lhs), s.Rhs)
	apart := r.maps.apart[s]
	boolType, named := "", true
	if u != nil && s.Tok != token.DEFINE && !plainBool(r.info.TypeOf(s.Lhs[1])) {
		// The ok of a receive is an untyped bool, that of a call is not.
		boolType, named = r.typeName(s.Pos(), r.info.TypeOf(s.Lhs[1]))
		// What is assigned to is evaluated before the receive, unless it is the same afterwards.
		apart = apart || !named && list && pure(r.info, s.Lhs[0]) && pure(r.info, s.Lhs[1])
	}
	if apart {
		defer r.apart(s, u, list)()
	}
	finish, behind := r.recordWrites(s, s.Lhs, s.Rhs, s.Tok == token.DEFINE, list), ""
	switch {
	case apart:
	case u == nil:
		for _, e := range s.Rhs {
			r.walk(e)
			r.guardMap(e)
		}
		if list && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			behind = r.store(s, s.Lhs[0], s.Tok, s.TokPos, s.Rhs[0])
		}
	case boolType != "":
		r.receiveAs(u, s.Rhs[0], boolType)
	case named:
		r.receive(u, s.Rhs[0], "Recv2")
	default:
		r.walk(u.X)
		r.diag(u.OpPos, "second value of a receive assigned to type %v: not guarded", r.info.TypeOf(s.Lhs[1]))
	}
	finish(behind)
}

// apart rewrites an assignment of several results, of the receive u or of what else is on the
// right side, into one of variables that have them: what is on the left is the same afterwards.
// It returns what to call when the rest of the statement has been rewritten.
func (r *rewriter) apart(s *ast.AssignStmt, u *ast.UnaryExpr, list bool) func() {
	rhs := s.Rhs[0]
	if u != nil {
		r.receive(u, rhs, "Recv2")
	} else {
		r.walk(rhs)
	}
	open, end := "{ ", " }"
	if !list {
		open, end = "func() { ", " }()"
	}
	var names []string
	for range s.Lhs {
		names = append(names, r.name())
	}
	pre := r.build(s.Pos())
	pre.put("%s%s := ", open, strings.Join(names, ", "))
	pre.node(rhs)
	pre.put("; ")
	pre.move(s.Pos())
	if _, call := ast.Unparen(rhs).(*ast.CallExpr); !call && !plainBool(r.info.TypeOf(s.Lhs[1])) {
		names[1] += " == (0 == 0)" // of any boolean type
	}
	b := r.build(rhs.Pos())
	b.put("%s", strings.Join(names, ", "))
	b.done(rhs.End())
	return func() {
		r.before(s.Pos(), pre.buf.String())
		r.after(s.End(), end)
	}
}

// receiveAs rewrites a receive whose second value is to have a boolean type of
// that name.
func (r *rewriter) receiveAs(u *ast.UnaryExpr, outer ast.Expr, name string) {
	r.walk(u.X)
	id := r.site(sites.Recv, u.OpPos)
	if id == 0 {
		return
	}
	b := r.build(outer.Pos())
	b.put("%s[%s](%d, ", r.helper("RecvAs"), name, id)
	b.node(u.X)
	b.put(")")
	b.done(outer.End())
}

// rangeChan rewrites a range over a channel into a loop over its receives,
// which every language version has.
func (r *rewriter) rangeChan(s *ast.RangeStmt) {
	r.walk(s.X)
	if s.Key != nil {
		r.walk(s.Key)
	}
	r.list(s.Body.List)
	id := r.site(sites.Range, s.For)
	if id == 0 {
		return
	}
	rg := r.name()
	b := r.build(s.For)
	key := s.Key
	if isBlank(key) {
		key = nil
	}
	perLoop := key != nil && s.Tok == token.DEFINE && r.version != "" && version.Compare(r.version, "go1.22") < 0
	if perLoop {
		// One variable for all iterations.
		b.put("for %s, ", rg)
		b.node(key)
		b.put(" := %s(", r.helper("Range"))
	} else {
		b.put("for %s := %s.RangeCh(", rg, r.zz)
	}
	b.node(s.X)
	b.put("); %s.Next(%d); {", rg, id)
	switch {
	case key == nil:
	case perLoop:
		b.put(" ")
		b.node(key)
		b.put(" = %s.V;", rg)
	default:
		b.put(" ")
		b.node(key)
		b.put(" %v %s.V;", s.Tok, rg)
	}
	b.put("%s ", r.variables([]ast.Expr{key}, s.Tok == token.DEFINE))
	b.node(s.Body)
	b.put("}")
	b.done(s.End())
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// selectStmt rewrites a select into a switch over the case that the runtime
// chooses. Breaks, labels and gotos keep their meaning, and a terminating
// statement stays one.
func (r *rewriter) selectStmt(s *ast.SelectStmt) {
	id := r.site(sites.Select, s.Select)
	type commCase struct {
		clause *ast.CommClause
		name   string
	}
	var cases []commCase
	hasDefault := false
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		switch comm := clause.Comm.(type) {
		case nil:
			hasDefault = true
		case *ast.SendStmt:
			r.walk(comm.Chan)
			r.walk(comm.Value)
			cases = append(cases, commCase{clause, r.name()})
		default:
			lhs, u := commReceive(comm)
			for _, e := range lhs {
				r.walk(e)
			}
			r.walk(u.X)
			cases = append(cases, commCase{clause, r.name()})
		}
		r.list(clause.Body)
	}
	if id == 0 {
		return
	}
	b := r.build(s.Select)
	b.put("switch ")
	if hasDefault && len(cases) == 1 {
		r.try(b, cases[0].clause.Comm, cases[0].name, id)
		r.selectBody(b, s, []string{cases[0].name}, hasDefault)
		return
	}
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
		if i > 0 {
			b.put(", ")
		}
		b.put("%s", c.name)
	}
	if len(cases) > 0 {
		b.put(" := ")
	}
	for i, c := range cases {
		if i > 0 {
			b.put(", ")
		}
		if send, ok := c.clause.Comm.(*ast.SendStmt); ok {
			b.put("%s.To(", r.zz)
			b.node(send.Chan)
			b.put(").Case(")
			b.node(send.Value)
			b.put(")")
			continue
		}
		_, u := commReceive(c.clause.Comm)
		b.put("%s.R(", r.zz)
		b.node(u.X)
		b.put(")")
	}
	if len(cases) > 0 {
		b.put("; ")
	}
	b.put("%s.Select(%d, %s", r.zz, id, constantBool(hasDefault))
	for _, c := range cases {
		b.put(", %s", c.name)
	}
	b.put(") ")
	r.selectBody(b, s, names, hasDefault)
}

// try adds the attempt at the only case of a select with a default.
func (r *rewriter) try(b *builder, comm ast.Stmt, name string, id sites.ID) {
	r.helper("Try")
	b.put("%s := ", name)
	if send, ok := comm.(*ast.SendStmt); ok {
		b.put("%sTryTo(", r.zz)
		b.node(send.Chan)
		b.put(").Send(%d, ", id)
		b.node(send.Value)
		b.put(")")
	} else {
		_, u := commReceive(comm)
		b.put("%sTryRecv(%d, ", r.zz, id)
		b.node(u.X)
		b.put(")")
	}
	b.put("; %s.Case ", name)
}

// selectBody adds the cases of a select whose communications have these names.
func (r *rewriter) selectBody(b *builder, s *ast.SelectStmt, names []string, hasDefault bool) {
	at := s.Body.Lbrace
	n := 0
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		b.source(at, clause.Case)
		at = clause.Colon + 1
		if clause.Comm == nil {
			b.put("default:")
			continue
		}
		b.put("case %d:", n)
		name := names[n]
		n++
		assign, ok := clause.Comm.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for i, e := range assign.Lhs {
			if i == 0 {
				b.put(" ")
			} else {
				b.put(", ")
			}
			b.node(e)
		}
		b.put(" %v %s.V", assign.Tok, name)
		switch {
		case len(assign.Lhs) < 2:
		case assign.Tok == token.ASSIGN && !plainBool(r.info.TypeOf(assign.Lhs[1])):
			b.put(", %s.OK == (0 == 0)", name)
		default:
			b.put(", %s.OK", name)
		}
		b.put(";%s", r.variables(assign.Lhs, assign.Tok == token.DEFINE))
	}
	b.source(at, s.Body.Rbrace)
	if !hasDefault {
		// The runtime does not return otherwise.
		if len(names) > 0 {
			b.put("; ")
		}
		if r.shadowed["panic"] {
			b.put("default: for {}; ")
		} else {
			b.put("default: panic(\"unreachable\"); ")
		}
	}
	b.put("}")
	b.done(s.End())
}

// commReceive takes the communication of a select case that receives apart.
func commReceive(comm ast.Stmt) (lhs []ast.Expr, u *ast.UnaryExpr) {
	var x ast.Expr
	switch c := comm.(type) {
	case *ast.ExprStmt:
		x = c.X
	case *ast.AssignStmt:
		lhs, x = c.Lhs, c.Rhs[0]
	}
	return lhs, ast.Unparen(x).(*ast.UnaryExpr)
}

// rangesOverChan reports whether the statement receives from a channel.
func (r *rewriter) rangesOverChan(s *ast.RangeStmt) bool {
	t := r.info.TypeOf(s.X)
	if !isTypeParam(t) {
		if _, ok := t.Underlying().(*types.Chan); !ok {
			return false
		}
	}
	return sites.ChanOf(t) != nil
}
