package translate

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// Function types of the library have methods that do nothing but call their receiver, with the
// arguments that they are given: they make a function what an interface asks for.

func forwardIntrinsics(table map[string]*intrinsic) {
	table["(net/http.HandlerFunc).ServeHTTP"] = &intrinsic{operation: operation{name: "forward", args: []int{0, 1, 2}, forwards: true}, run: forward}
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
	tgt.args = [][]*expr{p.arg(1), p.arg(2)}
	return x.enterArg(p, 0, tgt, func(q *path) { q.top().phase = 2 })
}

// forwarded are the functions that a call of the method f of a function type may run.
func (p *program) forwarded(call ssa.CallInstruction, f *ssa.Function) []*ssa.Function {
	if c := call.Common(); !c.IsInvoke() {
		return p.functions(c.Args[0])
	}
	sig, _ := f.Signature.Recv().Type().Underlying().(*types.Signature)
	return p.functionsLike(sig)
}

// forwarders are such methods that a call through an interface may run. The call graph has none,
// as they have no bodies.
func (p *program) forwarders(c *ssa.CallCommon) (out []*ssa.Function) {
	for _, f := range p.functionMethods(c) {
		if op := p.operation(f); op != nil && op.forwards {
			out = append(out, f)
		}
	}
	return out
}

// functionMethods are the methods of function types, those without bodies, that a call through an
// interface may run.
func (p *program) functionMethods(c *ssa.CallCommon) (out []*ssa.Function) {
	if !c.IsInvoke() {
		return nil
	}
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for _, t := range p.functionTypes {
		if !types.Implements(t, iface) {
			continue
		}
		if f := p.ssa.LookupMethod(t, c.Method.Pkg(), c.Method.Name()); f != nil && f.Blocks == nil {
			out = append(out, f)
		}
	}
	sortFuncs(out)
	return out
}

// leftOutBehind records what a call through an interface leaves out: a function whose type has a
// method of which the model knows nothing.
func (x *translator) leftOutBehind(call ssa.CallInstruction) {
	for _, m := range x.prog.functionMethods(call.Common()) {
		if intrinsicOf(m) != nil {
			continue
		}
		for _, f := range x.prog.funcs {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					c, ok := instr.(*ssa.ChangeType)
					if !ok || !types.Identical(c.Type(), m.Signature.Recv().Type()) {
						continue
					}
					if what := x.actsOn(c.X, fullName(m)); what != "" {
						x.approximation(x.callPos(call), "unknown-call", artifact.DirectionUnder, fmt.Sprintf("%s may use %s that it is a method of", fullName(m), what))
						return
					}
				}
			}
		}
	}
}
