package omissions

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Loops notes the loops that the model leaves out, since they hold no
// operation and decide none, and whose end does not show in their form (package termination): the
// model takes it for granted that they end.
func (o *Finder) Loops() {
	for _, f := range o.prog.Funcs {
		if program.Synthetic(f) || !o.prog.Translated(packagePath(f)) {
			continue
		}
		in := o.prog.Function(f)
		assumed := func(b *ssa.BasicBlock) {
			o.note(loopPos(in, b), "terminates", artifact.DirectionBound, fmt.Sprintf("the loop holds no operation: assumed to end (in %s)", f.Name()))
		}
		for _, b := range f.Blocks {
			// The header of a loop dominates a block that jumps back to it.
			header := slices.ContainsFunc(b.Preds, b.Dominates)
			if header && !o.sl.Blocks[b] && !o.loops.Ends(b) {
				assumed(b)
			}
		}
		for _, b := range o.tangles(in) {
			assumed(b)
		}
	}
}

// packagePath is the path of the package that a function is declared in, which an instance
// of a generic one does not have by itself; "" if there is none.
func packagePath(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if f.Pkg == nil {
		return ""
	}
	return f.Pkg.Pkg.Path()
}

// tangles returns a block of each set of cycles that are left out of the model and have
// no header, since they are entered at several places.
func (o *Finder) tangles(in *program.Function) []*ssa.BasicBlock {
	if in.Arrange(); !in.Tangled {
		return nil
	}
	// reached are the blocks behind one, without what goes back to headers.
	reached := func(from *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
		out := map[*ssa.BasicBlock]bool{}
		for work := []*ssa.BasicBlock{from}; len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, s := range b.Succs {
				if !s.Dominates(b) && !o.sl.Blocks[s] && !out[s] {
					out[s] = true
					work = append(work, s)
				}
			}
		}
		return out
	}
	var out []*ssa.BasicBlock
	for _, b := range in.Func.Blocks {
		if o.sl.Blocks[b] {
			continue
		}
		behind := reached(b)
		known := slices.ContainsFunc(out, func(c *ssa.BasicBlock) bool { return behind[c] && reached(c)[b] })
		if behind[b] && !known {
			out = append(out, b)
		}
	}
	return out
}

// loopPos is the position of a loop, by the first instruction that has one.
func loopPos(in *program.Function, header *ssa.BasicBlock) token.Pos {
	seen := map[*ssa.BasicBlock]bool{}
	for b := header; !seen[b]; {
		seen[b] = true
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Phi); ok {
				continue // has that of its variable
			}
			if pos := in.Positions[instr]; pos.IsValid() {
				return pos
			}
		}
		if len(b.Succs) == 0 {
			break
		}
		b = b.Succs[0]
	}
	return in.Func.Pos()
}
