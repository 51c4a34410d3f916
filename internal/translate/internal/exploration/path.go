package exploration

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/radix"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A Path is a symbolic execution of one segment: from a location on, until the
// next guard is reached.
// Its expressions are over the state in which the segment began: a variable or cell in them is what it was then,
// also behind a write to it. So what the path knows of it stays true until the segment ends, and what it has
// written is the simultaneous assignment of one edge.
type Path struct {
	Knowledge
	EdgeLabel
	allocated
	Course

	Explorer *Explorer
	Template *state.Template // of its goroutine
	From     *state.Location // where the segment begins, nil before the start
	Frames   []*state.Frame  // from the outside
	own      *state.Frame    // the innermost one that nobody else has
	env      table[envKey, []*sym.Expr]
	heap     radix.Tree[*sym.Expr]
	Held     []state.HeldLock // the locks that the goroutine holds
	fresh    []int            // events that it has armed, by their numbers, see deadline.go
	Alone    bool             // the entry has started no goroutine yet
	Serial   bool             // nor has this goroutine but subtests, see unroll.go

	// PendingJump is the block that a decided branch leads to.
	PendingJump *ssa.BasicBlock
}

// Knowledge is what holds on a path: its conditions, and what follows from them.
// It may be less than what follows, never more: a value that is left out of a set is one that the model cannot
// have.
type Knowledge struct {
	Cond    []*sym.Expr // the guard of its edge, all of these
	decided int         // conditions added so far
	narrow  table[*sym.Expr, sym.Set]
	epoch   uint64              // of narrow, see eval
	facts   table[uint64, fact] // of other expressions than narrow, by their key
	guesses []guess
	chosen  []pin // free choices of unknown values
}

// EdgeLabel is what the edge of a path says besides its guard and what it writes.
type EdgeLabel struct {
	Sync   *state.Sync     // the channel operation that it does with a partner
	Full   *state.Template // the condition that no process of it is idle
	Send   []*sym.Expr     // handed over to the partner
	Hand   []sym.Set       // of OpMsg and OpArg
	Role   string          // see package artifact
	Site   sites.ID        // of the guard that it passes
	Sel    int             // the case of a select
	Spawn  *state.Template // of the goroutine that it starts
	approx []int           // of the edge, while emitting
	early  []remark
}

// allocated are the objects that a segment has made.
type allocated struct {
	created table[state.NewObject, []*sym.Expr] // the cells of these
	allocs  table[*state.Pool, int]             // those taken from pools
	uneven  map[*state.Pool]bool                // merged from paths that took different numbers of them
}

// Course is how a path has come to where it is, and whether it is to merge with others.
type Course struct {
	Steps          int                         // instructions executed
	marks          table[*ssa.BasicBlock, int] // conditions and choices when a loop header was passed last
	Picks          int                         // free choices made
	variant        string                      // the numbers chosen, see variants.go
	rolled         bool                        // it may have been here before, see unroll.go
	split          bool                        // the segment is split where paths merge, see split.go
	dense          bool                        // the segment has many paths, see merge.go
	resumed        bool                        // it goes on from where it has waited for others
	Branched       bool                        // the path is one side of a branch
	Saturated      bool                        // it has read what is saturated, see limits.go
	forkedAt       ssa.Instruction             // where the path has forked last
	iterationStart *iterationStart             // an earlier iteration of a loop, see iterations.go
}

// An envKey is the key of what is kept of an activation: a value, or a key of package state.
type envKey struct {
	ctx *state.CallPath
	v   any
}

// A pin is a value that was chosen for an expression that is not known.
type pin struct {
	e *sym.Expr
	k int32
}

// Clone is another path that goes on from here.
func (p *Path) Clone() *Path {
	q := *p
	q.epoch = p.Explorer.nextEpoch()
	q.Frames = slices.Clone(p.Frames)
	q.env, q.heap, q.created = p.env.share(), p.heap.Share(), p.created.share()
	q.narrow, q.facts = p.narrow.share(), p.facts.share()
	q.allocs, q.marks = p.allocs.share(), p.marks.share()
	// The frames are those of both, so that neither may change one in place.
	p.own, q.own = nil, nil
	// Held, guesses and uneven stay those of both paths: who changes them makes others.
	q.Cond = slices.Clone(p.Cond)
	q.chosen = slices.Clone(p.chosen)
	q.approx = slices.Clone(p.approx)
	q.early = slices.Clone(p.early)
	q.fresh = slices.Clone(p.fresh)
	return &q
}

