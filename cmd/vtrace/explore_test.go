package main

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
