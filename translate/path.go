package translate

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
)

// A path is one way through a segment, executed symbolically: from a location
// on, until the next guard is reached.
type path struct {
	knowledge
	edgeLabel
	allocated
	course

	x      *translator
	t      *template
	from   *location
	frames []*frame
	own    *frame // the innermost one that nobody else has
	env    table[envKey, []*expr]
	heap   table[int32, *expr]
	held   []heldLock
	fresh  []int // events that it has armed, by their numbers, see deadline.go
	alone  bool  // the entry has started no goroutine yet
	serial bool  // nor has this goroutine but subtests, see unroll.go

	// pendingJump is the block that a decided branch leads to.
	pendingJump *ssa.BasicBlock
}

// knowledge is what holds on a path: its conditions, and what follows from them.
type knowledge struct {
	cond    []*expr
	decided int // conditions added so far
	narrow  table[*expr, abs]
	epoch   uint64              // of narrow, see eval
	facts   table[uint64, fact] // of other expressions than narrow, by their key
	guesses []guess
	chosen  []pin // free choices of unknown values
}

// edgeLabel is what the edge of a path says besides its guard and what it writes.
type edgeLabel struct {
	sync   *syncLabel
	full   *template // the condition that no process of it is idle
	send   []*expr   // handed over to the partner
	hand   []abs     // of xMsg and xArg
	role   string
	site   sites.ID
	sel    int
	spawn  *template
	approx []int // of the edge, while emitting
	early  []remark
}

// allocated are the objects that a segment has made.
type allocated struct {
	created table[newObject, []*expr] // the cells of these
	allocs  table[*pool, int]         // those taken from pools
	uneven  map[*pool]bool            // where ways have met that took different numbers of them
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
	ctx *callPath
	v   any
}

type pin struct {
	e *expr
	k int32
}

