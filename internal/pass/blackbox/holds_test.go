package blackbox_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// Of a program with a module that a directory elsewhere replaces, a bundle holds as long as the files of
// both are the same.
func TestHoldsReplaced(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	ctx, dir := context.Background(), t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write("p/go.mod", "module example.com/p\n\ngo 1.26\n\nrequire example.com/q v0.0.0\n\nreplace example.com/q => ../q\n")
	write("p/main.go", "package main\n\nimport \"example.com/q\"\n\nfunc main() { q.F() }\n")
	write("q/go.mod", "module example.com/q\n\ngo 1.26\n")
	const f = "package q\n\nfunc F() {}\n"
	write("q/q.go", f)
	p := filepath.Join(dir, "p")
	for _, deps := range [][]string{nil, {source.NoDeps}} {
		b, err := pass.Translate(ctx, source.Spec{Dir: p, Deps: deps}, pass.Options{})
		require.NoError(t, err)
		holds := func(overlay map[string][]byte) bool {
			ok, err := pass.Holds(ctx, b, p, overlay)
			if !ok {
				var refused *pass.RefusedError
				require.ErrorAs(t, err, &refused)
				return false
			}
			require.NoError(t, err)
			return true
		}
		if deps != nil {
			require.False(t, holds(nil), "the bundle does not have the files of the module")
			continue
		}
		require.True(t, holds(nil))
		write("q/q.go", f+"\nfunc init() { println() }\n")
		require.False(t, holds(nil))
		write("q/q.go", f)
		write("q/more.go", "package q\n\nfunc init() { println() }\n")
		require.False(t, holds(nil))
		require.NoError(t, os.Remove(filepath.Join(dir, "q", "more.go")))
		require.False(t, holds(map[string][]byte{filepath.Join(p, "main.go"): []byte("package main\n\nimport \"example.com/q\"\n\nfunc main() { q.F(); q.F() }\n")}))
		require.True(t, holds(nil))
	}
}
