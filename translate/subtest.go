package translate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A call of t.Run that is a site starts a goroutine, and waits until that has
// ended or has come to t.Parallel. What a test function and its subtests tell each
// other is in an object: that of the entry is there from its beginning, that of a
// subtest from its first such t.Run on. When a function has returned, its deferred
// calls included, and has parallel subtests, it lets them go on and waits for them,
// before its context ends and what is left to Cleanup is called. How many run at
// one time is not limited.
//
// Other calls of t.Run are calls.
const (
	scopeWaits     = iota // the function is in a t.Run whose subtest goes on
	scopeParallels        // its parallel subtests that have not ended, without those that have a cell
	scopeReturned         // it has returned: they go on
	scopeCells
)

// The arguments of subtestBody.
const (
	subtestParent  = iota // the object of the test around
	subtestFunc           // the function
	subtestContext        // its context
	subtestOwn            // its own object, 0 before it is needed
)

// pausedPhase is the phase of subtestBody when it has come to t.Parallel.
const pausedPhase = 3

var (
	testRun      = operation(program.Operation{Name: "run", Seed: true, Args: []int{0, 2}}, nil)
	testParallel = operation(program.Operation{Name: "parallel", Seed: true, Args: []int{}}, nil)

	// subtestRun is a t.Run that is a site, parallelWait what t.Parallel does in
	// such a subtest, subtestBody the goroutine and subtestJoin the end of a test
	// function with parallel subtests, with its object as argument.
	subtestRun   = operation(program.Operation{Name: "subtest", Kind: sites.Subtest, Seed: true, Args: []int{0, 2}}, nil)
	parallelWait = operation(program.Operation{Name: "parallel", Kind: sites.Parallel, Blocks: true, Args: []int{}}, nil)
	subtestBody  = operation(program.Operation{Name: "subtest", Seed: true, Args: []int{subtestParent, subtestFunc, subtestContext, subtestOwn}}, nil)
	subtestJoin  = operation(program.Operation{Name: "join", Kind: sites.Join, Blocks: true}, nil)
)

func init() {
	runs[testRun], runs[testParallel] = runSubtest, parallelSubtest
	runs[subtestRun], runs[parallelWait] = startSubtest, goOnParallel
	runs[subtestBody], unwinds[subtestBody] = bodyOfSubtest, endSubtest
	runs[subtestJoin] = joinSubtests
}

// runSubtest begins t.Run.
func runSubtest(x *translator, p *path) bool {
	if p.siteOf(sites.Subtest) != 0 {
		return x.prepareSubtest(p)
	}
	if p.peek().phase == 2 {
		return x.opReturn(p, []*sym.Expr{sym.Unknown("whether the subtest passed")})
	}
	f := p.peek()
	if f.phase == 1 {
		p.note("subtest", "over", "t.Run is a call in the model; a Fatal in it ends the surrounding test too")
		p.top().phase = 3
		if x.sl.TestContext {
			r, ok := x.allocateContext(p, f.ctx.parent, f.ctx.site)
			if !ok {
				return false
			}
			p.put(x.scopeCell(f.ctx), r.e)
		}
	}
	if !x.callArg(p, 2, func(q *path) { q.top().phase = 2 }) {
		return false
	}
	if g := p.peek(); g.op == nil && g.ctx.parent == f.ctx {
		p.withContext()
	}
	return true
}

// inSubtest reports whether the path is in a function that t.Run has called.
func (p *path) inSubtest() bool {
	return slices.ContainsFunc(p.frames, func(f *frame) bool { return f.op == testRun })
}

// subtest is the frame at the bottom of the goroutine of a subtest, nil in others.
func (p *path) subtest() *frame {
	if len(p.frames) > 0 && p.frames[0].op == subtestBody {
		return p.frames[0]
	}
	return nil
}

// ofSubtests reports that a template is that of subtests.
func ofSubtests(t *template) bool { return len(t.start) > 0 && t.start[0].op == subtestBody }

// subtestArg is an argument of the goroutine of a subtest.
func (p *path) subtestArg(k int) *sym.Expr {
	if e := p.env.m[envKey{p.frames[0].ctx, argKey(k)}]; len(e) > 0 {
		return e[0]
	}
	return sym.Unknown("an argument that is not tracked")
}

