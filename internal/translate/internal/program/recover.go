package program

import "golang.org/x/tools/go/ssa"

// Recoveries finds where panics are recovered: the functions that defer a
// function which calls recover, with these calls.
func (p *Program) Recoveries() map[*ssa.Function][]ssa.CallInstruction {
	out := map[*ssa.Function][]ssa.CallInstruction{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				d, ok := instr.(*ssa.Defer)
				if !ok {
					continue
				}
				for _, g := range p.Callees(d) {
					out[f] = append(out[f], recoverCalls(g)...)
				}
			}
		}
	}
	for f, calls := range out {
		if len(calls) == 0 {
			delete(out, f)
		}
	}
	return out
}

// recoverCalls are the calls of recover in a deferred function, also those that it defers.
func recoverCalls(f *ssa.Function) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				if r, ok := c.Common().Value.(*ssa.Builtin); ok && r.Name() == "recover" {
					out = append(out, c)
				}
			}
		}
	}
	return out
}
