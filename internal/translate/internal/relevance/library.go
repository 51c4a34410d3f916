package relevance

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// needLibrary asks for what a call of the library needs that is executed for the
// functions that it calls.
func (s *Slice) needLibrary(call ssa.CallInstruction, in *program.Operation) {
	switch {
	// The model sorts by itself: it needs what is sorted, and what the function that compares says.
	case in.Name == program.SortOperation:
		if c, ok := call.(*ssa.Call); ok && s.prog.Sorted(c) != nil {
			s.needClass(Elements(s.prog.Sorted(c)), s.prog.Sorted(c))
		}
		if in.Calls > 0 {
			s.needReturned(s.prog.Functions(call.Common().Args[in.Calls]))
		}
	// What is called is given by an interface or a value: its results decide how the library goes on.
	case len(in.Methods) > 0:
		s.needReturned(s.prog.CalledMethods(call.Common().Args[0], in.Methods))
	case in.Calls > 0:
		s.needCell(call.Common().Args[0])
		s.needReturned(s.prog.Functions(call.Common().Args[in.Calls]))
	case in.Name == "poolget", in.Name == "condwait":
		s.needCell(call.Common().Args[0])
	}
}

// needReturned asks for what functions return.
func (s *Slice) needReturned(fs []*ssa.Function) {
	for _, f := range fs {
		for _, b := range f.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				s.needBlock(b)
				for _, v := range r.Results {
					s.need(v)
				}
			}
		}
	}
}

// needContext asks for the values or causes of contexts if a call reads them.
//
// What a context has as its value is not in memory of the program, but matters as such: who asks for values of
// contexts asks for all calls that give them one. That has a class of its own, so that it is done once.
func (s *Slice) needContext(call *ssa.Call) {
	class, from := Class{}, map[string][]int(nil)
	switch {
	case call.Call.IsInvoke() && call.Call.Method.FullName() == "(context.Context).Value":
		s.need(call.Call.Value)
		s.need(call.Call.Args[0])
		class, from = ContextValues, map[string][]int{"context.WithValue": {1, 2}}
	case call.Call.StaticCallee() != nil && program.FullName(call.Call.StaticCallee()) == "context.Cause":
		class, from = Causes, map[string][]int{"context.WithTimeoutCause": {2}, "context.WithDeadlineCause": {2}}
	default:
		return
	}
	if s.Classes[class] {
		return
	}
	s.Classes[class] = true
	for _, f := range s.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if g := c.Common().StaticCallee(); g != nil {
					for _, k := range from[program.FullName(g)] {
						s.need(c.Common().Args[k])
					}
				} else if class == Causes && cancelsWithCause(c.Common()) {
					s.need(c.Common().Args[0])
				}
			}
		}
	}
}

// cancelsWithCause reports that a call may be one of a context.CancelCauseFunc.
func cancelsWithCause(c *ssa.CallCommon) bool {
	sig, ok := c.Value.Type().Underlying().(*types.Signature)
	return ok && !c.IsInvoke() && sig.Params().Len() == 1 && sig.Results().Len() == 0 &&
		program.IsError(sig.Params().At(0).Type())
}
