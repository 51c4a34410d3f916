package exploration

import (
	"slices"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// Which locks a goroutine holds for certain tells which statements cannot lose
// an update: a statement that reads memory and then writes some is taken apart,
// by a guard in front of the write, only if another goroutine may write what it
// has read without holding a lock that it holds; one that passes a guard before
// it writes only if another may use meanwhile what it writes.
//
//	n++          // read and write: another n++ in between is lost
//	x.v = f()    // f waits: who reads x.v before then sees the old one
//
// A lock counts only if both hold it, one of them for writing. Which locks there are at
// a location is what all paths to it hold, so that they only get fewer.

// Hold adds a lock to those that the goroutine holds.
func (p *Path) Hold(addr int32, write bool) {
	if l := (state.HeldLock{Addr: addr, Write: write}); !slices.Contains(p.Held, l) {
		p.Held = append(p.Held[:len(p.Held):len(p.Held)], l)
	}
}

// Release removes a lock. One that it does not hold for certain is used to
// signal, and protects nothing.
// As in Lock by one goroutine and Unlock by another: who has locked it does not hold it to the end.
func (p *Path) Release(addr int32) {
	if !slices.ContainsFunc(p.Held, func(l state.HeldLock) bool { return l.Addr == addr }) {
		p.Explorer.signals[addr] = true
	}
	p.Held = slices.DeleteFunc(slices.Clone(p.Held), func(l state.HeldLock) bool { return l.Addr == addr })
}

// races reports that what u reads can be written by w meanwhile.
func (x *Explorer) races(u, w state.Use) bool {
	if u.Write || !w.Write || u.Template == w.Template && u.Template.Slots < 2 {
		return false
	}
	for _, l := range w.Held {
		if l.Write && !x.signals[l.Addr] && slices.ContainsFunc(u.Held, func(m state.HeldLock) bool { return m.Addr == l.Addr }) {
			return false
		}
	}
	return true
}

// late reports that what u writes can be used by w before: the statement of u
// waits, or lets others run, before it writes.
func (x *Explorer) late(u, w state.Use) bool {
	if !u.Write || !x.inside[u.Stmt] || u.Template == w.Template && u.Template.Slots < 2 {
		return false
	}
	return !slices.ContainsFunc(u.Held, func(l state.HeldLock) bool {
		return !x.signals[l.Addr] && slices.ContainsFunc(w.Held, func(m state.HeldLock) bool { return m.Addr == l.Addr && (l.Write || m.Write) })
	})
}

// passes notes the statements in the middle of which a path stops at a guard.
func (x *Explorer) passes(p *Path) {
	for _, f := range p.Frames {
		if f.Op == nil && f.Block != nil && f.Idx < len(f.Block.Instrs) {
			if s := x.StmtOf(f.Call.Fn, f.Block.Instrs[f.Idx]); s != 0 {
				x.inside[s] = true
			}
		}
	}
}

// findStores adds the writes of statements that lose updates, or come late,
// among the cells that goroutines share. It reports whether there are new ones.
func (x *Explorer) findStores(shared []*state.Cell) bool {
	writes := map[sites.ID]bool{}
	for _, c := range shared {
		for _, u := range c.Uses {
			if u.Write {
				writes[u.Stmt] = true
			}
		}
	}
	grown := false
	for _, c := range shared {
		for _, u := range c.Uses {
			st := x.Sites.Store(u.Stmt).ID
			if st == 0 || x.Access[st] || !writes[u.Stmt] || !slices.ContainsFunc(c.Uses, func(w state.Use) bool { return x.races(u, w) || x.late(u, w) }) {
				continue
			}
			x.Access[st] = true
			grown = true
		}
	}
	return grown
}
