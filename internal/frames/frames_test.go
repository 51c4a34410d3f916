package frames

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLiterals checks how deep the runtime's name of a function says that it is in
// function literals: a call on the line of a literal is in the function around it.
func TestLiterals(t *testing.T) {
	for name, want := range map[string]int{
		"example.com/p.F":              0,
		"example.com/p.(*T).M":         0,
		"example.com/p.(*T[...]).M":    0,
		"example.com/p.F.func1":        1,
		"example.com/p.F.func1.2":      2,
		"example.com/p.(*T).M.func2.1": 2,
		"example.com/p.init.func3":     1,
	} {
		require.Equal(t, want, literals(name), name)
	}
}
