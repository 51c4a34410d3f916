package exploration

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// takeUp continues a path that starts the program: once for each number of
// arguments, where something has that size.
// How many arguments there are is chosen once, in front of everything: whoever asks later has to get the same
// number.
func (x *Explorer) takeUp(p *Path) {
	if x.Slice.OSArgs == nil || !x.Slice.Numbers[x.Slice.OSArgs].Chosen() {
		x.ContinueWith(p)
		return
	}
	o := x.Global(x.Slice.OSArgs)
	at := o.Base + 1 // its length; its capacity follows
	for _, c := range x.Memory.Cells[at : at+2] {
		if c.Abs.Top {
			c.Init, c.Abs, c.Open = 1, sym.Single(1), false // the name of the program
		}
	}
	values := x.Sizes(x.Slice.Numbers[x.Slice.OSArgs], types.Typ[types.Uint])
	values = slices.Compact(append(values, values[len(values)-1]+1))
	values = slices.DeleteFunc(values, func(k int32) bool { return k == 0 })
	p.NotePick(x.ResultPos(x.Slice.OSArgsRead), "the length of "+relevance.OSArgs, values, false)
	p.Pick(values, func(q *Path, k int32) {
		q.Put(at, sym.Num(k))
		q.Put(at+1, sym.Num(k))
	})
}

// ResultPos is the position of an instruction.
func (x *Explorer) ResultPos(instr ssa.Instruction) token.Pos {
	if pos := x.Program.Function(instr.Parent()).Positions[instr]; pos.IsValid() {
		return pos
	}
	return instr.Pos()
}

// NotePick records what is chosen, and what is left out.
func (p *Path) NotePick(pos token.Pos, what string, values []int32, all bool) {
	p.NoteAt(pos, "free-choice", artifact.DirectionOver, what+" is one of "+list(values))
	if !all {
		p.NoteAt(pos, approximation.Number, artifact.DirectionBound, "the model has no other values of "+what+" than "+list(values))
	}
}

// Pick continues the path with each of several values. What is chosen is noted
// before.
func (p *Path) Pick(values []int32, set func(q *Path, k int32)) {
	p.Branched = true
	p.MarkFork()
	for i := len(values) - 1; i >= 0; i-- {
		q := p.Clone()
		q.Picks++
		q.Vary(values[i], len(values))
		set(q, values[i])
		p.Explorer.ContinueWith(q)
	}
}

func list(values []int32) string {
	parts := make([]string, len(values))
	for i, k := range values {
		parts[i] = fmt.Sprint(k)
	}
	return strings.Join(parts, ", ")
}

// Sizes are the values of a number of which nothing is known.
func (x *Explorer) Sizes(n *relevance.Number, t types.Type) []int32 {
	var values []int32
	for k := range int32(x.Options.Numbers) + 1 {
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