// prepareSubtest makes what t.Run needs, in front of its guard.
func (x *translator) prepareSubtest(p *path) bool {
	if p.t.parent != nil && p.subtest() == nil {
		p.note("subtest", artifact.DirectionUnder, "a goroutine that a test has started calls t.Run: the subtest is not executed in the model")
		return x.opReturn(p, []*sym.Expr{sym.Unknown("whether the subtest passed")})
	}
	if slices.ContainsFunc(p.frames[:len(p.frames)-1], func(f *frame) bool { return f.op == testRun }) {
		p.note("subtest", artifact.DirectionUnder, "a subtest that is a call in the model starts one that may be parallel: what it waits for then is not in the model")
	}
	f := p.peek()
	if p.subtest() != nil {
		own, ok, tracked := x.concrete(p, p.subtestArg(subtestOwn))
		switch {
		case tracked && !ok:
			return false
		case tracked && own == 0:
			key := x.allocationKey(p, f.ctx.parent, f.ctx.site) + "|scope"
			r, ok := x.allocateKey(p, key, f.ctx.parent, f.ctx.site, newScope, x.describeScope)
			if !ok {
				return false
			}
			r.clear(p, nil)
			p.set(p.frames[0].ctx, argKey(subtestOwn), []*sym.Expr{r.e})
		}
	}
	g := p.top()
	if x.sl.TestContext {
		r, ok := x.allocateContext(p, f.ctx.parent, f.ctx.site)
		if !ok {
			return false
		}
		g.tgt.args = append(slices.Clone(g.tgt.args[:3]), []*sym.Expr{r.e})
		p.set(g.ctx, argKey(3), []*sym.Expr{r.e})
	}
	g.op, g.phase = subtestRun, 0
	return true
}

func newScope() *object { return &object{kind: objData, name: "subtests", size: scopeCells} }

// describeScope names the cells of the object of a test function.
func (x *translator) describeScope(o *object) {
	for i, name := range []string{"_waits", "_parallel", "_returned"} {
		c := x.mem.cells[o.base+int32(i)]
		c.name, c.sync = o.name+name, true
	}
}

// parallelCell is the cell that says whether the subtest of a template is parallel
// and has not ended, if there is at most one: then the ends of subtests do not
// depend on each other.
func (x *translator) parallelCell(scope int32, t *template) int32 {
	o := x.mem.keyedObject(fmt.Sprintf("parallel %d", t.index), func() *object { return &object{kind: objData, name: "parallel", size: 1} })
	if of := x.mem.object(scope); !slices.Contains(of.parallels, o.base) {
		c := x.mem.cells[o.base]
		c.name, c.sync = o.name, true
		of.parallels = append(of.parallels, o.base)
		x.enqueueAll(of.joiners)
	}
	return o.base
}

// allEnded is the condition that no parallel subtest of a test goes on.
func (x *translator) allEnded(p *path, scope int32) *sym.Expr {
	o := x.mem.object(scope)
	if o.joiners == nil {
		o.joiners = map[*location]bool{}
	}
	if p.from != nil {
		o.joiners[p.from] = true
	}
	e := eq(p.cellAt(scope+scopeParallels), 0)
	for _, a := range o.parallels {
		e = sym.And(e, eq(p.cellAt(a), 0))
	}
	return e
}

// testScope is the object of the entry.
func (x *translator) testScope() int32 {
	const key = "subtests of the test"
	if o := x.mem.keyed[key]; o != nil {
		return o.base
	}
	o := x.mem.keyedObject(key, newScope)
	x.describeScope(o)
	return o.base
}

// ownScope is the object of the test function that the path is in, 0 for none.
func (p *path) ownScope() *sym.Expr {
	if p.subtest() != nil {
		return p.subtestArg(subtestOwn)
	}
	return sym.Num(p.x.testScope())
}

// startSubtest starts the goroutine of a subtest, and then waits for it.
func startSubtest(x *translator, p *path) bool {
	scope, ok := x.scopeAt(p, p.ownScope())
	if !ok {
		return false
	}
	if p.peek().phase == 2 {
		if !p.assume(eq(p.cellAt(scope+scopeWaits), 0)) {
			return false
		}
		return x.opReturn(p, []*sym.Expr{sym.Unknown("whether the subtest passed")})
	}
	p.put(scope+scopeWaits, sym.Num(1))
	ctx := sym.Num(0)
	if len(p.peek().tgt.args) > 3 {
		ctx = p.arg(3)[0]
	}
	tgt := target{op: subtestBody, args: [][]*sym.Expr{{sym.Num(scope)}, p.arg(2)[:1], {ctx}, {sym.Num(0)}}}
	x.spawnTarget(p, p.peek().ctx.site, tgt, func(q *path) {
		q.top().phase = 2
		q.role = artifact.RoleCommit
		x.arrive(q, atQueue, x.siteOfOp(q))
	})
	return false
}

