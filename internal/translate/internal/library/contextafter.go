package library

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// The goroutine that context.AfterFunc starts is born where AfterFunc is called,
// as that of time.AfterFunc is, and passes its Start guard when the context that
// AfterFunc has derived has ended. If it is stopped before, it goes.

var (
	// contextBody is that goroutine. Its arguments are the context and the
	// function.
	contextBody = &program.Operation{Name: "callback", Starts: sites.Callback, Seed: true, Args: []int{0, 1}}
	// stopContext is the function that AfterFunc returns.
	stopContext = &program.Operation{Name: "stop", Seed: true}
)

func contextAfterOperations(l *execution.Library) {
	l.Known["context.AfterFunc"] = l.Add(program.Operation{Name: "ctxafterfunc", Seed: true, Args: []int{0, 1}}, contextAfterFunc)
	l.Does(contextBody, runContextBody)
	l.Does(stopContext, stopAfterFunc)
}

// contextAfterFunc derives a context, then starts the goroutine in a step of its
// own.
func contextAfterFunc(x *execution.Executor, p *exploration.Path) bool {
	if !callbackHere(x, p.Peek()) {
		p.Note("unknown-call", artifact.DirectionUnder, "context.AfterFunc called through a function value, or as a goroutine: its function is not executed in the model")
		return x.OpReturn(p, []*sym.Expr{sym.Unknown("what context.AfterFunc returns, whose function is not in the model")})
	}
	return startCallback(x, p, contextBody, state.ContextStop, func(*state.Frame) (exploration.Ref, bool) {
		r, ok, _ := deriveContext(x, p)
		if !ok {
			return exploration.Ref{}, false
		}
		r.Put(p, state.ChanPayload+state.ContextWaits, sym.Num(1))
		return r, true
	})
}

// runContextBody waits for the context at the Start guard, and calls the function.
func runContextBody(x *execution.Executor, p *exploration.Path) bool {
	if p.Peek().Phase == 2 {
		return x.OpReturn(p, nil)
	}
	o := awaited(x, p)
	if o == nil || !o.Context {
		return false
	}
	waits := o.Behind(state.ContextWaits)
	// It was stopped: the goroutine ends without having begun.
	if q := p.Fork(exploration.Eq(p.CellAt(waits), 0)); q != nil {
		q.Role, q.Site = artifact.RoleLocal, 0
		x.Finish(q, nil)
	}
	if !p.Assume(exploration.Eq(p.CellAt(waits), 1)) || !p.Assume(sym.Not(exploration.Eq(p.CellAt(o.Behind(state.ContextErr)), 0))) {
		return false
	}
	p.Put(waits, sym.Num(0))
	return x.CallArg(p, 1, func(q *exploration.Path) { q.Top().Phase = 2 })
}

// stopAfterFunc keeps the function from being called, unless its context has ended: what is due is called,
// and then the result is false (context.AfterFunc).
func stopAfterFunc(x *execution.Executor, p *exploration.Path) bool {
	k, ok, tracked := x.Settled(p)
	if !tracked {
		p.Note("unknown-call", artifact.DirectionUnder, "the function of AfterFunc that is stopped is not tracked: it is not stopped in the model")
		return x.OpReturn(p, []*sym.Expr{sym.Unknown("whether a function of AfterFunc was stopped")})
	}
	if !ok {
		return false
	}
	o := x.Memory.Object(k)
	if o == nil || !o.Context {
		return x.OpReturn(p, []*sym.Expr{sym.Num(0)})
	}
	// Who ends the context, and the statement that stops the function, may come either way: both get
	// guards.
	x.Accessed(p, o.Behind(state.ContextErr), 1, p.CallStatement(), true)
	againstTime(x, o, p.CallStatement())
	waits := o.Behind(state.ContextWaits)
	stops := sym.And(exploration.Eq(p.CellAt(o.Behind(state.ContextErr)), 0), exploration.Eq(p.CellAt(waits), 1))
	p.Put(waits, sym.Ite(stops, sym.Num(0), p.CellAt(waits)))
	return x.OpReturn(p, []*sym.Expr{stops})
}
