//go:build go1.25

package orcruntime

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A run may be recorded, too, in the form of a program that runs free: a goroutine that comes to a guard writes
// what it is about to do there, and what it has done when it passes. As one goroutine at a time has the baton,
// who completes an operation of another one says so to it.

// EnvRecordRun names the directory that the file of a run is made in, which Drive records.
const EnvRecordRun = "VTRACE_RECORD_RUN"

// beginRecording is called before the first goroutine starts.
func (s *run) beginRecording(first *goroutine) {
	f := s.cfg.record
	if f == nil {
		return
	}
	if s.races != nil {
		program.RLock()
		var places []PlaceInfo
		for _, a := range program.accesses {
			places = append(places, a)
		}
		program.RUnlock()
		registerStatements(places)
	}
	makeRecorded(f)
	first.recNumber = newGoroutine()
	recordings.on.Store(true)
}

// endRecording is called when the program has ended, or can do nothing any more.
func (s *run) endRecording() {
	if s.cfg.record != nil {
		recordings.on.Store(false)
	}
}

// startsRecorded is called by a goroutine when it begins.
func (g *goroutine) startsRecorded() {
	if g.recNumber != 0 {
		g.rec = beginRecorder(localOf(), g.recNumber, g.recBy)
	}
}

// recordStart writes that g starts child.
func (g *goroutine) recordStart(site Site, child *goroutine) {
	if r := g.rec; r != nil {
		child.recNumber = r.goes(site)
		child.recBy = r.tag
		r.doing(0)
	}
}

// recordEnd writes the end of a goroutine; v is what it has panicked with. The first goroutine has none, as the main
// goroutine of a program that runs free.
func (g *goroutine) recordEnd(v any) {
	if r := g.rec; r != nil && g != g.run.first && !g.run.dying.Load() {
		r.left = v == nil
		r.end(v == nil)
		g.rec = nil
	}
}

// recordPanic is deferred around an operation that may panic. That a run ends its goroutines is not recorded.
func (g *goroutine) recordPanic(tag uint64) {
	if !g.run.dying.Load() {
		g.rec.panicked(tag)
	}
}

// recordCommunication writes that g is about to send, receive or select.
func (r *recorder) recordCommunication(o op, site Site, hasDefault bool, cases []Case) {
	switch o {
	case opSend, opRecv:
		n := recSend
		if o == opRecv {
			n = recRecv
		}
		r.begin(n, site, r.channel(cases[0].channel(), cases[0].capacity()))
	default:
		r.selecting(site, hasDefault, cases)
	}
}

// recordCommunicated writes that g has completed the case that it has chosen, or taken the default.
func (g *goroutine) recordCommunicated(o op, cases []Case) {
	r := g.rec
	if r == nil {
		return
	}
	switch {
	case g.chosen < 0:
		r.selected(g.chosen, 0, 0)
	case cases[g.chosen].sends() && o == opSelect:
		r.selected(g.chosen, 0, g.met)
	case cases[g.chosen].sends():
		r.doneWith(0, g.met)
	case o == opSelect:
		r.selectedReceive(g.chosen, cases[g.chosen], g.met)
	default:
		c := cases[g.chosen]
		r.received(c.channel(), g.met, c.received(), c.event())
	}
}

// recordCommunicationPanic is recordPanic for a send or a select, of which a send on a closed channel panics.
func (g *goroutine) recordCommunicationPanic(o op, tag uint64, cases []Case) {
	switch {
	case g.run.dying.Load():
	case o == opSelect:
		g.rec.selectPanicked(tag, cases)
	default:
		g.rec.panicked(tag)
	}
}

// tries is c.try, for g: the goroutine that has the baton may do it for one that is queued. The Go runtime says who is
// at the other side of a real channel.
func (g *goroutine) tries(c Case) bool {
	if g.rec == nil {
		return c.try()
	}
	s := localOf()
	was := s.actFor(g.rec.tag)
	defer s.actFor(was)
	ok := c.try()
	if ok {
		g.met = s.met()
	}
	return ok
}

// actFor sets the operation that the calling goroutine does, for another one. It returns what it was.
//
//go:norace
func (s *localState) actFor(tag uint64) (was uint64) {
	was = s.tag
	s.tag, s.partner = tag, 0
	return was
}

// recordMeeting notes that g and w have met at a channel without a buffer.
func recordMeeting(g, w *goroutine) {
	if g.rec != nil && w.rec != nil {
		g.met, w.met = w.rec.tag, g.rec.tag
	}
}

// recordClose writes that a channel is about to be closed.
func (r *recorder) recordClose(site Site, p unsafe.Pointer, capacity int) {
	r.begin(recClose, site, r.channel(p, capacity))
}

// recordClosed writes that it was.
func (g *goroutine) recordClosed(p unsafe.Pointer) {
	if r := g.rec; r != nil {
		atomic.StoreUint64(&channelOf(p).closer, r.tag)
		r.doneWith(0, 0)
	}
}

// lockOps are the operations on locks, by their numbers in a trace.
var lockOps = map[op]byte{opLock: recLock, opUnlock: recUnlock, opTryLock: recTryLock, opRLock: recRLock, opRUnlock: recRUnlock, opTryRLock: recTryRLock}

