package exploration

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// The ways through a segment multiply at every value that a path has to know
// and at every branch. Where there are too many, the segment is split behind
// each such point, so that the ways meet there again: at a committed location,
// where nobody else can act, in which the state says which way was taken.

// splitWays is the number of ways from which a segment is split.
const splitWays = 256

// A point is where segments begin, in all contexts.
type point struct {
	kind  state.LocationKind
	block *ssa.BasicBlock
	idx   int
}

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

// busiest is where most ways begin.
func (x *Explorer) busiest() token.Pos {
	var most *state.Location
	for _, t := range x.Templates {
		for _, l := range t.Locations {
			if most == nil || x.ways[l] > x.ways[most] {
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

// Spread notes that the path is one of several that go on from here alike.
func (p *Path) Spread() {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if f := p.Frames[i]; f.Block != nil {
			p.spreadAt = f.Block.Instrs[f.Idx]
			return
		}
	}
}

// Meets reports that the ways of a split segment meet in front of an
// instruction: behind where they spread.
func (p *Path) Meets(instr ssa.Instruction) bool {
	return p.spreadAt != nil && p.spreadAt != instr
}

// split ends a segment that has too many ways.
func (x *Explorer) split(p *Path) {
	if p.Picks > 0 {
		p.Top().Guess = true
	}
	x.Arrive(p, state.AtLocal, 0)
}
