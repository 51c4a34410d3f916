//go:build go1.25

package orcruntime

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ticket is the place of a goroutine in the queue of a Cond. It is taken before
// the lock is released, as in Go.
type ticket struct {
	g         *goroutine
	signalled bool
	queued    bool // g has released the lock and is blocked

	// Of a run that is recorded: the condition until it is written that g was woken, and the operation that has woken it.
	cond *usedObject
	by   uint64
}

// CondWait is c.Wait. After the signal the goroutine stands at the same guard
// once more: granting it takes the lock.
func CondWait(site Site, c *sync.Cond) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.condWaits(site, c)
		} else {
			c.Wait()
		}
		return
	}
	s := g.run
	s.name(condObject, unsafe.Pointer(c))
	l, known := lockBehind(c.L)
	g.wants = l
	recorded := g.recordUse(recCondWait, site, recCond, unsafe.Pointer(c))
	g.arrive(opCondWait, site, unsafe.Pointer(c))
	checkCopied(c)
	t := &ticket{g: g, cond: recorded}
	if s.conds == nil {
		s.conds = make(map[*sync.Cond][]*ticket)
	}
	s.conds[c] = append(s.conds[c], t)
	s.exec.on(spaceCond, unsafe.Pointer(c), touchAny)
	if !known {
		// The lock has guards of its own, if any.
		g.pass()
		c.L.Unlock()
		if !t.signalled {
			// Unlock may have had guards, so that the goroutine stood elsewhere in the meantime.
			g.site, g.op, g.obj = site, opCondWait, unsafe.Pointer(c)
			g.wait(t)
		}
		t.recordWoken(l, false)
		c.L.Lock()
		return
	}
	held := g.recordLock(opUnlock, site, l)
	g.release(l)
	g.recordDone()
	g.wait(t)
	g.acquire(l)
	g.recordLocked(held)
	g.pass()
}

// copyChecker is where a sync.Cond has the address of just that place, at which it was first used, and whether it has.
var copyChecker = sync.OnceValues(func() (offset uintptr, ok bool) {
	f, ok := reflect.TypeFor[sync.Cond]().FieldByName("checker")
	return f.Offset, ok && f.Type.Kind() == reflect.Uintptr
})

// checkCopied panics, as all methods of a sync.Cond do, if it is a copy of one that was used. The methods themselves are not called
// for goroutines under control: they would wake others, in code that is not instrumented.
func checkCopied(c *sync.Cond) {
	offset, ok := copyChecker()
	if !ok {
		return
	}
	at := (*uintptr)(unsafe.Add(unsafe.Pointer(c), offset))
	here := uintptr(unsafe.Pointer(at)) // of the checker, as package sync has it
	if atomic.CompareAndSwapUintptr(at, 0, here) || atomic.LoadUintptr(at) == here {
		return
	}
	panic("sync.Cond is copied")
}

// wait blocks until the ticket is signalled and, if the scheduler knows the
// lock, the goroutine is granted again.
func (g *goroutine) wait(t *ticket) {
	t.queued = true
	g.block()
	g.relock = false
}

// CondSignal is c.Signal.
func CondSignal(site Site, c *sync.Cond) {
	if g := enter(site); g != nil {
		g.signalAt(opCondSignal, site, c, 1)
		return
	}
	if r := recording(); r != nil {
		r.signals(recSignal, site, c, c.Signal)
		return
	}
	c.Signal()
}

// CondBroadcast is c.Broadcast.
func CondBroadcast(site Site, c *sync.Cond) {
	if g := enter(site); g != nil {
		g.signalAt(opCondBroadcast, site, c, -1)
		return
	}
	if r := recording(); r != nil {
		r.signals(recBroadcast, site, c, c.Broadcast)
		return
	}
	c.Broadcast()
}

// nobody is who is woken where nobody waits.
const nobody = "nobody"

// signalAt wakes the n oldest waiters, all if n < 0.
func (g *goroutine) signalAt(o op, site Site, c *sync.Cond, n int) {
	s := g.run
	s.name(condObject, unsafe.Pointer(c))
	kind := recSignal
	if o == opCondBroadcast {
		kind = recBroadcast
	}
	recorded := g.recordUse(kind, site, recCond, unsafe.Pointer(c))
	g.arrive(o, site, unsafe.Pointer(c))
	s.exec.on(spaceCond, unsafe.Pointer(c), touchAny)
	checkCopied(c)
	var place uint64
	if recorded != nil {
		place = recorded.place()
	}
	tickets := s.conds[c]
	if n < 0 || n > len(tickets) {
		n = len(tickets)
	}
	var woken []string
	for _, t := range tickets[:n] {
		woken = append(woken, t.g.path)
		t.signalled = true
		if recorded != nil {
			t.by = g.rec.tag
		}
		s.races.signalled(g, t.g)
		if !t.queued {
			continue
		}
		if l, known := lockBehind(c.L); known {
			t.recordWoken(l, true)
			s.blocked = remove(s.blocked, t.g)
			t.g.state, t.g.relock, t.g.readyAt = parked, true, s.now
		} else {
			t.g.ready = true
		}
	}
	if n == len(tickets) {
		delete(s.conds, c)
	} else {
		s.conds[c] = tickets[n:]
	}
	if len(woken) == 0 {
		woken = []string{nobody}
	}
	g.leaves(site, strings.Join(woken, ", "))
	// Uninstrumented code may wait on the real object.
	if o == opCondBroadcast {
		c.Broadcast()
	} else if n == 0 {
		c.Signal()
	}
	if recorded != nil {
		g.rec.doneInOrder(0, 0, place)
	}
	g.pass()
}
