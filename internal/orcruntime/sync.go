//go:build go1.25

package orcruntime

import (
	"reflect"
	"sync"
	"unsafe"
)

// lockKind is a way to hold a lock.
type lockKind uintptr // of the size of a pointer, so that lockRef is hashed at once

const (
	noLock lockKind = iota
	mutexLock
	writeLock
	readLock
)

// lockRef is a lock and a way to hold it. Whether it is held stands in the real
// object, so that uninstrumented code agrees; the scheduler only knows who
// waits.
type lockRef struct {
	kind lockKind
	p    unsafe.Pointer
}

func mutexRef(m *sync.Mutex) lockRef   { return lockRef{mutexLock, unsafe.Pointer(m)} }
func writeRef(m *sync.RWMutex) lockRef { return lockRef{writeLock, unsafe.Pointer(m)} }
func readRef(m *sync.RWMutex) lockRef  { return lockRef{readLock, unsafe.Pointer(m)} }

func (l lockRef) mutex() *sync.Mutex { return (*sync.Mutex)(l.p) }
func (l lockRef) rw() *sync.RWMutex  { return (*sync.RWMutex)(l.p) }
func (l lockRef) name(s *run)        { s.name(lockObjects[l.kind], l.p) }

var lockObjects = [...]objectKind{mutexLock: mutexObject, writeLock: rwMutexObject, readLock: rwMutexObject}

// rlockerType is the dynamic type of RWMutex.RLocker's result, a pointer to the
// RWMutex under another type.
var rlockerType = reflect.TypeOf((&sync.RWMutex{}).RLocker())

// refOf finds the lock behind an interface; false for other types.
func refOf(l sync.Locker) (lockRef, bool) {
	switch m := l.(type) {
	case nil:
		return lockRef{}, false
	case *sync.Mutex:
		return mutexRef(m), true
	case *sync.RWMutex:
		return writeRef(m), true
	}
	if reflect.TypeOf(l) == rlockerType {
		return lockRef{readLock, reflect.ValueOf(l).UnsafePointer()}, true
	}
	return lockRef{}, false
}

// try, take and unlock do the real operations on the lock.
func (l lockRef) try() bool {
	switch l.kind {
	case mutexLock:
		return l.mutex().TryLock()
	case writeLock:
		return l.rw().TryLock()
	default:
		return l.rw().TryRLock()
	}
}

func (l lockRef) take() {
	switch l.kind {
	case mutexLock:
		l.mutex().Lock()
	case writeLock:
		l.rw().Lock()
	default:
		l.rw().RLock()
	}
}

func (l lockRef) unlock() {
	switch l.kind {
	case mutexLock:
		l.mutex().Unlock()
	case writeLock:
		l.rw().Unlock()
	default:
		l.rw().RUnlock()
	}
}

// held: the lock is held in this way. Unlocking it otherwise is a fatal error.
func (l lockRef) held() bool {
	switch l.kind {
	case mutexLock:
		if l.mutex().TryLock() {
			l.mutex().Unlock()
			return false
		}
	case writeLock:
		if l.rw().TryRLock() {
			l.rw().RUnlock()
			return false
		}
	default:
		if l.rw().TryLock() {
			l.rw().Unlock()
			return false
		}
		if !l.rw().TryRLock() {
			return false
		}
		l.rw().RUnlock()
	}
	return true
}

// Lock is m.Lock.
func Lock(site Site, m *sync.Mutex) {
	if g := enter(site); g != nil {
		g.lockAt(opLock, site, mutexRef(m))
		return
	}
	lockFree(site, mutexRef(m))
}

// Unlock is m.Unlock.
func Unlock(site Site, m *sync.Mutex) {
	if g := enter(site); g != nil {
		g.unlockAt(opUnlock, site, mutexRef(m))
		return
	}
	unlockFree(site, mutexRef(m))
}

// TryLock is m.TryLock.
func TryLock(site Site, m *sync.Mutex) bool {
	if g := enter(site); g != nil {
		return g.tryLockAt(opTryLock, site, mutexRef(m))
	}
	return tryFree(site, mutexRef(m))
}

// WLock is m.Lock.
func WLock(site Site, m *sync.RWMutex) {
	if g := enter(site); g != nil {
		g.lockAt(opLock, site, writeRef(m))
		return
	}
	lockFree(site, writeRef(m))
}

// WUnlock is m.Unlock.
func WUnlock(site Site, m *sync.RWMutex) {
	if g := enter(site); g != nil {
		g.unlockAt(opUnlock, site, writeRef(m))
		return
	}
	unlockFree(site, writeRef(m))
}

