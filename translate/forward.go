package translate

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// Function types of the library have methods that do nothing but call their receiver, with the
// arguments that they are given: they make a function what an interface asks for.

func forwardIntrinsics(table map[string]*intrinsic) {
	table["(net/http.HandlerFunc).ServeHTTP"] = &intrinsic{Operation: program.Operation{Name: "forward", Args: []int{0, 1, 2}, Forwards: true}, run: forward}
}

// forward calls the receiver.
func forward(x *translator, p *path) bool {
	f := p.peek()
	if f.phase == 2 { // it has returned
		return x.opReturn(p, nil)
	}
	tgt, ok, tracked := x.functionOf(p, p.arg(0)[0], f.ctx.site)
	if !ok && tracked {
		return false
	}
	tgt.args = [][]*sym.Expr{p.arg(1), p.arg(2)}
	return x.enterArg(p, 0, tgt, func(q *path) { q.top().phase = 2 })
}

// leftOutBehind records what a call through an interface leaves out: a function whose type has a
// method of which the model knows nothing.
func (x *translator) leftOutBehind(call ssa.CallInstruction) {
	for _, m := range x.prog.FunctionMethods(call.Common()) {
		if intrinsicOf(m) != nil {
			continue
		}
		for _, f := range x.prog.Funcs {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					c, ok := instr.(*ssa.ChangeType)
					if !ok || !types.Identical(c.Type(), m.Signature.Recv().Type()) {
						continue
					}
					if what := x.actsOn(c.X, program.FullName(m)); what != "" {
						x.approximation(x.callPos(call), "unknown-call", artifact.DirectionUnder, fmt.Sprintf("%s may use %s that it is a method of", program.FullName(m), what))
						return
					}
				}
			}
		}
	}
}
