package source

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAsyncTimers compares what is said of a program with what the go command builds it with.
func TestAsyncTimers(t *testing.T) {
	oneGoroutine(t)
	const main = "package main\n\nfunc main() {}\n"
	for name, c := range map[string]struct {
		files map[string]string
		async bool
	}{
		"new":                  {files: map[string]string{"go.mod": "module m\n\ngo 1.23\n", "main.go": main}},
		"old":                  {files: map[string]string{"go.mod": "module m\n\ngo 1.22\n", "main.go": main}, async: true},
		"old, but a directive": {files: map[string]string{"go.mod": "module m\n\ngo 1.22\n", "main.go": "//go:debug asynctimerchan=0\n\n" + main}},
		"directive":            {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": "//go:debug asynctimerchan=1\n\n" + main}, async: true},
		"directive of default": {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": "//go:debug default=go1.21\n\n" + main}, async: true},
		"go.mod":               {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n\ngodebug asynctimerchan=1\n", "main.go": main}, async: true},
		"go.mod, default":      {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n\ngodebug default=go1.22\n", "main.go": main}, async: true},
		"go.mod, both":         {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n\ngodebug (\n\tasynctimerchan=0\n\tdefault=go1.22\n)\n", "main.go": main}},
		"directives, both":     {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": "//go:debug asynctimerchan=0\n//go:debug default=go1.22\n\n" + main}},
		"go.mod, and a directive": {files: map[string]string{"go.mod": "module m\n\ngo 1.26\n\ngodebug asynctimerchan=1\n",
			"main.go": "//go:debug default=go1.26\n\n" + main}, async: true},
		"workspace": {files: map[string]string{"go.work": "go 1.26\n\nuse .\n", "go.mod": "module m\n\ngo 1.22\n", "main.go": main}},
		"workspace with a setting": {files: map[string]string{"go.work": "go 1.26\n\ngodebug asynctimerchan=1\n\nuse .\n",
			"go.mod": "module m\n\ngo 1.26\n", "main.go": main}, async: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, c.files)
			cmd := exec.Command("go", "list", "-f", "{{.DefaultGODEBUG}}", ".")
			cmd.Dir = dir
			out, err := cmd.Output()
			require.NoError(t, err)
			require.Equal(t, c.async, strings.Contains(string(out), "asynctimerchan=1"), "the go command: %s", out)
			prog, err := Load(context.Background(), Spec{Dir: dir, Pattern: ".", Entry: "main"})
			require.NoError(t, err)
			async, err := prog.AsyncTimers()
			require.NoError(t, err)
			require.Equal(t, c.async, async)
		})
	}
}
