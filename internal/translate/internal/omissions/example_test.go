package omissions_test

import (
	"context"
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/omissions"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// Of a program it is noted what it hands to the library, and which loops are taken to end.
func Example() {
	ctx := context.Background()
	src, err := source.Load(ctx, source.Spec{Dir: "testdata/pipe"})
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
	left := omissions.New(p, slice, termination.New(p, slice), func(pos token.Pos, kind, direction, reason string) {
		fmt.Printf("line %d, %s: %s\n", src.Fset.Position(pos).Line, kind, reason)
	})
	left.Calls()
	left.Loops()
	// Output:
	// line 17, unknown-call: io.Pipe makes what goroutines wait for each other at; that is not in the model
	// line 19, unknown-call: time.AfterFunc may use the function main$1 that is passed to it
	// line 9, terminates: the loop holds no operation: assumed to end (in halved)
}