// Top returns the innermost frame for changing.
func (p *Path) Top() *state.Frame {
	f := *p.Frames[len(p.Frames)-1]
	f.Defers = slices.Clone(f.Defers)
	p.Frames[len(p.Frames)-1], p.own = &f, &f
	return &f
}

// Owned is the innermost frame for changing: that of the last change, if it is still the path's own.
func (p *Path) Owned() *state.Frame {
	if f := p.Peek(); f == p.own {
		return f
	}
	return p.Top()
}

// Peek returns the innermost frame, which is not to be changed.
func (p *Path) Peek() *state.Frame { return p.Frames[len(p.Frames)-1] }

// Pop leaves the innermost frame.
func (p *Path) Pop() { p.Frames = p.Frames[:len(p.Frames)-1] }

// Push enters a frame.
func (p *Path) Push(f *state.Frame) { p.Frames = append(p.Frames, f) }

// Root is what a leaf of an expression can be.
// Who looks at what a cell can be notes that, here or in RawCell: by Readers and AskedAt Grow and wakeByLocation
// know which segments to execute again. A look that is not noted leaves a solution that is no fixed point, which
// TestFixedPoint shows.
func (p *Path) Root(e *sym.Expr) sym.Set {
	if a, ok := p.narrow.m[e]; ok {
		return a
	}
	switch e.Op {
	case sym.OpVar:
		return state.VariableOf(e).Abs
	case sym.OpCell:
		c := state.CellOf(e)
		if a, ok := p.atLocation(c); ok {
			return a
		}
		if p.From != nil {
			c.Readers[p.From] = true
		}
		return c.Abs
	case sym.OpMsg, sym.OpArg:
		if int(e.K) < len(p.Hand) {
			return p.Hand[e.K]
		}
	}
	return sym.Anything()
}

// Abs is the set of values that an expression can have on the path.
func (p *Path) Abs(e *sym.Expr) sym.Set {
	return p.eval(e)
}

// eval computes what an expression can be. Parts are shared: each is computed
// once, until the path learns more about its variables and cells.
//
// The result is kept in the expression, with the epoch of the path that has asked. Each path has epochs of its own,
// and another one as soon as it knows more, so that no path takes what another one knows.
func (p *Path) eval(e *sym.Expr) sym.Set {
	switch e.Op {
	case sym.OpConst, sym.OpUnknown, sym.OpFull, sym.OpSelf:
		return sym.Evaluate(e, nil)
	case sym.OpVar, sym.OpCell, sym.OpMsg, sym.OpArg:
		return p.Root(e)
	}
	if e.Epoch != p.epoch {
		p.Explorer.evals++
		// The key is a hash. What is known of an expression holds for those that are built anew in the same way.
		if f, ok := p.facts.m[e.Key()]; ok && f.e.Same(e) {
			e.Can = f.a
		} else {
			e.Can = sym.Evaluate(e, p.eval)
		}
		e.Epoch = p.epoch
	}
	return e.Can
}

// Learn sets what a variable or cell can be on this path.
func (p *Path) Learn(e *sym.Expr, a sym.Set) {
	p.narrow.set(e, a)
	p.epoch = p.Explorer.nextEpoch()
}

// A fact is what an expression can be on a path.
type fact struct {
	e *sym.Expr
	a sym.Set
}

// Know sets what an expression can be on this path.
func (p *Path) Know(e *sym.Expr, a sym.Set) {
	switch e.Op {
	case sym.OpVar, sym.OpCell, sym.OpMsg, sym.OpArg:
		p.Learn(e, a)
	case sym.OpConst, sym.OpUnknown:
	default:
		p.facts.set(e.Key(), fact{e, a})
		p.epoch = p.Explorer.nextEpoch()
	}
}

// condition adds a condition as it is. An edge can have none on what is not tracked:
// the state of an object that was written over through a pointer, say.
//
// decided does not go down when paths merge and conditions drop out: Mark asks it whether an iteration of a loop
// has decided something.
func (p *Path) condition(c *sym.Expr) {
	if u := c.UnknownIn(); u != nil && p.Explorer.Emitting {
		p.Explorer.Unsupported(p.Here(), "operation", "what it waits for is not tracked: "+u.Why.Reason)
		return
	}
	p.Cond = append(p.Cond, c)
	p.decided++
}

// nextEpoch numbers the states of knowledge of paths.
func (x *Explorer) nextEpoch() uint64 {
	x.epochs++
	return x.epochs
}

