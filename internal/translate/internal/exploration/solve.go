package exploration

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Solve finds all locations and what every variable and cell can hold.
func (x *Explorer) Solve() {
	t := state.NewTemplate(state.Template{Key: "entry", Name: "main", Slots: 1, Once: true, Fn: x.Program.Entry})
	x.Templates = append(x.Templates, t)
	x.limitPaths()
	t.Root = x.Context(t, nil, nil, 0, x.Program.Entry, "")
	ini := x.Context(t, t.Root, nil, 1, x.Program.Init, "")
	begin := func() *Path {
		p := x.NewPath(t, nil)
		p.Role, p.Alone, p.Serial = artifact.RoleLocal, true, true
		p.Push(&state.Frame{Call: t.Root, Block: x.Program.Entry.Blocks[0]})
		x.semantics.Begin(p)
		if x.Program.Test() && len(x.Program.Entry.Params) > 0 {
			p.Set(t.Root, x.Program.Entry.Params[0], layout.Unknowns(1, "the testing.T"))
		}
		if x.Program.Init != nil && x.Program.Init.Blocks != nil && x.Slice.Funcs[x.Program.Init] {
			// Package initialisation runs on top of the entry's frame, which it
			// returns to as if it had been deferred.
			p.Push(&state.Frame{Call: ini, Block: x.Program.Init.Blocks[0], Deferred: true})
		}
		return p
	}
	// Before the first guard nobody else runs. What is computed there with constants is what cells hold at first,
	// and costs no step of the model.
	if !x.Plain {
		x.InPrefix = true
		x.takeUp(begin())
		x.drive()
		x.InPrefix = false
		// A model begins at one location: where a choice leads to several, or the program ends before its first
		// guard, the first segment needs edges.
		if len(x.prefix) != 1 || x.prefix[0].loc.Kind == state.AtSink || x.prefix[0].loc.Kind == state.AtLocal {
			x.PlainNeeded = true
			return
		}
		a := x.prefix[0]
		t.First, t.Idle = a.loc, a.loc
		for _, addr := range a.p.Written() {
			e, c := a.p.written(addr), x.Memory.Cells[addr]
			if e.IsConst() {
				c.Init = e.K
				if !c.Fix {
					c.Abs = sym.Single(e.K)
				}
			} else if !c.Fix {
				// What is not known: no variable of a model can begin with any value.
				c.Abs, c.Open = sym.Anything(), true
			}
		}
		x.join(a.p, a.loc)
		x.start = a.p
		x.Enqueue(a.loc)
	} else {
		l := &state.Location{Template: t, Kind: state.AtBegin, Key: "begin", Op: "begin", Alone: true, Serial: true}
		x.addLocation(l)
		t.First, t.Idle = l, l
		x.Enqueue(l)
	}
	x.begin = begin
	x.Run()
}

// Run executes the segments at the locations of the queue, and at those for which that brings something new, until
// nothing is new: to a fixed point, at which each of them could be executed again without any change.
//
// What is known of locations, cells, templates and events only grows, and each set has finitely many above it:
// Widen gives up numbers, maxByLocation contents, and bounds limit the objects, stacks and goroutines of which
// locations are made. So this ends.
//
// That nothing is new is true only if each segment whose result would change was executed again. What a location
// knows itself it is enqueued for by join. What its segments look at elsewhere they note: cells in Readers or
// AskedAt, events in Touch, Watch and Ripe. Whatever grows there enqueues those who have noted it, and a template
// the location at which its goroutines begin. A kind of state that is added needs the same.
//
// In which order locations are executed decides how coarse the solution is, since the first values to come are
// those that are widened, but not that it is one. It is the same order each time, so that the same program gives
// the same model: where something is enqueued or numbered, maps are gone through in an order (EnqueueAll).
func (x *Explorer) Run() {
	for l := x.next(); l != nil; l = x.next() {
		if x.execute(l); x.stopped {
			x.Enqueue(l)
			x.endPartially()
			return
		}
	}
}

// next takes a location out of the queue, nil if nothing is left to do. Where few paths begin first: what is learned there
// saves executing the many paths elsewhere again.
func (x *Explorer) next() *state.Location {
	if x.Again || x.ctx.Err() != nil {
		return nil
	}
	// What happens as time passes depends on which timers and contexts goroutines have made: it comes when there
	// are no more of these, and may be asked again, since goroutines go on from what it does.
	for len(x.Queue) == 0 {
		if !x.semantics.Late() && !x.lateEvents() {
			return nil
		}
	}
	best := 0
	for i, l := range x.Queue {
		if l.Paths < x.Queue[best].Paths {
			best = i
		}
	}
	l := x.Queue[best]
	x.Queue = slices.Delete(x.Queue, best, best+1)
	l.Queued = false
	return l
}

// execute executes the segments at a location.
func (x *Explorer) execute(l *state.Location) {
	before := x.paths[l]
	x.leave(l)
	l.Paths, l.Executed = x.paths[l]-before, true
}
