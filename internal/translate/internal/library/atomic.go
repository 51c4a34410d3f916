package library

import (
	"go/token"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Atomic operations are accesses to shared memory: they have a guard where goroutines
// share the variable.

// An atomicEffect is what an atomic operation does: its result, and what it
// stores, nil for nothing, given what was there.
type atomicEffect func(x *execution.Executor, p *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr)

// atomicOp is an operation on n scalars at its first argument; check, if any, reports whether it goes on
// with what was there. It is done in one step: what is read and what is written is of the same state, which
// makes it atomic. A number that is saturated is unknown, on a path of its own.
func atomicOp(l *execution.Library, op program.Operation, n int, check func(x *execution.Executor, p *exploration.Path, old []*sym.Expr) bool, f atomicEffect) *program.Operation {
	op.Kind = sites.Atomic
	return l.Add(op, func(x *execution.Executor, p *exploration.Path) bool {
		k, ok, tracked := x.Settled(p)
		if !tracked {
			p.Note("unknown-memory", artifact.DirectionUnder, "the address of the atomic operation is not tracked")
			return x.OpReturn(p, layout.Unknowns(p.ResultWidth(), "atomic operation on memory that is not tracked"))
		}
		if !ok {
			return false
		}
		if k == 0 {
			x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Pos: p.Here(), Detail: "nil pointer dereference"}, x.SomeError())
			return true
		}
		// Who shares the variable gives the operation its guard (execution.stepOp).
		x.Accessed(p, k, n, x.SiteOfOp(p), op.Writes)
		old, saturated := make([]*sym.Expr, n), make([]*sym.Expr, n)
		for i := range old {
			at := k + int32(i)
			old[i] = p.RawCell(at)
			if saturated[i] = p.SaturatedIf(old[i]); saturated[i] == nil {
				old[i] = p.CellAt(at)
			}
		}
		x.Decide(p, old, saturated, func(q *exploration.Path, v []*sym.Expr) {
			if check != nil && !check(x, q, v) {
				return
			}
			res, store := f(x, q, v, q.Args())
			for i, e := range store {
				q.Put(k+int32(i), e)
			}
			x.OpReturn(q, res)
			x.ContinueWith(q)
		})
		return false
	})
}

// atomics are the functions and methods of package sync/atomic.
func atomics(l *execution.Library) {
	load := func() *program.Operation {
		return atomicOp(l, program.Operation{Name: "atomicload", Reads: true}, 1, nil, func(_ *execution.Executor, _ *exploration.Path, old []*sym.Expr, _ [][]*sym.Expr) (result, store []*sym.Expr) {
			return old, nil
		})
	}
	store := func() *program.Operation {
		return atomicOp(l, program.Operation{Name: "atomicstore", Writes: true, Args: []int{0, 1}}, 1, nil, func(_ *execution.Executor, _ *exploration.Path, _ []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
			return nil, args[1][:1]
		})
	}
	add := func() *program.Operation {
		return atomicOp(l, program.Operation{Name: "atomicadd", Reads: true, Writes: true, Args: []int{0, 1}}, 1, nil, func(_ *execution.Executor, _ *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
			n := []*sym.Expr{sym.Arith(sym.OpAdd, old[0], args[1][0])}
			return n, n
		})
	}
	swap := func() *program.Operation {
		return atomicOp(l, program.Operation{Name: "atomicswap", Reads: true, Writes: true, Args: []int{0, 1}}, 1, nil, func(_ *execution.Executor, _ *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
			return old, args[1][:1]
		})
	}
	// One that fails writes back what was there.
	cas := func() *program.Operation {
		return atomicOp(l, program.Operation{Name: "atomiccas", Reads: true, Writes: true, Args: []int{0, 1, 2}}, 1, nil, func(_ *execution.Executor, _ *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
			c := sym.Arith(sym.OpEq, old[0], args[1][0])
			return []*sym.Expr{c}, []*sym.Expr{sym.Ite(c, args[2][0], old[0])}
		})
	}
	// And and Or return what was there before, Add what is there now.
	masks := func(op token.Token) *program.Operation {
		return atomicOp(l, program.Operation{Name: "atomicmask", Reads: true, Writes: true, Args: []int{0, 1}}, 1, nil, func(_ *execution.Executor, p *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
			return old, []*sym.Expr{p.Bits(op, old[0], args[1][0])}
		})
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr"} {
		for prefix, op := range map[string]token.Token{"And": token.AND, "Or": token.OR} {
			l.Known["sync/atomic."+prefix+t] = masks(op)
			l.Known["(*sync/atomic."+t+")."+prefix] = masks(op)
		}
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		l.Known["sync/atomic.Load"+t] = load()
		l.Known["sync/atomic.Store"+t] = store()
		l.Known["sync/atomic.Add"+t] = add()
		l.Known["sync/atomic.Swap"+t] = swap()
		l.Known["sync/atomic.CompareAndSwap"+t] = cas()
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Bool", "Pointer[T]"} {
		m := "(*sync/atomic." + t + ")."
		l.Known[m+"Load"] = load()
		l.Known[m+"Store"] = store()
		l.Known[m+"Add"] = add()
		l.Known[m+"Swap"] = swap()
		l.Known[m+"CompareAndSwap"] = cas()
	}
	atomicValues(l)
}

