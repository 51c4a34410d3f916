package translate

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// assert executes an assertion: it ends the test, or goes on with pass.
func assert(x *executor, p *path, site *ssa.Call, a *program.Assertion, pass func(q *path) bool) bool {
	fail := func(q *path) {
		guess, s := q.picks > 0, q.statement(site)
		failure(x, q, s, guess)
		if !guess && inSubtest(q) {
			q.note("subtest", artifact.DirectionUnder, subtestEnds)
		}
		x.raise(q, &state.Unwind{Goexit: true, Site: s, Pos: q.here(), Detail: "fatal"}, nil)
	}
	if a.Always {
		fail(p)
		return true
	}
	var fails *sym.Expr
	if a.Subject != nil {
		val := p.value(p.peek().Call, a.Subject)
		fails = eq(val[0], 0)
		if a.Reflects {
			var ok bool
			if fails, ok = holdsNil(x, p, val); !ok {
				return false
			}
		}
		if a.Negated {
			fails = sym.Not(fails)
		}
		fails = p.simplify(fails)
	}
	if fails == nil || fails.UnknownIn() != nil {
		p.note(artifact.ApproximationAssertion, artifact.DirectionBound,
			"whether this assertion ends the test depends on what the model does not keep: in the model it does not")
		return pass(p)
	}
	x.branch(p, fails, site.Pos(), "", fail, func(q *path) { pass(q) })
	return false
}

// holdsNil is the condition that an interface is nil, or holds a value that is. ok is false
// if the path does not go on.
func holdsNil(x *executor, p *path, val []*sym.Expr) (e *sym.Expr, ok bool) {
	tag := p.simplify(val[0])
	tags := p.abs(tag)
	if tag.UnknownIn() != nil || tags.Top {
		return sym.Unknown("what an interface holds"), true
	}
	e = eq(tag, 0)
	lo, hi := tags.Bounds()
	for k := max(lo, 1); k <= hi; k++ {
		if !tags.Has(k) {
			continue
		}
		t, scalar := x.mem.TypeOf(k), val[1]
		if t == nil {
			return sym.Unknown("what an interface holds"), true
		}
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		case *types.Slice:
			if !tag.IsConst() {
				return sym.Unknown("a slice in an interface"), true
			}
			parts, ok := x.unbox(p, scalar, t)
			if !ok {
				return nil, false
			}
			scalar = parts[0]
		default:
			continue // its values are never nil
		}
		e = sym.Or(e, sym.And(eq(tag, k), eq(scalar, 0)))
	}
	return e, true
}
