package library

import (
	"maps"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// syncOperations are the operations of package sync, and those that end a goroutine or the program, or let
// time pass. What each of them waits for, does and may end in is in docs/semantics.md.
func syncOperations(l *execution.Library) {
	op := func(name string, kind sites.Kind, run execution.Run) *program.Operation {
		return l.Add(program.Operation{Name: name, Kind: kind, Seed: true}, run)
	}
	maps.Copy(l.Known, map[string]*program.Operation{
		"(*sync.Mutex).Lock":       op("lock", sites.Lock, lock),
		"(*sync.Mutex).Unlock":     op("unlock", sites.Unlock, unlock),
		"(*sync.Mutex).TryLock":    op("trylock", sites.TryLock, tryLock),
		"(*sync.RWMutex).Lock":     op("lock", sites.Lock, rwLock),
		"(*sync.RWMutex).Unlock":   op("unlock", sites.Unlock, rwUnlock),
		"(*sync.RWMutex).TryLock":  op("trylock", sites.TryLock, rwTryLock),
		"(*sync.RWMutex).RLock":    op("rlock", sites.RLock, rLock),
		"(*sync.RWMutex).RUnlock":  op("runlock", sites.RUnlock, rUnlock),
		"(*sync.RWMutex).TryRLock": op("tryrlock", sites.TryRLock, tryRLock),
		"(*sync.WaitGroup).Add":    l.Add(program.Operation{Name: "add", Kind: sites.WaitGroupAdd, Seed: true, Args: []int{0, 1}}, func(x *execution.Executor, p *exploration.Path) bool { return wgAdd(x, p, p.Arg(1)[0]) }),
		"(*sync.WaitGroup).Done":   op("done", sites.WaitGroupDone, func(x *execution.Executor, p *exploration.Path) bool { return wgAdd(x, p, sym.Num(-1)) }),
		"(*sync.WaitGroup).Wait":   op("wait", sites.WaitGroupWait, wgWait),
		"(*sync.WaitGroup).Go":     l.Add(program.Operation{Name: "go", Kind: sites.WaitGroupGo, Seed: true, Args: []int{0, 1}}, wgGo),
		"(*sync.Once).Do":          l.Add(program.Operation{Name: "once", Kind: sites.OnceDo, Seed: true, Args: []int{0, 1}}, onceDo),
		"os.Exit":                  l.Add(program.Operation{Name: "exit", Kind: sites.Exit, Seed: true, Args: []int{0}}, osExit),
		"runtime.Goexit":           op("goexit", sites.Exit, goexit),
		"time.Sleep":               l.Add(program.Operation{Name: "sleep", Kind: sites.Sleep, Seed: true, Args: []int{}}, sleep),
		"runtime.Gosched":          l.Add(program.Operation{Name: "gosched", Args: []int{}}, func(x *execution.Executor, p *exploration.Path) bool { return x.OpReturn(p, nil) }),
	})
	l.WhenUnwound(l.Known["(*sync.Once).Do"], onceDone)
	l.Does(wgBody, runWaited)
	l.WhenUnwound(wgBody, endWaited)
	maps.Copy(l.Builtins, map[string]*program.Operation{
		"close": op("close", sites.Close, closeChan),
		"panic": l.Add(program.Operation{Name: "panic", Kind: sites.Panic, Seed: true}, func(x *execution.Executor, p *exploration.Path) bool {
			u := &state.Unwind{Kind: artifact.KindPanic, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: "panic"}
			x.Raise(p, u, p.Arg(0))
			return true
		}),
	})
}

var (
	testFatal = &program.Operation{Name: "fatal", Kind: sites.Exit, Seed: true, Args: []int{}}
	testSkip  = &program.Operation{Name: "skip", Kind: sites.Exit, Seed: true, Args: []int{}}
)

// lock takes a Mutex, whose cell is 1 while somebody holds it: who does is not kept, since anybody may
// unlock it. A goroutine that locks it twice so waits for itself.
func lock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	if !p.Assume(exploration.Eq(p.CellAt(a), 0)) {
		return false
	}
	p.Put(a, sym.Num(1))
	p.Hold(a, true)
	return x.OpReturn(p, nil)
}

