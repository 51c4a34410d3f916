//go:build go1.25

package orcruntime

import (
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// This file is what the scheduler knows of operations: their names, what they are done on, who need not be granted, who
// holds others up, and what a step may touch. What an operation does is in the file of its kind of object. Package sites
// says the same of them in a table of its own, which TestOperations compares with this.

// op is what a goroutine does at its guard.
type op uint8

const (
	opNone op = iota
	opStart
	opSend
	opRecv
	opSelect
	opClose
	opGo
	opLock
	opUnlock
	opTryLock
	opRLock
	opRUnlock
	opTryRLock
	opAdd
	opDone
	opWait
	opWGGo
	opOnce
	opCondWait
	opCondSignal
	opCondBroadcast
	opPanic
	opExit
	opGoexit
	opTestEnd
	opSleep
	opSettle
	opSubtest
	opParallel
	opJoin
	opSpin
	opAccess
	opAtomic
	opWaited
	opZero
	opMap
	opLog
	opCleanup
	opMeasure
	opCall
	opRead
	opDelay
	opCount
	opLibraryLock
	opEnd
)

var opNames = [...]string{
	opNone: "", opStart: "start", opSend: "send", opRecv: "receive", opSelect: "select", opClose: "close",
	opGo: "go", opLock: "lock", opUnlock: "unlock", opTryLock: "try lock", opRLock: "read lock",
	opRUnlock: "read unlock", opTryRLock: "try read lock", opAdd: "add", opDone: "done", opWait: "wait",
	opWGGo: "go", opOnce: "once", opCondWait: "cond wait", opCondSignal: "signal",
	opCondBroadcast: "broadcast", opPanic: "panic", opExit: "exit", opGoexit: "goexit",
	opTestEnd: "end of test", opSleep: "sleep", opSettle: "settle",
	opSubtest: "subtest", opParallel: "parallel", opJoin: "wait for subtests", opSpin: "busy loop", opAccess: "access", opAtomic: "atomic",
	opWaited: "return from wait", opZero: "release of waiters", opMap: "map access", opLog: "log", opCleanup: "cleanup", opMeasure: "length of a channel", opCall: "call of uninstrumented code", opRead: "reading of the clock", opDelay: "delay of a deadline", opCount: "count of goroutines", opLibraryLock: "lock inside a library", opEnd: "return",
}

func (o op) String() string { return opNames[o] }

// objectOf names what g operates on: for a lock it waits for, that lock.
func (s *run) objectOf(g *goroutine) string {
	switch g.op {
	case opSend, opRecv, opSelect, opClose:
		if g.op == opClose {
			return s.nameOf(channelObject, g.obj)
		}
		var names []string
		for _, c := range g.cases {
			if n := s.nameOf(channelObject, c.channel()); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		return strings.Join(names, ", ")
	case opLock, opUnlock, opTryLock, opRLock, opRUnlock, opTryRLock:
		for _, kind := range [...]objectKind{mutexObject, rwMutexObject} {
			if s.isNamed(kind, g.obj) {
				return s.nameOf(kind, g.obj)
			}
		}
	case opAdd, opDone, opWait, opWGGo, opWaited, opZero:
		return s.nameOf(waitGroupObject, g.obj)
	case opOnce:
		return s.nameOf(onceObject, g.obj)
	case opCondWait, opCondSignal, opCondBroadcast:
		return s.nameOf(condObject, g.obj)
	case opMap, opAtomic:
		kind := mapObject
		if g.op == opAtomic {
			kind = atomicObject
		}
		if s.isNamed(kind, g.obj) {
			return s.nameOf(kind, g.obj)
		}
	}
	return ""
}

// holdsUp: who is stuck in the operation holds up a lock, a wait group or a Once that others share.
func (o op) holdsUp() bool {
	switch o {
	case opLock, opRLock, opWait, opOnce:
		return true
	}
	return false
}

// enabled reports whether it makes sense to grant a goroutine that stands at its guard.
// Who would only queue, and whom the operation that lets him in returns to his guard,
// need not be granted: the order in which such goroutines queue shows nowhere. So a
// lock that is held keeps its goroutines at their guards, but for a writer that finds
// readers: from then on it keeps others out.
func (s *run) enabled(g *goroutine) bool {
	if g.relock {
		return s.mayAcquire(g.wants)
	}
	switch g.op {
	case opLock, opRLock:
		return s.mayAcquire(g.wants)
	case opWait:
		wg := (*sync.WaitGroup)(g.obj)
		return s.stopsInWaitGroups() || s.waitGroupCount(wg) == 0 && !s.zero[wg]
	case opOnce:
		return s.onces[(*sync.Once)(g.obj)] == nil
	case opJoin:
		return (*scope)(g.obj).parallels == 0
	case opParallel:
		return (*scope)(g.obj).released
	}
	return true
}

func (s *run) mayAcquire(l lockRef) bool {
	if l.kind == noLock {
		return true
	}
	announced := l.kind != mutexLock && s.announced(l.p) != nil
	if !announced && l.try() {
		l.unlock()
		return true
	}
	if l.kind != writeLock || announced {
		return false
	}
	readers := lockRef{readLock, l.p}
	if !readers.try() {
		return false
	}
	readers.unlock()
	return true
}

// mayTouch is what the next step of a goroutine that stands at its guard may touch, of
// objects that have an address. It may be too much. What the step touches beyond its
// operation is known from when it was done elsewhere, see sleeper. In a run that is not part
// of an exhaustive exploration any two accesses to memory may be to the same.
func (s *run) mayTouch(g *goroutine, out []touch) []touch {
	add := func(space touchSpace, p unsafe.Pointer, kinds ...touchKind) {
		for _, k := range kinds {
			out = append(out, touch{touched{space: space, p: p}, k})
		}
	}
	x := s.exec
	access := func(site Site) {
		if a := x.groupOf(site); a.group != 0 {
			out = append(out, touch{touched{space: spaceAccess, n: int32(a.group)}, a.kind()})
		}
	}
	statement := func() { // of a minor guard, see execution.continues
		of, _, _, _ := g.site.major()
		access(of)
	}
	if g.op.access() {
		access(g.site)
	}
	misuse := x != nil && x.misuse
	out = s.mayEnd(g, out)
	if g.relock {
		add(spaceLock, g.wants.p, touchLock)
		return out
	}
	if misuse && g.op.ofWaitGroup() {
		add(spaceWaitGroup, g.obj, touchAny)
	}
	switch g.op {
	case opSend, opRecv, opSelect:
		for _, c := range g.cases {
			p := c.channel()
			if p == nil {
				continue
			}
			if c.sends() {
				add(spaceChan, p, touchSend, touchFilled)
			} else {
				add(spaceChan, p, touchRecv, touchTaken, touchFreed)
				if c.event() && !x.owned(p) {
					out = append(out, touch{touched{space: spaceLibrary}, touchLibrarySee})
				}
			}
			if g.op == opSelect {
				add(spaceChan, p, offer(c))
			}
			out = s.offersOn(p, out)
		}
	case opClose:
		add(spaceChan, g.obj, touchClose)
		out = s.offersOn(g.obj, out)
	case opLock:
		add(spaceLock, g.obj, touchLock)
	case opRLock:
		add(spaceLock, g.obj, touchRLock)
	case opTryLock, opTryRLock:
		add(spaceLock, g.obj, touchTried, touchTryFailed, touchLock)
	case opUnlock, opRUnlock:
		add(spaceLock, g.obj, touchUnlock, touchRUnlock)
		if !x.holdsAny(g, g.obj) {
			add(spaceLock, g.obj, touchForeignUnlock)
		}
	case opAdd, opWGGo:
		add(spaceWaitGroup, g.obj, touchAdd)
	case opDone:
		if x == nil { // else it orders, and nothing comes before it that could come after
			add(spaceWaitGroup, g.obj, touchAdd)
		}
	case opWait, opZero, opWaited:
		add(spaceWaitGroup, g.obj, touchWait)
	case opOnce:
		add(spaceOnce, g.obj, touchOnceFirst)
	case opCondWait, opCondSignal, opCondBroadcast:
		add(spaceCond, g.obj, touchAny)
		if g.op == opCondWait && g.wants.kind != noLock {
			add(spaceLock, g.wants.p, touchUnlock, touchRUnlock)
			if !x.holdsAny(g, g.wants.p) {
				add(spaceLock, g.wants.p, touchForeignUnlock)
			}
		}
	case opAtomic:
		if g.obj != nil {
			add(spaceAtomic, g.obj, g.effect.touch())
		}
	case opMeasure:
		add(spaceChan, g.obj, touchMeasured)
		statement()
	case opCall, opRead:
		add(spaceLibrary, nil, touchLibrary)
		statement()
	case opCount:
		add(spaceGoroutines, nil, touchCounted)
		statement()
	case opSleep:
		if x != nil && x.timeCommutes {
			add(spaceDeadlines, nil, touchDue)
		}
	case opMap:
		add(spaceMap, g.obj, touchWrite)
	case opSubtest, opParallel, opJoin:
		add(spaceScope, g.obj, touchAny)
		add(spaceTest, nil, touchRead)
	case opLog, opTestEnd:
		add(spaceTest, nil, touchRead)
	case opEnd, opCleanup:
		add(spaceTest, nil, touchWrite)
	}
	return out
}

// mayEnd is what the step of a goroutine touches if it ends its function, or one that others wait for.
func (s *run) mayEnd(g *goroutine, out []touch) []touch {
	if g.wg != nil && s.exec != nil && s.exec.misuse {
		out = append(out, touch{touched{space: spaceWaitGroup, p: unsafe.Pointer(g.wg)}, touchAny})
	}
	if g.scope != nil && (g.sub != nil || g.scope.owner == g) { // the test, or a subtest
		for t := g.scope; t != nil; t = t.parent {
			out = append(out, touch{touched{space: spaceScope, p: unsafe.Pointer(t)}, touchAny})
		}
	}
	for o, by := range s.onces {
		if by == g {
			out = append(out, touch{touched{space: spaceOnce, p: unsafe.Pointer(o)}, touchOnceFirst})
		}
	}
	return out
}

// timeMayTouch is mayTouch of the step in which time passes: whoever waits for an event may go on in it.
func (s *run) timeMayTouch(out []touch) []touch {
	out = append(out, touch{touched{space: spaceDeadlines}, touchPassed}, touch{touched{space: spaceLibrary}, touchPassed})
	for _, g := range s.blocked {
		event := slices.ContainsFunc(g.cases, func(c Case) bool { return c.channel() != nil && !c.sends() && c.event() })
		if g.ready || g.op != opSleep && !event {
			continue
		}
		out = s.mayEnd(g, out)
		if g.op != opSelect {
			continue
		}
		for _, c := range g.cases {
			if p := c.channel(); p != nil {
				out = append(out, touch{touched{space: spaceChan, p: p}, offer(c)})
			}
		}
	}
	return out
}

// offersOn are the channels of selects that are queued on a channel: what completes one
// of them decides for the others.
func (s *run) offersOn(p unsafe.Pointer, out []touch) []touch {
	for _, w := range s.blocked {
		if w.op != opSelect || w.ready {
			continue
		}
		on := false
		for _, c := range w.cases {
			on = on || c.channel() == p
		}
		for _, c := range w.cases {
			q := c.channel()
			if !on || q == nil {
				continue
			}
			out = append(out, touch{touched{space: spaceChan, p: q}, offer(c)})
			if s.exec != nil && s.exec.timeCommutes && !c.sends() && c.event() {
				out = append(out, touch{touched{space: spaceDeadlines}, touchDue})
			}
		}
	}
	return out
}

// couldTake reports whether a case of a goroutine at its guard could be done now.
func (s *run) couldTake(c Case) bool {
	p := c.channel()
	if p == nil {
		return false
	}
	if _, closed := s.closings[p]; closed {
		return true
	}
	if c.sends() && c.buffered() < c.capacity() || !c.sends() && (c.buffered() > 0 || len(s.stash[p]) > 0) {
		return true
	}
	for _, w := range s.blocked {
		for _, k := range w.cases {
			if !w.ready && k.channel() == p && k.sends() != c.sends() {
				return true
			}
		}
	}
	return c.event() && !s.silent(c)
}

// ofWaitGroup: the object of the operation is a WaitGroup.
func (o op) ofWaitGroup() bool {
	switch o {
	case opAdd, opDone, opWGGo, opWait, opWaited, opZero:
		return true
	}
	return false
}

// holdsAny: g holds the lock, in one way or the other.
func (x *execution) holdsAny(g *goroutine, p unsafe.Pointer) bool {
	if x == nil {
		return true // who unlocks what others have locked is seen when he does
	}
	for _, kind := range [...]lockKind{mutexLock, writeLock, readLock} {
		if x.holds[hold{uintptr(g.seq), lockRef{kind, p}}] > 0 {
			return true
		}
	}
	return false
}
