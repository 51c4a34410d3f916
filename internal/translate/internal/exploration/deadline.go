package exploration

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
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

// newEvent makes an event. All segments that arm something look at all events. Those that were executed before this
// one was known watch it from now on: else they would not be executed again when it is armed, and nothing would say
// that it comes before what they arm.
func (x *Explorer) newEvent(name string, o *state.Object, t *state.Template) *state.Event {
	e := &state.Event{ID: len(x.events), Name: name, Object: o, Template: t, Arms: map[*state.CallPath]bool{}, Armers: map[*state.Template]bool{},
		Touch: map[*state.Location]bool{}, Watch: maps.Clone(x.arming), Ripe: map[*state.Location]bool{}}
	x.events = append(x.events, e)
	return e
}

// EventOf is the event of a timer or context, nil for objects of pools: which of them
// is which is not known where they are made.
func (x *Explorer) EventOf(o *state.Object) *state.Event {
	if o.Pool != nil {
		return nil
	}
	e := x.EventsOf[o]
	if e == nil {
		e = x.newEvent(o.Name, o, nil)
		x.EventsOf[o] = e
		if !x.Comparing {
			return e
		}
		e.Duration = &state.KeptCell{Cell: x.eventCell(e.Name + "_duration")}
		e.Fresh = &state.KeptCell{Cell: x.eventCell(e.Name + "_fresh")}
	}
	return e
}

// SleepOf is the event of the sleep of a goroutine, nil if there can be several.
func (x *Explorer) SleepOf(t *state.Template) *state.Event {
	if !t.Once {
		return nil
	}
	e := x.sleeps[t]
	if e == nil {
		e = x.newEvent("sleep_"+state.Identifier(t.Name), nil, t)
		x.sleeps[t] = e
	}
	return e
}

// eventCell makes a cell, which is no memory of the program.
func (x *Explorer) eventCell(name string) *state.Cell {
	c := x.Memory.Cells[x.Memory.Add(&state.Object{Kind: state.DataObject, Name: name, Size: 1}).Base]
	c.Name, c.Sync = name, true
	return c
}

// before is the cell that says that a must come before b. If there is none it is made, if wanted, else nil.
// Segments that arm or end one of the two have been executed without it, and are executed again to set or clear it.
func (x *Explorer) before(a, b *state.Event, wanted bool) *state.Cell {
	k := [2]int{a.ID, b.ID}
	c := x.precedes[k]
	if c == nil && wanted {
		c = x.eventCell(a.Name + "_before_" + b.Name)
		x.precedes[k] = c
		for _, e := range []*state.Event{a, b} {
			x.EnqueueAll(e.Touch)
		}
	}
	return c
}

// touches notes that a segment arms an event or ends it.
func (p *Path) touches(e *state.Event) {
	if p.From != nil && !p.Explorer.Emitting {
		e.Touch[p.From] = true
	}
}

// isArmedBy notes a duration that an event is armed with, if that is known, and who
// does it. It returns what its cell holds then.
// Those that watch the event are executed again if that is new, since they may have to compare themselves with it.
func (x *Explorer) isArmedBy(p *Path, e *state.Event, d int64, known bool) int32 {
	grown := false
	k := slices.Index(e.Durations, d)
	switch {
	case !known:
		grown = !e.Others
		e.Others, k = true, -1
	case k < 0:
		if len(e.Durations) == 0 {
			n := 0
			for _, f := range x.events {
				if len(f.Durations) > 0 && !f.Uncompared && (f.Object == nil) == (e.Object == nil) {
					n++
				}
			}
			e.Uncompared = n >= maxCompared
		}
		k, grown = len(e.Durations), true
		e.Durations = append(e.Durations, d)
	}
	e.Arms[p.Peek().Call] = true
	if !e.Armers[p.Template] {
		e.Armers[p.Template], grown = true, true
	}
	if grown {
		x.EnqueueAll(e.Watch)
	}
	return int32(k + 1)
}

// mayCompare reports that of two events one may have to come first: then the model is
// made with the cells that say so, from the start.
// The cells cannot be added later: what is armed before the first guard is not executed again.
func (x *Explorer) mayCompare() bool {
	for _, a := range x.events {
		for _, b := range x.events {
			for _, d := range b.Durations {
				if yes, _ := x.firsts(a, b, d); a != b && len(yes) > 0 && !b.Uncompared {
					return true
				}
			}
		}
	}
	return false
}

