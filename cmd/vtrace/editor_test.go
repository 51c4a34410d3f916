package main

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/require"
)

// docs/editor.md names the commands that the server has, and flags that it takes; the extension of
// VS Code starts it as the document says.
func TestEditorDocument(t *testing.T) {
	data, err := os.ReadFile("../../docs/editor.md")
	require.NoError(t, err)
	text := string(data)

	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := (&call{ctx: t.Context(), stdout: fromServer}).serve(&settings{cache: noResults}, toServer)
		ended <- err
	}()
	client := jrpc2.NewClient(channel.StrictHeader("")(out, in), nil)
	var got struct {
		Capabilities struct{ ExecuteCommandProvider struct{ Commands []string } }
	}
	require.NoError(t, client.CallResult(t.Context(), "initialize", map[string]any{"capabilities": map[string]any{}}, &got))
	require.NoError(t, in.Close())
	require.ErrorContains(t, <-ended, "ended without shutdown")
	commands := got.Capabilities.ExecuteCommandProvider.Commands
	require.Len(t, commands, 3)
	rows := regexp.MustCompile("(?m)^\\| `(vtrace\\.[a-z]+)` \\|").FindAllStringSubmatch(text, -1)
	require.Len(t, rows, len(commands))
	for i, row := range rows {
		require.Equal(t, commands[i], row[1])
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
