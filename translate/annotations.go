package translate

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/state"
)

// placeAnnotations makes guards of the annotated statements. It refuses comments
// that say nothing of a statement.
func (x *translator) placeAnnotations() {
	for _, a := range x.sl.Annotated {
		switch s := a.Guard(x.idx); {
		case a.Stmt == nil:
			x.unsupported(a.Pos, "annotation", "no statement of a function follows in its block")
		case s == 0:
			x.unsupported(a.Pos, "annotation", "its statement has no guard")
		default:
			x.access[s] = true
		}
	}
}

// marked returns the guard of the annotated statement that an instruction begins,
// 0 if there is none or it has been passed.
func (x *translator) marked(f *state.Frame, instr ssa.Instruction) sites.ID {
	a := x.sl.Marks[instr]
	if a == nil {
		return 0
	}
	if s := a.Guard(x.idx); s != f.Passed {
		return s
	}
	return 0
}
