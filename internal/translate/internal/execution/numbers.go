package execution

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// sized reports that a value has to be chosen, if it is unknown: the instruction has just been executed.
// For a slice that is its length. Package relevance says of which values something has the size, or how
// often loops run (relevance/numbers.go).
//
// A number is chosen where it comes into the program, and stays what it is: two loops over the same n run
// as often as each other. So it is not chosen at a phi, nor in a loop where it is counted or read again and
// again: each choice would be made anew.
func (x *Executor) sized(p *exploration.Path, instr ssa.Instruction) (comp int, ok bool) {
	v, isValue := instr.(ssa.Value)
	if !isValue {
		return 0, false
	}
	// That it bounds one loop is not enough: each test of the loop is a free choice then, which leaves no
	// number of iterations out. A small random number is chosen even so, since all of its values can be.
	n := x.Slice.Numbers[v]
	if n == nil || !x.Slice.Values[v] || !n.Chosen() && !(n.Loops > 0 && randomBelow(v) > 0) {
		return 0, false
	}
	f := p.Peek()
	switch i := instr.(type) {
	case *ssa.Phi:
		return 0, false
	case *ssa.BinOp:
		// A counter that is not tracked.
		if x.Program.Function(f.Call.Fn).InCycle[i.Block().Index] {
			return 0, false
		}
	case *ssa.UnOp:
		// What may be another number each time that a loop is tested.
		if i.Op == token.MUL && x.Program.Function(f.Call.Fn).InCycle[i.Block().Index] {
			return 0, false
		}
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 || program.OfTime(v.Type()) {
			return 0, false
		}
	case *types.Slice:
		comp = 1
	default:
		return 0, false
	}
	// What depends on a saturated number is unknown, and is not from outside.
	e := p.Kept(f.Call, v)
	if comp >= len(e) || e[comp].Op != sym.OpUnknown || exploration.DependsOnSaturated(e[comp]) {
		return 0, false
	}
	return comp, true
}

// chooseNumber continues with each value of a number. Values that are left out are noted as a bound of the
// model.
func (x *Executor) chooseNumber(p *exploration.Path, instr ssa.Instruction, comp int) {
	v := instr.(ssa.Value)
	values, all := x.numbersFor(v)
	p.NotePick(p.Explorer.ResultPos(instr), whatIs(v, comp), values, all)
	ctx := p.Peek().Call
	e := p.Kept(ctx, v)
	p.Pick(values, func(q *exploration.Path, k int32) {
		w := slices.Clone(e)
		if w[comp] = sym.Num(k); comp == 1 {
			w[2] = sym.Num(k) // nothing is known of room behind its elements
		}
		q.KeepAs(ctx, v, w)
	})
}

// numbersFor are the values that one can be, and whether those are all: of rand.Intn(k), for a small
// constant k, those below k; of others those that are always chosen, from 0 on, and those that conditions
// of the program tell apart.
func (x *Executor) numbersFor(v ssa.Value) (values []int32, all bool) {
	if n := randomBelow(v); n > 0 {
		for i := range n {
			values = append(values, i)
		}
		return values, true
	}
	values = x.Sizes(x.Slice.Numbers[v], v.Type())
	if positive[libraryCallee(v)] {
		values = slices.DeleteFunc(values, func(k int32) bool { return k < 1 })
	}
	return values, false
}

// positive are functions of the library that return one at least.
var positive = map[string]bool{"runtime.NumCPU": true, "runtime.GOMAXPROCS": true, "runtime.NumGoroutine": true}

// maxRandom is the bound up to which all values of a random number are chosen.
const maxRandom = 8

// randomBelow is the bound below which a value is a random number, if it is a small constant, else 0: then
// the model has all values of it.
func randomBelow(v ssa.Value) int32 {
	call, ok := v.(*ssa.Call)
	if !ok {
		return 0
	}
	f := call.Call.StaticCallee()
	if f == nil {
		return 0
	}
	if path := program.PackageOf(f); path != "math/rand" && path != "math/rand/v2" {
		return 0
	}
	switch f.Name() {
	case "Intn", "IntN", "Int31n", "Int32N", "Int63n", "Int64N", "UintN", "Uint32N", "Uint64N":
	default:
		return 0
	}
	if k, ok := constArg(call.Call.Args); ok && 0 < k && k <= maxRandom {
		return k
	}
	return 0
}

// constArg is the last argument that is an integer constant.
func constArg(args []ssa.Value) (int32, bool) {
	for _, a := range slices.Backward(args) {
		if c, ok := a.(*ssa.Const); ok && program.IsInteger(c.Type()) {
			return program.Int32Const(c)
		}
	}
	return 0, false
}

// whatIs names a value whose size is chosen.
func whatIs(v ssa.Value, comp int) string {
	what := "a number from outside"
	if c := libraryCallee(v); c != "" {
		what = "the number from " + c
	}
	if comp == 1 {
		what = "the length of a slice from outside"
		if c := libraryCallee(v); c != "" {
			what = "the length of what " + c + " returns"
		}
	}
	return what
}

// libraryCallee names the function whose result a value is.
func libraryCallee(v ssa.Value) string {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return ""
	}
	if call.Call.IsInvoke() {
		return call.Call.Method.FullName()
	}
	if f := call.Call.StaticCallee(); f != nil {
		return program.FullName(f)
	}
	return ""
}
