package translate

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
)

// spinsOn is the atomic operation by which a branch decides whether a loop goes
// on that waits for an atomic variable, nil for other branches: the loop is left
// when the variable has, or can be changed from, a value that is known
// beforehand. A loop that tries again to change what it has read, as in an atomic
// counter, does not wait: somebody else's change has come between.
func (p *program) spinsOn(br *ssa.If) *ssa.Call {
	b := br.Block()
	in := p.info(b.Parent())
	if !in.inCycle[b.Index] {
		return nil
	}
	cond := br.Cond
	if n, ok := cond.(*ssa.UnOp); ok && n.Op == token.NOT {
		cond = n.X
	}
	if c, ok := cond.(*ssa.BinOp); ok {
		cond = c.X
		if _, isConst := c.Y.(*ssa.Const); !isConst {
			return nil
		}
	}
	call, ok := cond.(*ssa.Call)
	if !ok || !in.inCycle[call.Block().Index] {
		return nil
	}
	op := p.operation(call.Call.StaticCallee())
	if op == nil {
		return nil
	}
	switch op.name {
	case "atomiccas":
		_, known := call.Call.Args[1].(*ssa.Const)
		if !known {
			return nil
		}
	case "atomicload":
	default:
		return nil
	}
	// One way leads back without leaving the loop, the other out of it.
	back := 0
	for _, s := range b.Succs {
		if in.inCycle[s.Index] && reaches(s, b) {
			back++
		}
	}
	if back != 1 {
		return nil
	}
	return call
}

// guardSpins puts a guard in front of the statements at which loops wait.
func (x *translator) guardSpins() {
	for instr := range x.sl.instr {
		br, ok := instr.(*ssa.If)
		if !ok {
			continue
		}
		if call := x.prog.spinsOn(br); call != nil {
			if s, ok := x.idx.At(sites.Atomic, call.Pos()); ok {
				x.access[s.ID] = true
			}
		}
	}
}
