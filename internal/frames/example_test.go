package frames_test

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/source"
)

// The functions that the stack of a run names, innermost first, and the call between them.
func Example() {
	src, err := source.Load(context.Background(), source.Spec{Dir: "testdata/calls"})
	if err != nil {
		fmt.Println(err)
		return
	}
	form, _ := ssautil.Packages(src.Packages, ssa.InstantiateGenerics)
	form.Build()
	p := frames.New(src, form)
	stack := p.Resolve([]string{"github.com/vtrace/vtrace/internal/frames/testdata/calls.send main.go:12", "github.com/vtrace/vtrace/internal/frames/testdata/calls.main.func1 main.go:6"})
	for _, f := range stack {
		fmt.Printf("%s in line %d\n", f.Fn, f.Line)
	}
	for _, call := range p.Calls(stack[0], stack[1]) {
		fmt.Println(call, "in line", src.Fset.Position(call.Pos()).Line)
	}
	// Output:
	// github.com/vtrace/vtrace/internal/frames/testdata/calls.send in line 12
	// github.com/vtrace/vtrace/internal/frames/testdata/calls.main$1 in line 6
	// send(t0) in line 6
}
