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
func (x *translator) stepOp(p *path) bool {
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
func (x *translator) siteOfOp(p *path) sites.ID {
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
func (x *translator) pushOp(p *path, c *state.CallPath, tgt state.Target, deferred bool) {
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

// arg returns argument k of the operation on top of the stack.
func (p *path) arg(k int) []*sym.Expr {
	f := p.peek()
	if e := p.env.m[envKey{f.Call, state.ArgKey(k)}]; len(e) > 0 {
		return e
	}
	return layout.Unknowns(2, "an argument that is not tracked")
}

// args returns all arguments of the operation on top of the stack.
func (p *path) args() [][]*sym.Expr {
	out := make([][]*sym.Expr, max(3, len(p.peek().Target.Args)))
	for k := range out {
		out[k] = p.arg(k)
	}
	return out
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

// resultWidth is the number of scalars of the result of the call of the
// operation on top of the stack.
func (p *path) resultWidth() int {
	if call, ok := p.peek().Call.Site.(*ssa.Call); ok {
		return p.x.ValueWidth(call)
	}
	return 0
}

// opReturn ends the operation on top of the stack with a result.
func (x *translator) opReturn(p *path, result []*sym.Expr) bool { return x.ret(p, result) }

// object resolves the receiver of an operation. false means that it has taken
// over the path.
func (x *translator) receiver(p *path) (int32, bool) {
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
func (x *translator) settled(p *path) (k int32, ok, tracked bool) {
	e := p.simplify(p.arg(0)[0])
	if _, _, isNew := newObjectAt(e); isNew {
		p.settle()
	}
	return x.concrete(p, e)
}

// getAt is what such a cell has.
func (p *path) getAt(addr *sym.Expr, off int32) *sym.Expr {
	v := sym.Unknown("the object is not tracked")
	for i, k := range p.addresses(addr) {
		if i == 0 {
			v = p.cellAt(k + off)
			continue
		}
		v = sym.Ite(eq(addr, k), p.cellAt(k+off), v)
	}
	return v
}

// putAt sets a cell of the object that is at one of several addresses.
func (p *path) putAt(addr *sym.Expr, off int32, v *sym.Expr) {
	for _, k := range p.addresses(addr) {
		p.put(k+off, sym.Ite(eq(addr, k), v, p.cellAt(k+off)))
	}
}

// addresses are those that an expression can be. Where they are too many it is said that
// what is done there is not in the model.
func (p *path) addresses(addr *sym.Expr) []int32 {
	a := p.abs(addr)
	if a.Top || a.Interval {
		p.note("unknown-memory", artifact.DirectionUnder, "the object is not tracked: what is done to it is not in the model")
		return nil
	}
	return a.Elems
}

// callArg calls argument k of the operation on top of the stack; before is
// applied once the function is known.
func (x *translator) callArg(p *path, k int, before func(q *path)) bool {
	f := p.peek()
	tgt, ok, tracked := x.functionOf(p, p.arg(k)[0], f.Call.Site)
	if !ok && tracked {
		return false
	}
	return x.enterArg(p, k, tgt, before)
}

// enterArg calls what argument k of the operation on top of the stack is, after
// before. What is not known, or not in the model, returns at once.
func (x *translator) enterArg(p *path, k int, tgt state.Target, before func(q *path)) bool {
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
func (x *translator) either(p *path, c *sym.Expr, yes func(q *path)) bool {
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
func (x *translator) fatal(p *path, detail string) {
	x.sinkTo(p, &state.Sink{End: "fatal", Kind: artifact.KindUnlockUnlocked, Site: x.siteOfOp(p), Pos: p.here(), Detail: detail})
}
