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
	"github.com/vtrace/vtrace/translate/internal/termination"
)

// constant returns the scalars of a constant.
func (x *translator) constant(c *ssa.Const) []*expr {
	if c.Value == nil {
		return zeros(x.width(c.Type()))
	}
	if k, ok := program.Int32Const(c); ok {
		return []*expr{num(k)}
	}
	if c.Value.Kind() == constant.String {
		return []*expr{num(x.mem.text(constant.StringVal(c.Value)))}
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
	if g.Pkg != nil && !x.own[g.Pkg.Pkg.Path()] {
		for i := range o.size {
			x.mem.cells[o.base+i].abs, x.mem.cells[o.base+i].open = absTop(), true
		}
		if program.IsError(t) {
			// An error variable of a library is not nil and equal to itself only.
			e := x.errorValue("error "+g.String(), mangle(g.Name()))
			for i, v := range e {
				c := x.mem.cells[o.base+int32(i)]
				c.init, c.abs, c.open = v.k, absConst(v.k), false
			}
		}
	}
	return o
}

// errorValue is an interface value that holds an error of unknown contents
// with an identity of its own.
func (x *translator) errorValue(key, name string) []*expr {
	o := x.mem.keyedObject(key, func() *object { return &object{kind: objOpaque, name: name, size: 1} })
	return []*expr{num(x.mem.tag(opaqueError)), num(o.base)}
}

// someError is an error of which nothing else is known.
func (x *translator) someError() []*expr {
	return []*expr{num(x.mem.tag(opaqueError)), unknown("an error from a library")}
}

// opaqueError stands for the dynamic types of errors of libraries.
var opaqueError types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryError", nil), types.NewStruct(nil, nil), nil)

// fits is a value in an integer type: where that would wrap it wraps, if that can be said,
// and is unknown otherwise.
func (p *path) fits(e *expr, t types.Type) *expr {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return e
	}
	a := p.abs(e)
	if a.top {
		if e.op >= xAdd && e.op <= xMod && e.unknownIn() == nil {
			return unknown("arithmetic beyond 32 bits")
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
	l, h := a.bounds()
	switch {
	case int64(l) >= lo && int64(h) <= hi:
		return e
	case wrap == nil || a.iv || len(a.set) > maxBits:
		return unknown("wraps around")
	case e.isConst():
		return num(wrap(e.k))
	}
	return p.each(e, func(k int32) *expr { return num(wrap(k)) })
}

// binary is the result of an operation of two operands. ok is false if it has taken over the
// path.
func (x *translator) binary(p *path, i *ssa.BinOp) (e *expr, ok bool) {
	ctx := p.peek().ctx
	a, b := p.value(ctx, i.X), p.value(ctx, i.Y)
	switch i.Op {
	case token.EQL, token.NEQ:
		if !types.IsInterface(i.X.Type()) || a[0].is(0) || b[0].is(0) {
			break
		}
		if !x.check(p, and(x.uncomparable(p, a), arith(xEq, a[0], b[0])), "comparing uncomparable type", i) {
			return nil, false
		}
	}
	switch i.Op {
	case token.EQL:
		return x.equal(p, i.X.Type(), a, b), true
	case token.NEQ:
		return not(x.equal(p, i.X.Type(), a, b)), true
	}
	if program.IsString(i.X.Type()) {
		return x.textOp(p, i.Op, a[0], b[0]), true
	}
	if len(a) != 1 || len(b) != 1 || !program.IsInteger(i.X.Type()) {
		return unknown("not an integer"), true
	}
	if bad := misused(i.Op, b[0]); bad != nil && !x.check(p, bad, x.sl.Fault(i), i) {
		return nil, false
	}
	return p.integer(i.Op, i.Type(), a[0], b[0]), true
}

// misused is the condition that an operation on integers panics because of its second
// operand, nil if none does.
func misused(op token.Token, r *expr) *expr {
	switch op {
	case token.QUO, token.REM:
		return eq(r, 0)
	case token.SHL, token.SHR:
		return arith(xLt, r, num(0))
	}
	return nil
}

// integer is the result of an operation on integers, which is of type t.
func (p *path) integer(op token.Token, t types.Type, l, r *expr) *expr {
	switch op {
	case token.ADD:
		return p.fits(arith(xAdd, l, r), t)
	case token.SUB:
		return p.fits(arith(xSub, l, r), t)
	case token.MUL:
		return p.fits(arith(xMul, l, r), t)
	case token.QUO, token.REM:
		if p.abs(r).has(0) {
			return unknown("division by a value that may be 0")
		}
		if op == token.QUO {
			return p.fits(arith(xDiv, l, r), t)
		}
		return p.fits(arith(xMod, l, r), t)
	case token.LSS:
		return arith(xLt, l, r)
	case token.LEQ:
		return arith(xLe, l, r)
	case token.GTR:
		return arith(xLt, r, l)
	case token.GEQ:
		return arith(xLe, r, l)
	}
	return p.fits(p.bits(op, l, r), t)
}

// equal compares two values of a type.
func (x *translator) equal(p *path, t types.Type, a, b []*expr) *expr {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if a[0].is(0) || b[0].is(0) {
			return arith(xEq, a[0], b[0])
		}
		if x.boxed(p, a) && x.boxed(p, b) {
			if e := p.simplify(and(arith(xEq, a[0], b[0]), arith(xEq, a[1], b[1]))); e.is(1) || x.constantBox(a[1]) && x.constantBox(b[1]) {
				return e
			}
			if p.simplify(arith(xEq, a[0], b[0])).is(0) {
				return num(0)
			}
			return unknown("comparison of values of several parts in interfaces")
		}
	case *types.Slice:
		return arith(xEq, a[0], b[0]) // with nil only
	case *types.Basic:
		if u.Info()&(types.IsFloat|types.IsComplex) != 0 {
			return unknown("not an integer")
		}
	}
	out := num(1)
	var u *expr
	for i := range a {
		e := p.simplify(arith(xEq, a[i], b[i]))
		if e.op == xUnknown {
			u = e
			continue
		}
		out = and(out, e)
	}
	if u != nil && !out.is(0) {
		return u
	}
	return out
}

// uncomparable is the condition that an interface holds a value of a type whose values
// cannot be compared, as far as that is known.
func (x *translator) uncomparable(p *path, e []*expr) *expr {
	tag := p.simplify(e[0])
	tags, out := p.abs(tag), num(0)
	if tag.op == xUnknown || tags.top {
		return out
	}
	lo, hi := tags.bounds()
	for k := max(lo, 1); k <= hi; k++ {
		if t := x.mem.typeOf(k); t != nil && tags.has(k) && !types.Comparable(t) {
			out = or(out, eq(tag, k))
		}
	}
	return out
}

// boxed reports that an interface may hold a value of several scalars, which is
// kept in a box.
func (x *translator) boxed(p *path, e []*expr) bool {
	a := p.abs(e[0])
	if a.top || a.iv {
		return false
	}
	for _, tag := range a.set {
		if t := x.mem.typeOf(tag); t != nil && x.width(t) > 1 {
			return true
		}
	}
	return false
}

// constantBox reports that a value of an interface is a box that only equal
// values have.
func (x *translator) constantBox(e *expr) bool {
	if !e.isConst() {
		return false
	}
	o := x.mem.object(e.k)
	return o != nil && strings.HasPrefix(o.key, "box ")
}

func (x *translator) convert(p *path, i *ssa.Convert) []*expr {
	e := p.value(p.peek().ctx, i.X)
	n := x.width(i.Type())
	if program.IsInteger(i.X.Type()) && program.IsInteger(i.Type()) {
		return []*expr{p.fits(e[0], i.Type())}
	}
	if n == len(e) && program.IsString(i.X.Type()) && program.IsString(i.Type()) {
		return e
	}
	if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
		x.unsupported(p.here(), "unsafe.Pointer", "memory behind it cannot be followed")
	}
	out := x.unknowns(n, "converted value")
	if _, ok := i.Type().Underlying().(*types.Slice); ok {
		out[0] = unkept("converted value") // a copy
	}
	return out
}

