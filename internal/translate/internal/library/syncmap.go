package library

import (
	"go/types"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A sync.Map is a small map from interface values to interface values, at its own address. Each of its
// methods is an access to shared memory: it has no guard of its own, but the statement that holds it has.
// It is used by what execution has for maps; where the program has a sync.Map inside a struct its cells are
// some of that, without the cells for the keys ever set.

var anyMap = types.NewMap(layout.EmptyInterface, layout.EmptyInterface)

func syncMapOperations(l *execution.Library) {
	// A method on the map o reads its entries, and with writes changes them.
	method := func(name string, args int, writes bool, run func(x *execution.Executor, p *exploration.Path, o *state.Object) bool) {
		in := l.Add(program.Operation{Name: "map" + name, Reads: true, Writes: writes}, func(x *execution.Executor, p *exploration.Path) bool {
			o, ok := syncMap(x, p, writes)
			return ok && run(x, p, o)
		})
		for k := range args {
			in.Args = append(in.Args, k)
		}
		l.Known["(*sync.Map)."+name] = in
	}
	method("Load", 2, false, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return x.LookUp(p, o, p.Arg(1), func(q *exploration.Path, _, val []*sym.Expr, has *sym.Expr) bool {
			return x.OpReturn(q, append(val[:2:2], has))
		})
	})
	method("Store", 3, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return x.Find(p, o, p.Arg(1), func(q *exploration.Path, found []*sym.Expr) bool {
			return x.Update(q, o, found, q.Arg(1), q.Arg(2)) && x.OpReturn(q, nil)
		})
	})
	method("LoadOrStore", 3, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return whether(x, p, o, func(q *exploration.Path, _, val []*sym.Expr) bool {
			return x.OpReturn(q, append(val[:2:2], sym.Num(1)))
		}, func(q *exploration.Path) bool {
			val := q.Arg(2)
			return insert(x, q, o, val) && x.OpReturn(q, append(val[:2:2], sym.Num(0)))
		})
	})
	method("LoadAndDelete", 2, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return x.LookUp(p, o, p.Arg(1), func(q *exploration.Path, found, val []*sym.Expr, has *sym.Expr) bool {
			execution.WipeMap(q, o, found)
			return x.OpReturn(q, append(val[:2:2], has))
		})
	})
	method("Delete", 2, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return x.Find(p, o, p.Arg(1), func(q *exploration.Path, found []*sym.Expr) bool {
			execution.WipeMap(q, o, found)
			return x.OpReturn(q, nil)
		})
	})
	method("Swap", 3, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return whether(x, p, o, func(q *exploration.Path, found, val []*sym.Expr) bool {
			replace(q, o, found, q.Arg(2))
			return x.OpReturn(q, append(val[:2:2], sym.Num(1)))
		}, func(q *exploration.Path) bool {
			return insert(x, q, o, q.Arg(2)) && x.OpReturn(q, layout.Zeros(3))
		})
	})
	method("CompareAndSwap", 4, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return ifEqual(x, p, o, func(q *exploration.Path, found []*sym.Expr) { replace(q, o, found, q.Arg(3)) })
	})
	method("CompareAndDelete", 3, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		return ifEqual(x, p, o, func(q *exploration.Path, found []*sym.Expr) { execution.WipeMap(q, o, found) })
	})
	method("Clear", 1, true, func(x *execution.Executor, p *exploration.Path, o *state.Object) bool {
		execution.EmptyMap(p, o)
		return x.OpReturn(p, nil)
	})
	in := l.Add(program.Operation{Name: "maprange", Reads: true, Args: []int{0, 1}, Calls: 1, Takes: 4}, rangeSyncMap)
	l.Known["(*sync.Map).Range"] = in
}

// syncMap is the map that the operation on top of the stack is called on: an object made for this call,
// which describes the cells at the address as those of a map. ok is false if it has taken over the path.
func syncMap(x *execution.Executor, p *exploration.Path, write bool) (o *state.Object, ok bool) {
	k, ok := calledOn(x, p, "the sync.Map", "the contents of a sync.Map that is not tracked")
	if !ok {
		return nil, false
	}
	// As the layout of the type has it (layout, libraryCells).
	stride := int32(1 + 2*len(layout.InterfaceCells))
	n, at := x.EntriesOfSyncMaps()
	o = &state.Object{Kind: state.DataObject, Base: k, Size: int32(n)*stride + 1, Backing: state.Backing{Elems: int32(n), Stride: stride, Mapping: anyMap, At: at}}
	x.Accessed(p, k, int(o.Size), p.CallStatement(), write)
	return o, true
}

// calledOn is the object that the operation on top of the stack is called on. If
// that is not tracked, or nil, ok is false, and it has taken over the path: what
// the operation returns is then not known.
func calledOn(x *execution.Executor, p *exploration.Path, object, result string) (k int32, ok bool) {
	k, ok, tracked := x.Settled(p)
	switch {
	case !tracked:
		p.Note("unknown-memory", artifact.DirectionUnder, object+" is not tracked; what is done to it is not in the model")
		x.OpReturn(p, layout.Unknowns(p.ResultWidth(), result))
	case !ok:
		return 0, false
	case k == 0:
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.CallStatement(), Pos: p.Here(), Detail: "nil pointer dereference"}, x.SomeError())
	default:
		return k, true
	}
	x.ContinueWith(p)
	return 0, false
}