// Simplify replaces an expression whose value is known by that value.
func (p *Path) Simplify(e *sym.Expr) *sym.Expr {
	if _, _, cells := p.NewObject(e); cells != nil {
		return e // what is stored in it is kept apart, also if it can only be one
	}
	for e.Op == sym.OpIte {
		k, ok := p.Abs(e.A).Single()
		switch {
		case !ok:
		case k != 0:
			e = e.B
			continue
		default:
			e = e.C
			continue
		}
		break
	}
	if e.IsConst() || e.Op == sym.OpUnknown {
		return e
	}
	if k, ok := p.Abs(e).Single(); ok {
		return sym.Num(k)
	}
	return e
}

// Assume adds a condition. It reports whether the path can still be taken.
//
// Not every contradiction is noticed. A path that goes on in vain becomes an edge with a guard that never holds,
// which costs room and is no false alarm. That a path is given up which the program can take would be false calm.
func (p *Path) Assume(c *sym.Expr) bool {
	c = p.Simplify(c)
	if c.IsConst() {
		return c.K != 0
	}
	if !p.suppose(c) {
		return false
	}
	p.condition(c)
	return true
}

// suppose narrows what is known by a condition. It reports whether it can hold.
func (p *Path) suppose(c *sym.Expr) bool {
	if c = p.Simplify(c); c.IsConst() {
		return c.K != 0
	}
	if c.Op == sym.OpAnd {
		return p.suppose(c.A) && p.suppose(c.B)
	}
	p.refine(c, true)
	return true
}

// refine narrows what the leaves can be, given that c is true, or false.
// What is learnt has to follow from it, and need not be all that follows: of two sums that are equal nothing is
// learnt for their parts. TestSuppose tries it with all values.
func (p *Path) refine(c *sym.Expr, truth bool) {
	set := func(e *sym.Expr, keep func(int32) bool, lo, hi int64) {
		if e.IsConst() || e.Op == sym.OpUnknown {
			return
		}
		a := p.Abs(e)
		if a.Top && (e.Op != sym.OpVar && e.Op != sym.OpCell) {
			if lo != hi {
				return
			}
			p.Know(e, sym.Single(int32(lo)))
			return
		}
		// Filter leaves a wide interval as it is: its ends are moved before.
		if a.Interval {
			a = a.Clamp(lo, hi)
		}
		p.Know(e, a.Filter(keep))
	}
	if c.Op != sym.OpVar && c.Op != sym.OpCell {
		p.Know(c, truthValue(truth))
	}
	const least, most = -1 << 40, 1 << 40
	switch c.Op {
	case sym.OpNot:
		p.refine(c.A, !truth)
	case sym.OpAnd:
		if truth {
			p.refine(c.A, true)
			p.refine(c.B, true)
			break
		}
		// One of the two does not hold: which one is known only if the other one does.
		if k, ok := p.Abs(c.A).Single(); ok && k != 0 {
			p.refine(c.B, false)
		} else if k, ok := p.Abs(c.B).Single(); ok && k != 0 {
			p.refine(c.A, false)
		}
	case sym.OpVar, sym.OpCell:
		set(c, func(k int32) bool { return (k != 0) == truth }, least, most)
	case sym.OpEq, sym.OpLt, sym.OpLe:
		rel := func(x, y int64) bool { z, _ := sym.Apply(c.Op, x, y); return (z != 0) == truth }
		// within narrows one side, v or v + d, to what lies between lo and hi; holds
		// says whether the comparison does for a value of it.
		within := func(side *sym.Expr, lo, hi int64, holds func(int64) bool) {
			d := int64(0)
			if side.Op == sym.OpAdd && side.B.IsConst() {
				side, d = side.A, int64(side.B.K)
			}
			if !side.IsConst() {
				set(side, func(v int32) bool { k := int64(v) + d; return lo <= k && k <= hi && holds(k) }, lo-d, hi-d)
			}
		}
		// beside narrows one side by what is known of the other, which is above it
		// if smaller is c.a.
		beside := func(side *sym.Expr, other sym.Set, smaller bool, holds func(v, k int64) bool) {
			if other.Top || other.Empty() {
				return
			}
			ol, oh := other.Bounds()
			k, single := other.Single()
			lo, hi := int64(least), int64(most)
			strict := int64(0)
			if (c.Op == sym.OpLt) == truth {
				strict = 1
			}
			switch {
			case c.Op == sym.OpEq && truth:
				lo, hi = int64(ol), int64(oh)
			case c.Op == sym.OpEq:
			case smaller == truth:
				hi = int64(oh) - strict
			default:
				lo = int64(ol) + strict
			}
			within(side, lo, hi, func(v int64) bool { return !single || holds(v, int64(k)) })
		}
		beside(c.A, p.Abs(c.B), true, rel)
		beside(c.B, p.Abs(c.A), false, func(v, k int64) bool { return rel(k, v) })
	}
}

