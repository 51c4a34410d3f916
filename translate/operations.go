package translate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// stepOp executes the operation on top of the stack, or stops at its guard.
func (x *executor) stepOp(p *path) bool {
	f := p.peek()
	if f.Unwind != nil {
		return x.stepUnwind(p)
	}
	if f.Phase == 0 {
		if f.Op.Kind != sites.Invalid {
			site := x.siteOfOp(p)
			if f.Op.Kind.IsAccess() && !x.access[site] {
				p.top().Phase = 1
				return x.library.runs[f.Op](x, p)
			}
			if site == 0 {
				x.unsupported(p.here(), f.Op.Name, "the call has no guard: it is reached through a function value of the library, or from code outside of the program")
				return false
			}
			if f.Op.Kind == sites.Exit {
				p.top().Guess = p.picks > 0
			}
			x.arrive(p, state.AtOp, site)
			return false
		}
		p.top().Phase = 1
	}
	return x.library.runs[f.Op](x, p)
}

// siteOfOp finds the site of the operation on top of the stack.
func (x *executor) siteOfOp(p *path) sites.ID {
	kind := p.peek().Op.Kind
	if p.peek().Op.StartedBy(sites.WaitGroupGo) {
		kind = sites.WaitGroupGo // it counts down for the call that has started it
	}
	if s := p.siteOf(kind); s != 0 {
		return s
	}
	if p.peek().Call.Parent == nil && p.t.Origin != nil {
		if s, ok := x.idx.At(kind, p.t.Origin.Pos()); ok {
			return s.ID
		}
	}
	return 0
}

// pushOp enters an operation.
func (x *executor) pushOp(p *path, c *state.CallPath, tgt state.Target, deferred bool) {
	shape := state.Target{Fn: tgt.Fn, Op: tgt.Op, Pos: tgt.Pos}
	for k, a := range tgt.Args {
		if !tgt.Op.Needs(k) && !slices.Contains(tgt.Op.Also, k) {
			a = nil
		}
		shape.Args = append(shape.Args, a)
		p.set(c, state.ArgKey(k), append([]*sym.Expr(nil), a...))
	}
	p.push(&state.Frame{Call: c, Op: tgt.Op, Target: shape, Deferred: deferred})
}

// stmtOfOp is the statement of the call of the operation on top of the stack, 0
// for a deferred one, which runs elsewhere.
func (x *executor) stmtOfOp(p *path) sites.ID {
	f := p.peek()
	if _, ok := f.Call.Site.(*ssa.Call); !ok || f.Call.Site.Parent() == nil {
		return 0
	}
	return x.stmtOf(f.Call.Site.Parent(), f.Call.Site)
}

// opReturn ends the operation on top of the stack with a result.
func (x *executor) opReturn(p *path, result []*sym.Expr) bool { return x.ret(p, result) }

// object resolves the receiver of an operation. false means that it has taken
// over the path.
func (x *executor) receiver(p *path) (int32, bool) {
	f := p.peek()
	e := p.simplify(p.arg(0)[0])
	k, ok, tracked := x.concrete(p, e)
	if !tracked {
		x.unsupported(p.here(), f.Op.Name, "the object it is called on is not tracked: "+why(e))
		return 0, false
	}
	if !ok {
		return 0, false
	}
	if k == 0 {
		x.raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.siteOfOp(p), Pos: p.here(), Detail: "nil pointer dereference"}, x.SomeError())
		x.continueWith(p)
		return 0, false
	}
	return k, true
}

// settled is the address that the operation is called on, with new objects
// written to memory.
func (x *executor) settled(p *path) (k int32, ok, tracked bool) {
	e := p.simplify(p.arg(0)[0])
	if _, _, isNew := newObjectAt(e); isNew {
		p.settle()
	}
	return x.concrete(p, e)
}

// callArg calls argument k of the operation on top of the stack; before is
// applied once the function is known.
func (x *executor) callArg(p *path, k int, before func(q *path)) bool {
	f := p.peek()
	tgt, ok, tracked := x.functionOf(p, p.arg(k)[0], f.Call.Site)
	if !ok && tracked {
		return false
	}
	return x.enterArg(p, k, tgt, before)
}

// enterArg calls what argument k of the operation on top of the stack is, after
// before. What is not known, or not in the model, returns at once.
func (x *executor) enterArg(p *path, k int, tgt state.Target, before func(q *path)) bool {
	f := p.peek()
	before(p)
	if tgt.Op == nil && (tgt.Fn == nil || tgt.Fn.Blocks == nil) {
		if tgt.Fn == nil {
			p.note("unknown-call", artifact.DirectionUnder, "the function passed is not tracked; it is not executed in the model")
		}
		if f.Op.Takes > 0 {
			p.set(f.Call, state.ArgKey(f.Op.Takes), layout.Unknowns(len(p.arg(f.Op.Takes)), "the result of a function that is not in the model"))
		}
		return true
	}
	if tgt.Op != nil {
		x.pushOp(p, x.context(p.t, p.peek().Call, f.Call.Site, k, tgt.Fn, tgt.Op.Name), tgt, false)
		return true
	}
	return x.enter(p, x.context(p.t, p.peek().Call, f.Call.Site, k, tgt.Fn, ""), tgt, false)
}

// either continues with the operation's two outcomes.
func (x *executor) either(p *path, c *sym.Expr, yes func(q *path)) bool {
	if q := p.fork(sym.Not(c)); q != nil {
		x.opReturn(q, []*sym.Expr{sym.Num(0)})
		x.continueWith(q)
	}
	if !p.assume(c) {
		return false
	}
	yes(p)
	return x.opReturn(p, []*sym.Expr{sym.Num(1)})
}

// fatal ends the program with an error that cannot be recovered.
func (x *executor) fatal(p *path, detail string) {
	x.sinkTo(p, &state.Sink{End: "fatal", Kind: artifact.KindUnlockUnlocked, Site: x.siteOfOp(p), Pos: p.here(), Detail: detail})
}
