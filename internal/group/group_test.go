//go:build unix

package group_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/group"
)

// asParent has the test binary run a script in a group, and wait for it.
const asParent = "VTRACE_GROUP_PARENT"

// printToolExec has it print the flag instead.
const printToolExec = "tool exec"

func TestMain(m *testing.M) {
	if script := os.Getenv(asParent); script == printToolExec {
		fmt.Print(group.ToolExec()[0])
		os.Exit(0)
	} else if script != "" {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Stdout = os.Stdout
		fmt.Println(group.Run(cmd))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// stubborn are scripts that start a process and never end, but by SIGKILL.
var stubborn = map[string]string{
	"ignores signals": `trap '' HUP INT QUIT TERM; sleep 1000 & echo up; while :; do sleep 1000; done`,
	"spins":           `(while :; do :; done) & echo up; while :; do :; done`,
	"leaves children": `(trap '' HUP; sleep 1000) & echo up`,
	"is stopped":      `sleep 1000 & echo up; kill -STOP $$`,
	"signals its own": `trap '' HUP INT QUIT TERM USR1; for s in HUP INT QUIT TERM USR1; do kill -$s 0; done; sleep 1000 & echo up; sleep 1000`,
}

// TestParentKilled: nothing of a group outlives the process that has started it.
func TestParentKilled(t *testing.T) {
	for name, script := range stubborn {
		t.Run(name, func(t *testing.T) {
			if name == "leaves children" {
				script += "; kill -STOP $PPID" // which is not to kill them itself
			}
			// The end of a pipe that all of them have: it is read to the end when all are gone.
			read, write, err := os.Pipe()
			require.NoError(t, err)
			defer read.Close()
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), asParent+"="+script)
			parent.Stdout = write
			require.NoError(t, parent.Start())
			require.NoError(t, write.Close())
			up := make([]byte, 3)
			_, err = io.ReadFull(read, up)
			require.NoError(t, err)
			require.Equal(t, "up\n", string(up))
			require.NoError(t, parent.Process.Kill())
			require.Error(t, parent.Wait())
			require.NoError(t, read.SetReadDeadline(time.Now().Add(time.Minute)))
			rest, err := io.ReadAll(read)
			require.NoError(t, err, "somebody is left")
			require.Empty(t, string(rest))
		})
	}
}

// TestToolExec: a go command with the flag of a process that has ended does not go on, and with that of
// one that lives it does what it does without.
func TestToolExec(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.go"), []byte("package m\n"), 0o600))
	list := func(flags ...string) (string, error) {
		cmd := exec.Command("go", slices.Concat([]string{"list", "-export", "-f", "{{.Export}}"}, flags, []string{"."})...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOTMPDIR="+dir)
		out, err := group.Output(cmd)
		return string(out), err
	}
	want, err := list()
	require.NoError(t, err)
	got, err := list(group.ToolExec()...)
	require.NoError(t, err)
	require.Equal(t, want, got)
	ended := exec.Command(os.Args[0])
	ended.Env = append(os.Environ(), asParent+"="+printToolExec)
	flag, err := ended.Output()
	require.NoError(t, err)
	_, err = list(string(flag))
	require.ErrorContains(t, err, "killed")
}

// TestReady: commands end as they do for who is not ready for many, and nobody is left when nobody is ready any more.
func TestReady(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		release := group.Ready()
		all.Go(func() {
			defer release()
			for i := range 10 {
				out, err := group.Output(exec.Command("sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $0; exit $0", fmt.Sprint(i)))
				var exit *exec.ExitError
				if i > 0 && (!errors.As(err, &exit) || exit.ExitCode() != i) || i == 0 && err != nil || string(out) != fmt.Sprintln(i) {
					t.Errorf("%d: %q, %v", i, out, err)
				}
			}
		})
	}
	all.Wait()
	var status syscall.WaitStatus
	_, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	require.ErrorIs(t, err, syscall.ECHILD, "somebody is left")
}

// TestRun: commands end as they do without a group, and nobody is left of theirs.
func TestRun(t *testing.T) {
	out, err := group.Output(exec.Command("sh", "-c", "echo one; echo two >&2; exit 3"))
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 3, exit.ExitCode())
	require.Equal(t, "one\n", string(out))
	out, err = group.CombinedOutput(exec.Command("sh", "-c", "echo one; echo two >&2"))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(out))
	require.ErrorIs(t, group.Run(exec.Command("vtrace-no-such-command")), exec.ErrNotFound)
	require.ErrorIs(t, group.Run(exec.Command(filepath.Join(t.TempDir(), "none"))), os.ErrNotExist)

	ctx, cancel := context.WithCancel(t.Context())
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	cmd := exec.CommandContext(ctx, "sh", "-c", "sleep 1000 & echo up; sleep 1000")
	cmd.Stdout = write
	g, err := group.Start(cmd)
	require.NoError(t, err)
	require.NoError(t, write.Close())
	up := make([]byte, 3)
	_, err = io.ReadFull(read, up)
	require.NoError(t, err)
	cancel()
	require.ErrorContains(t, g.Wait(), "killed")
	rest, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(string(rest)))
	require.ErrorIs(t, g.Kill(), os.ErrProcessDone)
}
