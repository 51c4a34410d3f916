package emission_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/translate/internal/emission"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A condition on a variable of a goroutine, as the guard of an edge has it.
func ExampleSpell() {
	v := &state.Variable{ID: 1, Name: "n"}
	n := sym.Read(sym.OpVar, v, 0)
	c := sym.Not(sym.Arith(sym.OpLt, sym.Arith(sym.OpAdd, n, sym.Num(-1)), sym.Num(3)))

	fmt.Println(emission.Spell(c, map[*state.Variable]string{v: "main_n"}))
	// Output: main_n >= 4
}