// truthValue is what a condition can be that holds, or does not.
func truthValue(b bool) sym.Set {
	if b {
		return sym.Single(1)
	}
	return sym.Single(0)
}

// Fork is a copy of the path on which c holds, to be continued by who asks for it (ContinueWith), nil if it cannot
// hold.
func (p *Path) Fork(c *sym.Expr) *Path {
	q := p.Clone()
	if !q.Assume(c) {
		return nil
	}
	return q
}

// Value returns the scalars of a value in a frame.
func (p *Path) Value(ctx *state.CallPath, v ssa.Value) []*sym.Expr {
	x := p.Explorer
	switch v := v.(type) {
	case *ssa.Const:
		return x.Constant(v)
	case *ssa.Global:
		return []*sym.Expr{sym.Num(x.Global(v).Base)}
	case *ssa.Function:
		return []*sym.Expr{sym.Num(x.Memory.Function(v, p.namedAt(ctx, v)).Base)}
	}
	if e := p.env.m[envKey{ctx, v}]; e != nil {
		return e
	}
	return layout.Unknowns(x.ValueWidth(v), "not tracked")
}

// Set sets the scalars of a value of an activation, as far as they are known by what is known of them.
// The slice is the path's from then on, and is changed.
func (p *Path) Set(ctx *state.CallPath, v any, e []*sym.Expr) {
	for i := range e {
		e[i] = p.Simplify(e[i])
	}
	p.env.set(envKey{ctx, v}, e)
}

// CellAt reads one cell. One that can be saturated is not tracked; see Decide for
// reads that find out.
func (p *Path) CellAt(addr int32) *sym.Expr {
	e := p.RawCell(addr)
	if p.MayBeSaturated(e) || p.Explorer.IsSaturated(addr, e) {
		return sym.Unknown(SaturatedReason)
	}
	return e
}

// RawCell reads one cell as it is, to be written back.
func (p *Path) RawCell(addr int32) *sym.Expr {
	if e := p.written(addr); e != nil {
		return e
	}
	if addr <= 0 || int(addr) >= len(p.Explorer.Memory.Cells) {
		return sym.Unknown("outside of memory")
	}
	c := p.Explorer.Memory.Cells[addr]
	if c.Outside != "" {
		return sym.Unknown(c.Outside)
	}
	// Before the first guard nobody else has written: memory is what it is at first, or what the path has written.
	if p.From == nil {
		if c.Abs.Top {
			return sym.Unknown("contents not tracked")
		}
		return sym.Num(c.Init)
	}
	// What it holds is asked here, and in Simplify, and so noted. That it is not tracked at all is asked below of
	// those that are kept by location, too: Wake knows.
	if a, ok := p.atLocation(c); !ok {
		c.Readers[p.From] = true
	} else if k, ok := a.Single(); ok {
		return sym.Num(k)
	}
	if c.Abs.Top {
		return sym.Unknown("contents not tracked")
	}
	return p.Simplify(c.Expr)
}

// Put writes a cell.
func (p *Path) Put(addr int32, e *sym.Expr) {
	if addr > 0 && int(addr) < len(p.Explorer.Memory.Cells) && p.Explorer.Memory.Cells[addr].Outside == "" {
		e = p.Simplify(e)
		p.write(addr, e)
		// Of a cell that is written and restored in one segment, as by "busy = true; n++; busy = false", only this
		// says that another goroutine may find it otherwise. What it can hold only grows: a cell that has one value
		// in the end has it already.
		if c := p.Explorer.Memory.Cells[addr]; c != nil && !c.Varies && p.From != nil && !p.Alone {
			only, ok := c.Abs.Single()
			c.Varies = !ok || !e.IsConst() || e.K != only
		}
	}
}

// Here is the position of what the path executes.
func (p *Path) Here() token.Pos {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := p.Frames[i]
		if f.Block != nil && f.Idx < len(f.Block.Instrs) {
			if pos := p.Explorer.Program.Function(f.Call.Fn).Positions[f.Block.Instrs[f.Idx]]; pos.IsValid() {
				return pos
			}
		}
		if f.Block == nil && f.Call.Site != nil && f.Call.Site.Pos().IsValid() {
			return f.Call.Site.Pos()
		}
	}
	if p.Template.Origin != nil {
		return p.Template.Origin.Pos() // an operation is what the goroutine does
	}
	return token.NoPos
}

