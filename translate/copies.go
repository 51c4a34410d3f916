package translate

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// A struct or array that holds a lock, a wait group or a Once takes their state
// with it when it is copied: the copy of a locked mutex is locked, and one that is
// set to its zero value is not. So the store of such a value matters like an
// operation on it.

// copiesSync reports that an instruction stores a copy of synchronisation
// objects, or new ones.
func (p *program) copiesSync(instr ssa.Instruction) bool {
	st, ok := instr.(*ssa.Store)
	if !ok {
		return false
	}
	return p.holdsSync(st.Val.Type(), 0)
}

// holdsSync reports that a value of type t contains a synchronisation object.
func (p *program) holdsSync(t types.Type, depth int) bool {
	if syncCells(t) != nil {
		return true
	}
	if depth > 6 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && !p.ownPackage(n.Obj().Pkg().Path()) {
			return false
		}
		for i := range u.NumFields() {
			if p.holdsSync(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return p.holdsSync(u.Elem(), depth+1)
	}
	return false
}

// ownPackage reports that a package is under translation.
func (p *program) ownPackage(path string) bool {
	for _, q := range p.src.Packages {
		if q.PkgPath == path || q.Types != nil && q.Types.Path() == path {
			return true
		}
	}
	return false
}

// noteCopy records where the program copies synchronisation objects from
// memory, which their documentation forbids.
func (x *translator) noteCopy(p *path, i *ssa.Store) {
	pos := p.here()
	switch v := i.Val.(type) {
	case *ssa.Parameter:
		pos = v.Pos()
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return
		}
	default:
		return
	}
	p.noteAt(pos, "sync-copy", artifact.DirectionBound, "a lock, wait group or Once is copied here, with its state: the copy and the original are two")
}
