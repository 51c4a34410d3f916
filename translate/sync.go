package translate

import (
	"maps"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

func syncOperations(l *Library) {
	op := func(name string, kind sites.Kind, block bool, run run) *program.Operation {
		return l.operation(program.Operation{Name: name, Kind: kind, Blocks: block, Seed: true}, run)
	}
	maps.Copy(l.Known, map[string]*program.Operation{
		"(*sync.Mutex).Lock":       op("lock", sites.Lock, true, lock),
		"(*sync.Mutex).Unlock":     op("unlock", sites.Unlock, false, unlock),
		"(*sync.Mutex).TryLock":    op("trylock", sites.TryLock, false, tryLock),
		"(*sync.RWMutex).Lock":     op("lock", sites.Lock, true, rwLock),
		"(*sync.RWMutex).Unlock":   op("unlock", sites.Unlock, false, rwUnlock),
		"(*sync.RWMutex).TryLock":  op("trylock", sites.TryLock, false, rwTryLock),
		"(*sync.RWMutex).RLock":    op("rlock", sites.RLock, true, rLock),
		"(*sync.RWMutex).RUnlock":  op("runlock", sites.RUnlock, false, rUnlock),
		"(*sync.RWMutex).TryRLock": op("tryrlock", sites.TryRLock, false, tryRLock),
		"(*sync.WaitGroup).Add":    l.operation(program.Operation{Name: "add", Kind: sites.WaitGroupAdd, Seed: true, Args: []int{0, 1}}, func(x *executor, p *path) bool { return wgAdd(x, p, p.arg(1)[0]) }),
		"(*sync.WaitGroup).Done":   op("done", sites.WaitGroupDone, false, func(x *executor, p *path) bool { return wgAdd(x, p, sym.Num(-1)) }),
		"(*sync.WaitGroup).Wait":   op("wait", sites.WaitGroupWait, true, wgWait),
		"(*sync.WaitGroup).Go":     l.operation(program.Operation{Name: "go", Kind: sites.WaitGroupGo, Seed: true, Args: []int{0, 1}}, wgGo),
		"(*sync.Once).Do":          l.operation(program.Operation{Name: "once", Kind: sites.OnceDo, Blocks: true, Seed: true, Args: []int{0, 1}}, onceDo),
		"os.Exit":                  l.operation(program.Operation{Name: "exit", Kind: sites.Exit, Seed: true, Args: []int{0}}, osExit),
		"runtime.Goexit":           op("goexit", sites.Exit, false, goexit),
		"time.Sleep":               l.operation(program.Operation{Name: "sleep", Kind: sites.Sleep, Seed: true, Args: []int{}}, sleep),
		"runtime.Gosched":          l.operation(program.Operation{Name: "gosched", Args: []int{}}, func(x *executor, p *path) bool { return x.opReturn(p, nil) }),
	})
	l.whenUnwound(l.Known["(*sync.Once).Do"], onceDone)
	l.does(wgBody, runWaited)
	l.whenUnwound(wgBody, endWaited)
	maps.Copy(l.Builtins, map[string]*program.Operation{
		"close": op("close", sites.Close, false, closeChan),
		"panic": l.operation(program.Operation{Name: "panic", Kind: sites.Panic, Seed: true}, func(x *executor, p *path) bool {
			u := &state.Unwind{Kind: artifact.KindPanic, Site: x.siteOfOp(p), Pos: p.here(), Detail: "panic"}
			x.raise(p, u, p.arg(0))
			return true
		}),
	})
}

var (
	testFatal = &program.Operation{Name: "fatal", Kind: sites.Exit, Seed: true, Args: []int{}}
	testSkip  = &program.Operation{Name: "skip", Kind: sites.Exit, Seed: true, Args: []int{}}
)

func lock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	if !p.assume(eq(p.cellAt(a), 0)) {
		return false
	}
	p.put(a, sym.Num(1))
	p.hold(a, true)
	return x.opReturn(p, nil)
}

