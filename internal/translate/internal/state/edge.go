package state

import (
	"slices"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Edge is one segment of the model.
type Edge struct {
	From, To *Location
	Guard    []*sym.Expr
	Full     *Template // no process of it is idle
	Sync     *Sync
	Send     []*sym.Expr // handed over, nil entries are not
	Assign   []Assignment
	Role     string
	Site     sites.ID
	Sel      int
	Approx   []int
}

// Exchanges lists what an edge gives to others: a side of a rendezvous, a message
// for a buffer (false) or place in it (true).
func (ed *Edge) Exchanges() [][2]any {
	var out [][2]any
	if s := ed.Sync; s != nil && s.Object != nil {
		out = append(out, [2]any{s.Object, s.Send})
	}
	for _, a := range ed.Assign {
		if a.To.Op != sym.OpCell {
			continue
		}
		if c := CellOf(a.To); c.Group.Kind == ChannelObject && c.Addr == c.Group.Base+ChanLen {
			out = append(out, [2]any{c, a.Value.Op == sym.OpSub || a.Value.IsConst() && a.Value.K == 0})
		}
	}
	return out
}

// Needs lists what an edge needs of others: the counterparts of what it gives them. A
// ticker needs nobody.
func (ed *Edge) Needs() [][2]any {
	var out [][2]any
	for _, e := range ed.Exchanges() {
		if c, ok := e[0].(*Cell); ok && c.Group.Ticker {
			continue
		}
		out = append(out, [2]any{e[0], !e[1].(bool)})
	}
	return out
}

// Parts is how many parts the expressions of an edge have when they are written out.
func (e *Edge) Parts() (n int) {
	add := func(x *sym.Expr) {
		if x != nil {
			n += int(x.Nodes())
		}
	}
	for _, g := range e.Guard {
		add(g)
	}
	for _, v := range e.Send {
		add(v)
	}
	for _, a := range e.Assign {
		add(a.Value)
	}
	return n
}

// Equal reports that two edges do the same.
func (e *Edge) Equal(f *Edge) bool {
	if e.From != f.From || e.To != f.To || e.Full != f.Full || e.Role != f.Role || e.Site != f.Site || e.Sel != f.Sel ||
		!slices.Equal(e.Approx, f.Approx) || len(e.Guard) != len(f.Guard) || len(e.Assign) != len(f.Assign) || len(e.Send) != len(f.Send) {
		return false
	}
	if (e.Sync == nil) != (f.Sync == nil) || e.Sync != nil && *e.Sync != *f.Sync {
		return false
	}
	for i := range e.Guard {
		if !e.Guard[i].Same(f.Guard[i]) {
			return false
		}
	}
	for i := range e.Send {
		if (e.Send[i] == nil) != (f.Send[i] == nil) || e.Send[i] != nil && !e.Send[i].Same(f.Send[i]) {
			return false
		}
	}
	for i := range e.Assign {
		if e.Assign[i].To != f.Assign[i].To || !e.Assign[i].Value.Same(f.Assign[i].Value) {
			return false
		}
	}
	return true
}

// Assignment sets a variable or cell.
type Assignment struct {
	To    *sym.Expr // OpVar or OpCell
	Value *sym.Expr
}

// Sync is the synchronisation of an edge.
type Sync struct {
	Name     string // kind of channel: "rv", "sq", "qs" or "go"
	Object   *Object
	Template *Template // of "go"
	Birth    bool
	Send     bool
}

// Stored reports that a value needs a place in the state.
func Stored(a sym.Set) bool {
	if a.Top || a.Empty() {
		return false
	}
	_, single := a.Single()
	return !single
}
