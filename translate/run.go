package translate

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// maxChain is the number of values up to which the ways that each know one
// can meet again.
const maxChain = 16

// Execute executes one instruction of the path; false ends the path here.
func (x *executor) Execute(p *path) bool {
	if len(p.frames) == 0 {
		return x.finish(p, nil)
	}
	if b := p.pendingJump; b != nil {
		p.pendingJump = nil
		return x.jump(p, b)
	}
	f := p.peek()
	switch {
	case f.Op != nil:
		return x.stepOp(p)
	case f.Unwind != nil:
		return x.stepUnwind(p)
	case f.Running:
		if n := len(f.Defers); n > 0 {
			return x.runDeferred(p)
		}
		if f.Over {
			return x.ret(p, layout.Zeros(x.ResultWidth(f.Call.Fn)))
		}
		g := p.top()
		g.Running = false
		g.Idx++
		return true
	}
	instr := f.Block.Instrs[f.Idx]
	if f.Idx > 0 {
		if comp, ok := x.sized(p, f.Block.Instrs[f.Idx-1]); ok {
			x.chooseNumber(p, f.Block.Instrs[f.Idx-1], comp)
			return false
		}
	}
	if p.meets(instr) && x.meet(p) {
		return false
	}
	if s := x.marked(f, instr); s != 0 {
		x.arrive(p, state.AtStmt, s)
		return false
	}
	if s := x.accessGuard(f, instr); s != 0 {
		x.arrive(p, state.AtStmt, s)
		return false
	}
	return x.exec(p, instr)
}

// accessGuard returns the statement guard that stands in front of an
// instruction and has not been passed yet, 0 if none.
func (x *executor) accessGuard(f *state.Frame, instr ssa.Instruction) sites.ID {
	if len(x.access) == 0 || !x.sl.Executed(instr) {
		return 0
	}
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op != token.MUL && i.Op != token.ARROW {
			return 0
		}
	case *ssa.FieldAddr:
		// Its pointer may be nil: the statement panics behind its guard.
		if _, ok := x.sl.Parts[i]; ok {
			return 0
		}
	case *ssa.BinOp, *ssa.If:
		// The guard stands in front of all of a condition, of which the rest, that
		// touches memory, may not be evaluated.
	case *ssa.Store, *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Call, *ssa.Panic, *ssa.Defer, *ssa.Lookup, *ssa.MapUpdate, *ssa.Range:
	default:
		return 0
	}
	s := x.stmtOf(f.Call.Fn, instr)
	if s == 0 || !x.access[s] {
		return 0
	}
	st := x.idx.Store(s)
	switch {
	case f.Passed == s:
		// Of a statement that reads and writes the write has a guard as well.
		if _, ok := instr.(*ssa.Store); ok && x.access[st.ID] {
			if at, ok := x.idx.At(sites.Store, instr.Pos()); ok && at.ID == st.ID {
				return st.ID
			}
		}
		return 0
	case st.ID != 0 && f.Passed == st.ID:
		return 0
	}
	return s
}

// jump goes from the end of a block to another.
func (x *executor) jump(p *path, to *ssa.BasicBlock) bool {
	f := p.owned()
	from := f.Block
	pred := -1
	for i, b := range to.Preds {
		if b == from {
			pred = i
		}
	}
	type assign struct {
		phi *ssa.Phi
		e   []*sym.Expr
	}
	var phis []assign
	n := 0
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		n++
		if x.sl.Values[phi] && pred >= 0 {
			phis = append(phis, assign{phi, slices.Clone(p.value(f.Call, phi.Edges[pred]))})
		}
	}
	for _, a := range phis {
		p.set(f.Call, a.phi, a.e)
	}
	f.Block, f.Idx = to, n
	if to.Dominates(from) {
		f.Passed = 0
		// A loop whose way depends on the state, or on choices, gets a location
		// of its own; one with a known course is executed here and now.
		if p.mark(to) {
			x.arrive(p, state.AtLocal, 0)
			return false
		}
		f.Turn(x.prog.Function(f.Call.Fn), to)
		if p.steps > 2000 && x.idle(to) {
			x.arrive(p, state.AtSpin, 0)
			return false
		}
		x.skip(p, to)
	} else if p.branched && len(to.Preds) > 1 && n < len(to.Instrs) && x.meet(p) {
		return false
	}
	return true
}