// unlock gives a Mutex back. To unlock one that nobody holds is a fatal error, which nobody can recover
// from.
func unlock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	if q := p.Fork(exploration.Eq(p.CellAt(a), 0)); q != nil {
		x.Fatal(q, "sync: unlock of unlocked mutex")
	}
	if !p.Assume(exploration.Eq(p.CellAt(a), 1)) {
		return false
	}
	p.Put(a, sym.Num(0))
	// Somebody else may have held it: then the lock protects nothing (exploration, held.go).
	p.Release(a)
	return x.OpReturn(p, nil)
}

// tryLock takes a Mutex if it is free. That it may fail although it is free, as the memory model allows, is
// not in the model.
func tryLock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	return x.Either(p, exploration.Eq(p.CellAt(a), 0), func(q *exploration.Path) {
		q.Put(a, sym.Num(1))
		q.Hold(a, true)
	})
}

// The cells of an RWMutex: held by a writer, a writer is queued, readers. At most one writer is queued
// here: others stand at their guards, as in Go they wait for the Mutex in the RWMutex.
const (
	rwHeld = iota
	rwPending
	rwReaders
)

// rwLock takes an RWMutex for writing, in one step if nobody has it. In the second phase it has announced
// itself, and is queued.
func rwLock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	const announced = 2
	if p.Peek().Phase == announced {
		ok = writeLockAnnounced(x, p, a)
	} else {
		ok = writeLock(x, p, a, announced)
	}
	if !ok {
		return false
	}
	p.Hold(a, true)
	return x.OpReturn(p, nil)
}

// writeLock takes an RWMutex for writing where nobody has it. A writer that finds
// readers announces itself, which keeps new readers out, and queues in a phase of its
// own; others wait at their guards. It reports whether the lock is taken.
func writeLock(x *execution.Executor, p *exploration.Path, a int32, announced int) bool {
	held, pending, readers := p.CellAt(a+rwHeld), p.CellAt(a+rwPending), p.CellAt(a+rwReaders)
	free := sym.And(exploration.Eq(held, 0), exploration.Eq(pending, 0))
	// Readers have it, and no writer has announced itself.
	if q := p.Fork(sym.And(free, sym.Not(exploration.Eq(readers, 0)))); q != nil {
		q.Put(a+rwPending, sym.Num(1))
		q.Top().Phase = announced
		q.Role = artifact.RoleCommit
		x.Arrive(q, state.AtQueue, x.SiteOfOp(q))
	}
	// While a writer holds it, or has announced itself, there is no path.
	if !p.Assume(sym.And(free, exploration.Eq(readers, 0))) {
		return false
	}
	p.Put(a+rwHeld, sym.Num(1))
	return true
}

// writeLockAnnounced lets a writer that has announced itself in, once the last reader has left. Nobody else
// can have taken the lock: everybody waits while a writer is announced.
func writeLockAnnounced(x *execution.Executor, p *exploration.Path, a int32) bool {
	if !p.Assume(exploration.Eq(p.CellAt(a+rwReaders), 0)) {
		return false
	}
	p.Put(a+rwPending, sym.Num(0))
	p.Put(a+rwHeld, sym.Num(1))
	return true
}

// rwUnlock gives an RWMutex back that is held for writing, by whomever.
func rwUnlock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	if q := p.Fork(exploration.Eq(p.CellAt(a+rwHeld), 0)); q != nil {
		x.Fatal(q, "sync: Unlock of unlocked RWMutex")
	}
	if !p.Assume(exploration.Eq(p.CellAt(a+rwHeld), 1)) {
		return false
	}
	p.Put(a+rwHeld, sym.Num(0))
	p.Release(a)
	return x.OpReturn(p, nil)
}

// rwTryLock takes an RWMutex for writing if nobody has it and no writer has announced itself.
func rwTryLock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	c := sym.And(sym.And(exploration.Eq(p.CellAt(a+rwHeld), 0), exploration.Eq(p.CellAt(a+rwPending), 0)), exploration.Eq(p.CellAt(a+rwReaders), 0))
	return x.Either(p, c, func(q *exploration.Path) {
		q.Put(a+rwHeld, sym.Num(1))
		q.Hold(a, true)
	})
}

