package execution

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// binary is the result of an operation of two operands. ok is false if it has taken over the path.
//
// Comparing interfaces panics if both hold values of one type that cannot be compared (Go specification,
// Comparison operators). With nil on one side the types differ.
func (x *Executor) binary(p *exploration.Path, i *ssa.BinOp) (e *sym.Expr, ok bool) {
	ctx := p.Peek().Call
	a, b := p.Value(ctx, i.X), p.Value(ctx, i.Y)
	switch i.Op {
	case token.EQL, token.NEQ:
		if !types.IsInterface(i.X.Type()) || a[0].Is(0) || b[0].Is(0) {
			break
		}
		if !x.check(p, sym.And(x.uncomparable(p, a), sym.Arith(sym.OpEq, a[0], b[0])), "comparing uncomparable type", i) {
			return nil, false
		}
	}
	switch i.Op {
	case token.EQL:
		return x.Equal(p, i.X.Type(), a, b), true
	case token.NEQ:
		return sym.Not(x.Equal(p, i.X.Type(), a, b)), true
	}
	if program.IsString(i.X.Type()) {
		return x.TextOp(p, i.Op, a[0], b[0]), true
	}
	if len(a) != 1 || len(b) != 1 || !program.IsInteger(i.X.Type()) {
		return sym.Unknown("not an integer"), true
	}
	if bad := misused(i.Op, b[0]); bad != nil && !x.check(p, bad, x.Slice.Fault(i), i) {
		return nil, false
	}
	return p.Integer(i.Op, i.Type(), a[0], b[0]), true
}

// misused is the condition that an operation on integers panics because of its second operand, nil if none
// does: a division by zero, a shift by less than zero (Go specification, Integer operators and Arithmetic
// operators). A shift by too much is no panic.
func misused(op token.Token, r *sym.Expr) *sym.Expr {
	switch op {
	case token.QUO, token.REM:
		return exploration.Eq(r, 0)
	case token.SHL, token.SHR:
		return sym.Arith(sym.OpLt, r, sym.Num(0))
	}
	return nil
}

// Equal compares two values of a type: 1, 0 or a condition, unknown if that cannot be said. In general
// values are equal if all their scalars are. What is false for some scalars is so whatever the others are.
//
// An interface that may hold a value of several scalars has the address of a box instead of the value.
// Boxes of constants are the same if their values are (makeInterface), so that the addresses decide. Of
// other boxes equal addresses say that the values are equal, and different ones nothing.
func (x *Executor) Equal(p *exploration.Path, t types.Type, a, b []*sym.Expr) *sym.Expr {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		// The scalar behind a nil type says nothing.
		if a[0].Is(0) || b[0].Is(0) {
			return sym.Arith(sym.OpEq, a[0], b[0])
		}
		if x.sameCall(p, a, b) {
			return sym.Unknown("two errors that one call has made may be different ones, or the same")
		}
		if x.boxed(p, a) && x.boxed(p, b) {
			if e := p.Simplify(sym.And(sym.Arith(sym.OpEq, a[0], b[0]), sym.Arith(sym.OpEq, a[1], b[1]))); e.Is(1) || x.constantBox(a[1]) && x.constantBox(b[1]) {
				return e
			}
			if p.Simplify(sym.Arith(sym.OpEq, a[0], b[0])).Is(0) {
				return sym.Num(0)
			}
			return sym.Unknown("comparison of values of several parts in interfaces")
		}
	case *types.Slice:
		return sym.Arith(sym.OpEq, a[0], b[0]) // with nil only
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			return sym.Unknown("not an integer")
		}
	}
	// All scalars are compared: u is one of which it is not known, which matters if none of the others
	// differs.
	out := sym.Num(1)
	var u *sym.Expr
	for i := range a {
		e := p.Simplify(sym.Arith(sym.OpEq, a[i], b[i]))
		if e.Op == sym.OpUnknown {
			u = e
			continue
		}
		out = sym.And(out, e)
	}
	if u != nil && !out.Is(0) {
		return u
	}
	return out
}

// uncomparable is the condition that an interface holds a value of a type whose values cannot be compared,
// as far as that is known: of an unknown one it does not hold, or each comparison would be an alarm.
func (x *Executor) uncomparable(p *exploration.Path, e []*sym.Expr) *sym.Expr {
	tag := p.Simplify(e[0])
	tags, out := p.Abs(tag), sym.Num(0)
	if tag.Op == sym.OpUnknown || tags.Top {
		return out
	}
	lo, hi := tags.Bounds()
	for k := max(lo, 1); k <= hi; k++ {
		if t := x.Memory.TypeOf(k); t != nil && tags.Has(k) && !types.Comparable(t) {
			out = sym.Or(out, exploration.Eq(tag, k))
		}
	}
	return out
}

