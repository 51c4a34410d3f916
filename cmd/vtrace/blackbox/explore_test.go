package blackbox_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplore(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile("q_test.go", []byte(exportedProgram), 0o644))
	code, stdout, stderr := execute(t, "explore", "-entry", "TestClose", "-runs", "500", "-seed", "3", ".")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "500 runs, ")
	require.Contains(t, stdout, " schedules, 3 ends\n")
	require.Contains(t, stdout, ". close of closed channel: panic: close of closed channel\n")
	require.Contains(t, stdout, "reproduced in a process of its own\n")
	require.Contains(t, stdout, ". the program ended well\n")
	require.NotContains(t, stdout, "new process")
	require.NotContains(t, stdout, "not under control")
	code, again, _ := execute(t, "explore", "-entry", "TestClose", "-runs", "500", "-seed", "3", ".")
	require.Equal(t, exitReal, code)
	require.Equal(t, stdout, again)

	code, _, stderr = execute(t, "explore", "-runs", "0", ".")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-runs is at least 1")
}

// A leak that may be one only because finalizers are not called is not reported
// as reproduced, nor as not reproduced.
func TestExploreUnconfirmed(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile("q_test.go", []byte(`package q

import (
	"runtime"
	"testing"
	"time"
)

func TestClose(t *testing.T) {
	start, stop := new(time.Time), make(chan bool)
	*start = time.Now()
	go func() { <-stop }()
	runtime.SetFinalizer(start, func(*time.Time) { close(stop) })
}
`), 0o644))
	code, stdout, stderr := execute(t, "explore", "-entry", "TestClose", "-runs", "10", ".")
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stdout, "   unconfirmed in a process of its own: reproduced: goroutine leak: 0.1 blocked in receive on chan#1 at example.com/m.TestClose$1#1 (q_test.go:12: go func() { <-stop }()), "+
		"but control was incomplete: finalizers or cleanups of the program, which are never called in a run, might end what is stuck\n")
}
