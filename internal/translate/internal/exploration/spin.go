package exploration

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
)

// GuardSpins puts a guard in front of the statements at which loops wait.
// Atomic operations have guards only where that matters (Access). Without one the loop in
//
//	for !ready.Load() { }
//
// would go round at committed locations, where nobody else can act and set what it waits for.
func (x *Explorer) GuardSpins() {
	for instr := range x.Slice.Instrs {
		br, ok := instr.(*ssa.If)
		if !ok {
			continue
		}
		if call := x.Program.SpinsOn(br); call != nil {
			if s, ok := x.Sites.At(sites.Atomic, call.Pos()); ok {
				x.Access[s.ID] = true
			}
		}
	}
}
