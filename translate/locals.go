package translate

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/program"
)

// A variable whose address is taken only to read or write it, or a part of it,
// where it stands is local: nothing else can refer to it. It is kept as the
// scalars of its value, as a variable in a register is, and needs no memory.
// Struct variables and composite literals are like that as a rule, and named
// results of functions that recover.

// maxLocal is the most scalars that a local variable may have.
const maxLocal = 64

// part is the address of a part of a local variable.
type part struct {
	root *ssa.Alloc
	path []int // numbers of fields and elements, from the outside
}

// overlaps reports that one of two parts contains the other.
func (a part) overlaps(b part) bool {
	n := min(len(a.path), len(b.path))
	return a.root == b.root && slices.Equal(a.path[:n], b.path[:n])
}

// findLocals finds the local variables of a function and the addresses of
// their parts.
func (s *slice) findLocals(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			a, ok := instr.(*ssa.Alloc)
			if !ok || scalars(program.Pointee(a.Type()), 0) > maxLocal {
				continue
			}
			parts := map[ssa.Value]part{}
			if ownUses(a, part{root: a}, parts) {
				for v, p := range parts {
					s.parts[v] = p
				}
			}
		}
	}
}

// ownUses collects the addresses derived from one, and reports that all of
// them are only loaded from and stored to.
func ownUses(v ssa.Value, p part, parts map[ssa.Value]part) bool {
	parts[v] = p
	inside := func(v ssa.Value, k int) bool {
		return ownUses(v, part{p.root, append(slices.Clone(p.path), k)}, parts)
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
func (s *slice) needPart(addr ssa.Value, p part) {
	if s.partNeeded[addr] {
		return
	}
	s.partNeeded[addr] = true
	for _, st := range s.partStores[p.root] {
		if s.parts[st.Addr].overlaps(p) {
			s.needInstr(st)
		}
	}
}

// span is where a part lies among the scalars of its variable; ok is false if
// the model does not keep it apart.
func (x *translator) span(p part) (off, n int, ok bool) {
	t := program.Pointee(p.root.Type())
	for _, k := range p.path {
		if at, ok := libraryField(t, k); ok {
			off, t = off+int(at), t.Underlying().(*types.Struct).Field(k).Type()
			continue
		}
		if x.foreign(t) {
			return 0, 0, false
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			off += x.fieldOffset(u, k)
			t = u.Field(k).Type()
		case *types.Array:
			w := x.width(u.Elem())
			if int64(x.width(t)) != int64(w)*u.Len() || k < 0 || int64(k) >= u.Len() {
				return 0, 0, false
			}
			off += k * w
			t = u.Elem()
		}
	}
	return off, x.width(t), true
}

// loadPart reads a part of a local variable.
func (x *translator) loadPart(p *path, ctx *callPath, a part, t types.Type) []*expr {
	off, n, ok := x.span(a)
	e := p.value(ctx, a.root)
	if !ok || off+n > len(e) {
		return x.unknowns(x.width(t), "field of a foreign type")
	}
	return slices.Clone(e[off : off+n])
}

// storePart writes a part of a local variable.
func (x *translator) storePart(p *path, ctx *callPath, a part, v []*expr) {
	e := slices.Clone(p.value(ctx, a.root))
	if off, n, ok := x.span(a); ok && off+n <= len(e) && len(v) == n {
		copy(e[off:], v)
	} else {
		e = x.unknowns(len(e), "field of a foreign type")
	}
	p.set(ctx, a.root, e)
}
