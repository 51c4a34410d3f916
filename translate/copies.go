package translate

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

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
