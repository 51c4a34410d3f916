package translate

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// assumedLoops records the loops that the model leaves out, since they hold no
// operation and decide none, and whose end does not show in their form: the
// model takes it for granted that they end.
func (x *translator) assumedLoops() {
	for _, f := range x.prog.funcs {
		if synthetic(f) || f.Pkg == nil || !x.own[f.Pkg.Pkg.Path()] {
			continue
		}
		in := x.prog.info(f)
		for _, b := range f.Blocks {
			if !in.inCycle[b.Index] || x.sl.block[b] || counted(b) {
				continue
			}
			// The header of a loop dominates a block that jumps back to it.
			header := false
			for _, p := range b.Preds {
				header = header || b.Dominates(p)
			}
			if header {
				x.approximation(loopPos(in, b), "terminates", artifact.DirectionBound, fmt.Sprintf("the loop holds no operation: assumed to end (in %s)", f.Name()))
			}
		}
	}
}

// counted reports that the loop with this header ends by its form: it ranges
// over something finite, or counts up or down to what it does not change.
func counted(header *ssa.BasicBlock) bool {
	if strings.HasPrefix(header.Comment, "range") {
		return true
	}
	test := header
	if len(test.Succs) == 1 { // the condition stands in a block of its own
		test = test.Succs[0]
	}
	if len(test.Instrs) == 0 {
		return false
	}
	br, ok := test.Instrs[len(test.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	c, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	counter, limit := c.X, c.Y
	if _, ok := counter.(*ssa.Phi); !ok {
		counter, limit = limit, counter
	}
	phi, ok := counter.(*ssa.Phi)
	if !ok || phi.Block() != header && phi.Block() != test {
		return false
	}
	up, down := false, false
	switch c.Op {
	case token.LSS, token.LEQ:
		up = counter == c.X
		down = !up
	case token.GTR, token.GEQ:
		down = counter == c.X
		up = !down
	case token.NEQ:
		up, down = true, true
	default:
		return false
	}
	if l, ok := limit.(ssa.Instruction); ok && header.Dominates(l.Block()) {
		call, ok := limit.(*ssa.Call)
		if !ok {
			return false
		}
		if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" && b.Name() != "cap" {
			return false
		}
		if of, ok := call.Call.Args[0].(*ssa.Phi); ok && header.Dominates(of.Block()) {
			return false // another one each time
		}
	}
	for i, e := range phi.Edges {
		if !header.Dominates(phi.Block().Preds[i]) {
			continue
		}
		step, ok := e.(*ssa.BinOp)
		if !ok || step.X != phi {
			return false
		}
		k, ok := step.Y.(*ssa.Const)
		if !ok {
			return false
		}
		n, ok := intConst(k)
		if !ok {
			return false
		}
		if step.Op == token.SUB {
			n = -n
		} else if step.Op != token.ADD {
			return false
		}
		if !(n > 0 && up || n < 0 && down) || c.Op == token.NEQ && n != 1 && n != -1 {
			return false
		}
	}
	return true
}

// loopPos is the position of a loop, by the first instruction that has one.
func loopPos(in *funcInfo, header *ssa.BasicBlock) token.Pos {
	seen := map[*ssa.BasicBlock]bool{}
	for b := header; !seen[b]; {
		seen[b] = true
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Phi); ok {
				continue // has that of its variable
			}
			if pos := in.pos[instr]; pos.IsValid() {
				return pos
			}
		}
		if len(b.Succs) == 0 {
			break
		}
		b = b.Succs[0]
	}
	return in.fn.Pos()
}

// queueOrder records where waiting goroutines may be served in an order that is
// not Go's: on channels that somebody polls, where several processes can queue
// on the same side. The edges that serve them rest on it.
func (x *translator) queueOrder() {
	type side struct {
		o    *object
		send bool
	}
	type user struct {
		side
		t *template
	}
	count := map[side]int{}
	seen := map[user]bool{}
	served := func(ed *edge) (side, bool) {
		if s := ed.sync; s != nil && s.obj != nil && s.obj.polled && s.obj.cap == 0 {
			return side{s.obj, s.send}, true
		}
		return side{}, false
	}
	for _, t := range x.templates {
		for _, ed := range t.edges {
			if s, ok := served(ed); ok && ed.from.kind == atQueue && !seen[user{s, t}] {
				seen[user{s, t}] = true
				count[s] += t.slots
			}
		}
	}
	for _, t := range x.templates {
		for _, ed := range t.edges {
			s, ok := served(ed)
			if !ok || ed.from.kind != atQueue || count[s] < 2 {
				continue
			}
			what := "receivers"
			if s.send {
				what = "senders"
			}
			if x.opts.Strict {
				continue // the order of a queue is no construct to avoid
			}
			n := x.approximation(s.o.pos, "queue-order", artifact.DirectionOver, what+" that wait on this channel may be served in any order")
			ed.approx = append(ed.approx[:len(ed.approx):len(ed.approx)], n)
		}
	}
}
