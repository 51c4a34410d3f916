package exploration

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// The paths through a segment multiply at every value that a path has to know
// and at every branch. Where there are too many, the segment is split behind
// each such point, so that the paths merge there: at a committed location,
// where nobody else can act, in which the state says which path was taken.

// splitPaths is the number of paths from which a segment is split.
const splitPaths = 256

// A point is where segments begin, in all contexts.
type point struct {
	kind  state.LocationKind
	block *ssa.BasicBlock
	idx   int
}

// A segment with many paths has them in each context, so that the assumption is about the instruction.
func pointOf(l *state.Location) point {
	for i := len(l.Frames) - 1; i >= 0; i-- {
		if f := l.Frames[i]; f.Block != nil {
			return point{l.Kind, f.Block, f.Idx}
		}
	}
	return point{kind: l.Kind}
}

// pos is that of the next instruction of the segments that has one, token.NoPos before the program begins.
func (p point) pos() token.Pos {
	if p.block == nil {
		return token.NoPos
	}
	for _, instr := range p.block.Instrs[p.idx:] {
		if instr.Pos().IsValid() {
			return instr.Pos()
		}
	}
	return p.block.Parent().Pos()
}

// splitFrom has the segments at a location split from now on.
func (x *Explorer) splitFrom(l *state.Location) {
	x.splitAt[pointOf(l)] = true
	x.NewSplits = true
	x.Enqueue(l)
}

// busiest is where most paths begin.
func (x *Explorer) busiest() token.Pos {
	var most *state.Location
	for _, t := range x.Templates {
		for _, l := range t.Locations {
			if most == nil || x.paths[l] > x.paths[most] {
				most = l
			}
		}
	}
	if most != nil {
		p := x.NewPath(most.Template, most)
		p.Frames = most.Frames
		if at := p.Here(); at.IsValid() { // it is not in the initialisation of packages
			return at
		}
	}
	return x.Program.Entry.Pos()
}

// MarkFork notes that the path forks here into several that go on alike.
func (p *Path) MarkFork() {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if f := p.Frames[i]; f.Block != nil {
			p.forkedAt = f.Block.Instrs[f.Idx]
			return
		}
	}
}

// MergesAt reports that paths merge in front of an instruction: behind the one at which they have forked, which is
// executed again before, with what is known now. Those of a split segment end there (AwaitMerge).
func (p *Path) MergesAt(instr ssa.Instruction) bool {
	return p.forkedAt != nil && p.forkedAt != instr
}

// split ends a segment that has too many paths.
// That the path has made choices decides whether failures behind are asked for, and would be gone with the path:
// the frame keeps it, and so the location.
func (x *Explorer) split(p *Path) {
	if p.Picks > 0 {
		p.Top().Guess = true
	}
	x.Arrive(p, state.AtLocal, 0)
}