// Arm notes that an event is armed with a duration. Its object is pending already, if
// it is to be.
func (x *Explorer) Arm(p *Path, e *state.Event, d int64, known bool) {
	if e == nil {
		x.several = true
		return
	}
	k := x.isArmedBy(p, e, d, known)
	if !x.Comparing {
		if !x.Comparable && x.mayCompare() {
			x.Comparable, x.Again = true, true
		}
		return
	}
	p.touches(e)
	if p.From != nil && !x.Emitting {
		x.arming[p.From] = true
	}
	if e.Object != nil {
		p.keep(e.Duration, sym.Num(k))
		p.keep(e.Fresh, sym.Num(p.armer()))
		p.fresh = union(p.fresh, []int{e.ID})
	}
	for _, f := range x.events {
		if f == e {
			continue
		}
		// What e was armed with before counts no more. Who has to come before it now is asked anew.
		p.unset(x.before(e, f, false))
		first := sym.Num(0)
		if known && d > 0 && !e.Uncompared {
			first = x.first(p, f, e, d, true)
		}
		if e.Object != nil && !first.Is(0) { // a context may have ended when it is made
			first = p.Simplify(sym.And(first, x.pending(p, e.Object)))
		}
		if first.Is(0) {
			p.unset(x.before(f, e, false))
		} else {
			p.Put(x.before(f, e, true).Addr, first)
		}
	}
}

// Ended notes that an event comes, or is stopped, where a condition holds.
func (x *Explorer) Ended(p *Path, e *state.Event, cond *sym.Expr) {
	if e == nil || !x.Comparing {
		return
	}
	p.touches(e)
	for _, f := range x.events {
		for _, c := range []*state.Cell{x.before(e, f, false), x.before(f, e, false)} {
			if c == nil {
				continue
			}
			if v := p.CellAt(c.Addr); !v.Is(0) {
				p.Put(c.Addr, sym.Ite(cond, sym.Num(0), v))
			}
		}
	}
}

// Timing is why an event may come in an order with others that no clock has, "" if it
// cannot: then every order in the model is one of a run whose goroutines are fast and
// slow where it takes that. It is so of an event that is alone in the program, armed
// again or not, since between its arming and its coming goroutines may do anything or
// nothing. It is so of two that are each armed once, known by all to have been: if a is
// armed first for the shorter time it comes first, always; if for the longer one, b may
// be armed at any moment until a comes. What comes behind depends on more than a pair:
// of a timer for 100 ms and a ticker of 30 ms no pair says that there are three ticks.
// One with no time to pass comes at once, and in the model later as well.
func (x *Explorer) Timing(e *state.Event) string {
	if e == nil || e.Others || e.Uncompared || slices.Min(e.Durations) <= 0 {
		return uncompared
	}
	once := func(e *state.Event) bool {
		return e.Object != nil && !e.Object.Ticker && len(e.Arms) == 1 && !e.Others && !e.Fresh.Needed
	}
	switch {
	case x.several:
	case len(x.events) == 1, len(x.events) == 2 && x.Comparing && once(x.events[0]) && once(x.events[1]):
		return ""
	}
	return inPairs
}

// severalArmers stands for a goroutine of a template that can have several.
const severalArmers = -1

// armer is what the cell fresh of an event holds that the goroutine of the path arms.
func (p *Path) armer() int32 {
	if !p.Template.Once {
		return severalArmers
	}
	return int32(p.Template.Index) + 1
}

// keep writes a cell of an event. What is written before the start costs nothing, and
// cannot be written later.
func (p *Path) keep(c *state.KeptCell, v *sym.Expr) {
	if c.Needed || p.Explorer.InPrefix {
		p.Put(c.Addr, v)
	}
}

// unset clears a cell, which may be nil, if it can be set.
func (p *Path) unset(c *state.Cell) {
	if c != nil && !p.CellAt(c.Addr).Is(0) {
		p.Put(c.Addr, sym.Num(0))
	}
}

// need has a cell of an event kept from now on.
func (x *Explorer) need(e *state.Event, c *state.KeptCell) {
	if !c.Needed {
		c.Needed = true
		x.EnqueueAll(e.Touch)
		x.EnqueueAll(e.Ripe)
	}
}

// firsts are the durations of an event a, as its cell has them, with which it comes
// before b if that is armed later with the duration d.
func (x *Explorer) firsts(a, b *state.Event, d int64) (yes []int32, all bool) {
	if a.Object == nil || a.Uncompared {
		return nil, false
	}
	for k, da := range a.Durations {
		if da <= d && !x.atOnce(a, b, da, d) {
			yes = append(yes, int32(k+1))
		}
	}
	return yes, len(yes) == len(a.Durations) && !a.Others
}

