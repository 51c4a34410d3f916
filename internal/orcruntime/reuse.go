//go:build go1.25

package orcruntime

import (
	"sync"
	"unsafe"
)

// reuse is StrategyReuse. A WaitGroup is used again too early if somebody adds to it between the moment in which its
// counter has come to zero and the return of those who wait. That takes one who is about to add all the while, one
// who waits in time, and one who ends the count no sooner: three orders of steps that have nothing to do with each
// other, which hardly come about by chance. So whoever is to be late is held, as long as others can go on.
type reuse struct {
	pos
	// moment is the operation at which a WaitGroup is about to be used again: opZero, or opWaited.
	moment op
	// first: who finds that somebody has added at that moment does so before the other one, whose panic may have to
	// wait for cleanup functions.
	first bool
	// slow: so is the entry function, which is most often who waits: what it does in front of that may keep others
	// from adding at all.
	slow bool
	late map[adding]bool // those who are to add late, and those who are not
	// lateNext: the next one is. They take turns, since without any who adds in time nobody waits.
	lateNext bool
	among    []int
}

// adding is one who is about to add to a WaitGroup.
type adding struct {
	g  string
	at priority // without a value
}

// What holds somebody, the more the longer.
const (
	unheld   = iota
	heldSlow // is slow
	heldLate // adds when everybody else has come as far as he can
	heldDone // ends the count, and nobody waits yet
	heldThen // is at the moment for which the others are held
)

func newReuse(r *random) *reuse {
	c := &reuse{pos: pos{random: r, priorities: map[string]priority{}}, moment: opZero, late: map[adding]bool{}}
	if c.next(2) == 0 {
		c.moment = opWaited
	}
	c.first, c.slow, c.lateNext = c.next(2) == 0, c.next(2) == 0, c.next(2) == 0
	return c
}

func (c *reuse) pick(v View, among []int, n int) int {
	least := heldThen
	c.among = c.among[:0]
	for _, i := range among {
		held := unheld
		if i != TimePasses {
			if c.errs(v, v.Ready[i].g) {
				return i
			}
			held = c.holds(v.run, v.Ready[i])
		}
		if held < least {
			least, c.among = held, c.among[:0]
		}
		if held == least {
			c.among = append(c.among, i)
		}
	}
	if len(c.among) == 1 {
		return c.among[0]
	}
	return c.pos.pick(v, c.among, n)
}

// errs: what g is about to do uses a WaitGroup again too early.
func (c *reuse) errs(v View, g *goroutine) bool {
	switch g.op {
	case opAdd, opWGGo:
		return v.run.anyAt(c.moment, g.obj) && v.run.waitGroupCount((*sync.WaitGroup)(g.obj)) == 0
	case opZero, opWaited:
		return (c.first || g.op == opWaited) && v.run.waitGroupCount((*sync.WaitGroup)(g.obj)) > 0
	}
	return false
}

// anyAt: a goroutine stands at an operation of an object.
func (s *run) anyAt(o op, object unsafe.Pointer) bool {
	for _, g := range s.live {
		if g.state == parked && g.op == o && g.obj == object {
			return true
		}
	}
	return false
}

// holds says whether somebody is to be late.
func (c *reuse) holds(s *run, p Parked) int {
	switch p.g.op {
	case c.moment:
		return heldThen
	case opDone:
		if wg := (*sync.WaitGroup)(p.g.obj); s.waitGroupCount(wg) == 1 && !s.waitedFor(wg) {
			return heldDone
		}
	case opAdd, opWGGo:
		a := adding{p.G, priority{site: p.Site, occ: p.g.occ()}}
		late, known := c.late[a]
		if !known {
			late = c.lateNext
			c.late[a], c.lateNext = late, !late
		}
		if late {
			return heldLate
		}
	}
	if c.slow && p.G == entryPath {
		return heldSlow
	}
	return unheld
}
