package translate

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/translate/internal/termination"
)

// constant returns the scalars of a constant.
func (x *translator) constant(c *ssa.Const) []*sym.Expr {
	if c.Value == nil {
		return zeros(x.width(c.Type()))
	}
	if k, ok := program.Int32Const(c); ok {
		return []*sym.Expr{sym.Num(k)}
	}
	if c.Value.Kind() == constant.String {
		return []*sym.Expr{sym.Num(x.mem.text(constant.StringVal(c.Value)))}
	}
	return x.unknowns(x.width(c.Type()), "a number that is not a small integer")
}

// global returns the object of a package-level variable.
func (x *translator) global(g *ssa.Global) *object {
	o := x.mem.keyed["global "+g.String()]
	if o != nil {
		return o
	}
	t := program.Pointee(g.Type())
	o = x.mem.keyedObject("global "+g.String(), func() *object {
		return x.newData(mangle(g.Name()), t)
	})
	x.describe(o, t)
	if why := x.prog.OutsideReason(g); why != "" {
		for i := range o.size {
			x.mem.cells[o.base+i].outside = why
		}
	}
	if g.Pkg != nil && !x.prog.Translated(g.Pkg.Pkg.Path()) {
		for i := range o.size {
			x.mem.cells[o.base+i].abs, x.mem.cells[o.base+i].open = sym.Anything(), true
		}
		if program.IsError(t) {
			// An error variable of a library is not nil and equal to itself only.
			e := x.errorValue("error "+g.String(), mangle(g.Name()))
			for i, v := range e {
				c := x.mem.cells[o.base+int32(i)]
				c.init, c.abs, c.open = v.K, sym.Single(v.K), false
			}
		}
	}
	return o
}

// errorValue is an interface value that holds an error of unknown contents
// with an identity of its own.
func (x *translator) errorValue(key, name string) []*sym.Expr {
	o := x.mem.keyedObject(key, func() *object { return &object{kind: objOpaque, name: name, size: 1} })
	return []*sym.Expr{sym.Num(x.mem.tag(opaqueError)), sym.Num(o.base)}
}

// someError is an error of which nothing else is known.
func (x *translator) someError() []*sym.Expr {
	return []*sym.Expr{sym.Num(x.mem.tag(opaqueError)), sym.Unknown("an error from a library")}
}

// opaqueError stands for the dynamic types of errors of libraries.
var opaqueError types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryError", nil), types.NewStruct(nil, nil), nil)

// fits is a value in an integer type: where that would wrap it wraps, if that can be said,
// and is unknown otherwise.
func (p *path) fits(e *sym.Expr, t types.Type) *sym.Expr {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return e
	}
	a := p.abs(e)
	if a.Top {
		if e.Op >= sym.OpAdd && e.Op <= sym.OpMod && e.UnknownIn() == nil {
			return sym.Unknown("arithmetic beyond 32 bits")
		}
		return e
	}
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	var wrap func(k int32) int32
	switch b.Kind() {
	case types.Int8:
		lo, hi, wrap = math.MinInt8, math.MaxInt8, func(k int32) int32 { return int32(int8(k)) }
	case types.Int16:
		lo, hi, wrap = math.MinInt16, math.MaxInt16, func(k int32) int32 { return int32(int16(k)) }
	case types.Uint8:
		lo, hi, wrap = 0, math.MaxUint8, func(k int32) int32 { return int32(uint8(k)) }
	case types.Uint16:
		lo, hi, wrap = 0, math.MaxUint16, func(k int32) int32 { return int32(uint16(k)) }
	case types.Uint, types.Uint32, types.Uint64, types.Uintptr:
		lo = 0 // what is less is a number that the model has no place for
	default:
		return e
	}
	l, h := a.Bounds()
	switch {
	case int64(l) >= lo && int64(h) <= hi:
		return e
	case wrap == nil || a.Interval || len(a.Elems) > maxBits:
		return sym.Unknown("wraps around")
	case e.IsConst():
		return sym.Num(wrap(e.K))
	}
	return p.each(e, func(k int32) *sym.Expr { return sym.Num(wrap(k)) })
}

