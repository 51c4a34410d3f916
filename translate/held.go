package translate

import (
	"slices"

	"github.com/vtrace/vtrace/sites"
)

// Which locks a goroutine holds for certain tells which statements cannot lose
// an update: a statement that reads memory and then writes some is taken apart,
// by a guard in front of the write, only if another goroutine may write what it
// has read without holding a lock that it holds; one that passes a guard before
// it writes only if another may use meanwhile what it writes.

// heldLock is a lock that is held, for writing or reading.
type heldLock struct {
	addr  int32
	write bool
}

// hold adds a lock to those that the goroutine holds.
func (p *path) hold(addr int32, write bool) {
	if l := (heldLock{addr, write}); !slices.Contains(p.held, l) {
		p.held = append(p.held[:len(p.held):len(p.held)], l)
	}
}

// release removes a lock. One that it does not hold for certain is used to
// signal, and protects nothing.
func (p *path) release(addr int32) {
	if !slices.ContainsFunc(p.held, func(l heldLock) bool { return l.addr == addr }) {
		p.x.signals[addr] = true
	}
	p.held = slices.DeleteFunc(slices.Clone(p.held), func(l heldLock) bool { return l.addr == addr })
}

// common are the locks that are held both ways.
func common(a, b []heldLock) []heldLock {
	return slices.DeleteFunc(slices.Clone(a), func(l heldLock) bool { return !slices.Contains(b, l) })
}

// use is that a statement of a goroutine reads or writes a cell, with the locks
// that it always holds then.
type use struct {
	t     *template
	stmt  sites.ID
	write bool
	held  []heldLock
}

// used records a use.
func (c *cell) used(by use) {
	for i, u := range c.uses {
		if u.t == by.t && u.stmt == by.stmt && u.write == by.write {
			c.uses[i].held = common(u.held, by.held)
			return
		}
	}
	c.uses = append(c.uses, by)
}

// races reports that what u reads can be written by w meanwhile.
func (x *translator) races(u, w use) bool {
	if u.write || !w.write || u.t == w.t && u.t.slots < 2 {
		return false
	}
	for _, l := range w.held {
		if l.write && !x.signals[l.addr] && slices.ContainsFunc(u.held, func(m heldLock) bool { return m.addr == l.addr }) {
			return false
		}
	}
	return true
}

// late reports that what u writes can be used by w before: the statement of u
// waits, or lets others run, before it writes.
func (x *translator) late(u, w use) bool {
	if !u.write || !x.inside[u.stmt] || u.t == w.t && u.t.slots < 2 {
		return false
	}
	return !slices.ContainsFunc(u.held, func(l heldLock) bool {
		return !x.signals[l.addr] && slices.ContainsFunc(w.held, func(m heldLock) bool { return m.addr == l.addr && (l.write || m.write) })
	})
}

// passes notes the statements in the middle of which a path stops at a guard.
func (x *translator) passes(p *path) {
	for _, f := range p.frames {
		if f.op == nil && f.block != nil && f.idx < len(f.block.Instrs) {
			if s := x.stmtOf(f.ctx.fn, f.block.Instrs[f.idx]); s != 0 {
				x.inside[s] = true
			}
		}
	}
}

// findStores adds the writes of statements that lose updates, or come late,
// among the cells that goroutines share. It reports whether there are new ones.
func (x *translator) findStores(shared []*cell) bool {
	writes := map[sites.ID]bool{}
	for _, c := range shared {
		for _, u := range c.uses {
			if u.write {
				writes[u.stmt] = true
			}
		}
	}
	grown := false
	for _, c := range shared {
		for _, u := range c.uses {
			st := x.idx.Store(u.stmt).ID
			if st == 0 || x.access[st] || !writes[u.stmt] || !slices.ContainsFunc(c.uses, func(w use) bool { return x.races(u, w) || x.late(u, w) }) {
				continue
			}
			x.access[st] = true
			grown = true
		}
	}
	return grown
}
