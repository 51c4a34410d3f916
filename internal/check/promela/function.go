package promela

import (
	"fmt"
	"math"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Functions become C blocks where they are called, references replaced by what
// they refer to.

// maxLoop bounds a loop in the C code; package check has the same order of
// bound.
const maxLoop = 1 << 20

// store writes the assignment of a value to a scalar place, as C.
func store(p place, v val) string {
	lo, hi, _ := uppaal.Range(p.typ)
	text := v.text
	if _, ok := p.typ.(uppaal.Bool); ok {
		text = boolean(v).text
	} else if !v.within(int64(lo), int64(hi)) {
		text = fmt.Sprintf("ck(%s, %s, %s)", text, lit(int64(lo)).text, lit(int64(hi)).text)
	}
	return p.text() + " = " + text + ";"
}

// assign writes an assignment to a scalar as a C expression.
func (s *scope) assign(e *uppaal.Assign) val {
	p := s.place(e.L)
	if aggregate(p.typ) {
		failf(e.Position(), "the value of an assignment of an array or struct cannot be exported")
	}
	var pre string
	if effects(s.x.info, e.R) && !p.index.constant() {
		// The place is found before the value changes it.
		i := s.x.fresh("t")
		pre = fmt.Sprintf("int %s = %s; ", i, p.index.text)
		p.index.text = i
	}
	v := s.expr(e.R)
	if e.Op != "=" {
		t, u := s.x.fresh("t"), s.x.fresh("t")
		pre += fmt.Sprintf("int %s = %s; int %s = %s; ", t, p.text(), u, v.text)
		old := opaque(p.typ, t)
		v = s.operate(uppaal.Op(e.Op[:len(e.Op)-1]), old, val{u, v.lo, v.hi})
	}
	return val{fmt.Sprintf("({ %s%s %s; })", pre, store(p, v), p.text()), math.MinInt32, math.MaxInt32}
}

// run writes an expression that is evaluated for its effects, as C.
func (s *scope) run(e uppaal.Expr) string {
	if _, ok := isChan(s.x.info.Types[e]); ok {
		return ""
	}
	if a, ok := e.(*uppaal.Assign); ok && aggregate(s.x.info.Types[a.L]) {
		p := s.place(a.L)
		n := s.size(p.typ, a.Pos)
		t, i := s.x.fresh("t"), s.x.fresh("t")
		index := p.index.text
		if !p.index.constant() {
			p.index.text = i
		}
		return fmt.Sprintf("{ int %s = %s; (void)%s; int %s[%d]; %s %s }", i, index, i, t, n, s.fill(t, a.R), storeAll(p, t))
	}
	if c, ok := e.(*uppaal.Cond); ok {
		if v := s.expr(c.If); !v.constant() {
			return fmt.Sprintf("if (%s) { %s } else { %s }", v.text, s.run(c.Then), s.run(c.Else))
		} else if v.lo != 0 {
			return s.run(c.Then)
		}
		return s.run(c.Else)
	}
	if t := s.x.info.Types[e]; aggregate(t) {
		tmp := s.x.fresh("t")
		return fmt.Sprintf("{ int %s[%d]; %s }", tmp, s.size(t, e.Position()), s.fill(tmp, e))
	}
	return "(void)" + s.expr(e).text + ";"
}

// storeAll writes the assignment of an array of integers to a place.
func storeAll(p place, from string) string {
	var b strings.Builder
	for i, c := range p.cells() {
		b.WriteString(store(c, val{fmt.Sprintf("%s[%d]", from, i), math.MinInt32, math.MaxInt32}) + " ")
	}
	return b.String()
}

// fill writes the statements that copy the integers of a value to an array.
func (s *scope) fill(to string, e uppaal.Expr) string {
	switch e := e.(type) {
	case *uppaal.Cond:
		c := s.expr(e.If)
		return fmt.Sprintf("if (%s) { %s } else { %s }", c.text, s.fill(to, e.Then), s.fill(to, e.Else))
	case *uppaal.Assign:
		p := s.place(e.L)
		return s.run(e) + " " + s.copyOut(to, p, e.Pos)
	case *uppaal.Call:
		f, ok := s.x.info.Uses[e.Fun].(*uppaal.Func)
		if !ok {
			break
		}
		if e.Process != nil {
			failf(e.Pos, "the struct that a function of a process gives cannot be exported")
		}
		r := place{name: s.x.fresh("t"), typ: f.Result, index: lit(0)}
		return fmt.Sprintf("{ %s %s %s }", s.declareC(r), s.inline(e, f, &r), s.copyOut(to, r, e.Pos))
	}
	if aggregate(s.x.info.Types[e]) {
		return s.copyOut(to, s.place(e), e.Position())
	}
	return fmt.Sprintf("%s[0] = %s;", to, s.expr(e).text)
}

func (s *scope) copyOut(to string, p place, pos uppaal.Pos) string {
	var b strings.Builder
	for i, c := range p.cells() {
		fmt.Fprintf(&b, "%s[%d] = %s; ", to, i, s.load(c, pos).text)
	}
	s.x.bounded(b.Len())
	return b.String()
}

// declareC declares a variable of a function in C, with the values of a
// variable that has no initialiser.
func (s *scope) declareC(p place) string {
	var b strings.Builder
	s.size(p.typ, uppaal.Pos{})
	zero := spread(p.typ, uppaal.Zero(p.typ))
	for _, l := range leavesOf(p.typ) {
		if !l.array {
			fmt.Fprintf(&b, "int %s%s = %s; ", p.name, l.path, lit(int64(zero[l.path][0])).text)
			continue
		}
		var text []string
		for _, v := range zero[l.path] {
			text = append(text, lit(int64(v)).text)
		}
		fmt.Fprintf(&b, "int %s%s[%d] = {%s}; ", p.name, l.path, l.n, strings.Join(text, ","))
	}
	return b.String()
}

// initialise writes the assignment of an initialiser.
func (s *scope) initialise(p place, e uppaal.Expr) string {
	if list, ok := e.(*uppaal.InitList); ok {
		var b strings.Builder
		switch t := p.typ.(type) {
		case *uppaal.Array:
			for i := range t.Len() {
				q := p
				q.index = add(mul(p.index, lit(int64(t.Len()))), lit(int64(i)))
				q.array, q.typ = true, t.Elem
				b.WriteString(s.initialise(q, list.Elems[i]))
			}
		case *uppaal.Struct:
			elems := list.ByField(t)
			for i, f := range t.Fields {
				q := p
				q.path += fmt.Sprintf("_%d", i)
				q.typ = f.Type
				b.WriteString(s.initialise(q, elems[i]))
			}
		}
		return b.String()
	}
	if !aggregate(p.typ) {
		return store(p, s.expr(e)) + " "
	}
	t := s.x.fresh("t")
	return fmt.Sprintf("{ int %s[%d]; %s %s } ", t, s.size(p.typ, e.Position()), s.fill(t, e), storeAll(p, t))
}

// call writes a call that gives a scalar or nothing.
func (s *scope) call(e *uppaal.Call) val {
	f, ok := s.x.info.Uses[e.Fun].(*uppaal.Func)
	if e.Process != nil {
		// Arguments in a query do not depend on the process of the scope.
		there := *s
		there.proc, there.foreign = s.process(e.Process), true
		f = s.x.info.Function(s.x.info.Processes[there.proc].Template, e.Fun.Name)
		s = &there
	}
	if !ok {
		if e.Fun.Name != "abs" || len(e.Args) != 1 {
			failf(e.Pos, "%s cannot be exported", e.Fun.Name)
		}
		x := s.expr(e.Args[0])
		if x.lo >= 0 {
			return x
		}
		s.needC()
		t := s.x.fresh("t")
		return val{fmt.Sprintf("({ int %s = %s; %s < 0 ? -%s : %s; })", t, x.text, t, t, t), math.MinInt32, math.MaxInt32}
	}
	if v, ok := s.substitute(e, f); ok {
		return v
	}
	s.needC()
	if _, void := f.Result.(uppaal.Void); void {
		return val{fmt.Sprintf("({ %s 0; })", s.inline(e, f, nil)), math.MinInt32, math.MaxInt32}
	}
	r := place{name: s.x.fresh("t"), typ: f.Result, index: lit(0)}
	v := opaque(f.Result, "")
	return val{fmt.Sprintf("({ %s%s %s; })", s.declareC(r), s.inline(e, f, &r), r.name), v.lo, v.hi}
}

// substitute writes a call of a function that only returns an expression as
// that expression, if its ranges need no checks.
func (s *scope) substitute(e *uppaal.Call, f *uppaal.Func) (val, bool) {
	body := f.Decl.Body
	if !f.Pure || len(body.Decls) > 0 || len(body.Stmts) != 1 || effects(s.x.info, e) {
		return val{}, false
	}
	ret, ok := body.Stmts[0].(*uppaal.ReturnStmt)
	if !ok || ret.X == nil || aggregate(f.Result) || effects(s.x.info, ret.X) {
		return val{}, false
	}
	inner := &scope{x: s.x, proc: s.proc, c: s.c, foreign: s.foreign, query: s.query, known: s.known}
	if f.Template == nil {
		inner.proc = -1
	}
	for i, p := range f.Params {
		if p.Ref || aggregate(p.Type) {
			return val{}, false
		}
		x := s.expr(e.Args[i])
		lo, hi, _ := uppaal.Range(p.Type)
		if _, isBool := p.Type.(uppaal.Bool); isBool {
			x = boolean(x)
		} else if !x.within(int64(lo), int64(hi)) {
			return val{}, false
		}
		inner.bind(p, binding{value: &x})
	}
	v := inner.expr(ret.X)
	if _, isBool := f.Result.(uppaal.Bool); isBool {
		return boolean(v), true
	}
	lo, hi, _ := uppaal.Range(f.Result)
	return v, v.within(int64(lo), int64(hi))
}

// inline writes the body of a function.
func (s *scope) inline(e *uppaal.Call, f *uppaal.Func, result *place) string {
	inner := &scope{x: s.x, proc: s.proc, c: true, foreign: s.foreign, query: s.query, result: result, end: s.x.fresh("end")}
	if f.Template == nil {
		inner.proc = -1
	}
	var b strings.Builder
	b.WriteString("{ ")
	for i, p := range f.Params {
		if p.Ref {
			q := s.place(e.Args[i])
			if !q.index.constant() {
				t := s.x.fresh("t")
				fmt.Fprintf(&b, "int %s = %s; ", t, q.index.text)
				q.index.text = t
			}
			inner.bind(p, binding{place: &q})
			continue
		}
		q := place{name: s.x.fresh("t"), typ: p.Type, index: lit(0)}
		b.WriteString(s.declareC(q))
		b.WriteString(s.initialise(q, e.Args[i]))
		inner.bind(p, binding{place: &q})
	}
	b.WriteString(inner.stmt(f.Decl.Body))
	fmt.Fprintf(&b, " %s: ; }", inner.end)
	s.x.bounded(b.Len())
	return b.String()
}

// block gives a copy of the scope whose bindings can change.
func (s *scope) block() *scope {
	inner := *s
	return &inner
}

func (s *scope) stmt(st uppaal.Stmt) string {
	text := s.statement(st)
	s.x.spend(len(text))
	return text
}

func (s *scope) statement(st uppaal.Stmt) string {
	switch st := st.(type) {
	case nil:
		return ";"
	case *uppaal.Block:
		inner := s.block()
		var b strings.Builder
		b.WriteString("{ ")
		for _, d := range st.Decls {
			if d, ok := d.(*uppaal.VarDecl); ok {
				v := s.x.info.Defs[d]
				p := place{name: s.x.fresh("t"), typ: v.Type, index: lit(0)}
				b.WriteString(s.declareC(p))
				inner.bind(v, binding{place: &p})
				if v.Init != nil {
					b.WriteString(inner.initialise(p, v.Init))
				}
			}
		}
		for _, st := range st.Stmts {
			b.WriteString(inner.stmt(st) + " ")
		}
		s.x.bounded(b.Len())
		return b.String() + "}"
	case *uppaal.ExprStmt:
		if st.X == nil {
			return ";"
		}
		return s.run(st.X)
	case *uppaal.IfStmt:
		text := fmt.Sprintf("if (%s) { %s }", s.expr(st.Cond).text, s.stmt(st.Then))
		if st.Else != nil {
			text += fmt.Sprintf(" else { %s }", s.stmt(st.Else))
		}
		return text
	case *uppaal.WhileStmt:
		cond := s.expr(st.Cond).text
		n, limit := s.bounding()
		if st.Do {
			return fmt.Sprintf("{ int %s = 0; do { %s %s } while (%s); }", n, limit, s.stmt(st.Body), cond)
		}
		return fmt.Sprintf("{ int %s = 0; while (%s) { %s %s } }", n, cond, limit, s.stmt(st.Body))
	case *uppaal.ForStmt:
		part := func(e uppaal.Expr) string {
			if e == nil {
				return ""
			}
			return s.run(e)
		}
		cond := "1"
		if st.Cond != nil {
			cond = s.expr(st.Cond).text
		}
		n, limit := s.bounding()
		return fmt.Sprintf("{ int %s = 0; %s while (%s) { %s %s %s } }", n, part(st.Init), cond, limit, s.stmt(st.Body), part(st.Post))
	case *uppaal.RangeStmt:
		v := s.x.info.Defs[st.Bind]
		lo, hi, _ := uppaal.Range(v.Type)
		i := s.x.fresh("t")
		inner := s.block()
		// The body may assign to its copy of the variable.
		p := place{name: s.x.fresh("t"), typ: v.Type, index: lit(0)}
		inner.bind(v, binding{place: &p})
		return fmt.Sprintf("for (long %s = %s; %s <= %s; %s++) { int %s = %s; %s }", i, lit(int64(lo)).text, i, lit(int64(hi)).text, i, p.name, i, inner.stmt(st.Body))
	case *uppaal.ReturnStmt:
		text := ""
		switch {
		case st.X == nil:
		case s.result == nil:
			text = s.run(st.X)
		default:
			text = s.initialise(*s.result, st.X)
		}
		return fmt.Sprintf("{ %s goto %s; }", text, s.end)
	case *uppaal.AssertStmt:
		return fmt.Sprintf("if (!(%s)) { bad(\"assertion fails\"); }", s.expr(st.X).text)
	}
	failf(uppaal.Pos{}, "statement %T cannot be exported", st)
	return ""
}

// bounding gives the counter of a loop and the statement that bounds it.
func (s *scope) bounding() (counter, limit string) {
	n := s.x.fresh("t")
	return n, fmt.Sprintf("if (++%s > %d) { bad(\"endless loop\"); break; }", n, maxLoop)
}
