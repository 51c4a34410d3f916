package execution_test

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// A goroutine hands a number over to main: where each of them can be, without a library.
func Example() {
	ctx := context.Background()
	src, err := source.Load(ctx, source.Spec{Dir: "testdata/handover"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var pkgs []sites.Package
	for _, p := range src.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	lib := execution.NewLibrary()
	lib.Begin = func(*exploration.Path) {}
	lib.Late = func(*execution.Executor) bool { return false }
	prog, err := program.Build(ctx, src, lib.Operation, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := execution.New(ctx, lib, prog, relevance.New(prog), sites.Number(src.Fset, src.Rel, pkgs, src.Func), exploration.Options{ModelBounds: artifact.ModelBounds{Slots: 1}}, exploration.NewAssumptions())
	x.Solve()
	for _, t := range x.Templates {
		for _, l := range t.Locations {
			fmt.Println(t.Name, l.Op)
		}
	}
	// Output:
	// main go
	// main receive
	// main end
	// main return
	// main$1 idle
	// main$1 start
	// main$1 send
	// main$1 done
}
