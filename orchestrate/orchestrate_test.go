package orchestrate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/parse"
)

const locks = `package main

import "sync"

func main() {
	var a, b sync.Mutex
	go func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}()
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
}
`

// A program is instrumented, built, run at random until it ends in an error, and made to do the same again, by what the
// public packages have.
func TestByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("a program is built")
	}
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(locks), 0o644))
	instrumented, err := parse.Instrument(ctx, parse.Program{Dir: dir}, parse.Options{})
	require.NoError(t, err)
	require.Empty(t, instrumented.Diagnostics)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	overlay, err := instrumented.Write(t.TempDir(), dir, strings.TrimSpace(string(goroot)))
	require.NoError(t, err)
	target := orchestrate.Target{Root: dir, Dir: dir, Name: "main", Entry: artifact.Entry{Package: "example.com/m", Func: "main"}}
	bin, err := orchestrate.Build(ctx, target, orchestrate.BuildOptions{Overlay: overlay})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, bin.Close()) })

	var found *orchestrate.Recording
	for seed := uint64(0); found == nil; seed++ {
		require.Less(t, seed, uint64(100))
		r, err := bin.Record(ctx, &seed, orchestrate.RunOptions{})
		require.NoError(t, err)
		if r.Verdict.Kind == artifact.KindDeadlock {
			found = r
		}
	}
	v, err := orchestrate.Replay(ctx, bin, found.Plan, orchestrate.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, orchestrate.Reproduced, v.Status, v.Reason)
	once, err := bin.Run(ctx, found.Plan, orchestrate.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, v.Trace, once.Trace)

	// A plan for which somebody stands elsewhere is not followed.
	other := found.Plan
	other.Steps = append(other.Steps[:1:1], artifact.PlanStep{G: "0.7", Site: other.Steps[0].Site})
	v, err = orchestrate.Replay(ctx, bin, other, orchestrate.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, orchestrate.Infeasible, v.Status, v.Reason)
}
