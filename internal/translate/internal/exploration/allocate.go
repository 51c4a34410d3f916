package exploration

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// A Ref is a new object: which one it is may be decided by the state.
type Ref struct {
	Address *sym.Expr
	Objects []*state.Object // those that it can be, the first one first
}

// Put sets a cell of a new object.
func (r Ref) Put(p *Path, off int32, v *sym.Expr) {
	if o, _, ok := NewObjectAt(r.Address); ok {
		p.SetNew(o, off, v)
		return
	}
	p.Put(r.Objects[0].Base+off, v)
}

// Clear sets the cells of a new object to zero.
// An object of a pool has what an earlier use has left in it. Before anything is written, memory is zero.
func (r Ref) Clear(p *Path, except func(off int32) bool) {
	if p.From == nil && p.heap.Len() == 0 || r.Objects[0].WriteOnly {
		return
	}
	o, _, isNew := NewObjectAt(r.Address)
	var cells []*sym.Expr
	if isNew {
		cells = slices.Clone(p.created.m[o])
		p.created.set(o, cells)
	}
	for off := range r.Objects[0].Size {
		switch {
		case except != nil && except(off):
		case isNew:
			cells[off] = sym.Num(0)
		default:
			p.Put(r.Objects[0].Base+off, sym.Num(0))
		}
	}
}

// indexOf is the number of an instruction in its block.
func (x *Explorer) indexOf(instr ssa.Instruction) int {
	for i, in := range instr.Block().Instrs {
		if in == instr {
			return i
		}
	}
	return -1
}

// AllocationKey names what an instruction of an activation allocates.
func (x *Explorer) AllocationKey(p *Path, ctx *state.CallPath, instr ssa.Instruction) string {
	return fmt.Sprintf("%d|%d|%d.%d", p.Template.Index, ctx.ID, instr.Block().Index, x.indexOf(instr))
}

// Allocate returns a new object for an allocation in the innermost function.
// ok is false if there is none, and it has ended the path.
func (x *Explorer) Allocate(p *Path, instr ssa.Instruction, make func() *state.Object, describe func(o *state.Object)) (Ref, bool) {
	return x.AllocateAt(p, p.Peek().Call, instr, make, describe)
}

// AllocateAt allocates for an instruction of the activation ctx. An allocation
// that can be executed repeatedly takes the first object of its pool that
// nothing refers to, so that equal states look equal.
func (x *Explorer) AllocateAt(p *Path, ctx *state.CallPath, instr ssa.Instruction, make func() *state.Object, describe func(o *state.Object)) (Ref, bool) {
	return x.AllocateKey(p, x.AllocationKey(p, ctx, instr), ctx, instr, make, describe)
}

// AllocateKey allocates what a key names, of which each iteration of a loop and each goroutine has its own.
//
// In
//
//	a := new(T)                                 // one object: main comes by once
//	for range n { list = append(list, new(T)) } // a pool, of as many as the bound says
//	go func() { b := new(T); ... }()            // one object if the go statement is executed once
//
// an allocation that is executed once is a number, and all that is known of it is exact. From a pool it is an
// expression over the state: the first free one. To take always that one leaves nothing out, since objects of a
// pool are alike, and makes one state of many that differ only in which object is which.
func (x *Explorer) AllocateKey(p *Path, key string, ctx *state.CallPath, instr ssa.Instruction, make func() *state.Object, describe func(o *state.Object)) (Ref, bool) {
	inLoop := ctx.InLoop || x.Program.Function(ctx.Fn).InCycle[instr.Block().Index]
	single := func(key string) (Ref, bool) {
		o := x.Memory.Keyed[key]
		if o == nil {
			o = x.Memory.KeyedObject(key, make)
			describe(o)
		}
		return Ref{sym.Num(o.Base), []*state.Object{o}}, true
	}
	if p.From == nil && inLoop {
		// Executed once, here and now: every execution is a new object.
		x.initial++
		return single(fmt.Sprintf("%s|%d", key, x.initial))
	}
	if p.Template.Once && !inLoop {
		return single(key)
	}
	if iterations, once := x.iterationsOf(p.Frames); once && p.Template.Once && p.Serial && !p.rolled {
		return single(key + iterations)
	}
	pl := x.Memory.Pools[key]
	if pl == nil {
		pl = &state.Pool{Name: fmt.Sprintf("pool%d", len(x.Memory.Order)), ID: len(x.Memory.Order)}
		x.Memory.Pools[key] = pl
		x.Memory.Order = append(x.Memory.Order, pl)
		n, at := x.BoundOf(approximation.BoundObjects, p.Here())
		// Where the number of iterations is known there are enough for all of them.
		if trips := x.trips(p.Template, ctx, instr.Block()); trips > n && trips <= termination.MaxTrips {
			n = trips
		}
		if at != nil && n < x.Options.Asked.Objects {
			at.Size = max(at.Size, n)
			pl.At = at
		}
		for i := range n {
			o := make()
			o.Name = fmt.Sprintf("%s_%d", o.Name, i)
			o.Pool = pl
			x.Memory.Add(o)
			describe(o)
			pl.Objects = append(pl.Objects, o)
		}
	}
	if p.uneven[pl] {
		// How many there are left depends on the path taken.
		x.Arrive(p, state.AtLocal, 0)
		return Ref{}, false
	}
	nth := p.allocs.m[pl] // the objects before are taken in this segment
	p.allocs.set(pl, nth+1)
	e := sym.Read(sym.OpAlloc, pl, int32(nth))
	none := sym.Read(sym.OpFull, pl, int32(nth))
	if nth >= len(pl.Objects) {
		p.BoundAt(pl.At, p.Here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.Objects)))
		return Ref{}, false
	}
	// Whether there is one left the state says, by what refers to objects of the pool: a path for each.
	q := p.Clone()
	q.condition(none)
	q.BoundAt(pl.At, q.Here(), fmt.Sprintf("more than %d objects allocated here are in use", len(pl.Objects)))
	p.condition(sym.Not(none))
	n := pl.Objects[0].Size
	if pl.Objects[0].WriteOnly {
		n = 0
	}
	// Which object it is need not be known until the segment ends (Settle): else there would be a path for each.
	p.created.set(state.NewObject{Pool: pl, K: int32(nth)}, slices.Repeat([]*sym.Expr{nil}, int(n)))
	return Ref{e, pl.Objects[nth:]}, true
}
