package translate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/translate/internal/termination"
)

// A ref is a new object: which one it is may be decided by the state.
type ref struct {
	e    *sym.Expr // its address
	objs []*state.Object
}

// put sets a cell of a new object.
func (r ref) put(p *path, off int32, v *sym.Expr) {
	if o, _, ok := newObjectAt(r.e); ok {
		p.setNew(o, off, v)
		return
	}
	p.put(r.objs[0].Base+off, v)
}

// clear sets the cells of a new object to zero.
func (r ref) clear(p *path, except func(off int32) bool) {
	if p.from == nil && len(p.heap.m) == 0 || r.objs[0].WriteOnly {
		return
	}
	o, _, isNew := newObjectAt(r.e)
	var cells []*sym.Expr
	if isNew {
		cells = slices.Clone(p.created.m[o])
		p.created.set(o, cells)
	}
	for off := range r.objs[0].Size {
		switch {
		case except != nil && except(off):
		case isNew:
			cells[off] = sym.Num(0)
		default:
			p.put(r.objs[0].Base+off, sym.Num(0))
		}
	}
}

// indexOf is the number of an instruction in its block.
func (x *translator) indexOf(instr ssa.Instruction) int {
	for i, in := range instr.Block().Instrs {
		if in == instr {
			return i
		}
	}
	return -1
}

// allocationKey names what an instruction of an activation allocates.
func (x *translator) allocationKey(p *path, ctx *state.CallPath, instr ssa.Instruction) string {
	return fmt.Sprintf("%d|%d|%d.%d", p.t.Index, ctx.ID, instr.Block().Index, x.indexOf(instr))
}

// allocate returns a new object for an allocation in the innermost function.
// ok is false if there is none, and it has ended the path.
func (x *translator) allocate(p *path, instr ssa.Instruction, make func() *state.Object, describe func(o *state.Object)) (ref, bool) {
	return x.allocateAt(p, p.peek().Call, instr, make, describe)
}

// allocateAt allocates for an instruction of the activation ctx. An allocation
// that can be executed repeatedly takes the first object of its pool that
// nothing refers to, so that equal states look equal.
func (x *translator) allocateAt(p *path, ctx *state.CallPath, instr ssa.Instruction, make func() *state.Object, describe func(o *state.Object)) (ref, bool) {
	return x.allocateKey(p, x.allocationKey(p, ctx, instr), ctx, instr, make, describe)
}

func (x *translator) allocateKey(p *path, key string, ctx *state.CallPath, instr ssa.Instruction, make func() *state.Object, describe func(o *state.Object)) (ref, bool) {
	inLoop := ctx.InLoop || x.prog.Function(ctx.Fn).InCycle[instr.Block().Index]
	single := func(key string) (ref, bool) {
		o := x.mem.Keyed[key]
		if o == nil {
			o = x.mem.KeyedObject(key, make)
			describe(o)
		}
		return ref{sym.Num(o.Base), []*state.Object{o}}, true
	}
	if p.from == nil && inLoop {
		// Executed once, here and now: every execution is a new object.
		x.initial++
		return single(fmt.Sprintf("%s|%d", key, x.initial))
	}
	if p.t.Once && !inLoop {
		return single(key)
	}
	if turns, once := x.turnsOf(p.frames); once && p.t.Once && p.serial && !p.rolled {
		return single(key + turns)
	}
	pl := x.mem.Pools[key]
	if pl == nil {
		pl = &state.Pool{Name: fmt.Sprintf("pool%d", len(x.mem.Order)), ID: len(x.mem.Order)}
		x.mem.Pools[key] = pl
		x.mem.Order = append(x.mem.Order, pl)
		n, at := x.boundOf(artifact.BoundObjects, p.here())
		if trips := x.trips(p.t, ctx, instr.Block()); trips > n && trips <= termination.MaxTrips {
			n = trips
		}
		if at != nil && n < x.opts.Asked.Objects {
			at.Size = max(at.Size, n)
			pl.At = at
		}
		for i := range n {
			o := make()
			o.Name = fmt.Sprintf("%s_%d", o.Name, i)
			o.Pool = pl
			x.mem.Add(o)
			describe(o)
			pl.Objects = append(pl.Objects, o)
		}
	}
	if p.uneven[pl] {
		// How many there are left depends on the way taken.
		x.arrive(p, state.AtLocal, 0)
		return ref{}, false
	}
	nth := p.allocs.m[pl] // the objects before are taken in this segment
	p.allocs.set(pl, nth+1)
	e := sym.Read(sym.OpAlloc, pl, int32(nth))
	none := sym.Read(sym.OpFull, pl, int32(nth))
	if nth >= len(pl.Objects) {
		p.boundAt(pl.At, p.here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.Objects)))
		return ref{}, false
	}
	q := p.clone()
	q.condition(none)
	q.boundAt(pl.At, q.here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.Objects)))
	p.condition(sym.Not(none))
	n := pl.Objects[0].Size
	if pl.Objects[0].WriteOnly {
		n = 0
	}
	p.created.set(state.NewObject{Pool: pl, K: int32(nth)}, slices.Repeat([]*sym.Expr{nil}, int(n)))
	return ref{e, pl.Objects[nth:]}, true
}