func unlock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	if q := p.fork(eq(p.cellAt(a), 0)); q != nil {
		x.fatal(q, "sync: unlock of unlocked mutex")
	}
	if !p.assume(eq(p.cellAt(a), 1)) {
		return false
	}
	p.put(a, sym.Num(0))
	p.release(a)
	return x.opReturn(p, nil)
}

func tryLock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	return x.either(p, eq(p.cellAt(a), 0), func(q *path) {
		q.put(a, sym.Num(1))
		q.hold(a, true)
	})
}

// The cells of an RWMutex: held by a writer, a writer is queued, readers.
const (
	rwHeld = iota
	rwPending
	rwReaders
)

func rwLock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	const announced = 2
	if p.peek().Phase == announced {
		ok = writeLockAnnounced(x, p, a)
	} else {
		ok = writeLock(x, p, a, announced)
	}
	if !ok {
		return false
	}
	p.hold(a, true)
	return x.opReturn(p, nil)
}

// writeLock takes an RWMutex for writing where nobody has it. A writer that finds
// readers announces itself, which keeps new readers out, and queues in a phase of its
// own; others wait at their guards. It reports whether the lock is taken.
func writeLock(x *executor, p *path, a int32, announced int) bool {
	held, pending, readers := p.cellAt(a+rwHeld), p.cellAt(a+rwPending), p.cellAt(a+rwReaders)
	free := sym.And(eq(held, 0), eq(pending, 0))
	if q := p.fork(sym.And(free, sym.Not(eq(readers, 0)))); q != nil {
		q.put(a+rwPending, sym.Num(1))
		q.top().Phase = announced
		q.role = artifact.RoleCommit
		x.arrive(q, state.AtQueue, x.siteOfOp(q))
	}
	if !p.assume(sym.And(free, eq(readers, 0))) {
		return false
	}
	p.put(a+rwHeld, sym.Num(1))
	return true
}

// writeLockAnnounced lets a writer that has announced itself in, once the last reader
// has left.
func writeLockAnnounced(x *executor, p *path, a int32) bool {
	if !p.assume(eq(p.cellAt(a+rwReaders), 0)) {
		return false
	}
	p.put(a+rwPending, sym.Num(0))
	p.put(a+rwHeld, sym.Num(1))
	return true
}

func rwUnlock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	if q := p.fork(eq(p.cellAt(a+rwHeld), 0)); q != nil {
		x.fatal(q, "sync: Unlock of unlocked RWMutex")
	}
	if !p.assume(eq(p.cellAt(a+rwHeld), 1)) {
		return false
	}
	p.put(a+rwHeld, sym.Num(0))
	p.release(a)
	return x.opReturn(p, nil)
}

func rwTryLock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	c := sym.And(sym.And(eq(p.cellAt(a+rwHeld), 0), eq(p.cellAt(a+rwPending), 0)), eq(p.cellAt(a+rwReaders), 0))
	return x.either(p, c, func(q *path) {
		q.put(a+rwHeld, sym.Num(1))
		q.hold(a, true)
	})
}

// moreReaders counts a reader in.
func moreReaders(x *executor, p *path, a int32) bool {
	n := p.cellAt(a + rwReaders)
	lim := sym.Num(int32(x.opts.Counter))
	if q := p.fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
		q.bound("more readers of a lock than the model counts")
	}
	if !p.assume(sym.Arith(sym.OpLt, n, lim)) {
		return false
	}
	p.put(a+rwReaders, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	p.hold(a, false)
	return true
}

func rLock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	if !p.assume(sym.And(eq(p.cellAt(a+rwHeld), 0), eq(p.cellAt(a+rwPending), 0))) || !moreReaders(x, p, a) {
		return false
	}
	return x.opReturn(p, nil)
}