// TryWLock is m.TryLock.
func TryWLock(site Site, m *sync.RWMutex) bool {
	if g := enter(site); g != nil {
		return g.tryLockAt(opTryLock, site, writeRef(m))
	}
	return tryFree(site, writeRef(m))
}

// RLock is m.RLock.
func RLock(site Site, m *sync.RWMutex) {
	if g := enter(site); g != nil {
		g.lockAt(opRLock, site, readRef(m))
		return
	}
	lockFree(site, readRef(m))
}

// RUnlock is m.RUnlock.
func RUnlock(site Site, m *sync.RWMutex) {
	if g := enter(site); g != nil {
		g.unlockAt(opRUnlock, site, readRef(m))
		return
	}
	unlockFree(site, readRef(m))
}

// TryRLock is m.TryRLock.
func TryRLock(site Site, m *sync.RWMutex) bool {
	if g := enter(site); g != nil {
		return g.tryLockAt(opTryRLock, site, readRef(m))
	}
	return tryFree(site, readRef(m))
}

// LockIface is l.Lock. A type that is not of package sync is called: it has
// guards of its own if it is instrumented.
func LockIface(site Site, l sync.Locker) {
	if ref, ok := refOf(l); ok {
		if g := enter(site); g != nil {
			g.lockAt(opLock, site, ref)
		} else {
			lockFree(site, ref)
		}
		return
	}
	l.Lock()
}

// UnlockIface is l.Unlock, see LockIface.
func UnlockIface(site Site, l sync.Locker) {
	if ref, ok := refOf(l); ok {
		if g := enter(site); g != nil {
			g.unlockAt(opUnlock, site, ref)
		} else {
			unlockFree(site, ref)
		}
		return
	}
	l.Unlock()
}

// lockFree, unlockFree and tryFree are the operations of a goroutine that is not under control.
func lockFree(site Site, l lockRef) {
	if r := recording(); r != nil {
		r.locks(site, l)
		return
	}
	lockOutside(l)
}

func unlockFree(site Site, l lockRef) {
	if r := recording(); r != nil {
		r.unlocks(site, l)
		return
	}
	l.unlock()
}

func tryFree(site Site, l lockRef) bool {
	if r := recording(); r != nil {
		return r.tries(site, l)
	}
	return l.try()
}

func (g *goroutine) lockAt(o op, site Site, l lockRef) {
	l.name(g.run)
	g.wants = l
	recorded := g.recordLock(o, site, l)
	g.arrive(o, site, l.p)
	g.acquire(l)
	g.recordLocked(recorded)
	g.pass()
}

func (g *goroutine) unlockAt(o op, site Site, l lockRef) {
	l.name(g.run)
	g.recordLock(o, site, l)
	g.arrive(o, site, l.p)
	g.release(l)
	g.recordDone()
	g.pass()
}

func (g *goroutine) tryLockAt(o op, site Site, l lockRef) bool {
	l.name(g.run)
	recorded := g.recordLock(o, site, l)
	g.arrive(o, site, l.p)
	// A writer that has announced itself fails others, as in Go.
	ok := (l.kind == mutexLock || g.run.announced(l.p) == nil) && l.try()
	kind := touchTryFailed
	if ok {
		kind = touchTried
		g.run.exec.locks(g, l)
		g.run.races.locked(g, l)
		g.run.owns(g, l)
	}
	g.run.exec.on(spaceLock, l.p, kind)
	g.gives(site, valueText(ok))
	if ok {
		g.recordLocked(recorded)
	} else if g.rec != nil {
		g.rec.doneWith(postClosed, 0)
	}
	g.pass()
	return ok
}

// acquire takes the lock, or queues. Waiters are not handed the lock: they
// return to their guard when it is released, and the plan decides who is next.
// Two kinds of waiters are completed without being asked, as in Go: a writer
// that found readers, by the last RUnlock, and an RLock that found a writer, by
// its Unlock. A Locker returns to its guard, also that of RLocker: what it locks
// does not show where it is called.
func (g *goroutine) acquire(l lockRef) {
	s := g.run
	s.exec.locks(g, l)
	defer s.races.locked(g, l)
	for {
		if (l.kind == mutexLock || s.announced(l.p) == nil) && l.try() {
			break
		}
		g.lock = l
		g.block()
		g.lock = lockRef{}
		if g.ready {
			break
		}
	}
	s.owns(g, l)
}

