//go:build go1.25

package orcruntime

import (
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Add is wg.Add(n).
func Add(site Site, wg *sync.WaitGroup, n int) {
	if g := enter(site); g != nil {
		g.addAt(opAdd, site, wg, n)
		return
	}
	if r := recording(); r != nil {
		r.adds(site, wg, n)
		return
	}
	wg.Add(n)
}

// Done is wg.Done.
func Done(site Site, wg *sync.WaitGroup) {
	if g := enter(site); g != nil {
		g.addAt(opDone, site, wg, -1)
		return
	}
	if r := recording(); r != nil {
		r.adds(site, wg, -1)
		return
	}
	wg.Done()
}

func (g *goroutine) addAt(o op, site Site, wg *sync.WaitGroup, n int) {
	g.run.name(waitGroupObject, unsafe.Pointer(wg))
	recorded := g.recordAdd(site, wg, n)
	if recorded != nil {
		defer g.recordPanic(g.rec.tag)
	}
	g.arrive(o, site, unsafe.Pointer(wg))
	g.run.exec.counts(g, wg, n)
	g.run.races.operates(g, unsafe.Pointer(wg))
	if n < 0 {
		g.run.races.release(g, syncKey{p: unsafe.Pointer(wg)})
	}
	recorded.counts(n)
	g.run.count(wg, n)
	g.leaves(site, strconv.Itoa(g.run.waitGroupCount(wg)))
	g.pass()
	if n < 0 && g.run.waitGroupCount(wg) == 0 && g.run.waitedFor(wg) {
		g.atZero(site, wg)
	}
	recorded.added()
	g.run.releaseWaiters(wg)
}

// atZero is the moment in which Done has found the counter at zero, and has not
// released the waiters. To add then is an error, which Done may notice as well.
func (g *goroutine) atZero(site Site, wg *sync.WaitGroup) {
	s := g.run
	if s.zero == nil {
		s.zero = make(map[*sync.WaitGroup]bool)
	}
	s.zero[wg] = true
	g.acting = site
	if g.run.stopsInWaitGroups() {
		g.stop(opZero, site)
		g.run.exec.waits(wg)
	}
	delete(s.zero, wg)
	if s.waitGroupCount(wg) != 0 {
		panic(addDuringWait)
	}
	g.acting = 0
}

// What sync.WaitGroup panics with.
const (
	addDuringWait = "sync: WaitGroup misuse: Add called concurrently with Wait"
	reusedEarly   = "sync: WaitGroup is reused before previous Wait has returned"
)

// waitedFor reports whether somebody is queued in Wait.
func (s *run) waitedFor(wg *sync.WaitGroup) bool {
	for _, w := range s.blocked {
		if w.op == opWait && w.obj == unsafe.Pointer(wg) && !w.ready {
			return true
		}
	}
	return false
}

// count adds to the counter of a WaitGroup. The real object counts too, and panics.
func (s *run) count(wg *sync.WaitGroup, n int) {
	began := n > 0 && s.waitGroupCount(wg) == 0
	wg.Add(n)
	if waitGroupState == noState {
		if s.wgs == nil {
			s.wgs = make(map[*sync.WaitGroup]int)
		}
		s.wgs[wg] += n
	}
	if began && s.zero[wg] && s.waitedFor(wg) {
		panic(addDuringWait)
	}
}

// releaseWaiters completes those who wait, if the counter is at zero.
func (s *run) releaseWaiters(wg *sync.WaitGroup) {
	if s.waitGroupCount(wg) != 0 || s.zero[wg] {
		return
	}
	for _, w := range s.blocked {
		if w.op == opWait && w.obj == unsafe.Pointer(wg) {
			w.ready = true
		}
	}
}

// Wait is wg.Wait.
func Wait(site Site, wg *sync.WaitGroup) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.waits(site, wg)
		} else {
			wg.Wait()
		}
		return
	}
	g.run.name(waitGroupObject, unsafe.Pointer(wg))
	recorded := g.recordUse(recWait, site, recWaitGroup, unsafe.Pointer(wg))
	if recorded != nil {
		defer g.recordPanic(g.rec.tag)
	}
	g.arrive(opWait, site, unsafe.Pointer(wg))
	g.run.exec.waits(wg)
	if g.run.waitGroupCount(wg) != 0 {
		g.block()
		g.run.races.acquire(g, syncKey{p: unsafe.Pointer(wg)})
		g.run.races.operates(g, unsafe.Pointer(wg))
		g.pass()
		g.waited(site, wg)
		g.recordWaited(recorded)
		return
	}
	g.run.races.acquire(g, syncKey{p: unsafe.Pointer(wg)})
	g.run.races.operates(g, unsafe.Pointer(wg))
	g.recordWaited(recorded)
	g.pass()
}

