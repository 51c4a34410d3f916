package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module has vtrace as a tool of its own, by a line in its go.mod, and all who work on it have the same.
func TestGoTool(t *testing.T) {
	if testing.Short() {
		t.Skip("it links vtrace once more")
	}
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	dir := t.TempDir()
	// As "go get -tool" leaves it, but for where vtrace comes from.
	mod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(own), "module example.com/m") +
		"\ntool github.com/vtrace/vtrace/cmd/vtrace\n\nrequire github.com/vtrace/vtrace v0.0.0\n\nreplace github.com/vtrace/vtrace => " + filepath.ToSlash(root) + "\n"
	for name, text := range map[string]string{
		"go.mod": mod, "go.sum": string(sums),
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) {\n\tc := make(chan int)\n\tgo func() { c <- 1 }()\n\t<-c\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cmd := exec.Command("go", "tool", "vtrace", "check", "-cache", "off", "-o", "-", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "example.com/m TestM  exact  no error")
}
