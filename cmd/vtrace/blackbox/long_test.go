package blackbox_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// A lock that is taken and given back in turn: after so many times it is held, and the test waits for itself.
const longProgram = `package q

import (
	"sync"
	"testing"
)

func TestTurns(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	for i := 0; i < 20000; i++ {
		if i%2 == 0 {
			mu.Unlock()
		} else {
			mu.Lock()
		}
	}
	mu.Lock()
}
`

// An error that takes twenty thousand steps is shown again by all that a check leaves behind, which says but once what
// the loop does.
func TestLongTrace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("q", 0o755))
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join("q", "q_test.go"), []byte(longProgram), 0o644))
	code, stdout, stderr := execute(t, "check", "-entry", "TestTurns", "-o", "out.vtz", "./q")
	require.Equal(t, exitReal, code, stdout+stderr)
	require.Regexp(t, regexp.MustCompile(`steps 4-\d+: steps 2-3 again, \d{4} times`), stdout)

	b, err := artifact.Load("out.vtz")
	require.NoError(t, err)
	for _, f := range b.Findings() {
		if f.Verdict != artifact.Real {
			continue
		}
		require.Greater(t, len(f.Interleaving), 20_000)
		require.Greater(t, len(b.TraceAt(f.Trace).Steps), 20_000)
		for _, path := range []string{f.Trace, f.Test} {
			data, ok := b.Read(path)
			require.True(t, ok, path)
			require.Less(t, len(data), 30_000, path)
		}
	}
	findings, _ := b.Read(artifact.FindingsPath)
	require.Less(t, len(findings), 30_000)

	name := realTest(t, b)
	code, stdout, stderr = execute(t, "replay", "out.vtz", name)
	require.Equal(t, exitReal, code, stdout+stderr)
	code, stdout, stderr = execute(t, "bundle", "verify", "out.vtz")
	require.Equal(t, exitNothing, code, stdout+stderr)
	// The test says it in Go.
	code, stdout, stderr = execute(t, "export-test", "out.vtz", name)
	require.Equal(t, exitNothing, code, stdout+stderr)
	code, stdout, stderr = execute(t, "test", "./q")
	require.Equal(t, exitReal, code, stdout+stderr)
	require.Contains(t, stdout, ": reproduced: deadlock")
}

// realTest is the name of the test of the real finding.
func realTest(t *testing.T, b *artifact.Bundle) string {
	t.Helper()
	for _, f := range b.Findings() {
		if f.Verdict == artifact.Real {
			return regexp.MustCompile(`^tests/(.*)_test\.go$`).FindStringSubmatch(f.Test)[1]
		}
	}
	require.Fail(t, "no real finding")
	return ""
}
