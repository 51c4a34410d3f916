package execution

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/growth"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Slices are three scalars: the address of the first element, the length and the capacity. Since elements
// lie side by side, slicing is arithmetic. The nil slice is 0, 0, 0; other slices have an address that is
// not 0, also those without elements (noElements).
//
// An array is an object with Elems elements of Stride scalars and a cell more (state.Backing), so that the
// address behind its last element is still one of it. Unless the program limits capacities, as in s[i:j:k],
// the capacity of a slice follows from its address: it is what is left of the array. That is used wherever
// the address is known, so that the capacity, which is a scalar like the others, need not be.

// Shape finds the address of a slice, and with it its capacity, which is what is left of the array, and the
// range of its length. ok is false if it has taken over the path, or the path cannot be; tracked is false
// if the address is not known. w are the scalars of an element.
//
// What is known of the three scalars is kept apart, so that of two slices, as after
//
//	s := a[:1]
//	if c { s = b[:3] }
//
// each address may come with each length and capacity. With the address known those that do not fit are
// excluded: what follows neither sees an index of b out of the bounds of a, nor does it panic where no run
// does.
func (x *Executor) Shape(p *exploration.Path, e []*sym.Expr, w int32) (ptr int32, ok, tracked bool) {
	ptr, ok, tracked = x.Concrete(p, e[0])
	if !ok || !tracked {
		return ptr, ok, tracked
	}
	left, known := x.room(ptr, w)
	// Of a part of another array, or where capacities are limited, the address does not say the capacity.
	if !known || ptr != 0 && x.Slice.LimitsCapacity {
		return ptr, true, true
	}
	// The length is at most what is left of the array, the capacity just that.
	for i, k := range []int32{0, left} {
		v := p.Simplify(e[i+1])
		a := p.Abs(v)
		if a.Top {
			continue
		}
		fits := a.Clamp(0, int64(left))
		if i == 1 {
			fits = a.Clamp(int64(k), int64(k))
		}
		// The address is that of another slice than the rest is of: there is no such run.
		if fits.Empty() {
			return ptr, false, true
		}
		if k, ok := fits.Single(); ok {
			p.Know(v, sym.Single(k))
		}
		if v.Op == sym.OpVar || v.Op == sym.OpCell {
			p.Learn(v, fits)
		}
	}
	return ptr, true, true
}

// room counts the elements of w scalars that an array has from an address on. known
// is false where it is not one of an array of such elements: that of an array in
// an array is one of the outer one.
func (x *Executor) room(ptr, w int32) (n int32, known bool) {
	if ptr == 0 {
		return 0, true
	}
	o := x.Memory.Object(ptr)
	if o == nil || o.Stride == 0 || o.Stride != w {
		return 0, false
	}
	return o.Elems - (ptr-o.Base)/w, true
}

// inBounds continues with the panic where an index is out of bounds; false if it has taken over the path.
// Lengths that are not tracked are not checked: each index would be an alarm. Where the panic would be
// recovered from it is recorded as missing (checked).
func (x *Executor) inBounds(p *exploration.Path, i, n *sym.Expr, instr ssa.Instruction) bool {
	if i.Op == sym.OpUnknown || n.Op == sym.OpUnknown {
		return true
	}
	return x.check(p, sym.Or(sym.Arith(sym.OpLt, i, sym.Num(0)), sym.Arith(sym.OpLe, n, i)), "index out of range", instr)
}

// check continues with a panic where bad holds; false if it has taken over the path, which is then executed
// again without the panic. An unknown condition is taken not to hold.
func (x *Executor) check(p *exploration.Path, bad *sym.Expr, detail string, instr ssa.Instruction) bool {
	return x.CheckWith(p, bad, detail, instr, x.SomeError)
}

// CheckWith does the same for a panic with a value of its own.
func (x *Executor) CheckWith(p *exploration.Path, bad *sym.Expr, detail string, instr ssa.Instruction, val func() []*sym.Expr) bool {
	if bad = p.Simplify(bad); bad.Op == sym.OpUnknown || bad.Is(0) {
		return true
	}
	if !p.Abs(bad).Can(true) {
		return true
	}
	raise := func(q *exploration.Path) {
		x.Raise(q, &state.Unwind{Kind: artifact.KindPanic, Site: q.Statement(instr), Pos: q.Here(), Detail: detail}, val())
	}
	if bad.IsConst() {
		raise(p)
		x.ContinueWith(p)
		return false
	}
	if bad.HandedOver() {
		x.Arrive(p, state.AtLocal, 0)
		return false
	}
	if q := p.Fork(bad); q != nil {
		raise(q)
		x.ContinueWith(q)
	}
	if p.Assume(sym.Not(bad)) {
		p.Know(bad, sym.Single(0))
		x.ContinueWith(p)
	}
	return false
}

