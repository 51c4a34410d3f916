package parse

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a function does with a file has the same number here as in the runtime, which nothing else of the program shares.
func TestFileUseNumbers(t *testing.T) {
	names := func(file string) (names []string) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					names = append(names, s.(*ast.ValueSpec).Names[0].Name)
				}
			}
		}
		return names
	}
	here := names("files.go")
	require.Len(t, here, 3)
	require.Equal(t, here, names("../orcruntime/fileuse.go"))
}
