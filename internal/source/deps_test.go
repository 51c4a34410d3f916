package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withDependencies writes a module that uses a module of the module cache, one
// of which nothing is below its root, and one within it.
func withDependencies(t *testing.T) string {
	t.Helper()
	sum, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	return filepath.Join(write(t, map[string]string{
		"m/go.mod": "module example.com/m\n\ngo 1.26.0\n\nrequire (\n\tgolang.org/x/sync v0.24.0\n\texample.com/near v1.2.3\n\texample.com/far v1.0.0\n)\n\n" +
			"replace example.com/near => ./near\n\nreplace example.com/far => ../far\n",
		"m/go.sum":        string(sum),
		"m/main.go":       "package main\n\nimport (\n\t\"example.com/far\"\n\t\"example.com/near/sub\"\n\t\"golang.org/x/sync/errgroup\"\n)\n\nfunc main() { var g errgroup.Group; sub.F(); far.F(); _ = g.Wait() }\n",
		"m/near/go.mod":   "module example.com/near\n\ngo 1.20\n",
		"m/near/sub/f.go": "package sub\n\nfunc F() {}\n",
		"far/go.mod":      "module example.com/far\n\ngo 1.26\n",
		"far/f.go":        "package far\n\nimport \"example.com/far/inner\"\n\nfunc F() { inner.F() }\n",
		"far/inner/f.go":  "package inner\n\nfunc F() {}\n",
		"far/unused/f.go": "package unused\n",
	}), "m")
}

func TestLoadDependencies(t *testing.T) {
	oneGoroutine(t)
	dir := withDependencies(t)
	ctx := context.Background()
	p, err := Load(ctx, Spec{Dir: dir, Deps: []string{"golang.org/x/sync/...", "example.com/far", "all"}})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/far/inner", "example.com/far", "example.com/near/sub", "golang.org/x/sync/errgroup", "example.com/m"}, paths(p))
	require.Equal(t, dir, p.Root)
	require.Len(t, p.Dependencies, 2)
	require.Equal(t, Dependency{Name: "example.com/far@v1.0.0", Dir: filepath.Join(filepath.Dir(dir), "far")}, p.Dependencies[0])
	require.Equal(t, "golang.org/x/sync@v0.24.0", p.Dependencies[1].Name)
	require.True(t, p.Dependencies[1].Cached)
	files, err := p.Files()
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
		require.Equal(t, strings.Contains(f.Path, "@"), OfDependency(f.Path))
	}
	require.Equal(t, []string{
		"example.com/far@v1.0.0/f.go", "example.com/far@v1.0.0/go.mod", "example.com/far@v1.0.0/inner/f.go",
		"go.mod", "go.sum",
		"golang.org/x/sync@v0.24.0/errgroup/errgroup.go", "golang.org/x/sync@v0.24.0/go.mod",
		"main.go", "near/go.mod", "near/sub/f.go",
	}, names)

	p, err = Load(ctx, Spec{Dir: dir, Deps: []string{"example.com/far"}})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/far", "example.com/m"}, paths(p))
	p, err = Load(ctx, Spec{Dir: dir, Deps: []string{NoDeps}})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m"}, paths(p))
	require.Empty(t, p.Dependencies)
	// Those at hand: what directories replace, and what is small and has goroutines.
	p, err = Load(ctx, Spec{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/far/inner", "example.com/far", "example.com/near/sub", "golang.org/x/sync/errgroup", "example.com/m"}, paths(p))

	_, err = Load(ctx, Spec{Dir: dir, Deps: []string{"context", "example.com/far/unused", "golang.org/x/..."}})
	require.ErrorContains(t, err, `dependency "context": context is of the standard library, which cannot be instrumented`)
	require.ErrorContains(t, err, `dependency "example.com/far/unused": the program depends on no such package`)
	require.NotContains(t, err.Error(), "golang.org")
}

func TestMatcher(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		want          bool
	}{
		{"a.b/c", "a.b/c", true},
		{"a.b/c", "a.b/c/d", false},
		{"a.b/c", "aXb/c", false},
		{"a.b/c/...", "a.b/c", true},
		{"a.b/c/...", "a.b/c/d/e", true},
		{"a.b/c/...", "a.b/cd", false},
		{"a.b/c...", "a.b/cd", true},
		{"...", "a", true},
		{"a/.../d", "a/b/c/d", true},
		{"all", "x", true},
	} {
		require.Equal(t, tc.want, matcher(tc.pattern)(tc.path), tc)
	}
}

func TestOfDependency(t *testing.T) {
	for name, want := range map[string]bool{
		"golang.org/x/sync@v0.1.0/errgroup/errgroup.go": true,
		"example.com/far@replaced/f.go":                 true,
		"github.com/x/y@v1.0.0-2024-abc+incompatible/f": true,
		"testdata/x@v1.0.0/f.go":                        false,
		"vendor/golang.org/x/sync/errgroup/errgroup.go": false,
		"a.b/user@host.go":                              false,
		"main.go":                                       false,
	} {
		require.Equal(t, want, OfDependency(name), name)
	}
}
