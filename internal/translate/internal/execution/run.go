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

// maxChain is the number of values up to which the paths that each know one can merge: their conditions are
// a chain in which each excludes all values before it (see Concrete), and where they merge, a value is a
// choice as deep as the chain is long.
const maxChain = 16

// Execute executes the next thing on a path: an instruction of the innermost function, a step of an
// operation, a deferred call, or a step of a panic on its way up. It reports whether the path goes on, and
// is then called again; after false the path is at a location, has ended, or was handed to ContinueWith
// (see the package comment). Nothing else takes a path further (exploration.Semantics).
func (x *Executor) Execute(p *exploration.Path) bool {
	// The outermost function has returned.
	if len(p.Frames) == 0 {
		return x.Finish(p, nil)
	}
	if b := p.PendingJump; b != nil {
		p.PendingJump = nil
		return x.jump(p, b)
	}
	f := p.Peek()
	// What the innermost frame is about comes before its instructions. Operations have none. One that
	// unwinds has its deferred calls made by stepUnwind, and the instructions behind the panic are not
	// reached. In one that returns, or is at its RunDefers, the deferred calls are made one by one, each on
	// top of it.
	switch {
	case f.Op != nil:
		return x.stepOp(p)
	case f.Unwind != nil:
		return x.stepUnwind(p)
	case f.Running:
		if n := len(f.Defers); n > 0 {
			return x.runDeferred(p)
		}
		// The body is over, and so is what the library had left to its end (ret): it is the function of a
		// test, which has no results.
		if f.Over {
			return x.ret(p, layout.Zeros(x.ResultWidth(f.Call.Fn)))
		}
		// The RunDefers is over. The instructions behind it read what is returned: a deferred call may have
		// changed a named result.
		g := p.Top()
		g.Running = false
		g.Idx++
		return true
	}
	instr := f.Block.Instrs[f.Idx]
	// A number from outside on which something depends, as how often a loop runs, becomes one of a few as
	// soon as there is one. That is done here, for the instruction before: there are many that compute
	// numbers, in several ways, and each ends in front of the next instruction. On the paths that go on the
	// number is known, so that this happens once.
	if f.Idx > 0 {
		if comp, ok := x.sized(p, f.Block.Instrs[f.Idx-1]); ok {
			x.chooseNumber(p, f.Block.Instrs[f.Idx-1], comp)
			return false
		}
	}
	// Behind an instruction at which paths have forked they wait for each other.
	if p.MergesAt(instr) && x.AwaitMerge(p) {
		return false
	}
	// An annotated statement has a guard in front of its first instruction.
	if s := x.Marked(f, instr); s != 0 {
		x.Arrive(p, state.AtStmt, s)
		return false
	}
	// In the program a guard is in front of the whole statement. The model stops at the first instruction
	// of it that touches memory: what comes before in the statement nobody else sees, nor can change.
	if s := x.accessGuard(f, instr); s != 0 {
		x.Arrive(p, state.AtStmt, s)
		return false
	}
	return x.exec(p, instr)
}

