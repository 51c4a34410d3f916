package library

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// What sync.OnceFunc, OnceValue and OnceValues return is an object of two
// cells: the state of a Once and the function. Every call of it passes the guard
// of a Once. What the function of an OnceValue returns is not tracked.
const (
	onceState = iota
	onceBody
	onceCells
)

// oncePanics is the state after a panic: every call panics again.
const oncePanics = onceOver + 1

var onceCall = &program.Operation{Name: "oncefunc", Kind: sites.OnceFunc, Seed: true}

func onceOperations(l *execution.Library) {
	l.Does(onceCall, callOnce)
	l.WhenUnwound(onceCall, func(x *execution.Executor, p *exploration.Path) bool {
		p.PutAt(p.Arg(0)[0], onceState, sym.Num(oncePanics))
		if u := p.Peek().Unwind; u.Goexit {
			// The library takes it for a panic, and panics with what it has recovered.
			x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: u.Site, Pos: u.Pos, Detail: "panic called with nil argument"}, x.SomeError())
		}
		return true
	})
	in := l.Add(program.Operation{Name: "newonce", Args: []int{0}}, newOnce)
	for _, f := range []string{"OnceFunc", "OnceValue", "OnceValues"} {
		l.Known["sync."+f] = in
	}
}

// newOnce makes the object of a function that runs once. Its address is the function that is returned
// (made).
func newOnce(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	if f.Call.Parent == nil {
		return x.OpReturn(p, nil)
	}
	body := p.Arg(0)[0]
	r, ok := x.AllocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: "oncefunc", Size: onceCells, Pos: f.Call.Site.Pos(), Once: true}
	}, func(o *state.Object) {
		s, b := x.Memory.Cells[o.Base+onceState], x.Memory.Cells[o.Base+onceBody]
		s.Name, s.Sync = o.Name+"_state", true
		b.Name, b.Sync, b.Ref = o.Name+"_func", true, true
	})
	if !ok {
		return false
	}
	r.Clear(p, nil)
	r.Put(p, onceBody, body)
	return x.OpReturn(p, []*sym.Expr{r.Address})
}

// callOnce is a call of the function that OnceFunc has returned. As with a Once, the first call runs the
// function, and there is no path for others while it does; unlike a Once it panics in each later call if
// the function has.
func callOnce(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	// What the function returns is not tracked, so that the first call and later ones return the same:
	// unknown scalars.
	done := func(q *exploration.Path) {
		var result []*sym.Expr
		if call, ok := q.Peek().Call.Site.(*ssa.Call); ok {
			if t, ok := call.Type().(*types.Tuple); !ok || t.Len() > 0 {
				result = layout.Unknowns(x.ValueWidth(call), "the result of a function that runs once")
			}
		}
		x.OpReturn(q, result)
	}
	if p.Peek().Phase == 2 { // the function has returned
		p.Put(a+onceState, sym.Num(onceOver))
		done(p)
		return true
	}
	s := p.CellAt(a + onceState)
	if q := p.Fork(exploration.Eq(s, onceOver)); q != nil {
		done(q)
		x.ContinueWith(q)
	}
	if q := p.Fork(exploration.Eq(s, oncePanics)); q != nil {
		x.Raise(q, &state.Unwind{Kind: artifact.KindPanic, Site: x.SiteOfOp(q), Pos: q.Here(), Detail: "panic"}, x.SomeError())
		x.ContinueWith(q)
	}
	if !p.Assume(exploration.Eq(s, onceNew)) {
		return false
	}
	// The function is in the object, and becomes an argument of the operation, which CallArg calls.
	p.Set(p.Peek().Call, state.ArgKey(1), []*sym.Expr{p.CellAt(a + onceBody)})
	return x.CallArg(p, 1, func(q *exploration.Path) {
		q.Put(a+onceState, sym.Num(onceRunning))
		q.Top().Phase = 2
	})
}
