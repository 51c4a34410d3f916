package promela

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// option is an edge of a process with selected values.
type option struct {
	x      *exporter
	proc   int
	edge   *uppaal.Edge
	bound  map[*uppaal.Var]binding
	values []int32 // that are selected
	number int     // among all, from 1
	// channels are the numbers of its channel, if it synchronises.
	channels  val
	broadcast bool
	to        int
}

func (o *option) sends() bool { return o.edge.Sync != nil && o.edge.Sync.Dir == uppaal.Send }
func (o *option) receives() bool {
	return o.edge.Sync != nil && o.edge.Sync.Dir == uppaal.Receive
}

// hears reports that the option receives from a broadcast channel.
func (o *option) hears() bool { return o.broadcast && o.receives() }

// meets reports whether two options may use the same channel.
func (o *option) meets(p *option) bool {
	return o.proc != p.proc && o.broadcast == p.broadcast && o.channels.lo <= p.channels.hi && p.channels.lo <= o.channels.hi
}

func (o *option) scope() *scope {
	return &scope{x: o.x, proc: o.proc, bound: o.bound}
}

// expand makes the options of every process.
func (x *exporter) expand() {
	n := 0
	x.options = make([][]*option, len(x.info.Processes))
	for i, p := range x.info.Processes {
		for _, e := range p.Template.Edges {
			var rec func(k int, s *scope, values []int32)
			rec = func(k int, s *scope, values []int32) {
				if k < len(e.Select) {
					v := x.info.Defs[e.Select[k]]
					lo, hi, _ := uppaal.Range(v.Type)
					for value := int64(lo); value <= int64(hi); value++ {
						inner := *s
						l := lit(value)
						inner.bind(v, binding{value: &l})
						rec(k+1, &inner, append(slices.Clone(values), int32(value)))
					}
					return
				}
				if n++; n > maxOptions {
					failf(e.Pos, "more than %d edges and selections cannot be exported", maxOptions)
				}
				o := &option{x: x, proc: i, edge: e, bound: s.bound, values: values, number: n, to: slices.Index(p.Template.Locations, e.To)}
				if e.Sync != nil {
					o.synchronise()
				}
				x.options[i] = append(x.options[i], o)
			}
			rec(0, &scope{x: x, proc: i}, nil)
		}
	}
}

// synchronise finds out which channels an option can use.
func (o *option) synchronise() {
	e := o.edge.Sync.Chan
	if effects(o.x.info, e) {
		failf(o.edge.Sync.Pos, "a channel with side effects cannot be exported")
	}
	ch, ok := isChan(o.x.info.Types[e])
	if !ok {
		failf(o.edge.Sync.Pos, "this channel cannot be exported")
	}
	o.broadcast = ch.Broadcast
	s := o.scope()
	s.c = true
	again := o.x.again
	names := o.x.names
	global := len(o.x.global)
	o.channels = s.expr(e)
	if len(o.x.global) == global {
		o.x.again = again
	}
	o.x.names = names
	if o.hears() {
		o.x.track(o.proc)
	}
}

// native runs f and reports whether Promela can say what it writes.
func native(f func()) (ok bool) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case notNative:
			ok = false
		default:
			panic(x)
		}
	}()
	f()
	return true
}

// enabled is the condition under which an option can be taken, apart from
// synchronisation: its guard, where the location is a variable the location,
// and where nobody else may move first that no process is committed.
func (o *option) enabled(s *scope, uncommitted bool) val {
	cond := lit(1)
	if o.x.tracked[o.proc] {
		from := slices.Index(o.x.info.Processes[o.proc].Template.Locations, o.edge.From)
		cond = truth("(%s == %d)", s.state(locationVar(o.proc)), from)
	}
	if uncommitted && o.x.committed && o.edge.From.Urgency != uppaal.Committed {
		cond = and(cond, truth("(%s == 0)", s.state("committed")))
	}
	if o.edge.Guard != nil {
		if effects(o.x.info, o.edge.Guard) {
			failf(o.edge.Guard.Position(), "a guard with side effects cannot be exported")
		}
		cond = and(cond, boolean(s.expr(o.edge.Guard)))
	}
	return cond
}

