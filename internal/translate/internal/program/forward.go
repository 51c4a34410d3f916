package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Forwarded are the functions that a call of the method f of a function type may run.
func (p *Program) Forwarded(call ssa.CallInstruction, f *ssa.Function) []*ssa.Function {
	if c := call.Common(); !c.IsInvoke() {
		return p.Functions(c.Args[0])
	}
	sig, _ := f.Signature.Recv().Type().Underlying().(*types.Signature)
	return p.functionsLike(sig)
}

// forwarders are such methods that a call through an interface may run. The call graph has none,
// as they have no bodies.
func (p *Program) forwarders(c *ssa.CallCommon) (out []*ssa.Function) {
	for _, f := range p.FunctionMethods(c) {
		if op := p.Operation(f); op != nil && op.Forwards {
			out = append(out, f)
		}
	}
	return out
}

// FunctionMethods are the methods of function types, those without bodies, that a call through an
// interface may run.
func (p *Program) FunctionMethods(c *ssa.CallCommon) (out []*ssa.Function) {
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
		if f := p.SSA.LookupMethod(t, c.Method.Pkg(), c.Method.Name()); f != nil && f.Blocks == nil {
			out = append(out, f)
		}
	}
	sortFuncs(out)
	return out
}
