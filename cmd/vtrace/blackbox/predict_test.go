package blackbox_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// A main that goes well, and of which the recording predicts a deadlock that main does not wait for. "vtrace record" has made
// the recording in testdata of the program here.
func TestPredict(t *testing.T) {
	recorded, err := os.ReadFile("testdata/predict.vtr")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("main.vtr", recorded, 0o644))
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile("main.go", []byte(`package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	var a, b sync.Mutex
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}()
	go func() {
		time.Sleep(10 * time.Millisecond)
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}()
	time.Sleep(100 * time.Millisecond)
	fmt.Println("done")
}
`), 0o644))
	require.NoError(t, os.WriteFile("main_test.go", []byte("package main\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n"), 0o644))
	code, stdout, stderr := execute(t, "predict", "-recording", "main.vtr", "-o", "main.vtz", ".")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "confirmed P05: possible cyclic deadlock of locks: lock mutex")
	require.Contains(t, stdout, "other orders that were tried: 2; an error was seen in 0, the program did not follow 0\n")
	require.Contains(t, stdout, "example.com/m main: 1 real error\n")
	require.Contains(t, stdout, "REAL: partial deadlock at main.go:13")
	require.Contains(t, stdout, "predicted from a recorded run (P05)")
	b, err := artifact.Load("main.vtz")
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1)

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-recording", "main.vtr", "-entry", "TestNothing", "."}, "recording: it is one of example.com/m.main, not of example.com/m.TestNothing"},
		{[]string{"-recording", "none.vtr", "."}, "none.vtr"},
		{[]string{"-recording", "main.vtz", "."}, "recording: it is none"},
		{[]string{"-record-timeout", "-1s", "."}, "-record-timeout is not negative"},
	} {
		code, _, stderr := execute(t, append([]string{"predict"}, c.args...)...)
		require.Equal(t, exitUsage, code, c.args)
		require.Contains(t, stderr, c.want)
	}
	require.NoError(t, os.WriteFile("main.go", []byte("package main\n\nfunc main() {}\n"), 0o644))
	code, _, stderr = execute(t, "predict", "-recording", "main.vtr", ".")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "the program has changed since: it has no example.com/m.main")
}
