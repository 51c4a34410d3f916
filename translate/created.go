package translate

import (
	"cmp"
	"slices"

	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// newObjectAt recognises an address inside an object that the segment has
// allocated from a pool. Until the segment ends its cells are kept apart, so
// that it need not be known which object it is.
func newObjectAt(e *sym.Expr) (o state.NewObject, off int32, ok bool) {
	if e.Op == sym.OpAdd && e.B.IsConst() {
		off, e = e.B.K, e.A
	}
	if e.Op != sym.OpAlloc {
		return state.NewObject{}, 0, false
	}
	return state.NewObject{Pool: state.PoolOf(e), K: e.K}, off, true
}

// setNew sets a cell of an object that the segment has allocated.
func (p *path) setNew(o state.NewObject, off int32, v *sym.Expr) {
	if o.Pool.Objects[0].WriteOnly {
		return
	}
	cells := slices.Clone(p.created.m[o]) // other paths may have it too
	cells[off] = p.simplify(v)
	p.created.set(o, cells)
}

// newCell is a cell of an object that the segment has allocated.
func (p *path) newCell(o state.NewObject, off int32) *sym.Expr {
	if o.Pool.Objects[0].WriteOnly {
		return sym.Unknown("contents not tracked")
	}
	if e := p.created.m[o][off]; e != nil {
		return e
	}
	return sym.Num(0)
}

// expose has new objects in memory where an expression may be the address of one
// among others: it is used by its number.
func (p *path) expose(e *sym.Expr) {
	if len(p.created.m) > 0 && (e.News || e.Op == sym.OpAlloc) {
		p.settle()
	}
}

// settle writes the cells of new objects to memory: of each object of the pool
// under the condition that it is the one.
func (p *path) settle() {
	keys := make([]state.NewObject, 0, len(p.created.m))
	for k := range p.created.m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b state.NewObject) int {
		return cmp.Or(cmp.Compare(a.Pool.Name, b.Pool.Name), cmp.Compare(a.K, b.K))
	})
	for _, k := range keys {
		e := sym.Read(sym.OpAlloc, k.Pool, k.K)
		for _, o := range k.Pool.Objects[k.K:] {
			for off, v := range p.created.m[k] {
				if v != nil && !p.x.mem.Cells[o.Base+int32(off)].Payload {
					at := o.Base + int32(off)
					p.put(at, sym.Ite(eq(e, o.Base), v, p.rawCell(at)))
				}
			}
		}
	}
	p.created = table[state.NewObject, []*sym.Expr]{}
}

// newObject recognises an address inside an object that the segment has allocated from a pool and
// that is not in memory yet, and returns its cells; nil for others.
func (p *path) newObject(e *sym.Expr) (o state.NewObject, off int32, cells []*sym.Expr) {
	if len(p.created.m) == 0 {
		return o, 0, nil
	}
	o, off, ok := newObjectAt(e)
	if !ok {
		return o, 0, nil
	}
	return o, off, p.created.m[o]
}
