package omissions

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// TestMain notes that TestMain does something beside setting variables and
// ending the process.
func (o *Finder) TestMain() {
	m := o.prog.TestMain
	if m == nil {
		return
	}
	acts := func(instr ssa.Instruction) bool {
		if call, ok := instr.(ssa.CallInstruction); ok {
			for _, f := range o.prog.Callees(call) {
				if op := o.prog.Operation(f); op != nil && op.Kind == sites.Exit || program.FullName(f) == "(*testing.M).Run" {
					return false
				}
			}
		}
		return o.sl.Seed(instr)
	}
	for f := range m.Funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Instrs, acts) {
				o.note(m.Func.Pos(), "test-main", artifact.DirectionUnder, "TestMain has operations or starts goroutines: they are not in the model")
				return
			}
		}
	}
}