// idle reports that a loop without exit does nothing that matters: from b on
// there are only jumps back to it.
func (x *executor) idle(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	for c := b; !seen[c]; {
		seen[c] = true
		for _, instr := range c.Instrs {
			if _, ok := instr.(*ssa.Phi); !ok && x.sl.Considered(instr) {
				return false
			}
		}
		if len(c.Succs) == 0 {
			return false
		}
		c = c.Succs[0]
	}
	return true
}

// branch decides a condition: it continues p where it can hold and else where
// it can not, and reports that it has taken over the path.
func (x *executor) branch(p *path, c *sym.Expr, pos token.Pos, reason string, yes, no func(q *path)) {
	c = p.simplify(c)
	switch {
	case c.IsConst() && c.K != 0:
		yes(p)
		x.continueWith(p)
		return
	case c.IsConst():
		no(p)
		x.continueWith(p)
		return
	case c.Op == sym.OpUnknown:
		if reason == "" {
			reason = "the condition depends on a value that is not tracked: " + c.Why.Reason
		}
		p.choose(reason, yes, no)
		return
	case c.HandedOver():
		x.arrive(p, state.AtLocal, 0)
		return
	}
	p.branched = true
	if q := p.fork(sym.Not(c)); q != nil {
		no(q)
		x.continueWith(q)
	}
	if p.assume(c) {
		yes(p)
		x.continueWith(p)
	}
}

// concrete returns the value of an expression on this path. If it can have
// several, the path is continued once for each, and ok is false: the caller
// must stop, and will be executed again with the value known. tracked is false
// for an unknown value.
func (x *executor) concrete(p *path, e *sym.Expr) (k int32, ok, tracked bool) {
	e = p.simplify(e)
	if e.IsConst() {
		return e.K, true, true
	}
	p.expose(e)
	a := p.abs(e)
	if e.Op == sym.OpUnknown || a.Top {
		return 0, false, false
	}
	if e.HandedOver() {
		x.arrive(p, state.AtLocal, 0)
		return 0, false, true
	}
	if a.Interval {
		if int64(a.Hi)-int64(a.Lo) > 64 {
			return 0, false, false
		}
		a = a.Filter(func(int32) bool { return true })
		if a.Interval {
			lo, hi := a.Bounds()
			a = sym.Set{}
			for k := lo; k <= hi; k++ {
				a.Elems = append(a.Elems, k)
			}
		}
	}
	p.spread()
	if len(a.Elems) > maxChain {
		for i := len(a.Elems) - 1; i >= 0; i-- {
			if q := p.fork(eq(e, a.Elems[i])); q != nil {
				q.know(e, sym.Single(a.Elems[i]))
				x.continueWith(q)
			}
		}
		return 0, false, true
	}
	// Each way excludes those before it, so that they can meet again.
	var ways []*path
	possible := true
	for i, k := range a.Elems {
		c := p.simplify(eq(e, k))
		if i+1 < len(a.Elems) && !c.IsConst() {
			if q := p.fork(c); q != nil {
				q.know(e, sym.Single(k))
				ways = append(ways, q)
			}
			if possible = p.assume(sym.Not(c)); !possible {
				break
			}
			continue
		}
		if c.Is(0) {
			possible = i+1 < len(a.Elems)
			continue
		}
		p.know(e, sym.Single(k))
		break
	}
	if possible {
		ways = append(ways, p)
	}
	for i := len(ways) - 1; i >= 0; i-- {
		x.continueWith(ways[i])
	}
	return 0, false, true
}

// finish ends a goroutine: it has returned, or ends by a Goexit.
func (x *executor) finish(p *path, goexit *state.Unwind) bool {
	t := p.t
	p.frames = nil
	if t.Parent == nil {
		if goexit != nil {
			site := goexit.Site
			if x.prog.Test() {
				site = 0 // it is over as if it had returned
			}
			x.arrive(p, state.AtDone, site)
			return false
		}
		x.arrive(p, state.AtEnd, x.idx.End().ID)
		return false
	}
	if t.Once {
		x.arrive(p, state.AtDone, 0)
	} else {
		x.arrive(p, state.AtIdle, 0)
	}
	return false
}