// binary is the result of an operation of two operands. ok is false if it has taken over the
// path.
func (x *translator) binary(p *path, i *ssa.BinOp) (e *sym.Expr, ok bool) {
	ctx := p.peek().ctx
	a, b := p.value(ctx, i.X), p.value(ctx, i.Y)
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
		return x.equal(p, i.X.Type(), a, b), true
	case token.NEQ:
		return sym.Not(x.equal(p, i.X.Type(), a, b)), true
	}
	if program.IsString(i.X.Type()) {
		return x.textOp(p, i.Op, a[0], b[0]), true
	}
	if len(a) != 1 || len(b) != 1 || !program.IsInteger(i.X.Type()) {
		return sym.Unknown("not an integer"), true
	}
	if bad := misused(i.Op, b[0]); bad != nil && !x.check(p, bad, x.sl.Fault(i), i) {
		return nil, false
	}
	return p.integer(i.Op, i.Type(), a[0], b[0]), true
}

// misused is the condition that an operation on integers panics because of its second
// operand, nil if none does.
func misused(op token.Token, r *sym.Expr) *sym.Expr {
	switch op {
	case token.QUO, token.REM:
		return eq(r, 0)
	case token.SHL, token.SHR:
		return sym.Arith(sym.OpLt, r, sym.Num(0))
	}
	return nil
}

// integer is the result of an operation on integers, which is of type t.
func (p *path) integer(op token.Token, t types.Type, l, r *sym.Expr) *sym.Expr {
	switch op {
	case token.ADD:
		return p.fits(sym.Arith(sym.OpAdd, l, r), t)
	case token.SUB:
		return p.fits(sym.Arith(sym.OpSub, l, r), t)
	case token.MUL:
		return p.fits(sym.Arith(sym.OpMul, l, r), t)
	case token.QUO, token.REM:
		if p.abs(r).Has(0) {
			return sym.Unknown("division by a value that may be 0")
		}
		if op == token.QUO {
			return p.fits(sym.Arith(sym.OpDiv, l, r), t)
		}
		return p.fits(sym.Arith(sym.OpMod, l, r), t)
	case token.LSS:
		return sym.Arith(sym.OpLt, l, r)
	case token.LEQ:
		return sym.Arith(sym.OpLe, l, r)
	case token.GTR:
		return sym.Arith(sym.OpLt, r, l)
	case token.GEQ:
		return sym.Arith(sym.OpLe, r, l)
	}
	return p.fits(p.bits(op, l, r), t)
}