// accessGuard returns the statement guard that stands in front of an instruction and has not been passed
// yet, 0 if none.
//
// Which statements have guards is by what has been executed so far: those that touch a cell which
// goroutines share and one writes (exploration.Explorer.FindShared). A guard too many costs states; one too
// few makes two accesses one step, in which nobody can come between. A guard is passed once for all that
// the statement does, up to the write of an assignment that reads shared memory first: in
//
//	n++ // reads behind one guard, writes behind another
//
// somebody else may write between the two, and is lost. That is the case of Store below, sites.Store. What
// the statement does behind its write has no guard again.
func (x *Executor) accessGuard(f *state.Frame, instr ssa.Instruction) sites.ID {
	if len(x.Access) == 0 || !x.Slice.Executed(instr) {
		return 0
	}
	switch i := instr.(type) {
	// Loads. A receive is an operation, with a guard of its own.
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

// jump goes from the end of a block to another, which begins with its phis: all of these read before one is
// set, since one may read another, as those of a and b do in a loop with
//
//	a, b = b, a
//
// Where the jump is over a branch that does not matter (execIf) the block has no edge from the one before.
// Then none of its phis is kept: a phi that is asks for the branches in front of it (package relevance).
//
// A jump to a block that dominates its origin goes back to the header of a loop. There it is decided
// whether the segment ends: it does if the path has learned or chosen something since it was at the header
// last, since then the loop depends on the state, and might be executed here for ever. A loop that only
// depends on constants, as one over an array, is executed to its end in one segment.
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
		// Each iteration passes the guards of its statements anew.
		f.Passed = 0
		// A loop whose course depends on the state, or on choices, gets a location of its own; one with a
		// known course is executed here and now.
		if p.Mark(to) {
			x.Arrive(p, state.AtLocal, 0)
			return false
		}
		f.NextIteration(x.Program.Function(f.Call.Fn), to)
		// As `for {}`: the goroutine goes on for ever, and does nothing that others notice. The steps are
		// counted first, since nearly all loops end before.
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

// idle reports that a loop without exit does nothing that matters: from b on there are only jumps back to
// it. Of a branch that does not matter it follows one side: the other has nothing that matters either, or
// the branch would.
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

// Branch decides a condition: yes completes a path on which it holds, no one on which it does not, as far
// as there are such paths. They say where it goes on, by a jump, a result or a phase, and must not continue
// it themselves: Branch hands it to ContinueWith, and the caller is done with p.
//
// reason is that of the free choice where the condition is not known; "" is for what the condition says of
// itself.
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
	// It depends on what a partner hands over in this very transition, which a guard cannot read (a guard
	// is evaluated before). The segment ends, at a location that nobody else can act in; behind it the
	// value is a variable, and this is executed again.
	case c.HandedOver():
		x.Arrive(p, state.AtLocal, 0)
		return
	}
	p.Branched = true
	// The paths that wait are a stack: the one on which c holds is executed first.
	if q := p.Fork(sym.Not(c)); q != nil {
		no(q)
		x.ContinueWith(q)
	}
	if p.Assume(c) {
		yes(p)
		x.ContinueWith(p)
	}
}

