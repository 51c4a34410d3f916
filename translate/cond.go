package translate

import (
	"go/types"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

// A sync.Cond is the interface value of its lock and the queue of its waiters:
// numbers of processes in the order in which they came, 0 where it is free.
const (
	condLock    = 0 // two scalars
	condQueue   = 2
	condWaiters = 8
)

// isCond recognises sync.Cond, which foreign code has no other business with
// than to read and set its lock.
func isCond(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && n.Obj().Name() == "Cond"
}

func condIntrinsics(table map[string]*intrinsic) {
	table["(*sync.Cond).Wait"] = &intrinsic{name: "condwait", kind: sites.CondWait, block: true, seed: true, run: condWait}
	table["(*sync.Cond).Signal"] = &intrinsic{name: "signal", kind: sites.CondSignal, seed: true, run: condSignal}
	table["(*sync.Cond).Broadcast"] = &intrinsic{name: "broadcast", kind: sites.CondBroadcast, seed: true, run: condBroadcast}
	table["sync.NewCond"] = &intrinsic{name: "newcond", args: []int{0}, run: newCond}
}

// newCond allocates a Cond.
func newCond(x *translator, p *path) bool {
	f := p.peek()
	l := p.arg(0)
	t := f.tgt.fn.Signature.Results().At(0).Type()
	r, ok := x.allocateAt(p, f.ctx.parent, f.ctx.site, func() *object { return x.newData("cond", pointee(t)) },
		func(o *object) { x.describe(o, pointee(t)) })
	if !ok {
		return false
	}
	r.clear(p, nil)
	for i := range int32(2) {
		r.put(p, condLock+i, l[i])
	}
	return x.opReturn(p, []*expr{r.e})
}

// condWait queues and lets go of the lock; once signalled, it takes the lock
// again.
func condWait(x *translator, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	mu, writer, ok := x.condLocker(p, a)
	if !ok {
		return false
	}
	self := &expr{op: xSelf}
	if p.peek().phase == 2 {
		for i := range int32(condWaiters) {
			if !p.assume(not(arith(xEq, p.cellAt(a+condQueue+i), self))) {
				return false
			}
		}
		free := eq(p.cellAt(mu), 0)
		if writer {
			free = and(free, and(eq(p.cellAt(mu+rwPending), 0), eq(p.cellAt(mu+rwReaders), 0)))
		}
		if !p.assume(free) {
			return false
		}
		p.put(mu, num(1))
		return x.opReturn(p, nil)
	}
	if q := p.fork(eq(p.cellAt(mu), 0)); q != nil {
		x.fatal(q, "sync: unlock of unlocked mutex")
	}
	if !p.assume(eq(p.cellAt(mu), 1)) {
		return false
	}
	if q := p.fork(not(eq(p.cellAt(a+condQueue+condWaiters-1), 0))); q != nil {
		q.bound("more waiters of a condition variable than the model has")
	}
	if !p.assume(eq(p.cellAt(a+condQueue+condWaiters-1), 0)) {
		return false
	}
	before := num(1) // the places before are taken
	for i := range int32(condWaiters) {
		c := p.cellAt(a + condQueue + i)
		p.put(a+condQueue+i, ite(and(before, eq(c, 0)), self, c))
		before = and(before, not(eq(c, 0)))
	}
	p.put(mu, num(0))
	p.top().phase = 2
	p.role = artifact.RoleCommit
	x.arrive(p, atQueue, x.siteOfOp(p))
	return false
}

// condLocker finds the lock of a Cond; writer says that it is an RWMutex.
func (x *translator) condLocker(p *path, a int32) (mu int32, writer, ok bool) {
	tag, ok, tracked := x.concrete(p, p.cellAt(a+condLock))
	if !tracked {
		x.unsupported(p.here(), "sync.Cond", "its lock is not tracked")
		return 0, false, false
	}
	if !ok {
		return 0, false, false
	}
	noLock := func() (int32, bool, bool) {
		x.raise(p, &unwind{kind: artifact.KindPanic, site: x.siteOfOp(p), pos: p.here(), detail: "nil pointer dereference"}, x.someError())
		x.continueWith(p)
		return 0, false, false
	}
	if tag == 0 {
		return noLock()
	}
	t := x.mem.typeOf(tag)
	if t == nil || syncCells(pointee(t)) == nil {
		x.unsupported(p.here(), "sync.Cond", "its lock is neither a Mutex nor an RWMutex")
		return 0, false, false
	}
	mu, ok, tracked = x.concrete(p, p.cellAt(a+condLock+1))
	if !tracked {
		x.unsupported(p.here(), "sync.Cond", "its lock is not tracked")
		return 0, false, false
	}
	if ok && mu == 0 {
		return noLock()
	}
	return mu, len(syncCells(pointee(t))) == 3, ok
}

// condSignal wakes the waiter that came first.
func condSignal(x *translator, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	next := make([]*expr, condWaiters)
	for i := range next {
		next[i] = num(0)
		if i+1 < condWaiters {
			next[i] = p.cellAt(a + condQueue + int32(i) + 1)
		}
	}
	for i, e := range next {
		p.put(a+condQueue+int32(i), e)
	}
	return x.opReturn(p, nil)
}

// condBroadcast wakes all waiters.
func condBroadcast(x *translator, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	for i := range int32(condWaiters) {
		p.put(a+condQueue+i, num(0))
	}
	return x.opReturn(p, nil)
}
