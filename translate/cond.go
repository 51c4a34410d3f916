package translate

import (
	"go/types"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

func condOperations(l *Library) {
	l.Known["(*sync.Cond).Wait"] = l.operation(program.Operation{Name: "condwait", Kind: sites.CondWait, Blocks: true, Seed: true}, condWait)
	l.Known["(*sync.Cond).Signal"] = l.operation(program.Operation{Name: "signal", Kind: sites.CondSignal, Seed: true}, condSignal)
	l.Known["(*sync.Cond).Broadcast"] = l.operation(program.Operation{Name: "broadcast", Kind: sites.CondBroadcast, Seed: true}, condBroadcast)
	l.Known["sync.NewCond"] = l.operation(program.Operation{Name: "newcond", Args: []int{0}}, newCond)
}

// newCond allocates a Cond.
func newCond(x *executor, p *path) bool {
	f := p.peek()
	if f.Call.Parent == nil {
		return x.opReturn(p, nil)
	}
	l := p.arg(0)
	t := f.Target.Fn.Signature.Results().At(0).Type()
	r, ok := x.allocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object { return x.NewData("cond", program.Pointee(t)) },
		func(o *state.Object) { x.Describe(o, program.Pointee(t)) })
	if !ok {
		return false
	}
	r.clear(p, nil)
	for i := range int32(2) {
		r.put(p, layout.CondLock+i, l[i])
	}
	return x.opReturn(p, []*sym.Expr{r.e})
}

// The phases of Wait. With a lock whose methods are the program's own these are
// called: Unlock behind taking the ticket, Lock once signalled. Of an RWMutex it
// is a writer once signalled, who may find readers and announce itself.
const (
	condQueued    = 2
	condUnlocked  = 3
	condUserQueue = 4
	condLocked    = 5
	condAnnounced = 6
)

// condWait queues and lets go of the lock. Once signalled, it stands at its guard
// again, and takes the lock in a step of its own, as any other who wants it.
func condWait(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	l, ok := condLocker(x, p, a)
	if !ok {
		return false
	}
	self := sym.Read(sym.OpSelf, nil, 0)
	waits := func(i int32) *sym.Expr { return sym.Arith(sym.OpEq, p.cellAt(a+layout.CondQueue+i), self) }
	signalled := func() bool {
		for i := range int32(layout.CondWaiters) {
			if !p.assume(sym.Not(waits(i))) {
				return false
			}
		}
		return true
	}
	phase := func(k int) func(q *path) { return func(q *path) { q.top().Phase = k } }
	switch p.peek().Phase {
	case condQueued, condUserQueue:
		if p.peek().Phase == condUserQueue {
			p.site = 0 // nobody grants it again
		}
		if !signalled() {
			return false
		}
		if l.own != nil {
			return callMethod(x, p, l, "Lock", condLocked)
		}
		p.role = artifact.RoleOp
		if l.writer {
			return writeLock(x, p, l.mu, condAnnounced) && x.opReturn(p, nil)
		}
		if !p.assume(eq(p.cellAt(l.mu), 0)) {
			return false
		}
		p.put(l.mu, sym.Num(1))
		return x.opReturn(p, nil)
	case condAnnounced:
		return writeLockAnnounced(x, p, l.mu) && x.opReturn(p, nil)
	case condUnlocked:
		if l.own == nil { // a Cond of the same place, or it has another lock now
			phase(condQueued)(p)
			p.role = artifact.RoleCommit
			x.arrive(p, state.AtQueue, x.siteOfOp(p))
			return false
		}
		here := sym.Num(0)
		for i := range int32(layout.CondWaiters) {
			here = sym.Or(here, waits(i))
		}
		if q := p.fork(here); q != nil {
			phase(condUserQueue)(q)
			q.role = artifact.RoleCommit
			x.arrive(q, state.AtQueue, x.siteOfOp(q))
		}
		return p.assume(sym.Not(here)) && callMethod(x, p, l, "Lock", condLocked)
	case condLocked:
		return x.opReturn(p, nil)
	}
	if l.own == nil {
		if q := p.fork(eq(p.cellAt(l.mu), 0)); q != nil {
			x.fatal(q, "sync: unlock of unlocked mutex")
		}
		if !p.assume(eq(p.cellAt(l.mu), 1)) {
			return false
		}
	}
	if q := p.fork(sym.Not(eq(p.cellAt(a+layout.CondQueue+layout.CondWaiters-1), 0))); q != nil {
		q.bound("more waiters of a condition variable than the model has")
	}
	if !p.assume(eq(p.cellAt(a+layout.CondQueue+layout.CondWaiters-1), 0)) {
		return false
	}
	before := sym.Num(1) // the places before are taken
	for i := range int32(layout.CondWaiters) {
		c := p.cellAt(a + layout.CondQueue + i)
		p.put(a+layout.CondQueue+i, sym.Ite(sym.And(before, eq(c, 0)), self, c))
		before = sym.And(before, sym.Not(eq(c, 0)))
	}
	if l.own != nil {
		return callMethod(x, p, l, "Unlock", condUnlocked)
	}
	p.put(l.mu, sym.Num(0))
	phase(condQueued)(p)
	p.role = artifact.RoleCommit
	x.arrive(p, state.AtQueue, x.siteOfOp(p))
	return false
}

