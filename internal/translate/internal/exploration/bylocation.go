package exploration

import (
	"maps"
	"slices"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// What a cell can hold is kept once for the whole program, but where it is known
// who writes: there it is kept by location, as for variables. That is all memory while
// the entry is alone, before it starts a goroutine, and later cells that only one
// goroutine writes, at the locations of that goroutine. So what a program sets up,
// under a lock or after a choice, is known for what it is: which array a slice has,
// and how long it is.
//
// Where goroutines run beside each other that would be wrong of a cell that several
// of them write: between two guards of the one, another one may have written it, of
// which no path to the location of the one knows. Such a cell is what it can be
// anywhere (Location.Knows). A goroutine that was alone, or was the only one to write a
// cell, may turn out not to be, never the other way round, and who has relied on that is
// executed again.

const (
	// maxByLocation is how many values of a cell are kept by location, and
	// maxRefsByLocation of one that holds references. What takes more is counted,
	// or grows.
	maxByLocation     = 8
	maxRefsByLocation = 32
)

// keptByLocation reports that a cell can be kept by location.
func keptByLocation(c *state.Cell) bool {
	if c.Sync || c.Fix || c.Payload || c.Confined || c.Loose {
		return false
	}
	o := c.Group
	return o.Pool == nil && o.Mapping == nil && (o.Kind == state.DataObject || o.Kind == state.ClosureObject)
}

// atLocation is what a cell can hold where the path begins; ok is false if that is
// not kept by location.
func (p *Path) atLocation(c *state.Cell) (a sym.Set, ok bool) {
	l := p.From
	if l == nil || !keptByLocation(c) || !l.Knows(c) {
		return sym.Set{}, false
	}
	c.AskedAt[l] = true
	return l.Contents.In(c), true
}

// wrote notes who writes a cell.
// As long as nobody has, it is what it was at first, which needs no location.
func (x *Explorer) wrote(c *state.Cell, t *state.Template) {
	switch {
	case c.Writer == nil:
		c.Writer = t
	case c.Writer != t && !c.Shared:
		c.Shared = true
		x.wakeByLocation(c)
	}
}

// loosen keeps a cell by location no more.
// From now on it is one set, which widens. Kept by location it does not: a counter in a loop would make its
// locations grow one after the other, for as many rounds as there are numbers.
func (x *Explorer) loosen(c *state.Cell) {
	c.Loose = true
	x.wakeByLocation(c)
}

// wakeByLocation has the segments executed again that depend on what a cell holds by
// location.
// They ask for what it holds anywhere from now on.
func (x *Explorer) wakeByLocation(c *state.Cell) {
	x.EnqueueAll(c.AskedAt)
	clear(c.AskedAt)
}

// joinContents adds what the path leaves in memory to what is known of it at a
// location. written is what it has written. It reports whether something is new.
//
// Memory may have thousands of cells, of which a path writes few. Contents are persistent trees, which are compared
// where they differ. Where the same contents have come from the same location before, what an earlier path from
// there has left as it was has been added already: only cells that all of them had written are looked at
// (Visit.Written). A path that comes first brings its contents as they are, also of cells that are not kept by
// location here: nobody asks for these.
func (x *Explorer) joinContents(p *Path, l *state.Location, written map[int32]sym.Set) bool {
	grown := false
	switch {
	case !l.Seen:
		l.Alone, l.Serial = p.Alone, p.Serial
	// Segments that begin here have relied on it: of one of several paths here others may run already.
	case l.Alone && !p.Alone, l.Serial && !p.Serial, l.Serial && p.rolled && !l.Rolled:
		grown = true
	}
	l.Alone, l.Serial, l.Rolled = l.Alone && p.Alone, l.Serial && p.Serial, l.Rolled || p.rolled
	var before *state.Contents
	if p.From != nil {
		before = p.From.Contents
	} else {
		written = nil // what the first segment has written is what cells hold at first
	}
	if l.Visits == nil {
		l.Visits = map[*state.Location]state.Visit{}
	}
	if !l.Seen {
		l.Contents = before
		if len(written) > 0 {
			l.Contents = before.With(written)
		}
		l.Visits[p.From] = state.Visit{Contents: before, Written: slices.Collect(maps.Keys(written))}
		return true
	}
	changed := map[int32]sym.Set{}
	var loosened []int32
	add := func(addr int32, a sym.Set) {
		c := x.Memory.Cells[addr]
		if !keptByLocation(c) || !l.Knows(c) {
			return
		}
		limit := maxByLocation
		if c.Ref {
			limit = maxRefsByLocation
		}
		old := l.Contents.In(c)
		switch a = old.Join(a, limit); {
		case a.Interval:
			loosened = append(loosened, addr)
		case !a.Equal(old):
			changed[addr] = a
		}
	}
	last, again := l.Visits[p.From]
	if again && last.Contents == before {
		// Only what all others have written is new here.
		var rest []int32
		for _, addr := range last.Written {
			if _, ok := written[addr]; ok {
				rest = append(rest, addr)
			} else {
				add(addr, before.In(x.Memory.Cells[addr]))
			}
		}
		if len(rest) < len(last.Written) {
			l.Visits[p.From] = state.Visit{Contents: before, Written: rest}
		}
	} else {
		before.Differing(l.Contents, func(addr int32, a, _ *sym.Set) {
			if _, ok := written[addr]; ok {
				return
			}
			if a == nil {
				add(addr, x.Memory.Cells[addr].First())
			} else {
				add(addr, *a)
			}
		})
		l.Visits[p.From] = state.Visit{Contents: before, Written: slices.Collect(maps.Keys(written))}
	}
	for addr, a := range written {
		add(addr, a)
	}
	// written has no order, and in which order locations are executed is seen in the solution.
	slices.Sort(loosened)
	for _, addr := range loosened {
		x.loosen(x.Memory.Cells[addr])
	}
	if len(changed) > 0 {
		l.Contents = l.Contents.With(changed)
	}
	return grown || len(changed) > 0
}
