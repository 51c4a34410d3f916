package translate

import (
	"maps"
	"slices"

	"github.com/vtrace/vtrace/translate/internal/sym"
)

// What a cell can hold is kept once for the whole program, but where it is known
// who writes: there it is kept by place, as for variables. That is all memory while
// the entry is alone, before it starts a goroutine, and later cells that only one
// goroutine writes, at the places of that goroutine. So what a program sets up,
// under a lock or after a choice, is known for what it is: which array a slice has,
// and how long it is.

const (
	// maxPlaced is how many values of a cell are kept by place, and maxPlacedRefs
	// of one that holds references. What takes more is counted, or grows.
	maxPlaced     = 8
	maxPlacedRefs = 32
)

// contents is what cells can hold at a place: those that it does not list hold what
// they did at first. It is never changed. The nil contents list nothing.
type contents struct{ cells map[int32]sym.Set }

// list returns what is listed.
func (m *contents) list() map[int32]sym.Set {
	if m == nil {
		return nil
	}
	return m.cells
}

// A visit is what is known of the paths that have come to a location from another:
// the contents of that, and the cells that all of them have written on their way.
type visit struct {
	contents *contents
	written  []int32
}

// placed reports that a cell can be kept by place.
func placed(c *cell) bool {
	if c.sync || c.fix || c.payload || c.confined || c.loose {
		return false
	}
	o := c.group
	return o.pool == nil && o.mapping == nil && (o.kind == objData || o.kind == objClosure)
}

// knows reports that only those that lead to a location have written a cell.
func (l *location) knows(c *cell) bool {
	return l.alone || c.writer == l.tmpl && l.tmpl.once && !c.shared
}

// first is what a cell holds at first.
func (c *cell) first() sym.Set {
	if c.open {
		return sym.Anything()
	}
	return sym.Single(c.init)
}

// in is what the contents say of a cell.
func (m *contents) in(c *cell) sym.Set {
	if a, ok := m.list()[c.addr]; ok {
		return a
	}
	return c.first()
}

// atPlace is what a cell can hold where the path begins; ok is false if that is not
// kept by place.
func (p *path) atPlace(c *cell) (a sym.Set, ok bool) {
	l := p.from
	if l == nil || !placed(c) || !l.knows(c) {
		return sym.Set{}, false
	}
	c.places[l] = true
	return l.contents.in(c), true
}

// wrote notes who writes a cell.
func (x *translator) wrote(c *cell, t *template) {
	switch {
	case c.writer == nil:
		c.writer = t
	case c.writer != t && !c.shared:
		c.shared = true
		x.wakePlaces(c)
	}
}

// loosen keeps a cell by place no more.
func (x *translator) loosen(c *cell) {
	c.loose = true
	x.wakePlaces(c)
}

// wakePlaces has the segments executed again that depend on what a cell holds by
// place.
func (x *translator) wakePlaces(c *cell) {
	x.enqueueAll(c.places)
	clear(c.places)
}

// place adds what the path leaves in memory to what is known of it at a location.
// written is what it has written. It reports whether something is new.
func (x *translator) place(p *path, l *location, written map[int32]sym.Set) bool {
	grown := false
	switch {
	case !l.seen:
		l.alone, l.serial = p.alone, p.serial
	case l.alone && !p.alone, l.serial && !p.serial, l.serial && p.rolled && !l.rolled:
		grown = true
	}
	l.alone, l.serial, l.rolled = l.alone && p.alone, l.serial && p.serial, l.rolled || p.rolled
	var before *contents
	if p.from != nil {
		before = p.from.contents
	} else {
		written = nil // what the first segment has written is what cells hold at first
	}
	if l.visits == nil {
		l.visits = map[*location]visit{}
	}
	if !l.seen && len(written) == 0 {
		l.contents = before
		l.visits[p.from] = visit{contents: before}
		return true
	}
	var changed map[int32]sym.Set
	var loosened []int32
	add := func(addr int32, a sym.Set) {
		c := x.mem.cells[addr]
		if !placed(c) || !l.knows(c) {
			return
		}
		old, listed := l.contents.list()[addr]
		switch {
		case !l.seen:
		case !listed:
			old = c.first()
			fallthrough
		default:
			limit := maxPlaced
			if c.ref {
				limit = maxPlacedRefs
			}
			a = old.Join(a, limit)
			if a.Interval {
				loosened = append(loosened, addr)
				return
			}
		}
		if l.seen && a.Equal(old) {
			return
		}
		if changed == nil {
			if changed = maps.Clone(l.contents.list()); changed == nil {
				changed = map[int32]sym.Set{}
			}
		}
		changed[addr] = a
	}
	last, again := l.visits[p.from]
	if again && last.contents == before {
		// Only what all others have written is new here.
		var rest []int32
		for _, addr := range last.written {
			if _, ok := written[addr]; ok {
				rest = append(rest, addr)
			} else {
				add(addr, before.in(x.mem.cells[addr]))
			}
		}
		if len(rest) < len(last.written) {
			l.visits[p.from] = visit{before, rest}
		}
	} else {
		for addr, a := range before.list() {
			if _, ok := written[addr]; !ok {
				add(addr, a)
			}
		}
		for addr := range l.contents.list() {
			_, ok := before.list()[addr]
			if _, also := written[addr]; !ok && !also {
				add(addr, x.mem.cells[addr].first())
			}
		}
		l.visits[p.from] = visit{before, slices.Collect(maps.Keys(written))}
	}
	for addr, a := range written {
		add(addr, a)
	}
	slices.Sort(loosened)
	for _, addr := range loosened {
		x.loosen(x.mem.cells[addr])
	}
	if changed != nil {
		l.contents = &contents{changed}
	}
	return grown || changed != nil
}
