package program

import "golang.org/x/tools/go/ssa"

// ContextOperation is the name of t.Context.
const ContextOperation = "context"

// AsksForContext reports that a call may be one of t.Context.
func (p *Program) AsksForContext(call ssa.CallInstruction) bool {
	c := call.Common()
	if c.IsInvoke() {
		return c.Method.FullName() == "(testing.TB).Context"
	}
	op := p.Operation(c.StaticCallee())
	return op != nil && op.Name == ContextOperation
}

// Test reports that the program under check is a test function.
func (p *Program) Test() bool { return p.Source.Test }