// equal compares two values of a type.
func (x *translator) equal(p *path, t types.Type, a, b []*sym.Expr) *sym.Expr {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if a[0].Is(0) || b[0].Is(0) {
			return sym.Arith(sym.OpEq, a[0], b[0])
		}
		if x.boxed(p, a) && x.boxed(p, b) {
			if e := p.simplify(sym.And(sym.Arith(sym.OpEq, a[0], b[0]), sym.Arith(sym.OpEq, a[1], b[1]))); e.Is(1) || x.constantBox(a[1]) && x.constantBox(b[1]) {
				return e
			}
			if p.simplify(sym.Arith(sym.OpEq, a[0], b[0])).Is(0) {
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
	out := sym.Num(1)
	var u *sym.Expr
	for i := range a {
		e := p.simplify(sym.Arith(sym.OpEq, a[i], b[i]))
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

// uncomparable is the condition that an interface holds a value of a type whose values
// cannot be compared, as far as that is known.
func (x *translator) uncomparable(p *path, e []*sym.Expr) *sym.Expr {
	tag := p.simplify(e[0])
	tags, out := p.abs(tag), sym.Num(0)
	if tag.Op == sym.OpUnknown || tags.Top {
		return out
	}
	lo, hi := tags.Bounds()
	for k := max(lo, 1); k <= hi; k++ {
		if t := x.mem.typeOf(k); t != nil && tags.Has(k) && !types.Comparable(t) {
			out = sym.Or(out, eq(tag, k))
		}
	}
	return out
}

// boxed reports that an interface may hold a value of several scalars, which is
// kept in a box.
func (x *translator) boxed(p *path, e []*sym.Expr) bool {
	a := p.abs(e[0])
	if a.Top || a.Interval {
		return false
	}
	for _, tag := range a.Elems {
		if t := x.mem.typeOf(tag); t != nil && x.width(t) > 1 {
			return true
		}
	}
	return false
}

// constantBox reports that a value of an interface is a box that only equal
// values have.
func (x *translator) constantBox(e *sym.Expr) bool {
	if !e.IsConst() {
		return false
	}
	o := x.mem.object(e.K)
	return o != nil && strings.HasPrefix(o.key, "box ")
}

func (x *translator) convert(p *path, i *ssa.Convert) []*sym.Expr {
	e := p.value(p.peek().ctx, i.X)
	n := x.width(i.Type())
	if program.IsInteger(i.X.Type()) && program.IsInteger(i.Type()) {
		return []*sym.Expr{p.fits(e[0], i.Type())}
	}
	if n == len(e) && program.IsString(i.X.Type()) && program.IsString(i.Type()) {
		return e
	}
	if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
		x.unsupported(p.here(), "unsafe.Pointer", "memory behind it cannot be followed")
	}
	out := x.unknowns(n, "converted value")
	if _, ok := i.Type().Underlying().(*types.Slice); ok {
		out[0] = sym.Unkept("converted value") // a copy
	}
	return out
}

// makeInterface boxes a value: the number of its type, and its scalar.
func (x *translator) makeInterface(p *path, i *ssa.MakeInterface) ([]*sym.Expr, bool) {
	t := i.X.Type()
	e := p.value(p.peek().ctx, i.X)
	tag := sym.Num(x.mem.tag(t))
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
			r, ok := x.allocate(p, i, func() *object { return x.newBox(t) }, func(o *object) { x.describe(o, t) })
			if !ok {
				return nil, false
			}
			for k, c := range e {
				r.put(p, int32(k), c)
			}
			return []*sym.Expr{tag, r.e}, true
		}
		key.WriteString(" " + strconv.Itoa(int(c.K)))
	}
	o := x.mem.keyedObject(key.String(), func() *object { return x.newBox(t) })
	for k, c := range e {
		cell := x.mem.cells[o.base+int32(k)]
		cell.init, cell.abs = c.K, sym.Single(c.K)
	}
	return []*sym.Expr{tag, sym.Num(o.base)}, true
}

// newBox makes the cells of a value of several parts that an interface holds.
func (x *translator) newBox(t types.Type) *object {
	o := x.newData("box", t)
	o.boxed = program.TypeKey(t)
	return o
}

// unbox returns the scalars of a value of type t that an interface holds. Other
// values that the interface may hold, with other types, end the path: there they
// are not together.
func (x *translator) unbox(p *path, val *sym.Expr, t types.Type) ([]*sym.Expr, bool) {
	n := x.width(t)
	switch n {
	case 0:
		return nil, true
	case 1:
		return []*sym.Expr{val}, true
	}
	if o, off, ok := newObjectAt(val); ok && p.created.m[o] != nil {
		return slices.Clone(p.created.m[o][off : int(off)+n]), true
	}
	k, ok, tracked := x.concrete(p, val)
	if !tracked {
		return x.unknowns(n, "a value of several parts"), true
	}
	if !ok {
		return nil, false
	}
	if o := x.mem.object(k); o == nil || o.base != k || o.boxed != program.TypeKey(t) {
		return nil, false
	}
	out := make([]*sym.Expr, n)
	for i := range out {
		out[i] = p.cellAt(k + int32(i))
	}
	return out, true
}

// A ref is a new object: which one it is may be decided by the state.
type ref struct {
	e    *sym.Expr // its address
	objs []*object
}

// allocate returns a new object for an allocation in the innermost function.
// ok is false if there is none, and it has ended the path.
func (x *translator) allocate(p *path, instr ssa.Instruction, make func() *object, describe func(o *object)) (ref, bool) {
	return x.allocateAt(p, p.peek().ctx, instr, make, describe)
}

// allocateAt allocates for an instruction of the activation ctx. An allocation
// that can be executed repeatedly takes the first object of its pool that
// nothing refers to, so that equal states look equal.
func (x *translator) allocateAt(p *path, ctx *callPath, instr ssa.Instruction, make func() *object, describe func(o *object)) (ref, bool) {
	return x.allocateKey(p, x.allocationKey(p, ctx, instr), ctx, instr, make, describe)
}

// allocationKey names what an instruction of an activation allocates.
func (x *translator) allocationKey(p *path, ctx *callPath, instr ssa.Instruction) string {
	return fmt.Sprintf("%d|%d|%d.%d", p.t.index, ctx.id, instr.Block().Index, x.indexOf(instr))
}

// allocateArray allocates the backing array of a slice. Arrays of different
// sizes are different objects.
func (x *translator) allocateArray(p *path, instr ssa.Instruction, what string, elem types.Type, n int32) (ref, bool) {
	ctx := p.peek().ctx
	w := int32(x.width(elem))
	key := fmt.Sprintf("%s|%d", x.allocationKey(p, ctx, instr), n)
	return x.allocateKey(p, key, ctx, instr, func() *object {
		return &object{kind: objData, name: mangle(ctx.fn.Name()) + what, size: n*w + 1, backing: backing{elems: n, stride: w, writeOnly: x.writeOnly(elem)}}
	}, func(o *object) { x.describe(o, types.NewArray(elem, int64(n))) })
}

func (x *translator) allocateKey(p *path, key string, ctx *callPath, instr ssa.Instruction, make func() *object, describe func(o *object)) (ref, bool) {
	inLoop := ctx.inLoop || x.prog.Function(ctx.fn).InCycle[instr.Block().Index]
	single := func(key string) (ref, bool) {
		o := x.mem.keyed[key]
		if o == nil {
			o = x.mem.keyedObject(key, make)
			describe(o)
		}
		return ref{sym.Num(o.base), []*object{o}}, true
	}
	if p.from == nil && inLoop {
		// Executed once, here and now: every execution is a new object.
		x.initial++
		return single(fmt.Sprintf("%s|%d", key, x.initial))
	}
	if p.t.once && !inLoop {
		return single(key)
	}
	if turns, once := x.turnsOf(p.frames); once && p.t.once && p.serial && !p.rolled {
		return single(key + turns)
	}
	pl := x.mem.pools[key]
	if pl == nil {
		pl = &pool{name: fmt.Sprintf("pool%d", len(x.mem.order)), id: len(x.mem.order)}
		x.mem.pools[key] = pl
		x.mem.order = append(x.mem.order, pl)
		n, at := x.boundOf(artifact.BoundObjects, p.here())
		if trips := x.trips(p.t, ctx, instr.Block()); trips > n && trips <= termination.MaxTrips {
			n = trips
		}
		if at != nil && n < x.asked.Objects {
			at.size = max(at.size, n)
			pl.at = at
		}
		for i := range n {
			o := make()
			o.name = fmt.Sprintf("%s_%d", o.name, i)
			o.pool = pl
			x.mem.add(o)
			describe(o)
			pl.objs = append(pl.objs, o)
		}
	}
	if p.uneven[pl] {
		// How many there are left depends on the way taken.
		x.arrive(p, atLocal, 0)
		return ref{}, false
	}
	nth := p.allocs.m[pl] // the objects before are taken in this segment
	p.allocs.set(pl, nth+1)
	e := sym.Read(sym.OpAlloc, pl, int32(nth))
	none := sym.Read(sym.OpFull, pl, int32(nth))
	if nth >= len(pl.objs) {
		p.boundAt(pl.at, p.here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.objs)))
		return ref{}, false
	}
	q := p.clone()
	q.condition(none)
	q.boundAt(pl.at, q.here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.objs)))
	p.condition(sym.Not(none))
	n := pl.objs[0].size
	if pl.objs[0].writeOnly {
		n = 0
	}
	p.created.set(newObject{pl, int32(nth)}, slices.Repeat([]*sym.Expr{nil}, int(n)))
	return ref{e, pl.objs[nth:]}, true
}

