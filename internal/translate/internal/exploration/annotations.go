package exploration

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// PlaceAnnotations makes guards of the annotated statements. It refuses comments
// that say nothing of a statement.
func (x *Explorer) PlaceAnnotations() {
	for _, a := range x.Slice.Annotated {
		switch s := a.Guard(x.Sites); {
		case a.Stmt == nil:
			x.Unsupported(a.Pos, "annotation", "no statement of a function follows in its block")
		case s == 0:
			x.Unsupported(a.Pos, "annotation", "its statement has no guard")
		default:
			x.Access[s] = true
		}
	}
}

// Marked returns the guard of the annotated statement that an instruction begins,
// 0 if there is none or it has been passed.
func (x *Explorer) Marked(f *state.Frame, instr ssa.Instruction) sites.ID {
	a := x.Slice.Marks[instr]
	if a == nil {
		return 0
	}
	if s := a.Guard(x.Sites); s != f.Passed {
		return s
	}
	return 0
}
