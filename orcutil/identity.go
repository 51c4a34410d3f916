package orcutil

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// active is the run in progress.
var active atomic.Pointer[run]

// enter returns the goroutine that calls an operation at site, or nil if the
// operation is to be the real one: outside a run, or called by a goroutine that
// is not under control. It ends a goroutine of a run that is over.
func enter(site Site) *goroutine {
	s := active.Load()
	if s == nil {
		return nil
	}
	g := s.caller()
	if g == nil {
		s.foreign(site)
		return nil
	}
	if s.dying.Load() {
		runtime.Goexit()
	}
	return g
}

// caller returns the calling goroutine, nil if it is not under control.
//
// Only the goroutine with the baton should be here, but goroutines of
// uninstrumented code may call instrumented functions. The stack tells them
// apart: stacks are aligned to their size, at least 2 kB, so two goroutines are
// never in one block of 2 kB, and a goroutine that is in a block where it has
// been recognised before is the same. Otherwise its number is looked up, which
// takes some microseconds.
func (s *run) caller() *goroutine {
	g := s.cur.Load()
	if s.cfg.Unchecked {
		return g
	}
	var mark byte
	block := uintptr(unsafe.Pointer(&mark)) >> 11
	if g != nil {
		for i := range g.blocks {
			if g.blocks[i].Load() == block {
				return g
			}
		}
	}
	g = s.byID(goid())
	if g != nil {
		g.blocks[g.next%uint8(len(g.blocks))].Store(block)
		g.next++
	}
	return g
}

func (s *run) register(g *goroutine) {
	s.mu.Lock()
	s.ids[g.id] = g
	s.mu.Unlock()
}

func (s *run) unregister(g *goroutine) {
	if s.cfg.Unchecked {
		return
	}
	s.mu.Lock()
	delete(s.ids, g.id)
	s.mu.Unlock()
}

func (s *run) byID(id uint64) *goroutine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// foreign notes an operation by a goroutine outside control.
func (s *run) foreign(site Site) {
	s.weaken("operation by a goroutine outside control at " + site.key())
}

// goid is the number of the calling goroutine, from the first line of its
// stack: "goroutine 7 [running]:".
func goid() uint64 {
	var buf [40]byte
	n := runtime.Stack(buf[:], false)
	var id uint64
	for _, c := range buf[len("goroutine "):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