// syncLabel is the synchronisation of an edge.
type syncLabel struct {
	name  string // kind of channel: "rv", "sq", "qs" or "go"
	obj   *object
	tmpl  *template // of "go"
	birth bool
	send  bool
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
func (p *path) top() *frame {
	f := *p.frames[len(p.frames)-1]
	f.defers = slices.Clone(f.defers)
	p.frames[len(p.frames)-1], p.own = &f, &f
	return &f
}

func (p *path) peek() *frame { return p.frames[len(p.frames)-1] }

func (p *path) pop() { p.frames = p.frames[:len(p.frames)-1] }

func (p *path) push(f *frame) { p.frames = append(p.frames, f) }

// root is what a leaf of an expression can be.
func (p *path) root(e *expr) abs {
	if a, ok := p.narrow.m[e]; ok {
		return a
	}
	switch e.op {
	case xVar:
		return variableOf(e).abs
	case xCell:
		c := cellOf(e)
		if a, ok := p.atPlace(c); ok {
			return a
		}
		if p.from != nil {
			c.readers[p.from] = true
		}
		return c.abs
	case xMsg, xArg:
		if int(e.k) < len(p.hand) {
			return p.hand[e.k]
		}
	}
	return absTop()
}

func (p *path) abs(e *expr) abs {
	return p.eval(e)
}

// eval computes what an expression can be. Parts are shared: each is computed
// once, until the path learns more about its variables and cells.
func (p *path) eval(e *expr) abs {
	switch e.op {
	case xConst, xUnknown, xFull, xSelf:
		return absOf(e, nil)
	case xVar, xCell, xMsg, xArg:
		return p.root(e)
	}
	if e.epoch != p.epoch {
		p.x.evals++
		if f, ok := p.facts.m[e.key()]; ok && f.e.same(e) {
			e.val = f.a
		} else {
			e.val = absOf(e, p.eval)
		}
		e.epoch = p.epoch
	}
	return e.val
}

// learn sets what a variable or cell can be on this path.
func (p *path) learn(e *expr, a abs) {
	p.narrow.set(e, a)
	p.epoch = p.x.nextEpoch()
}

// A fact is what an expression can be on a path.
type fact struct {
	e *expr
	a abs
}

// know sets what an expression can be on this path.
func (p *path) know(e *expr, a abs) {
	switch e.op {
	case xVar, xCell, xMsg, xArg:
		p.learn(e, a)
	case xConst, xUnknown:
	default:
		p.facts.set(e.key(), fact{e, a})
		p.epoch = p.x.nextEpoch()
	}
}

// condition adds a condition as it is. An edge can have none on what is not tracked:
// the state of an object that was written over through a pointer, say.
func (p *path) condition(c *expr) {
	if u := c.unknownIn(); u != nil && p.x.emitting {
		p.x.unsupported(p.here(), "operation", "what it waits for is not tracked: "+u.why.reason)
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
func (p *path) simplify(e *expr) *expr {
	if o, _, isNew := newObjectAt(e); isNew && p.created.m[o] != nil {
		return e // what is stored in it is kept apart, also if it can only be one
	}
	for e.op == xIte {
		k, ok := p.abs(e.a).single()
		switch {
		case !ok:
		case k != 0:
			e = e.b
			continue
		default:
			e = e.c
			continue
		}
		break
	}
	if e.isConst() || e.op == xUnknown {
		return e
	}
	if k, ok := p.abs(e).single(); ok {
		return num(k)
	}
	return e
}

// assume adds a condition. It reports whether the path can still be taken.
func (p *path) assume(c *expr) bool {
	c = p.simplify(c)
	if c.isConst() {
		return c.k != 0
	}
	if !p.suppose(c) {
		return false
	}
	p.condition(c)
	return true
}

// suppose narrows what is known by a condition. It reports whether it can hold.
func (p *path) suppose(c *expr) bool {
	if c = p.simplify(c); c.isConst() {
		return c.k != 0
	}
	if c.op == xAnd {
		return p.suppose(c.a) && p.suppose(c.b)
	}
	p.refine(c, true)
	return true
}

// refine narrows what the leaves can be, given that c is true, or false.
func (p *path) refine(c *expr, truth bool) {
	set := func(e *expr, keep func(int32) bool, lo, hi int64) {
		if e.isConst() || e.op == xUnknown {
			return
		}
		a := p.abs(e)
		if a.top && (e.op != xVar && e.op != xCell) {
			if lo != hi {
				return
			}
			p.know(e, absConst(int32(lo)))
			return
		}
		if a.iv {
			a = a.clamp(lo, hi)
		}
		p.know(e, a.filter(keep))
	}
	if c.op != xVar && c.op != xCell {
		p.know(c, truthValue(truth))
	}
	const least, most = -1 << 40, 1 << 40
	switch c.op {
	case xNot:
		p.refine(c.a, !truth)
	case xAnd:
		if truth {
			p.refine(c.a, true)
			p.refine(c.b, true)
			break
		}
		if k, ok := p.abs(c.a).single(); ok && k != 0 {
			p.refine(c.b, false)
		} else if k, ok := p.abs(c.b).single(); ok && k != 0 {
			p.refine(c.a, false)
		}
	case xVar, xCell:
		set(c, func(k int32) bool { return (k != 0) == truth }, least, most)
	case xEq, xLt, xLe:
		rel := func(x, y int64) bool { z, _ := apply(c.op, x, y); return (z != 0) == truth }
		// within narrows one side, v or v + d, to what lies between lo and hi; holds
		// says whether the comparison does for a value of it.
		within := func(side *expr, lo, hi int64, holds func(int64) bool) {
			d := int64(0)
			if side.op == xAdd && side.b.isConst() {
				side, d = side.a, int64(side.b.k)
			}
			if !side.isConst() {
				set(side, func(v int32) bool { k := int64(v) + d; return lo <= k && k <= hi && holds(k) }, lo-d, hi-d)
			}
		}
		// beside narrows one side by what is known of the other, which is above it
		// if smaller is c.a.
		beside := func(side *expr, other abs, smaller bool, holds func(v, k int64) bool) {
			if other.top || other.empty() {
				return
			}
			ol, oh := other.bounds()
			k, single := other.single()
			lo, hi := int64(least), int64(most)
			strict := int64(0)
			if (c.op == xLt) == truth {
				strict = 1
			}
			switch {
			case c.op == xEq && truth:
				lo, hi = int64(ol), int64(oh)
			case c.op == xEq:
			case smaller == truth:
				hi = int64(oh) - strict
			default:
				lo = int64(ol) + strict
			}
			within(side, lo, hi, func(v int64) bool { return !single || holds(v, int64(k)) })
		}
		beside(c.a, p.abs(c.b), true, rel)
		beside(c.b, p.abs(c.a), false, func(v, k int64) bool { return rel(k, v) })
	}
}

// truthValue is what a condition can be that holds, or does not.
func truthValue(b bool) abs {
	if b {
		return absConst(1)
	}
	return absConst(0)
}

// fork pushes a copy of the path that assumes c, to be continued later.
func (p *path) fork(c *expr) *path {
	q := p.clone()
	if !q.assume(c) {
		return nil
	}
	return q
}

// value returns the scalars of a value in a frame.
func (p *path) value(ctx *callPath, v ssa.Value) []*expr {
	x := p.x
	switch v := v.(type) {
	case *ssa.Const:
		return x.constant(v)
	case *ssa.Global:
		return []*expr{num(x.global(v).base)}
	case *ssa.Function:
		return []*expr{num(x.mem.function(v, p.namedAt(ctx, v)).base)}
	}
	if e := p.env.m[envKey{ctx, v}]; e != nil {
		return e
	}
	return x.unknowns(x.valueWidth(v), "not tracked")
}

func (x *translator) unknowns(n int, why string) []*expr {
	out := make([]*expr, n)
	for i := range out {
		out[i] = unknown(why)
	}
	return out
}

func zeros(n int) []*expr {
	out := make([]*expr, n)
	for i := range out {
		out[i] = num(0)
	}
	return out
}

func (p *path) set(ctx *callPath, v any, e []*expr) {
	for i := range e {
		e[i] = p.simplify(e[i])
	}
	p.env.set(envKey{ctx, v}, e)
}

// cellAt reads one cell. One that can be beyond its limits is not tracked; see
// decide for reads that find out.
func (p *path) cellAt(addr int32) *expr {
	e := p.rawCell(addr)
	if p.mayBeLost(e) || p.x.isLost(addr, e) {
		return unknown(beyond)
	}
	return e
}

// rawCell reads one cell as it is, to be written back.
func (p *path) rawCell(addr int32) *expr {
	if e := p.heap.m[addr]; e != nil {
		return e
	}
	if addr <= 0 || int(addr) >= len(p.x.mem.cells) {
		return unknown("outside of memory")
	}
	c := p.x.mem.cells[addr]
	if c.outside != "" {
		return unknown(c.outside)
	}
	if p.from == nil {
		if c.abs.top {
			return unknown("contents not tracked")
		}
		return num(c.init)
	}
	if a, ok := p.atPlace(c); !ok {
		c.readers[p.from] = true
	} else if k, ok := a.single(); ok {
		return num(k)
	}
	if c.abs.top {
		return unknown("contents not tracked")
	}
	return p.simplify(c.x)
}

func (p *path) put(addr int32, e *expr) {
	if addr > 0 && int(addr) < len(p.x.mem.cells) && p.x.mem.cells[addr].outside == "" {
		e = p.simplify(e)
		p.heap.set(addr, e)
		if c := p.x.mem.cells[addr]; c != nil && !c.varies && p.from != nil && !p.alone {
			only, ok := c.abs.single()
			c.varies = !ok || !e.isConst() || e.k != only
		}
	}
}

// here is the position of what the path executes.
func (p *path) here() token.Pos {
	for i := len(p.frames) - 1; i >= 0; i-- {
		f := p.frames[i]
		if f.block != nil && f.idx < len(f.block.Instrs) {
			if pos := p.x.prog.Function(f.ctx.fn).Positions[f.block.Instrs[f.idx]]; pos.IsValid() {
				return pos
			}
		}
		if f.block == nil && f.ctx.site != nil && f.ctx.site.Pos().IsValid() {
			return f.ctx.site.Pos()
		}
	}
	if p.t.origin != nil {
		return p.t.origin.Pos() // an operation is what the goroutine does
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
