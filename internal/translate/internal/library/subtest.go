package library

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A call of t.Run that is a site starts a goroutine, and waits until that has ended or has come to
// t.Parallel. What a test function and its subtests tell each other is in an object: that of the entry is
// there from its beginning, that of a subtest from its first such t.Run on. When a function has returned,
// its deferred calls included, and has parallel subtests, it lets them go on and waits for them, before its
// context ends and what is left to Cleanup is called. How many run at one time is not limited.
//
//	func TestX(t *testing.T) {
//		t.Run("a", func(t *testing.T) { t.Parallel(); work() }) // returns at t.Parallel
//		// nobody works yet
//	} // here the test has returned, and work begins; then it is waited for
//
// Other calls of t.Run are calls: their subtests never come to t.Parallel, so that nobody can tell.
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

// pausedPhase is the phase of subtestBody when it has come to t.Parallel: nobody counts on its end any more
// as that of t.Run, but as that of a parallel subtest, and to call t.Parallel again panics.
const pausedPhase = 3

var (
	testRun      = &program.Operation{Name: "run", Seed: true, Args: []int{0, 2}, Subtest: true}
	testParallel = &program.Operation{Name: "parallel", Seed: true, Args: []int{}}

	// subtestRun is a t.Run that is a site, parallelWait what t.Parallel does in
	// such a subtest, subtestBody the goroutine and subtestJoin the end of a test
	// function with parallel subtests, with its object as argument.
	subtestRun   = &program.Operation{Name: "subtest", Kind: sites.Subtest, Seed: true, Args: []int{0, 2}}
	parallelWait = &program.Operation{Name: "parallel", Kind: sites.Parallel, Args: []int{}}
	subtestBody  = &program.Operation{Name: "subtest", Starts: sites.Subtest, Seed: true, Args: []int{subtestParent, subtestFunc, subtestContext, subtestOwn}}
	subtestJoin  = &program.Operation{Name: "join", Kind: sites.Join}
)

// runSubtest begins t.Run. Without a site it is a call of the function, in the goroutine of the test: 1 is
// the phase in which it begins, 3 that in which its context has been made, and 2 that in which the function
// has returned.
func runSubtest(x *execution.Executor, p *exploration.Path) bool {
	if p.SiteOf(sites.Subtest) != 0 {
		return prepareSubtest(x, p)
	}
	if p.Peek().Phase == 2 {
		return x.OpReturn(p, []*sym.Expr{sym.Unknown("whether the subtest passed")})
	}
	f := p.Peek()
	if f.Phase == 1 {
		p.Note("subtest", artifact.DirectionOver, "t.Run is a call in the model; a Fatal in it ends the surrounding test too")
		p.Top().Phase = 3
		// Made once: the operation comes here again for each function that it may have been given.
		if x.Slice.TestContext {
			r, ok := allocateContext(x, p, f.Call.Parent, f.Call.Site)
			if !ok {
				return false
			}
			p.Put(scopeCell(x, f.Call), r.Address)
		}
	}
	if !x.CallArg(p, 2, func(q *exploration.Path) { q.Top().Phase = 2 }) {
		return false
	}
	if g := p.Peek(); g.Op == nil && g.Call.Parent == f.Call {
		withContext(p)
	}
	return true
}

// inSubtest reports whether the path is in a function that t.Run has called.
func inSubtest(p *exploration.Path) bool {
	return slices.ContainsFunc(p.Frames, func(f *state.Frame) bool { return f.Op.RunsSubtest() })
}

// subtest is the frame at the bottom of the goroutine of a subtest, nil in others.
func subtest(p *exploration.Path) *state.Frame {
	if len(p.Frames) > 0 && p.Frames[0].Op.StartedBy(sites.Subtest) {
		return p.Frames[0]
	}
	return nil
}