// atomicValues are the methods of atomic.Value, which is an interface value.
func atomicValues(l *execution.Library) {
	op := func(name, what, does string, in program.Operation, f atomicEffect) {
		in.Name, in.Reads = what, true
		var check func(x *execution.Executor, p *exploration.Path, old []*sym.Expr) bool
		if in.Writes {
			check = func(x *execution.Executor, p *exploration.Path, old []*sym.Expr) bool {
				return storable(x, p, does, old, p.Args()[1:len(in.Args)])
			}
		}
		l.Known["(*sync/atomic.Value)."+name] = atomicOp(l, in, len(layout.InterfaceCells), check, f)
	}
	op("Load", "atomicload", "", program.Operation{}, func(_ *execution.Executor, _ *exploration.Path, old []*sym.Expr, _ [][]*sym.Expr) (result, store []*sym.Expr) {
		return old, nil
	})
	op("Store", "atomicstore", "store", program.Operation{Writes: true, Args: []int{0, 1}}, func(_ *execution.Executor, _ *exploration.Path, _ []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
		return nil, args[1]
	})
	op("Swap", "atomicswap", "swap", program.Operation{Writes: true, Args: []int{0, 1}}, func(_ *execution.Executor, _ *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
		return old, args[1]
	})
	op("CompareAndSwap", "atomiccas", "compare and swap", program.Operation{Writes: true, Args: []int{0, 1, 2}}, func(x *execution.Executor, p *exploration.Path, old []*sym.Expr, args [][]*sym.Expr) (result, store []*sym.Expr) {
		c := x.Equal(p, layout.EmptyInterface, old, args[1])
		return []*sym.Expr{c}, []*sym.Expr{sym.Ite(c, args[2][0], old[0]), sym.Ite(c, args[2][1], old[1])}
	})
}

// storable continues with the panic that storing the last of values in an atomic.Value
// beside another causes, and reports whether the path goes on without. If there are two, the
// first is what the other one is compared with: nothing is stored where nothing was, but for
// nil.
func storable(x *execution.Executor, p *exploration.Path, does string, old []*sym.Expr, values [][]*sym.Expr) bool {
	val := values[len(values)-1]
	differs := func(a, b []*sym.Expr) *sym.Expr {
		return sym.And(sym.Not(exploration.Eq(a[0], 0)), sym.Not(sym.Arith(sym.OpEq, a[0], b[0])))
	}
	type badness struct {
		cond *sym.Expr
		what string
	}
	bads := []badness{{exploration.Eq(val[0], 0), "sync/atomic: " + does + " of nil value into Value"}}
	if len(values) > 1 {
		bads = append(bads, badness{differs(values[0], val), "sync/atomic: " + does + " of inconsistently typed values"})
	}
	bads = append(bads, badness{differs(old, val), "sync/atomic: " + does + " of inconsistently typed value into Value"})
	// In the order in which the library asks.
	for _, bad := range bads {
		c := p.Simplify(bad.cond)
		if c.Op == sym.OpUnknown {
			p.Note("unknown-memory", artifact.DirectionUnder, "what is stored in an atomic.Value is not tracked: that it panics is not in the model")
			continue
		}
		if q := p.Fork(c); q != nil {
			x.Raise(q, &state.Unwind{Kind: artifact.KindPanic, Site: q.CallStatement(), Pos: q.Here(), Detail: bad.what}, x.SomeError())
			x.ContinueWith(q)
		}
		if !p.Assume(sym.Not(c)) {
			return false
		}
	}
	return true
}