// ret returns from the innermost function with the scalars of its result.
func (x *executor) ret(p *path, results []*sym.Expr) bool {
	f := p.peek()
	if len(f.Defers) > 0 {
		g := p.top()
		g.Running, g.Over = true, true
		return true
	}
	p.pop()
	if len(p.frames) == 0 || f.Deferred {
		return true
	}
	g := p.top()
	if g.Op != nil {
		if g.Op.Takes > 0 {
			p.set(g.Call, state.ArgKey(g.Op.Takes), results)
		}
		return true
	}
	if call, ok := g.Block.Instrs[g.Idx].(*ssa.Call); ok {
		if x.sl.Values[call] {
			p.set(g.Call, call, results)
		}
		if p.branched {
			p.spread()
		}
		g.Idx++
	}
	return true
}

// exec executes one instruction of a function; false if it has taken over the path or ended it.
func (x *executor) exec(p *path, instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Jump:
		return x.jump(p, p.peek().Block.Succs[0])
	case *ssa.If:
		return x.execIf(p, i)
	case *ssa.Return:
		return x.execReturn(p, i)
	case *ssa.RunDefers:
		p.top().Running = true
		return true
	}
	if x.sl.Checks[instr] != "" && !x.checked(p, instr) {
		return false
	}
	if call, ok := instr.(*ssa.Call); ok && !x.library.Misuse(x, p, call) {
		return false
	}
	if !x.sl.Executed(instr) {
		return p.advance()
	}
	switch i := instr.(type) {
	case *ssa.Send, *ssa.Go:
		return x.atGuard(p, instr)
	case *ssa.Panic:
		return x.execPanic(p, i)
	case *ssa.Defer:
		return x.execDefer(p, i)
	case *ssa.Store:
		return x.execStore(p, i)
	case *ssa.MapUpdate:
		return x.execMapUpdate(p, i)
	case ssa.Value:
		return x.execValue(p, i)
	}
	return p.advance()
}

// execIf goes on in the branches that a condition can choose. Where nothing that the model
// keeps depends on the branch, it goes on where they meet.
func (x *executor) execIf(p *path, i *ssa.If) bool {
	f := p.peek()
	ctx := f.Call
	if !x.sl.Instrs[i] {
		d := x.prog.Function(ctx.Fn).PostDominator[f.Block.Index]
		if d < 0 {
			return x.ret(p, layout.Unknowns(x.ResultWidth(ctx.Fn), "not tracked"))
		}
		return x.jump(p, ctx.Fn.Blocks[d])
	}
	then, els := f.Block.Succs[0], f.Block.Succs[1]
	if reason := x.prog.Branches[i]; reason != "" {
		p.choose(reason, func(q *path) { q.pendingJump = then }, func(q *path) { q.pendingJump = els })
		return false
	}
	go2 := func(b *ssa.BasicBlock) func(q *path) {
		return func(q *path) {
			q.pendingJump = b
		}
	}
	x.branch(p, p.value(ctx, i.Cond)[0], i.Pos(), "", go2(then), go2(els))
	return false
}

// execReturn returns the results of a return statement.
func (x *executor) execReturn(p *path, i *ssa.Return) bool {
	ctx := p.peek().Call
	var out []*sym.Expr
	for _, r := range i.Results {
		out = append(out, p.value(ctx, r)...)
	}
	return x.ret(p, out)
}

// execPanic begins a panic: at its guard, but for one that the compiler has put behind the
// loops over functions, which has none.
func (x *executor) execPanic(p *path, i *ssa.Panic) bool {
	if program.UnreachablePanic(i) {
		return false
	}
	if !i.Pos().IsValid() {
		x.raise(p, &state.Unwind{Kind: artifact.KindPanic, Pos: p.here(), Detail: "range over func misused"}, p.value(p.peek().Call, i.X))
		return true
	}
	return x.atGuard(p, i)
}

// execStore writes to a variable that is not shared, or to memory.
func (x *executor) execStore(p *path, i *ssa.Store) bool {
	ctx := p.peek().Call
	if x.prog.CopiesSync(i) {
		x.noteCopy(p, i)
	}
	if a, ok := x.sl.Parts[i.Addr]; ok {
		x.storePart(p, ctx, a, p.value(ctx, i.Val))
		return p.advance()
	}
	if x.sl.Plain[i.Addr] {
		p.set(ctx, i.Addr, slices.Clone(p.value(ctx, i.Val)))
		return p.advance()
	}
	addr, ok := x.address(p, p.value(ctx, i.Addr)[0], i)
	if !ok {
		return false
	}
	if addr == nil {
		x.noteWrite(p, p.value(ctx, i.Addr)[0])
		return p.advance()
	}
	x.store(p, addr, p.value(ctx, i.Val))
	return p.advance()
}