// subtestArg is an argument of the goroutine of a subtest.
func subtestArg(p *exploration.Path, k int) *sym.Expr {
	if e := p.Kept(p.Frames[0].Call, state.ArgKey(k)); len(e) > 0 {
		return e[0]
	}
	return sym.Unknown("an argument that is not tracked")
}

// prepareSubtest makes what t.Run needs, in front of its guard: its own object for the subtest that calls
// it, which is none before, and a context. Then the operation on top of the stack becomes subtestRun, which
// has the guard: the same frame goes on as another operation.
func prepareSubtest(x *execution.Executor, p *exploration.Path) bool {
	if p.Template.Parent != nil && subtest(p) == nil {
		p.Note("subtest", artifact.DirectionUnder, "a goroutine that a test has started calls t.Run: the subtest is not executed in the model")
		return x.OpReturn(p, []*sym.Expr{sym.Unknown("whether the subtest passed")})
	}
	if slices.ContainsFunc(p.Frames[:len(p.Frames)-1], func(f *state.Frame) bool { return f.Op.RunsSubtest() }) {
		p.Note("subtest", artifact.DirectionUnder, "a subtest that is a call in the model starts one that may be parallel: what it waits for then is not in the model")
	}
	f := p.Peek()
	if subtest(p) != nil {
		// Its first subtest: the object is kept in an argument of the goroutine, which is live to its end.
		own, ok, tracked := x.Concrete(p, subtestArg(p, subtestOwn))
		switch {
		case tracked && !ok:
			return false
		case tracked && own == 0:
			key := x.AllocationKey(p, f.Call.Parent, f.Call.Site) + "|scope"
			r, ok := x.AllocateKey(p, key, f.Call.Parent, f.Call.Site, newScope, func(o *state.Object) { describeScope(x, o) })
			if !ok {
				return false
			}
			r.Clear(p, nil)
			p.Set(p.Frames[0].Call, state.ArgKey(subtestOwn), []*sym.Expr{r.Address})
		}
	}
	g := p.Top()
	if x.Slice.TestContext {
		r, ok := allocateContext(x, p, f.Call.Parent, f.Call.Site)
		if !ok {
			return false
		}
		// Argument 3, behind those of t.Run: the test, the name and the function.
		g.Target.Args = append(slices.Clone(g.Target.Args[:3]), []*sym.Expr{r.Address})
		p.Set(g.Call, state.ArgKey(3), []*sym.Expr{r.Address})
	}
	g.Op, g.Phase = subtestRun, 0
	return true
}

// newScope makes the object by which a test function and its subtests know of each other.
func newScope() *state.Object {
	return &state.Object{Kind: state.DataObject, Name: "subtests", Size: scopeCells}
}

// describeScope names the cells of the object of a test function.
func describeScope(x *execution.Executor, o *state.Object) {
	for i, name := range []string{"_waits", "_parallel", "_returned"} {
		c := x.Memory.Cells[o.Base+int32(i)]
		c.Name, c.Sync = o.Name+name, true
	}
}

// parallelCell is the cell that says whether the subtest of a template is parallel and has not ended, if
// there is at most one: then the ends of subtests do not depend on each other. With one counter for all of
// them they would, and a search could not leave out their orders.
func parallelCell(x *execution.Executor, scope int32, t *state.Template) int32 {
	o := x.Memory.KeyedObject(fmt.Sprintf("parallel %d", t.Index), func() *state.Object { return &state.Object{Kind: state.DataObject, Name: "parallel", Size: 1} })
	if of := x.Memory.Object(scope); !slices.Contains(of.Parallels, o.Base) {
		c := x.Memory.Cells[o.Base]
		c.Name, c.Sync = o.Name, true
		of.Parallels = append(of.Parallels, o.Base)
		x.EnqueueAll(of.Joiners)
	}
	return o.Base
}

