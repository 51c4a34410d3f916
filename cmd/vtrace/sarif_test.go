package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const stuckTests = `package m

import "testing"

func TestStuck(t *testing.T) { <-make(chan int) }

func TestWell(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
}
`

// TestSARIF: what a check of several entry points finds is in the log; a file that cannot be
// written is an error before anything is checked.
func TestSARIF(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(stuckTests), 0o644))
	t.Chdir(t.TempDir())
	code, _, stderr := execute(t, "check", "-o", "-", "-sarif", "out.sarif", dir+"/...")
	require.Equal(t, exitReal, code, stderr)
	data, err := os.ReadFile("out.sarif")
	require.NoError(t, err)
	_, err = sarif.FromBytes(data, sarif.WithStrictValidation())
	require.NoError(t, err)
	require.Equal(t, `["deadlock"]`, gjson.GetBytes(data, "runs.0.results.#.ruleId").Raw)
	require.Equal(t, "m_test.go", gjson.GetBytes(data, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri").String())
	left, err := filepath.Glob(".vtrace*")
	require.NoError(t, err)
	require.Empty(t, left)

	code, _, stderr = execute(t, "check", "-o", "-", "-sarif", "none/out.sarif", dir+"/...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-sarif: ")
	require.Equal(t, "true", gjson.GetBytes(data, "runs.0.invocations.0.executionSuccessful").Raw)
	code, _, stderr = execute(t, "check", "-o", "-", "-entry", "TestWell", "-sarif", "none/out.sarif", dir)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-sarif: ")
	code, _, stderr = execute(t, "check", "-o", "-", "-entry", "TestNone", "-sarif", "none.sarif", dir)
	require.Equal(t, exitUsage, code, stderr)
	data, err = os.ReadFile("none.sarif")
	require.NoError(t, err)
	require.Equal(t, "false", gjson.GetBytes(data, "runs.0.invocations.0.executionSuccessful").Raw)
	code, _, stderr = execute(t, "check", "-o", "-", "-entry", "TestWell", "-sarif", "one.sarif", dir)
	require.Equal(t, exitNothing, code, stderr)
	data, err = os.ReadFile("one.sarif")
	require.NoError(t, err)
	require.Empty(t, gjson.GetBytes(data, "runs.0.results").Array())
}
