package exploration_test

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A path of which a number is from 0 to 9 forks where it is compared with 3.
func Example() {
	src, err := source.Load(context.Background(), source.Spec{Dir: "testdata/idle"})
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := program.Build(context.Background(), src, func(*ssa.Function) *program.Operation { return nil }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := exploration.New(context.Background(), prog, relevance.New(prog), nil, nil, exploration.Options{}, exploration.NewAssumptions())
	v := &state.Variable{Name: "v", Abs: sym.Range(0, 9)}
	v.Expr = sym.Read(sym.OpVar, v, 0)

	p := x.NewPath(state.NewTemplate(state.Template{Name: "main"}), nil)
	less := sym.Arith(sym.OpLt, v.Expr, sym.Num(3))
	q := p.Fork(less)
	fmt.Println(p.Assume(sym.Not(less)))
	fmt.Println(q.Abs(v.Expr).Bounds())
	fmt.Println(p.Abs(v.Expr).Bounds())
	// Output:
	// true
	// 0 2
	// 3 9
}
