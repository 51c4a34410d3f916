package translate_test

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// A program is loaded, its operations are numbered, and its model is made and
// searched.
func Example() {
	ctx := context.Background()
	prog, err := source.Load(ctx, source.Spec{Dir: "testdata/verdicts/condlost"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var pkgs []sites.Package
	for _, p := range prog.Packages {
		pkgs = append(pkgs, sites.Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	idx := sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
	model, err := translate.Translate(ctx, prog, idx, translate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var queries []*uppaal.Query
	for _, q := range model.Queries {
		query, err := uppaal.ParseQuery(q.Formula)
		if err != nil {
			fmt.Println(err)
			return
		}
		queries = append(queries, query)
	}
	report, err := check.Verify(ctx, model.Network, queries, check.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, q := range model.Queries {
		if report.Results[i].Verdict == check.False {
			fmt.Printf("line %d: %s: %s\n", q.Line, q.Kind, q.Description)
		}
	}
	// Output: line 17: deadlock: all goroutines are asleep, main at condwait
}
