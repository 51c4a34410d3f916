package parse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each place in the installed Go runtime is found; in one that lacks a place, or has it twice, nothing
// is changed, and the error says where.
func TestToolchain(t *testing.T) {
	t.Parallel()
	o, err := newOverlay(Options{RuntimePath: DefaultRuntimePath})
	require.NoError(t, err)
	plain := string(o.Runtime[localFile])
	require.NotContains(t, plain, "runtime.vtraceLocal")
	installed := goroot(t)
	root := t.TempDir()
	for _, dir := range []string{"runtime", "context"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "src", dir), 0o755))
	}
	files := map[string]string{}
	for _, in := range insertions {
		data, err := os.ReadFile(filepath.Join(installed, "src", filepath.FromSlash(in.file)))
		require.NoError(t, err)
		files[in.file] = string(data)
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, "src", filepath.FromSlash(name)), []byte(text), 0o644))
	}
	var unknown *ToolchainError
	require.ErrorAs(t, o.Recorded(root), &unknown, "no file")
	for name, text := range files {
		write(name, text)
	}
	for i, in := range insertions {
		for _, text := range []string{strings.Replace(files[in.file], in.old, "", 1), files[in.file] + in.old} {
			write(in.file, text)
			require.ErrorAs(t, o.Recorded(root), &unknown, "%d", i)
			require.ErrorContains(t, unknown, in.file)
			require.Nil(t, o.Toolchain)
			require.Equal(t, plain, string(o.Runtime[localFile]))
		}
		write(in.file, files[in.file])
	}
	require.NoError(t, o.Recorded(root))
	require.Len(t, o.Toolchain, len(files)+1)
	require.Contains(t, string(o.Runtime[localFile]), "\npackage vtraceorc\n")
	require.Contains(t, string(o.Runtime[localFile]), "runtime.vtraceLocal")
	for name, text := range files {
		require.Equal(t, strings.Count(text, "\n"), strings.Count(withoutInsertions(string(o.Toolchain[name])), "\n"), name)
	}
}

// withoutInsertions takes out the lines that are added.
func withoutInsertions(text string) string {
	for _, in := range insertions {
		text = strings.Replace(text, in.new, in.old, 1)
	}
	return text
}

// What is written twice, in the Go runtime and in the recorder, which stays when local.go is replaced, is the same.
func TestToolchainLayout(t *testing.T) {
	t.Parallel()
	runtime := strings.Join(strings.Fields(string(toolchainRuntime)), " ")
	require.Contains(t, runtime, "type vtraceG struct { local unsafe.Pointer tag, partner uint64 next uint64 self, creator uint64 pend [6]uint64 n uint32 }")
	require.Contains(t, runtime, "type vtraceChan struct { id, closer uint64 slots unsafe.Pointer }")
	files, err := Runtime()
	require.NoError(t, err)
	var code []string
	for line := range strings.Lines(string(files["record.go"])) {
		line, _, _ = strings.Cut(line, "//")
		code = append(code, strings.Fields(line)...)
	}
	fields := strings.Join(code, " ")
	require.Contains(t, fields, "type localState struct { local unsafe.Pointer tag, partner uint64 next uint64 self, creator uint64 pend [maxPend]uint64 n uint32 }")
	require.Contains(t, fields, "const maxPend = 6")
	require.Contains(t, fields, "type channelState struct { id uint64 closer uint64 }")
}