// announced returns the writer that waits for the readers of m to leave, and
// keeps new readers out: the first queued. Further writers wait behind it, and
// those that find a writer are not announced.
func (s *run) announced(m unsafe.Pointer) *goroutine {
	for _, w := range s.blocked {
		if w.lock.kind == writeLock && w.lock.p == m && !w.ready {
			if l := (lockRef{readLock, m}); l.held() {
				return w
			}
			return nil
		}
	}
	return nil
}

// release gives the lock back and decides what that means to its waiters.
func (g *goroutine) release(l lockRef) {
	s := g.run
	s.exec.unlocks(g, l)
	if !l.held() {
		g.halt(s.fatal(g, unlockTexts[l.kind]))
	}
	announced := (*goroutine)(nil)
	if l.kind == readLock {
		announced = s.announced(l.p)
	}
	s.races.unlocks(g, l)
	g.recordRelease(l)
	l.unlock()
	s.disowns(g, l)
	switch l.kind {
	case mutexLock:
		s.reopen(l)
	case writeLock:
		readers := lockRef{readLock, l.p}
		for _, w := range s.blocked {
			if w.op == opRLock && w.lock == readers && !w.ready {
				w.ready = w.lock.try()
			}
		}
		s.reopen(l)
		s.reopen(readers)
	case readLock:
		if announced != nil && announced.lock.try() {
			announced.ready = true
		}
	}
}

var unlockTexts = [...]string{
	mutexLock: "sync: unlock of unlocked mutex",
	writeLock: "sync: Unlock of unlocked RWMutex",
	readLock:  "sync: RUnlock of unlocked RWMutex",
}

// reopen returns the waiters of a lock to their guards. Waiters of a Cond that have been signalled
// are at theirs, and could not go on until now.
func (s *run) reopen(l lockRef) {
	for _, g := range s.live {
		if g.relock && g.wants == l {
			g.readyAt = s.now
		}
	}
	kept := s.blocked[:0]
	for _, w := range s.blocked {
		if w.lock == l && !w.ready {
			w.state, w.readyAt = parked, s.now
			continue
		}
		kept = append(kept, w)
	}
	clear(s.blocked[len(kept):])
	s.blocked = kept
}

// reopenFree returns waiters to their guards whose lock uninstrumented code has
// released.
func (s *run) reopenFree() (moved bool) {
	for i := 0; i < len(s.blocked); i++ {
		w := s.blocked[i]
		if w.lock.kind == noLock || w.ready || w.lock.kind == readLock && s.announced(w.lock.p) != nil || !w.lock.try() {
			continue
		}
		w.lock.unlock()
		s.reopen(w.lock)
		i, moved = -1, true
	}
	return moved
}

// OnceDo is o.Do(f).
func OnceDo(site Site, o *sync.Once, f func()) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.once(site, o, f)
		} else {
			o.Do(f)
		}
		return
	}
	s := g.run
	s.name(onceObject, unsafe.Pointer(o))
	recorded := g.recordOnce(site, o)
	defer recorded.ended()
	g.arrive(opOnce, site, unsafe.Pointer(o))
	s.exec.on(spaceOnce, unsafe.Pointer(o), touchOnceLater)
	for s.onces[o] != nil {
		g.block()
	}
	g.pass()
	// The real Once knows whether f is to be called, and its own lock is never
	// contended: others queue while onces says that f runs.
	o.Do(func() {
		if s.onces == nil {
			s.onces = make(map[*sync.Once]*goroutine)
		}
		s.onces[o] = g
		s.owned = append(s.owned, ownership{object{unsafe.Pointer(o), onceObject}, opOnce, g, site})
		s.exec.on(spaceOnce, unsafe.Pointer(o), touchOnceFirst)
		defer s.onceDone(o, g)
		recorded.runs()
		defer recorded.over()
		f()
		recorded.back()
	})
	s.races.acquire(g, syncKey{p: unsafe.Pointer(o)})
	s.races.operates(g, unsafe.Pointer(o))
}

// onceDone completes those who wait for the function of a Once, be it returned,
// panicked or ended.
func (s *run) onceDone(o *sync.Once, g *goroutine) {
	delete(s.onces, o)
	s.disown(g, object{unsafe.Pointer(o), onceObject}, false)
	if s.dying.Load() {
		return
	}
	s.races.operates(g, unsafe.Pointer(o))
	s.races.release(g, syncKey{p: unsafe.Pointer(o)})
	for _, w := range s.blocked {
		if w.op == opOnce && w.obj == unsafe.Pointer(o) {
			w.ready = true
		}
	}
}