// first is the condition that an event a is pending, was armed before what is armed
// now with the duration d for b, and comes before it. by says whether a goroutine
// arms it: then what that has armed itself was armed before.
func (x *Explorer) first(p *Path, a, b *state.Event, d int64, by bool) *sym.Expr {
	if a.Object != nil && !x.Emitting && p.From != nil {
		a.Watch[p.From] = true
	}
	yes, all := x.firsts(a, b, d)
	if len(yes) == 0 {
		return sym.Num(0)
	}
	cond := p.Simplify(x.pending(p, a.Object))
	if cond.Is(0) {
		return cond
	}
	if !all {
		x.need(a, a.Duration)
		k, one := p.CellAt(a.Duration.Addr), sym.Num(0)
		for _, i := range yes {
			one = sym.Or(one, Eq(k, i))
		}
		cond = sym.And(cond, one)
	}
	// What only this goroutine arms it has armed before, by the order of its statements. What others arm was armed
	// before only if they have passed a guard since.
	if !by || !p.Template.Once || len(a.Armers) > 1 || !a.Armers[p.Template] {
		x.need(a, a.Fresh)
		if f := p.written(a.Fresh.Addr); !by || f == nil || !f.Is(p.armer()) {
			cond = sym.And(cond, Eq(p.CellAt(a.Fresh.Addr), 0))
		}
	}
	return p.Simplify(cond)
}

// atOnce reports that two contexts may end at one instant and it matters which does
// first: what is the cause of an end.
func (x *Explorer) atOnce(a, b *state.Event, da, db int64) bool {
	return da == db && a.Object.Context && b.Object != nil && b.Object.Context && x.Slice.Classes[relevance.Causes]
}

// pending is the condition that a timer is armed, or that the deadline of a context
// has not passed.
func (x *Explorer) pending(p *Path, o *state.Object) *sym.Expr {
	if o.Context {
		return sym.And(Eq(p.CellAt(o.Behind(state.ContextDeadline)), 1), Eq(p.CellAt(o.Behind(state.ContextErr)), 0))
	}
	return Eq(p.CellAt(o.Behind(state.TimerArmed)), 1)
}

// Due adds the condition that no other event must come before. It reports whether
// the path can still be taken.
// If there is no cell yet it is executed again when there is one: it touches the event.
func (x *Explorer) Due(p *Path, e *state.Event) bool {
	if e == nil {
		return true
	}
	p.touches(e)
	for _, f := range x.events {
		if c := x.before(f, e, false); c != nil && !p.Assume(Eq(p.CellAt(c.Addr), 0)) {
			return false
		}
	}
	return true
}

// Waited is the condition that another event waits for one to come.
func (x *Explorer) Waited(p *Path, e *state.Event) *sym.Expr {
	out := sym.Num(0)
	if e == nil {
		return out
	}
	for _, f := range x.events {
		if c := x.before(e, f, false); c != nil {
			out = sym.Or(out, Eq(p.CellAt(c.Addr), 1))
		}
	}
	return p.Simplify(out)
}

// Ticked arms a ticker for its next tick, which comes at least a period behind this
// one: in a step of the process Time.
func (x *Explorer) Ticked(p *Path, e *state.Event) {
	if e == nil {
		return
	}
	for _, f := range x.events {
		c := x.before(f, e, false)
		if c == nil || f.Object == nil {
			continue
		}
		first := sym.Num(0)
		for i, d := range e.Durations {
			is := sym.Num(1)
			if len(e.Durations) > 1 || e.Others {
				is = Eq(p.CellAt(e.Duration.Addr), int32(i+1))
			}
			// No goroutine arms it: what any of them has armed counts if a guard was passed since.
			first = sym.Or(first, sym.And(is, x.first(p, f, e, d, false)))
		}
		p.Put(c.Addr, first)
	}
}

// lateEvents adds what the process Time does when events come: others do not wait for
// them any more, and those that are pending when a ticker ticks may have to come
// before its next tick. It reports whether there is something to do then.
// No segment of a goroutine does that, so that the cells are given their values here.
func (x *Explorer) lateEvents() bool {
	for _, a := range x.events {
		for _, b := range x.events {
			if c := x.before(a, b, false); c != nil {
				x.Grow(c, sym.Single(0))
			}
		}
	}
	for _, e := range x.events {
		if e.Object == nil || !e.Object.Ticker || e.Uncompared || !x.Comparing {
			continue
		}
		for _, f := range x.events {
			for _, d := range e.Durations {
				yes, all := x.firsts(f, e, d)
				if f == e || len(yes) == 0 {
					continue
				}
				x.Grow(x.before(f, e, true), sym.Either())
				x.need(f, f.Fresh)
				if !all {
					x.need(f, f.Duration)
				}
				if len(e.Durations) > 1 || e.Others {
					x.need(e, e.Duration)
				}
			}
		}
	}
	return len(x.Queue) > 0
}

