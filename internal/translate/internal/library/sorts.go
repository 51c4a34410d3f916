package library

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Sorting is in the model, as far as it is known how many elements there are: by insertion, which orders
// equal elements as they were. What compares them is called as the library calls it, if not in the same
// order or as often. The library may order equal elements otherwise where it does not promise to be stable;
// that is not in the model.
//
// Insertion takes element i, for i from 1 on, and swaps it with the one before as long as it is less:
//
//	for i := 1; i < n; i++ {
//		for j := i; j > 0 && less(j, j-1); j-- { swap(j, j-1) }
//	}
//
// Where less is a function of the program the sort is an operation in phases, one pair for each i and j
// (sortPhase): in front of the call, and behind it. So each place of the loop above is a point at which
// paths merge, and of which a location can be made.

// maxSorted is the most elements of a slice that is sorted.
const maxSorted = 8

// The arguments that a sort adds to its own: where the elements lie and how many
// there are, and what the function returned.
const (
	sortFunc   = 1
	sortPlace  = 2
	sortResult = 3
)

// sortPhases is from where on a phase says which two elements are compared, the
// second of them being placed.
const sortPhases = 2

// sorter says how a function of the library sorts.
type sorter struct {
	by       bool // it is given a function
	index    bool // which is given the indices of two elements, not these
	reverses bool // it reverses the order instead
}

var sorters = map[string]sorter{
	"sort.Slice":            {by: true, index: true},
	"sort.SliceStable":      {by: true, index: true},
	"slices.SortFunc":       {by: true},
	"slices.SortStableFunc": {by: true},
	"slices.Sort":           {},
	"sort.Ints":             {},
	"sort.Strings":          {},
	"slices.Reverse":        {reverses: true},
}

func sortOperations(l *execution.Library) {
	for name, s := range sorters {
		in := l.Add(program.Operation{Name: program.SortOperation, Args: []int{0}}, func(x *execution.Executor, p *exploration.Path) bool { return sortElements(x, p, s) })
		if s.by {
			in.Args, in.Calls, in.Takes = []int{0, 1}, sortFunc, sortResult
		}
		l.Known[name] = in
	}
}

// sortElements executes a sort, or one comparison of it: it is called again behind each. s.index says
// whether the function takes the numbers of two elements or the elements; in the latter case it says by a
// number how they compare, as cmp.Compare does.
func sortElements(x *execution.Executor, p *exploration.Path, s sorter) bool {
	f := p.Peek()
	call, ok := f.Call.Site.(*ssa.Call)
	var elem types.Type
	if ok {
		elem = x.Program.Sorted(call)
	}
	if elem == nil {
		return unsorted(x, p, "what is sorted is not seen")
	}
	w := int32(x.Width(elem))
	if f.Phase == 1 {
		return beginSort(x, p, s, elem, w)
	}
	place := p.Arg(sortPlace)
	base, n := place[0].K, place[1].K
	// The phase says which elements are compared, and which side of the call this is.
	k := int32(f.Phase-sortPhases) / 2
	i, j := k/maxSorted, k%maxSorted
	if (f.Phase-sortPhases)%2 == 1 { // the function has returned
		less := p.Arg(sortResult)[0]
		if !s.index {
			less = sym.Arith(sym.OpLt, less, sym.Num(0))
		}
		// What the function has returned is not needed any more: paths that differ in it can merge.
		p.Set(f.Call, state.ArgKey(sortResult), layout.Zeros(1))
		x.Branch(p, less, p.Here(), "", func(q *exploration.Path) {
			swap(q, base+(j-1)*w, base+j*w, w)
			q.Top().Phase = sortPhase(i, j-1)
		}, func(q *exploration.Path) { q.Top().Phase = sortPhase(i+1, i+1) })
		return false
	}
	// Element i is in place when it has come to the front.
	if j == 0 {
		i, j = i+1, i+1
	}
	if i >= n {
		return x.OpReturn(p, nil)
	}
	tgt, ok, tracked := x.FunctionOf(p, p.Arg(sortFunc)[0], f.Call.Site)
	switch {
	case !tracked:
		return unsorted(x, p, "the function that compares is not tracked")
	case !ok:
		return false
	case s.index:
		tgt.Args = [][]*sym.Expr{{sym.Num(j)}, {sym.Num(j - 1)}}
	default:
		a, saturatedA := p.Cells(base+j*w, int(w))
		b, saturatedB := p.Cells(base+(j-1)*w, int(w))
		x.Decide(p, slices.Concat(a, b), slices.Concat(saturatedA, saturatedB), func(q *exploration.Path, v []*sym.Expr) {
			tgt := tgt
			tgt.Args = [][]*sym.Expr{v[:w], v[w:]}
			if compareElements(x, q, tgt, i, j) {
				x.ContinueWith(q)
			}
		})
		return false
	}
	return compareElements(x, p, tgt, i, j)
}

