package termination_test

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// Of three loops the first two end: by their counters, in which nobody else has a hand.
func Example() {
	ctx := context.Background()
	src, err := source.Load(ctx, source.Spec{Dir: "testdata/loops"})
	if err != nil {
		fmt.Println(err)
		return
	}
	unknown := func(*ssa.Function) *program.Operation { return nil }
	p, err := program.Build(ctx, src, unknown, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	loops := termination.New(p, relevance.New(p))
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Preds, b.Dominates) { // it is the header of a loop
				fmt.Println(f.Name(), loops.Ends(b), loops.Iterations(b))
			}
		}
	}
	// Output:
	// fixed true 4
	// given true 0
	// halved false 0
}
