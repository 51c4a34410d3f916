package execution

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// stepOp executes the operation on top of the stack, or stops at its guard.
//
// In phase 0 the operation has not begun. If it has a guard the path arrives there, and goes on behind it
// in phase 1; so it does at once if it has none. The function that executes it is called again and again,
// and finds by the phase, which it sets, how far it is: behind a function that it has called, behind a wait
// of its own. What it has to remember meanwhile is in arguments that it adds to its own, since only what is
// on the stack and live is there behind a location.
func (x *Executor) stepOp(p *exploration.Path) bool {
	f := p.Peek()
	if f.Unwind != nil {
		return x.stepUnwind(p)
	}
	if f.Phase == 0 {
		if f.Op.Kind != sites.Invalid {
			site := x.SiteOfOp(p)
			// An atomic operation on a variable that goroutines do not share needs no guard.
			if f.Op.Kind.IsAccess() && !x.Access[site] {
				p.Top().Phase = 1
				return x.library.runs[f.Op](x, p)
			}
			if site == 0 {
				p.Unfollowed(f.Op.Name, "the call has no guard: it is reached through a function value of the library, or from code outside of the program")
				return false
			}
			// Whether a failure is asked for depends on whether the model has guessed its way here, which
			// the location has to keep.
			if f.Op.Kind == sites.Exit {
				p.Top().Guess = p.Picks > 0
			}
			x.Arrive(p, state.AtOp, site)
			return false
		}
		p.Top().Phase = 1
	}
	return x.library.runs[f.Op](x, p)
}

// SiteOfOp finds the site of the operation on top of the stack: that of the call, or where an operation is
// what a goroutine begins with, as in `go wg.Wait()`, of the go statement. 0 means that there is none: the
// call is not in the source of the program.
func (x *Executor) SiteOfOp(p *exploration.Path) sites.ID {
	kind := p.Peek().Op.Kind
	if p.Peek().Op.StartedBy(sites.WaitGroupGo) {
		kind = sites.WaitGroupGo // it counts down for the call that has started it
	}
	if s := p.SiteOf(kind); s != 0 {
		return s
	}
	// A goroutine that begins with the operation: there is no call.
	if p.Peek().Call.Parent == nil && p.Template.Origin != nil {
		if s, ok := x.Sites.At(kind, p.Template.Origin.Pos()); ok {
			return s.ID
		}
	}
	return 0
}

// PushOp enters an operation. Of the arguments in its frame only the widths count, by which it is found
// what is live at a location (layout.Layout.Live); their values are kept on the path, by the call path.
// What the operation does not need has none.
func (x *Executor) PushOp(p *exploration.Path, c *state.CallPath, tgt state.Target, deferred bool) {
	shape := state.Target{Fn: tgt.Fn, Op: tgt.Op, Pos: tgt.Pos}
	for k, a := range tgt.Args {
		if !tgt.Op.Needs(k) && !slices.Contains(tgt.Op.Also, k) {
			a = nil
		}
		shape.Args = append(shape.Args, a)
		p.Set(c, state.ArgKey(k), append([]*sym.Expr(nil), a...))
	}
	p.Push(&state.Frame{Call: c, Op: tgt.Op, Target: shape, Deferred: deferred})
}

// OpReturn ends the operation on top of the stack with a result.
func (x *Executor) OpReturn(p *exploration.Path, result []*sym.Expr) bool { return x.ret(p, result) }

// Receiver resolves the receiver of an operation. false means that it has taken over the path. What is not
// tracked ends it as at a bound: a lock of which it is not known which one it is could be any, and whatever
// the model did with it would be made up.
func (x *Executor) Receiver(p *exploration.Path) (int32, bool) {
	f := p.Peek()
	e := p.Simplify(p.Arg(0)[0])
	k, ok, tracked := x.Concrete(p, e)
	if !tracked {
		p.Unfollowed(f.Op.Name, "the object it is called on is not tracked: "+exploration.Why(e))
		return 0, false
	}
	if !ok {
		return 0, false
	}
	if k == 0 {
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: "nil pointer dereference"}, x.SomeError())
		x.ContinueWith(p)
		return 0, false
	}
	return k, true
}

// Settled is the address that the operation is called on, with new objects written to memory. It is like
// Receiver for operations that can do something sensible with an object that is not tracked, or nil.
func (x *Executor) Settled(p *exploration.Path) (k int32, ok, tracked bool) {
	e := p.Simplify(p.Arg(0)[0])
	if _, _, isNew := exploration.NewObjectAt(e); isNew {
		p.Settle()
	}
	return x.Concrete(p, e)
}

// CallArg calls argument k of the operation on top of the stack; before is applied once the function is
// known, and sets the phase in which the operation goes on when that has returned. It must not be applied
// earlier: where the path forks for the function, each fork executes the operation again in the phase of
// now.
func (x *Executor) CallArg(p *exploration.Path, k int, before func(q *exploration.Path)) bool {
	f := p.Peek()
	tgt, ok, tracked := x.FunctionOf(p, p.Arg(k)[0], f.Call.Site)
	if !ok && tracked {
		return false
	}
	return x.EnterArg(p, k, tgt, before)
}

// EnterArg calls what argument k of the operation on top of the stack is, after before. What is not known,
// or not in the model, returns at once. What the function returns is kept in the argument number Takes of
// the operation, if it has one (ret).
func (x *Executor) EnterArg(p *exploration.Path, k int, tgt state.Target, before func(q *exploration.Path)) bool {
	f := p.Peek()
	before(p)
	if tgt.Op == nil && (tgt.Fn == nil || tgt.Fn.Blocks == nil) {
		if tgt.Fn == nil {
			p.Note("unknown-call", artifact.DirectionUnder, "the function passed is not tracked; it is not executed in the model")
		}
		// The operation looks there when it goes on, as if the function had returned.
		if f.Op.Takes > 0 {
			p.Set(f.Call, state.ArgKey(f.Op.Takes), layout.Unknowns(len(p.Arg(f.Op.Takes)), "the result of a function that is not in the model"))
		}
		return true
	}
	if tgt.Op != nil {
		x.PushOp(p, x.Context(p.Template, p.Peek().Call, f.Call.Site, k, tgt.Fn, tgt.Op.Name), tgt, false)
		return true
	}
	return x.Enter(p, x.Context(p.Template, p.Peek().Call, f.Call.Site, k, tgt.Fn, ""), tgt, false)
}

// Either continues with the operation's two outcomes: it returns true where c holds, and has done yes, and
// false elsewhere.
func (x *Executor) Either(p *exploration.Path, c *sym.Expr, yes func(q *exploration.Path)) bool {
	if q := p.Fork(sym.Not(c)); q != nil {
		x.OpReturn(q, []*sym.Expr{sym.Num(0)})
		x.ContinueWith(q)
	}
	if !p.Assume(c) {
		return false
	}
	yes(p)
	return x.OpReturn(p, []*sym.Expr{sym.Num(1)})
}

// Fatal ends the program with an error that cannot be recovered.
func (x *Executor) Fatal(p *exploration.Path, detail string) {
	x.SinkTo(p, &state.Sink{End: sidecar.EndFatal, Kind: artifact.KindUnlockUnlocked, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: detail})
}
