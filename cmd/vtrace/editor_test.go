package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/editor.md names the commands that the server has, and flags that it takes; the extension of
// VS Code starts it as the document says.
func TestEditorDocument(t *testing.T) {
	data, err := os.ReadFile("../../docs/editor.md")
	require.NoError(t, err)
	text := string(data)

	const whole = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	var out strings.Builder
	c := &call{ctx: t.Context(), stdout: &out}
	_, err = c.serve(&settings{cache: noResults}, strings.NewReader("Content-Length: 75\r\n\r\n"+whole))
	require.ErrorContains(t, err, "ended without shutdown")
	commands := regexp.MustCompile(`"(vtrace\.[a-z]+)"`).FindAllStringSubmatch(out.String(), -1)
	require.Len(t, commands, 3, out.String())
	rows := regexp.MustCompile("(?m)^\\| `(vtrace\\.[a-z]+)` \\|").FindAllStringSubmatch(text, -1)
	require.Len(t, rows, len(commands))
	for i, row := range rows {
		require.Equal(t, commands[i][1], row[1])
	}

	_, help, _ := execute(t, "help", "lsp")
	_, line, ok := strings.Cut(text, "The flags are those of `vtrace check`:")
	require.True(t, ok)
	line, _, _ = strings.Cut(line, "They are set")
	flags := regexp.MustCompile("`(-[a-z]+)").FindAllStringSubmatch(line, -1)
	require.NotEmpty(t, flags)
	for _, f := range flags {
		require.Contains(t, help, "  "+f[1], f[1])
	}

	data, err = os.ReadFile("../../examples/sdk/vscode/package.json")
	require.NoError(t, err)
	var extension struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]struct{ Default []string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &extension))
	command := extension.Contributes.Configuration.Properties["vtrace.command"].Default
	require.Equal(t, []string{"vtrace", "lsp"}, command)
	for _, how := range []string{"cmd = { 'vtrace', 'lsp' }", "command = \"vtrace\"\nargs = [\"lsp\"]"} {
		require.Contains(t, text, how)
	}
}