// remark is an approximation of what the entry does before its first guard,
// which has no edge and is not executed again when edges are made.
type remark struct {
	pos                     token.Pos
	kind, direction, reason string
}

// Note records an approximation that the rest of the path rests on.
func (p *Path) Note(kind, direction, reason string) {
	p.NoteAt(p.Here(), kind, direction, reason)
}

// NoteAt records an approximation at another position.
func (p *Path) NoteAt(pos token.Pos, kind, direction, reason string) {
	if p.Explorer.InPrefix {
		p.early = append(p.early, remark{pos, kind, direction, reason})
	}
	n := p.Explorer.Approximation(pos, kind, direction, reason)
	if p.Saturated {
		p.Explorer.saturated[n] = true
	} else {
		p.Explorer.plainly[n] = true
	}
	if !slices.Contains(p.approx, n) {
		p.approx = append(p.approx, n)
	}
}

// Choose continues the path with each of several alternatives, as a free choice
// for the reason given.
// The conditions of these paths do not tell them apart, so that they merge only where they have the same effects
// (mergeAfter). By Picks others know of the choice: whether a test fails behind one is not asked for.
func (p *Path) Choose(reason string, alternatives ...func(q *Path)) {
	p.Note("free-choice", artifact.DirectionOver, reason)
	p.Branched = true
	p.MarkFork()
	for _, alt := range alternatives {
		q := p.Clone()
		q.Picks++
		alt(q)
		p.Explorer.ContinueWith(q)
	}
}

// Bound ends the path: a resource is used up.
func (p *Path) Bound(what string) {
	p.BoundAt(nil, p.Here(), what)
}

// Why is the reason for which an expression is not known.
func Why(e *sym.Expr) string {
	if u := e.UnknownIn(); u != nil && u.Why != nil {
		return u.Why.Reason
	}
	return "it can be too many things"
}

// Eq is the condition that an expression has a value.
func Eq(e *sym.Expr, k int32) *sym.Expr { return sym.Arith(sym.OpEq, e, sym.Num(k)) }

type guess struct {
	in   *state.CallPath // the activation that calls
	site ssa.CallInstruction
	fn   *ssa.Function
}

// PopDeferred forgets the last deferred call of the innermost frame.
func (p *Path) PopDeferred() {
	f := p.Top()
	last := len(f.Defers) - 1
	p.env.remove(envKey{f.Call, f.Defers[last]})
	f.Defers = f.Defers[:last]
}

// KeepAmong narrows what is known of an expression to some values, if it can have one.
func (p *Path) KeepAmong(e *sym.Expr, keep func(k int32) bool) {
	a := p.Abs(e)
	if e.IsConst() || e.Op == sym.OpUnknown || a.Top {
		return
	}
	if in := a.Filter(keep); !in.Empty() && !in.Equal(a) {
		p.Know(e, in)
	}
}

// Statement is the one of the program in which the innermost function executes an
// instruction, 0 if it has no guard.
func (p *Path) Statement(instr ssa.Instruction) sites.ID {
	i := len(p.Frames) - 1
	for i > 0 && p.Frames[i].Op != nil {
		i--
	}
	if instr = p.inSource(instr, p.Frames[i].Call); instr == nil {
		return 0
	}
	return p.Explorer.StmtOf(instr.Parent(), instr)
}

// CallStatement is the statement that calls the operation on top of the stack, 0 if
// it has no guard, or is a defer statement, whose calls run elsewhere.
func (p *Path) CallStatement() sites.ID {
	c := p.Peek().Call
	call, ok := p.inSource(c.Site, c.Parent).(*ssa.Call)
	if !ok {
		return 0
	}
	return p.Explorer.StmtOf(call.Parent(), call)
}

// inSource is the instruction of the program's source that an instruction in a context
// stands for, nil if there is none: what a function of the library or a wrapper does,
// as that of a method value, is done by the call of it.
func (p *Path) inSource(instr ssa.Instruction, in *state.CallPath) ssa.Instruction {
	for instr != nil {
		fn := instr.Parent()
		if fn == nil {
			return nil
		}
		if !p.Explorer.Program.OfLibrary(fn) && !program.Synthetic(fn) {
			return instr
		}
		if in == nil {
			return nil
		}
		instr, in = in.Site, in.Parent
	}
	return nil
}

