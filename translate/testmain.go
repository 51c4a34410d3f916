package translate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
)

// noteTestMain records that TestMain does something beside setting variables and
// ending the process.
func (x *translator) noteTestMain() {
	m := x.prog.TestMain
	if m == nil {
		return
	}
	acts := func(instr ssa.Instruction) bool {
		if call, ok := instr.(ssa.CallInstruction); ok {
			for _, f := range x.prog.Callees(call) {
				if in := intrinsicOf(f); in != nil && in.Kind == sites.Exit || program.FullName(f) == "(*testing.M).Run" {
					return false
				}
			}
		}
		return x.sl.Seed(instr)
	}
	for f := range m.Funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Instrs, acts) {
				x.approximation(m.Func.Pos(), "test-main", artifact.DirectionUnder, "TestMain has operations or starts goroutines: they are not in the model")
				return
			}
		}
	}
}