// moreReaders counts a reader in, who holds the lock.
func moreReaders(x *execution.Executor, p *exploration.Path, a int32) bool {
	if !countReader(x, p, a) {
		return false
	}
	p.Hold(a, false)
	return true
}

// countReader counts a reader in. More than the model counts end the path at a bound: a counter that stayed
// where it is would let a writer in too early.
func countReader(x *execution.Executor, p *exploration.Path, a int32) bool {
	n := p.CellAt(a + rwReaders)
	lim := sym.Num(int32(x.Options.Counter))
	if q := p.Fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
		q.Bound("more readers of a lock than the model counts")
	}
	if !p.Assume(sym.Arith(sym.OpLt, n, lim)) {
		return false
	}
	p.Put(a+rwReaders, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	return true
}

// rLock takes an RWMutex for reading, which waits for writers that hold it or have announced themselves: so
// a goroutine that reads may wait for ever when it wants to read once more.
func rLock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	return p.Assume(readable(p, a)) && moreReaders(x, p, a) && x.OpReturn(p, nil)
}

// readable is the condition that an RWMutex keeps no readers out.
func readable(p *exploration.Path, a int32) *sym.Expr {
	return sym.And(exploration.Eq(p.CellAt(a+rwHeld), 0), exploration.Eq(p.CellAt(a+rwPending), 0))
}

// rUnlock gives an RWMutex back that is held for reading, by whomever.
func rUnlock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	if !discountReader(x, p, a) {
		return false
	}
	p.Release(a)
	return x.OpReturn(p, nil)
}

// discountReader counts a reader out.
func discountReader(x *execution.Executor, p *exploration.Path, a int32) bool {
	n := p.CellAt(a + rwReaders)
	if q := p.Fork(exploration.Eq(n, 0)); q != nil {
		x.Fatal(q, "sync: RUnlock of unlocked RWMutex")
	}
	if !p.Assume(sym.Arith(sym.OpLt, sym.Num(0), n)) {
		return false
	}
	p.Put(a+rwReaders, sym.Arith(sym.OpSub, n, sym.Num(1)))
	return true
}

// tryRLock takes an RWMutex for reading if no writer has it or has announced itself. It is not Either,
// since one more reader may be too many.
func tryRLock(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	c := readable(p, a)
	if q := p.Fork(sym.Not(c)); q != nil {
		x.OpReturn(q, []*sym.Expr{sym.Num(0)})
		x.ContinueWith(q)
	}
	if !p.Assume(c) || !moreReaders(x, p, a) {
		return false
	}
	return x.OpReturn(p, []*sym.Expr{sym.Num(1)})
}

// wgAdd adds to the counter of a WaitGroup: delta is the argument of Add, -1 for Done. That Add is called
// from zero while somebody waits is no error in the model (docs/semantics.md).
func wgAdd(x *execution.Executor, p *exploration.Path, delta *sym.Expr) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	if delta.Op == sym.OpUnknown {
		p.Note("wait-group-delta", artifact.DirectionUnder, "the number added is not tracked: taken as 0, 1 or 2; what another one leads to is not in the model")
		// Each path executes the operation again, with the number as its argument.
		for k := range int32(3) {
			q := p.Clone()
			q.Set(q.Peek().Call, state.ArgKey(1), []*sym.Expr{sym.Num(k)})
			x.ContinueWith(q)
		}
		return false
	}
	n, ok := wgCounter(x, p, sym.Num(a), sym.Arith(sym.OpAdd, p.CellAt(a), delta))
	if !ok {
		return false
	}
	lim := sym.Num(int32(x.Options.Counter))
	if q := p.Fork(sym.Arith(sym.OpLt, lim, n)); q != nil {
		q.Bound("a wait group counter greater than the model counts")
	}
	if !p.Assume(sym.Arith(sym.OpLe, n, lim)) {
		return false
	}
	p.Put(a, n)
	return x.OpReturn(p, nil)
}

