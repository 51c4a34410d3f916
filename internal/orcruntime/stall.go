//go:build go1.25

package orcruntime

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// Stall is that time has passed while a goroutine could go on: the schedule needs that
// it is slow there.
type Stall struct {
	G    string
	Site string // key of the guard at which it stood
	For  time.Duration
}

// maxStalls bounds those that a result has, the longest ones.
const maxStalls = 16

// A goroutine that has taken so many steps in a row, with nobody else doing any, is at
// work or polls: time that passes for it is no stall.
const working = 1000

// stalled notes how long g has been held at its guard, which it is about to pass, or
// at which the run has ended.
func (s *run) stalled(g *goroutine) {
	d := s.now - g.readyAt
	if d <= 0 || g.op == opEnd || g.op == opSpin || g.op == opNone {
		return
	}
	site := g.site
	if of, _, _, ok := site.major(); ok {
		site = of
	}
	s.stalls = append(s.stalls, Stall{g.path, site.key(), d})
	if len(s.stalls) >= 4*maxStalls {
		s.stalls = longest(s.stalls)
	}
}

// longest are the longest stalls, in a fixed order.
func longest(all []Stall) []Stall {
	slices.SortStableFunc(all, func(a, b Stall) int {
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.G, b.G), cmp.Compare(a.Site, b.Site))
	})
	return all[:min(len(all), maxStalls)]
}

// stallsAtEnd are those of the run, with those of goroutines that it has left at their
// guards.
func (s *run) stallsAtEnd() []Stall {
	for _, g := range s.live {
		if g.state == parked {
			s.stalled(g)
		}
	}
	return longest(s.stalls)
}

// took counts the steps that one goroutine takes in a row.
func (s *run) took(g *goroutine) {
	if s.taker != g {
		s.taker, s.inRow = g, 0
	}
	s.inRow++
}

// worked: time has passed while the one goroutine that could go on was at work.
func (s *run) worked() {
	if g := s.taker; g != nil && s.inRow >= working && g.state == parked {
		g.readyAt = s.now
	}
}

// programBubble is a bubble of the program's own: a call of synctest.Test.
type programBubble struct {
	over atomic.Bool // its function has returned, and whoever could go on without time has
}

// InBubble calls f, the function given to synctest.Test: until it returns, time passes
// in a run only when all goroutines are blocked, as the package promises. What f has left to Cleanup follows. Then all
// goroutines that were started in the bubble go on to their ends, for whom time does not pass any more: who still waits for it
// does so for good.
func InBubble(f func()) {
	s := active.Load()
	if s == nil {
		f()
		return
	}
	s.bubbles++
	defer func() { s.bubbles-- }()
	g := s.caller()
	if g == nil {
		f()
		return
	}
	outer := g.bubble
	g.bubble = new(programBubble)
	defer func() {
		if !s.dying.Load() && !panicking() {
			g.outlive()
		}
		g.bubble = outer
	}()
	if g.scope == nil {
		f()
		return
	}
	g.adopt(g.scope) // what is left from here on is of the bubble
	g.inScope(func(*scope) { f() })
}

// outlive waits until no goroutine of the bubble that g has made can go on.
func (g *goroutine) outlive() {
	s := g.run
	if slices.ContainsFunc(s.live, func(o *goroutine) bool { return o != g && o.bubble == g.bubble && o.state != done }) {
		g.op, g.cases = opSettle, nil
		g.block()
		s.races.settled(g)
	}
	g.bubble.over.Store(true)
}

// awake: time cannot pass, since in a bubble of the program's somebody can go on.
func (s *run) awake() bool {
	return s.bubbles > 0 && slices.ContainsFunc(s.live, func(g *goroutine) bool { return g.state == parked && g.op != opEnd })
}