// Concrete returns the value of an expression on this path. If it can have several, the path is continued
// once for each, and ok is false: the caller must stop, and will be executed again with the value known.
// tracked is false for an unknown value, and then the path is still the caller's: callers look at tracked
// first.
//
// An interval of more than 64 values is as good as unknown. Up to maxChain values the conditions of the
// paths are a chain,
//
//	e == 1;  !(e == 1) && e == 2;  !(e == 1) && !(e == 2)
//
// in which the last needs no condition of its own: e has no other value. Two paths can merge where one has
// a condition and the other its negation (exploration, merge.go), so these can, one after the other.
// Beyond, each path has the one condition e == k, and they stay apart.
func (x *Executor) Concrete(p *exploration.Path, e *sym.Expr) (k int32, ok, tracked bool) {
	e = p.Simplify(e)
	if e.IsConst() {
		return e.K, true, true
	}
	// Which object of a pool a new one is, is asked now: so it has to be in memory.
	p.Expose(e)
	a := p.Abs(e)
	if e.Op == sym.OpUnknown || a.Top {
		return 0, false, false
	}
	// As in Branch.
	if e.HandedOver() {
		x.Arrive(p, state.AtLocal, 0)
		return 0, false, true
	}
	if a.Interval {
		if int64(a.Hi)-int64(a.Lo) > 64 {
			return 0, false, false
		}
		// Filter lists the elements of small intervals, and leaves others as they are.
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
		// c is known, or k is the last value. Either e is not k, and there is no such path if it was the
		// last one; or it is, and none of the others.
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

// Finish ends a goroutine: it has returned, or ends by a Goexit, which is nil for a return.
//
// The entry ends in front of the guard of its end, and behind that the program is over. Another goroutine
// that is the only one of its template ever is done. A process for several ones, one after the other, is
// idle again: its slot is free for the next go statement.
func (x *Executor) Finish(p *exploration.Path, goexit *state.Unwind) bool {
	t := p.Template
	// Nothing is live at its end.
	p.Frames = nil
	if t.Parent == nil {
		// After a Goexit of main the others go on, and if they all end it is an error: the site says where.
		// In a test Goexit is how Fatal and Skip end it.
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

// ret returns from the innermost function with the scalars of its result. true means that the path goes on,
// with the caller, or with deferred calls of this function.
//
// Deferred calls are made by RunDefers, which is in front of each return of a function that has a defer
// statement. What is left here the library has put there (Cleanup, the end of the context of a test, the
// wait for parallel subtests), in a function without such a statement: it is called now, with the function
// still on the stack.
func (x *Executor) ret(p *exploration.Path, results []*sym.Expr) bool {
	f := p.Peek()
	if len(f.Defers) > 0 {
		g := p.Top()
		g.Running, g.Over = true, true
		return true
	}
	p.Pop()
	// Nobody takes the result of a deferred call, and the frame below is not at a call: it goes on with the
	// next deferred one.
	if len(p.Frames) == 0 || f.Deferred {
		return true
	}
	g := p.Top()
	if g.Op != nil {
		// The operation is executed again, in the phase that it has set for when the function has returned.
		if g.Op.Takes > 0 {
			p.Set(g.Call, state.ArgKey(g.Op.Takes), results)
		}
		return true
	}
	if call, ok := g.Block.Instrs[g.Idx].(*ssa.Call); ok {
		if x.Slice.Values[call] {
			p.Set(g.Call, call, results)
		}
		// The paths of one call wait for each other behind it.
		if p.Branched {
			p.MarkFork()
		}
		g.Idx++
	}
	return true
}

// exec executes one instruction of a function; false if it has taken over the path or ended it.
//
// Control flow is executed whether or not it is in the slice. Then come the panics that an instruction may
// raise: of those that somebody recovers, and of misused functions of the library, also where the
// instruction itself is not in the slice. What is left of what is not in the slice is passed over.
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

// execIf goes on in the branches that a condition can choose.
//
// A branch that nothing depends on which the model keeps, as
//
//	if verbose { log.Print(n) }
//
// is not decided: by control dependence nothing from here to where its sides come together, at the
// post-dominator of its block, is in the slice. To follow both sides would be a free choice for nothing,
// and double the paths. Where there is no such block the sides end apart; the returns there have no result
// that is kept, since those would need the branch.
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
	// A run has gone where the condition does not let the model go: now it goes both ways
	// (program/complete.go).
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

// execStore writes to a variable that is not shared, or to memory. A variable of which nobody has the
// address, or a part of one, is a value of the activation (relevance, locals.go): it costs no cell, and
// none of the states that a cell has.
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
	// Nothing is written: that would have to go to all memory, of which nothing would be known behind it.
	if addr == nil {
		x.noteWrite(p, p.Value(ctx, i.Addr)[0])
		return p.Advance()
	}
	x.store(p, addr, p.Value(ctx, i.Val))
	return p.Advance()
}

// execValue executes an instruction that has a value, the empty one of a call included. One that it does
// not know has an unknown value.
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
	// Conversions that change no scalar.
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
		// The address of a part of a local variable: there is none, whoever loads or stores through it
		// knows the part.
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
		// The iterator: the map, and the set of entries that were visited, as bits; see execNext.
		return p.Result(i, p.Value(p.Peek().Call, i.X)[0], sym.Num(0))
	case *ssa.Next:
		return x.execNext(p, i)
	case *ssa.TypeAssert:
		return x.execTypeAssert(p, i)
	}
	return p.Result(v, layout.Unknowns(x.ValueWidth(v), "the model does not keep "+kindOf(v.(ssa.Instruction)))...)
}

// execUnOp executes a receive, a load, or an operation on one value. -v is 0-v, and ^v is -1-v, by two's
// complement; both wrap around in the type of the result.
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

// execLoad reads a variable that is not shared, or memory. What was read of a cell that is kept within
// limits may be saturated, that is, stand for all numbers beyond: the path on which it is reads an unknown
// number, and the other one what is in the cell (exploration.Explorer.Decide).
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

// execFieldAddr computes the address of a field: that of the struct, and an offset. Here the pointer is
// checked: the evaluation of &x.f panics where x is nil (Go specification, Address operators), and behind
// the addition it is not nil any more.
//
// The address of the channel of a timer is the address of the timer (library, timer.go), and those of other
// types that the model does not look into are not known: what is written there nothing in the model reads.
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
	// Of a pointer that can be few addresses the sum can be as many, whatever intervals say.
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

// notNil continues with panics where a pointer is nil; false if it has taken over the path.
//
// An unknown pointer is taken for one that is not nil: else each use of one would be an alarm, nearly all
// of them false. Where the panic would be recovered from, and so decide what comes next, it is recorded
// that it is missing (checked, followed).
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
		// The instruction is executed again with this, and does not fork then.
		p.Know(isNil, sym.Single(0))
		x.ContinueWith(p)
	}
	return false
}

