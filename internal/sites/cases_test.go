package sites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// A select has its cases as they stand in the source, in one line each; its default is none of them.
func TestCases(t *testing.T) {
	const text = `package p

func f(a, b chan int, c chan func()) {
	select {
	case v := <-a:
		_ = v
	default:
	case b <- 1 +
		2:
	case c <- func() {
		close(a)
	}:
	case <-(b): // comment
	case c <- func() {
		println("a text that is long", "another one that is long, too", "and a third one", "so that it does not end")
	}:
	}
	select {}
	<-a
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	require.NoError(t, err)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	x := Number(fset, func(s string) string { return s }, []Package{{Path: "p", Files: []*ast.File{file}, Types: pkg, Info: info, ReadFile: func(string) ([]byte, error) { return []byte(text), nil }}}, nil)
	var got [][]string
	for _, s := range x.Sites() {
		if s.Kind == Select {
			got = append(got, s.Cases)
		} else {
			require.Empty(t, s.Cases)
		}
	}
	require.Equal(t, [][]string{{"v := <-a", "b <- 1 + 2", "c <- func() { close(a) }", "<-(b)", `c <- func() { println("a text that is long", "another one that is long, too", "and a third one", "so that it does not en…`}, nil}, got)
}
