package exploration

import (
	"cmp"
	"slices"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// NewObjectAt recognises an address inside an object that the segment has
// allocated from a pool. Until the segment ends its cells are kept apart, so
// that it need not be known which object it is.
func NewObjectAt(e *sym.Expr) (o state.NewObject, off int32, ok bool) {
	if e.Op == sym.OpAdd && e.B.IsConst() {
		off, e = e.B.K, e.A
	}
	if e.Op != sym.OpAlloc {
		return state.NewObject{}, 0, false
	}
	return state.NewObject{Pool: state.PoolOf(e), K: e.K}, off, true
}

// SetNew sets a cell of an object that the segment has allocated.
func (p *Path) SetNew(o state.NewObject, off int32, v *sym.Expr) {
	if o.Pool.Objects[0].WriteOnly {
		return
	}
	cells := slices.Clone(p.created.m[o]) // other paths may have it too
	cells[off] = p.Simplify(v)
	p.created.set(o, cells)
}

// NewCell is a cell of an object that the segment has allocated.
func (p *Path) NewCell(o state.NewObject, off int32) *sym.Expr {
	if o.Pool.Objects[0].WriteOnly {
		return sym.Unknown("contents not tracked")
	}
	if e := p.created.m[o][off]; e != nil {
		return e
	}
	return sym.Num(0)
}

// Expose has new objects in memory where an expression may be the address of one
// among others: it is used by its number.
//
// A write through the number would not be seen in cells that are kept apart, nor the other way round.
func (p *Path) Expose(e *sym.Expr) {
	if len(p.created.m) > 0 && (e.News || e.Op == sym.OpAlloc) {
		p.Settle()
	}
}

// Settle writes the cells of new objects to memory: of each object of the pool
// under the condition that it is the one.
func (p *Path) Settle() {
	keys := make([]state.NewObject, 0, len(p.created.m))
	for k := range p.created.m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b state.NewObject) int {
		return cmp.Or(cmp.Compare(a.Pool.Name, b.Pool.Name), cmp.Compare(a.K, b.K))
	})
	for _, k := range keys {
		e := sym.Read(sym.OpAlloc, k.Pool, k.K)
		// The free object number K has as many before it.
		for _, o := range k.Pool.Objects[k.K:] {
			for off, v := range p.created.m[k] {
				if v != nil && !p.Explorer.Memory.Cells[o.Base+int32(off)].Payload {
					at := o.Base + int32(off)
					p.Put(at, sym.Ite(Eq(e, o.Base), v, p.RawCell(at)))
				}
			}
		}
	}
	p.created = table[state.NewObject, []*sym.Expr]{}
}

// NewObject recognises an address inside an object that the segment has allocated from a pool and
// that is not in memory yet, and returns its cells; nil for others.
func (p *Path) NewObject(e *sym.Expr) (o state.NewObject, off int32, cells []*sym.Expr) {
	if len(p.created.m) == 0 {
		return o, 0, nil
	}
	o, off, ok := NewObjectAt(e)
	if !ok {
		return o, 0, nil
	}
	return o, off, p.created.m[o]
}
