package sym_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A counter x that is one of 0 to 3 is asked, one step later, whether it is 2.
func Example() {
	x := sym.Read(sym.OpVar, &place{key: 1}, 0)
	next := sym.Arith(sym.OpAdd, x, sym.Num(1))
	is2 := sym.Arith(sym.OpEq, next, sym.Num(2))
	fmt.Println(is2.Same(sym.Arith(sym.OpEq, x, sym.Num(1)))) // it compares x itself

	in := func(lo, hi int32) func(*sym.Expr) sym.Set {
		var of func(*sym.Expr) sym.Set
		of = func(e *sym.Expr) sym.Set {
			if e == x {
				return sym.Range(lo, hi)
			}
			return sym.Evaluate(e, of)
		}
		return of
	}
	fmt.Println(in(0, 3)(next).Elems)
	fmt.Println(in(0, 3)(is2).Elems)
	fmt.Println(in(2, 3)(is2).Elems)
	// Output:
	// true
	// [1 2 3 4]
	// [0 1]
	// [0]
}
