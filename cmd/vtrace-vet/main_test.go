package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
)

// runAsTool makes the test binary the command.
const runAsTool = "VTRACE_TEST_VET"

func TestMain(m *testing.M) {
	if os.Getenv(runAsTool) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// go vet shows what was found as long as the code is the same, also where it has kept the answer
// that there is nothing.
func TestGoVet(t *testing.T) {
	t.Parallel()
	dir, results := t.TempDir(), t.TempDir()
	const code = "package p\n\nimport \"sync\"\n\nfunc twice(mu *sync.Mutex) {\n\tmu.Lock()\n\tmu.Lock()\n}\n\nfunc unused() {}\n"
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.com/p\n\ngo 1.26\n")
	write("p.go", code)
	write("p_test.go", "package p\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestTwice(t *testing.T) {\n\tvar mu sync.Mutex\n\ttwice(&mu)\n}\n")
	exe, err := os.Executable()
	require.NoError(t, err)
	vet := func() string {
		cmd := exec.Command("go", "vet", "-vettool="+exe, "./...")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), runAsTool+"=1", "VTRACE_CACHE="+results)
		out, err := cmd.CombinedOutput()
		require.Equal(t, err != nil, len(out) > 0, "%s", out)
		return string(out)
	}
	const found = "p.go:7:2: deadlock: goroutine 0 waits at p.go:7 for mu, which it holds itself since p.go:6 (the program has done it, in a replay)"
	require.Empty(t, vet(), "it was not checked yet")
	_, err = vtrace.Check(context.Background(), vtrace.Dir(dir, vtrace.Entry("TestTwice")), vtrace.Results(results, 0))
	require.NoError(t, err)
	write("p.go", strings.Replace(code, "unused() {}", "unused() { println() }", 1))
	require.Contains(t, vet(), found, "the test cannot reach that")
	write("p.go", strings.Replace(code, "\tmu.Lock()\n}", "\tmu.Unlock()\n}", 1))
	require.Empty(t, vet())
}
