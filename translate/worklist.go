package translate

import (
	"fmt"
	"go/token"
	"sort"

	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

const (
	// maxPaths bounds the ways through one segment.
	maxPaths = 4000
	// maxWork bounds the ways through all segments, over the whole analysis.
	maxWork = 30_000
	// maxSteps bounds the instructions of one way.
	maxSteps = 200000
)

func (x *translator) enqueue(l *state.Location) {
	l.Seen = true
	if !l.Queued {
		l.Queued = true
		x.queue = append(x.queue, l)
	}
}

// limit is the size at which an explicit set becomes an interval.
func (x *translator) limit(ref bool) int {
	if ref {
		return sym.MaxRefSet
	}
	return sym.MaxSet
}

// grow adds to what a cell can hold.
func (x *translator) grow(c *state.Cell, a sym.Set) {
	if c.Fix || x.emitting {
		return
	}
	if c.Confined {
		return // any value has its place
	}
	j := c.Abs.Widen(a, x.limit(c.Ref), x.prog.Thresholds)
	if j.Top && !a.Top && !c.Abs.Top {
		// A counter that is kept for the whole program, not by place, seems to
		// grow for ever.
		if x.confine(c); c.Confined {
			return
		}
	}
	if j.Equal(c.Abs) {
		return
	}
	c.Abs = j
	x.wake(c)
}

// wake has the segments executed again that depend on what a cell can hold.
func (x *translator) wake(c *state.Cell) {
	x.enqueueAll(c.Readers)
	if c.Abs.Top {
		x.enqueueAll(c.Places)
	}
}

// enqueueAll has the segments at several locations executed again.
func (x *translator) enqueueAll(locs map[*state.Location]bool) {
	readers := make([]*state.Location, 0, len(locs))
	for l := range locs {
		readers = append(readers, l)
	}
	sort.Slice(readers, func(i, j int) bool {
		if readers[i].Template.Index != readers[j].Template.Index {
			return readers[i].Template.Index < readers[j].Template.Index
		}
		return readers[i].Index < readers[j].Index
	})
	for _, l := range readers {
		x.enqueue(l)
	}
}

// continueWith takes up a path later.
func (x *translator) continueWith(p *path) { x.stack = append(x.stack, p) }

// drive executes all paths that are waiting to their ends.
func (x *translator) drive() {
	n := 0
	for x.resume() {
		p := x.stack[len(x.stack)-1]
		x.stack = x.stack[:len(x.stack)-1]
		if p.resumed {
			p.resumed = false
			x.pursue(p)
			continue
		}
		if x.work++; x.work > maxWork || x.limitedCost() && x.cost() > x.budget {
			x.giveUp(x.busiest(), "program", fmt.Sprintf("too large: more than %d ways from guard to guard in all, most of them from here", x.work-1))
			return
		}
		if x.ctx.Err() != nil {
			x.drop()
			return
		}
		n++
		x.ways[p.from]++
		if n > denseWays && !x.emitting && p.from != nil && !x.dense[pointOf(p.from)] {
			x.drop()
			x.dense[pointOf(p.from)] = true
			x.enqueue(p.from)
			return
		}
		if n > splitWays && !p.split && !x.emitting {
			x.drop()
			if p.from == nil {
				x.plainNeeded = true
			} else {
				x.splitFrom(p.from)
			}
			return
		}
		if n > maxPaths {
			why := fmt.Sprintf("more than %d ways through the code between two guards", maxPaths)
			if x.limitedCost() {
				x.giveUp(p.here(), "segment", why)
				return
			}
			x.unsupported(p.here(), "segment", why)
			x.drop()
			return
		}
		x.pursue(p)
	}
}

// pursue executes a path until it ends, parts or waits for others.
func (x *translator) pursue(p *path) {
	for {
		waiting := len(x.stack)
		if !x.semantics.Execute(p) {
			if len(x.stack) != waiting+1 {
				return
			}
			// There is one way to go on: it is the same.
			p, x.stack = x.stack[waiting], x.stack[:waiting]
		}
		x.steps++
		if p.steps++; p.steps > maxSteps {
			x.unsupported(p.here(), "loop", "more than 200000 steps between two guards")
			return
		}
		if p.steps%1024 == 0 && x.ctx.Err() != nil {
			x.drop()
			return
		}
	}
}

// drop gives up the paths that are waiting.
func (x *translator) drop() { x.stack, x.parked = nil, nil }

// giveUp ends the analysis: the program is too large.
func (x *translator) giveUp(pos token.Pos, what, reason string) {
	x.unsupported(pos, what, reason)
	x.drop()
	x.queue, x.tooLarge = nil, true
}
