package translate

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A deadline is when something happens by itself: a timer fires, a ticker ticks, a
// context ends by its timeout, a sleeper wakes. Where it was armed by a duration d
// that is a known number, the deadline is at least d behind the arming, and of two
// that are pending the one that was armed first comes first if its duration is not
// the longer one. That holds however slow goroutines are, since the clock never runs
// backwards, and nothing else does: what is armed later for a shorter time may come
// first or not, as its goroutine was fast or slow. So the state has no times. For
// each pair of events it has a cell that says that one must come before the other:
// it is set where the other is armed, and cleared where one of them comes, is stopped
// or is armed anew. While it is set the other does not come.
//
// In the model a segment is done at once, when its guard is passed. In a run its
// goroutine may be slow between its guard and what it arms, and another goroutine may
// arm something meanwhile, although its guard was passed later. So what one goroutine
// has armed is taken to be armed before what another one arms only once the first
// has passed another guard behind: until then it is fresh. Of what depends on it
// nothing is lost: whoever learns of it learns it by a guard that was passed later.
//
// An event that comes is not late: that the runtime has fired one timer and not yet
// another one that was due before is not in the model.

const (
	// maxCompared is how many events are compared with each other, and how many
	// sleepers with them. The orders in which they can be pending are states of the
	// model: goroutines that each arm a timer and do one more step have, for five of
	// them, 2.4 times the states that they have without, for six ten times. More are as if
	// their durations were not known.
	maxCompared = 5
	// maxOrigin is how many steps are gone back to find where a duration comes from.
	maxOrigin = 16
)

// Why the model has orders of events that no clock has.
const (
	uncompared = "it may happen at any moment: durations are not compared"
	inPairs    = "durations are compared in pairs: it may happen in an order with others that no clock allows"
)

// event is what has deadlines: the object of a timer or of a context, or a template
// whose goroutine sleeps.
type event struct {
	id   int
	name string
	o    *object   // nil of a sleep
	t    *template // nil of an object
	// durations it is armed with that are known. In its cell that holds the one it was
	// armed with, 0 is another, and k+1 that with index k.
	durations []int64
	others    bool // it is armed with others as well
	beyond    bool // more are compared already
	arms      map[*callPath]bool
	armers    map[*template]bool
	// touch are the locations whose segments arm it or end it, watch those that
	// compare it with something that they arm, ripe those behind which it is not fresh.
	touch, watch, ripe map[*location]bool
	// duration and fresh are cells that are kept once they are asked for. fresh says
	// who has armed it and has passed no guard since, 0 if nobody.
	duration, fresh *keptCell
}

// keptCell is a cell of an event that is written only if somebody reads it.
type keptCell struct {
	*cell
	needed bool
}

// newEvent makes an event.
func (x *translator) newEvent(name string, o *object, t *template) *event {
	e := &event{id: len(x.events), name: name, o: o, t: t, arms: map[*callPath]bool{}, armers: map[*template]bool{},
		touch: map[*location]bool{}, watch: map[*location]bool{}, ripe: map[*location]bool{}}
	x.events = append(x.events, e)
	return e
}

// eventOf is the event of a timer or context, nil for objects of pools: which of them
// is which is not known where they are made.
func (x *translator) eventOf(o *object) *event {
	if o.pool != nil {
		return nil
	}
	e := x.eventsOf[o]
	if e == nil {
		e = x.newEvent(o.name, o, nil)
		x.eventsOf[o] = e
		if !x.comparing {
			return e
		}
		e.duration = &keptCell{cell: x.eventCell(e.name + "_duration")}
		e.fresh = &keptCell{cell: x.eventCell(e.name + "_fresh")}
	}
	return e
}

// sleepOf is the event of the sleep of a goroutine, nil if there can be several.
func (x *translator) sleepOf(t *template) *event {
	if !t.once {
		return nil
	}
	e := x.sleeps[t]
	if e == nil {
		e = x.newEvent("sleep_"+mangle(t.name), nil, t)
		x.sleeps[t] = e
	}
	return e
}

// eventCell makes a cell, which is no memory of the program.
func (x *translator) eventCell(name string) *cell {
	c := x.mem.cells[x.mem.add(&object{kind: objData, name: name, size: 1}).base]
	c.name, c.sync = name, true
	return c
}

// before is the cell that says that a must come before b. If there is none it is
// made, if wanted, else nil.
func (x *translator) before(a, b *event, wanted bool) *cell {
	k := [2]int{a.id, b.id}
	c := x.precedes[k]
	if c == nil && wanted {
		c = x.eventCell(a.name + "_before_" + b.name)
		x.precedes[k] = c
		for _, e := range []*event{a, b} {
			x.enqueueAll(e.touch)
		}
	}
	return c
}