// wgCounter is n, what the counter at addr is set to, where it is not negative; the operation panics
// elsewhere. It reports whether p goes on. The address is nil where nobody can recover from the panic.
func wgCounter(x *execution.Executor, p *exploration.Path, addr, n *sym.Expr) (*sym.Expr, bool) {
	if q := p.Fork(sym.Arith(sym.OpLt, n, sym.Num(0))); q != nil && (addr == nil || !x.Slice.Recovers() || putBelowZero(x, q, addr, n)) {
		x.Raise(q, &state.Unwind{Kind: artifact.KindNegativeCounter, Site: x.SiteOfOp(q), Pos: q.Here(), Detail: "sync: negative WaitGroup counter"}, x.SomeError())
		x.ContinueWith(q)
	}
	return n, p.Assume(sym.Arith(sym.OpLe, sym.Num(0), n))
}

// putBelowZero sets a counter to what who recovers from the panic finds. It reports whether p goes on.
func putBelowZero(x *execution.Executor, p *exploration.Path, addr, n *sym.Expr) bool {
	low := sym.Num(-int32(x.Options.Counter))
	if q := p.Fork(sym.Arith(sym.OpLt, n, low)); q != nil {
		q.Bound("a wait group counter further below zero than the model counts")
	}
	if !p.Assume(sym.Arith(sym.OpLe, low, n)) {
		return false
	}
	p.PutAt(addr, 0, n)
	return true
}

// wgGo starts a goroutine that a wait group counts: it counts up and starts in one step, since in Go nobody
// comes between that could tell.
func wgGo(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	n := p.CellAt(a)
	lim := sym.Num(int32(x.Options.Counter))
	if q := p.Fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
		q.Bound("a wait group counter greater than the model counts")
	}
	if !p.Assume(sym.Arith(sym.OpLt, n, lim)) {
		return false
	}
	p.Put(a, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	// The wait group and the function are handed over to the goroutine.
	f := p.Peek()
	tgt := state.Target{Op: wgBody, Args: p.Args()[:2]}
	return x.SpawnTarget(p, f.Call.Site, tgt, func(q *exploration.Path) { x.OpReturn(q, nil) })
}

// wgBody is the goroutine that WaitGroup.Go starts.
var wgBody = &program.Operation{Name: "wgbody", Starts: sites.WaitGroupGo, Seed: true, Args: []int{0, 1}}

// runWaited is that goroutine: it calls the function, and counts down.
func runWaited(x *execution.Executor, p *exploration.Path) bool {
	if p.Peek().Phase == 2 {
		return wgAdd(x, p, sym.Num(-1))
	}
	if _, ok := x.Receiver(p); !ok {
		return false
	}
	return x.CallArg(p, 1, func(q *exploration.Path) { q.Top().Phase = 2 })
}

// endWaited counts down for a goroutine that ends by a Goexit. The function of wgBody unwinds then, and
// does not come back to runWaited. Which wait group it is may depend on the state: that is no reason to
// fork in the midst of unwinding, and the cells of all are written.
func endWaited(x *execution.Executor, p *exploration.Path) bool {
	if !p.Peek().Unwind.Goexit {
		return true // the panic ends the program
	}
	addr := p.Arg(0)[0]
	n, ok := wgCounter(x, p, nil, sym.Arith(sym.OpSub, p.GetAt(addr, 0), sym.Num(1)))
	if ok {
		p.PutAt(addr, 0, n)
	}
	return ok
}

// wgWait goes on if the counter is zero when it looks.
func wgWait(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	if !p.Assume(exploration.Eq(p.CellAt(a), 0)) {
		return false
	}
	return x.OpReturn(p, nil)
}

// The states of a Once.
const (
	onceNew = iota
	onceRunning
	onceOver
)

// onceDo executes Do: the first one calls the function, and is in phase 2 when that has returned; others go
// on when it is over. While it runs there is no path, neither for others nor for the function itself.
func onceDo(x *execution.Executor, p *exploration.Path) bool {
	a, ok := x.Receiver(p)
	if !ok {
		return false
	}
	f := p.Peek()
	if f.Phase == 2 { // the function has returned
		p.Put(a, sym.Num(onceOver))
		return x.OpReturn(p, nil)
	}
	s := p.CellAt(a)
	if q := p.Fork(exploration.Eq(s, onceOver)); q != nil {
		x.OpReturn(q, nil)
		x.ContinueWith(q)
	}
	if !p.Assume(exploration.Eq(s, onceNew)) {
		return false
	}
	// The state is set once the function is known: a path that forks for that comes here again, and has to
	// find the Once new.
	return x.CallArg(p, 1, func(q *exploration.Path) {
		q.Put(a, sym.Num(onceRunning))
		q.Top().Phase = 2
	})
}