// execValue executes an instruction that has a value, the empty one of a call included.
func (x *executor) execValue(p *path, v ssa.Value) bool {
	switch i := v.(type) {
	case *ssa.Select:
		return x.atGuard(p, i)
	case *ssa.Call:
		return x.execCall(p, i)
	case *ssa.UnOp:
		return x.execUnOp(p, i)
	case *ssa.BinOp:
		e, ok := x.binary(p, i)
		if !ok {
			return false
		}
		return p.result(i, e)
	case *ssa.Alloc:
		return x.execAlloc(p, i)
	case *ssa.MakeChan:
		return x.execMakeChan(p, i)
	case *ssa.MakeClosure:
		return x.execMakeClosure(p, i)
	case *ssa.MakeInterface:
		e, ok := x.makeInterface(p, i)
		if !ok {
			return false
		}
		return p.result(i, e...)
	case *ssa.ChangeType:
		return p.result(i, p.value(p.peek().Call, i.X)...)
	case *ssa.ChangeInterface:
		return p.result(i, p.value(p.peek().Call, i.X)...)
	case *ssa.Convert:
		return p.result(i, x.convert(p, i)...)
	case *ssa.Extract:
		return x.execExtract(p, i)
	case *ssa.FieldAddr:
		return x.execFieldAddr(p, i)
	case *ssa.Field:
		return x.execField(p, i)
	case *ssa.IndexAddr:
		if _, ok := x.sl.Parts[i]; ok {
			return p.advance()
		}
		return x.execIndexAddr(p, i)
	case *ssa.Index:
		return x.execIndex(p, i)
	case *ssa.Slice:
		return x.execSlice(p, i)
	case *ssa.MakeSlice:
		return x.execMakeSlice(p, i)
	case *ssa.MakeMap:
		return x.execMakeMap(p, i)
	case *ssa.Lookup:
		return x.execLookup(p, i)
	case *ssa.Range:
		return p.result(i, p.value(p.peek().Call, i.X)[0], sym.Num(0))
	case *ssa.Next:
		return x.execNext(p, i)
	case *ssa.TypeAssert:
		return x.execTypeAssert(p, i)
	}
	return p.result(v, layout.Unknowns(x.ValueWidth(v), "the model does not keep "+kindOf(v.(ssa.Instruction)))...)
}

// execUnOp executes a receive, a load, or an operation on one value.
func (x *executor) execUnOp(p *path, i *ssa.UnOp) bool {
	ctx := p.peek().Call
	switch i.Op {
	case token.ARROW:
		return x.atGuard(p, i)
	case token.MUL:
		return x.execLoad(p, i)
	case token.NOT:
		return p.result(i, sym.Not(p.value(ctx, i.X)[0]))
	case token.SUB, token.XOR:
		if !program.IsInteger(i.X.Type()) {
			return p.result(i, sym.Unknown("not an integer"))
		}
		from := sym.Num(0)
		if i.Op == token.XOR {
			from = sym.Num(-1) // all bits
		}
		return p.result(i, p.integer(token.SUB, i.Type(), from, p.value(ctx, i.X)[0]))
	}
	return p.result(i, sym.Unknown("bit operation"))
}

// execLoad reads a variable that is not shared, or memory, which is decided first where it can
// hold something beyond its limits.
func (x *executor) execLoad(p *path, i *ssa.UnOp) bool {
	ctx := p.peek().Call
	if a, ok := x.sl.Parts[i.X]; ok {
		return p.result(i, x.loadPart(p, ctx, a, i.Type())...)
	}
	if x.sl.Plain[i.X] {
		return p.result(i, p.value(ctx, i.X)...)
	}
	addr, ok := x.address(p, p.value(ctx, i.X)[0], i)
	if !ok {
		return false
	}
	if addr == nil {
		return p.result(i, layout.Unknowns(x.Width(i.Type()), throughUnknown(p.value(ctx, i.X)[0]))...)
	}
	x.noteVariable(p, i.X)
	v, lost := x.load(p, addr, x.Width(i.Type()))
	x.decide(p, v, lost, func(q *path, v []*sym.Expr) {
		q.set(ctx, i, v)
		q.advance()
		x.continueWith(q)
	})
	return false
}

