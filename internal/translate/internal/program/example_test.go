package program_test

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Of a program it is asked which functions can run, and what a call of them may run.
func Example() {
	ctx := context.Background()
	src, err := source.Load(ctx, source.Spec{Dir: "../../testdata/verdicts/condlost"})
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
	for _, f := range p.Funcs {
		if f.Syntax() == nil {
			continue // the initialiser of the package
		}
		fmt.Println(f.Name())
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					for _, g := range p.Callees(call) {
						fmt.Println("\tmay run", program.FullName(g))
					}
				}
			}
		}
	}
	// Output:
	// main
	// 	may run sync.NewCond
	// 	may run github.com/vtrace/vtrace/internal/translate/testdata/verdicts/condlost.main$1
	// 	may run (*sync.Cond).Wait
	// main$1
	// 	may run (*sync.Cond).Signal
}
