package state_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A struct of two fields, and the expression that adds one to the second.
func Example() {
	m := state.NewMemory()
	o := m.Add(&state.Object{Kind: state.DataObject, Name: "counts", Size: 2})
	second := m.Cells[o.Base+1]
	next := sym.Arith(sym.OpAdd, second.Expr, sym.Num(1))

	fmt.Println(second.Name, "of", m.Object(second.Addr).Name)
	fmt.Println(state.CellOf(next.A) == second)

	// Output:
	// counts_1 of counts
	// true
}
