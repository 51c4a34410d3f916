package relevance

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// A variable whose address is taken only to read or write it, or a part of it,
// where it stands is local: nothing else can refer to it. It is kept as the
// scalars of its value, as a variable in a register is, and needs no memory.
// Struct variables and composite literals are like that as a rule, and named
// results of functions that recover.

// maxLocal is the most scalars that a local variable may have.
const maxLocal = 64

// Part is the address of a part of a local variable.
type Part struct {
	Root *ssa.Alloc
	Path []int // numbers of fields and elements, from the outside
}

// overlaps reports that one of two parts contains the other.
func (a Part) overlaps(b Part) bool {
	n := min(len(a.Path), len(b.Path))
	return a.Root == b.Root && slices.Equal(a.Path[:n], b.Path[:n])
}

// findLocals finds the local variables of a function and the addresses of
// their parts.
func (s *Slice) findLocals(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			a, ok := instr.(*ssa.Alloc)
			if !ok || scalars(program.Pointee(a.Type()), 0) > maxLocal {
				continue
			}
			parts := map[ssa.Value]Part{}
			if ownUses(a, Part{Root: a}, parts) {
				for v, p := range parts {
					s.Parts[v] = p
				}
			}
		}
	}
}

// ownUses collects the addresses derived from one, and reports that all of
// them are only loaded from and stored to.
// An index that is not a constant would be an address of any element, and a call, a closure or another variable
// that has the address may do anything with it.
func ownUses(v ssa.Value, p Part, parts map[ssa.Value]Part) bool {
	parts[v] = p
	inside := func(v ssa.Value, k int) bool {
		return ownUses(v, Part{p.Root, append(slices.Clone(p.Path), k)}, parts)
	}
	for _, r := range *v.Referrers() {
		ok := false
		switch r := r.(type) {
		case *ssa.DebugRef:
			ok = true
		case *ssa.UnOp:
			ok = r.Op == token.MUL
		case *ssa.Store:
			ok = r.Addr == v && r.Val != v
		case *ssa.FieldAddr:
			ok = inside(r, r.Field)
		case *ssa.IndexAddr:
			c, isConst := r.Index.(*ssa.Const)
			if _, isArray := program.Pointee(v.Type()).Underlying().(*types.Array); isConst && isArray && r.X == v {
				k, fits := program.Int32Const(c)
				ok = fits && inside(r, int(k))
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// scalars estimates how many scalars a value has.
// It need not be exact: what is too large is kept in memory, which is right for every variable.
func scalars(t types.Type, depth int) int {
	if depth > 6 {
		return maxLocal + 1
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		n := 0
		for i := range u.NumFields() {
			n += scalars(u.Field(i).Type(), depth+1)
		}
		return n
	case *types.Array:
		if u.Len() > maxLocal {
			return maxLocal + 1
		}
		return int(u.Len()) * scalars(u.Elem(), depth+1)
	case *types.Slice:
		return 3
	case *types.Interface:
		return 2
	}
	return 1
}

// needPart asks for what is stored into a part of a local variable.
func (s *Slice) needPart(addr ssa.Value, p Part) {
	if s.partNeeded[addr] {
		return
	}
	s.partNeeded[addr] = true
	for _, st := range s.partStores[p.Root] {
		if s.Parts[st.Addr].overlaps(p) {
			s.needInstr(st)
		}
	}
}