// sliceBounds continues with the panic where the bounds of a slice expression are wrong: they have to be 0
// <= lo <= hi <= limit <= capacity (Go specification, Slice expressions). It reports false if it has taken
// over the path. If one of the first three is not known nothing is checked, and if the capacity is not all
// but that.
func (x *Executor) sliceBounds(p *exploration.Path, lo, hi, limit, capacity *sym.Expr, instr ssa.Instruction) bool {
	for _, e := range []*sym.Expr{lo, hi, limit} {
		if e.Op == sym.OpUnknown || p.Abs(e).Top {
			return true
		}
	}
	if capacity.Op == sym.OpUnknown || p.Abs(capacity).Top {
		capacity = limit
	}
	return x.check(p, sym.Or(sym.Arith(sym.OpLt, lo, sym.Num(0)), sym.Or(sym.Arith(sym.OpLt, hi, lo), sym.Or(sym.Arith(sym.OpLt, limit, hi), sym.Arith(sym.OpLt, capacity, limit)))), "slice bounds out of range", instr)
}

// element computes base + i*size for an index; an index that is not tracked is a free choice among the
// elements, of at most 16. The choice is kept for this very expression, so that the same index means the
// same element in what the path does next.
func (x *Executor) element(p *exploration.Path, base, i, n *sym.Expr, size int, instr ssa.Instruction) (*sym.Expr, bool) {
	// That an index of which nothing is known is out of bounds is not tried: it would be an alarm at each.
	if i.Op == sym.OpUnknown {
		k, ok, tracked := x.Concrete(p, n)
		if !tracked || k > 16 {
			return sym.Unknown("index not tracked"), true
		}
		if !ok {
			return nil, false
		}
		c, chosen := p.ChosenFor(i)
		if !chosen {
			var alts []func(*exploration.Path)
			for j := range k {
				alts = append(alts, func(q *exploration.Path) { q.ChooseFor(i, j) })
			}
			p.Choose("the index is not tracked", alts...)
			return nil, false
		}
		i = sym.Num(c)
	} else if !x.inBounds(p, i, n, instr) {
		return nil, false
	}
	at := sym.Arith(sym.OpAdd, base, sym.Arith(sym.OpMul, i, sym.Num(int32(size))))
	// Where it is known which arrays these are, so are the addresses of their elements: there are no
	// others, though the sets of the operands multiply.
	if a, known := x.elementsAt(p.Abs(base), p.Abs(i), int32(size)); known {
		if a.Empty() {
			return nil, false // it has no elements: there is no such path
		}
		if at = p.Simplify(at); !at.IsConst() && !p.Abs(at).Within(a) {
			p.Know(at, a)
		}
	}
	return at, true
}

// elementsAt are the addresses of the elements with the given numbers of arrays at
// the given addresses. An array has no others, whatever the length of a slice can be
// taken for. known is false where the arrays are not.
func (x *Executor) elementsAt(base, i sym.Set, w int32) (a sym.Set, known bool) {
	if base.Top || base.Interval || i.Top || len(base.Elems) > sym.MaxRefSet {
		return a, false
	}
	lo, hi := i.Bounds()
	for _, k := range base.Elems {
		if k == 0 {
			continue // a slice that is nil has no elements
		}
		left, known := x.room(k, w)
		if !known {
			return a, false
		}
		for n := max(lo, 0); n <= min(hi, left-1); n++ {
			if i.Has(n) {
				a.Elems = append(a.Elems, k+n*w)
			}
		}
	}
	if len(a.Elems) > sym.MaxRefSet {
		return a, false
	}
	slices.Sort(a.Elems)
	a.Elems = slices.Compact(a.Elems)
	return a, true
}

