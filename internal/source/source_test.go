package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

var module = map[string]string{
	"go.mod":           "module example.com/m\n\ngo 1.26\n",
	"cmd/x/main.go":    "package main\n\nimport \"example.com/m/a\"\n\nfunc main() { a.F() }\n",
	"a/a.go":           "package a\n\nimport \"example.com/m/b\"\n\nfunc F() { b.G() }\n",
	"a/a_test.go":      "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n",
	"a/x_test.go":      "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/a\"\n)\n\nfunc TestX(t *testing.T) { a.F() }\n",
	"a/testdata/in":    "data",
	"b/b.go":           "package b\n\nfunc G() {}\n",
	"b/b_test.go":      "package b\n\nimport \"testing\"\n\nfunc TestG(t *testing.T) { G() }\n",
	"unused/unused.go": "package unused\n",
}

func paths(p *Program) (out []string) {
	for _, q := range p.Packages {
		out = append(out, q.ID)
	}
	return out
}

func TestLoadMain(t *testing.T) {
	dir := write(t, module)
	p, err := Load(context.Background(), Spec{Dir: dir, Pattern: "./cmd/x"})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/b", "example.com/m/a", "example.com/m/cmd/x"}, paths(p))
	require.Equal(t, "main", p.Func.Name())
	require.Equal(t, "1.26", p.GoVersion)
	require.Equal(t, "cmd/x/main.go", p.Rel(p.Fset.Position(p.Decl.Pos()).Filename))
	files, err := p.Files()
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	require.Equal(t, []string{"a/a.go", "b/b.go", "cmd/x/main.go", "go.mod"}, names)
	// Types of one package are the same objects seen from another.
	require.Same(t, p.Packages[0].Types, p.Packages[1].Imports["example.com/m/b"].Types)
}

func TestLoadTest(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, module)
	p, err := Load(context.Background(), Spec{Dir: dir, Pattern: "./a", Entry: "TestF"})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/b", "example.com/m/a [example.com/m/a.test]"}, paths(p))
	p, err = Load(context.Background(), Spec{Dir: dir, Pattern: "./a", Entry: "TestX"})
	require.NoError(t, err)
	require.Equal(t, []string{"example.com/m/b", "example.com/m/a [example.com/m/a.test]", "example.com/m/a_test [example.com/m/a.test]"}, paths(p))
	files, err := p.Files()
	require.NoError(t, err)
	require.Equal(t, "a/testdata/in", files[2].Path)
	require.NotEqual(t, Digest(files), Digest(files[1:]))
}

// A directory is resolved in its own module.
func TestLoadNestedModule(t *testing.T) {
	files := map[string]string{"sub/go.mod": "module example.com/sub\n\ngo 1.26\n", "sub/main.go": "package main\n\nfunc main() {}\n"}
	for name, text := range module {
		files[name] = text
	}
	dir := write(t, files)
	p, err := Load(context.Background(), Spec{Dir: dir, Pattern: "./sub"})
	require.NoError(t, err)
	require.Equal(t, "example.com/sub", p.Module)
	require.Equal(t, "main.go", p.Rel(p.Fset.Position(p.Decl.Pos()).Filename))
}

func TestLoadErrors(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, module)
	ctx := context.Background()
	_, err := Load(ctx, Spec{Dir: dir, Pattern: "./a"})
	require.ErrorIs(t, err, ErrNoEntry)
	require.ErrorContains(t, err, "the tests of the package: TestF, TestX")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "old_test.go"), []byte("//go:build !go1.21\n\npackage a\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {}\n"), 0o644))
	_, err = Load(ctx, Spec{Dir: dir, Pattern: "./a", Entry: "TestOld"})
	require.ErrorIs(t, err, ErrNoEntry)
	require.ErrorContains(t, err, "old_test.go, which the build constraints of the file leave out")
	require.NotContains(t, err.Error(), "the tests of the package")
	_, err = Load(ctx, Spec{Dir: dir, Pattern: "./a/a.go"})
	require.ErrorContains(t, err, "is a file")
	p, err := Load(ctx, Spec{Dir: dir, Pattern: "cmd/x"})
	require.NoError(t, err)
	require.Equal(t, "example.com/m/cmd/x", p.Entry.PkgPath)
	_, err = Load(ctx, Spec{Dir: dir, Pattern: "./a", Entry: "TestNone"})
	require.ErrorIs(t, err, ErrNoEntry)
	_, err = Load(ctx, Spec{Dir: dir, Pattern: "./..."})
	require.ErrorContains(t, err, "matches 4 packages")
	_, err = Load(ctx, Spec{Dir: dir, Pattern: "./nowhere"})
	require.ErrorContains(t, err, "./nowhere: no such directory")
	unparsable := write(t, map[string]string{"go.mod": "module x\n\ngo 1.26\n", "x.go": "package main\n\nfunc main() { x := 1; y( }\n"})
	_, err = Load(ctx, Spec{Dir: unparsable})
	require.ErrorContains(t, err, "expected")
	require.NotContains(t, err.Error(), "declared and not used")
	broken := write(t, map[string]string{"go.mod": "module x\n\ngo 1.26\n", "x.go": "package main\n\nfunc main() { undefined1(); undefined2() }\n"})
	_, err = Load(ctx, Spec{Dir: broken})
	require.ErrorContains(t, err, "undefined1")
	require.ErrorContains(t, err, "undefined2")
	missing := write(t, map[string]string{"go.mod": "module x\n\ngo 1.26\n", "x.go": "package main\n\nimport \"example.com/nothere/pkg\"\n\nfunc main() { pkg.F() }\n"})
	_, err = Load(ctx, Spec{Dir: missing})
	require.ErrorContains(t, err, "no required module provides package example.com/nothere/pkg; to add it:\n\tgo get example.com/nothere/pkg")
	require.NotContains(t, err.Error(), "could not import")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Load(cancelled, Spec{Dir: dir, Pattern: "./a"})
	require.ErrorIs(t, err, context.Canceled)
}