// allEnded is the condition that no parallel subtest of a test goes on. Where it was asked for is noted: a
// subtest that is found later is one more to wait for (parallelCell).
func allEnded(x *execution.Executor, p *exploration.Path, scope int32) *sym.Expr {
	o := x.Memory.Object(scope)
	if o.Joiners == nil {
		o.Joiners = map[*state.Location]bool{}
	}
	if p.From != nil {
		o.Joiners[p.From] = true
	}
	e := exploration.Eq(p.CellAt(scope+scopeParallels), 0)
	for _, a := range o.Parallels {
		e = sym.And(e, exploration.Eq(p.CellAt(a), 0))
	}
	return e
}

// testScope is the object of the entry.
func testScope(x *execution.Executor) int32 {
	const key = "subtests of the test"
	if o := x.Memory.Keyed[key]; o != nil {
		return o.Base
	}
	o := x.Memory.KeyedObject(key, newScope)
	describeScope(x, o)
	return o.Base
}

// ownScope is the object of the test function that the path is in, 0 for none.
func ownScope(x *execution.Executor, p *exploration.Path) *sym.Expr {
	if subtest(p) != nil {
		return subtestArg(p, subtestOwn)
	}
	return sym.Num(testScope(x))
}

// startSubtest starts the goroutine of a subtest, and then waits for it: scopeWaits is 1 until the subtest
// has ended or come to t.Parallel. One cell is enough, since a test function is in one t.Run at a time.
func startSubtest(x *execution.Executor, p *exploration.Path) bool {
	scope, ok := scopeAt(x, p, ownScope(x, p))
	if !ok {
		return false
	}
	if p.Peek().Phase == 2 {
		// It stays here until the subtest has set this back.
		if !p.Assume(exploration.Eq(p.CellAt(scope+scopeWaits), 0)) {
			return false
		}
		return x.OpReturn(p, []*sym.Expr{sym.Unknown("whether the subtest passed")})
	}
	// It is set in the step that starts the goroutine: else that could have ended before.
	p.Put(scope+scopeWaits, sym.Num(1))
	// Without a context that matters there is none.
	ctx := sym.Num(0)
	if len(p.Peek().Target.Args) > 3 {
		ctx = p.Arg(3)[0]
	}
	tgt := state.Target{Op: subtestBody, Args: [][]*sym.Expr{{sym.Num(scope)}, p.Arg(2)[:1], {ctx}, {sym.Num(0)}}}
	x.SpawnTarget(p, p.Peek().Call.Site, tgt, func(q *exploration.Path) {
		q.Top().Phase = 2
		q.Role = artifact.RoleCommit
		x.Arrive(q, state.AtQueue, x.SiteOfOp(q))
	})
	return false
}

// scopeAt is the object at an address. With ok false it has taken over the path.
func scopeAt(x *execution.Executor, p *exploration.Path, addr *sym.Expr) (int32, bool) {
	k, ok, tracked := x.Concrete(p, addr)
	if !tracked {
		p.Unfollowed("subtest", "the test that it belongs to is not tracked: "+exploration.Why(addr))
	}
	return k, ok
}

// bodyOfSubtest is the goroutine of a subtest: it calls the function, on whose frame the end of its context
// and the wait for its own parallel subtests are deferred, as begin does for the entry.
func bodyOfSubtest(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	if f.Phase > 1 {
		endSubtest(x, p)
		return x.OpReturn(p, nil)
	}
	// Goroutines that the subtest starts find its context in memory; of several subtests it would be any of
	// theirs.
	if x.Slice.TestContext && p.Template.Once {
		p.Put(scopeCell(x, f.Call), p.Arg(subtestContext)[0])
	}
	if !x.CallArg(p, subtestFunc, func(q *exploration.Path) { q.Top().Phase = 2 }) {
		return false
	}
	// The function is on the stack, unless nothing in it matters, or it is not known.
	if g := p.Peek(); g.Op == nil && g.Call.Parent == f.Call {
		withContext(p)
		withJoin(p)
	}
	return true
}