// execIndexAddr computes the address of an element of a slice, or of an array behind a pointer.
func (x *Executor) execIndexAddr(p *exploration.Path, i *ssa.IndexAddr) bool {
	ctx := p.Peek().Call
	base, n := p.Value(ctx, i.X), sym.Num(0)
	var size int
	switch t := i.X.Type().Underlying().(type) {
	case *types.Slice:
		size = x.Width(t.Elem())
		if x.differ(p.Abs(base[0])) {
			// An index that one of the arrays has another may not have: with the array known so is its
			// length.
			k, ok, tracked := x.Shape(p, base, int32(size))
			if !ok && tracked {
				return false
			}
			if tracked {
				base = append([]*sym.Expr{sym.Num(k)}, base[1:]...)
			}
		}
		n = base[1]
	case *types.Pointer:
		if !x.notNil(p, base[0], i) {
			return false
		}
		at := t.Elem().Underlying().(*types.Array)
		// The array is too large to be kept, and is one scalar.
		if int64(x.Width(at)) != int64(x.Width(at.Elem()))*at.Len() {
			p.Set(ctx, i, []*sym.Expr{sym.Unkept(fmt.Sprintf("an array of more than %d cells", layout.MaxArray))})
			return p.Advance()
		}
		size = x.Width(at.Elem())
		n = sym.Num(int32(at.Len()))
	}
	e, ok := x.element(p, base[0], p.Simplify(p.Value(ctx, i.Index)[0]), p.Simplify(n), size, i)
	if !ok {
		return false
	}
	p.Set(ctx, i, []*sym.Expr{e})
	return p.Advance()
}

// differ reports that there are arrays of different lengths at some addresses.
func (x *Executor) differ(a sym.Set) bool {
	if a.Top || a.Interval || len(a.Elems) < 2 || len(a.Elems) > 16 {
		return false
	}
	elems := int32(-1)
	for _, k := range a.Elems {
		o := x.Memory.Object(k)
		if o == nil || o.Stride == 0 {
			continue
		}
		if elems >= 0 && o.Elems != elems {
			return true
		}
		elems = o.Elems
	}
	return false
}

// execIndex takes an element of an array that is a value, as one that a function returns, or a byte of a
// string. The array has no address, so that there is nothing to compute with: the index has to be known.
func (x *Executor) execIndex(p *exploration.Path, i *ssa.Index) bool {
	ctx := p.Peek().Call
	n := x.Width(i.Type())
	at, ok := i.X.Type().Underlying().(*types.Array)
	if !ok {
		p.Set(ctx, i, layout.Unknowns(n, "a byte of a string"))
		return p.Advance()
	}
	e := p.Value(ctx, i.X)
	k, ok, tracked := x.Concrete(p, p.Value(ctx, i.Index)[0])
	switch {
	case !tracked || int64(len(e)) != at.Len()*int64(n):
		p.Set(ctx, i, layout.Unknowns(n, "index not tracked"))
		return p.Advance()
	case !ok:
		return false
	case k < 0 || int64(k) >= at.Len():
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.Statement(i), Pos: p.Here(), Detail: "index out of range"}, x.SomeError())
		return true
	}
	p.Set(ctx, i, append([]*sym.Expr(nil), e[int(k)*n:int(k)*n+n]...))
	return p.Advance()
}

