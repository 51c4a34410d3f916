package exploration

import (
	"fmt"
	"go/token"
	"sort"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

const (
	// maxSegmentPaths bounds the paths through one segment.
	maxSegmentPaths = 4000
	// MaxTotalPaths bounds the paths through all segments, over the whole analysis.
	MaxTotalPaths = 30_000
	// maxSteps bounds the instructions of one path.
	maxSteps = 200000
)

// Enqueue has the segments at a location executed again.
func (x *Explorer) Enqueue(l *state.Location) {
	l.Seen = true
	if !l.Queued {
		l.Queued = true
		x.Queue = append(x.Queue, l)
	}
}

// Limit is the size at which an explicit set becomes an interval.
func (x *Explorer) Limit(ref bool) int {
	if ref {
		return sym.MaxRefSet
	}
	return sym.MaxSet
}

// Grow adds to what a cell can hold.
//
// It is one set for the whole program; by location it is kept in joinContents. Only what a segment leaves is added:
// what it writes and then writes over nobody else sees.
func (x *Explorer) Grow(c *state.Cell, a sym.Set) {
	// While edges are made nothing may change, or edges made before would rest on less.
	if c.Fix || x.Emitting {
		return
	}
	if c.Confined {
		return // it covers any value
	}
	j := c.Abs.Widen(a, x.Limit(c.Ref), x.Program.Thresholds)
	if j.Top && !a.Top && !c.Abs.Top {
		// A counter that is kept for the whole program, not by location, seems to
		// grow for ever.
		if x.confine(c); c.Confined {
			return
		}
	}
	if j.Equal(c.Abs) {
		return
	}
	c.Abs = j
	x.Wake(c)
}

// Wake has the segments executed again that depend on what a cell can hold.
// Who knows it by location has asked only whether it is tracked at all (RawCell).
func (x *Explorer) Wake(c *state.Cell) {
	x.EnqueueAll(c.Readers)
	if c.Abs.Top {
		x.EnqueueAll(c.AskedAt)
	}
}

// EnqueueAll has the segments at several locations executed again.
func (x *Explorer) EnqueueAll(locs map[*state.Location]bool) {
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
		x.Enqueue(l)
	}
}

// ContinueWith takes up a path later.
func (x *Explorer) ContinueWith(p *Path) { x.stack = append(x.stack, p) }

// drive executes all paths that are waiting to their ends.
func (x *Explorer) drive() {
	n := 0
	for x.resume() {
		p := x.stack[len(x.stack)-1]
		x.stack = x.stack[:len(x.stack)-1]
		if p.resumed {
			p.resumed = false
			x.pursue(p)
			continue
		}
		if x.Work++; x.stopPartially(p) {
			return
		}
		if x.Work > MaxTotalPaths || x.LimitedCost() && x.Cost() > x.Budget {
			x.giveUp(x.busiest(), "program", fmt.Sprintf("too large: more than %d paths from guard to guard in all, most of them from here", x.Work-1))
			return
		}
		if x.ctx.Err() != nil {
			x.drop()
			return
		}
		n++
		x.paths[p.From]++
		// The segment is executed once more, with other rules of merging. What its paths have brought to their ends
		// stays: that is coarser than needed, not wrong. It counts for the limit of all paths, not for the size of
		// a part of the program.
		if n > densePaths && !x.Emitting && p.From != nil && !x.dense[pointOf(p.From)] {
			x.drop()
			x.again += n
			x.dense[pointOf(p.From)] = true
			x.Enqueue(p.From)
			return
		}
		if n > splitPaths && !p.split && !x.Emitting {
			x.drop()
			x.again += n
			// The first segment is executed beforehand, and cannot be split: it has no edges.
			if p.From == nil {
				x.PlainNeeded = true
			} else {
				x.splitFrom(p.From)
			}
			return
		}
		if n > maxSegmentPaths {
			why := fmt.Sprintf("more than %d paths through the code between two guards", maxSegmentPaths)
			if x.LimitedCost() {
				x.giveUp(p.Here(), "segment", why)
				return
			}
			x.Unsupported(p.Here(), "segment", why)
			x.drop()
			return
		}
		x.pursue(p)
	}
}

// pursue executes a path until it ends, forks or waits for others. An instruction that leaves one path to go on
// with is no fork, and the path not a new one: limits count paths, not instructions.
func (x *Explorer) pursue(p *Path) {
	for {
		waiting := len(x.stack)
		if !x.semantics.Execute(p) {
			if len(x.stack) != waiting+1 {
				return
			}
			// It goes on as one path: that is the same.
			p, x.stack = x.stack[waiting], x.stack[:waiting]
		}
		x.steps++
		if p.Steps++; p.Steps > maxSteps {
			p.Unfollowed("loop", "more than 200000 steps between two guards")
			return
		}
		if p.Steps%1024 == 0 && x.ctx.Err() != nil {
			x.drop()
			return
		}
	}
}

// drop gives up the paths that are waiting.
func (x *Explorer) drop() { x.stack, x.parked = nil, nil }

// giveUp ends the analysis: the program is too large.
func (x *Explorer) giveUp(pos token.Pos, what, reason string) {
	x.Unsupported(pos, what, reason)
	x.drop()
	x.Queue, x.TooLarge = nil, true
}
