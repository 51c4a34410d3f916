package library

import (
	"go/types"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// condOperations are the methods of sync.Cond. Its cells are its lock, an interface, and a queue of few
// waiters: the numbers of their processes, the first one in front, 0 behind the last (layout.CondQueue).
// Signal takes the first one out, which is who came first, as in the Go runtime (notifyList).
func condOperations(l *execution.Library) {
	l.Known["(*sync.Cond).Wait"] = l.Add(program.Operation{Name: "condwait", Kind: sites.CondWait, Seed: true}, condWait)
	l.Known["(*sync.Cond).Signal"] = l.Add(program.Operation{Name: "signal", Kind: sites.CondSignal, Seed: true}, condSignal)
	l.Known["(*sync.Cond).Broadcast"] = l.Add(program.Operation{Name: "broadcast", Kind: sites.CondBroadcast, Seed: true}, condBroadcast)
	l.Known["sync.NewCond"] = l.Add(program.Operation{Name: "newcond", Args: []int{0}}, newCond)
}

// newCond allocates a Cond, with its lock. A goroutine may begin with it, as in `go sync.NewCond(l)`: then
// there is no call around, and nobody has the result.
func newCond(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	if f.Call.Parent == nil {
		return x.OpReturn(p, nil)
	}
	l := p.Arg(0)
	t := f.Target.Fn.Signature.Results().At(0).Type()
	r, ok := x.AllocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object { return x.NewData("cond", program.Pointee(t)) },
		func(o *state.Object) { x.Describe(o, program.Pointee(t)) })
	if !ok {
		return false
	}
	r.Clear(p, nil)
	for i := range int32(2) {
		r.Put(p, layout.CondLock+i, l[i])
	}
	return x.OpReturn(p, []*sym.Expr{r.Address})
}

// The phases of Wait. With a lock whose methods are the program's own these are called: Unlock behind
// taking the ticket, Lock once signalled. Of an RWMutex it is a writer once signalled, who may find readers
// and announce itself.
//
// With a lock of package sync:
//
//	1 -> condQueued -> done, or condAnnounced -> done
//
// and with another one:
//
//	1 -> condUnlocked -> condUserQueue -> condLocked -> done
//
// where condUserQueue is left out if the signal came while Unlock was executed.
const (
	condQueued    = 2
	condUnlocked  = 3
	condUserQueue = 4
	condLocked    = 5
	condAnnounced = 6
)

// condWait queues and lets go of the lock. Once signalled, it stands at its guard again, and takes the lock
// in a step of its own, as any other who wants it. Who waits is signalled if its number is not in the queue
// any more.
//
// In Go the ticket is taken before the lock is given back (sync.Cond.Wait), so that no signal is lost in
// between. Here both are in one step, unless the lock has methods of the program, which have guards of
// their own: with these nobody grants the second passing of the guard (condUserQueue), but the operations
// of the method Lock.
func condWait(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	l, ok := condLocker(x, p, a)
	if !ok {
		return false
	}
	self := sym.Read(sym.OpSelf, nil, 0)
	waits := func(i int32) *sym.Expr { return sym.Arith(sym.OpEq, p.CellAt(a+layout.CondQueue+i), self) }
	signalled := func() bool {
		for i := range int32(layout.CondWaiters) {
			if !p.Assume(sym.Not(waits(i))) {
				return false
			}
		}
		return true
	}
	phase := func(k int) func(q *exploration.Path) { return func(q *exploration.Path) { q.Top().Phase = k } }
	switch p.Peek().Phase {
	case condQueued, condUserQueue:
		if p.Peek().Phase == condUserQueue {
			p.Site = 0 // nobody grants it again
		}
		if !signalled() {
			return false
		}
		if l.own != nil {
			return callMethod(x, p, l, "Lock", condLocked)
		}
		p.Role = artifact.RoleOp
		switch l.held {
		case forWriting:
			return writeLock(x, p, l.mu, condAnnounced) && x.OpReturn(p, nil)
		case forReading:
			return p.Assume(readable(p, l.mu)) && countReader(x, p, l.mu) && x.OpReturn(p, nil)
		}
		if !p.Assume(exploration.Eq(p.CellAt(l.mu), 0)) {
			return false
		}
		p.Put(l.mu, sym.Num(1))
		return x.OpReturn(p, nil)
	case condAnnounced:
		return writeLockAnnounced(x, p, l.mu) && x.OpReturn(p, nil)
	case condUnlocked:
		if l.own == nil { // a Cond of the same place, or it has another lock now
			phase(condQueued)(p)
			p.Role = artifact.RoleCommit
			x.Arrive(p, state.AtQueue, x.SiteOfOp(p))
			return false
		}
		here := sym.Num(0)
		for i := range int32(layout.CondWaiters) {
			here = sym.Or(here, waits(i))
		}
		// Who is still in the queue waits; who has been signalled meanwhile takes the lock at once.
		if q := p.Fork(here); q != nil {
			phase(condUserQueue)(q)
			q.Role = artifact.RoleCommit
			x.Arrive(q, state.AtQueue, x.SiteOfOp(q))
		}
		return p.Assume(sym.Not(here)) && callMethod(x, p, l, "Lock", condLocked)
	case condLocked:
		return x.OpReturn(p, nil)
	}
	if l.own == nil && !unlockOfCond(x, p, l) {
		return false
	}
	if q := p.Fork(sym.Not(exploration.Eq(p.CellAt(a+layout.CondQueue+layout.CondWaiters-1), 0))); q != nil {
		q.Bound("more waiters of a condition variable than the model has")
	}
	if !p.Assume(exploration.Eq(p.CellAt(a+layout.CondQueue+layout.CondWaiters-1), 0)) {
		return false
	}
	before := sym.Num(1) // the places before are taken
	for i := range int32(layout.CondWaiters) {
		c := p.CellAt(a + layout.CondQueue + i)
		p.Put(a+layout.CondQueue+i, sym.Ite(sym.And(before, exploration.Eq(c, 0)), self, c))
		before = sym.And(before, sym.Not(exploration.Eq(c, 0)))
	}
	if l.own != nil {
		return callMethod(x, p, l, "Unlock", condUnlocked)
	}
	phase(condQueued)(p)
	p.Role = artifact.RoleCommit
	x.Arrive(p, state.AtQueue, x.SiteOfOp(p))
	return false
}

