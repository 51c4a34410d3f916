package exploration

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// NoteCopy records where the program copies synchronisation objects from
// memory, which their documentation forbids.
func (x *Explorer) NoteCopy(p *Path, i *ssa.Store) {
	pos := p.Here()
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
	p.NoteAt(pos, "sync-copy", artifact.DirectionBound, "a lock, wait group or Once is copied here, with its state: the copy and the original are two")
}