// touches notes that a segment arms an event or ends it.
func (p *path) touches(e *event) {
	if p.from != nil && !p.x.emitting {
		e.touch[p.from] = true
	}
}

// isArmedBy notes a duration that an event is armed with, if that is known, and who
// does it. It returns what its cell holds then.
func (x *translator) isArmedBy(p *path, e *event, d int64, known bool) int32 {
	grown := false
	k := slices.Index(e.durations, d)
	switch {
	case !known:
		grown = !e.others
		e.others, k = true, -1
	case k < 0:
		if len(e.durations) == 0 {
			n := 0
			for _, f := range x.events {
				if len(f.durations) > 0 && !f.beyond && (f.o == nil) == (e.o == nil) {
					n++
				}
			}
			e.beyond = n >= maxCompared
		}
		k, grown = len(e.durations), true
		e.durations = append(e.durations, d)
	}
	e.arms[p.peek().ctx] = true
	if !e.armers[p.t] {
		e.armers[p.t], grown = true, true
	}
	if grown {
		x.enqueueAll(e.watch)
	}
	return int32(k + 1)
}

// mayCompare reports that of two events one may have to come first: then the model is
// made with the cells that say so, from the start.
func (x *translator) mayCompare() bool {
	for _, a := range x.events {
		for _, b := range x.events {
			for _, d := range b.durations {
				if yes, _ := x.firsts(a, b, d); a != b && len(yes) > 0 && !b.beyond {
					return true
				}
			}
		}
	}
	return false
}

// arm notes that an event is armed with a duration. Its object is pending already, if
// it is to be.
func (x *translator) arm(p *path, e *event, d int64, known bool) {
	if e == nil {
		x.several = true
		return
	}
	k := x.isArmedBy(p, e, d, known)
	if !x.comparing {
		if !x.comparable && x.mayCompare() {
			x.comparable, x.again = true, true
		}
		return
	}
	p.touches(e)
	if e.o != nil {
		p.keep(e.duration, sym.Num(k))
		p.keep(e.fresh, sym.Num(p.armer()))
		p.fresh = union(p.fresh, []int{e.id})
	}
	for _, f := range x.events {
		if f == e {
			continue
		}
		p.unset(x.before(e, f, false))
		first := sym.Num(0)
		if known && d > 0 && !e.beyond {
			first = x.first(p, f, e, d, true)
		}
		if e.o != nil && !first.Is(0) { // a context may have ended when it is made
			first = p.simplify(sym.And(first, x.pending(p, e.o)))
		}
		if first.Is(0) {
			p.unset(x.before(f, e, false))
		} else {
			p.put(x.before(f, e, true).addr, first)
		}
	}
}

// ended notes that an event comes, or is stopped, where a condition holds.
func (x *translator) ended(p *path, e *event, cond *sym.Expr) {
	if e == nil || !x.comparing {
		return
	}
	p.touches(e)
	for _, f := range x.events {
		for _, c := range []*cell{x.before(e, f, false), x.before(f, e, false)} {
			if c == nil {
				continue
			}
			if v := p.cellAt(c.addr); !v.Is(0) {
				p.put(c.addr, sym.Ite(cond, sym.Num(0), v))
			}
		}
	}
}

// timing is why an event may come in an order with others that no clock has, "" if it
// cannot: then every order in the model is one of a run whose goroutines are fast and
// slow where it takes that. It is so of an event that is alone in the program, armed
// again or not, since between its arming and its coming goroutines may do anything or
// nothing. It is so of two that are each armed once, known by all to have been: if a is
// armed first for the shorter time it comes first, always; if for the longer one, b may
// be armed at any moment until a comes. What comes behind depends on more than a pair:
// of a timer for 100 ms and a ticker of 30 ms no pair says that there are three ticks.
// One with no time to pass comes at once, and in the model later as well.
func (x *translator) timing(e *event) string {
	if e == nil || e.others || e.beyond || slices.Min(e.durations) <= 0 {
		return uncompared
	}
	once := func(e *event) bool {
		return e.o != nil && !e.o.ticker && len(e.arms) == 1 && !e.others && !e.fresh.needed
	}
	switch {
	case x.several:
	case len(x.events) == 1, len(x.events) == 2 && x.comparing && once(x.events[0]) && once(x.events[1]):
		return ""
	}
	return inPairs
}

// severalArmers stands for a goroutine of a template that can have several.
const severalArmers = -1

// armer is what the cell fresh of an event holds that the goroutine of the path arms.
func (p *path) armer() int32 {
	if !p.t.once {
		return severalArmers
	}
	return int32(p.t.index) + 1
}

// keep writes a cell of an event. What is written before the start costs nothing, and
// cannot be written later.
func (p *path) keep(c *keptCell, v *sym.Expr) {
	if c.needed || p.x.inPrefix {
		p.put(c.addr, v)
	}
}