// unlockOfCond gives the lock of package sync back with which Wait is called. Not to hold it is a fatal
// error, that of the method Unlock.
func unlockOfCond(x *execution.Executor, p *exploration.Path, l lockOfCond) bool {
	if l.held == forReading {
		return discountReader(x, p, l.mu)
	}
	if q := p.Fork(exploration.Eq(p.CellAt(l.mu), 0)); q != nil {
		x.Fatal(q, unlockTexts[l.held])
	}
	if !p.Assume(exploration.Eq(p.CellAt(l.mu), 1)) {
		return false
	}
	p.Put(l.mu, sym.Num(0))
	return true
}

// How the lock of a Cond is held.
type holding int

const (
	asMutex    holding = iota
	forWriting         // an RWMutex
	forReading         // an RWMutex, by its RLocker
)

// unlockTexts are the errors of who does not hold it.
var unlockTexts = map[holding]string{asMutex: "sync: unlock of unlocked mutex", forWriting: "sync: Unlock of unlocked RWMutex"}

// lockOfCond is the lock of a Cond: one of package sync at the address mu, or a value val of a type own
// with methods of its own, which is nil for the former.
type lockOfCond struct {
	mu   int32
	held holding
	own  types.Type
	val  *sym.Expr
}

// condLocker finds the lock of a Cond, which has to be known: its type, which says how it is locked, and
// for one of package sync its address. A pointer to a struct that embeds a Mutex is one of package sync, at
// an offset. With ok false it has taken over the path, or that has ended.
func condLocker(x *execution.Executor, p *exploration.Path, a int32) (l lockOfCond, ok bool) {
	tag, ok, tracked := x.Concrete(p, p.CellAt(a+layout.CondLock))
	if !tracked {
		p.Unfollowed("sync.Cond", "its lock is not tracked")
		return l, false
	}
	if !ok {
		return l, false
	}
	// Wait calls L.Unlock, which panics if L is nil, or a nil pointer.
	noLock := func() (lockOfCond, bool) {
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: "nil pointer dereference"}, x.SomeError())
		x.ContinueWith(p)
		return l, false
	}
	if tag == 0 {
		return noLock()
	}
	t := x.Memory.TypeOf(tag)
	if t == nil || t == layout.OpaqueError {
		p.Unfollowed("sync.Cond", "its lock is neither a Mutex nor an RWMutex, nor of a type of the program")
		return l, false
	}
	// For the lock of an RLocker the scalar is the address of its RWMutex.
	off, lock, isSync := 0, types.Type(nil), t == libraryRLocker
	if !isSync {
		off, lock, isSync = x.EmbeddedLock(t)
	}
	if !isSync {
		return lockOfCond{own: t, val: p.CellAt(a + layout.CondLock + 1)}, true
	}
	mu, ok, tracked := x.Concrete(p, p.CellAt(a+layout.CondLock+1))
	if !tracked {
		p.Unfollowed("sync.Cond", "its lock is not tracked")
		return l, false
	}
	if ok && mu == 0 {
		return noLock()
	}
	l.mu = mu + int32(off)
	switch {
	case t == libraryRLocker:
		l.held = forReading
	case len(program.SyncCells(lock)) == 3:
		l.held = forWriting
	}
	return l, ok
}

// callMethod calls a method of the lock of a Cond, as which the operation on top of the stack goes on in a
// phase. A method in which nothing matters is passed over.
func callMethod(x *execution.Executor, p *exploration.Path, l lockOfCond, name string, phase int) bool {
	fn := x.Program.SSA.LookupMethod(l.own, nil, name)
	if fn == nil || fn.Blocks == nil {
		p.Unfollowed("sync.Cond", "the method "+name+" of its lock is not part of the program")
		return false
	}
	recv, ok := x.Unbox(p, l.val, l.own)
	if !ok {
		return false
	}
	p.Top().Phase = phase
	if !x.Slice.Funcs[fn] {
		return true
	}
	return x.Enter(p, x.Context(p.Template, p.Peek().Call, p.Peek().Call.Site, phase, fn, ""), state.Target{Fn: fn, Args: [][]*sym.Expr{recv}}, false)
}

// condSignal wakes the waiter that came first: the others move up, and of an empty queue nothing changes.
func condSignal(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	// next are the places after those behind have moved up.
	next := make([]*sym.Expr, layout.CondWaiters)
	for i := range next {
		next[i] = sym.Num(0)
		if i+1 < layout.CondWaiters {
			next[i] = p.CellAt(a + layout.CondQueue + int32(i) + 1)
		}
	}
	for i, e := range next {
		p.Put(a+layout.CondQueue+int32(i), e)
	}
	return x.OpReturn(p, nil)
}

// condBroadcast wakes all waiters.
func condBroadcast(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	for i := range int32(layout.CondWaiters) {
		p.Put(a+layout.CondQueue+i, sym.Num(0))
	}
	return x.OpReturn(p, nil)
}