// execSlice executes a slice expression, of a string, a slice or an array behind a pointer. What is in a
// part of a string is not known.
func (x *Executor) execSlice(p *exploration.Path, i *ssa.Slice) bool {
	ctx := p.Peek().Call
	if program.IsString(i.X.Type()) {
		p.Set(ctx, i, layout.Unknowns(1, "part of a string"))
		return p.Advance()
	}
	e := p.Value(ctx, i.X)
	var ptr, length, capacity *sym.Expr
	var elem types.Type
	switch t := i.X.Type().Underlying().(type) {
	case *types.Slice:
		ptr, length, capacity, elem = e[0], e[1], e[2], t.Elem()
	case *types.Pointer:
		if !x.notNil(p, e[0], i) {
			return false
		}
		at := t.Elem().Underlying().(*types.Array)
		ptr, length, capacity, elem = e[0], sym.Num(int32(at.Len())), sym.Num(int32(at.Len())), at.Elem()
		if int64(x.Width(at)) != int64(x.Width(at.Elem()))*at.Len() {
			ptr = sym.Unkept("a large array")
		}
	default:
		p.Set(ctx, i, layout.Unknowns(x.Width(i.Type()), "a slice of this type"))
		return p.Advance()
	}
	// Of an array the bounds are constants. A slice that is not tracked goes on with what is known of its
	// scalars.
	if _, isSlice := i.X.Type().Underlying().(*types.Slice); isSlice {
		if k, ok, tracked := x.Shape(p, e, int32(x.Width(elem))); tracked {
			if !ok {
				return false
			}
			ptr, length, capacity = sym.Num(k), p.Simplify(length), p.Simplify(capacity)
			if left, known := x.room(k, int32(x.Width(elem))); known && !x.Slice.LimitsCapacity {
				capacity = sym.Num(left)
			}
		}
	}
	lo, hi := sym.Num(0), length
	if i.Low != nil {
		lo = p.Value(ctx, i.Low)[0]
	}
	if i.High != nil {
		hi = p.Value(ctx, i.High)[0]
	}
	limit := capacity
	if i.Max != nil {
		limit = p.Value(ctx, i.Max)[0]
	}
	if !x.sliceBounds(p, p.Simplify(lo), p.Simplify(hi), p.Simplify(limit), p.Simplify(capacity), i) {
		return false
	}
	// The new address, length and capacity.
	w := int32(x.Width(elem))
	out := []*sym.Expr{
		p.Simplify(sym.Arith(sym.OpAdd, ptr, sym.Arith(sym.OpMul, lo, sym.Num(w)))),
		p.Simplify(sym.Arith(sym.OpSub, hi, lo)),
		p.Simplify(sym.Arith(sym.OpSub, limit, lo)),
	}
	// The bounds hold: it lies in the array, and is not shorter than nothing. One
	// without room lies in none: behind the last element is another object.
	if ptr.IsConst() && ptr.K != 0 && !x.Slice.LimitsCapacity {
		if left, known := x.room(ptr.K, w); known {
			none := x.noElements(w)
			out[0] = p.Simplify(sym.Ite(exploration.Eq(lo, left), sym.Num(none), out[0]))
			p.KeepAmong(out[0], func(k int32) bool { return k == none || ptr.K <= k && k < ptr.K+left*w })
		}
	}
	atLeast := func(k int32) bool { return k >= 0 }
	p.KeepAmong(out[1], atLeast)
	p.KeepAmong(out[2], atLeast)
	p.Set(ctx, i, out)
	return p.Advance()
}

// noElements stands for the arrays of slices that have no room. They are not nil.
func (x *Executor) noElements(w int32) int32 {
	return x.Memory.KeyedObject(fmt.Sprintf("no elements of %d", w), func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: "no_elements", Size: 1, Backing: state.Backing{Stride: w}}
	}).Base
}

// execMakeSlice allocates the array of a make. Arrays of different sizes are different objects, so that the
// capacity has to be known, and the length need not. Of a large one only length and capacity are kept.
func (x *Executor) execMakeSlice(p *exploration.Path, i *ssa.MakeSlice) bool {
	ctx := p.Peek().Call
	elem := i.Type().Underlying().(*types.Slice).Elem()
	w := x.Width(elem)
	capExpr := p.Simplify(p.Value(ctx, i.Cap)[0])
	k, ok, tracked := x.Concrete(p, capExpr)
	if !tracked || int(k)*w > layout.MaxArray {
		p.Set(ctx, i, []*sym.Expr{sym.Unkept("a slice of unknown or large capacity"), p.Value(ctx, i.Len)[0], capExpr})
		return p.Advance()
	}
	if !ok {
		return false
	}
	n := p.Simplify(p.Value(ctx, i.Len)[0])
	if !x.check(p, sym.Or(sym.Arith(sym.OpLt, n, sym.Num(0)), sym.Arith(sym.OpLt, sym.Num(k), n)), "makeslice: len out of range", i) {
		return false
	}
	r, ok := x.allocateArray(p, i, "_slice", elem, max(k, 0))
	if !ok {
		return false
	}
	r.Clear(p, nil)
	p.Set(ctx, i, []*sym.Expr{r.Address, p.Value(ctx, i.Len)[0], sym.Num(k)})
	return p.Advance()
}

