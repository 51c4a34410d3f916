package source

import (
	"context"
	"go/types"
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

// TestOverlayOnDisk: where files that are on disk are replaced, what the program imports is read as it was compiled, and
// not from its source, which takes longer. The go command may know the files by other names.
func TestOverlayOnDisk(t *testing.T) {
	oneGoroutine(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module p\n\ngo 1.26\n",
		"main.go":      "package main\n\nfunc main() {}\n",
		"none.go":      "package main\n\nvar here int\n",
		"part/part.go": "package part\n\nfunc Old() {}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	main := "package main\n\nimport (\n\t\"fmt\"\n\n\t\"p/part\"\n)\n\nfunc main() { fmt.Println(part.New()) }\n"
	for name, at := range map[string]string{"by its name": dir, "by a link": link} {
		t.Run(name, func(t *testing.T) {
			p, err := Load(t.Context(), Spec{Dir: at, Overlay: map[string][]byte{
				"main.go": []byte(main), "none.go": []byte("package main\n"), "part/part.go": []byte("package part\n\nfunc New() int { return 1 }\n"),
			}})
			require.NoError(t, err)
			require.Len(t, p.Packages, 2)
			require.Nil(t, p.Entry.Types.Scope().Lookup("here"))
			printed := p.Entry.Imports["fmt"].Types.Scope().Lookup("Println").(*types.Func)
			require.Nil(t, printed.Scope(), "its body was read")
		})
	}
	_, err := Load(t.Context(), Spec{Dir: dir, Overlay: map[string][]byte{"main.go": []byte("package main\n\nfunc main() { missing() }\n")}})
	require.ErrorContains(t, err, "undefined: missing")
	p, err := Load(t.Context(), Spec{Dir: link, Overlay: map[string][]byte{filepath.Join(dir, "main.go"): []byte("package main\n\nfunc main() { _ = here }\n")}})
	require.NoError(t, err)
	require.Len(t, p.Decl.Body.List, 1)
}
