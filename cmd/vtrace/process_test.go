package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is vtrace in a process of its own.
type process struct {
	*exec.Cmd
	stdout, stderr strings.Builder
	// alive is a pipe of which the process, and all that it starts, have the other end, as file 3. It is
	// read to its end when all of them have ended. What the program under check writes there can be
	// read before.
	alive, theirs *os.File
}

// aliveFile is the number of the file that the process and all that it starts have in common.
const aliveFile = 3

// newProcess prepares a process, with a directory for temporary files, which is the last TMPDIR of its
// environment.
func newProcess(t *testing.T, dir, temp string, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(exe, args...)}
	p.Dir = dir
	p.Env = append(os.Environ(), runAsVtrace+"=1", "TMPDIR="+temp)
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.alive, p.theirs, err = os.Pipe()
	require.NoError(t, err)
	p.ExtraFiles = []*os.File{p.theirs}
	t.Cleanup(func() {
		_ = p.alive.Close()
		_ = p.theirs.Close()
	})
	return p
}

func (p *process) start(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Start())
	require.NoError(t, p.theirs.Close())
	t.Cleanup(func() { _ = p.Process.Kill() })
}

// end waits for the process and returns its exit code, -1 if a signal has ended it.
func (p *process) end(t *testing.T) int {
	t.Helper()
	if err := p.Wait(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return p.ProcessState.ExitCode()
}

// leavesBehind is how long a process that was killed may have been dead when the last of those that it
// has started is. It bounds a test that fails, and none that does not waits for it.
const leavesBehind = time.Minute

// requireAlone waits until nobody is left of the processes that the process has started.
func (p *process) requireAlone(t *testing.T) {
	t.Helper()
	require.NoError(t, p.alive.SetReadDeadline(time.Now().Add(leavesBehind)))
	_, err := io.Copy(io.Discard, p.alive)
	require.NoError(t, err, "a process is left")
}

// requireEmpty looks whether a directory for temporary files is empty.
func requireEmpty(t *testing.T, temp string) {
	t.Helper()
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}
