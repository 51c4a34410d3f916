package translate

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Missed is what a goroutine has done, run by run, that calls and conditions of the
// program seem to exclude: its stack at a guard, and before that at the guard before, if
// there was one. The lines of a stack are "function file:line", from the inside.
func (p *Prepared) Missed(before, at []string, run int) []artifact.Completion {
	from, to := p.program.Frames(before), p.program.Frames(at)
	var out []artifact.Completion
	add := func(c artifact.Completion) {
		c.Run = run
		known := slices.ContainsFunc(slices.Concat(p.program.Added, out), func(d artifact.Completion) bool { return d.Same(c) })
		if !known && c.File != "" {
			out = append(out, c)
		}
	}
	// From the outside, frames that are in both stacks are one activation.
	same := 0
	for same < len(from) && same < len(to) && from[same].Func == to[same].Func && from[same].Func != nil {
		same++
	}
	for i := same; i < len(to); i++ {
		for _, c := range p.program.MissedCall(to, i) {
			add(c)
		}
	}
	if len(out) > 0 {
		return out
	}
	addBetween := func(f program.Frame, start, end int) {
		for _, c := range p.program.ConditionsBetween(f.Func, start, end) {
			add(c)
		}
	}
	for i, f := range to {
		switch {
		case f.Func == nil:
		case i < same && from[i].Line == f.Line && i < len(to)-1 && i < len(from)-1 && i < same-1:
			// It is in the same call.
		case i < same:
			addBetween(f, from[i].Line, f.Line)
		default:
			addBetween(f, 0, f.Line)
		}
	}
	for i := same; i < len(from); i++ {
		if from[i].Func != nil {
			addBetween(from[i], from[i].Line, 0)
		}
	}
	return out
}
