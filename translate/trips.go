package translate

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/termination"
)

// trips counts how often a block runs in one goroutine of a template, 0 if that
// is not a small constant.
func (x *translator) trips(t *template, ctx *callPath, b *ssa.BasicBlock) int {
	n := 1
	if !t.once {
		return 0
	}
	for {
		k := x.endings().Iterations(b)
		if k == 0 || n > termination.MaxTrips/k {
			return 0
		}
		n *= k
		if ctx == nil || ctx.parent == nil || ctx.site == nil {
			return n
		}
		b, ctx = ctx.site.Block(), ctx.parent
	}
}

// endings says which loops end.
func (x *translator) endings() *termination.Loops {
	if x.loops == nil {
		x.loops = termination.New(x.prog, x.sl)
	}
	return x.loops
}
