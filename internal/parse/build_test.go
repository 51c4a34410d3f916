package parse

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/internal/source"
)

// TestBuild instruments the modules in testdata/*.txtar, every statement
// guarded, or every access to memory recorded, builds them and compares what they print. The comment of an archive
// lists the diagnostics.
func TestBuild(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			require.NoError(t, err)
			dir := t.TempDir()
			for _, f := range ar.Files {
				file := filepath.Join(dir, filepath.FromSlash(f.Name))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, f.Data, 0o644))
			}
			if strings.Contains(name, "cgo") {
				if _, err := exec.LookPath("gcc"); err != nil {
					t.Skip("needs a C compiler")
				}
			}
			ctx := context.Background()
			prog, err := source.Load(ctx, source.Spec{Dir: dir})
			require.NoError(t, err)
			idx := Index(prog)
			want, code := run(t, dir, "go", "run", ".")
			require.Zero(t, code, want)
			for _, opts := range []Options{{EveryLine: true}, {EveryLine: true, Races: true}} {
				o, err := Instrument(ctx, prog, idx, opts)
				require.NoError(t, err)
				json, err := o.Write(t.TempDir(), prog.Root, goroot(t))
				require.NoError(t, err)
				got, code := run(t, dir, "go", "run", "-overlay", json, ".")
				require.Zero(t, code, got)
				require.Equal(t, want, got)
				var diags []string
				for _, d := range o.Diagnostics {
					if !d.Access {
						diags = append(diags, d.String())
					}
				}
				require.Equal(t, strings.TrimSpace(string(ar.Comment)), strings.Join(diags, "\n"))
			}
		})
	}
}