func rUnlock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	n := p.cellAt(a + rwReaders)
	if q := p.fork(eq(n, 0)); q != nil {
		x.fatal(q, "sync: RUnlock of unlocked RWMutex")
	}
	if !p.assume(sym.Arith(sym.OpLt, sym.Num(0), n)) {
		return false
	}
	p.put(a+rwReaders, sym.Arith(sym.OpSub, n, sym.Num(1)))
	p.release(a)
	return x.opReturn(p, nil)
}

func tryRLock(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	c := sym.And(eq(p.cellAt(a+rwHeld), 0), eq(p.cellAt(a+rwPending), 0))
	if q := p.fork(sym.Not(c)); q != nil {
		x.opReturn(q, []*sym.Expr{sym.Num(0)})
		x.continueWith(q)
	}
	if !p.assume(c) || !moreReaders(x, p, a) {
		return false
	}
	return x.opReturn(p, []*sym.Expr{sym.Num(1)})
}

func wgAdd(x *executor, p *path, delta *sym.Expr) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	if delta.Op == sym.OpUnknown {
		p.note("wait-group-delta", artifact.DirectionUnder, "the number added is not tracked: taken as 0, 1 or 2; what another one leads to is not in the model")
		for k := range int32(3) {
			q := p.clone()
			q.set(q.peek().Call, state.ArgKey(1), []*sym.Expr{sym.Num(k)})
			x.continueWith(q)
		}
		return false
	}
	n, ok := wgCounter(x, p, sym.Arith(sym.OpAdd, p.cellAt(a), delta))
	if !ok {
		return false
	}
	lim := sym.Num(int32(x.opts.Counter))
	if q := p.fork(sym.Arith(sym.OpLt, lim, n)); q != nil {
		q.bound("a wait group counter greater than the model counts")
	}
	if !p.assume(sym.Arith(sym.OpLe, n, lim)) {
		return false
	}
	p.put(a, n)
	return x.opReturn(p, nil)
}

// wgCounter is n, what a counter is set to, where it is not negative; the operation panics
// elsewhere. It reports whether p goes on.
func wgCounter(x *executor, p *path, n *sym.Expr) (*sym.Expr, bool) {
	if q := p.fork(sym.Arith(sym.OpLt, n, sym.Num(0))); q != nil {
		x.raise(q, &state.Unwind{Kind: artifact.KindNegativeCounter, Site: x.siteOfOp(q), Pos: q.here(), Detail: "sync: negative WaitGroup counter"}, x.SomeError())
		x.continueWith(q)
	}
	return n, p.assume(sym.Arith(sym.OpLe, sym.Num(0), n))
}

// wgGo starts a goroutine that a wait group counts.
func wgGo(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	n := p.cellAt(a)
	lim := sym.Num(int32(x.opts.Counter))
	if q := p.fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
		q.bound("a wait group counter greater than the model counts")
	}
	if !p.assume(sym.Arith(sym.OpLt, n, lim)) {
		return false
	}
	p.put(a, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	f := p.peek()
	tgt := state.Target{Op: wgBody, Args: p.args()[:2]}
	return x.spawnTarget(p, f.Call.Site, tgt, func(q *path) { x.opReturn(q, nil) })
}

// wgBody is the goroutine that WaitGroup.Go starts.
var wgBody = &program.Operation{Name: "wgbody", Starts: sites.WaitGroupGo, Seed: true, Args: []int{0, 1}}

// runWaited is that goroutine: it calls the function, and counts down.
func runWaited(x *executor, p *path) bool {
	if p.peek().Phase == 2 {
		return wgAdd(x, p, sym.Num(-1))
	}
	if _, ok := x.receiver(p); !ok {
		return false
	}
	return x.callArg(p, 1, func(q *path) { q.top().Phase = 2 })
}