// appendTo executes the builtin append: in place while there is room, else into a new array (Go
// specification, Appending to and copying slices). Which of the two it is decides who sees what is written,
//
//	a := append(s, 1)
//	b := append(s, 2) // a[len(s)] is 2 if s had room, else 1
//
// so that room and length are asked for. Whatever has to be known forks the path, and each fork executes
// the append from its beginning.
func (x *Executor) appendTo(p *exploration.Path, call *ssa.Call) bool {
	ctx := p.Peek().Call
	st, ok := call.Type().Underlying().(*types.Slice)
	if !ok {
		p.Set(ctx, call, layout.Unknowns(x.ValueWidth(call), "append"))
		return p.Advance()
	}
	a := appending{x: x, p: p, call: call, w: int32(x.Width(st.Elem()))}
	a.dst = p.Value(ctx, call.Call.Args[0])
	a.src = p.Value(ctx, call.Call.Args[1])
	if !a.readElements() || !a.findRoom() {
		return a.advanced
	}
	full := p.Simplify(sym.Arith(sym.OpLt, sym.Num(a.capacity), sym.Arith(sym.OpAdd, a.length, sym.Num(a.n))))
	switch {
	case !full.IsConst():
		a.fork(full)
		return false
	case full.Is(1):
		return a.outOfPlace()
	}
	return a.inPlace()
}

// appending is a call of the builtin append on a path, with what is known of its slices so far. Its steps
// report whether the next one is to come; if not, advanced is what appendTo returns.
type appending struct {
	x        *Executor
	p        *exploration.Path
	call     *ssa.Call
	w        int32       // the scalars of an element
	dst, src []*sym.Expr // the slice that is appended to, and the one that is appended
	n        int32       // the elements that are appended
	added    []*sym.Expr // their scalars

	ptr, capacity int32     // of dst
	length        *sym.Expr // of dst
	advanced      bool      // the path goes on behind the call, though not all is known
}

// fail has the path go on with a slice of which nothing is known. It returns false,
// for the step of the append that has failed.
func (a *appending) fail(why string) bool {
	p := a.p
	if at := p.Simplify(a.dst[0]); at.Op != sym.OpUnknown && !at.Is(0) {
		// There may be room in an array whose elements are known.
		p.Note("append", artifact.DirectionUnder, why+": the elements written are not in the model")
	}
	p.Set(p.Peek().Call, a.call, []*sym.Expr{sym.Unknown(why), sym.Unknown(why), sym.Unknown(why)})
	a.advanced = p.Advance()
	return false
}

// readElements reads the elements that are appended. It reports whether the append can go on. How many
// there are has to be known: in append(s, v, w), which the SSA form makes append(s, t...) of an array t, it
// is.
func (a *appending) readElements() bool {
	x, p := a.x, a.p
	// append(b, "text"...)
	if len(a.src) != 3 {
		return a.fail("append of a string")
	}
	n, ok, tracked := x.Concrete(p, a.src[1])
	if !tracked {
		return a.fail("a slice of a length that is not tracked is appended")
	}
	if !ok {
		return false
	}
	a.n = n
	// The array was made in this segment, and its cells are not in memory yet.
	if o, off, cells := p.NewObject(a.src[0]); cells != nil {
		for k := range n * a.w {
			a.added = append(a.added, p.NewCell(o, off+k))
		}
		return true
	}
	from, ok, tracked := x.Shape(p, a.src, a.w)
	if !tracked {
		return a.fail("a slice that is not tracked is appended")
	}
	if !ok {
		return false
	}
	x.Accessed(p, from, int(n)*int(a.w), p.Statement(a.call), false)
	for k := range n * a.w {
		a.added = append(a.added, p.Copied(from+k))
	}
	return true
}

// findRoom finds the array that is appended to, its capacity, and its length as far
// as it is tracked. It reports whether the append can go on.
func (a *appending) findRoom() bool {
	x, p := a.x, a.p
	// The array may be one that was made in this segment: then its cells are written to memory.
	if _, _, isNew := exploration.NewObjectAt(a.dst[0]); isNew {
		p.Settle()
	}
	var ok, tracked bool
	a.ptr, ok, tracked = x.Shape(p, a.dst, a.w)
	if !tracked {
		return a.fail("a slice that is not tracked is appended to")
	}
	if !ok {
		return false
	}
	a.capacity, ok, tracked = x.Concrete(p, a.dst[2])
	if !tracked {
		return a.fail("a slice of a capacity that is not tracked is appended to")
	}
	if !ok {
		return false
	}
	a.length = p.Simplify(a.dst[1])
	if a.length.Op == sym.OpUnknown || p.Abs(a.length).Top {
		return a.fail("a slice of a length that is not tracked is appended to")
	}
	if a.length.HandedOver() {
		x.Arrive(p, state.AtLocal, 0)
		return false
	}
	return true
}

