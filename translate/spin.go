package translate

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
)

// guardSpins puts a guard in front of the statements at which loops wait.
func (x *translator) guardSpins() {
	for instr := range x.sl.Instrs {
		br, ok := instr.(*ssa.If)
		if !ok {
			continue
		}
		if call := x.prog.SpinsOn(br); call != nil {
			if s, ok := x.idx.At(sites.Atomic, call.Pos()); ok {
				x.access[s.ID] = true
			}
		}
	}
}
