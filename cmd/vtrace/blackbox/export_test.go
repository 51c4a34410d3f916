package blackbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const exportedProgram = `package q

import "testing"

func TestClose(t *testing.T) {
	n := 0
	done := make(chan bool)
	go func() {
		n++
		close(done)
	}()
	if n == 0 {
		close(done)
	}
	<-done
}
`

// A regression test fails while the error is there, wherever it has moved to,
// and passes when it is fixed.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join("q", "q_test.go"), []byte(text), 0o644))
	}
	require.NoError(t, os.Mkdir("q", 0o755))
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	write(exportedProgram)
	code, stdout, stderr := execute(t, "check", "-entry", "TestClose", "-o", "out.vtz", "./q")
	require.Equal(t, exitReal, code, stdout+stderr)

	code, stdout, stderr = execute(t, "export-test", "out.vtz", "q1-1")
	require.Equal(t, exitNothing, code, stderr)
	file := filepath.Join("q", "vtrace_testclose_q1_1_test.go")
	require.Equal(t, "wrote "+filepath.Join(dir, file)+": TestOrchestration_TestClose_Q1_1\nrun it with: vtrace test example.com/m/q\n", stdout)
	code, _, stderr = execute(t, "export-test", "out.vtz", "q1-1")
	require.Equal(t, exitNothing, code, stderr) // the same once more
	code, _, stderr = execute(t, "export-test", "-o", "q", "out.vtz", "q2-1")
	require.Equal(t, exitNothing, code, stderr)
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(src), "//\tvtrace test example.com/m/q\n")
	require.NotContains(t, string(src), dir)

	_, cmd, _ := strings.Cut(stdout, "run it with: vtrace ")
	code, stdout, stderr = execute(t, strings.Fields(cmd)...)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "FAIL TestOrchestration_TestClose_Q1_1: reproduced: close of closed channel in goroutine 0: panic: close of closed channel\n")
	require.Contains(t, stdout, "FAIL TestOrchestration_TestClose_Q2_1: reproduced: close of closed channel in goroutine 0.1")

	// Edits elsewhere do not matter.
	write(strings.Replace(exportedProgram, "func TestClose", "func helper(c chan int) {\n\tgo func() { c <- 1 }()\n\t<-c\n}\n\n// Of closing.\nfunc TestClose", 1))
	code, stdout, stderr = execute(t, "test", "-v", "-run", "Q1", "./q")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "0.000s 0.1  :  q/q_test.go:16: close(done)")
	require.NotContains(t, stdout, "Q2")

	// Nor do edits in the function that leave the operations as they are.
	write(strings.Replace(exportedProgram, "\tif n == 0 {", "\tother := make(chan int, 1)\n\tother <- n\n\tif n == 0 {", 1))
	code, stdout, stderr = execute(t, "test", "./q")
	require.Equal(t, exitReal, code, stderr) // there is an operation between, and still the error
	require.Contains(t, stdout, "FAIL TestOrchestration_TestClose_Q1_1: reproduced: ")
	write(strings.Replace(exportedProgram, "\t<-done\n", "\tother := make(chan int, 1)\n\tother <- n\n\t<-done\n", 1))
	code, _, stderr = execute(t, "test", "./q")
	require.Equal(t, exitReal, code, stderr)

	// The fix.
	write(strings.Replace(exportedProgram, "\tif n == 0 {\n\t\tclose(done)\n\t}\n", "", 1))
	code, stdout, stderr = execute(t, "test", "./q")
	require.Equal(t, exitNothing, code, stdout+stderr)
	require.Contains(t, stdout, "ok   TestOrchestration_TestClose_Q1_1: no longer reproducible at step 7: ")
	require.Contains(t, stdout, "the program has no site like example.com/m/q.TestClose#2 any more")
	write(strings.Replace(exportedProgram, "if n == 0 {\n\t\tclose(done)", "if n == 0 {\n\t\t<-done", 1))
	code, stdout, stderr = execute(t, "test", "./q")
	require.Equal(t, exitNothing, code, stdout+stderr)
	require.Contains(t, stdout, "ok   TestOrchestration_TestClose_Q2_1: no longer reproducible at step 3: step 3 of 7 could not be done")

	// Not to be written over.
	require.NoError(t, os.WriteFile(file, append(src, "// kept\n"...), 0o644))
	code, _, stderr = execute(t, "export-test", "out.vtz", "q1-1")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "exists, with other content")
}

func TestExportUsage(t *testing.T) {
	dir := program(t, "sequences")
	for _, c := range []struct {
		args   []string
		stderr string
	}{
		{[]string{"export-test", "nowhere.vtz", "q1-1"}, "nowhere.vtz"},
		{[]string{"export-test", "nowhere.vtz"}, "usage: vtrace export-test [flags] BUNDLE TEST"},
		{[]string{"test", "-run", "(", dir}, "-run"},
		{[]string{"test", "nowhere"}, "nowhere does not name a package"},
		{[]string{"test", dir}, "has no exported tests"},
	} {
		code, _, stderr := execute(t, c.args...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, c.stderr)
	}
}