// unset clears a cell, which may be nil, if it can be set.
func (p *path) unset(c *cell) {
	if c != nil && !p.cellAt(c.addr).Is(0) {
		p.put(c.addr, sym.Num(0))
	}
}

// need has a cell of an event kept from now on.
func (x *translator) need(e *event, c *keptCell) {
	if !c.needed {
		c.needed = true
		x.enqueueAll(e.touch)
		x.enqueueAll(e.ripe)
	}
}

// firsts are the durations of an event a, as its cell has them, with which it comes
// before b if that is armed later with the duration d.
func (x *translator) firsts(a, b *event, d int64) (yes []int32, all bool) {
	if a.o == nil || a.beyond {
		return nil, false
	}
	for k, da := range a.durations {
		if da <= d && !x.atOnce(a, b, da, d) {
			yes = append(yes, int32(k+1))
		}
	}
	return yes, len(yes) == len(a.durations) && !a.others
}

// first is the condition that an event a is pending, was armed before what is armed
// now with the duration d for b, and comes before it. by says whether a goroutine
// arms it: then what that has armed itself was armed before.
func (x *translator) first(p *path, a, b *event, d int64, by bool) *sym.Expr {
	if a.o != nil && !x.emitting && p.from != nil {
		a.watch[p.from] = true
	}
	yes, all := x.firsts(a, b, d)
	if len(yes) == 0 {
		return sym.Num(0)
	}
	cond := p.simplify(x.pending(p, a.o))
	if cond.Is(0) {
		return cond
	}
	if !all {
		x.need(a, a.duration)
		k, one := p.cellAt(a.duration.addr), sym.Num(0)
		for _, i := range yes {
			one = sym.Or(one, eq(k, i))
		}
		cond = sym.And(cond, one)
	}
	if !by || !p.t.once || len(a.armers) > 1 || !a.armers[p.t] {
		x.need(a, a.fresh)
		if f := p.heap.m[a.fresh.addr]; !by || f == nil || !f.Is(p.armer()) {
			cond = sym.And(cond, eq(p.cellAt(a.fresh.addr), 0))
		}
	}
	return p.simplify(cond)
}

// atOnce reports that two contexts may end at one instant and it matters which does
// first: what is the cause of an end.
func (x *translator) atOnce(a, b *event, da, db int64) bool {
	return da == db && a.o.ctx && b.o != nil && b.o.ctx && x.sl.Classes[relevance.Causes]
}

// pending is the condition that a timer is armed, or that the deadline of a context
// has not passed.
func (x *translator) pending(p *path, o *object) *sym.Expr {
	if o.ctx {
		return sym.And(eq(p.cellAt(o.behind(ctxDeadline)), 1), eq(p.cellAt(o.behind(ctxErr)), 0))
	}
	return eq(p.cellAt(o.behind(timerArmed)), 1)
}

// due adds the condition that no other event must come before. It reports whether
// the path can still be taken.
func (x *translator) due(p *path, e *event) bool {
	if e == nil {
		return true
	}
	p.touches(e)
	for _, f := range x.events {
		if c := x.before(f, e, false); c != nil && !p.assume(eq(p.cellAt(c.addr), 0)) {
			return false
		}
	}
	return true
}

// waited is the condition that another event waits for one to come.
func (x *translator) waited(p *path, e *event) *sym.Expr {
	out := sym.Num(0)
	if e == nil {
		return out
	}
	for _, f := range x.events {
		if c := x.before(e, f, false); c != nil {
			out = sym.Or(out, eq(p.cellAt(c.addr), 1))
		}
	}
	return p.simplify(out)
}

// ticked arms a ticker for its next tick, which comes at least a period behind this
// one: in a step of the process Time.
func (x *translator) ticked(p *path, e *event) {
	if e == nil {
		return
	}
	for _, f := range x.events {
		c := x.before(f, e, false)
		if c == nil || f.o == nil {
			continue
		}
		first := sym.Num(0)
		for i, d := range e.durations {
			is := sym.Num(1)
			if len(e.durations) > 1 || e.others {
				is = eq(p.cellAt(e.duration.addr), int32(i+1))
			}
			first = sym.Or(first, sym.And(is, x.first(p, f, e, d, false)))
		}
		p.put(c.addr, first)
	}
}

// lateEvents adds what the process Time does when events come: others do not wait for
// them any more, and those that are pending when a ticker ticks may have to come
// before its next tick. It reports whether there is something to do then.
func (x *translator) lateEvents() bool {
	for _, a := range x.events {
		for _, b := range x.events {
			if c := x.before(a, b, false); c != nil {
				x.grow(c, sym.Single(0))
			}
		}
	}
	for _, e := range x.events {
		if e.o == nil || !e.o.ticker || e.beyond || !x.comparing {
			continue
		}
		for _, f := range x.events {
			for _, d := range e.durations {
				yes, all := x.firsts(f, e, d)
				if f == e || len(yes) == 0 {
					continue
				}
				x.grow(x.before(f, e, true), sym.Either())
				x.need(f, f.fresh)
				if !all {
					x.need(f, f.duration)
				}
				if len(e.durations) > 1 || e.others {
					x.need(e, e.duration)
				}
			}
		}
	}
	return len(x.queue) > 0
}