// lockOfCond is the lock of a Cond: one of package sync, or a value of a type
// with methods of its own.
type lockOfCond struct {
	mu     int32
	writer bool // it is an RWMutex
	own    types.Type
	val    *sym.Expr
}

// condLocker finds the lock of a Cond.
func condLocker(x *executor, p *path, a int32) (l lockOfCond, ok bool) {
	tag, ok, tracked := x.concrete(p, p.cellAt(a+layout.CondLock))
	if !tracked {
		x.unsupported(p.here(), "sync.Cond", "its lock is not tracked")
		return l, false
	}
	if !ok {
		return l, false
	}
	noLock := func() (lockOfCond, bool) {
		x.raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.siteOfOp(p), Pos: p.here(), Detail: "nil pointer dereference"}, x.SomeError())
		x.continueWith(p)
		return l, false
	}
	if tag == 0 {
		return noLock()
	}
	t := x.mem.TypeOf(tag)
	if t == nil || t == libraryRLocker || t == layout.OpaqueError {
		x.unsupported(p.here(), "sync.Cond", "its lock is neither a Mutex nor an RWMutex, nor of a type of the program")
		return l, false
	}
	off, lock, isSync := x.EmbeddedLock(t)
	if !isSync {
		return lockOfCond{own: t, val: p.cellAt(a + layout.CondLock + 1)}, true
	}
	mu, ok, tracked := x.concrete(p, p.cellAt(a+layout.CondLock+1))
	if !tracked {
		x.unsupported(p.here(), "sync.Cond", "its lock is not tracked")
		return l, false
	}
	if ok && mu == 0 {
		return noLock()
	}
	return lockOfCond{mu: mu + int32(off), writer: len(program.SyncCells(lock)) == 3}, ok
}

// callMethod calls a method of the lock of a Cond, as which the operation on top
// of the stack goes on in a phase.
func callMethod(x *executor, p *path, l lockOfCond, name string, phase int) bool {
	fn := x.prog.SSA.LookupMethod(l.own, nil, name)
	if fn == nil || fn.Blocks == nil {
		x.unsupported(p.here(), "sync.Cond", "the method "+name+" of its lock is not part of the program")
		return false
	}
	recv, ok := x.unbox(p, l.val, l.own)
	if !ok {
		return false
	}
	p.top().Phase = phase
	if !x.sl.Funcs[fn] {
		return true
	}
	return x.enter(p, x.context(p.t, p.peek().Call, p.peek().Call.Site, phase, fn, ""), state.Target{Fn: fn, Args: [][]*sym.Expr{recv}}, false)
}

// condSignal wakes the waiter that came first.
func condSignal(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	next := make([]*sym.Expr, layout.CondWaiters)
	for i := range next {
		next[i] = sym.Num(0)
		if i+1 < layout.CondWaiters {
			next[i] = p.cellAt(a + layout.CondQueue + int32(i) + 1)
		}
	}
	for i, e := range next {
		p.put(a+layout.CondQueue+int32(i), e)
	}
	return x.opReturn(p, nil)
}

// condBroadcast wakes all waiters.
func condBroadcast(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	for i := range int32(layout.CondWaiters) {
		p.put(a+layout.CondQueue+i, sym.Num(0))
	}
	return x.opReturn(p, nil)
}
