package translate

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A timer is a channel with one place and two more cells: whether it is armed,
// and the field C, which holds the channel. A *time.Timer or *time.Ticker is
// the address of the latter. That an armed timer fires is a step of its own, of the
// process Time; in which order events come says deadline.go.

// isTimer recognises time.Timer and time.Ticker.
func isTimer(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && (n.Obj().Name() == "Timer" || n.Obj().Name() == "Ticker")
}

func timerOperations(table map[string]*program.Operation) {
	arm := func(name string, ticker, pointer bool) *program.Operation {
		return operation(program.Operation{Name: name, Args: []int{}}, func(x *translator, p *path) bool { return newTimer(x, p, ticker, pointer) })
	}
	table["time.After"] = arm("after", false, false)
	table["time.Tick"] = arm("tick", true, false)
	table["time.NewTimer"] = arm("newtimer", false, true)
	table["time.NewTicker"] = arm("newticker", true, true)
	for _, t := range []string{"Timer", "Ticker"} {
		table["(*time."+t+").Stop"] = operation(program.Operation{Name: "stop", Seed: true}, func(x *translator, p *path) bool { return setTimer(x, p, 0) })
		table["(*time."+t+").Reset"] = operation(program.Operation{Name: "reset", Seed: true}, func(x *translator, p *path) bool { return setTimer(x, p, 1) })
	}
}

// timePasses is the approximation that an event rests on, nothing if it has none. The
// event is nil for those of which there can be several.
func (x *translator) timePasses(e *state.Event, pos token.Pos) []int {
	why := x.timing(e)
	if why == "" {
		return nil
	}
	return []int{x.approximation(pos, "time", artifact.DirectionOver, why)}
}

// newTimer makes an armed timer.
func newTimer(x *translator, p *path, ticker, pointer bool) bool {
	f := p.peek()
	if f.Call.Parent == nil {
		return x.opReturn(p, nil)
	}
	pos := f.Call.Site.Pos()
	d, known := x.durationOf(p, 0)
	if ticker && known && d <= 0 {
		if !pointer {
			return x.opReturn(p, []*sym.Expr{sym.Num(0)}) // time.Tick
		}
		return x.badInterval(p, "NewTicker")
	}
	var elem types.Type
	switch t := f.Target.Fn.Signature.Results().At(0).Type().Underlying().(type) {
	case *types.Chan:
		elem = t.Elem()
	case *types.Pointer:
		elem = t.Elem().Underlying().(*types.Struct).Field(0).Type().Underlying().(*types.Chan).Elem()
	}
	width := int32(x.Width(elem))
	r, ok := x.allocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object {
		return &state.Object{Kind: state.ChannelObject, Name: fmt.Sprintf("%s_%d", f.Op.Name, x.prog.Source.Fset.Position(pos).Line),
			Size: state.ChanPayload + width + state.TimerCells, Elem: elem, Cap: 1, Messages: state.Messages{Width: width}, Pos: pos, Timer: true, Ticker: ticker}
	}, x.describeTimer)
	if !ok {
		return false
	}
	armed, c := state.ChanPayload+width+state.TimerArmed, state.ChanPayload+width+state.TimerC
	r.clear(p, func(off int32) bool { return off >= state.ChanPayload && off < armed || off == c })
	r.put(p, armed, sym.Num(1))
	x.arm(p, x.eventOf(r.objs[0]), d, known)
	if !pointer {
		return x.opReturn(p, []*sym.Expr{r.e})
	}
	if o, _, ok := newObjectAt(r.e); ok {
		p.setNew(o, c, r.e)
	}
	return x.opReturn(p, []*sym.Expr{sym.Arith(sym.OpAdd, r.e, sym.Num(c))})
}

// badInterval is the panic of a ticker whose interval is not positive.
func (x *translator) badInterval(p *path, of string) bool {
	x.raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.stmtOfOp(p), Pos: p.here(), Detail: "non-positive interval for " + of}, x.SomeError())
	return true
}

func (x *translator) describeTimer(o *state.Object) {
	x.describeChan(o)
	a, c := x.mem.Cells[o.Behind(state.TimerArmed)], x.mem.Cells[o.Behind(state.TimerC)]
	a.Name, a.Abs, a.Fix = o.Name+"_armed", sym.Either(), true
	c.Name, c.Init, c.Abs, c.Fix, c.Ref = o.Name+"_C", o.Base, sym.Single(o.Base), true, true
}

