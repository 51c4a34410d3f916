package translate

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// solve finds all locations and what every variable and cell can hold.
func (x *translator) solve() {
	t := state.NewTemplate(state.Template{Key: "entry", Name: "main", Slots: 1, Once: true, Fn: x.prog.Entry})
	x.templates = append(x.templates, t)
	t.Root = x.context(t, nil, nil, 0, x.prog.Entry, "")
	ini := x.context(t, t.Root, nil, 1, x.prog.Init, "")
	begin := func() *path {
		p := x.newPath(t, nil)
		p.role, p.alone, p.serial = artifact.RoleLocal, true, true
		p.push(&state.Frame{Call: t.Root, Block: x.prog.Entry.Blocks[0]})
		x.semantics.Begin(p)
		if x.prog.Test() && len(x.prog.Entry.Params) > 0 {
			p.set(t.Root, x.prog.Entry.Params[0], layout.Unknowns(1, "the testing.T"))
		}
		if x.prog.Init != nil && x.prog.Init.Blocks != nil && x.sl.Funcs[x.prog.Init] {
			// Package initialisation runs on top of the entry's frame, which it
			// returns to as if it had been deferred.
			p.push(&state.Frame{Call: ini, Block: x.prog.Init.Blocks[0], Deferred: true})
		}
		return p
	}
	if !x.plain {
		x.inPrefix = true
		x.takeUp(begin())
		x.drive()
		x.inPrefix = false
		if len(x.prefix) != 1 || x.prefix[0].loc.Kind == state.AtSink || x.prefix[0].loc.Kind == state.AtLocal {
			x.plainNeeded = true
			return
		}
		a := x.prefix[0]
		t.First, t.Idle = a.loc, a.loc
		for _, addr := range a.p.written() {
			e, c := a.p.heap.m[addr], x.mem.Cells[addr]
			if e.IsConst() {
				c.Init = e.K
				if !c.Fix {
					c.Abs = sym.Single(e.K)
				}
			} else if !c.Fix {
				c.Abs, c.Open = sym.Anything(), true
			}
		}
		x.join(a.p, a.loc)
		x.start = a.p
		x.enqueue(a.loc)
	} else {
		l := &state.Location{Template: t, Kind: state.AtBegin, Key: "begin", Op: "begin", Alone: true, Serial: true}
		x.addLocation(l)
		t.First, t.Idle = l, l
		x.enqueue(l)
	}
	x.begin = begin
	for !x.again && (len(x.queue) > 0 || x.semantics.Late() || x.lateEvents()) && x.ctx.Err() == nil {
		// Where few ways begin first: what is learned there saves executing the
		// many ways elsewhere again.
		best := 0
		for i, l := range x.queue {
			if l.Ways < x.queue[best].Ways {
				best = i
			}
		}
		l := x.queue[best]
		x.queue = slices.Delete(x.queue, best, best+1)
		l.Queued = false
		before := x.ways[l]
		x.leave(l)
		l.Ways = x.ways[l] - before
	}
}