// condition writes what f makes as a Promela expression: directly, or as a
// call of a C function.
func (x *exporter) condition(s *scope, f func(s *scope) val) val {
	var v val
	if native(func() { v = f(s) }) {
		return v
	}
	c := *s
	c.c, c.known = true, nil
	v = f(&c)
	if v.constant() {
		return v
	}
	name := x.fresh("g")
	fmt.Fprintf(&x.functions, "static int %s(void) { return %s; }\n", name, v.text)
	x.bounded(x.functions.Len())
	return val{fmt.Sprintf("c_expr { (%s()) }", name), v.lo, v.hi}
}

// update is what a step does to variables, as Promela statements or as C.
type update struct {
	native []string
	c      string
	isC    bool
}

func (u update) empty() bool { return !u.isC && len(u.native) == 0 }

// update writes the effect of an option: the updates of its edge, the variable
// of its location and the count of committed processes. Where another process
// carries it out it is foreign; known is what the guard says, if it was tested
// just before.
func (o *option) update(foreign, known bool) update {
	var u update
	if native(func() {
		s := o.scope()
		s.foreign = foreign
		if known {
			s.known = o.scope().facts(o.edge.Guard)
		}
		for _, e := range o.edge.Update {
			u.native = append(u.native, s.assignment(e)...)
		}
		u.native = append(u.native, o.control(s)...)
	}) {
		return u
	}
	s := o.scope()
	s.foreign, s.c = foreign, true
	var b strings.Builder
	for _, e := range o.edge.Update {
		b.WriteString(s.run(e) + " ")
		o.x.bounded(b.Len())
	}
	for _, c := range o.control(s) {
		b.WriteString(c + "; ")
	}
	return update{c: b.String(), isC: true}
}

// control is what an option does to the variables of the export.
func (o *option) control(s *scope) []string {
	var list []string
	if o.x.tracked[o.proc] && o.edge.From != o.edge.To {
		list = append(list, fmt.Sprintf("%s = %d", s.state(locationVar(o.proc)), o.to))
	}
	from, to := o.edge.From.Urgency == uppaal.Committed, o.edge.To.Urgency == uppaal.Committed
	name := s.state("committed")
	switch {
	case to && !from:
		list = append(list, fmt.Sprintf("%s = %s + 1", name, name))
	case from && !to:
		list = append(list, fmt.Sprintf("%s = %s - 1", name, name))
	}
	return list
}

// asC writes an update as C even if Promela could say it.
func (o *option) asC() string {
	u := o.update(true, false)
	if u.isC {
		return u.c
	}
	s := o.scope()
	s.c, s.foreign = true, true
	var b strings.Builder
	for _, e := range o.edge.Update {
		b.WriteString(s.run(e) + " ")
	}
	for _, c := range o.control(s) {
		b.WriteString(c + "; ")
	}
	return b.String()
}

// assignment writes an update in Promela: an assignment to a scalar, with an
// assertion if its value may leave the range.
func (s *scope) assignment(e uppaal.Expr) []string {
	var p place
	var v val
	switch e := e.(type) {
	case *uppaal.Assign:
		p = s.place(e.L)
		if aggregate(p.typ) || effects(s.x.info, e.R) {
			panic(notNative{})
		}
		v = s.expr(e.R)
		if e.Op != "=" {
			v = s.operate(uppaal.Op(e.Op[:len(e.Op)-1]), s.load(p, e.Pos), v)
		}
	case *uppaal.Call:
		return s.assignments(e)
	case *uppaal.IncDec:
		p = s.place(e.X)
		one := lit(1)
		if e.Op == uppaal.OpDec {
			one = lit(-1)
		}
		v = add(s.load(p, e.Pos), one)
	default:
		if effects(s.x.info, e) {
			panic(notNative{})
		}
		if _, ok := isChan(s.x.info.Types[e]); !ok {
			s.expr(e) // it may have no native form
		}
		return nil
	}
	lo, hi, _ := uppaal.Range(p.typ)
	var list []string
	if _, ok := p.typ.(uppaal.Bool); ok {
		v = boolean(v)
	} else if !v.within(int64(lo), int64(hi)) {
		inside := and(compare(uppaal.OpGe, v, lit(int64(lo))), compare(uppaal.OpLe, v, lit(int64(hi))))
		list = append(list, fmt.Sprintf("assert(%s)", inside.text))
	}
	s.forget(p, v)
	return append(list, fmt.Sprintf("%s = %s", p.text(), v.text))
}

