package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// ElementsWritten is the type of the elements of a slice that an instruction
// writes by the builtin copy, clear or append, or sorts, nil for other instructions. The
// call may be deferred, or that of a goroutine.
func (p *Program) ElementsWritten(instr ssa.Instruction) types.Type {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	args := call.Common().Args
	b, ok := call.Common().Value.(*ssa.Builtin)
	if !ok {
		return p.Sorted(call)
	}
	switch b.Name() {
	case "copy", "clear":
	case "append": // in place, if there is room
		if c, ok := args[0].(*ssa.Const); ok && c.Value == nil {
			return nil
		}
	default:
		return nil
	}
	if t, ok := args[0].Type().Underlying().(*types.Slice); ok {
		return t.Elem()
	}
	return nil
}

// SortOperation is the name of what sorts its first argument.
const SortOperation = "sort"

// Sorted is the type of the elements that a call sorts, nil for other calls.
func (p *Program) Sorted(call ssa.CallInstruction) types.Type {
	if op := p.Operation(call.Common().StaticCallee()); op == nil || op.Name != SortOperation {
		return nil
	}
	v := call.Common().Args[0]
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	if t, ok := v.Type().Underlying().(*types.Slice); ok {
		return t.Elem()
	}
	return nil
}