// fork executes the append again once with too little room, where that can be, and once with enough. full
// says which. What is known then makes full a constant, so that this happens once.
func (a *appending) fork(full *sym.Expr) {
	p := a.p
	p.MarkFork()
	if q := p.Fork(full); q != nil {
		q.Know(full, sym.Single(1))
		a.x.ContinueWith(q)
	}
	if p.Assume(sym.Not(full)) {
		p.Know(full, sym.Single(0))
		a.x.ContinueWith(p)
	}
}

// outOfPlace appends where there is too little room, which takes a length that is
// known. It returns what appendTo does.
func (a *appending) outOfPlace() bool {
	length, ok, tracked := a.x.Concrete(a.p, a.length)
	if !tracked {
		a.fail("a slice of a length that is not tracked is appended to")
		return a.advanced
	}
	if !ok {
		return false
	}
	return a.x.appendNew(a.p, a.call, a.ptr, length, a.capacity, length+a.n, a.added)
}

// inPlace appends where there is room. Each cell that can be one of the new elements gets it if the length
// says so, and else keeps what it has.
func (a *appending) inPlace() bool {
	p := a.p
	// The length need not be known: the elements go where it says.
	lo, hi := p.Abs(a.length).Bounds()
	lo, hi = max(0, lo), min(hi, a.capacity-a.n)
	if a.n > 0 {
		a.x.Accessed(p, a.ptr+lo*a.w, int(hi-lo+a.n)*int(a.w), p.Statement(a.call), true)
	}
	for at := lo; at <= hi; at++ {
		for k, e := range a.added {
			to := a.ptr + at*a.w + int32(k)
			p.Put(to, sym.Ite(exploration.Eq(a.length, at), e, p.RawCell(to)))
		}
	}
	// Only the length is another one: the result and dst share the array.
	p.Set(p.Peek().Call, a.call, []*sym.Expr{sym.Num(a.ptr), sym.Arith(sym.OpAdd, a.length, sym.Num(a.n)), sym.Num(a.capacity)})
	return p.Advance()
}

// seesCapacity reports that what the program does may depend on the capacities of slices with
// such elements.
func (x *Executor) seesCapacity(elem types.Type) bool {
	if x.capacities == nil {
		x.capacities = growth.Observed(x.Program)
	}
	return x.capacities[program.TypeKey(elem)]
}

// appendNew appends to a copy of a slice that has no room, which has n elements then. How large the new
// array is the language does not say; it is what the runtime makes it (package growth), where somebody may
// notice.
//
// There is no bound in front of the first guard: what the program sets up there is executed once, with
// numbers that are known, and is as large as it is.
func (x *Executor) appendNew(p *exploration.Path, call *ssa.Call, ptr, length, capacity, n int32, added []*sym.Expr) bool {
	elem := call.Type().Underlying().(*types.Slice).Elem()
	most, at := x.BoundOf(approximation.BoundElements, p.Here())
	room := int32(most)
	if n > room {
		if p.From != nil {
			p.BoundAt(at, p.Here(), fmt.Sprintf("a slice of more than %d elements", most))
			return false
		}
		room = n
	}
	if !x.seesCapacity(elem) { // nobody sees what is left out
		return x.appendInto(p, call, elem, ptr, length, n, min(growth.OnHeap(x.Program.Sizes(), elem, n, capacity), room), added)
	}
	sizes := growth.Capacities(x.Program.Sizes(), call, elem, n, length, capacity)
	if len(sizes) == 1 {
		return x.appendInto(p, call, elem, ptr, length, n, sizes[0], added)
	}
	p.Note("append", artifact.DirectionOver, "how much room is left behind the elements depends on the compiler")
	p.Branched = true
	p.MarkFork()
	for _, k := range sizes {
		q := p.Clone()
		q.Picks++
		if x.appendInto(q, call, elem, ptr, length, n, k, added) {
			x.ContinueWith(q)
		}
	}
	return false
}