// onceDone: the function of a Once has panicked, or ended by Goexit, and the Once is over as if it had
// returned (sync.Once.Do).
func onceDone(x *execution.Executor, p *exploration.Path) bool {
	p.PutAt(p.Arg(0)[0], 0, sym.Num(onceOver))
	return true
}

// osExit ends the program: well with code 0, else as a failure, if the code is known.
func osExit(x *execution.Executor, p *exploration.Path) bool {
	e := p.Simplify(p.Arg(0)[0])
	exits(x, p, e.IsConst() && e.K == 0, !e.IsConst(), "os.Exit")
	return false
}

// logFatal ends the program with code 1.
func logFatal(x *execution.Executor, p *exploration.Path) bool {
	exits(x, p, false, false, "log.Fatal")
	return false
}

// subtestEnds is noted where the end of a subtest unwinds a stack that the test around is on, too.
const subtestEnds = "a subtest ends here, and in the model the test around it with it: what that does then is not in the model"

// goexit unwinds the goroutine: for runtime.Goexit, and for the methods of testing.T that end a test. Fatal
// notes its failure before. A subtest that is a call has no goroutine of its own: what ends it ends the
// test around, which is an approximation.
func goexit(x *execution.Executor, p *exploration.Path) bool {
	u := &state.Unwind{Goexit: true, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: "goexit"}
	f := p.Peek()
	if f.Op == testFatal {
		u.Detail = "fatal"
		failure(x, p, u.Site, f.Guess)
	}
	if !f.Guess && inSubtest(p) {
		// After a guess, the other path goes on.
		p.Note("subtest", artifact.DirectionUnder, subtestEnds)
	}
	x.Raise(p, u, nil)
	return true
}

// sleep waits for time to pass, in a step of its own behind the guard. Its end is an event, which may come
// at any moment, but not before others that are due earlier for certain (exploration, deadline.go).
func sleep(x *execution.Executor, p *exploration.Path) bool {
	e := x.SleepOf(p.Template)
	if p.Peek().Phase == 1 {
		// From here on the goroutine waits for an event, in a location behind the guard.
		d, known := x.DurationOf(p, 0)
		x.Arm(p, e, d, known)
		p.Top().Phase = 2
		p.Role = artifact.RoleCommit
		x.Arrive(p, state.AtQueue, x.SiteOfOp(p))
		return false
	}
	p.Role = artifact.RoleTime
	if !x.Due(p, e) {
		return false
	}
	if why := x.Timing(e); why != "" {
		p.Note("time", artifact.DirectionOver, why)
	}
	return x.OpReturn(p, nil)
}

// closeChan closes a channel. Who waits there goes on by himself: the condition of a receive or send has
// the cell that is set here.
func closeChan(x *execution.Executor, p *exploration.Path) bool {
	k, ok, tracked := x.Concrete(p, p.Arg(0)[0])
	if !tracked {
		p.Unfollowed("close", "the channel is not tracked: "+exploration.Why(p.Arg(0)[0]))
		return false
	}
	if !ok {
		return false
	}
	// A close that fails panics: both kinds can be recovered from.
	crash := func(q *exploration.Path, kind string) {
		x.Raise(q, &state.Unwind{Kind: kind, Site: x.SiteOfOp(q), Pos: q.Here(), Detail: kind}, x.SomeError())
		x.ContinueWith(q)
	}
	if k == 0 {
		crash(p, artifact.KindCloseOfNil)
		return false
	}
	closed := p.CellAt(k + state.ChanClosed)
	if q := p.Fork(exploration.Eq(closed, 1)); q != nil {
		crash(q, artifact.KindCloseOfClosed)
	}
	if !p.Assume(exploration.Eq(closed, 0)) {
		return false
	}
	p.Put(k+state.ChanClosed, sym.Num(1))
	return x.OpReturn(p, nil)
}