// put sets a cell of a new object.
func (r ref) put(p *path, off int32, v *sym.Expr) {
	if o, _, ok := newObjectAt(r.e); ok {
		p.setNew(o, off, v)
		return
	}
	p.put(r.objs[0].base+off, v)
}

// setNew sets a cell of an object that the segment has allocated.
func (p *path) setNew(o newObject, off int32, v *sym.Expr) {
	if o.pool.objs[0].writeOnly {
		return
	}
	cells := slices.Clone(p.created.m[o]) // other paths may have it too
	cells[off] = p.simplify(v)
	p.created.set(o, cells)
}

// newCell is a cell of an object that the segment has allocated.
func (p *path) newCell(o newObject, off int32) *sym.Expr {
	if o.pool.objs[0].writeOnly {
		return sym.Unknown("contents not tracked")
	}
	if e := p.created.m[o][off]; e != nil {
		return e
	}
	return sym.Num(0)
}

// clear sets the cells of a new object to zero.
func (r ref) clear(p *path, except func(off int32) bool) {
	if p.from == nil && len(p.heap.m) == 0 || r.objs[0].writeOnly {
		return
	}
	o, _, isNew := newObjectAt(r.e)
	var cells []*sym.Expr
	if isNew {
		cells = slices.Clone(p.created.m[o])
		p.created.set(o, cells)
	}
	for off := range r.objs[0].size {
		switch {
		case except != nil && except(off):
		case isNew:
			cells[off] = sym.Num(0)
		default:
			p.put(r.objs[0].base+off, sym.Num(0))
		}
	}
}