// appendInto appends to a copy of a slice, in an array with some capacity. The elements are read before the
// array is allocated, and those behind them are zero.
func (x *Executor) appendInto(p *exploration.Path, call *ssa.Call, elem types.Type, ptr, length, n, newCap int32, added []*sym.Expr) bool {
	w := int32(x.Width(elem))
	// What is copied is read, though the program only names the slice.
	x.Accessed(p, ptr, int(length*w), p.Statement(call), false)
	all := make([]*sym.Expr, length*w)
	for k := range all {
		all[k] = p.Copied(ptr + int32(k))
	}
	all = append(all, added...)
	r, ok := x.allocateArray(p, call, "_append", elem, newCap)
	if !ok {
		return false
	}
	r.Clear(p, func(off int32) bool { return int(off) < len(all) })
	for k, e := range all {
		r.Put(p, int32(k), e)
	}
	p.Set(p.Peek().Call, call, []*sym.Expr{r.Address, sym.Num(n), sym.Num(newCap)})
	return p.Advance()
}

// execTypeAssert executes x.(T): with the number of the dynamic type known, it is decided by types (Go
// specification, Type assertions). For an error of the library any assertion to another type than error may
// hold or not, and what it gives is unknown.
func (x *Executor) execTypeAssert(p *exploration.Path, i *ssa.TypeAssert) bool {
	ctx := p.Peek().Call
	e := p.Value(ctx, i.X)
	n := x.Width(i.AssertedType)
	// finish completes a path on which it is known whether the assertion holds.
	finish := func(q *exploration.Path, ok bool, val []*sym.Expr) {
		if i.CommaOk {
			q.Set(ctx, i, append(append([]*sym.Expr(nil), val...), sym.Bool(ok)))
			q.Advance()
			return
		}
		if !ok {
			x.Raise(q, &state.Unwind{Kind: artifact.KindPanic, Site: q.Statement(i), Pos: q.Here(), Detail: "interface conversion"}, x.SomeError())
			return
		}
		q.Set(ctx, i, val)
		q.Advance()
	}
	tag, ok, tracked := x.Concrete(p, e[0])
	if !tracked {
		p.Choose("the dynamic type of the interface is not tracked",
			func(q *exploration.Path) {
				finish(q, true, layout.Unknowns(n, "from an interface that is not tracked"))
			},
			func(q *exploration.Path) { finish(q, false, layout.Zeros(n)) })
		return false
	}
	if !ok {
		return false
	}
	t := x.Memory.TypeOf(tag)
	iface, toIface := i.AssertedType.Underlying().(*types.Interface)
	switch {
	// It is nil, or its number is that of no type.
	case t == nil:
		finish(p, false, layout.Zeros(n))
	case t == layout.OpaqueError:
		if toIface && program.IsError(i.AssertedType) {
			finish(p, true, append([]*sym.Expr(nil), e...))
			return true
		}
		p.Choose("the dynamic type of a library's error is not known",
			func(q *exploration.Path) { finish(q, true, layout.Unknowns(n, "a library's error")) },
			func(q *exploration.Path) { finish(q, false, layout.Zeros(n)) })
		return false
	// The result is the same interface value: its type does not change by being seen through another
	// interface.
	case toIface:
		if x.implements(t, iface) {
			finish(p, true, append([]*sym.Expr(nil), e...))
		} else {
			finish(p, false, layout.Zeros(n))
		}
	// A box of another type ends the path in Unbox: type and value do not belong together.
	case types.Identical(t, i.AssertedType):
		val, ok := x.Unbox(p, e[1], t)
		if !ok {
			return false
		}
		finish(p, true, val)
	default:
		finish(p, false, layout.Zeros(n))
	}
	return true
}

// implements reports that values of a dynamic type of interfaces have the methods of
// an interface. What stands for a type of the library has those of that type.
func (x *Executor) implements(t types.Type, iface *types.Interface) bool {
	methods := x.library.Methods[t]
	if methods == nil {
		return types.Implements(t, iface)
	}
	for m := range iface.Methods() {
		if _, has := methods[m.Name()]; !has || !m.Exported() {
			return false
		}
	}
	return true
}