// scopeAt is the object at an address. With ok false it has taken over the path.
func (x *translator) scopeAt(p *path, addr *sym.Expr) (int32, bool) {
	k, ok, tracked := x.concrete(p, addr)
	if !tracked {
		x.unsupported(p.here(), "subtest", "the test that it belongs to is not tracked: "+why(addr))
	}
	return k, ok
}

// bodyOfSubtest is the goroutine of a subtest.
func bodyOfSubtest(x *translator, p *path) bool {
	f := p.peek()
	if f.phase > 1 {
		endSubtest(x, p)
		return x.opReturn(p, nil)
	}
	if x.sl.TestContext && p.t.once {
		p.put(x.scopeCell(f.ctx), p.arg(subtestContext)[0])
	}
	if !x.callArg(p, subtestFunc, func(q *path) { q.top().phase = 2 }) {
		return false
	}
	if g := p.peek(); g.op == nil && g.ctx.parent == f.ctx {
		p.withContext()
		p.withJoin()
	}
	return true
}

// endSubtest tells the test around that the subtest has ended.
func endSubtest(x *translator, p *path) bool {
	parent := p.subtestArg(subtestParent)
	parallel := p.subtest().phase == pausedPhase
	for _, k := range p.addresses(parent) {
		switch {
		case parallel && p.t.once:
			p.put(x.parallelCell(k, p.t), sym.Num(0))
		case parallel:
			n := p.cellAt(k + scopeParallels)
			p.put(k+scopeParallels, sym.Ite(eq(parent, k), sym.Arith(sym.OpSub, n, sym.Num(1)), n))
		default:
			w := p.cellAt(k + scopeWaits)
			p.put(k+scopeWaits, sym.Ite(eq(parent, k), sym.Num(0), w))
		}
	}
	return true
}

// parallelSubtest begins t.Parallel, which does nothing but in a subtest.
func parallelSubtest(x *translator, p *path) bool {
	root := p.subtest()
	switch {
	case p.inSubtest() || root != nil && p.siteOf(sites.Parallel) == 0:
		p.note("parallel", artifact.DirectionUnder, "a parallel subtest is a call in the model: that it runs beside others, and after the function that starts it, is not in the model")
		return x.opReturn(p, nil)
	case root == nil:
		if p.t.scope != nil {
			p.note("parallel", artifact.DirectionUnder, "a goroutine that a subtest has started calls t.Parallel: it does nothing in the model")
		}
		return x.opReturn(p, nil)
	case root.phase == pausedPhase:
		x.raise(p, &unwind{kind: artifact.KindPanic, site: p.siteOf(sites.Parallel), pos: p.here(), detail: "testing: t.Parallel called multiple times"}, x.someError())
		return true
	}
	scope, ok := x.scopeAt(p, p.subtestArg(subtestParent))
	if !ok {
		return false
	}
	if p.t.once {
		p.put(x.parallelCell(scope, p.t), sym.Num(1))
	} else {
		if c := x.mem.cells[scope+scopeParallels]; !c.fix { // it is counted in
			c.abs, c.fix = sym.Range(0, int32(x.opts.Counter)), true
			x.wake(c)
		}
		n, lim := p.cellAt(scope+scopeParallels), sym.Num(int32(x.opts.Counter))
		if q := p.fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
			q.bound("more parallel subtests than the model counts")
		}
		if !p.assume(sym.Arith(sym.OpLt, n, lim)) {
			return false
		}
		p.put(scope+scopeParallels, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	}
	p.put(scope+scopeWaits, sym.Num(0))
	paused := *p.subtest()
	paused.phase = pausedPhase
	p.frames[0] = &paused
	g := p.top()
	g.op, g.phase = parallelWait, 0
	return true
}

// goOnParallel is the rest of t.Parallel, when the function around has returned.
func goOnParallel(x *translator, p *path) bool {
	scope, ok := x.scopeAt(p, p.subtestArg(subtestParent))
	if !ok || !p.assume(eq(p.cellAt(scope+scopeReturned), 1)) {
		return false
	}
	p.serial = false
	return x.opReturn(p, nil)
}

// withJoin has the innermost frame, that of a test function, wait for its parallel
// subtests when its deferred calls are over.
func (p *path) withJoin() {
	if _, ok := p.x.idx.At(sites.Join, p.x.idx.End().Pos); !ok {
		return // the program has none
	}
	g := p.top()
	g.defers = append(g.defers, deferKey{join: true})
}

