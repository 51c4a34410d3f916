package execution

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// guessCompleted continues with what the value of a call says, and with the functions that runs have shown.
// Nothing is known of when it is which, so that each execution of the call may be either: the model does at
// least what the runs did.
func (x *Executor) guessCompleted(p *exploration.Path, site ssa.CallInstruction, fs []*ssa.Function) {
	var alts []func(*exploration.Path)
	for _, f := range slices.Concat([]*ssa.Function{nil}, fs) {
		alts = append(alts, func(q *exploration.Path) { q.Guess(site, f) })
	}
	p.Choose("a run has shown a function that was not foreseen", alts...)
}

// callsBack is a call of the library which runs have shown to call functions of the
// program: any of them, any number of times.
var callsBack = &program.Operation{Name: "callsback", Args: []int{0, 1, 2, 3, 4, 5, 6, 7}}

// The phases of such a call: in front of each decision, at it, behind the last; from
// backCalls on a function is called.
const (
	backAhead = 1 + iota
	backDecides
	backReturns
	backCalls
)

// callBack executes such a call: it decides whether one more function is called, and which, until it
// decides to return. In front of each decision the segment ends, since the loop might be executed here for
// ever.
func callBack(x *Executor, p *exploration.Path) bool {
	f := p.Peek()
	fs := x.Program.Calls[f.Call.Site.(ssa.CallInstruction)]
	switch {
	case f.Phase == backAhead:
		p.Top().Phase = backDecides
		x.Arrive(p, state.AtLocal, 0)
		return false
	case f.Phase == backDecides:
		alts := []func(*exploration.Path){func(q *exploration.Path) { q.Top().Phase = backReturns }}
		for k := range fs {
			alts = append(alts, func(q *exploration.Path) { q.Top().Phase = backCalls + k })
		}
		p.Choose("how often the library calls what it is given", alts...)
		return false
	case f.Phase == backReturns:
		return x.OpReturn(p, x.libraryResult(p, f.Call.Site.(ssa.CallInstruction), f.Target))
	}
	k := f.Phase - backCalls
	tgt, ok := x.calledBack(p, fs[k])
	return ok && x.EnterArg(p, len(f.Target.Args)+k, tgt, func(q *exploration.Path) { q.Top().Phase = backAhead })
}

// calledBack is a function as the library calls it: with its receiver, or what it has captured, from the
// arguments of the call, and else with what is not known. A run has shown which function it was, not with
// what: a receiver is found if one of the arguments is an interface with that method, and what it has
// captured if one is a value of the function.
func (x *Executor) calledBack(p *exploration.Path, fn *ssa.Function) (state.Target, bool) {
	f := p.Peek()
	tgt := state.Target{Fn: fn}
	sig := f.Target.Fn.Signature
	recv := fn.Signature.Recv()
	for k := range f.Target.Args {
		i := k
		if sig.Recv() != nil {
			i--
		}
		if i < 0 || i >= sig.Params().Len() {
			continue
		}
		t := sig.Params().At(i).Type()
		switch v := p.Arg(k); {
		case recv != nil && types.IsInterface(t) && len(v) == 2:
			tag, ok, tracked := x.Concrete(p, v[0])
			if tracked && !ok {
				return tgt, false
			}
			if !tracked {
				break
			}
			if m := x.Program.MethodOf(x.Memory.TypeOf(tag), fn); m != nil {
				r, ok := x.Unbox(p, v[1], x.Memory.TypeOf(tag))
				if !ok {
					return tgt, false
				}
				tgt.Fn, tgt.Args = m, [][]*sym.Expr{r}
			}
		case recv == nil && program.IsFunc(t):
			of, ok, tracked := x.FunctionOf(p, v[0], f.Call.Site)
			if tracked && !ok {
				return tgt, false
			}
			if tracked && of.Fn == fn {
				tgt = of
			}
		}
	}
	for _, prm := range fn.Params[min(len(tgt.Args), len(fn.Params)):] {
		tgt.Args = append(tgt.Args, layout.Unknowns(x.Width(prm.Type()), "an argument that the library gives"))
	}
	for len(tgt.Bindings) < len(fn.FreeVars) {
		tgt.Bindings = append(tgt.Bindings, layout.Unknowns(x.ValueWidth(fn.FreeVars[len(tgt.Bindings)]), "captured by a function that is not tracked"))
	}
	return tgt, true
}
