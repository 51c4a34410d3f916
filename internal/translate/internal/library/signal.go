package library

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A signal may come at any moment, or never: to the channel that signal.Notify
// was given, if there is room in it, and to a context of signal.NotifyContext,
// which ends. That is a step of the process Time. For every call of Notify there
// is a cell that holds the channel, until Stop is called for it.

// ctxSignal is in place of the deadline of a context that a signal ends.
const ctxSignal = 2

func signalOperations(l *execution.Library) {
	l.Known["os/signal.Notify"] = l.Add(program.Operation{Name: "notify", Seed: true}, notifySignal)
	l.Known["os/signal.Stop"] = l.Add(program.Operation{Name: "stopnotify", Seed: true}, stopSignal)
	l.Known["os/signal.NotifyContext"] = l.Add(program.Operation{Name: "notifycontext"}, func(x *execution.Executor, p *exploration.Path) bool {
		if p.Peek().Call.Parent == nil {
			return x.OpReturn(p, nil)
		}
		r, ok, _ := deriveContext(x, p)
		if !ok {
			return false
		}
		r.Put(p, state.ChanPayload+state.ContextDeadline, sym.Num(ctxSignal))
		if x.Slice.Classes[relevance.Causes] {
			for i, e := range x.ErrorValue("error signal", "signal") {
				r.Put(p, state.ChanPayload+state.ContextLater+int32(i), e)
			}
		}
		return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryContext)), r.Address, sym.Arith(sym.OpAdd, r.Address, sym.Num(state.ChanPayload+state.ContextCancel))})
	})
}

// notifySignal has signals sent to a channel. The cell that holds the channel is one for each call in the
// program, so that a second channel from the same call is a bound. That there may be one more channel is
// news for those who stop signals.
func notifySignal(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	k, ok, tracked := x.Settled(p)
	if !ok && tracked {
		return false
	}
	o := x.Memory.Object(k)
	if !tracked || f.Call.Parent == nil || o == nil || o.Kind != state.ChannelObject {
		p.Note("unknown-call", artifact.DirectionUnder, "the channel for signals is not tracked: none comes in the model")
		return x.OpReturn(p, nil)
	}
	if o.Cap == 0 {
		p.Note("unknown-call", artifact.DirectionUnder, "a channel for signals without a buffer: none comes in the model")
		return x.OpReturn(p, nil)
	}
	pos := f.Call.Site.Pos()
	s := x.Memory.KeyedObject("signals "+x.Position(pos).String(), func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: "signals", Size: 1, Pos: pos}
	})
	if !x.Notified[s] {
		x.Notified[s] = true
		c := x.Memory.Cells[s.Base]
		c.Name, c.Ref, c.Sync = s.Name, true, true
		for _, l := range x.Cancels {
			x.Enqueue(l)
		}
	}
	old := p.CellAt(s.Base)
	more := sym.And(sym.Not(exploration.Eq(old, 0)), sym.Not(exploration.Eq(old, k)))
	if q := p.Fork(more); q != nil {
		q.Bound("more than one channel for signals from here")
	}
	if !p.Assume(sym.Not(more)) {
		return false
	}
	p.Put(s.Base, sym.Num(k))
	return x.OpReturn(p, nil)
}

// stopSignal ends that for a channel.
func stopSignal(x *execution.Executor, p *exploration.Path) bool {
	k, ok, tracked := x.Settled(p)
	if !ok && tracked {
		return false
	}
	if !tracked {
		p.Note("unknown-call", artifact.DirectionOver, "the channel for signals is not tracked: they go on coming in the model")
		return x.OpReturn(p, nil)
	}
	if !x.Emitting && p.From != nil && !slices.Contains(x.Cancels, p.From) {
		x.Cancels = append(x.Cancels, p.From)
	}
	// Stop is for all calls of Notify with the channel.
	for _, o := range x.Memory.Objects() {
		if x.Notified[o] {
			p.Put(o.Base, sym.Ite(exploration.Eq(p.CellAt(o.Base), k), sym.Num(0), p.CellAt(o.Base)))
		}
	}
	return x.OpReturn(p, nil)
}

// signal lets a signal come, if the object o waits for one: a context ends, and a channel gets a value if
// there is room, as signal.Notify says. It returns the paths of the process Time.
func signal(x *execution.Executor, p *exploration.Path, o *state.Object) []*exploration.Path {
	var out []*exploration.Path
	if o.Context {
		if p.Assume(exploration.Eq(p.CellAt(o.Behind(state.ContextDeadline)), ctxSignal)) && p.Assume(exploration.Eq(p.CellAt(o.Behind(state.ContextErr)), 0)) {
			cancel(x, p, o.Base, ctxCanceled, []*sym.Expr{p.CellAt(o.Behind(state.ContextLater)), p.CellAt(o.Behind(state.ContextLater + 1))}, 0)
			out = append(out, p)
		}
		return out
	}
	for _, k := range p.Abs(p.CellAt(o.Base)).Elems {
		c := x.Memory.Object(k)
		if c == nil || c.Kind != state.ChannelObject {
			continue
		}
		// The cell can hold one of several channels: there is a step for each.
		q := p.Clone()
		n := q.CellAt(c.Base + state.ChanLen)
		if q.Assume(exploration.Eq(q.CellAt(o.Base), k)) && q.Assume(sym.Arith(sym.OpLt, n, sym.Num(c.Cap))) {
			q.Put(c.Base+state.ChanLen, sym.Arith(sym.OpAdd, n, sym.Num(1)))
			out = append(out, q)
		}
	}
	return out
}

// signalComes is the approximation that rests on.
func signalComes(x *execution.Executor, o *state.Object) int {
	return x.Approximation(o.Pos, "input", artifact.DirectionOver, "a signal may come at any moment, or never")
}
