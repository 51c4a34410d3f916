package parse

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// declared are the functions of a package with their positions.
func declared(t *testing.T, files map[string][]byte) (out []string) {
	t.Helper()
	fset := token.NewFileSet()
	for name, data := range files {
		f, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				p := fset.Position(fn.Pos())
				p.Offset, p.Column = 0, 0
				out = append(out, fn.Name.Name+" "+p.String())
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestJoined: the files of the runtime are few, and everything in them is where it was.
func TestJoined(t *testing.T) {
	files, err := Runtime()
	require.NoError(t, err)
	few := joined(files)
	require.Less(t, len(few), 10)
	require.Equal(t, declared(t, files), declared(t, few))
}

// TestJoinedApart: what does not fit stays as it is.
func TestJoinedApart(t *testing.T) {
	files := map[string][]byte{
		"a.go":       []byte("//go:build go1.25\n\npackage p\n\nimport (\n\t\"fmt\"\n\t\"math/rand\"\n)\n\nfunc A() { fmt.Print(rand.Int()) }\n"),
		"b.go":       []byte("//go:build go1.25\n\npackage p\n\nfunc B() {}\n"),
		"c.go":       []byte("package p\n\nfunc C() {}\n"),
		"d.go":       []byte("//go:build go1.25\n\npackage p\n\nimport \"math/rand/v2\"\n\nvar D = rand.Int()\n"),
		"e.go":       []byte("//go:build go1.25\n\npackage p\n\nimport _ \"unsafe\"\n\nfunc E() {}\n"),
		"f.go":       []byte("//go:build go1.25\n\npackage p\n\nimport \"fmt\" ; func F() { fmt.Print() }\n"),
		"g.go":       []byte("no Go"),
		"h_linux.go": []byte("//go:build go1.25\n\npackage p\n\nfunc H() {}\n"),
	}
	few := joined(files)
	require.Equal(t, []string{"a.go", "c.go", "d.go", "e.go", "f.go", "g.go", "h_linux.go"}, slices.Sorted(maps.Keys(few)))
	for _, name := range []string{"d.go", "e.go", "f.go", "g.go", "h_linux.go"} {
		require.Equal(t, string(files[name]), string(few[name]))
	}
	delete(files, "g.go")
	delete(few, "g.go")
	require.Equal(t, declared(t, files), declared(t, few))
	require.Equal(t, "//go:build go1.25\n\npackage p\nimport fmt \"fmt\"\nimport rand \"math/rand\"\n", string(few["a.go"][:len("//go:build go1.25\n\npackage p\nimport fmt \"fmt\"\nimport rand \"math/rand\"\n")]))
}