// Advance goes on to the next instruction.
func (p *Path) Advance() bool {
	p.Owned().Idx++
	return true
}

// Result sets the value of an instruction and goes on to the next one.
func (p *Path) Result(v ssa.Value, e ...*sym.Expr) bool {
	p.Set(p.Peek().Call, v, slices.Clone(e))
	return p.Advance()
}

// Offset keeps what is known of a pointer that is not nil for the address of a field
// of what it points to.
//
// If p is nil, 10 or 20, arithmetic has it that &p.f, 2 cells behind, is 2, 12 or 22. Behind the check for nil it
// is not 2: to be taken for possible, that would be a write to somebody else's cell.
func (p *Path) Offset(field, pointer *sym.Expr, off int32) {
	a, b := p.Abs(pointer), p.Abs(field)
	if field.IsConst() || a.Top || a.Interval || b.Top {
		return
	}
	var at []int32
	for _, k := range a.Elems {
		if k != 0 && b.Has(k+off) {
			at = append(at, k+off)
		}
	}
	if len(at) > 0 && (b.Interval || len(at) < len(b.Elems)) {
		p.Know(field, sym.Set{Elems: at})
	}
}

// Written are the addresses of the cells that the path has written, in order.
func (p *Path) Written() []int32 { return p.heap.Keys() }

// written is what the path has written in a cell, nil if it has not.
func (p *Path) written(addr int32) *sym.Expr {
	e, _ := p.heap.Get(addr)
	return e
}

// write writes a cell. Of values that are made where paths merge, each path knows something else.
func (p *Path) write(addr int32, e *sym.Expr) { p.heap.Set(addr, e, e.Merged) }

// Kept is what a path has under a key of an activation: the scalars of a value, an argument, or what
// was deferred; nil for nothing.
func (p *Path) Kept(ctx *state.CallPath, key any) []*sym.Expr { return p.env.m[envKey{ctx, key}] }

// KeepAs has it kept as it is, where set keeps what is known of it.
func (p *Path) KeepAs(ctx *state.CallPath, key any, e []*sym.Expr) { p.env.set(envKey{ctx, key}, e) }

// Forget removes it.
func (p *Path) Forget(ctx *state.CallPath, key any) { p.env.remove(envKey{ctx, key}) }

// Mark notes that the path passes the header of a loop, and reports whether it has decided something
// since it passed it last.
//
// A loop without decisions has one course, which is executed here and now, to its end or to maxSteps. One with
// decisions has as many paths as combinations of them, without end: so its next iteration begins at a location, at
// the header, to which all further ones lead back, and where variables and cells widen.
func (p *Path) Mark(header *ssa.BasicBlock) bool {
	mark := p.decided + p.Picks
	if old, ok := p.marks.m[header]; ok && mark > old {
		return true
	}
	p.marks.set(header, mark)
	return false
}

// ChosenFor is the value that the path has chosen for an expression that is not known; ok is false if
// it has chosen none.
// Values that are not known are the same only if they are one expression.
func (p *Path) ChosenFor(e *sym.Expr) (k int32, ok bool) {
	i := slices.IndexFunc(p.chosen, func(w pin) bool { return w.e == e })
	if i < 0 {
		return 0, false
	}
	return p.chosen[i].k, true
}

// ChooseFor has the path choose a value for an expression that is not known.
func (p *Path) ChooseFor(e *sym.Expr, k int32) { p.chosen = append(p.chosen, pin{e, k}) }

// Guessed is the function that the path takes a call of the innermost activation to run, nil for what its value says; decided is
// false if it has not been asked yet.
func (p *Path) Guessed(site ssa.CallInstruction) (f *ssa.Function, decided bool) {
	for _, g := range p.guesses {
		if g.site == site && g.in == p.Peek().Call {
			return g.fn, true
		}
	}
	return nil, false
}

// GuessedFunction is the function that the path takes a call to run, nil if it takes it for none.
func (p *Path) GuessedFunction(site ssa.CallInstruction) *ssa.Function {
	for _, g := range p.guesses {
		if g.site == site && g.in == p.Peek().Call && g.fn != nil {
			return g.fn
		}
	}
	return nil
}

// Guess has the path take a call to run a function, nil for what its value says.
func (p *Path) Guess(site ssa.CallInstruction, fn *ssa.Function) {
	p.guesses = append(p.guesses[:len(p.guesses):len(p.guesses)], guess{p.Peek().Call, site, fn})
}
