package translate

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A signal may come at any moment, or never: to the channel that signal.Notify
// was given, if there is room in it, and to a context of signal.NotifyContext,
// which ends. That is a step of the process Time. For every call of Notify there
// is a cell that holds the channel, until Stop is called for it.

// ctxSignal is in place of the deadline of a context that a signal ends.
const ctxSignal = 2

func signalOperations(l *Library) {
	l.Known["os/signal.Notify"] = l.operation(program.Operation{Name: "notify", Seed: true}, notifySignal)
	l.Known["os/signal.Stop"] = l.operation(program.Operation{Name: "stopnotify", Seed: true}, stopSignal)
	l.Known["os/signal.NotifyContext"] = l.operation(program.Operation{Name: "notifycontext"}, func(x *executor, p *path) bool {
		if p.peek().Call.Parent == nil {
			return x.opReturn(p, nil)
		}
		r, ok, _ := deriveContext(x, p)
		if !ok {
			return false
		}
		r.put(p, state.ChanPayload+state.ContextDeadline, sym.Num(ctxSignal))
		if x.sl.Classes[relevance.Causes] {
			for i, e := range x.ErrorValue("error signal", "signal") {
				r.put(p, state.ChanPayload+state.ContextLater+int32(i), e)
			}
		}
		return x.opReturn(p, []*sym.Expr{sym.Num(x.mem.Tag(libraryContext)), r.e, sym.Arith(sym.OpAdd, r.e, sym.Num(state.ChanPayload+state.ContextCancel))})
	})
}

// notifySignal has signals sent to a channel.
func notifySignal(x *executor, p *path) bool {
	f := p.peek()
	k, ok, tracked := x.settled(p)
	if !ok && tracked {
		return false
	}
	o := x.mem.Object(k)
	if !tracked || f.Call.Parent == nil || o == nil || o.Kind != state.ChannelObject {
		p.note("unknown-call", artifact.DirectionUnder, "the channel for signals is not tracked: none comes in the model")
		return x.opReturn(p, nil)
	}
	if o.Cap == 0 {
		p.note("unknown-call", artifact.DirectionUnder, "a channel for signals without a buffer: none comes in the model")
		return x.opReturn(p, nil)
	}
	pos := f.Call.Site.Pos()
	s := x.mem.KeyedObject("signals "+x.position(pos).String(), func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: "signals", Size: 1, Pos: pos}
	})
	if !x.notified[s] {
		x.notified[s] = true
		c := x.mem.Cells[s.Base]
		c.Name, c.Ref, c.Sync = s.Name, true, true
		for _, l := range x.cancels {
			x.enqueue(l)
		}
	}
	old := p.cellAt(s.Base)
	more := sym.And(sym.Not(eq(old, 0)), sym.Not(eq(old, k)))
	if q := p.fork(more); q != nil {
		q.bound("more than one channel for signals from here")
	}
	if !p.assume(sym.Not(more)) {
		return false
	}
	p.put(s.Base, sym.Num(k))
	return x.opReturn(p, nil)
}

// stopSignal ends that for a channel.
func stopSignal(x *executor, p *path) bool {
	k, ok, tracked := x.settled(p)
	if !ok && tracked {
		return false
	}
	if !tracked {
		p.note("unknown-call", artifact.DirectionOver, "the channel for signals is not tracked: they go on coming in the model")
		return x.opReturn(p, nil)
	}
	if !x.emitting && p.from != nil && !slices.Contains(x.cancels, p.from) {
		x.cancels = append(x.cancels, p.from)
	}
	for _, o := range x.mem.Objects() {
		if x.notified[o] {
			p.put(o.Base, sym.Ite(eq(p.cellAt(o.Base), k), sym.Num(0), p.cellAt(o.Base)))
		}
	}
	return x.opReturn(p, nil)
}

// signal lets a signal come, if the object o waits for one. It returns the
// paths of the process Time.
func signal(x *executor, p *path, o *state.Object) []*path {
	var out []*path
	if o.Context {
		if p.assume(eq(p.cellAt(o.Behind(state.ContextDeadline)), ctxSignal)) && p.assume(eq(p.cellAt(o.Behind(state.ContextErr)), 0)) {
			cancel(x, p, o.Base, ctxCanceled, []*sym.Expr{p.cellAt(o.Behind(state.ContextLater)), p.cellAt(o.Behind(state.ContextLater + 1))}, 0)
			out = append(out, p)
		}
		return out
	}
	for _, k := range p.abs(p.cellAt(o.Base)).Elems {
		c := x.mem.Object(k)
		if c == nil || c.Kind != state.ChannelObject {
			continue
		}
		q := p.clone()
		n := q.cellAt(c.Base + state.ChanLen)
		if q.assume(eq(q.cellAt(o.Base), k)) && q.assume(sym.Arith(sym.OpLt, n, sym.Num(c.Cap))) {
			q.put(c.Base+state.ChanLen, sym.Arith(sym.OpAdd, n, sym.Num(1)))
			out = append(out, q)
		}
	}
	return out
}

// signalComes is the approximation that rests on.
func signalComes(x *executor, o *state.Object) int {
	return x.approximation(o.Pos, "input", artifact.DirectionOver, "a signal may come at any moment, or never")
}
