//go:build go1.25

package orcruntime

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// active is the run in progress.
var active atomic.Pointer[run]

// leftForGood is how many runs in a row have to begin with more goroutines for these to be taken to stay.
const leftForGood = 20

// othersCount tells how many goroutines are not of the run that is about to begin. One run begins at a time.
type othersCount struct {
	// idle is how many goroutines the process has between runs: the fewest that a run has begun with. Where some are
	// left for good, as by a library, there are more from then on: above counts the runs in a row that have begun with
	// more, and least is the fewest of these.
	idle, above, least int64
}

// betweenRuns is the count of this process.
var betweenRuns othersCount

// next is the number of goroutines that are not of the run which is about to begin, of those that running tells of.
// Those of the run before may have come to their ends and be counted still, for a moment: if they were taken for
// others, as many could be started by a library later on, when they are gone, and not be noticed. A number that is too
// low has every goroutine looked at.
func (c *othersCount) next(running func() int) int64 {
	n := int64(running())
	for i := 0; i < 100 && c.idle != 0 && n > c.idle; i++ {
		runtime.Gosched()
		n = int64(running())
	}
	if c.idle == 0 || n <= c.idle {
		c.idle, c.above = n, 0
		return n
	}
	if c.above == 0 || n < c.least {
		c.least = n
	}
	before := c.idle
	if c.above++; c.above == leftForGood {
		c.idle, c.above = c.least, 0
	}
	return before
}

// enter returns the goroutine that calls an operation at site, or nil if the
// operation is to be the real one: outside a run, or called by a goroutine that
// is not under control. It ends a goroutine of a run that is over.
func enter(site Site) *goroutine {
	s := active.Load()
	if s == nil {
		freeze()
		return nil
	}
	g := s.caller()
	if g == nil {
		freeze()
		s.foreign(site)
		return nil
	}
	if s.dying.Load() {
		runtime.Goexit()
	}
	return g
}

// Controlled reports whether the calling goroutine is under the control of a
// run. Rewritten code asks where an operation needs another form inside a run.
func Controlled() bool { return controlling() != nil }

// Watched reports whether what the calling goroutine does is controlled by a run, or recorded.
// Rewritten code asks where the original operation needs another form only then.
func Watched() bool { return Controlled() || recordings.on.Load() }

// controlling is the run that the calling goroutine is under the control of, nil
// for none.
func controlling() *run {
	if s := active.Load(); s != nil && s.caller() != nil {
		return s
	}
	return nil
}

// caller returns the calling goroutine, nil if it is not under control.
//
// Only the goroutine with the baton should be here, but goroutines of
// uninstrumented code may call instrumented functions, and goroutines that are
// outside come back. While the process has no more goroutines than when the run
// began and those that the scheduler has started, none of these is outside, none
// of the program's is left that was started before and has not been stopped for
// good, and the stack is one on which the goroutine with the baton was seen
// before, it is that one; otherwise the number of the goroutine decides, which
// takes microseconds.
func (s *run) caller() *goroutine {
	g := s.cur.Load()
	if s.cfg.Unchecked {
		if s.strays.Load() > 0 {
			return nil
		}
		return g
	}
	others := int64(runtime.NumGoroutine()) - s.started.Load()
	base := s.base.Load()
	if others > base || g == nil || s.strays.Load() > 0 || before.acting.Load() > 0 {
		return s.byID(goid())
	}
	if others < base { // one from before the run has ended
		s.base.CompareAndSwap(base, others)
	}
	block := stackBlock()
	if g.blocks[block%uintptr(len(g.blocks))] == block {
		return g
	}
	by := s.byID(goid())
	if by != nil && by == g {
		g.seenIn(block)
	}
	return by
}

// blockShift is the size of the smallest stacks, 2 KiB, to whose multiples all
// stacks are aligned: a block belongs to one goroutine at a time.
const blockShift = 11

// stackBlock is the block of the stack that the caller runs on.
//
//go:noinline
func stackBlock() uintptr {
	var here byte
	return uintptr(unsafe.Pointer(&here)) >> blockShift
}

// seenIn remembers a block of the stack of g, the goroutine with the baton. Far
// from those known the stack has been moved, and its former blocks may be
// another's by now.
func (g *goroutine) seenIn(block uintptr) {
	if far := uintptr(64); block+far < g.lastBlock || g.lastBlock+far < block {
		clear(g.blocks[:])
	}
	g.lastBlock = block
	g.blocks[block%uintptr(len(g.blocks))] = block
}

// roomTaken is how much of its stack a goroutine has from the start. What programs do, and the operations that
// they call, mostly fits in.
const roomTaken = 6 << 10

// takeRoom makes the stack of the calling goroutine, which is g, as large as most get, and remembers the blocks of
// it. Otherwise it would grow step by step, and move each time, and its number would be asked for after each move and
// in each new block: that takes longer than all else that is done in an operation.
//
//go:noinline
func (g *goroutine) takeRoom() {
	var room [roomTaken]byte
	first := uintptr(unsafe.Pointer(&room)) >> blockShift
	last := uintptr(unsafe.Pointer(&room[roomTaken-1])) >> blockShift
	for b := last; b >= first; b-- {
		g.seenIn(b)
	}
}

// register makes the calling goroutine known as g.
func (s *run) register(g *goroutine) {
	if s.cfg.Unchecked {
		return
	}
	g.takeRoom()
	g.seenIn(stackBlock())
	g.id = goid()
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

// idsOf are the runtime's numbers of a goroutine that is registered, and of the coroutines that act as
// it. The goroutine may be running.
func (s *run) idsOf(g *goroutine) (ids []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, other := range s.ids {
		if other == g {
			ids = append(ids, id)
		}
	}
	return ids
}

// foreign notes an operation by a goroutine outside control.
func (s *run) foreign(site Site) {
	why := "operation by a goroutine outside control at " + site.key()
	s.races.stop(why)
	s.weaken(why)
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