// boxed reports that an interface may hold a value of several scalars, which is
// kept in a box.
func (x *Executor) boxed(p *exploration.Path, e []*sym.Expr) bool {
	a := p.Abs(e[0])
	if a.Top || a.Interval {
		return false
	}
	for _, tag := range a.Elems {
		if t := x.Memory.TypeOf(tag); t != nil && x.Width(t) > 1 {
			return true
		}
	}
	return false
}

// constantBox reports that a value of an interface is a box that only equal
// values have.
func (x *Executor) constantBox(e *sym.Expr) bool {
	if !e.IsConst() {
		return false
	}
	o := x.Memory.Object(e.K)
	return o != nil && strings.HasPrefix(o.Key, "box ")
}

// convert is a conversion that may change the value. Between integers it wraps around; between types of
// texts nothing changes. Others are not known: floating point, and a text as bytes, for which the address
// says that it is a copy: what is written there nothing else in the model reads.
func (x *Executor) convert(p *exploration.Path, i *ssa.Convert) []*sym.Expr {
	e := p.Value(p.Peek().Call, i.X)
	n := x.Width(i.Type())
	if program.IsInteger(i.X.Type()) && program.IsInteger(i.Type()) {
		return []*sym.Expr{p.Fits(e[0], i.Type())}
	}
	if n == len(e) && program.IsString(i.X.Type()) && program.IsString(i.Type()) {
		return e
	}
	if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
		p.Note("unsafe", artifact.DirectionUnder, "memory behind an unsafe.Pointer cannot be followed: what is written there is not in the model")
	}
	out := layout.Unknowns(n, "converted value")
	if _, ok := i.Type().Underlying().(*types.Slice); ok {
		out[0] = sym.Unkept("converted value") // a copy
	}
	return out
}

// makeInterface boxes a value: the number of its type, and its scalar. A value without scalars, as
// struct{}{}, has 0, and one of several is kept in a box:
//
//   - of constants, in one that all equal values of the type share, made on first use
//   - if something else in it is known, in an object that is allocated here, since each execution may have
//     other values
//   - if nothing in it is known, in none
//
// A box never changes: an interface holds a copy.
func (x *Executor) makeInterface(p *exploration.Path, i *ssa.MakeInterface) ([]*sym.Expr, bool) {
	t := i.X.Type()
	e := p.Value(p.Peek().Call, i.X)
	tag := sym.Num(x.Memory.Tag(t))
	switch len(e) {
	case 0:
		return []*sym.Expr{tag, sym.Num(0)}, true
	case 1:
		return []*sym.Expr{tag, e[0]}, true
	}
	var key strings.Builder
	fmt.Fprintf(&key, "box %s", program.TypeKey(t))
	for _, c := range e {
		if !c.IsConst() {
			if !slices.ContainsFunc(e, func(c *sym.Expr) bool { return c.UnknownIn() == nil }) {
				return []*sym.Expr{tag, sym.Unknown("a value of several parts")}, true
			}
			r, ok := x.Allocate(p, i, func() *state.Object { return x.newBox(t) }, func(o *state.Object) { x.Describe(o, t) })
			if !ok {
				return nil, false
			}
			for k, c := range e {
				r.Put(p, int32(k), c)
			}
			return []*sym.Expr{tag, r.Address}, true
		}
		key.WriteString(" " + strconv.Itoa(int(c.K)))
	}
	// The cells of this box are constants of the model: they hold at first what they always hold.
	o := x.Memory.KeyedObject(key.String(), func() *state.Object { return x.newBox(t) })
	for k, c := range e {
		cell := x.Memory.Cells[o.Base+int32(k)]
		cell.Init, cell.Abs = c.K, sym.Single(c.K)
	}
	return []*sym.Expr{tag, sym.Num(o.Base)}, true
}

// newBox makes the cells of a value of several parts that an interface holds.
func (x *Executor) newBox(t types.Type) *state.Object {
	o := x.NewData("box", t)
	o.Boxed = program.TypeKey(t)
	return o
}

// Unbox returns the scalars of a value of type t that an interface holds. Other values that the interface
// may hold, with other types, end the path: there they are not together. ok is false if it has taken over
// the path or that has ended.
func (x *Executor) Unbox(p *exploration.Path, val *sym.Expr, t types.Type) ([]*sym.Expr, bool) {
	n := x.Width(t)
	switch n {
	case 0:
		return nil, true
	case 1:
		return []*sym.Expr{val}, true
	}
	if _, off, cells := p.NewObject(val); cells != nil {
		return slices.Clone(cells[off : int(off)+n]), true
	}
	k, ok, tracked := x.Concrete(p, val)
	if !tracked {
		return layout.Unknowns(n, "a value of several parts"), true
	}
	if !ok {
		return nil, false
	}
	// It is no box of the type: the number of the type and the address are not of one value.
	if o := x.Memory.Object(k); o == nil || o.Base != k || o.Boxed != program.TypeKey(t) {
		return nil, false
	}
	out := make([]*sym.Expr, n)
	for i := range out {
		out[i] = p.CellAt(k + int32(i))
	}
	return out, true
}

