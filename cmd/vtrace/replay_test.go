package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplayHere: what a check says to reproduce an error by does that, though the bundle alone does not have all of the
// program: modules are vendored, or another directory is in place of one. Elsewhere it needs -root.
func TestReplayHere(t *testing.T) {
	const lib = "package lib\n\nfunc Put(c chan int) { c <- 1 }\n"
	const main = "package main\n\nimport \"example.com/lib\"\n\nfunc main() { lib.Put(make(chan int)) }\n"
	for name, files := range map[string]map[string]string{
		"vendored": {
			"app/go.mod": "module example.com/m\n\ngo 1.26\n\nrequire example.com/lib v1.0.0\n", "app/cmd/main.go": main,
			"app/vendor/modules.txt": "# example.com/lib v1.0.0\n## explicit; go 1.26\nexample.com/lib\n", "app/vendor/example.com/lib/lib.go": lib,
		},
		"replaced": {
			"app/go.mod": "module example.com/m\n\ngo 1.26\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n", "app/cmd/main.go": main,
			"lib/go.mod": "module example.com/lib\n\ngo 1.26\n", "lib/lib.go": lib,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range files {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			t.Chdir(filepath.Join(dir, "app", "cmd"))
			code, stdout, stderr := execute(t, "check", ".")
			require.Equal(t, exitReal, code, stdout+stderr)
			_, command, ok := strings.Cut(stdout, "reproduce: vtrace ")
			require.True(t, ok, stdout)
			command, _, _ = strings.Cut(command, "\n")
			args := strings.Fields(command)
			code, stdout, stderr = execute(t, args...)
			require.Equal(t, exitReal, code, stdout+stderr)
			require.Contains(t, stdout, "reproduced: deadlock")

			bundle, err := filepath.Abs(args[1])
			require.NoError(t, err)
			t.Chdir(t.TempDir())
			code, _, stderr = execute(t, "replay", bundle, args[2])
			require.NotContains(t, []int{exitReal, exitNothing}, code)
			require.Contains(t, stderr, "in the bundle")
			code, stdout, stderr = execute(t, "replay", "-root", filepath.Join(dir, "app"), bundle, args[2])
			require.Equal(t, exitReal, code, stdout+stderr)
		})
	}
}