// freshAt notes at which location what a path has armed is fresh. It reports whether
// that is new.
func (x *Explorer) freshAt(p *Path, l *state.Location) bool {
	grown := false
	for _, k := range p.fresh {
		if e := x.events[k]; !e.Ripe[l] {
			e.Ripe[l], grown = true, true
		}
	}
	return grown
}

// ripen says of what a goroutine has armed on its way to a location that it is not
// fresh any more, since it passes a guard there.
// At a location that is no guard, where a segment was split, it stays fresh.
func (x *Explorer) ripen(p *Path, l *state.Location) {
	for _, e := range x.events {
		switch {
		case !e.Ripe[l] || !x.Comparing:
		case l.Kind == state.AtLocal:
			p.fresh = append(p.fresh, e.ID)
		case e.Fresh.Needed && p.Template.Once:
			// Another goroutine may have armed it meanwhile: that is fresh until that one passes a guard.
			v, own := p.CellAt(e.Fresh.Addr), p.armer()
			if rest, ok := p.Abs(v).Filter(func(k int32) bool { return k != own }).Single(); ok && rest == 0 {
				p.Put(e.Fresh.Addr, sym.Num(0))
			} else if !v.Is(0) {
				p.Put(e.Fresh.Addr, sym.Ite(Eq(v, own), sym.Num(0), v))
			}
		}
	}
}

// DurationOf is a duration that the operation on top of the stack is given as an
// argument of its call, in nanoseconds.
func (x *Explorer) DurationOf(p *Path, arg int) (d int64, known bool) {
	ctx := p.Peek().Call
	call, ok := ctx.Site.(ssa.CallInstruction)
	if !ok || ctx.Parent == nil {
		return 0, false
	}
	f := p.Peek().Target.Fn
	c := call.Common()
	if f == nil || c.StaticCallee() != f || arg >= len(c.Args) {
		return 0, false
	}
	_, now := call.(*ssa.Call)
	return x.number(p, ctx.Parent, c.Args[arg], now, maxOrigin)
}

// number is the value of an integer expression in an activation, which may be more
// than the model keeps: durations are. now says that the activation is where the value
// is used; else it is known only if it is a constant. The activation is nil if it is
// not known.
//
// Durations are numbers of nanoseconds, for which the model has no room: 5*time.Second is 5e9. So they are computed
// from the text of the program, as far as each part of it has one value, whatever path leads here.
func (x *Explorer) number(p *Path, ctx *state.CallPath, v ssa.Value, now bool, steps int) (n int64, known bool) {
	if !program.IsInteger(v.Type()) || steps == 0 {
		return 0, false
	}
	// A small number may be known on this path only, as n in time.Duration(n)*time.Second.
	if now && x.Slice.Values[v] {
		if e := p.Value(ctx, v); len(e) == 1 {
			if k := p.Simplify(e[0]); k.IsConst() {
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
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL && x.Program.OutsideReason(g) == "" {
			n, known = x.Slice.Fixed[g]
			return n, known
		}
	case *ssa.Parameter:
		if ctx == nil {
			return 0, false
		}
		call, ok := ctx.Site.(ssa.CallInstruction)
		if ctx.Parent == nil { // a goroutine: of its spawner the activation is not known
			call, ok = ctx.Template.Origin.(ssa.CallInstruction)
		}
		if !ok || ctx.Fn != v.Parent() || call.Common().StaticCallee() != ctx.Fn {
			return 0, false
		}
		_, calls := call.(*ssa.Call)
		return x.number(p, ctx.Parent, call.Common().Args[slices.Index(v.Parent().Params, v)], now && calls, steps-1)
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

// findTimed adds the statements that look at or set what the passing of time changes (Untimely) to those that have
// guards, and reports whether there are new ones. In
//
//	t := time.NewTimer(d)
//	t.Stop()
//
// no other goroutine touches the timer, but the process Time does: without a guard at Stop it could never fire
// before. Contexts end by themselves only if one of them has a deadline, or ends by a signal.
func (x *Explorer) findTimed() (grown bool) {
	deadlines := slices.ContainsFunc(x.Contexts, func(o *state.Object) bool {
		v, ok := x.Memory.Cells[o.Behind(state.ContextDeadline)].Abs.Single()
		return !ok || v != 0
	})
	for s, objs := range x.Untimely {
		if !x.Access[s] && (deadlines || slices.ContainsFunc(objs, func(o *state.Object) bool { return !o.Context })) {
			x.Access[s] = true
			grown = true
		}
	}
	return grown
}