// assignments writes a call of a function of assignments in Promela, if its
// arguments are constants or fixed places.
func (s *scope) assignments(e *uppaal.Call) []string {
	f, ok := s.x.info.Uses[e.Fun].(*uppaal.Func)
	if !ok || len(f.Decl.Body.Decls) > 0 {
		panic(notNative{})
	}
	if _, void := f.Result.(uppaal.Void); !void {
		panic(notNative{})
	}
	inner := &scope{x: s.x, proc: s.proc, foreign: s.foreign, known: s.known}
	if f.Template == nil {
		inner.proc = -1
	}
	for i, p := range f.Params {
		if p.Ref {
			q := s.place(e.Args[i])
			if !q.index.constant() {
				panic(notNative{})
			}
			inner.bind(p, binding{place: &q})
			continue
		}
		lo, hi, ok := uppaal.Range(p.Type)
		if !ok || effects(s.x.info, e.Args[i]) {
			panic(notNative{})
		}
		v := s.expr(e.Args[i])
		if !v.constant() || !v.within(int64(lo), int64(hi)) {
			panic(notNative{})
		}
		inner.bind(p, binding{value: &v})
	}
	var list []string
	for _, st := range f.Decl.Body.Stmts {
		st, ok := st.(*uppaal.ExprStmt)
		if !ok || st.X == nil {
			panic(notNative{})
		}
		list = append(list, inner.assignment(st.X)...)
	}
	return list
}

// facts derives intervals of variables from the conjuncts of a guard.
func (s *scope) facts(guard uppaal.Expr) map[string]val {
	known := map[string]val{}
	var visit func(e uppaal.Expr)
	visit = func(e uppaal.Expr) {
		b, ok := e.(*uppaal.Binary)
		if !ok {
			return
		}
		if b.Op == uppaal.OpAnd {
			visit(b.X)
			visit(b.Y)
			return
		}
		if aggregate(s.x.info.Types[b.X]) {
			return
		}
		x, y := s.expr(b.X), s.expr(b.Y)
		op := b.Op
		if x.constant() {
			mirror := map[uppaal.Op]uppaal.Op{uppaal.OpLt: uppaal.OpGt, uppaal.OpLe: uppaal.OpGe, uppaal.OpGt: uppaal.OpLt, uppaal.OpGe: uppaal.OpLe}
			x, y = y, x
			if m, ok := mirror[op]; ok {
				op = m
			}
		}
		if !y.constant() {
			return
		}
		k, ok := known[x.text]
		if !ok {
			k = val{x.text, math.MinInt32, math.MaxInt32}
		}
		switch op {
		case uppaal.OpLt:
			k.hi = min(k.hi, y.lo-1)
		case uppaal.OpLe:
			k.hi = min(k.hi, y.lo)
		case uppaal.OpGt:
			k.lo = max(k.lo, y.lo+1)
		case uppaal.OpGe:
			k.lo = max(k.lo, y.lo)
		case uppaal.OpEq:
			k.lo, k.hi = max(k.lo, y.lo), min(k.hi, y.lo)
		case uppaal.OpNe:
			if x.lo == y.lo {
				k.lo = max(k.lo, y.lo+1)
			}
			if x.hi == y.lo {
				k.hi = min(k.hi, y.lo-1)
			}
		}
		known[x.text] = k
	}
	if guard != nil {
		native(func() { visit(guard) })
	}
	return known
}

// forget drops what is known of a place that is assigned to, and of every
// place whose index may have changed.
func (s *scope) forget(p place, v val) {
	for text := range s.known {
		if text == p.text() || strings.Contains(text, p.name) {
			delete(s.known, text)
		}
	}
	if !p.array && s.known != nil {
		s.known[p.text()] = val{p.text(), v.lo, v.hi}
	}
}
