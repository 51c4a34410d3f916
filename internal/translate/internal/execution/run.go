package execution

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// maxChain is the number of values up to which the paths that each know one
// can merge.
const maxChain = 16

// Execute executes one instruction of the path; false ends the path here.
func (x *Executor) Execute(p *exploration.Path) bool {
	if len(p.Frames) == 0 {
		return x.Finish(p, nil)
	}
	if b := p.PendingJump; b != nil {
		p.PendingJump = nil
		return x.jump(p, b)
	}
	f := p.Peek()
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
		g := p.Top()
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
	if p.MergesAt(instr) && x.AwaitMerge(p) {
		return false
	}
	if s := x.Marked(f, instr); s != 0 {
		x.Arrive(p, state.AtStmt, s)
		return false
	}
	if s := x.accessGuard(f, instr); s != 0 {
		x.Arrive(p, state.AtStmt, s)
		return false
	}
	return x.exec(p, instr)
}

// accessGuard returns the statement guard that stands in front of an
// instruction and has not been passed yet, 0 if none.
func (x *Executor) accessGuard(f *state.Frame, instr ssa.Instruction) sites.ID {
	if len(x.Access) == 0 || !x.Slice.Executed(instr) {
		return 0
	}
	switch i := instr.(type) {
	case *ssa.UnOp:
		if i.Op != token.MUL && i.Op != token.ARROW {
			return 0
		}
	case *ssa.FieldAddr:
		// Its pointer may be nil: the statement panics behind its guard.
		if _, ok := x.Slice.Parts[i]; ok {
			return 0
		}
	case *ssa.BinOp, *ssa.If:
		// The guard stands in front of all of a condition, of which the rest, that
		// touches memory, may not be evaluated.
	case *ssa.Store, *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Call, *ssa.Panic, *ssa.Defer, *ssa.Lookup, *ssa.MapUpdate, *ssa.Range:
	default:
		return 0
	}
	s := x.StmtOf(f.Call.Fn, instr)
	if s == 0 || !x.Access[s] {
		return 0
	}
	st := x.Sites.Store(s)
	switch {
	case f.Passed == s:
		// Of a statement that reads and writes the write has a guard as well.
		if _, ok := instr.(*ssa.Store); ok && x.Access[st.ID] {
			if at, ok := x.Sites.At(sites.Store, instr.Pos()); ok && at.ID == st.ID {
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
func (x *Executor) jump(p *exploration.Path, to *ssa.BasicBlock) bool {
	f := p.Owned()
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
		if x.Slice.Values[phi] && pred >= 0 {
			phis = append(phis, assign{phi, slices.Clone(p.Value(f.Call, phi.Edges[pred]))})
		}
	}
	for _, a := range phis {
		p.Set(f.Call, a.phi, a.e)
	}
	f.Block, f.Idx = to, n
	if to.Dominates(from) {
		f.Passed = 0
		// A loop whose course depends on the state, or on choices, gets a location
		// of its own; one with a known course is executed here and now.
		if p.Mark(to) {
			x.Arrive(p, state.AtLocal, 0)
			return false
		}
		f.NextIteration(x.Program.Function(f.Call.Fn), to)
		if p.Steps > 2000 && x.idle(to) {
			x.Arrive(p, state.AtSpin, 0)
			return false
		}
		x.Skip(p, to)
	} else if p.Branched && len(to.Preds) > 1 && n < len(to.Instrs) && x.AwaitMerge(p) {
		return false
	}
	return true
}

// idle reports that a loop without exit does nothing that matters: from b on
// there are only jumps back to it.
func (x *Executor) idle(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	for c := b; !seen[c]; {
		seen[c] = true
		for _, instr := range c.Instrs {
			if _, ok := instr.(*ssa.Phi); !ok && x.Slice.Considered(instr) {
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

// Branch decides a condition: it continues p where it can hold and else where
// it can not, and reports that it has taken over the path.
func (x *Executor) Branch(p *exploration.Path, c *sym.Expr, pos token.Pos, reason string, yes, no func(q *exploration.Path)) {
	c = p.Simplify(c)
	switch {
	case c.IsConst() && c.K != 0:
		yes(p)
		x.ContinueWith(p)
		return
	case c.IsConst():
		no(p)
		x.ContinueWith(p)
		return
	case c.Op == sym.OpUnknown:
		if reason == "" {
			reason = "the condition depends on a value that is not tracked: " + c.Why.Reason
		}
		p.Choose(reason, yes, no)
		return
	case c.HandedOver():
		x.Arrive(p, state.AtLocal, 0)
		return
	}
	p.Branched = true
	if q := p.Fork(sym.Not(c)); q != nil {
		no(q)
		x.ContinueWith(q)
	}
	if p.Assume(c) {
		yes(p)
		x.ContinueWith(p)
	}
}

// Concrete returns the value of an expression on this path. If it can have
// several, the path is continued once for each, and ok is false: the caller
// must stop, and will be executed again with the value known. tracked is false
// for an unknown value.
func (x *Executor) Concrete(p *exploration.Path, e *sym.Expr) (k int32, ok, tracked bool) {
	e = p.Simplify(e)
	if e.IsConst() {
		return e.K, true, true
	}
	p.Expose(e)
	a := p.Abs(e)
	if e.Op == sym.OpUnknown || a.Top {
		return 0, false, false
	}
	if e.HandedOver() {
		x.Arrive(p, state.AtLocal, 0)
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
	p.MarkFork()
	if len(a.Elems) > maxChain {
		for i := len(a.Elems) - 1; i >= 0; i-- {
			if q := p.Fork(exploration.Eq(e, a.Elems[i])); q != nil {
				q.Know(e, sym.Single(a.Elems[i]))
				x.ContinueWith(q)
			}
		}
		return 0, false, true
	}
	// Each path excludes those before it, so that they can merge.
	var paths []*exploration.Path
	possible := true
	for i, k := range a.Elems {
		c := p.Simplify(exploration.Eq(e, k))
		if i+1 < len(a.Elems) && !c.IsConst() {
			if q := p.Fork(c); q != nil {
				q.Know(e, sym.Single(k))
				paths = append(paths, q)
			}
			if possible = p.Assume(sym.Not(c)); !possible {
				break
			}
			continue
		}
		if c.Is(0) {
			possible = i+1 < len(a.Elems)
			continue
		}
		p.Know(e, sym.Single(k))
		break
	}
	if possible {
		paths = append(paths, p)
	}
	for i := len(paths) - 1; i >= 0; i-- {
		x.ContinueWith(paths[i])
	}
	return 0, false, true
}

// Finish ends a goroutine: it has returned, or ends by a Goexit.
func (x *Executor) Finish(p *exploration.Path, goexit *state.Unwind) bool {
	t := p.Template
	p.Frames = nil
	if t.Parent == nil {
		if goexit != nil {
			site := goexit.Site
			if x.Program.Test() {
				site = 0 // it is over as if it had returned
			}
			x.Arrive(p, state.AtDone, site)
			return false
		}
		x.Arrive(p, state.AtEnd, x.Sites.End().ID)
		return false
	}
	if t.Once {
		x.Arrive(p, state.AtDone, 0)
	} else {
		x.Arrive(p, state.AtIdle, 0)
	}
	return false
}

// ret returns from the innermost function with the scalars of its result.
func (x *Executor) ret(p *exploration.Path, results []*sym.Expr) bool {
	f := p.Peek()
	if len(f.Defers) > 0 {
		g := p.Top()
		g.Running, g.Over = true, true
		return true
	}
	p.Pop()
	if len(p.Frames) == 0 || f.Deferred {
		return true
	}
	g := p.Top()
	if g.Op != nil {
		if g.Op.Takes > 0 {
			p.Set(g.Call, state.ArgKey(g.Op.Takes), results)
		}
		return true
	}
	if call, ok := g.Block.Instrs[g.Idx].(*ssa.Call); ok {
		if x.Slice.Values[call] {
			p.Set(g.Call, call, results)
		}
		if p.Branched {
			p.MarkFork()
		}
		g.Idx++
	}
	return true
}

// exec executes one instruction of a function; false if it has taken over the path or ended it.
func (x *Executor) exec(p *exploration.Path, instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Jump:
		return x.jump(p, p.Peek().Block.Succs[0])
	case *ssa.If:
		return x.execIf(p, i)
	case *ssa.Return:
		return x.execReturn(p, i)
	case *ssa.RunDefers:
		p.Top().Running = true
		return true
	}
	if x.Slice.Checks[instr] != "" && !x.checked(p, instr) {
		return false
	}
	if call, ok := instr.(*ssa.Call); ok && !x.library.Misuse(x, p, call) {
		return false
	}
	if !x.Slice.Executed(instr) {
		return p.Advance()
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
	return p.Advance()
}

// execIf goes on in the branches that a condition can choose. Where nothing that the model
// keeps depends on the branch, it goes on where they merge.
func (x *Executor) execIf(p *exploration.Path, i *ssa.If) bool {
	f := p.Peek()
	ctx := f.Call
	if !x.Slice.Instrs[i] {
		d := x.Program.Function(ctx.Fn).PostDominator[f.Block.Index]
		if d < 0 {
			return x.ret(p, layout.Unknowns(x.ResultWidth(ctx.Fn), "not tracked"))
		}
		return x.jump(p, ctx.Fn.Blocks[d])
	}
	then, els := f.Block.Succs[0], f.Block.Succs[1]
	if reason := x.Program.Branches[i]; reason != "" {
		p.Choose(reason, func(q *exploration.Path) { q.PendingJump = then }, func(q *exploration.Path) { q.PendingJump = els })
		return false
	}
	go2 := func(b *ssa.BasicBlock) func(q *exploration.Path) {
		return func(q *exploration.Path) {
			q.PendingJump = b
		}
	}
	x.Branch(p, p.Value(ctx, i.Cond)[0], i.Pos(), "", go2(then), go2(els))
	return false
}

// execReturn returns the results of a return statement.
func (x *Executor) execReturn(p *exploration.Path, i *ssa.Return) bool {
	ctx := p.Peek().Call
	var out []*sym.Expr
	for _, r := range i.Results {
		out = append(out, p.Value(ctx, r)...)
	}
	return x.ret(p, out)
}

// execPanic begins a panic: at its guard, but for one that the compiler has put behind the
// loops over functions, which has none.
func (x *Executor) execPanic(p *exploration.Path, i *ssa.Panic) bool {
	if program.UnreachablePanic(i) {
		return false
	}
	if !i.Pos().IsValid() {
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Pos: p.Here(), Detail: "range over func misused"}, p.Value(p.Peek().Call, i.X))
		return true
	}
	return x.atGuard(p, i)
}

// execStore writes to a variable that is not shared, or to memory.
func (x *Executor) execStore(p *exploration.Path, i *ssa.Store) bool {
	ctx := p.Peek().Call
	if x.Program.CopiesSync(i) {
		x.NoteCopy(p, i)
	}
	if a, ok := x.Slice.Parts[i.Addr]; ok {
		x.StorePart(p, ctx, a, p.Value(ctx, i.Val))
		return p.Advance()
	}
	if x.Slice.Plain[i.Addr] {
		p.Set(ctx, i.Addr, slices.Clone(p.Value(ctx, i.Val)))
		return p.Advance()
	}
	addr, ok := x.address(p, p.Value(ctx, i.Addr)[0], i)
	if !ok {
		return false
	}
	if addr == nil {
		x.noteWrite(p, p.Value(ctx, i.Addr)[0])
		return p.Advance()
	}
	x.store(p, addr, p.Value(ctx, i.Val))
	return p.Advance()
}

// execValue executes an instruction that has a value, the empty one of a call included.
func (x *Executor) execValue(p *exploration.Path, v ssa.Value) bool {
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
		return p.Result(i, e)
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
		return p.Result(i, e...)
	case *ssa.ChangeType:
		return p.Result(i, p.Value(p.Peek().Call, i.X)...)
	case *ssa.ChangeInterface:
		return p.Result(i, p.Value(p.Peek().Call, i.X)...)
	case *ssa.Convert:
		return p.Result(i, x.convert(p, i)...)
	case *ssa.Extract:
		return x.execExtract(p, i)
	case *ssa.FieldAddr:
		return x.execFieldAddr(p, i)
	case *ssa.Field:
		return x.execField(p, i)
	case *ssa.IndexAddr:
		if _, ok := x.Slice.Parts[i]; ok {
			return p.Advance()
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
		return p.Result(i, p.Value(p.Peek().Call, i.X)[0], sym.Num(0))
	case *ssa.Next:
		return x.execNext(p, i)
	case *ssa.TypeAssert:
		return x.execTypeAssert(p, i)
	}
	return p.Result(v, layout.Unknowns(x.ValueWidth(v), "the model does not keep "+kindOf(v.(ssa.Instruction)))...)
}

// execUnOp executes a receive, a load, or an operation on one value.
func (x *Executor) execUnOp(p *exploration.Path, i *ssa.UnOp) bool {
	ctx := p.Peek().Call
	switch i.Op {
	case token.ARROW:
		return x.atGuard(p, i)
	case token.MUL:
		return x.execLoad(p, i)
	case token.NOT:
		return p.Result(i, sym.Not(p.Value(ctx, i.X)[0]))
	case token.SUB, token.XOR:
		if !program.IsInteger(i.X.Type()) {
			return p.Result(i, sym.Unknown("not an integer"))
		}
		from := sym.Num(0)
		if i.Op == token.XOR {
			from = sym.Num(-1) // all bits
		}
		return p.Result(i, p.Integer(token.SUB, i.Type(), from, p.Value(ctx, i.X)[0]))
	}
	return p.Result(i, sym.Unknown("bit operation"))
}

// execLoad reads a variable that is not shared, or memory, which is decided first where it can
// be saturated.
func (x *Executor) execLoad(p *exploration.Path, i *ssa.UnOp) bool {
	ctx := p.Peek().Call
	if a, ok := x.Slice.Parts[i.X]; ok {
		return p.Result(i, x.LoadPart(p, ctx, a, i.Type())...)
	}
	if x.Slice.Plain[i.X] {
		return p.Result(i, p.Value(ctx, i.X)...)
	}
	addr, ok := x.address(p, p.Value(ctx, i.X)[0], i)
	if !ok {
		return false
	}
	if addr == nil {
		return p.Result(i, layout.Unknowns(x.Width(i.Type()), throughUnknown(p.Value(ctx, i.X)[0]))...)
	}
	x.noteVariable(p, i.X)
	v, saturated := x.load(p, addr, x.Width(i.Type()))
	x.Decide(p, v, saturated, func(q *exploration.Path, v []*sym.Expr) {
		q.Set(ctx, i, v)
		q.Advance()
		x.ContinueWith(q)
	})
	return false
}

// execExtract takes one of the results of a call, or of another operation with several.
func (x *Executor) execExtract(p *exploration.Path, i *ssa.Extract) bool {
	t := i.Tuple.Type().(*types.Tuple)
	off := 0
	for k := range i.Index {
		off += x.Width(t.At(k).Type())
	}
	e := p.Value(p.Peek().Call, i.Tuple)
	n := x.Width(i.Type())
	if off+n > len(e) {
		return p.Result(i, layout.Unknowns(n, "not tracked")...)
	}
	return p.Result(i, e[off:off+n]...)
}

// execFieldAddr computes the address of a field. That of the channel of a timer is the address
// of the timer, and those of other types that the model does not look into are not known.
func (x *Executor) execFieldAddr(p *exploration.Path, i *ssa.FieldAddr) bool {
	if _, ok := x.Slice.Parts[i]; ok {
		return p.Advance()
	}
	a := p.Value(p.Peek().Call, i.X)[0]
	st := program.Pointee(i.X.Type()).Underlying().(*types.Struct)
	if off, ok := layout.LibraryField(program.Pointee(i.X.Type()), i.Field); ok {
		if ok := x.notNil(p, a, i); !ok {
			return false
		}
		return p.Result(i, sym.Arith(sym.OpAdd, a, sym.Num(off)))
	}
	if isTimer(program.Pointee(i.X.Type())) && st.Field(i.Field).Name() == "C" {
		if ok := x.notNil(p, a, i); !ok {
			return false
		}
		return p.Result(i, a)
	}
	if x.Foreign(program.Pointee(i.X.Type())) {
		return p.Result(i, sym.Unkept("field of a foreign type"))
	}
	if ok := x.notNil(p, a, i); !ok {
		return false
	}
	off := int32(x.FieldOffset(st, i.Field))
	e := sym.Arith(sym.OpAdd, a, sym.Num(off))
	p.Offset(e, a, off)
	return p.Result(i, e)
}

// execField takes a field of a struct that is a value.
func (x *Executor) execField(p *exploration.Path, i *ssa.Field) bool {
	st := i.X.Type().Underlying().(*types.Struct)
	n := x.Width(i.Type())
	if x.Foreign(i.X.Type()) {
		return p.Result(i, layout.Unknowns(n, "field of a foreign type")...)
	}
	off := x.FieldOffset(st, i.Field)
	return p.Result(i, p.Value(p.Peek().Call, i.X)[off:off+n]...)
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
func (x *Executor) notNil(p *exploration.Path, a *sym.Expr, instr ssa.Instruction) bool {
	a = p.Simplify(a)
	if a.Op == sym.OpUnknown || !p.Abs(a).Has(0) {
		return true
	}
	isNil := p.Simplify(exploration.Eq(a, 0))
	if isNil.Is(0) {
		return true
	}
	nilPanic := func(q *exploration.Path) {
		x.Raise(q, &state.Unwind{Kind: artifact.KindPanic, Site: q.Statement(instr), Pos: q.Here(), Detail: "nil pointer dereference"}, x.SomeError())
	}
	if a.IsConst() {
		nilPanic(p)
		x.ContinueWith(p)
		return false
	}
	if a.HandedOver() {
		x.Arrive(p, state.AtLocal, 0)
		return false
	}
	if q := p.Fork(isNil); q != nil {
		nilPanic(q)
		x.ContinueWith(q)
	}
	if p.Assume(sym.Not(isNil)) {
		p.Know(isNil, sym.Single(0))
		x.ContinueWith(p)
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
func (x *Executor) address(p *exploration.Path, e *sym.Expr, instr ssa.Instruction) (*address, bool) {
	e = p.Simplify(e)
	if !x.notNil(p, e, instr) {
		return nil, false
	}
	if _, _, cells := p.NewObject(e); cells != nil {
		return &address{e: e}, true
	}
	p.Expose(e)
	a := p.Abs(e)
	if e.Op == sym.OpUnknown || a.Top || a.Interval {
		return nil, true
	}
	a = a.Filter(func(k int32) bool { return k != 0 })
	if len(a.Elems) > 16 {
		_, ok, _ := x.Concrete(p, e)
		return nil, ok
	}
	s := p.Statement(instr)
	_, isStore := instr.(*ssa.Store)
	for _, k := range a.Elems {
		x.Accessed(p, k, x.Width(program.Pointee(instrAddr(instr).Type())), s, isStore)
	}
	return &address{e, a.Elems}, true
}

// noteWrite records that what is written through a pointer, or into a map, is not in
// the model, unless it is known to be where the model has nothing.
func (x *Executor) noteWrite(p *exploration.Path, to *sym.Expr) {
	to = p.Simplify(to)
	if u := to.UnknownIn(); to.IsConst() || u != nil && u.Why.Unkept {
		return
	}
	p.Note("unknown-memory", artifact.DirectionUnder, "what is written through a pointer that is not tracked is not in the model")
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

// Accessed records that the goroutine of the path reads or writes cells.
func (x *Executor) Accessed(p *exploration.Path, addr int32, n int, s sites.ID, write bool) {
	if p.From == nil || p.Alone {
		return
	}
	for i := range int32(n) {
		if int(addr+i) >= len(x.Memory.Cells) || addr+i <= 0 {
			continue
		}
		c := x.Memory.Cells[addr+i]
		if c.Sync || c.Group.WriteOnly {
			continue
		}
		in := c.Access[p.Template]
		if in == nil {
			in = &state.Access{}
			c.Access[p.Template] = in
		}
		if write {
			in.Written = true
		} else {
			in.Read = true
		}
		if s != 0 && !slices.Contains(c.Stmts, s) {
			c.Stmts = append(c.Stmts, s)
		}
		c.Used(state.Use{Template: p.Template, Stmt: s, Write: write, Held: p.Held})
	}
}

// load reads n cells, each with the condition that it is saturated, nil if it
// cannot be.
func (x *Executor) load(p *exploration.Path, a *address, n int) (out, saturated []*sym.Expr) {
	out, saturated = make([]*sym.Expr, n), make([]*sym.Expr, n)
	if o, off, ok := exploration.NewObjectAt(a.e); ok && len(a.addrs) == 0 {
		for i := range out {
			out[i] = p.NewCell(o, off+int32(i))
		}
		return out, saturated
	}
	for i := range out {
		for k := len(a.addrs) - 1; k >= 0; k-- {
			e := p.RawCell(a.addrs[k] + int32(i))
			l := p.SaturatedIf(e)
			if l == nil && (p.MayBeSaturated(e) || x.IsSaturated(a.addrs[k]+int32(i), e)) {
				e = sym.Unknown(exploration.SaturatedReason)
			}
			if out[i] == nil {
				out[i], saturated[i] = e, l
				continue
			}
			here := sym.Arith(sym.OpEq, a.e, sym.Num(a.addrs[k]))
			out[i] = sym.Ite(here, e, out[i])
			if l == nil && saturated[i] == nil {
				continue
			}
			if l == nil {
				l = sym.Num(0)
			}
			if saturated[i] == nil {
				saturated[i] = sym.Num(0)
			}
			saturated[i] = sym.Ite(here, l, saturated[i])
		}
	}
	return out, saturated
}

func (x *Executor) store(p *exploration.Path, a *address, v []*sym.Expr) {
	if o, off, ok := exploration.NewObjectAt(a.e); ok && len(a.addrs) == 0 {
		for i, e := range v {
			p.SetNew(o, off+int32(i), e)
		}
		return
	}
	for i, e := range v {
		for _, k := range a.addrs {
			if len(a.addrs) == 1 {
				p.Put(k+int32(i), e)
				continue
			}
			p.Put(k+int32(i), sym.Ite(sym.Arith(sym.OpEq, a.e, sym.Num(k)), e, p.RawCell(k+int32(i))))
		}
	}
}

// isTimer recognises time.Timer and time.Ticker.
func isTimer(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && (n.Obj().Name() == "Timer" || n.Obj().Name() == "Ticker")
}
