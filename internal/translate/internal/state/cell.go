package state

import (
	"slices"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// HeldLock is a lock that is held, for writing or reading.
type HeldLock struct {
	Addr  int32
	Write bool
}

// Use is that a statement of a goroutine reads or writes a cell, with the locks
// that it always holds then.
type Use struct {
	Template *Template
	Stmt     sites.ID
	Write    bool
	Held     []HeldLock
}

// Cell is one scalar of memory.
type Cell struct {
	Addr int32
	Name string
	Init int32
	Abs  sym.Set // all it can hold after the start
	Fix  bool
	Ref  bool // it holds references
	Expr *sym.Expr
	// Readers are the locations whose segments depend on abs.
	Readers map[*Location]bool
	// Access collects which goroutines touch the cell by plain loads and
	// stores after the start, and where.
	Access   map[*Template]*Access
	Stmts    []sites.ID
	Uses     []Use
	Confined bool // kept within limits, see limits.go

	// Varies: a segment puts something into it that is not what it always holds
	// between segments. It may be back before the next guard; others see it once
	// there is a guard in between.
	Varies  bool
	Open    bool               // what it holds at first is not known
	Writer  *Template          // that writes it first
	Shared  bool               // others write it too
	Loose   bool               // it is not kept by location, see bylocation.go
	AskedAt map[*Location]bool // where somebody has asked for it by location
	Payload bool               // stands for the messages of a channel
	Sync    bool               // part of a synchronisation object or channel
	Outside string             // why nothing is ever known of it
	Group   *Object
}

// Used records a use.
func (c *Cell) Used(by Use) {
	for i, u := range c.Uses {
		if u.Template == by.Template && u.Stmt == by.Stmt && u.Write == by.Write {
			c.Uses[i].Held = Common(u.Held, by.Held)
			return
		}
	}
	c.Uses = append(c.Uses, by)
}

// Start is what a cell holds at first.
func (c *Cell) Start() int32 {
	if c.Confined && !c.Abs.Top && (c.Init < c.Abs.Lo || c.Abs.Hi < c.Init) {
		return c.Abs.Hi
	}
	return c.Init
}

// First is what a cell holds at first.
func (c *Cell) First() sym.Set {
	if c.Open {
		return sym.Anything()
	}
	return sym.Single(c.Init)
}

// Key is the address of the cell.
func (c *Cell) Key() uint64 { return uint64(c.Addr) }

// CellOf is the cell that an expression reads.
func CellOf(e *sym.Expr) *Cell { return e.Leaf.(*Cell) }

// Access is how a cell is accessed.
type Access struct{ Read, Written bool }

// Common are the locks that both hold.
func Common(a, b []HeldLock) []HeldLock {
	return slices.DeleteFunc(slices.Clone(a), func(l HeldLock) bool { return !slices.Contains(b, l) })
}