// compareElements calls the function that says in which order two elements are, of which the
// second one is being placed.
func compareElements(x *execution.Executor, p *exploration.Path, tgt state.Target, i, j int32) bool {
	return x.EnterArg(p, sortFunc, tgt, func(q *exploration.Path) { q.Top().Phase = sortPhase(i, j) + 1 })
}

// sortPhase is the phase in which element j is compared with the one before, in the place of i; one more is
// that behind the call.
func sortPhase(i, j int32) int { return sortPhases + 2*int(i*maxSorted+j) }

// beginSort finds the elements, whose place and number have to be known. Those that are compared by their
// values are sorted at once.
func beginSort(x *execution.Executor, p *exploration.Path, s sorter, elem types.Type, w int32) bool {
	p.Settle()
	v := p.Arg(0)
	if s.index {
		// sort.Slice has an interface: the slice is of three scalars, in a box.
		tag, ok, tracked := x.Concrete(p, v[0])
		if !ok && tracked {
			return false
		}
		t := x.Memory.TypeOf(tag)
		if !tracked || t == nil || x.Width(t) != 3 {
			return unsorted(x, p, "the slice is not tracked")
		}
		if v, ok = x.Unbox(p, v[1], t); !ok {
			return false
		}
	}
	if len(v) != 3 {
		return unsorted(x, p, "the slice is not tracked")
	}
	base, ok, tracked := x.Shape(p, v, w)
	if !ok && tracked {
		return false
	}
	var n int32
	if tracked {
		n, ok, tracked = x.Concrete(p, v[1])
		if !ok && tracked {
			return false
		}
	}
	switch {
	case !tracked:
		return unsorted(x, p, "the slice is not tracked")
	case n < 2:
		return x.OpReturn(p, nil)
	case n > maxSorted && !s.reverses:
		return unsorted(x, p, "it has too many elements")
	}
	x.Accessed(p, base, int(n*w), p.CallStatement(), true)
	if s.reverses {
		for i, j := int32(0), n-1; i < j; i, j = i+1, j-1 {
			swap(p, base+i*w, base+j*w, w)
		}
		return x.OpReturn(p, nil)
	}
	if !s.by {
		return sortValues(x, p, elem, base, n, w)
	}
	// What the phases need is in arguments: only these are live in the frame of an operation.
	g := p.Top()
	place := []*sym.Expr{sym.Num(base), sym.Num(n)}
	g.Target.Args = [][]*sym.Expr{g.Target.Args[0], g.Target.Args[1], place, layout.Zeros(1)}
	p.Set(g.Call, state.ArgKey(sortPlace), place)
	p.Set(g.Call, state.ArgKey(sortResult), layout.Zeros(1))
	g.Phase = sortPhase(1, 1)
	return true
}

// sortValues sorts integers or texts: without a function of the program there is nothing to stop at, and
// each comparison is a choice between the two orders. So the path does not fork.
func sortValues(x *execution.Executor, p *exploration.Path, elem types.Type, base, n, w int32) bool {
	if w != 1 || !program.IsInteger(elem) && !program.IsString(elem) {
		return unsorted(x, p, "elements of this type are not tracked")
	}
	v, saturated := p.Cells(base, int(n))
	x.DecideAll(p, v, saturated, func(q *exploration.Path, v []*sym.Expr) {
		// All comparisons are made, whether or not the element is in place already: which are needed
		// depends on the state.
		for i := 1; i < len(v); i++ {
			for j := i; j > 0; j-- {
				a, b := v[j-1], v[j]
				less := sym.Arith(sym.OpLt, b, a)
				if program.IsString(elem) {
					less = x.TextOp(q, token.LSS, b, a)
				}
				v[j-1], v[j] = sym.Ite(less, b, a), sym.Ite(less, a, b)
			}
		}
		for i, e := range v {
			q.Put(base+int32(i), e)
		}
		x.OpReturn(q, nil)
		x.ContinueWith(q)
	})
	return false
}

// unsorted goes on with the elements in the order in which they were, which is noted: what depends on
// another order is not in the model.
func unsorted(x *execution.Executor, p *exploration.Path, reason string) bool {
	p.Note("sort", artifact.DirectionUnder, "the order after sorting is not in the model: "+reason)
	return x.OpReturn(p, nil)
}

// swap exchanges two values of n cells.
func swap(p *exploration.Path, a, b, n int32) {
	for i := range n {
		x, y := p.Copied(a+i), p.Copied(b+i)
		p.Put(a+i, y)
		p.Put(b+i, x)
	}
}
