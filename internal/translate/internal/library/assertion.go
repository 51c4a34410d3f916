package library

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// assert executes an assertion: it ends the test, or goes on with pass. So it is for
//
//	require.NoError(t, err) // ends the test if err is not nil
//
// whose code is not part of the program (program/assertion.go). To end the test is what FailNow does: a
// Goexit. Whether an assertion fails that the model cannot decide is not tried, since each of them would be
// a failure of the test: it goes on, and says so.
func assert(x *execution.Executor, p *exploration.Path, site *ssa.Call, a *program.Assertion, pass func(q *exploration.Path) bool) bool {
	fail := func(q *exploration.Path) {
		// Where the model has guessed its way here the failure is not asked for.
		guess, s := q.Picks > 0, q.Statement(site)
		failure(x, q, s, guess)
		if !guess && inSubtest(q) {
			q.Note("subtest", artifact.DirectionUnder, subtestEnds)
		}
		x.Raise(q, &state.Unwind{Goexit: true, Site: s, Pos: q.Here(), Detail: "fatal"}, nil)
	}
	if a.Always {
		fail(p)
		return true
	}
	var fails *sym.Expr
	if a.Subject != nil {
		val := p.Value(p.Peek().Call, a.Subject)
		fails = exploration.Eq(val[0], 0)
		// A nil pointer in an interface is not a nil interface, but counts as nil.
		if a.Reflects {
			var ok bool
			if fails, ok = holdsNil(x, p, val); !ok {
				return false
			}
		}
		if a.Negated {
			fails = sym.Not(fails)
		}
		fails = p.Simplify(fails)
	}
	if fails == nil || fails.UnknownIn() != nil {
		p.Note(approximation.Assertion, artifact.DirectionBound,
			"whether this assertion ends the test depends on what the model does not keep: in the model it does not")
		return pass(p)
	}
	x.Branch(p, fails, site.Pos(), "", fail, func(q *exploration.Path) { pass(q) })
	return false
}

// holdsNil is the condition that an interface is nil, or holds a value that is. ok is false if the path
// does not go on. The types that it can have are gone through, each with the condition that it is the one:
// of those whose values can be nil the scalar decides. A slice is three scalars, in a box, whose type has
// to be known.
func holdsNil(x *execution.Executor, p *exploration.Path, val []*sym.Expr) (e *sym.Expr, ok bool) {
	tag := p.Simplify(val[0])
	tags := p.Abs(tag)
	if tag.UnknownIn() != nil || tags.Top {
		return sym.Unknown("what an interface holds"), true
	}
	e = exploration.Eq(tag, 0)
	lo, hi := tags.Bounds()
	for k := max(lo, 1); k <= hi; k++ {
		if !tags.Has(k) {
			continue
		}
		t, scalar := x.Memory.TypeOf(k), val[1]
		if t == nil {
			return sym.Unknown("what an interface holds"), true
		}
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		case *types.Slice:
			if !tag.IsConst() {
				return sym.Unknown("a slice in an interface"), true
			}
			parts, ok := x.Unbox(p, scalar, t)
			if !ok {
				return nil, false
			}
			scalar = parts[0]
		default:
			continue // its values are never nil
		}
		e = sym.Or(e, sym.And(exploration.Eq(tag, k), exploration.Eq(scalar, 0)))
	}
	return e, true
}
