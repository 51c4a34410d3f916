package library

import (
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// TimeSteps is the template of the process Time, which lets timers fire and deadlines pass: one location
// and its steps, which are written when all else has been solved. What they put into cells is in the sets
// of these from the beginning (describeTimer, describeContext), since no goroutine is seen doing it.
func TimeSteps(x *execution.Executor) *state.Template {
	t := &state.Template{Name: "Time", Slots: 1, Once: true}
	at := &state.Location{Template: t, Kind: state.AtLocal}
	add := func(p *exploration.Path, why []int) {
		ed := &state.Edge{From: at, To: at, Guard: p.Cond, Approx: why}
		// A cell that always holds the same is no part of the model.
		for _, addr := range p.Written() {
			if c := x.Memory.Cells[addr]; state.Stored(c.Abs) {
				ed.Assign = append(ed.Assign, state.Assignment{To: c.Expr, Value: p.RawCell(addr)})
			}
		}
		t.Edges = append(t.Edges, ed)
	}
	for _, o := range x.Memory.Objects() {
		if o.Context || x.Notified[o] {
			for _, p := range signal(x, x.NewPath(t, at), o) {
				add(p, []int{signalComes(x, o)})
			}
		}
		p := x.NewPath(t, at)
		switch {
		case o.Timer:
			// A tick that finds no room is lost, and others may wait for it.
			e, free := x.EventsOf[o], exploration.Eq(p.CellAt(o.Base+state.ChanLen), 0)
			if o.Ticker {
				free = sym.Or(free, x.Waited(p, e))
			}
			if !p.Assume(exploration.Eq(p.CellAt(o.Behind(state.TimerArmed)), 1)) || !p.Assume(free) || !x.Due(p, e) {
				continue
			}
			p.Put(o.Base+state.ChanLen, sym.Num(1))
			x.Ended(p, e, sym.Num(1))
			if o.Ticker {
				x.Ticked(p, e)
			} else {
				p.Put(o.Behind(state.TimerArmed), sym.Num(0))
			}
		// Its deadline passes, which ends those that are derived from it as well.
		case o.Context:
			if !p.Assume(exploration.Eq(p.CellAt(o.Behind(state.ContextDeadline)), 1)) || !p.Assume(exploration.Eq(p.CellAt(o.Behind(state.ContextErr)), 0)) || !x.Due(p, x.EventsOf[o]) {
				continue
			}
			cancel(x, p, o.Base, ctxExceeded, []*sym.Expr{p.CellAt(o.Behind(state.ContextLater)), p.CellAt(o.Behind(state.ContextLater + 1))}, 0)
		default:
			continue
		}
		add(p, timePasses(x, x.EventsOf[o], o.Pos))
	}
	return t
}
