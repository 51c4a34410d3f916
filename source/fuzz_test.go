package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An entry with arguments is a call of a function with as many, and nothing besides.
func FuzzEntry(f *testing.F) {
	for _, s := range []string{
		"F", "F()", "F(1|2, true)", `Drain("a|b", 1 | 2+3, -1)`, "F(1)(2)", "F(x...)", "F(1", "F(func() { g() }())", "F(1 /* ) */,)", "F(1) + g(2)", "(F)(1)", "F([]int{1|2})",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, args, err := splitEntry(text)
		if err != nil {
			return
		}
		require.True(t, strings.HasPrefix(text, name))
		var list []string
		for _, values := range args {
			require.NotEmpty(t, values)
			list = append(list, strings.Join(values, "|"))
		}
		if args == nil {
			return
		}
		again, same, err := splitEntry(name + "(" + strings.Join(list, ", ") + ")")
		require.NoError(t, err)
		require.Equal(t, name, again)
		require.Equal(t, args, same)
		if token.IsIdentifier(name) {
			e, err := parser.ParseExpr(name + "(" + strings.TrimSpace(text[len(name)+1:]))
			require.NoError(t, err)
			call, ok := e.(*ast.CallExpr)
			require.True(t, ok)
			require.IsType(t, &ast.Ident{}, call.Fun)
			require.Len(t, call.Args, len(args))
			require.False(t, call.Ellipsis.IsValid())
		}
	})
}

// A file of a seed corpus is as many arguments of a call as it has lines, whatever is in them.
func FuzzCorpus(f *testing.F) {
	for _, s := range []string{
		"go test fuzz v1\nint(1)\n[]byte(\"x\")\n", "go test fuzz v1\r\nstring(`a`)\r\n", "go test fuzz v1\n1 // x\n2 /* y */\n", "go test fuzz v1\nf(), g()\n", "go test fuzz v2\nint(1)\n", "go test fuzz v1\n",
		"go test fuzz v1\nx...\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		args, err := corpusArgs(data)
		if err != nil {
			require.Nil(t, args)
			return
		}
		e, err := parser.ParseExpr("f.vtraceAdd(" + strings.Join(args, ", ") + ")")
		require.NoError(t, err)
		call, ok := e.(*ast.CallExpr)
		require.True(t, ok)
		require.Len(t, call.Args, len(args))
		require.False(t, call.Ellipsis.IsValid())
		again, err := corpusArgs([]byte("go test fuzz v1\n" + strings.Join(args, "\n") + "\n"))
		if !strings.ContainsAny(strings.Join(args, ""), "\n") { // as of a function
			require.NoError(t, err)
			require.Equal(t, args, again)
		}
	})
}
