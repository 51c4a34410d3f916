package relevance_test

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// Of a program that computes something beside its operations, the computation is not in the slice.
func Example() {
	ctx := context.Background()
	src, err := source.Load(ctx, source.Spec{Dir: "testdata/sums"})
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
	slice := relevance.New(p)
	for _, f := range p.Funcs {
		if f.Syntax() != nil {
			fmt.Println(f.Name(), slice.Funcs[f])
		}
	}
	for _, b := range p.Entry.Blocks {
		for _, instr := range b.Instrs {
			if slice.Instrs[instr] {
				fmt.Println(src.Fset.Position(p.Function(p.Entry).Positions[instr]).Line, instr)
			}
		}
	}
	// Output:
	// sum false
	// count true
	// main true
	// 13 count(1:int)
	// 14 send t1 <- t2
	// 15 <-t1
}