// waited is the return of a waiter that has been released: others may have gone on
// before it does.
func (g *goroutine) waited(site Site, wg *sync.WaitGroup) {
	g.acting = site
	if g.run.stopsInWaitGroups() {
		g.stop(opWaited, site)
		g.run.exec.waits(wg)
	}
	if g.run.waitGroupCount(wg) != 0 || g.run.waitedFor(wg) {
		panic(reusedEarly)
	}
	g.acting = 0
}

// WGGo is wg.Go(f). The implicit Done is part of the last segment of the
// goroutine.
func WGGo(site Site, wg *sync.WaitGroup, f func()) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.wgGoes(site, wg, f)
		} else {
			wg.Go(freely(f))
		}
		return
	}
	s := g.run
	s.name(waitGroupObject, unsafe.Pointer(wg))
	recorded := g.recordAdd(site, wg, 1)
	if recorded != nil {
		defer g.recordPanic(g.rec.tag)
	}
	g.arrive(opWGGo, site, unsafe.Pointer(wg))
	s.exec.counts(g, wg, 1)
	s.races.operates(g, unsafe.Pointer(wg))
	recorded.counts(1)
	s.count(wg, 1)
	recorded.added()
	g.leaves(site, strconv.Itoa(s.waitGroupCount(wg)))
	g.refers = append(g.refers, wg)
	started := s.spawn(g, site, f)
	started.wg, started.wgGo = wg, site
	g.pass()
}

// doneAtExit is the implicit Done of a goroutine started by WGGo.
func (s *run) doneAtExit(g *goroutine) {
	defer func() {
		if v := recover(); v != nil {
			g.acting = g.wgGo
			o := g.outcomeOf(v)
			s.at, o.Stack, g.stack = "", nil, nil // a goroutine that runtime.Goexit has ended is still there
			s.end(o)
		}
	}()
	recorded := g.recordAdd(g.wgGo, g.wg, -1)
	recorded.counts(-1)
	s.exec.counts(g, g.wg, -1)
	s.races.release(g, syncKey{p: unsafe.Pointer(g.wg)})
	s.count(g.wg, -1)
	recorded.added()
	s.releaseWaiters(g.wg)
}

// noState is no offset.
const noState = ^uintptr(0)

// waitGroupState is the offset of the state word in a WaitGroup, whose upper
// half is the counter. Where the layout is another one the scheduler counts by
// itself, and does not see what uninstrumented code adds.
var waitGroupState = findWaitGroupState()

func findWaitGroupState() uintptr {
	f, ok := reflect.TypeFor[sync.WaitGroup]().FieldByName("state")
	if !ok || f.Type.Size() != 8 {
		return noState
	}
	var wg sync.WaitGroup
	for _, n := range []int{5, -2, 7, -10} {
		before := countAt(&wg, f.Offset)
		wg.Add(n)
		if countAt(&wg, f.Offset) != before+n {
			wg.Add(-before - n)
			return noState
		}
	}
	return f.Offset
}

func countAt(wg *sync.WaitGroup, offset uintptr) int {
	return int(int32(atomic.LoadUint64((*uint64)(unsafe.Add(unsafe.Pointer(wg), offset))) >> 32))
}

func (s *run) waitGroupCount(wg *sync.WaitGroup) int {
	if waitGroupState == noState {
		return s.wgs[wg]
	}
	return countAt(wg, waitGroupState)
}
