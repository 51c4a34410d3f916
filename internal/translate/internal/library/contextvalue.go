package library

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Where the program asks contexts for values, what WithValue returns is an
// object of its own: a key with its value, the context that it is derived from,
// and the one that ends it. Otherwise it is the context that it is derived from.
const (
	valueEnd   = iota // the context that ends it
	valueUp           // the context that it is derived from
	valueKey          // two scalars
	valueVal   = valueKey + 2
	valueCells = valueVal + 2
)

func contextValueOperations(l *execution.Library) {
	l.Known["context.WithValue"] = l.Add(program.Operation{Name: "withvalue", Also: []int{1, 2}}, func(x *execution.Executor, p *exploration.Path) bool {
		if !x.Slice.Classes[relevance.ContextValues] {
			return x.OpReturn(p, p.Arg(0)[:2:2])
		}
		if exploration.Eq(p.Arg(1)[0], 0).Is(1) {
			x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.CallStatement(), Pos: p.Here(), Detail: "nil key"}, x.SomeError())
			return true
		}
		values, end := parentOf(x, p, p.Arg(0))
		return valueContext(x, p, values, end, append(p.Arg(1)[:2:2], p.Arg(2)[:2]...))
	})
	l.Known["context.WithoutCancel"] = l.Add(program.Operation{Name: "withoutcancel"}, func(x *execution.Executor, p *exploration.Path) bool {
		if !x.Slice.Classes[relevance.ContextValues] {
			return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryContext)), sym.Num(0)})
		}
		values, _ := parentOf(x, p, p.Arg(0))
		return valueContext(x, p, values, sym.Num(0), layout.Zeros(4))
	})
}

// valueContext returns a context with a value: keyed are the key and the value, two scalars each. One
// without, as WithoutCancel makes it, has a nil key, which nobody asks for.
func valueContext(x *execution.Executor, p *exploration.Path, up, end *sym.Expr, keyed []*sym.Expr) bool {
	f := p.Peek()
	if f.Call.Parent == nil {
		return x.OpReturn(p, nil)
	}
	r, ok := x.AllocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: "ctxvalue", Size: valueCells, Values: true}
	}, func(o *state.Object) {
		for i, n := range []string{"_end", "_up", "_key_type", "_key", "_type", "_val"} {
			c := x.Memory.Cells[o.Base+int32(i)]
			c.Name, c.Ref, c.Sync = o.Name+n, true, true
		}
	})
	if !ok {
		return false
	}
	r.Clear(p, nil)
	for i, e := range append([]*sym.Expr{end, up}, keyed...) {
		r.Put(p, int32(i), e)
	}
	return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryContext)), r.Address})
}

// ends is the address of the context that ends the one at an address: of an object with a value what its
// cell says, and else the context itself.
func ends(x *execution.Executor, p *exploration.Path, addr *sym.Expr) *sym.Expr {
	if !x.Slice.Classes[relevance.ContextValues] {
		return addr
	}
	addr = p.Simplify(addr)
	if _, _, isNew := exploration.NewObjectAt(addr); isNew {
		p.Settle()
	}
	a := p.Abs(addr)
	if addr.Op == sym.OpUnknown || a.Top || a.Interval {
		return addr
	}
	out := addr
	for _, k := range a.Elems {
		if o := x.Memory.Object(k); o != nil && o.Values {
			out = sym.Ite(exploration.Eq(addr, k), p.CellAt(o.Base+valueEnd), out)
		}
	}
	return p.Simplify(out)
}

// contextValue is the method Value: it goes from context to context, each the
// one that the one before is derived from.
func contextValue(x *execution.Executor, p *exploration.Path) bool {
	k, ok, tracked := x.Settled(p)
	if !tracked {
		return x.OpReturn(p, layout.Unknowns(2, "a value of a context that is not tracked"))
	}
	if !ok {
		return false
	}
	o := x.Memory.Object(k)
	// The operation is executed again, on the context from which this one is derived.
	on := func(q *exploration.Path, up *sym.Expr) { q.Set(q.Peek().Call, state.ArgKey(0), []*sym.Expr{up}) }
	switch {
	case o == nil:
		return x.OpReturn(p, layout.Zeros(2))
	case o.Context:
		on(p, p.CellAt(o.Behind(state.ContextUp)))
		return true
	case !o.Values:
		return x.OpReturn(p, layout.Unknowns(2, "a value of a context that is not tracked"))
	}
	pair := func(q *exploration.Path, at int32) []*sym.Expr {
		return []*sym.Expr{q.CellAt(o.Base + at), q.CellAt(o.Base + at + 1)}
	}
	// Keys are compared as interfaces are.
	x.Branch(p, x.Equal(p, layout.EmptyInterface, pair(p, valueKey), p.Arg(1)), p.Here(), "",
		func(q *exploration.Path) { x.OpReturn(q, pair(q, valueVal)) },
		func(q *exploration.Path) { on(q, q.CellAt(o.Base+valueUp)) })
	return false
}
