package blackbox_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/output"
)

const racyProgram = `package q

import (
	"sync"
	"testing"
)

func TestCount(t *testing.T) {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			LOCK
			n++
			UNLOCK
		}()
	}
	wg.Wait()
	mu.Lock()
	t.Log(n)
	mu.Unlock()
}
`

// A data race is found, replayed, and kept as a regression test that passes
// when it is fixed.
func TestCheckRace(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(lock, unlock string) {
		t.Helper()
		text := strings.NewReplacer("UNLOCK", unlock, "LOCK", lock).Replace(racyProgram)
		require.NoError(t, os.WriteFile("q_test.go", []byte(text), 0o644))
	}
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	write("", "")
	code, stdout, stderr := execute(t, "check", "-race", "-entry", "TestCount", "-o", "out.vtz", ".")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "TestCount: 1 real error\n\n1. REAL: data race at q_test.go:17:4 in example.com/m.TestCount")
	require.Contains(t, stdout, "writes n at q_test.go:17")
	require.Contains(t, stdout, " n at q_test.go:17: n++\n              example.com/m.TestCount.func1 q_test.go:17\n")
	require.Contains(t, stdout, "interleaving:\n")
	require.Contains(t, stdout, "\ndata races: 1 in 0 replays and 200 runs under random schedules, ")
	require.NotContains(t, stdout, "Vtrace")

	code, stdout, stderr = execute(t, "replay", "out.vtz", "q1-1")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "reproduced: data race in goroutine ")
	code, _, stderr = execute(t, "export-test", "out.vtz", "q1-1")
	require.Equal(t, exitNothing, code, stderr)
	code, stdout, stderr = execute(t, "test", ".")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "FAIL TestOrchestration_TestCount_Q1_1: reproduced: data race in goroutine ")

	write("mu.Lock()", "mu.Unlock()")
	code, stdout, stderr = execute(t, "test", ".")
	require.Equal(t, exitNothing, code, stdout+stderr)
	require.Contains(t, stdout, "ok   TestOrchestration_TestCount_Q1_1: no longer reproducible")
	code, stdout, stderr = execute(t, "check", "-race", "-json", "-entry", "TestCount", "-o", "-", ".")
	require.Equal(t, exitNothing, code, stdout+stderr)
	var r output.EntryOutput
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Empty(t, r.Found)
	require.Equal(t, 200, r.Races.Runs)
}