// allocateArray allocates the backing array of a slice, with a cell more than its elements take
// (state.Backing). Arrays of different sizes are different objects.
func (x *Executor) allocateArray(p *exploration.Path, instr ssa.Instruction, what string, elem types.Type, n int32) (exploration.Ref, bool) {
	ctx := p.Peek().Call
	w := int32(x.Width(elem))
	key := fmt.Sprintf("%s|%d", x.AllocationKey(p, ctx, instr), n)
	return x.AllocateKey(p, key, ctx, instr, func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: state.Identifier(ctx.Fn.Name()) + what, Size: n*w + 1, Backing: state.Backing{Elems: n, Stride: w, WriteOnly: x.WriteOnly(elem)}}
	}, func(o *state.Object) { x.Describe(o, types.NewArray(elem, int64(n))) })
}

// execAlloc allocates a variable, zero: also one that is used again, as in each iteration of a loop. One of
// which nobody else can have the address is a value of the activation.
func (x *Executor) execAlloc(p *exploration.Path, i *ssa.Alloc) bool {
	t := program.Pointee(i.Type())
	name := i.Comment
	if name == "" || strings.ContainsAny(name, " ()") {
		name = "new"
	}
	ctx := p.Peek().Call
	if x.Slice.Plain[i] {
		p.Set(ctx, i, layout.Zeros(x.Width(t)))
		return p.Advance()
	}
	r, ok := x.Allocate(p, i, func() *state.Object {
		return x.NewVariable(state.Identifier(ctx.Fn.Name())+"_"+state.Identifier(name), t)
	}, func(o *state.Object) { x.Describe(o, t) })
	if !ok {
		return false
	}
	r.Clear(p, nil)
	p.Set(ctx, i, []*sym.Expr{r.Address})
	return p.Advance()
}

// execMakeChan allocates a channel. How it is used depends on its capacity, so that this has to be known;
// an unknown one is taken for 1, and a note says so. A negative capacity panics, unless the number is a
// choice of the model: then it is one that the program would not have.
//
// The cells of a channel are in package state, at ChanClosed. Those of the messages that meet a receiver
// are no state, and not cleared: they say what was ever sent on any channel made here.
func (x *Executor) execMakeChan(p *exploration.Path, i *ssa.MakeChan) bool {
	ctx := p.Peek().Call
	size := p.Value(ctx, i.Size)[0]
	k, ok, tracked := x.Concrete(p, size)
	if !tracked {
		p.Note("channel-capacity", artifact.DirectionUnder, "the capacity of the channel is not tracked: taken as 1")
		k, ok = 1, true
	}
	if !ok {
		return false
	}
	if k < 0 && p.Picks == 0 {
		return x.check(p, sym.Num(1), "makechan: size out of range", i)
	}
	k = max(k, 0) // where it is a guess
	elem := i.Type().Underlying().(*types.Chan).Elem()
	width := x.Width(elem)
	kept, at := x.keptValues(p, k, elem)
	what := ""
	if n := x.SourceName(i); n != "" {
		what = "_" + state.Identifier(n)
	}
	line := x.Program.Source.Fset.Position(i.Pos()).Line
	// Channels of different capacities are different objects.
	key := x.AllocationKey(p, ctx, i)
	if _, ok := i.Size.(*ssa.Const); !ok {
		key += fmt.Sprintf("|%d", k)
	}
	r, ok := x.AllocateKey(p, key, ctx, i, func() *state.Object {
		return &state.Object{Kind: state.ChannelObject, Name: fmt.Sprintf("ch%s_%d", what, line), Size: int32(state.ChanPayload+width) + kept*int32(width),
			Elem: elem, Cap: k, Pos: i.Pos(),
			Messages: state.Messages{Tracked: x.Slice.Classes[relevance.Sent(elem)], Width: int32(width), Kept: kept, AtKept: at}}
	}, x.DescribeChan)
	if !ok {
		return false
	}
	r.Clear(p, func(off int32) bool { return off >= state.ChanPayload && off < int32(state.ChanPayload+width) })
	p.Set(ctx, i, []*sym.Expr{r.Address})
	return p.Advance()
}

