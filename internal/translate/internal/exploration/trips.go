package exploration

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// trips counts how often a block runs in one goroutine of a template, 0 if that
// is not a small constant.
// It is multiplied along the call path: a function that is called in a loop runs its own loops as often.
func (x *Explorer) trips(t *state.Template, ctx *state.CallPath, b *ssa.BasicBlock) int {
	n := 1
	if !t.Once {
		return 0
	}
	for {
		k := x.Endings().Iterations(b)
		if k == 0 || n > termination.MaxTrips/k {
			return 0
		}
		n *= k
		if ctx == nil || ctx.Parent == nil || ctx.Site == nil {
			return n
		}
		b, ctx = ctx.Site.Block(), ctx.Parent
	}
}

// Endings says which loops end.
func (x *Explorer) Endings() *termination.Loops {
	if x.loops == nil {
		x.loops = termination.New(x.Program, x.Slice)
	}
	return x.loops
}
