package translate

import (
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A path is one way through a segment, executed symbolically: from a location
// on, until the next guard is reached.
type path struct {
	knowledge
	edgeLabel
	allocated
	course

	x      *translator
	t      *state.Template
	from   *state.Location
	frames []*state.Frame
	own    *state.Frame // the innermost one that nobody else has
	env    table[envKey, []*sym.Expr]
	heap   table[int32, *sym.Expr]
	held   []state.HeldLock
	fresh  []int // events that it has armed, by their numbers, see deadline.go
	alone  bool  // the entry has started no goroutine yet
	serial bool  // nor has this goroutine but subtests, see unroll.go

	// pendingJump is the block that a decided branch leads to.
	pendingJump *ssa.BasicBlock
}

// knowledge is what holds on a path: its conditions, and what follows from them.
type knowledge struct {
	cond    []*sym.Expr
	decided int // conditions added so far
	narrow  table[*sym.Expr, sym.Set]
	epoch   uint64              // of narrow, see eval
	facts   table[uint64, fact] // of other expressions than narrow, by their key
	guesses []guess
	chosen  []pin // free choices of unknown values
}

// edgeLabel is what the edge of a path says besides its guard and what it writes.
type edgeLabel struct {
	sync   *state.Sync
	full   *state.Template // the condition that no process of it is idle
	send   []*sym.Expr     // handed over to the partner
	hand   []sym.Set       // of OpMsg and OpArg
	role   string
	site   sites.ID
	sel    int
	spawn  *state.Template
	approx []int // of the edge, while emitting
	early  []remark
}

// allocated are the objects that a segment has made.
type allocated struct {
	created table[state.NewObject, []*sym.Expr] // the cells of these
	allocs  table[*state.Pool, int]             // those taken from pools
	uneven  map[*state.Pool]bool                // where ways have met that took different numbers of them
}

// course is how a path has come to where it is, and whether it is to meet others.
type course struct {
	steps     int
	marks     table[*ssa.BasicBlock, int] // conditions and choices when a loop header was passed last
	picks     int                         // free choices made
	variant   string                      // the numbers chosen, see variants.go
	rolled    bool                        // it may have been here before, see unroll.go
	split     bool                        // the segment is split where ways meet, see split.go
	dense     bool                        // it has many ways, see meet.go
	resumed   bool                        // it goes on from where it has waited for others
	branched  bool                        // the path is one side of a branch
	beyond    bool                        // a number is beyond its limits, see limits.go
	spreadAt  ssa.Instruction             // where ways have spread
	iteration *iteration                  // an earlier turn of a loop, see iterations.go
}

type envKey struct {
	ctx *state.CallPath
	v   any
}

type pin struct {
	e *sym.Expr
	k int32
}

func (p *path) clone() *path {
	q := *p
	q.epoch = p.x.nextEpoch()
	q.frames = slices.Clone(p.frames)
	q.env, q.heap, q.created = p.env.share(), p.heap.share(), p.created.share()
	q.narrow, q.facts = p.narrow.share(), p.facts.share()
	q.allocs, q.marks = p.allocs.share(), p.marks.share()
	p.own, q.own = nil, nil
	q.cond = slices.Clone(p.cond)
	q.chosen = slices.Clone(p.chosen)
	q.approx = slices.Clone(p.approx)
	q.early = slices.Clone(p.early)
	q.fresh = slices.Clone(p.fresh)
	return &q
}

// top returns the innermost frame for changing.
func (p *path) top() *state.Frame {
	f := *p.frames[len(p.frames)-1]
	f.Defers = slices.Clone(f.Defers)
	p.frames[len(p.frames)-1], p.own = &f, &f
	return &f
}

// owned is the innermost frame for changing: that of the last change, if it is still the path's own.
func (p *path) owned() *state.Frame {
	if f := p.peek(); f == p.own {
		return f
	}
	return p.top()
}

func (p *path) peek() *state.Frame { return p.frames[len(p.frames)-1] }

func (p *path) pop() { p.frames = p.frames[:len(p.frames)-1] }

func (p *path) push(f *state.Frame) { p.frames = append(p.frames, f) }

// root is what a leaf of an expression can be.
func (p *path) root(e *sym.Expr) sym.Set {
	if a, ok := p.narrow.m[e]; ok {
		return a
	}
	switch e.Op {
	case sym.OpVar:
		return state.VariableOf(e).Abs
	case sym.OpCell:
		c := state.CellOf(e)
		if a, ok := p.atPlace(c); ok {
			return a
		}
		if p.from != nil {
			c.Readers[p.from] = true
		}
		return c.Abs
	case sym.OpMsg, sym.OpArg:
		if int(e.K) < len(p.hand) {
			return p.hand[e.K]
		}
	}
	return sym.Anything()
}

func (p *path) abs(e *sym.Expr) sym.Set {
	return p.eval(e)
}

// eval computes what an expression can be. Parts are shared: each is computed
// once, until the path learns more about its variables and cells.
func (p *path) eval(e *sym.Expr) sym.Set {
	switch e.Op {
	case sym.OpConst, sym.OpUnknown, sym.OpFull, sym.OpSelf:
		return sym.Evaluate(e, nil)
	case sym.OpVar, sym.OpCell, sym.OpMsg, sym.OpArg:
		return p.root(e)
	}
	if e.Epoch != p.epoch {
		p.x.evals++
		if f, ok := p.facts.m[e.Key()]; ok && f.e.Same(e) {
			e.Can = f.a
		} else {
			e.Can = sym.Evaluate(e, p.eval)
		}
		e.Epoch = p.epoch
	}
	return e.Can
}

// learn sets what a variable or cell can be on this path.
func (p *path) learn(e *sym.Expr, a sym.Set) {
	p.narrow.set(e, a)
	p.epoch = p.x.nextEpoch()
}

// A fact is what an expression can be on a path.
type fact struct {
	e *sym.Expr
	a sym.Set
}

// know sets what an expression can be on this path.
func (p *path) know(e *sym.Expr, a sym.Set) {
	switch e.Op {
	case sym.OpVar, sym.OpCell, sym.OpMsg, sym.OpArg:
		p.learn(e, a)
	case sym.OpConst, sym.OpUnknown:
	default:
		p.facts.set(e.Key(), fact{e, a})
		p.epoch = p.x.nextEpoch()
	}
}

// condition adds a condition as it is. An edge can have none on what is not tracked:
// the state of an object that was written over through a pointer, say.
func (p *path) condition(c *sym.Expr) {
	if u := c.UnknownIn(); u != nil && p.x.emitting {
		p.x.unsupported(p.here(), "operation", "what it waits for is not tracked: "+u.Why.Reason)
		return
	}
	p.cond = append(p.cond, c)
	p.decided++
}

// nextEpoch numbers the states of knowledge of paths.
func (x *translator) nextEpoch() uint64 {
	x.epochs++
	return x.epochs
}

// simplify replaces an expression whose value is known by that value.
func (p *path) simplify(e *sym.Expr) *sym.Expr {
	if _, _, cells := p.newObject(e); cells != nil {
		return e // what is stored in it is kept apart, also if it can only be one
	}
	for e.Op == sym.OpIte {
		k, ok := p.abs(e.A).Single()
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
	if k, ok := p.abs(e).Single(); ok {
		return sym.Num(k)
	}
	return e
}

// assume adds a condition. It reports whether the path can still be taken.
func (p *path) assume(c *sym.Expr) bool {
	c = p.simplify(c)
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
func (p *path) suppose(c *sym.Expr) bool {
	if c = p.simplify(c); c.IsConst() {
		return c.K != 0
	}
	if c.Op == sym.OpAnd {
		return p.suppose(c.A) && p.suppose(c.B)
	}
	p.refine(c, true)
	return true
}

// refine narrows what the leaves can be, given that c is true, or false.
func (p *path) refine(c *sym.Expr, truth bool) {
	set := func(e *sym.Expr, keep func(int32) bool, lo, hi int64) {
		if e.IsConst() || e.Op == sym.OpUnknown {
			return
		}
		a := p.abs(e)
		if a.Top && (e.Op != sym.OpVar && e.Op != sym.OpCell) {
			if lo != hi {
				return
			}
			p.know(e, sym.Single(int32(lo)))
			return
		}
		if a.Interval {
			a = a.Clamp(lo, hi)
		}
		p.know(e, a.Filter(keep))
	}
	if c.Op != sym.OpVar && c.Op != sym.OpCell {
		p.know(c, truthValue(truth))
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
		if k, ok := p.abs(c.A).Single(); ok && k != 0 {
			p.refine(c.B, false)
		} else if k, ok := p.abs(c.B).Single(); ok && k != 0 {
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
		beside(c.A, p.abs(c.B), true, rel)
		beside(c.B, p.abs(c.A), false, func(v, k int64) bool { return rel(k, v) })
	}
}

// truthValue is what a condition can be that holds, or does not.
func truthValue(b bool) sym.Set {
	if b {
		return sym.Single(1)
	}
	return sym.Single(0)
}

// fork pushes a copy of the path that assumes c, to be continued later.
func (p *path) fork(c *sym.Expr) *path {
	q := p.clone()
	if !q.assume(c) {
		return nil
	}
	return q
}

// value returns the scalars of a value in a frame.
func (p *path) value(ctx *state.CallPath, v ssa.Value) []*sym.Expr {
	x := p.x
	switch v := v.(type) {
	case *ssa.Const:
		return x.Constant(v)
	case *ssa.Global:
		return []*sym.Expr{sym.Num(x.Global(v).Base)}
	case *ssa.Function:
		return []*sym.Expr{sym.Num(x.mem.Function(v, p.namedAt(ctx, v)).Base)}
	}
	if e := p.env.m[envKey{ctx, v}]; e != nil {
		return e
	}
	return layout.Unknowns(x.ValueWidth(v), "not tracked")
}

func (p *path) set(ctx *state.CallPath, v any, e []*sym.Expr) {
	for i := range e {
		e[i] = p.simplify(e[i])
	}
	p.env.set(envKey{ctx, v}, e)
}

// cellAt reads one cell. One that can be beyond its limits is not tracked; see
// decide for reads that find out.
func (p *path) cellAt(addr int32) *sym.Expr {
	e := p.rawCell(addr)
	if p.mayBeLost(e) || p.x.isLost(addr, e) {
		return sym.Unknown(beyond)
	}
	return e
}

// rawCell reads one cell as it is, to be written back.
func (p *path) rawCell(addr int32) *sym.Expr {
	if e := p.heap.m[addr]; e != nil {
		return e
	}
	if addr <= 0 || int(addr) >= len(p.x.mem.Cells) {
		return sym.Unknown("outside of memory")
	}
	c := p.x.mem.Cells[addr]
	if c.Outside != "" {
		return sym.Unknown(c.Outside)
	}
	if p.from == nil {
		if c.Abs.Top {
			return sym.Unknown("contents not tracked")
		}
		return sym.Num(c.Init)
	}
	if a, ok := p.atPlace(c); !ok {
		c.Readers[p.from] = true
	} else if k, ok := a.Single(); ok {
		return sym.Num(k)
	}
	if c.Abs.Top {
		return sym.Unknown("contents not tracked")
	}
	return p.simplify(c.Expr)
}

func (p *path) put(addr int32, e *sym.Expr) {
	if addr > 0 && int(addr) < len(p.x.mem.Cells) && p.x.mem.Cells[addr].Outside == "" {
		e = p.simplify(e)
		p.heap.set(addr, e)
		if c := p.x.mem.Cells[addr]; c != nil && !c.Varies && p.from != nil && !p.alone {
			only, ok := c.Abs.Single()
			c.Varies = !ok || !e.IsConst() || e.K != only
		}
	}
}

// here is the position of what the path executes.
func (p *path) here() token.Pos {
	for i := len(p.frames) - 1; i >= 0; i-- {
		f := p.frames[i]
		if f.Block != nil && f.Idx < len(f.Block.Instrs) {
			if pos := p.x.prog.Function(f.Call.Fn).Positions[f.Block.Instrs[f.Idx]]; pos.IsValid() {
				return pos
			}
		}
		if f.Block == nil && f.Call.Site != nil && f.Call.Site.Pos().IsValid() {
			return f.Call.Site.Pos()
		}
	}
	if p.t.Origin != nil {
		return p.t.Origin.Pos() // an operation is what the goroutine does
	}
	return token.NoPos
}

// remark is an approximation of what the entry does before its first guard,
// which has no edge and is not executed again when edges are made.
type remark struct {
	pos                     token.Pos
	kind, direction, reason string
}

// note records an approximation that the rest of the path rests on.
func (p *path) note(kind, direction, reason string) {
	p.noteAt(p.here(), kind, direction, reason)
}

func (p *path) noteAt(pos token.Pos, kind, direction, reason string) {
	if p.x.inPrefix {
		p.early = append(p.early, remark{pos, kind, direction, reason})
	}
	n := p.x.approximation(pos, kind, direction, reason)
	if p.beyond {
		p.x.beyond[n] = true
	} else {
		p.x.plainly[n] = true
	}
	if !slices.Contains(p.approx, n) {
		p.approx = append(p.approx, n)
	}
}

// choose continues the path in n ways, with alternative i prepared by f, as a
// free choice for the reason given.
func (p *path) choose(reason string, alternatives ...func(q *path)) {
	p.note("free-choice", "over", reason)
	p.branched = true
	p.spread()
	for _, alt := range alternatives {
		q := p.clone()
		q.picks++
		alt(q)
		p.x.continueWith(q)
	}
}

// bound ends the path: a resource is used up.
func (p *path) bound(what string) {
	p.boundAt(nil, p.here(), what)
}

func why(e *sym.Expr) string {
	if u := e.UnknownIn(); u != nil && u.Why != nil {
		return u.Why.Reason
	}
	return "it can be too many things"
}

func eq(e *sym.Expr, k int32) *sym.Expr { return sym.Arith(sym.OpEq, e, sym.Num(k)) }

type guess struct {
	site ssa.CallInstruction
	fn   *ssa.Function
}

// popDeferred forgets the last deferred call of the innermost frame.
func (p *path) popDeferred() {
	f := p.top()
	last := len(f.Defers) - 1
	p.env.remove(envKey{f.Call, f.Defers[last]})
	f.Defers = f.Defers[:last]
}

// keepAmong narrows what is known of an expression to some values, if it can have one.
func (p *path) keepAmong(e *sym.Expr, keep func(k int32) bool) {
	a := p.abs(e)
	if e.IsConst() || e.Op == sym.OpUnknown || a.Top {
		return
	}
	if in := a.Filter(keep); !in.Empty() && !in.Equal(a) {
		p.know(e, in)
	}
}

// statement is the one of the program in which the innermost function executes an
// instruction, 0 if it has no guard: for a function of the library, that of the
// call.
func (p *path) statement(instr ssa.Instruction) sites.ID {
	i := len(p.frames) - 1
	for i > 0 && p.frames[i].Op != nil {
		i--
	}
	ctx := p.frames[i].Call
	for p.x.prog.OfLibrary(ctx.Fn) {
		if instr, ctx = ctx.Site, ctx.Parent; ctx == nil || instr == nil {
			return 0
		}
	}
	if ctx.Fn == nil {
		return 0
	}
	return p.x.stmtOf(ctx.Fn, instr)
}

// advance goes on to the next instruction.
func (p *path) advance() bool {
	p.owned().Idx++
	return true
}

// result sets the value of an instruction and goes on to the next one.
func (p *path) result(v ssa.Value, e ...*sym.Expr) bool {
	p.set(p.peek().Call, v, slices.Clone(e))
	return p.advance()
}

// offset keeps what is known of a pointer that is not nil for the address of a field
// of what it points to.
func (p *path) offset(field, pointer *sym.Expr, off int32) {
	a, b := p.abs(pointer), p.abs(field)
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
		p.know(field, sym.Set{Elems: at})
	}
}

// written are the addresses of the cells that the path has written, in order.
func (p *path) written() []int32 { return slices.Sorted(maps.Keys(p.heap.m)) }

// kept is what a path has under a key of an activation: the scalars of a value, an argument, or what
// was deferred; nil for nothing.
func (p *path) kept(ctx *state.CallPath, key any) []*sym.Expr { return p.env.m[envKey{ctx, key}] }

// keepAs has it kept as it is, where set keeps what is known of it.
func (p *path) keepAs(ctx *state.CallPath, key any, e []*sym.Expr) { p.env.set(envKey{ctx, key}, e) }

// forget removes it.
func (p *path) forget(ctx *state.CallPath, key any) { p.env.remove(envKey{ctx, key}) }

// mark notes that the path passes the header of a loop, and reports whether it has decided something
// since it passed it last.
func (p *path) mark(header *ssa.BasicBlock) bool {
	mark := p.decided + p.picks
	if old, ok := p.marks.m[header]; ok && mark > old {
		return true
	}
	p.marks.set(header, mark)
	return false
}

// chosenFor is the value that the path has chosen for an expression that is not known; ok is false if
// it has chosen none.
func (p *path) chosenFor(e *sym.Expr) (k int32, ok bool) {
	i := slices.IndexFunc(p.chosen, func(w pin) bool { return w.e == e })
	if i < 0 {
		return 0, false
	}
	return p.chosen[i].k, true
}

// chooseFor has the path choose a value for an expression that is not known.
func (p *path) chooseFor(e *sym.Expr, k int32) { p.chosen = append(p.chosen, pin{e, k}) }

// guessed is the function that the path takes a call to run, nil for what its value says; decided is
// false if it has not been asked yet.
func (p *path) guessed(site ssa.CallInstruction) (f *ssa.Function, decided bool) {
	for _, g := range p.guesses {
		if g.site == site {
			return g.fn, true
		}
	}
	return nil, false
}

// guessedFunction is the function that the path takes a call to run, nil if it takes it for none.
func (p *path) guessedFunction(site ssa.CallInstruction) *ssa.Function {
	for _, g := range p.guesses {
		if g.site == site && g.fn != nil {
			return g.fn
		}
	}
	return nil
}

// guess has the path take a call to run a function, nil for what its value says.
func (p *path) guess(site ssa.CallInstruction, fn *ssa.Function) {
	p.guesses = append(p.guesses[:len(p.guesses):len(p.guesses)], guess{site, fn})
}