// makeInterface boxes a value: the number of its type, and its scalar.
func (x *translator) makeInterface(p *path, i *ssa.MakeInterface) ([]*expr, bool) {
	t := i.X.Type()
	e := p.value(p.peek().ctx, i.X)
	tag := num(x.mem.tag(t))
	switch len(e) {
	case 0:
		return []*expr{tag, num(0)}, true
	case 1:
		return []*expr{tag, e[0]}, true
	}
	var key strings.Builder
	fmt.Fprintf(&key, "box %s", program.TypeKey(t))
	for _, c := range e {
		if !c.isConst() {
			if !slices.ContainsFunc(e, func(c *expr) bool { return c.unknownIn() == nil }) {
				return []*expr{tag, unknown("a value of several parts")}, true
			}
			r, ok := x.allocate(p, i, func() *object { return x.newBox(t) }, func(o *object) { x.describe(o, t) })
			if !ok {
				return nil, false
			}
			for k, c := range e {
				r.put(p, int32(k), c)
			}
			return []*expr{tag, r.e}, true
		}
		key.WriteString(" " + strconv.Itoa(int(c.k)))
	}
	o := x.mem.keyedObject(key.String(), func() *object { return x.newBox(t) })
	for k, c := range e {
		cell := x.mem.cells[o.base+int32(k)]
		cell.init, cell.abs = c.k, absConst(c.k)
	}
	return []*expr{tag, num(o.base)}, true
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
func (x *translator) unbox(p *path, val *expr, t types.Type) ([]*expr, bool) {
	n := x.width(t)
	switch n {
	case 0:
		return nil, true
	case 1:
		return []*expr{val}, true
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
	out := make([]*expr, n)
	for i := range out {
		out[i] = p.cellAt(k + int32(i))
	}
	return out, true
}

// A ref is a new object: which one it is may be decided by the state.
type ref struct {
	e    *expr // its address
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
		return ref{num(o.base), []*object{o}}, true
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
	e := read(xAlloc, pl, int32(nth))
	none := read(xFull, pl, int32(nth))
	if nth >= len(pl.objs) {
		p.boundAt(pl.at, p.here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.objs)))
		return ref{}, false
	}
	q := p.clone()
	q.condition(none)
	q.boundAt(pl.at, q.here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.objs)))
	p.condition(not(none))
	n := pl.objs[0].size
	if pl.objs[0].writeOnly {
		n = 0
	}
	p.created.set(newObject{pl, int32(nth)}, slices.Repeat([]*expr{nil}, int(n)))
	return ref{e, pl.objs[nth:]}, true
}

