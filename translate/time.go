package translate

import (
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// timeSteps is the template of the process Time, which lets timers fire and deadlines pass: one
// location and its steps.
func timeSteps(x *executor) *state.Template {
	t := &state.Template{Name: "Time", Slots: 1, Once: true}
	at := &state.Location{Template: t, Kind: state.AtLocal}
	add := func(p *path, why []int) {
		ed := &state.Edge{From: at, To: at, Guard: p.cond, Approx: why}
		for _, addr := range p.written() {
			if c := x.mem.Cells[addr]; state.Stored(c.Abs) {
				ed.Assign = append(ed.Assign, state.Assignment{To: c.Expr, Value: p.rawCell(addr)})
			}
		}
		t.Edges = append(t.Edges, ed)
	}
	for _, o := range x.mem.Objects() {
		if o.Context || x.notified[o] {
			for _, p := range signal(x, x.newPath(t, at), o) {
				add(p, []int{signalComes(x, o)})
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
			if !p.assume(eq(p.cellAt(o.Behind(state.ContextDeadline)), 1)) || !p.assume(eq(p.cellAt(o.Behind(state.ContextErr)), 0)) || !x.due(p, x.eventsOf[o]) {
				continue
			}
			cancel(x, p, o.Base, ctxExceeded, []*sym.Expr{p.cellAt(o.Behind(state.ContextLater)), p.cellAt(o.Behind(state.ContextLater + 1))}, 0)
		default:
			continue
		}
		add(p, timePasses(x, x.eventsOf[o], o.Pos))
	}
	return t
}