// endJoin takes the wait for parallel subtests off the innermost frame, and lets
// them go on. A function that panics does not wait.
func (x *translator) endJoin(p *path) bool {
	f := p.peek()
	done := func(q *path) {
		g := q.top()
		g.defers = g.defers[:len(g.defers)-1]
	}
	if u := f.unwind; u != nil && !u.goexit && !u.recovered {
		done(p)
		return true
	}
	scope, ok := x.scopeAt(p, p.ownScope())
	switch {
	case !ok:
		return false
	case scope == 0:
		done(p)
		return true
	}
	ended := x.allEnded(p, scope)
	if q := p.fork(ended); q != nil {
		done(q)
		x.continueWith(q)
	}
	if !p.assume(sym.Not(ended)) {
		return false
	}
	done(p)
	p.put(scope+scopeReturned, sym.Num(1))
	at := x.idx.End().Pos
	if p.subtest() != nil {
		at = p.t.site.Pos
	}
	x.pushOp(p, x.context(p.t, f.ctx, nil, 0, nil, subtestJoin.Name), target{op: subtestJoin, args: [][]*sym.Expr{{sym.Num(scope)}}, pos: at}, true)
	return true
}

// joinSubtests waits for the parallel subtests of a function.
func joinSubtests(x *translator, p *path) bool {
	scope, ok := x.receiver(p)
	if !ok || !p.assume(x.allEnded(p, scope)) {
		return false
	}
	return x.opReturn(p, nil)
}

// siteOf finds the site of that kind of the operation on top of the stack, 0 if it
// has none: of the call, or where it goes through a method value or a wrapper, of
// that.
func (p *path) siteOf(kind sites.Kind) sites.ID {
	for i := len(p.frames) - 1; i >= 0; i-- {
		f := p.frames[i]
		if s, ok := p.x.idx.At(kind, f.tgt.pos); ok && f.tgt.pos.IsValid() {
			return s.ID
		}
		if f.ctx.site != nil && f.ctx.site.Pos().IsValid() {
			if s, ok := p.x.idx.At(kind, f.ctx.site.Pos()); ok {
				return s.ID
			}
		}
		if f.ctx.parent == nil || f.ctx.parent.fn == nil || !program.Synthetic(f.ctx.parent.fn) {
			break
		}
	}
	return 0
}

// scopeOf is the call of t.Run whose subtest the path is in, or the goroutine of
// it, nil in the test itself.
func (p *path) scopeOf() *callPath {
	for i := len(p.frames) - 1; i >= 0; i-- {
		if f := p.frames[i]; f.op == testRun || f.op == subtestBody {
			return f.ctx
		}
	}
	if p.t.parent != nil {
		return p.t.scope
	}
	return nil
}

// scopeCell holds the address of the context of a subtest.
func (x *translator) scopeCell(scope *callPath) int32 {
	key := fmt.Sprintf("subtest %d.%d", scope.tmpl.index, scope.id)
	if o := x.mem.keyed[key]; o != nil {
		return o.base
	}
	o := x.mem.keyedObject(key, func() *object { return &object{kind: objData, name: "subtest_ctx", size: 1} })
	c := x.mem.cells[o.base]
	c.name, c.ref, c.sync = o.name, true, true
	return o.base
}

// contextOfSubtest is the address of the context of a subtest.
func (x *translator) contextOfSubtest(p *path, scope *callPath) *sym.Expr {
	started := scope == scope.tmpl.root // it has a goroutine
	switch {
	case started && p.t == scope.tmpl:
		return p.subtestArg(subtestContext)
	case started && !scope.tmpl.once:
		return sym.Unknown("the context of a subtest of which there can be several, in a goroutine that it has started")
	}
	return p.cellAt(x.scopeCell(scope))
}

// registersCleanup is the frame of the test function that a call of t.Cleanup
// belongs to, -1 for none: that of the innermost subtest, or of the entry.
func (p *path) registersCleanup() int {
	if _, ok := p.peek().ctx.site.(*ssa.Call); !ok || p.t.parent != nil && p.subtest() == nil {
		return -1
	}
	at := 0
	for i := len(p.frames) - 2; i > 0; i-- {
		if p.frames[i].op == testRun {
			at = i + 1
			break
		}
	}
	for at < len(p.frames)-1 && p.frames[at].op != nil {
		at++
	}
	return at
}