// keptValues is how many values in the buffer of a channel that is made here are kept, and the bound that this is if it
// is less than the capacity. Nothing is known of what comes out of a large buffer, unless operations may be done on that:
// then the model ends where there is more in it.
func (x *Executor) keptValues(p *exploration.Path, capacity int32, elem types.Type) (kept int32, at *state.Bound) {
	switch {
	case program.LibraryType(elem) == "os.Signal" || !x.Slice.Classes[relevance.Sent(elem)]:
		return 0, nil
	case int(capacity) <= x.Options.BufferValues:
		return capacity, nil
	case !x.Program.LeadsToOperations(elem):
		return 0, nil
	}
	most, at := x.BoundOf(approximation.BoundElements, p.Here())
	if at != nil {
		at.Buffer = true
	}
	return min(int32(most), capacity), at
}

// DescribeChan says what the cells of a new channel are. All of them are Sync: they are no memory that
// statements share, but belong to operations with guards. How many are queued is counted only where
// somebody polls (communicate).
func (x *Executor) DescribeChan(o *state.Object) {
	c := func(i int32) *state.Cell { return x.Memory.Cells[o.Base+i] }
	for i := range o.Size {
		c(i).Sync = true
	}
	c(state.ChanClosed).Name = o.Name + "_closed"
	c(state.ChanLen).Name, c(state.ChanLen).Abs, c(state.ChanLen).Fix = o.Name+"_len", sym.Range(0, o.Cap), true
	if o.Bounded() {
		c(state.ChanLen).Abs = sym.Range(0, o.Kept)
	}
	c(state.ChanSenders).Name, c(state.ChanReceivers).Name = o.Name+"_senders", o.Name+"_receivers"
	o.Polled = x.Polled[o.Pos]
	for _, k := range []int32{state.ChanSenders, state.ChanReceivers} {
		if o.Polled && o.Cap == 0 {
			c(k).Abs, c(k).Fix = sym.Range(0, int32(x.Options.Counter)), true
		}
	}
	for k := range o.Kept + 1 {
		x.MarkRefs(o.Base+state.ChanPayload+k*o.Width, o.Elem)
	}
	for i := range o.Width {
		p := c(state.ChanPayload + i)
		p.Name, p.Abs, p.Payload = fmt.Sprintf("%s_msg%d", o.Name, i), sym.Set{}, true
		for k := range o.Kept {
			c(state.ChanPayload + o.Width + k*o.Width + i).Name = fmt.Sprintf("%s_buf%d_%d", o.Name, i, k)
		}
	}
}

// execMakeClosure makes a closure: an object whose cells are the captured variables that matter, mostly
// addresses of variables, one behind the other. One that is only called where it is made is no object
// (layout.Direct). One that has captured nothing but constants, as addresses of variables of which there is
// only one, is one object, however often it is made: function values are only compared with nil.
func (x *Executor) execMakeClosure(p *exploration.Path, i *ssa.MakeClosure) bool {
	f := p.Peek()
	fn := i.Fn.(*ssa.Function)
	var e []*sym.Expr
	constant := true
	var key strings.Builder
	fmt.Fprintf(&key, "closure %s@%d.%d", fn.String(), i.Pos(), fn.Pos())
	for k, b := range i.Bindings {
		if !x.Slice.Values[fn.FreeVars[k]] {
			continue
		}
		// The key has what a constant closure has captured; for others it is not used.
		for _, c := range p.Value(f.Call, b) {
			c = p.Simplify(c)
			e = append(e, c)
			constant = constant && c.IsConst()
			fmt.Fprintf(&key, " %d", c.K)
		}
	}
	if layout.Direct(i) {
		p.Set(f.Call, i, e)
		return p.Advance()
	}
	mk := func() *state.Object {
		return &state.Object{Kind: state.ClosureObject, Name: "fn_" + state.Identifier(fn.Name()), Size: int32(len(e)), Fn: fn, Closure: i}
	}
	if constant {
		o := x.Memory.KeyedObject(key.String(), mk)
		for k, c := range e {
			cell := x.Memory.Cells[o.Base+int32(k)]
			cell.Init, cell.Abs = c.K, sym.Single(c.K)
		}
		p.Set(f.Call, i, []*sym.Expr{sym.Num(o.Base)})
		return p.Advance()
	}
	r, ok := x.Allocate(p, i, mk, func(o *state.Object) {
		for k := range o.Size {
			x.Memory.Cells[o.Base+k].Ref = true
		}
	})
	if !ok {
		return false
	}
	for k, c := range e {
		r.Put(p, int32(k), c)
	}
	p.Set(f.Call, i, []*sym.Expr{r.Address})
	return p.Advance()
}