// execExtract takes one of the results of a call, or of another operation with several.
func (x *executor) execExtract(p *path, i *ssa.Extract) bool {
	t := i.Tuple.Type().(*types.Tuple)
	off := 0
	for k := range i.Index {
		off += x.Width(t.At(k).Type())
	}
	e := p.value(p.peek().Call, i.Tuple)
	n := x.Width(i.Type())
	if off+n > len(e) {
		return p.result(i, layout.Unknowns(n, "not tracked")...)
	}
	return p.result(i, e[off:off+n]...)
}

// execFieldAddr computes the address of a field. That of the channel of a timer is the address
// of the timer, and those of other types that the model does not look into are not known.
func (x *executor) execFieldAddr(p *path, i *ssa.FieldAddr) bool {
	if _, ok := x.sl.Parts[i]; ok {
		return p.advance()
	}
	a := p.value(p.peek().Call, i.X)[0]
	st := program.Pointee(i.X.Type()).Underlying().(*types.Struct)
	if off, ok := layout.LibraryField(program.Pointee(i.X.Type()), i.Field); ok {
		if ok := x.notNil(p, a, i); !ok {
			return false
		}
		return p.result(i, sym.Arith(sym.OpAdd, a, sym.Num(off)))
	}
	if isTimer(program.Pointee(i.X.Type())) && st.Field(i.Field).Name() == "C" {
		if ok := x.notNil(p, a, i); !ok {
			return false
		}
		return p.result(i, a)
	}
	if x.Foreign(program.Pointee(i.X.Type())) {
		return p.result(i, sym.Unkept("field of a foreign type"))
	}
	if ok := x.notNil(p, a, i); !ok {
		return false
	}
	off := int32(x.FieldOffset(st, i.Field))
	e := sym.Arith(sym.OpAdd, a, sym.Num(off))
	p.offset(e, a, off)
	return p.result(i, e)
}

// execField takes a field of a struct that is a value.
func (x *executor) execField(p *path, i *ssa.Field) bool {
	st := i.X.Type().Underlying().(*types.Struct)
	n := x.Width(i.Type())
	if x.Foreign(i.X.Type()) {
		return p.result(i, layout.Unknowns(n, "field of a foreign type")...)
	}
	off := x.FieldOffset(st, i.Field)
	return p.result(i, p.value(p.peek().Call, i.X)[off:off+n]...)
}

// kindOf names an instruction for a reason.
func kindOf(instr ssa.Instruction) string {
	switch instr.(type) {
	case *ssa.Lookup, *ssa.MakeMap, *ssa.MapUpdate:
		return "the contents of maps"
	case *ssa.Next, *ssa.Range:
		return "iteration over maps and strings"
	}
	return "this operation"
}

// notNil continues with panics where a pointer is nil; false if it has taken
// over the path.
func (x *executor) notNil(p *path, a *sym.Expr, instr ssa.Instruction) bool {
	a = p.simplify(a)
	if a.Op == sym.OpUnknown || !p.abs(a).Has(0) {
		return true
	}
	isNil := p.simplify(eq(a, 0))
	if isNil.Is(0) {
		return true
	}
	nilPanic := func(q *path) {
		x.raise(q, &state.Unwind{Kind: artifact.KindPanic, Site: q.statement(instr), Pos: q.here(), Detail: "nil pointer dereference"}, x.SomeError())
	}
	if a.IsConst() {
		nilPanic(p)
		x.continueWith(p)
		return false
	}
	if a.HandedOver() {
		x.arrive(p, state.AtLocal, 0)
		return false
	}
	if q := p.fork(isNil); q != nil {
		nilPanic(q)
		x.continueWith(q)
	}
	if p.assume(sym.Not(isNil)) {
		p.know(isNil, sym.Single(0))
		x.continueWith(p)
	}
	return false
}

// address is where a pointer can point, as a list of addresses with the
// condition under which each holds.
type address struct {
	e     *sym.Expr
	addrs []int32
}

// throughUnknown is the reason for not knowing what a pointer points to that is not
// known itself.
func throughUnknown(pointer *sym.Expr) string {
	const through = "read through a pointer that is not tracked"
	if u := pointer.UnknownIn(); u != nil && u.Why != nil && !strings.HasPrefix(u.Why.Reason, through) {
		return through + ": " + u.Why.Reason
	}
	return through
}

