package library

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Get of a sync.Pool may return any of the values it has, or a new one.

const unknownNew = "the function New of a sync.Pool is not tracked; it is not executed in the model"

// poolResult is the argument in which Get keeps what New has returned.
const poolResult = 1

func poolOperations(l *execution.Library) {
	l.Known["(*sync.Pool).Get"] = l.Add(program.Operation{Name: "poolget", Reads: true, Writes: true, Args: []int{0}, Takes: poolResult}, poolGet)
	l.Known["(*sync.Pool).Put"] = l.Add(program.Operation{Name: "poolput", Reads: true, Writes: true, Args: []int{0, 1}}, poolPut)
}

// pool is the pool that the operation on top of the stack is called on. ok is
// false if it has taken over the path.
func pool(x *execution.Executor, p *exploration.Path) (k int32, ok bool) {
	if k, ok = calledOn(x, p, "the sync.Pool", "a value of a sync.Pool that is not tracked"); !ok {
		return 0, false
	}
	x.Accessed(p, k, layout.PoolFirst+2*layout.PoolValues, p.CallStatement(), true)
	return k, true
}

// poolGet returns any of the values, on a path for each, or what New makes, also where there are values:
// the library may drop those at any time. Those behind the one taken move up, so that the used places are
// in front, and equal pools look alike.
func poolGet(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	if f.Phase == 2 { // New has returned
		return x.OpReturn(p, p.Arg(poolResult))
	}
	k, ok := pool(x, p)
	if !ok {
		return false
	}
	slot := func(i, c int) int32 { return k + layout.PoolFirst + int32(2*i+c) }
	for i := range layout.PoolValues {
		q := p.Fork(sym.Not(exploration.Eq(p.CellAt(slot(i, 0)), 0)))
		// Behind the first free place there are none.
		if q == nil {
			break
		}
		q.Note("input", artifact.DirectionOver, "which value a sync.Pool returns, or whether a new one")
		val := []*sym.Expr{q.CellAt(slot(i, 0)), q.CellAt(slot(i, 1))}
		for j := i; j < layout.PoolValues; j++ {
			for c := range 2 {
				next := sym.Num(0)
				if j+1 < layout.PoolValues {
					next = q.CellAt(slot(j+1, c))
				}
				q.Put(slot(j, c), next)
			}
		}
		x.OpReturn(q, val)
		x.ContinueWith(q)
	}
	// All of the values may have been dropped, so that p goes on with New whatever there is.
	make := p.CellAt(k + layout.PoolNew)
	if make.Op == sym.OpUnknown {
		p.Note("unknown-call", artifact.DirectionUnder, unknownNew)
		return x.OpReturn(p, layout.Unknowns(2, "a new value of a sync.Pool"))
	}
	// Without New the result is nil.
	if q := p.Fork(exploration.Eq(make, 0)); q != nil {
		x.OpReturn(q, layout.Zeros(2))
		x.ContinueWith(q)
	}
	if !p.Assume(sym.Not(exploration.Eq(make, 0))) {
		return false
	}
	tgt, ok, tracked := x.FunctionOf(p, make, f.Call.Site)
	switch {
	case !tracked:
		p.Note("unknown-call", artifact.DirectionUnder, unknownNew)
		return x.OpReturn(p, layout.Unknowns(2, "a new value of a sync.Pool"))
	case !ok:
		return false
	}
	return x.EnterArg(p, poolResult, tgt, func(q *exploration.Path) {
		// Where New puts its result: live in the frame of the operation from here on.
		g := q.Top()
		g.Phase = 2
		g.Target.Args = [][]*sym.Expr{g.Target.Args[0], layout.Zeros(2)}
		q.Set(g.Call, state.ArgKey(poolResult), layout.Zeros(2))
	})
}

// poolPut keeps a value in the first free place. A nil value is not kept, as in the library, and more
// values than there are places end the path at a bound.
func poolPut(x *execution.Executor, p *exploration.Path) bool {
	k, ok := pool(x, p)
	if !ok {
		return false
	}
	val := p.Arg(1)
	isNil := p.Simplify(exploration.Eq(val[0], 0))
	if isNil.Op == sym.OpUnknown {
		p.Note("unknown-memory", artifact.DirectionUnder, "a value that is not tracked is put into a sync.Pool: it is not got again in the model")
		return x.OpReturn(p, nil)
	}
	if q := p.Fork(isNil); q != nil {
		x.OpReturn(q, nil)
		x.ContinueWith(q)
	}
	if !p.Assume(sym.Not(isNil)) {
		return false
	}
	last := p.CellAt(k + layout.PoolFirst + 2*(layout.PoolValues-1))
	// The used places are in front: if the last one is used all are.
	if q := p.Fork(sym.Not(exploration.Eq(last, 0))); q != nil {
		q.Bound("a sync.Pool of more values than the model keeps")
	}
	if !p.Assume(exploration.Eq(last, 0)) {
		return false
	}
	before := sym.Num(1) // the places before are taken
	for i := range int32(layout.PoolValues) {
		at := k + layout.PoolFirst + 2*i
		tag := p.CellAt(at)
		here := sym.And(before, exploration.Eq(tag, 0))
		p.Put(at, sym.Ite(here, val[0], tag))
		p.Put(at+1, sym.Ite(here, val[1], p.CellAt(at+1)))
		before = sym.And(before, sym.Not(exploration.Eq(tag, 0)))
	}
	return x.OpReturn(p, nil)
}