// newObjectAt recognises an address inside an object that the segment has
// allocated from a pool. Until the segment ends its cells are kept apart, so
// that it need not be known which object it is.
func newObjectAt(e *sym.Expr) (o newObject, off int32, ok bool) {
	if e.Op == sym.OpAdd && e.B.IsConst() {
		off, e = e.B.K, e.A
	}
	if e.Op != sym.OpAlloc {
		return newObject{}, 0, false
	}
	return newObject{poolOf(e), e.K}, off, true
}

// expose has new objects in memory where an expression may be the address of one
// among others: it is used by its number.
func (p *path) expose(e *sym.Expr) {
	if len(p.created.m) > 0 && (e.News || e.Op == sym.OpAlloc) {
		p.settle()
	}
}

// settle writes the cells of new objects to memory: of each object of the pool
// under the condition that it is the one.
func (p *path) settle() {
	keys := make([]newObject, 0, len(p.created.m))
	for k := range p.created.m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b newObject) int {
		return cmp.Or(cmp.Compare(a.pool.name, b.pool.name), cmp.Compare(a.k, b.k))
	})
	for _, k := range keys {
		e := sym.Read(sym.OpAlloc, k.pool, k.k)
		for _, o := range k.pool.objs[k.k:] {
			for off, v := range p.created.m[k] {
				if v != nil && !p.x.mem.cells[o.base+int32(off)].payload {
					at := o.base + int32(off)
					p.put(at, sym.Ite(eq(e, o.base), v, p.rawCell(at)))
				}
			}
		}
	}
	p.created = table[newObject, []*sym.Expr]{}
}

// indexOf is the number of an instruction in its block.
func (x *translator) indexOf(instr ssa.Instruction) int {
	for i, in := range instr.Block().Instrs {
		if in == instr {
			return i
		}
	}
	return -1
}

func (x *translator) execAlloc(p *path, i *ssa.Alloc) bool {
	t := program.Pointee(i.Type())
	name := i.Comment
	if name == "" || strings.ContainsAny(name, " ()") {
		name = "new"
	}
	ctx := p.peek().ctx
	if x.sl.Plain[i] {
		p.set(ctx, i, zeros(x.width(t)))
		return p.advance()
	}
	r, ok := x.allocate(p, i, func() *object { return x.newVariable(mangle(ctx.fn.Name())+"_"+mangle(name), t) }, func(o *object) { x.describe(o, t) })
	if !ok {
		return false
	}
	r.clear(p, nil)
	p.set(ctx, i, []*sym.Expr{r.e})
	return p.advance()
}

func (x *translator) execMakeChan(p *path, i *ssa.MakeChan) bool {
	ctx := p.peek().ctx
	size := p.value(ctx, i.Size)[0]
	k, ok, tracked := x.concrete(p, size)
	if !tracked {
		p.note("channel-capacity", "under", "the capacity of the channel is not tracked: taken as 1")
		k, ok = 1, true
	}
	if !ok {
		return false
	}
	if k < 0 && p.picks == 0 {
		return x.check(p, sym.Num(1), "makechan: size out of range", i)
	}
	k = max(k, 0) // where it is a guess
	elem := i.Type().Underlying().(*types.Chan).Elem()
	width := x.width(elem)
	kept := k
	if int(k) > x.opts.BufferValues || program.LibraryType(elem) == "os.Signal" || !x.sl.Classes[relevance.Sent(elem)] {
		kept = 0
	}
	what := ""
	if n := x.sourceName(i); n != "" {
		what = "_" + mangle(n)
	}
	line := x.prog.Source.Fset.Position(i.Pos()).Line
	// Channels of different capacities are different objects.
	key := x.allocationKey(p, ctx, i)
	if _, ok := i.Size.(*ssa.Const); !ok {
		key += fmt.Sprintf("|%d", k)
	}
	r, ok := x.allocateKey(p, key, ctx, i, func() *object {
		return &object{kind: objChan, name: fmt.Sprintf("ch%s_%d", what, line), size: int32(chanPayload+width) + kept*int32(width),
			elem: elem, cap: k, pos: i.Pos(),
			messages: messages{tracked: x.sl.Classes[relevance.Sent(elem)], width: int32(width), kept: kept}}
	}, x.describeChan)
	if !ok {
		return false
	}
	r.clear(p, func(off int32) bool { return off >= chanPayload && off < int32(chanPayload+width) })
	p.set(ctx, i, []*sym.Expr{r.e})
	return p.advance()
}