// address is where a pointer can point: the cells at addrs, that at k under the condition e == k. Where
// addrs is nil, e is the address of an object that the segment has allocated: its cells are still apart
// (exploration, created.go), and it need not be known which object of its pool it is.
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

// address resolves a pointer for a load or store. ok is false if it has taken over the path; a nil address
// is one that is not tracked.
//
// With several addresses the path does not fork: a load is a choice among cells, and a store writes each of
// them, what is new or what was there (load, store). Beyond 16 that would be large expressions in many
// cells, and there is a path for each address. That the cells are accessed is recorded, for guards and data
// that goroutines share; of a new object nobody else has the address.
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
	// notNil has excluded nil.
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

// instrAddr is the pointer that an instruction follows; of a call, its first argument.
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

// Accessed records that the goroutine of the path reads or writes n cells in the statement s, 0 for none
// that has a guard, with the locks that it holds.
//
// From these records follows which statements have guards (exploration, shared.go) and which writes have
// (held.go), so that too little here is a step in which nobody can come between. What the entry does while
// it is alone counts for nothing: nobody else is there. Locks and channels have guards of their own.
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
		accessed(p, c, s, write)
	}
}

// accessed records an access to a cell.
func accessed(p *exploration.Path, c *state.Cell, s sites.ID, write bool) {
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

// lengthUsed records that statement s asks for the length of a channel with a buffer, or that a send or receive changes it, for
// which s is 0. The operation has a guard of its own; who asks has one only for that, since of
//
//	a, b := len(c), 0
//	b = len(c)
//
// each may come out otherwise.
func (x *Executor) lengthUsed(p *exploration.Path, o *state.Object, s sites.ID) {
	if o != nil && o.Cap > 0 && p.From != nil && !p.Alone {
		accessed(p, x.Memory.Cells[o.Base+state.ChanLen], s, s == 0)
	}
}

// load reads n cells, each with the condition that it is saturated, nil if it cannot be.
//
// Through a pointer with several addresses each scalar is a chain of choices, the last address without a
// condition: e has no other. The condition that it is saturated is built beside it, in the same order. What
// is computed from a cell that may be saturated, and was written back in this segment, has no such
// condition: it is unknown.
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
			// The addresses are gone through from the last one to the first, whose condition is the
			// outermost.
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

// store writes a value to where a pointer can point: to one cell for each scalar, or to all that it can be,
// which keep what they had if they are not it. What they had is read raw, so that a saturated number stays
// one. An unknown scalar makes all of these cells unknown.
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

// isTimer recognises time.Timer and time.Ticker, whose pointers are addresses of a cell of their channel.
func isTimer(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && (n.Obj().Name() == "Timer" || n.Obj().Name() == "Ticker")
}