// put sets a cell of a new object.
func (r ref) put(p *path, off int32, v *expr) {
	if o, _, ok := newObjectAt(r.e); ok {
		p.setNew(o, off, v)
		return
	}
	p.put(r.objs[0].base+off, v)
}

// setNew sets a cell of an object that the segment has allocated.
func (p *path) setNew(o newObject, off int32, v *expr) {
	if o.pool.objs[0].writeOnly {
		return
	}
	cells := slices.Clone(p.created.m[o]) // other paths may have it too
	cells[off] = p.simplify(v)
	p.created.set(o, cells)
}

// newCell is a cell of an object that the segment has allocated.
func (p *path) newCell(o newObject, off int32) *expr {
	if o.pool.objs[0].writeOnly {
		return unknown("contents not tracked")
	}
	if e := p.created.m[o][off]; e != nil {
		return e
	}
	return num(0)
}

// clear sets the cells of a new object to zero.
func (r ref) clear(p *path, except func(off int32) bool) {
	if p.from == nil && len(p.heap.m) == 0 || r.objs[0].writeOnly {
		return
	}
	o, _, isNew := newObjectAt(r.e)
	var cells []*expr
	if isNew {
		cells = slices.Clone(p.created.m[o])
		p.created.set(o, cells)
	}
	for off := range r.objs[0].size {
		switch {
		case except != nil && except(off):
		case isNew:
			cells[off] = num(0)
		default:
			p.put(r.objs[0].base+off, num(0))
		}
	}
}

// newObjectAt recognises an address inside an object that the segment has
// allocated from a pool. Until the segment ends its cells are kept apart, so
// that it need not be known which object it is.
func newObjectAt(e *expr) (o newObject, off int32, ok bool) {
	if e.op == xAdd && e.b.isConst() {
		off, e = e.b.k, e.a
	}
	if e.op != xAlloc {
		return newObject{}, 0, false
	}
	return newObject{poolOf(e), e.k}, off, true
}

// expose has new objects in memory where an expression may be the address of one
// among others: it is used by its number.
func (p *path) expose(e *expr) {
	if len(p.created.m) > 0 && (e.news || e.op == xAlloc) {
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
		e := read(xAlloc, k.pool, k.k)
		for _, o := range k.pool.objs[k.k:] {
			for off, v := range p.created.m[k] {
				if v != nil && !p.x.mem.cells[o.base+int32(off)].payload {
					at := o.base + int32(off)
					p.put(at, ite(eq(e, o.base), v, p.rawCell(at)))
				}
			}
		}
	}
	p.created = table[newObject, []*expr]{}
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
	p.set(ctx, i, []*expr{r.e})
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
		return x.check(p, num(1), "makechan: size out of range", i)
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
	p.set(ctx, i, []*expr{r.e})
	return p.advance()
}

func (x *translator) describeChan(o *object) {
	c := func(i int32) *cell { return x.mem.cells[o.base+i] }
	for i := range o.size {
		c(i).sync = true
	}
	c(chanClosed).name = o.name + "_closed"
	c(chanLen).name, c(chanLen).abs, c(chanLen).fix = o.name+"_len", absRange(0, o.cap), true
	c(chanSenders).name, c(chanReceivers).name = o.name+"_senders", o.name+"_receivers"
	o.polled = x.polled[o.pos]
	for _, k := range []int32{chanSenders, chanReceivers} {
		if o.polled && o.cap == 0 {
			c(k).abs, c(k).fix = absRange(0, int32(x.opts.Counter)), true
		}
	}
	for k := range o.kept + 1 {
		x.markRefs(o.base+chanPayload+k*o.width, o.elem)
	}
	for i := range o.width {
		p := c(chanPayload + i)
		p.name, p.abs, p.payload = fmt.Sprintf("%s_msg%d", o.name, i), abs{}, true
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
	var e []*expr
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
			constant = constant && c.isConst()
			fmt.Fprintf(&key, " %d", c.k)
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
			cell.init, cell.abs = c.k, absConst(c.k)
		}
		p.set(f.ctx, i, []*expr{num(o.base)})
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
	p.set(f.ctx, i, []*expr{r.e})
	return p.advance()
}
