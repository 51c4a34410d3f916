package library

import (
	"go/types"
	"slices"

	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// sort.Sort and sort.Stable order what has the methods of sort.Interface: the model
// calls these, as the library does for few elements, by insertion. What Less returns
// decides where the model knows it; else it may be either.

// The arguments that a sort by methods adds to its own: how many elements there are,
// and what the method returned. sortedBy is the one whose methods are called.
const (
	sortedBy = iota
	sortedCount
	sortedResult
)

// A sort by methods asks for the length first. Then four phases belong to each pair of
// elements: one in front of the comparison, one in which it is made, one behind it, and one in which they are swapped.
// Where there are more than two elements the paths that the sort can have taken merge
// in front of each comparison: what they have done is in memory.
const (
	sortLen = 2 + iota
	sortFirst
)

const (
	pairAhead = iota
	pairBegun
	pairCompared
	pairSwapped
	pairPhases
)

// pairPhase is the phase of the comparison of element j with the one before, in the place of i.
func pairPhase(i, j int32, at int) int { return sortFirst + pairPhases*int(i*maxSorted+j) + at }

var methodSorts = []string{"sort.Sort", "sort.Stable"}

func methodSortOperations(l *execution.Library) {
	for _, name := range methodSorts {
		l.Known[name] = l.Add(program.Operation{Name: "sortmethods", Args: []int{0}, Methods: []string{"Len", "Less", "Swap"}, Takes: sortedResult}, sortByMethods)
	}
}

// sortByMethods executes a sort: the insertion of sorts.go, with the methods of the interface. Unlike there
// it is not known where the elements are: that only the methods know.
func sortByMethods(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	switch {
	case f.Phase == 1:
		g := p.Top()
		g.Target.Args = [][]*sym.Expr{g.Target.Args[0], layout.Zeros(1), layout.Zeros(1)}
		p.Set(g.Call, state.ArgKey(sortedCount), layout.Zeros(1))
		p.Set(g.Call, state.ArgKey(sortedResult), layout.Zeros(1))
		return callSorted(x, p, "Len", sortLen)
	case f.Phase == sortLen:
		n, ok, tracked := x.Concrete(p, p.Arg(sortedResult)[0])
		switch {
		case tracked && !ok:
			return false
		case !tracked:
			return unsorted(x, p, "how many elements there are is not tracked")
		case n > maxSorted:
			return unsorted(x, p, "it has too many elements")
		case n < 2:
			return x.OpReturn(p, nil)
		}
		p.Set(f.Call, state.ArgKey(sortedCount), []*sym.Expr{sym.Num(n)})
		p.Set(f.Call, state.ArgKey(sortedResult), layout.Zeros(1))
		p.Top().Phase = pairPhase(1, 1, pairAhead)
		return true
	}
	n := p.Simplify(p.Arg(sortedCount)[0])
	pair := int32(f.Phase-sortFirst) / pairPhases
	i, j := pair/maxSorted, pair%maxSorted
	switch (f.Phase - sortFirst) % pairPhases {
	case pairAhead:
		p.Set(f.Call, state.ArgKey(sortedResult), layout.Zeros(1))
		if j == 0 {
			i, j = i+1, i+1
		}
		if n.IsConst() && i >= n.K {
			return x.OpReturn(p, nil)
		}
		p.Top().Phase = pairPhase(i, j, pairBegun)
		if n.Is(2) {
			return true
		}
		x.Arrive(p, state.AtLocal, 0)
	case pairBegun:
		// Behind a location the number of elements may be one of several.
		if q := p.Fork(sym.Arith(sym.OpLe, n, sym.Num(i))); q != nil {
			x.OpReturn(q, nil)
			x.ContinueWith(q)
		}
		if p.Assume(sym.Arith(sym.OpLt, sym.Num(i), n)) {
			return callSorted(x, p, "Less", pairPhase(i, j, pairCompared), sym.Num(j), sym.Num(j-1))
		}
	case pairCompared:
		less := p.Arg(sortedResult)[0]
		p.Set(f.Call, state.ArgKey(sortedResult), layout.Zeros(1))
		x.Branch(p, less, p.Here(), "what Less returns is not tracked",
			func(q *exploration.Path) { q.Top().Phase = pairPhase(i, j, pairSwapped) },
			func(q *exploration.Path) { q.Top().Phase = pairPhase(i+1, i+1, pairAhead) })
	case pairSwapped: // of its own, since a call may take over the path, which goes on behind a branch
		return callSorted(x, p, "Swap", pairPhase(i, j-1, pairAhead), sym.Num(j), sym.Num(j-1))
	}
	return false
}

// callSorted calls a method of the interface that is the first argument of the
// operation on top of the stack, which goes on in a phase. It reports that the path
// goes on.
func callSorted(x *execution.Executor, p *exploration.Path, name string, phase int, args ...*sym.Expr) bool {
	f := p.Peek()
	iface, ok := f.Target.Fn.Signature.Params().At(0).Type().Underlying().(*types.Interface)
	if !ok {
		return unsorted(x, p, "what is sorted is not seen")
	}
	m := slices.IndexFunc(slices.Collect(iface.Methods()), func(m *types.Func) bool { return m.Name() == name })
	v := p.Arg(0)
	tag, ok, tracked := x.Concrete(p, v[0])
	if !ok && tracked {
		return false
	}
	t := x.Memory.TypeOf(tag)
	if !tracked || t == nil || m < 0 {
		return unsorted(x, p, "the value is not tracked")
	}
	fn, ok := x.Method(tag, t, iface.Method(m))
	if !ok || fn == nil {
		return unsorted(x, p, "the value is of a type whose methods are not in the model")
	}
	recv, ok := x.Unbox(p, v[1], t)
	if !ok {
		return false
	}
	tgt := state.Target{Fn: fn, Op: x.Program.Operation(fn), Args: [][]*sym.Expr{recv}}
	for _, a := range args {
		tgt.Args = append(tgt.Args, []*sym.Expr{a})
	}
	if x.Unforeseen(p, tgt) {
		return unsorted(x, p, "the call graph does not foresee its methods")
	}
	return x.EnterArg(p, sortedBy, tgt, func(q *exploration.Path) { q.Top().Phase = phase })
}
