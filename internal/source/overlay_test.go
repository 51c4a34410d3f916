package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The files that an -overlay flag names belong to the program, and the flag is gone.
func TestOverlay(t *testing.T) {
	oneGoroutine(t)
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module p\n\ngo 1.26\n")
	write("main.go", "package main\n\nfunc main() {}\n")
	write("new.txt", "package main\n\nfunc main() { added() }\n")
	write("added.txt", "package main\n\nfunc added() {}\n")
	write("o.json", `{"Replace": {"main.go": "new.txt", "added.go": "added.txt"}}`)
	for name, flags := range map[string][]string{
		"joined": {"-overlay=o.json", "-tags=x"},
		"apart":  {"--overlay", filepath.Join(dir, "o.json"), "-tags=x"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Load(context.Background(), Spec{Dir: dir, Flags: flags})
			require.NoError(t, err)
			require.Equal(t, []string{"-tags=x"}, p.Spec.Flags)
			files, err := p.Files()
			require.NoError(t, err)
			text := map[string]string{}
			for _, f := range files {
				text[f.Path] = string(f.Data)
			}
			require.Equal(t, "package main\n\nfunc main() { added() }\n", text["main.go"])
			require.Equal(t, "package main\n\nfunc added() {}\n", text["added.go"])
			require.Contains(t, p.ChangedFiles(), filepath.Join(p.Root, "main.go"))
			set, err := LoadSet(context.Background(), Spec{Dir: dir, Flags: flags})
			require.NoError(t, err)
			require.Len(t, set.Entries(), 1)
		})
	}
	t.Run("in memory", func(t *testing.T) {
		overlay := map[string][]byte{"main.go": []byte("package main\n\nfunc main() { other() }\n"), filepath.Join(dir, "added.go"): []byte("package main\n\nfunc other() {}\n")}
		p, err := Load(context.Background(), Spec{Dir: dir, Flags: []string{"-overlay=o.json"}, Overlay: overlay})
		require.NoError(t, err)
		require.Nil(t, p.Spec.Overlay)
		text, err := p.ReadFile(filepath.Join(dir, "main.go"))
		require.NoError(t, err)
		require.Equal(t, "package main\n\nfunc main() { other() }\n", string(text), "it wins over the flag")
		require.Len(t, p.ChangedFiles(), 2)
	})
	_, err := Load(context.Background(), Spec{Dir: dir, Overlay: map[string][]byte{"": nil}})
	var bad *SpecError
	require.ErrorAs(t, err, &bad)
	write("gone.json", `{"Replace": {"main.go": ""}}`)
	write("bad.json", `[`)
	for flag, message := range map[string]string{
		"-overlay=gone.json": "main.go is left out, which is not supported",
		"-overlay=bad.json":  "unexpected end of JSON input",
		"-overlay=none.json": "no such file",
		"-overlay":           "-overlay without a file",
	} {
		_, err := Load(context.Background(), Spec{Dir: dir, Flags: []string{flag}})
		require.ErrorContains(t, err, message)
	}
}
