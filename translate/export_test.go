package translate

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/source"
	"github.com/vtrace/vtrace/translate/internal/program"
)

// Operations are the names of the functions of the library that the translator knows.
func Operations() []string { return slices.Sorted(maps.Keys(intrinsics)) }

// TextFunctions are those whose results it computes from texts.
func TextFunctions() []string {
	return program.TextFunctions()
}

// Trips are the counts of iterations of what calls a function with a constant, by that: of the
// loops around it in its function.
func Trips(prog *source.Program, name string) (map[int64]int, error) {
	p, err := program.Build(context.Background(), prog, operationOf, nil)
	if err != nil {
		return nil, err
	}
	x := newTranslator(context.Background(), p, nil, nil, Options{}, newAssumptions())
	out := map[int64]int{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != name {
					continue
				}
				if k := program.IntegerConst(call.Call.Args[0]); k != nil {
					out[k.Int64()] = x.loopTrips(b)
				}
			}
		}
	}
	return out, nil
}