// endWaited counts down for a goroutine that ends by a Goexit.
func endWaited(x *executor, p *path) bool {
	if !p.peek().Unwind.Goexit {
		return true // the panic ends the program
	}
	addr := p.arg(0)[0]
	n, ok := wgCounter(x, p, sym.Arith(sym.OpSub, p.getAt(addr, 0), sym.Num(1)))
	if ok {
		p.putAt(addr, 0, n)
	}
	return ok
}

func wgWait(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	if !p.assume(eq(p.cellAt(a), 0)) {
		return false
	}
	return x.opReturn(p, nil)
}

// The states of a Once.
const (
	onceNew = iota
	onceRunning
	onceOver
)

func onceDo(x *executor, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	f := p.peek()
	if f.Phase == 2 { // the function has returned
		p.put(a, sym.Num(onceOver))
		return x.opReturn(p, nil)
	}
	s := p.cellAt(a)
	if q := p.fork(eq(s, onceOver)); q != nil {
		x.opReturn(q, nil)
		x.continueWith(q)
	}
	if !p.assume(eq(s, onceNew)) {
		return false
	}
	return x.callArg(p, 1, func(q *path) {
		q.put(a, sym.Num(onceRunning))
		q.top().Phase = 2
	})
}

func onceDone(x *executor, p *path) bool {
	p.putAt(p.arg(0)[0], 0, sym.Num(onceOver))
	return true
}

func osExit(x *executor, p *path) bool {
	e := p.simplify(p.arg(0)[0])
	exits(x, p, e.IsConst() && e.K == 0, !e.IsConst(), "os.Exit")
	return false
}

func logFatal(x *executor, p *path) bool {
	exits(x, p, false, false, "log.Fatal")
	return false
}

const subtestEnds = "a subtest ends here, and in the model the test around it with it: what that does then is not in the model"

func goexit(x *executor, p *path) bool {
	u := &state.Unwind{Goexit: true, Site: x.siteOfOp(p), Pos: p.here(), Detail: "goexit"}
	f := p.peek()
	if f.Op == testFatal {
		u.Detail = "fatal"
		failure(x, p, u.Site, f.Guess)
	}
	if !f.Guess && inSubtest(p) {
		// After a guess, the other way goes on.
		p.note("subtest", artifact.DirectionUnder, subtestEnds)
	}
	x.raise(p, u, nil)
	return true
}

// sleep waits for time to pass, in a step of its own behind the guard.
func sleep(x *executor, p *path) bool {
	e := x.sleepOf(p.t)
	if p.peek().Phase == 1 {
		d, known := x.durationOf(p, 0)
		x.arm(p, e, d, known)
		p.top().Phase = 2
		p.role = artifact.RoleCommit
		x.arrive(p, state.AtQueue, x.siteOfOp(p))
		return false
	}
	p.role = artifact.RoleTime
	if !x.due(p, e) {
		return false
	}
	if why := x.timing(e); why != "" {
		p.note("time", artifact.DirectionOver, why)
	}
	return x.opReturn(p, nil)
}

// closeChan closes a channel.
func closeChan(x *executor, p *path) bool {
	k, ok, tracked := x.concrete(p, p.arg(0)[0])
	if !tracked {
		x.unsupported(p.here(), "close", "the channel is not tracked: "+why(p.arg(0)[0]))
		return false
	}
	if !ok {
		return false
	}
	crash := func(q *path, kind string) {
		x.raise(q, &state.Unwind{Kind: kind, Site: x.siteOfOp(q), Pos: q.here(), Detail: kind}, x.SomeError())
		x.continueWith(q)
	}
	if k == 0 {
		crash(p, artifact.KindCloseOfNil)
		return false
	}
	closed := p.cellAt(k + state.ChanClosed)
	if q := p.fork(eq(closed, 1)); q != nil {
		crash(q, artifact.KindCloseOfClosed)
	}
	if !p.assume(eq(closed, 0)) {
		return false
	}
	p.put(k+state.ChanClosed, sym.Num(1))
	return x.opReturn(p, nil)
}