// address resolves a pointer for a load or store. ok is false if it has taken
// over the path; a nil address is one that is not tracked.
func (x *executor) address(p *path, e *sym.Expr, instr ssa.Instruction) (*address, bool) {
	e = p.simplify(e)
	if !x.notNil(p, e, instr) {
		return nil, false
	}
	if _, _, cells := p.newObject(e); cells != nil {
		return &address{e: e}, true
	}
	p.expose(e)
	a := p.abs(e)
	if e.Op == sym.OpUnknown || a.Top || a.Interval {
		return nil, true
	}
	a = a.Filter(func(k int32) bool { return k != 0 })
	if len(a.Elems) > 16 {
		_, ok, _ := x.concrete(p, e)
		return nil, ok
	}
	s := p.statement(instr)
	_, isStore := instr.(*ssa.Store)
	for _, k := range a.Elems {
		x.accessed(p, k, x.Width(program.Pointee(instrAddr(instr).Type())), s, isStore)
	}
	return &address{e, a.Elems}, true
}

// noteWrite records that what is written through a pointer, or into a map, is not in
// the model, unless it is known to be where the model has nothing.
func (x *executor) noteWrite(p *path, to *sym.Expr) {
	to = p.simplify(to)
	if u := to.UnknownIn(); to.IsConst() || u != nil && u.Why.Unkept {
		return
	}
	p.note("unknown-memory", artifact.DirectionUnder, "what is written through a pointer that is not tracked is not in the model")
}

func instrAddr(instr ssa.Instruction) ssa.Value {
	switch i := instr.(type) {
	case *ssa.Store:
		return i.Addr
	case *ssa.UnOp:
		return i.X
	case *ssa.Call:
		return i.Call.Args[0]
	}
	return nil
}

// accessed records that the goroutine of the path reads or writes cells.
func (x *executor) accessed(p *path, addr int32, n int, s sites.ID, write bool) {
	if p.from == nil || p.alone {
		return
	}
	for i := range int32(n) {
		if int(addr+i) >= len(x.mem.Cells) || addr+i <= 0 {
			continue
		}
		c := x.mem.Cells[addr+i]
		if c.Sync || c.Group.WriteOnly {
			continue
		}
		in := c.Access[p.t]
		if in == nil {
			in = &state.Access{}
			c.Access[p.t] = in
		}
		if write {
			in.Written = true
		} else {
			in.Read = true
		}
		if s != 0 && !slices.Contains(c.Stmts, s) {
			c.Stmts = append(c.Stmts, s)
		}
		c.Used(state.Use{Template: p.t, Stmt: s, Write: write, Held: p.held})
	}
}

// load reads n cells, each with the condition that it is beyond its limits,
// nil if it cannot be.
func (x *executor) load(p *path, a *address, n int) (out, lost []*sym.Expr) {
	out, lost = make([]*sym.Expr, n), make([]*sym.Expr, n)
	if o, off, ok := newObjectAt(a.e); ok && len(a.addrs) == 0 {
		for i := range out {
			out[i] = p.newCell(o, off+int32(i))
		}
		return out, lost
	}
	for i := range out {
		for k := len(a.addrs) - 1; k >= 0; k-- {
			e := p.rawCell(a.addrs[k] + int32(i))
			l := p.lost(e)
			if l == nil && (p.mayBeLost(e) || x.isLost(a.addrs[k]+int32(i), e)) {
				e = sym.Unknown(beyond)
			}
			if out[i] == nil {
				out[i], lost[i] = e, l
				continue
			}
			here := sym.Arith(sym.OpEq, a.e, sym.Num(a.addrs[k]))
			out[i] = sym.Ite(here, e, out[i])
			if l == nil && lost[i] == nil {
				continue
			}
			if l == nil {
				l = sym.Num(0)
			}
			if lost[i] == nil {
				lost[i] = sym.Num(0)
			}
			lost[i] = sym.Ite(here, l, lost[i])
		}
	}
	return out, lost
}

func (x *executor) store(p *path, a *address, v []*sym.Expr) {
	if o, off, ok := newObjectAt(a.e); ok && len(a.addrs) == 0 {
		for i, e := range v {
			p.setNew(o, off+int32(i), e)
		}
		return
	}
	for i, e := range v {
		for _, k := range a.addrs {
			if len(a.addrs) == 1 {
				p.put(k+int32(i), e)
				continue
			}
			p.put(k+int32(i), sym.Ite(sym.Arith(sym.OpEq, a.e, sym.Num(k)), e, p.rawCell(k+int32(i))))
		}
	}
}

// isTimer recognises time.Timer and time.Ticker.
func isTimer(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && (n.Obj().Name() == "Timer" || n.Obj().Name() == "Ticker")
}