// endSubtest tells the test around that the subtest has ended, by itself or by a Goexit: a parallel one is
// one less to wait for, another one lets t.Run go on. Whose object it is may depend on the state: the cells
// of all are written, each if it is that one.
func endSubtest(x *execution.Executor, p *exploration.Path) bool {
	parent := subtestArg(p, subtestParent)
	parallel := subtest(p).Phase == pausedPhase
	for _, k := range p.Addresses(parent) {
		switch {
		case parallel && p.Template.Once:
			p.Put(parallelCell(x, k, p.Template), sym.Num(0))
		case parallel:
			n := p.CellAt(k + scopeParallels)
			p.Put(k+scopeParallels, sym.Ite(exploration.Eq(parent, k), sym.Arith(sym.OpSub, n, sym.Num(1)), n))
		default:
			w := p.CellAt(k + scopeWaits)
			p.Put(k+scopeWaits, sym.Ite(exploration.Eq(parent, k), sym.Num(0), w))
		}
	}
	return true
}

// parallelSubtest begins t.Parallel, which does nothing but in a subtest: it lets t.Run return, counts the
// subtest among those to wait for, and goes on as parallelWait, at whose guard it stands until the function
// around has returned. The frame at the bottom of the goroutine keeps that it has been here.
func parallelSubtest(x *execution.Executor, p *exploration.Path) bool {
	root := subtest(p)
	switch {
	case inSubtest(p) || root != nil && p.SiteOf(sites.Parallel) == 0:
		p.Note("parallel", artifact.DirectionUnder, "a parallel subtest is a call in the model: that it runs beside others, and after the function that starts it, is not in the model")
		return x.OpReturn(p, nil)
	case root == nil:
		if p.Template.Scope != nil {
			p.Note("parallel", artifact.DirectionUnder, "a goroutine that a subtest has started calls t.Parallel: it does nothing in the model")
		}
		return x.OpReturn(p, nil)
	case root.Phase == pausedPhase:
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.SiteOf(sites.Parallel), Pos: p.Here(), Detail: "testing: t.Parallel called multiple times"}, x.SomeError())
		return true
	}
	scope, ok := scopeAt(x, p, subtestArg(p, subtestParent))
	if !ok {
		return false
	}
	if p.Template.Once {
		p.Put(parallelCell(x, scope, p.Template), sym.Num(1))
	} else {
		// Several subtests of the template can be parallel at a time.
		if c := x.Memory.Cells[scope+scopeParallels]; !c.Fix { // it is counted in
			c.Abs, c.Fix = sym.Range(0, int32(x.Options.Counter)), true
			x.Wake(c)
		}
		n, lim := p.CellAt(scope+scopeParallels), sym.Num(int32(x.Options.Counter))
		if q := p.Fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
			q.Bound("more parallel subtests than the model counts")
		}
		if !p.Assume(sym.Arith(sym.OpLt, n, lim)) {
			return false
		}
		p.Put(scope+scopeParallels, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	}
	p.Put(scope+scopeWaits, sym.Num(0))
	// The frame of the goroutine is copied before it is changed: locations have it, too.
	paused := *subtest(p)
	paused.Phase = pausedPhase
	p.Frames[0] = &paused
	// The operation goes on as one with a guard.
	g := p.Top()
	g.Op, g.Phase = parallelWait, 0
	return true
}

// goOnParallel is the rest of t.Parallel, when the function around has returned. From here on the subtest
// runs beside others.
func goOnParallel(x *execution.Executor, p *exploration.Path) bool {
	scope, ok := scopeAt(x, p, subtestArg(p, subtestParent))
	if !ok || !p.Assume(exploration.Eq(p.CellAt(scope+scopeReturned), 1)) {
		return false
	}
	p.Serial = false
	return x.OpReturn(p, nil)
}

// withJoin has the innermost frame, that of a test function, wait for its parallel
// subtests when its deferred calls are over.
func withJoin(p *exploration.Path) {
	if _, ok := p.Explorer.Sites.At(sites.Join, p.Explorer.Sites.End().Pos); !ok {
		return // the program has none
	}
	g := p.Top()
	g.Defers = append(g.Defers, state.DeferKey{Join: true})
}

