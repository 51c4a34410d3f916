package pass

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// TestSharedBuild: a check builds the program once, however many parts of it run it. It leaves nothing
// behind.
func TestSharedBuild(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	built := countBuilds(t)
	var explored atomic.Int32
	opts := Options{
		timing: &engineTiming{steps: exhaustSteps}, // both engines begin at once
		Progress: func(e Event) {
			if e == (StageStarted{Pass: artifact.PassDeep, Stage: "explore"}) {
				explored.Add(1)
			}
		},
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module shared\n\ngo 1.25\n",
		"main.go": "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() { c <- 1 }()\n\tfmt.Println(<-c)\n\tvar all []int\n\tgo func() { c <- 2 }()\n\tselect {\n\tcase x := <-c:\n\t\tall = append(all, x)\n\tdefault:\n\t}\n\tfmt.Println(all)\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	b, err := Check(t.Context(), source.Spec{Dir: dir}, opts)
	require.NoError(t, err)
	require.Empty(t, b.Findings())
	require.Equal(t, 1, built())
	require.Greater(t, explored.Load(), int32(2)) // the second engine, random runs, schedules that are looked at for races
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}
