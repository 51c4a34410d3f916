package parse

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// TestModCache: the new cache has the instrumented files and everything else
// that is in the old one, which stays as it is.
func TestModCache(t *testing.T) {
	old := t.TempDir()
	for name, text := range map[string]string{
		"cache/download/x": "download", "other.org/y@v1.0.0/y.go": "other",
		"example.com/a@v1.0.0/a.go": "a", "example.com/a@v1.0.0/sub/s.go": "s", "example.com/a@v1.1.0/a.go": "a newer",
		"example.com/deep/b@v2.0.0/b.go": "b",
	} {
		file := filepath.Join(old, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o444))
	}
	dep := func(name string) source.Dependency {
		return source.Dependency{Name: name, Dir: filepath.Join(old, filepath.FromSlash(name)), Cached: true}
	}
	o := &Overlay{
		Files: map[string][]byte{
			"example.com/a@v1.0.0/sub/s.go": []byte("s changed"), "example.com/a@v1.0.0/sub/new.go": []byte("new"),
			"example.com/deep/b@v2.0.0/b.go": []byte("b changed"), "main.go": []byte("main"), "local.org/l@v0.0.0/l.go": []byte("l"),
		},
		Dependencies: []source.Dependency{dep("example.com/a@v1.0.0"), dep("example.com/deep/b@v2.0.0"), {Name: "local.org/l@v0.0.0", Dir: "/somewhere/l"}},
	}
	cache, err := o.ModCache(t.TempDir(), old)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"cache/download/x": "download", "other.org/y@v1.0.0/y.go": "other",
		"example.com/a@v1.0.0/a.go": "a", "example.com/a@v1.0.0/sub/s.go": "s changed", "example.com/a@v1.0.0/sub/new.go": "new",
		"example.com/a@v1.1.0/a.go": "a newer", "example.com/deep/b@v2.0.0/b.go": "b changed",
	} {
		got, err := os.ReadFile(filepath.Join(cache, filepath.FromSlash(name)))
		require.NoError(t, err)
		require.Equal(t, want, string(got), name)
	}
	got, err := os.ReadFile(filepath.Join(old, "example.com/a@v1.0.0/sub/s.go"))
	require.NoError(t, err)
	require.Equal(t, "s", string(got))
	require.NoFileExists(t, filepath.Join(old, "example.com/a@v1.0.0/sub/new.go"))

	// The overlay has the rest: those replaced by a directory under their place.
	json, err := o.Write(t.TempDir(), "/root/of/m", "/goroot")
	require.NoError(t, err)
	text, err := os.ReadFile(json)
	require.NoError(t, err)
	require.Contains(t, string(text), `"/root/of/m/main.go"`)
	require.Contains(t, string(text), `"/somewhere/l/l.go"`)
	require.NotContains(t, string(text), "example.com")

	o.Dependencies = o.Dependencies[2:]
	cache, err = o.ModCache(t.TempDir(), old)
	require.NoError(t, err)
	require.Empty(t, cache)
}