// endJoin takes the wait for parallel subtests off the innermost frame, and lets them go on. A function
// that panics does not wait. If there are none, or all have ended, nothing is done: else subtestJoin is
// called, which has a guard, to wait there.
func endJoin(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	done := func(q *exploration.Path) {
		g := q.Top()
		g.Defers = g.Defers[:len(g.Defers)-1]
	}
	// A Goexit, as of t.Fatal, and a panic that was recovered from end the function as a return does.
	if u := f.Unwind; u != nil && !u.Goexit && !u.Recovered {
		done(p)
		return true
	}
	scope, ok := scopeAt(x, p, ownScope(x, p))
	switch {
	case !ok:
		return false
	case scope == 0:
		done(p)
		return true
	}
	// Who has none to wait for has no guard here.
	ended := allEnded(x, p, scope)
	if q := p.Fork(ended); q != nil {
		done(q)
		x.ContinueWith(q)
	}
	if !p.Assume(sym.Not(ended)) {
		return false
	}
	done(p)
	p.Put(scope+scopeReturned, sym.Num(1))
	at := x.Sites.End().Pos
	if subtest(p) != nil {
		at = p.Template.Site.Pos
	}
	x.PushOp(p, x.Context(p.Template, f.Call, nil, 0, nil, subtestJoin.Name), state.Target{Op: subtestJoin, Args: [][]*sym.Expr{{sym.Num(scope)}}, Pos: at}, true)
	return true
}

// joinSubtests waits for the parallel subtests of a function: it goes on when all have ended.
func joinSubtests(x *execution.Executor, p *exploration.Path) bool {
	scope, ok := x.Receiver(p)
	if !ok || !p.Assume(allEnded(x, p, scope)) {
		return false
	}
	return x.OpReturn(p, nil)
}

// scopeCell holds the address of the context of a subtest.
func scopeCell(x *execution.Executor, scope *state.CallPath) int32 {
	key := fmt.Sprintf("subtest %d.%d", scope.Template.Index, scope.ID)
	if o := x.Memory.Keyed[key]; o != nil {
		return o.Base
	}
	o := x.Memory.KeyedObject(key, func() *state.Object { return &state.Object{Kind: state.DataObject, Name: "subtest_ctx", Size: 1} })
	c := x.Memory.Cells[o.Base]
	c.Name, c.Ref, c.Sync = o.Name, true, true
	return o.Base
}

// contextOfSubtest is the address of the context of a subtest: an argument of its goroutine, and for
// goroutines that it starts, and subtests that are calls, in a cell.
func contextOfSubtest(x *execution.Executor, p *exploration.Path, scope *state.CallPath) *sym.Expr {
	started := scope == scope.Template.Root // it has a goroutine
	switch {
	case started && p.Template == scope.Template:
		return subtestArg(p, subtestContext)
	case started && !scope.Template.Once:
		return sym.Unknown("the context of a subtest of which there can be several, in a goroutine that it has started")
	}
	return p.CellAt(scopeCell(x, scope))
}

// registersCleanup is the frame of the test function that a call of t.Cleanup
// belongs to, -1 for none: that of the innermost subtest, or of the entry.
func registersCleanup(p *exploration.Path) int {
	if _, ok := p.Peek().Call.Site.(*ssa.Call); !ok || p.Template.Parent != nil && subtest(p) == nil {
		return -1
	}
	// The innermost subtest that is a call is behind the frame of its t.Run; without one it is the function
	// at the bottom of the stack, behind the operation with which the goroutine of a subtest begins.
	at := 0
	for i := len(p.Frames) - 2; i > 0; i-- {
		if p.Frames[i].Op == testRun {
			at = i + 1
			break
		}
	}
	for at < len(p.Frames)-1 && p.Frames[at].Op != nil {
		at++
	}
	return at
}