// freshAt notes at which location what a path has armed is fresh. It reports whether
// that is new.
func (x *translator) freshAt(p *path, l *location) bool {
	grown := false
	for _, k := range p.fresh {
		if e := x.events[k]; !e.ripe[l] {
			e.ripe[l], grown = true, true
		}
	}
	return grown
}

// ripen says of what a goroutine has armed on its way to a location that it is not
// fresh any more, since it passes a guard there.
func (x *translator) ripen(p *path, l *location) {
	for _, e := range x.events {
		switch {
		case !e.ripe[l] || !x.comparing:
		case l.kind == atLocal:
			p.fresh = append(p.fresh, e.id)
		case e.fresh.needed && p.t.once:
			v, own := p.cellAt(e.fresh.addr), p.armer()
			if rest, ok := p.abs(v).Filter(func(k int32) bool { return k != own }).Single(); ok && rest == 0 {
				p.put(e.fresh.addr, sym.Num(0))
			} else if !v.Is(0) {
				p.put(e.fresh.addr, sym.Ite(eq(v, own), sym.Num(0), v))
			}
		}
	}
}

// durationOf is a duration that the operation on top of the stack is given as an
// argument of its call, in nanoseconds.
func (x *translator) durationOf(p *path, arg int) (d int64, known bool) {
	ctx := p.peek().ctx
	call, ok := ctx.site.(ssa.CallInstruction)
	if !ok || ctx.parent == nil {
		return 0, false
	}
	f := p.peek().tgt.fn
	c := call.Common()
	if f == nil || c.StaticCallee() != f || arg >= len(c.Args) {
		return 0, false
	}
	_, now := call.(*ssa.Call)
	return x.number(p, ctx.parent, c.Args[arg], now, maxOrigin)
}

// number is the value of an integer expression in an activation, which may be more
// than the model keeps: durations are. now says that the activation is where the value
// is used; else it is known only if it is a constant. The activation is nil if it is
// not known.
func (x *translator) number(p *path, ctx *callPath, v ssa.Value, now bool, steps int) (n int64, known bool) {
	if !program.IsInteger(v.Type()) || steps == 0 {
		return 0, false
	}
	if now && x.sl.Values[v] {
		if e := p.value(ctx, v); len(e) == 1 {
			if k := p.simplify(e[0]); k.IsConst() {
				return int64(k.K), true
			}
		}
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return 0, true
		}
		return constant.Int64Val(constant.ToInt(v.Value))
	case *ssa.ChangeType:
		return x.number(p, ctx, v.X, now, steps-1)
	case *ssa.Convert:
		if !wide(v.Type()) {
			return 0, false // it may wrap
		}
		return x.number(p, ctx, v.X, now, steps-1)
	case *ssa.BinOp:
		if !wide(v.Type()) {
			return 0, false
		}
		a, known := x.number(p, ctx, v.X, now, steps-1)
		b, also := x.number(p, ctx, v.Y, now, steps-1)
		if !known || !also {
			return 0, false
		}
		return calculate(v.Op, a, b)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL && x.prog.OutsideReason(g) == "" {
			n, known = x.sl.Fixed[g]
			return n, known
		}
	case *ssa.Parameter:
		if ctx == nil {
			return 0, false
		}
		call, ok := ctx.site.(ssa.CallInstruction)
		if ctx.parent == nil { // a goroutine: of its spawner the activation is not known
			call, ok = ctx.tmpl.origin.(ssa.CallInstruction)
		}
		if !ok || ctx.fn != v.Parent() || call.Common().StaticCallee() != ctx.fn {
			return 0, false
		}
		_, calls := call.(*ssa.Call)
		return x.number(p, ctx.parent, call.Common().Args[slices.Index(v.Parent().Params, v)], now && calls, steps-1)
	}
	return 0, false
}

// wide reports that numbers of a type are as wide as durations.
func wide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int || b.Kind() == types.Int64)
}

// calculate is the result of an operation, if it is a number that fits.
func calculate(op token.Token, a, b int64) (n int64, known bool) {
	switch {
	case op == token.QUO && b != 0:
		op = token.QUO_ASSIGN // which is that of whole numbers
	case op != token.ADD && op != token.SUB && op != token.MUL:
		return 0, false
	}
	return constant.Int64Val(constant.BinaryOp(constant.MakeInt64(a), op, constant.MakeInt64(b)))
}
