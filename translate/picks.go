package translate

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// takeUp continues a path that starts the program: once for each number of
// arguments, where something has that size.
func (x *translator) takeUp(p *path) {
	if x.sl.OSArgs == nil || !x.sl.Numbers[x.sl.OSArgs].Chosen() {
		x.continueWith(p)
		return
	}
	o := x.Global(x.sl.OSArgs)
	at := o.Base + 1 // its length; its capacity follows
	for _, c := range x.mem.Cells[at : at+2] {
		if c.Abs.Top {
			c.Init, c.Abs, c.Open = 1, sym.Single(1), false // the name of the program
		}
	}
	values := x.sizes(x.sl.Numbers[x.sl.OSArgs], types.Typ[types.Uint])
	values = slices.Compact(append(values, values[len(values)-1]+1))
	values = slices.DeleteFunc(values, func(k int32) bool { return k == 0 })
	p.notePick(x.resultPos(x.sl.OSArgsRead), "the length of "+relevance.OSArgs, values, false)
	p.pick(values, func(q *path, k int32) {
		q.put(at, sym.Num(k))
		q.put(at+1, sym.Num(k))
	})
}

// resultPos is the position of an instruction.
func (x *translator) resultPos(instr ssa.Instruction) token.Pos {
	if pos := x.prog.Function(instr.Parent()).Positions[instr]; pos.IsValid() {
		return pos
	}
	return instr.Pos()
}

// notePick records what is chosen, and what is left out.
func (p *path) notePick(pos token.Pos, what string, values []int32, all bool) {
	p.noteAt(pos, "free-choice", artifact.DirectionOver, what+" is one of "+list(values))
	if !all {
		p.noteAt(pos, artifact.ApproximationNumber, artifact.DirectionBound, "the model has no other values of "+what+" than "+list(values))
	}
}

// pick continues the path with each of several values. What is chosen is noted
// before.
func (p *path) pick(values []int32, set func(q *path, k int32)) {
	p.branched = true
	p.spread()
	for i := len(values) - 1; i >= 0; i-- {
		q := p.clone()
		q.picks++
		q.vary(values[i], len(values))
		set(q, values[i])
		p.x.continueWith(q)
	}
}

func list(values []int32) string {
	parts := make([]string, len(values))
	for i, k := range values {
		parts[i] = fmt.Sprint(k)
	}
	return strings.Join(parts, ", ")
}

// sizes are the values of a number of which nothing is known.
func (x *translator) sizes(n *relevance.Number, t types.Type) []int32 {
	var values []int32
	for k := range int32(x.opts.Numbers) + 1 {
		values = append(values, k)
	}
	if n != nil {
		values = append(values, n.Tells...)
	}
	_, isSlice := t.Underlying().(*types.Slice)
	if isSlice || program.IsUnsigned(t) {
		values = slices.DeleteFunc(values, func(k int32) bool { return k < 0 })
	}
	slices.Sort(values)
	return slices.Compact(values)
}
