package source

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A container of the library is loaded with its syntax where a package of the
// program, its tests included, imports it, and only there.
func TestLoadLibrary(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"main.go":        "package main\n\nimport _ \"example.com/m/queue\"\n\nfunc main() {}\n",
		"queue/q.go":     "package queue\n\nimport \"container/list\"\n\nvar Q list.List\n",
		"http/h.go":      "package http\n\nimport _ \"net/http\"\n", // which has a list
		"http/h_test.go": "package http_test\n\nimport (\n\t\"container/heap\"\n\t\"testing\"\n)\n\nfunc TestH(*testing.T) { heap.Init(nil) }\n",
	})
	ctx := context.Background()
	p, err := Load(ctx, Spec{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/queue", "example.com/m"}, paths(p))
	require.Len(t, p.Library, 1)
	list := p.Library[0]
	require.Equal(t, "container/list", list.PkgPath)
	require.NotEmpty(t, list.Syntax)
	require.Same(t, list.Types, p.Packages[0].Types.Imports()[0], "types are those that the program uses")
	require.Equal(t, "$GOROOT/src/container/list/list.go", p.Rel(filepath.Join(list.Dir, "list.go")))
	files, err := p.Files()
	require.NoError(t, err)
	require.Len(t, files, 3)

	p, err = Load(ctx, Spec{Dir: dir, Pattern: "./http", Entry: "TestH"})
	require.NoError(t, err)
	require.Len(t, p.Library, 1)
	require.Equal(t, "container/heap", p.Library[0].PkgPath)
}