// recordLock writes that g is about to do something with a lock. It returns what is known of that, nil if nothing is
// recorded. The way in which the lock is held says whether it is read-locked, as of RLocker.
func (g *goroutine) recordLock(o op, site Site, l lockRef) *usedObject {
	r := g.rec
	if r == nil {
		return nil
	}
	if l.kind == readLock {
		switch o {
		case opLock:
			o = opRLock
		case opUnlock:
			o = opRUnlock
		case opTryLock:
			o = opTryRLock
		}
	}
	s := r.lock(l)
	r.begin(lockOps[o], site, s.id)
	return s
}

// recordLocked writes that g has it.
func (g *goroutine) recordLocked(s *usedObject) {
	if s != nil {
		g.rec.doneWith(0, s.after())
	}
}

// recordRelease notes that g, which has begun to unlock, gives a lock back.
func (g *goroutine) recordRelease(l lockRef) {
	if r := g.rec; r != nil && l.kind != readLock {
		r.lock(l).last.Store(r.tag)
	}
}

// recordDone writes that an operation is done of which nothing more is to be said.
func (g *goroutine) recordDone() {
	if g.rec != nil {
		g.rec.doneWith(0, 0)
	}
}

// recordedAdd is an operation that changes the counter of a WaitGroup, and is recorded; nil if it is not.
type recordedAdd struct {
	r       *recorder
	s       *usedObject
	counter int
	place   uint64
}

// recordAdd writes that g is about to add n to the counter of a WaitGroup.
func (g *goroutine) recordAdd(site Site, wg *sync.WaitGroup, n int) *recordedAdd {
	r := g.rec
	if r == nil {
		return nil
	}
	a := &recordedAdd{r: r, s: r.knows(recWaitGroup, unsafe.Pointer(wg))}
	r.addsOnly(site, a.s, n)
	return a
}

// counts is called when n is added.
func (a *recordedAdd) counts(n int) {
	if a != nil {
		a.counter, a.place = a.s.counts(n)
	}
}

// added writes that the operation is done.
func (a *recordedAdd) added() {
	if a != nil {
		a.r.counted(a.counter, a.place)
	}
}

// recordUse writes that g is about to do an operation n on an object of a kind. It returns what is known of that, nil if
// nothing is recorded.
func (g *goroutine) recordUse(n byte, site Site, kind byte, p unsafe.Pointer) *usedObject {
	r := g.rec
	if r == nil {
		return nil
	}
	s := r.knows(kind, p)
	r.begin(n, site, s.id)
	return s
}

// recordWaited writes that g has waited for a WaitGroup.
func (g *goroutine) recordWaited(s *usedObject) {
	if s != nil {
		g.rec.doneInOrder(0, 0, s.place())
	}
}

// recordedOnce is a call of Once.Do that is recorded, nil if it is not.
type recordedOnce struct {
	g             *goroutine
	s             *usedObject
	tag, place    uint64
	ran, returned bool
}

// recordOnce writes that g is about to call Once.Do.
func (g *goroutine) recordOnce(site Site, o *sync.Once) *recordedOnce {
	s := g.recordUse(recOnce, site, recOnceObject, unsafe.Pointer(o))
	if s == nil {
		return nil
	}
	c := &recordedOnce{g: g, s: s, tag: g.rec.tag}
	g.rec.doing(0) // what the function does comes in between
	return c
}

// runs is called in front of the function.
func (c *recordedOnce) runs() {
	if c != nil {
		c.ran = true
	}
}

// back is called when the function has returned.
func (c *recordedOnce) back() {
	if c != nil {
		c.returned = true
	}
}

// over is called behind the function, however it has ended.
func (c *recordedOnce) over() {
	if c != nil && !c.g.run.dying.Load() {
		c.s.last.Store(c.tag)
		c.place = c.s.place()
	}
}

// ended writes that Once.Do has ended.
func (c *recordedOnce) ended() {
	if c == nil || c.g.run.dying.Load() {
		return
	}
	c.g.rec.onceEnded(c.s, c.ran, c.returned, c.place)
}

// recordWoken writes that a goroutine which waited for a condition has been woken, and, if its lock is known, that it is
// about to take that. The one with the baton has woken it.
func (t *ticket) recordWoken(l lockRef, known bool) {
	r := t.g.rec
	if r == nil || t.cond == nil {
		return
	}
	r.doneInOrder(0, t.by, t.cond.place())
	t.cond = nil
	if known {
		t.g.recordLock(opLock, t.g.site, l)
	}
}

// recordAtomic writes an atomic operation behind its guard.
func (g *goroutine) recordAtomic(p unsafe.Pointer, e atomicEffect) {
	site := g.recAtomic
	if g.rec == nil || site == 0 {
		return
	}
	g.recAtomic = 0
	op := recRMW
	switch e {
	case atomicLoad:
		op = recLoad
	case atomicStore:
		op = recStore
	}
	g.rec.atomically(site, p, func() byte { return op })
}

// recordAccess records an access to memory in a run.
func (s *run) recordAccess(at Place, p unsafe.Pointer, size uintptr, kind accessKind) {
	if s.cfg.record == nil || !recordings.on.Load() || s.dying.Load() {
		return
	}
	if g := s.caller(); g != nil && g.rec != nil {
		recordAccess(g.rec, at, p, size, kind)
	}
}
