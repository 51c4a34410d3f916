package vtrace_test

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace"
)

func ExampleCheck() {
	src := vtrace.Package("./examples/funcarg")
	b, err := vtrace.Check(context.Background(), src)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range b.Findings() {
		fmt.Printf("%s: %s at %s:%d (%s)\n", f.Verdict, f.Kind, f.File, f.Line, f.Message)
	}
	// Output: real: panic at examples/funcarg/main.go:13 (panic: called)
}

// Each pass is a function from bundle to bundle; a bundle can be saved, and
// given to the next pass later or elsewhere.
func ExampleFirstPass() {
	ctx := context.Background()
	first, err := vtrace.FirstPass(ctx, vtrace.Dir("examples/rendezvous"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range first.Findings() {
		fmt.Printf("first pass: %s %s at line %d\n", f.Verdict, f.Kind, f.Line)
	}
	second, err := vtrace.SecondPass(ctx, first)
	if err != nil {
		fmt.Println(err)
		return
	}
	deep, err := vtrace.DeepPass(ctx, second)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range deep.Findings() {
		fmt.Printf("deep pass: %s %s at line %d\n", f.Verdict, f.Kind, f.Line)
	}
	// Output:
	// first pass: possible panic at line 9
	// deep pass: real panic at line 9
}
