package source

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadModule(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, module)
	p, err := LoadModule(context.Background(), Spec{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []string{
		"example.com/m/b [example.com/m/b.test]",
		"example.com/m/a [example.com/m/a.test]",
		"example.com/m/a_test [example.com/m/a.test]",
		"example.com/m/cmd/x",
		"example.com/m/unused",
	}, paths(p))
	require.Nil(t, p.Func)
	files, err := p.Files()
	require.NoError(t, err)
	require.Len(t, files, 8, "without testdata: there is no entry")
	_, err = LoadModule(context.Background(), Spec{Dir: dir, Pattern: "fmt"})
	require.ErrorContains(t, err, "matches no package of a main module")
}

// What names no program is refused before anything is run.
func TestSpecErrors(t *testing.T) {
	var nobody context.Context
	for name, load := range map[string]func(context.Context, Spec) error{
		"Load":       func(ctx context.Context, s Spec) error { _, err := Load(ctx, s); return err },
		"LoadSet":    func(ctx context.Context, s Spec) error { _, err := LoadSet(ctx, s); return err },
		"LoadModule": func(ctx context.Context, s Spec) error { _, err := LoadModule(ctx, s); return err },
	} {
		var e *SpecError
		require.ErrorAs(t, load(nobody, Spec{Dir: t.TempDir()}), &e, name)
		for _, spec := range []Spec{{Pattern: "-toolexec=x"}, {Dir: "a\x00"}, {Pattern: "\x00"}, {Entry: "\x00"}, {Flags: []string{"\x00"}}} {
			require.ErrorAs(t, load(context.Background(), spec), &e, name)
		}
	}
}

// A directory of the name of a package is not taken for the package.
func TestImportPath(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n",
		"m/go.mod": "module other\n\ngo 1.26\n", "m/main.go": "package main\n\nfunc main() {}\n",
	})
	p, err := Load(context.Background(), Spec{Dir: dir, Pattern: "m", ImportPath: true})
	require.NoError(t, err)
	require.Equal(t, dir, p.Entry.Dir)
}
