//go:build unix

package orchestrate

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// command writes a script in the place of the go command.
func command(t *testing.T, script string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "go")
	require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"+script), 0o700))
	return name
}

// What is compiled ahead is compiled as the program is built.
func TestCompile(t *testing.T) {
	dir := t.TempDir()
	target := Target{Dir: dir, Name: "main", Entry: artifact.Entry{Package: "m", Func: "main"}, Flags: []string{"-tags=x"}}
	said := filepath.Join(dir, "said")
	opts := BuildOptions{Overlay: "/overlay.json", Go: command(t, "pwd > "+said+"; echo \"$@\" >> "+said+"\n")}
	require.NoError(t, Compile(t.Context(), target, []string{"sync", "fmt", "testing"}, opts))
	data, err := os.ReadFile(said)
	require.NoError(t, err)
	require.Equal(t, dir+"\nbuild -trimpath -overlay /overlay.json -tags=x encoding/json fmt sync testing testing/internal/testdeps testing/synctest vtraceorc\n", string(data))

	opts.Go = command(t, "echo does not compile; exit 1\n")
	var failed *BuildError
	require.ErrorAs(t, Compile(t.Context(), target, nil, opts), &failed)
	require.Equal(t, "does not compile\n", failed.Output)
	target.Flags = []string{"-overlay=x"}
	require.ErrorContains(t, Compile(t.Context(), target, nil, opts), "-overlay")
	require.ErrorContains(t, Compile(t.Context(), Target{}, nil, opts), "not absolute")
}

// A go command that does not end is killed with all that it has started.
func TestCompileCancelled(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	require.NoError(t, syscall.Mkfifo(started, 0o600))
	target := Target{Dir: dir, Name: "main", Entry: artifact.Entry{Package: "m", Func: "main"}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	endless := command(t, "sleep 86400 & echo child $! > "+started+"; wait\n")
	ended := make(chan error, 1)
	go func() { ended <- Compile(ctx, target, nil, BuildOptions{Go: endless}) }()
	child, err := os.ReadFile(started) // waits for whoever writes
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	requireDead(t, string(child))
}
