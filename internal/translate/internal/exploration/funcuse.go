package exploration

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// An operation that is called through a function value, as (*sync.Cond).Signal
// or os.Exit, has its site where the program names it. In SSA form all uses of a
// function are one value: what the program names is found by the debug reference
// in front of the instruction that uses it.

// namedAt is where the function that the instruction at hand uses as a value is
// named, if it has or leads to an operation; NoPos if that cannot be seen.
//
// Objects of functions are one for each such place (Memory.Function): called through a variable, os.Exit that is
// named in two places has two sites, and findings name the right one.
func (p *Path) namedAt(ctx *state.CallPath, fn *ssa.Function) token.Pos {
	if !program.Synthetic(fn) && p.Explorer.Program.Operation(fn) == nil {
		return token.NoPos
	}
	f := p.Peek()
	if f.Op != nil || f.Block == nil || f.Call != ctx {
		return onlyName(ctx.Fn, fn)
	}
	for i := min(f.Idx, len(f.Block.Instrs)-1); i >= 0; i-- {
		if pos := nameIn(f.Block.Instrs[i], fn); pos.IsValid() {
			return pos
		}
	}
	return onlyName(ctx.Fn, fn)
}

// nameIn is where a debug reference names a function.
func nameIn(instr ssa.Instruction, fn *ssa.Function) token.Pos {
	d, ok := instr.(*ssa.DebugRef)
	if !ok || d.X != fn {
		return token.NoPos
	}
	switch e := d.Expr.(type) {
	case *ast.Ident:
		return e.Pos()
	case *ast.SelectorExpr:
		return e.Sel.Pos()
	}
	return token.NoPos
}

// onlyName is where a function is named in the body of another, if it is there
// once.
func onlyName(in, fn *ssa.Function) token.Pos {
	only := token.NoPos
	if in == nil {
		return only
	}
	for _, b := range in.Blocks {
		for _, instr := range b.Instrs {
			switch pos := nameIn(instr, fn); {
			case !pos.IsValid() || pos == only:
			case only.IsValid():
				return token.NoPos
			default:
				only = pos
			}
		}
	}
	return only
}
