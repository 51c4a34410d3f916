package program_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// TestFunction: the control flow of a function is that of its statements.
func TestFunction(t *testing.T) {
	const text = `package main

func mark(string) {}

func main() {
	mark("first")
	for i := 0; i < 3; i++ {
		mark("outer")
		for j := 0; j < i; j++ {
			mark("inner")
		}
		if i == 1 {
			mark("branch")
		}
	}
	mark("last")
}
`
	src, err := source.Load(t.Context(), programs.Main(t, text))
	require.NoError(t, err)
	p, err := program.Build(t.Context(), src, func(*ssa.Function) *program.Operation { return nil }, nil)
	require.NoError(t, err)
	f := p.Function(p.Entry)
	f.Arrange()
	at := map[string]int{}
	for _, b := range p.Entry.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(*ssa.Call); ok {
				at[call.Call.Args[0].(*ssa.Const).Value.ExactString()] = b.Index
			}
		}
	}
	block := func(name string) int { return at[`"`+name+`"`] }
	for name, loops := range map[string]int{"first": 0, "outer": 1, "inner": 2, "branch": 1, "last": 0} {
		require.Len(t, f.Loops[block(name)], loops, name)
		require.Equal(t, loops > 0, f.InCycle[block(name)], name)
	}
	require.False(t, f.Tangled)
	require.Less(t, f.Order[block("first")], f.Order[block("outer")])
	require.Less(t, f.Order[block("inner")], f.Order[block("branch")], "a loop comes before what follows it")
	require.Less(t, f.Order[block("branch")], f.Order[block("last")])
	for name, deps := range map[string]int{"first": 0, "outer": 1, "inner": 1, "branch": 1, "last": 0} {
		require.Len(t, f.ControlDeps[block(name)], deps, name)
	}
	require.Equal(t, -1, f.PostDominator[block("last")])
	require.NotEqual(t, f.ControlDeps[block("outer")], f.ControlDeps[block("branch")])
}