// whether looks the key of the operation on top of the stack up, and completes the path by whether there is
// an entry: here the path forks, since what is done next, as a call of insert, is done by one of the two
// only. Both report whether their path goes on.
func whether(x *execution.Executor, p *exploration.Path, o *state.Object, yes func(q *exploration.Path, found, val []*sym.Expr) bool, no func(q *exploration.Path) bool) bool {
	return x.LookUp(p, o, p.Arg(1), func(q *exploration.Path, found, val []*sym.Expr, has *sym.Expr) bool {
		has = q.Simplify(has)
		if has.HandedOver() {
			x.Arrive(q, state.AtLocal, 0)
			return false
		}
		if r := q.Fork(sym.Not(has)); r != nil && no(r) {
			x.ContinueWith(r)
		}
		return q.Assume(has) && yes(q, found, val)
	})
}

// insert takes a free entry for the key of the operation on top of the stack, which is known to have none.
func insert(x *execution.Executor, p *exploration.Path, o *state.Object, val []*sym.Expr) bool {
	return x.Update(p, o, layout.Zeros(int(o.Elems)), p.Arg(1), val)
}

// replace sets the value of the entry that is the one.
func replace(p *exploration.Path, o *state.Object, found, val []*sym.Expr) {
	for n := range found {
		at := o.Entry(n) + int32(1+p.Explorer.Width(o.Mapping.Key()))
		for c, e := range val {
			p.Put(at+int32(c), sym.Ite(found[n], e, p.RawCell(at+int32(c))))
		}
	}
}

// ifEqual executes the operation on top of the stack, which changes the entry of
// its key if it has the value that is its argument 2.
func ifEqual(x *execution.Executor, p *exploration.Path, o *state.Object, change func(q *exploration.Path, found []*sym.Expr)) bool {
	return whether(x, p, o, func(q *exploration.Path, found, val []*sym.Expr) bool {
		x.Branch(q, x.Equal(q, layout.EmptyInterface, val, q.Arg(2)), q.Here(), "", func(r *exploration.Path) {
			change(r, found)
			x.OpReturn(r, []*sym.Expr{sym.Num(1)})
		}, func(r *exploration.Path) { x.OpReturn(r, []*sym.Expr{sym.Num(0)}) })
		return false
	}, func(q *exploration.Path) bool { return x.OpReturn(q, []*sym.Expr{sym.Num(0)}) })
}

// The arguments that Range adds to its own: the entries that it has been at, one
// for each entry whether it was there at first, and what the function returned.
const (
	rangeSeen = 2 + iota
	rangeFirst
	rangeResult
)

// rangeSyncMap calls a function for the entries, in any order. An entry that comes during the iteration may
// be seen or not: the iteration may end when all are seen that were there at first.
//
// It has three phases: 1 notes which entries there are; in 2 the next one is chosen, and the function
// called with it; 3 is when that has returned, and says whether to go on.
func rangeSyncMap(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	if f.Phase == 3 { // the function has returned
		on := p.Arg(rangeResult)[0]
		p.Set(f.Call, state.ArgKey(rangeResult), layout.Zeros(1))
		x.Branch(p, on, p.Here(), "", func(q *exploration.Path) { q.Top().Phase = 2 }, func(q *exploration.Path) { x.OpReturn(q, nil) })
		return false
	}
	o, ok := syncMap(x, p, false)
	if !ok {
		return false
	}
	if f.Phase == 1 {
		// What Range has to remember while it calls the function is in arguments: only these are live in
		// its frame.
		first := make([]*sym.Expr, o.Elems)
		for i := range first {
			first[i] = p.CellAt(o.Entry(i))
		}
		g := p.Top()
		g.Target.Args = [][]*sym.Expr{g.Target.Args[0], g.Target.Args[1], layout.Zeros(1), first, layout.Zeros(1)}
		g.Phase = 2
		p.Set(f.Call, state.ArgKey(rangeSeen), layout.Zeros(1))
		p.Set(f.Call, state.ArgKey(rangeFirst), first)
		p.Set(f.Call, state.ArgKey(rangeResult), layout.Zeros(1))
	}
	tgt, ok, tracked := x.FunctionOf(p, p.Arg(1)[0], f.Call.Site)
	if !tracked {
		p.Note("unknown-call", artifact.DirectionUnder, "the function passed is not tracked; it is not executed in the model")
		return x.OpReturn(p, nil)
	}
	if !ok {
		return false
	}
	seen, ok := x.SeenEntries(p, p.Arg(rangeSeen)[0])
	if !ok {
		return false
	}
	// rest is the condition that no entry is left that was there at first.
	rest := sym.Num(1)
	var next []*exploration.Path
	for e := range int(o.Elems) {
		used := exploration.Eq(p.CellAt(o.Entry(e)), 1)
		if seen>>e&1 != 0 || used.Is(0) {
			continue
		}
		rest = sym.And(rest, sym.Not(sym.And(used, p.Arg(rangeFirst)[e])))
		q := p.Fork(used)
		if q == nil {
			continue
		}
		q.Set(f.Call, state.ArgKey(rangeSeen), []*sym.Expr{sym.Num(seen | 1<<e)})
		// The function is given the key and the value, two scalars each.
		t := tgt
		kw := int32(len(layout.InterfaceCells))
		t.Args = [][]*sym.Expr{x.EntryValue(q, o, e, 0, int(kw)), x.EntryValue(q, o, e, kw, int(kw))}
		if x.EnterArg(q, 1, t, func(r *exploration.Path) { r.Top().Phase = 3 }) {
			next = append(next, q)
		}
	}
	for _, q := range next {
		if len(next) > 1 {
			q.NoteAt(f.Call.Site.Pos(), "input", artifact.DirectionOver, "the order of the iteration over a map")
		}
		x.ContinueWith(q)
	}
	return p.Assume(p.Simplify(rest)) && x.OpReturn(p, nil)
}
