package proxyfile

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
)

// A name below modules/ is that of one file of one version of one module, as a proxy has it.
func FuzzFile(f *testing.F) {
	for _, s := range []string{
		"example.com/m/@v/v1.0.0.mod", "github.com/!burnt!sushi/toml/@v/v1.0.0+incompatible.zip", "golang.org/toolchain/@v/v0.0.1-go1.26.linux-amd64.zip",
		"example.com/m/@v/list", "example.com/m/@latest", "../@v/v1.0.0.mod", "a.b/c/@v/v1.0.0.info/@v/v1.0.0.mod", "A.b/@v/v1.mod",
		"a.b/c/@v/v5.0.1.zip", "a.b/c/v5/@v/v5.0.1.zip", "a.b/c/@v/v5.0.1+incompatible.mod",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, ok := Parse(name)
		if !ok {
			return
		}
		escaped, err := module.EscapePath(m.Module)
		require.NoError(t, err)
		version, err := module.EscapeVersion(m.Version)
		require.NoError(t, err)
		require.Equal(t, name, escaped+"/@v/"+version+m.Ext)
		require.Equal(t, m.Version, module.CanonicalVersion(m.Version))
		_, major, ok := module.SplitPathVersion(m.Module)
		require.True(t, ok)
		require.NoError(t, module.CheckPathMajor(m.Version, major))
		require.True(t, filepath.IsLocal(filepath.FromSlash(name)))
		require.NotEqual(t, "golang.org/toolchain", strings.ToLower(m.Module))
	})
}