// setTimer stops a timer or arms it again. Since Go 1.23 nothing of before can
// be received afterwards.
func setTimer(x *translator, p *path, armed int32) bool {
	var result []*sym.Expr
	if p.peek().Target.Fn.Signature.Results().Len() > 0 {
		result = []*sym.Expr{sym.Unknown("whether a timer was running")}
	}
	k, ok, tracked := x.settled(p)
	switch o := x.mem.Object(k); {
	case !tracked:
		p.note("unknown-call", artifact.DirectionUnder, "the timer is not tracked; what is done to it is not in the model")
	case !ok:
		return false
	case k == 0:
		x.raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.stmtOfOp(p), Pos: p.here(), Detail: "nil pointer dereference"}, x.SomeError())
		return true
	case o != nil && o.Callback:
		x.againstTime(o, x.stmtOfOp(p))
		return setCallback(x, p, o, armed, result)
	case o != nil && o.Timer:
		x.againstTime(o, x.stmtOfOp(p))
		if d, known := x.durationOf(p, 1); o.Ticker && armed != 0 && known && d <= 0 {
			return x.badInterval(p, "Ticker.Reset")
		}
		a, n := o.Behind(state.TimerArmed), o.Base+state.ChanLen
		if len(result) > 0 {
			result[0] = sym.Or(eq(p.cellAt(a), 1), sym.Arith(sym.OpLt, sym.Num(0), p.cellAt(n)))
		}
		p.put(a, sym.Num(armed))
		p.put(n, sym.Num(0))
		x.set(p, o, armed)
	}
	return x.opReturn(p, result)
}

// set notes that a timer was stopped or armed again.
func (x *translator) set(p *path, o *state.Object, armed int32) {
	if armed == 0 {
		x.ended(p, x.eventsOf[o], sym.Num(1))
		return
	}
	d, known := x.durationOf(p, 1)
	x.arm(p, x.eventOf(o), d, known)
}

// againstTime notes that a statement looks at or sets what the process Time changes, as another
// goroutine would: a timer, or the error of a context.
func (x *translator) againstTime(o *state.Object, s sites.ID) {
	if s != 0 && !slices.Contains(x.untimely[s], o) {
		x.untimely[s] = append(x.untimely[s], o)
	}
}

// findTimed adds these statements to those that have guards, and reports whether there are
// new ones. Contexts end by themselves only if one of them has a deadline, or ends by a
// signal.
func (x *translator) findTimed() (grown bool) {
	deadlines := slices.ContainsFunc(x.contexts, func(o *state.Object) bool {
		v, ok := x.mem.Cells[o.Behind(ctxDeadline)].Abs.Single()
		return !ok || v != 0
	})
	for s, objs := range x.untimely {
		if !x.access[s] && (deadlines || slices.ContainsFunc(objs, func(o *state.Object) bool { return !o.Context })) {
			x.access[s] = true
			grown = true
		}
	}
	return grown
}

// settled is the address that the operation is called on, with new objects
// written to memory.
func (x *translator) settled(p *path) (k int32, ok, tracked bool) {
	e := p.simplify(p.arg(0)[0])
	if _, _, isNew := newObjectAt(e); isNew {
		p.settle()
	}
	return x.concrete(p, e)
}

// timeSteps is the template of the process Time, which lets timers fire and deadlines pass: one
// location and its steps.
func (x *translator) timeSteps() *state.Template {
	t := &state.Template{Name: "Time", Slots: 1, Once: true}
	at := &state.Location{Template: t, Kind: state.AtLocal}
	add := func(p *path, why []int) {
		ed := &state.Edge{From: at, To: at, Guard: p.cond, Approx: why}
		for _, addr := range sortedKeys(p.heap.m) {
			if c := x.mem.Cells[addr]; state.Stored(c.Abs) {
				ed.Assign = append(ed.Assign, state.Assignment{To: c.Expr, Value: p.heap.m[addr]})
			}
		}
		t.Edges = append(t.Edges, ed)
	}
	for _, o := range x.mem.Objects() {
		if o.Context || x.notified[o] {
			for _, p := range x.signal(x.newPath(t, at), o) {
				add(p, []int{x.signalComes(o)})
			}
		}
		p := x.newPath(t, at)
		switch {
		case o.Timer:
			// A tick that finds no room is lost, and others may wait for it.
			e, free := x.eventsOf[o], eq(p.cellAt(o.Base+state.ChanLen), 0)
			if o.Ticker {
				free = sym.Or(free, x.waited(p, e))
			}
			if !p.assume(eq(p.cellAt(o.Behind(state.TimerArmed)), 1)) || !p.assume(free) || !x.due(p, e) {
				continue
			}
			p.put(o.Base+state.ChanLen, sym.Num(1))
			x.ended(p, e, sym.Num(1))
			if o.Ticker {
				x.ticked(p, e)
			} else {
				p.put(o.Behind(state.TimerArmed), sym.Num(0))
			}
		case o.Context:
			if !p.assume(eq(p.cellAt(o.Behind(ctxDeadline)), 1)) || !p.assume(eq(p.cellAt(o.Behind(ctxErr)), 0)) || !x.due(p, x.eventsOf[o]) {
				continue
			}
			x.cancel(p, o.Base, ctxExceeded, []*sym.Expr{p.cellAt(o.Behind(ctxLater)), p.cellAt(o.Behind(ctxLater + 1))}, 0)
		default:
			continue
		}
		add(p, x.timePasses(x.eventsOf[o], o.Pos))
	}
	return t
}

// stmtOfOp is the statement of the call of the operation on top of the stack, 0
// for a deferred one, which runs elsewhere.
func (x *translator) stmtOfOp(p *path) sites.ID {
	f := p.peek()
	if _, ok := f.Call.Site.(*ssa.Call); !ok || f.Call.Site.Parent() == nil {
		return 0
	}
	return x.stmtOf(f.Call.Site.Parent(), f.Call.Site)
}