func (x *translator) describeChan(o *object) {
	c := func(i int32) *cell { return x.mem.cells[o.base+i] }
	for i := range o.size {
		c(i).sync = true
	}
	c(chanClosed).name = o.name + "_closed"
	c(chanLen).name, c(chanLen).abs, c(chanLen).fix = o.name+"_len", sym.Range(0, o.cap), true
	c(chanSenders).name, c(chanReceivers).name = o.name+"_senders", o.name+"_receivers"
	o.polled = x.polled[o.pos]
	for _, k := range []int32{chanSenders, chanReceivers} {
		if o.polled && o.cap == 0 {
			c(k).abs, c(k).fix = sym.Range(0, int32(x.opts.Counter)), true
		}
	}
	for k := range o.kept + 1 {
		x.markRefs(o.base+chanPayload+k*o.width, o.elem)
	}
	for i := range o.width {
		p := c(chanPayload + i)
		p.name, p.abs, p.payload = fmt.Sprintf("%s_msg%d", o.name, i), sym.Set{}, true
		for k := range o.kept {
			c(chanPayload + o.width + k*o.width + i).name = fmt.Sprintf("%s_buf%d_%d", o.name, i, k)
		}
	}
}

// direct reports that a closure is only called, deferred or started where it is
// made: then it is never an object, its bindings are passed as arguments are.
func direct(m *ssa.MakeClosure) bool {
	if m.Referrers() == nil {
		return false
	}
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if r.Common().Value != m {
				return false
			}
			for _, a := range r.Common().Args {
				if a == m {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// valueWidth is the number of scalars of a value.
func (x *translator) valueWidth(v ssa.Value) int {
	if m, ok := v.(*ssa.MakeClosure); ok && direct(m) {
		n := 0
		for k, b := range m.Bindings {
			if x.sl.Values[m.Fn.(*ssa.Function).FreeVars[k]] {
				n += x.valueWidth(b)
			}
		}
		return n
	}
	if _, ok := v.(*ssa.Range); ok {
		return 2 // see maps.go
	}
	if x.sl.Plain[v] {
		return x.width(program.Pointee(v.Type()))
	}
	return x.width(v.Type())
}

func (x *translator) execMakeClosure(p *path, i *ssa.MakeClosure) bool {
	f := p.peek()
	fn := i.Fn.(*ssa.Function)
	var e []*sym.Expr
	constant := true
	var key strings.Builder
	fmt.Fprintf(&key, "closure %s@%d.%d", fn.String(), i.Pos(), fn.Pos())
	for k, b := range i.Bindings {
		if !x.sl.Values[fn.FreeVars[k]] {
			continue
		}
		for _, c := range p.value(f.ctx, b) {
			c = p.simplify(c)
			e = append(e, c)
			constant = constant && c.IsConst()
			fmt.Fprintf(&key, " %d", c.K)
		}
	}
	if direct(i) {
		p.set(f.ctx, i, e)
		return p.advance()
	}
	mk := func() *object {
		return &object{kind: objClosure, name: "fn_" + mangle(fn.Name()), size: int32(len(e)), fn: fn, mk: i}
	}
	if constant {
		o := x.mem.keyedObject(key.String(), mk)
		for k, c := range e {
			cell := x.mem.cells[o.base+int32(k)]
			cell.init, cell.abs = c.K, sym.Single(c.K)
		}
		p.set(f.ctx, i, []*sym.Expr{sym.Num(o.base)})
		return p.advance()
	}
	r, ok := x.allocate(p, i, mk, func(o *object) {
		for k := range o.size {
			x.mem.cells[o.base+k].ref = true
		}
	})
	if !ok {
		return false
	}
	for k, c := range e {
		r.put(p, int32(k), c)
	}
	p.set(f.ctx, i, []*sym.Expr{r.e})
	return p.advance()
}
