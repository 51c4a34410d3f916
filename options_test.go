package vtrace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var errNotNow = errors.New("not now")

// idle is an engine that answers nothing.
type idle struct{}

func (idle) Verify(context.Context, *uppaal.Network, []*uppaal.Query, check.Options) (*check.Report, error) {
	return nil, errNotNow
}

// The directory, the environment and the engine are the caller's.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/p\n\ngo 1.26\n",
		"main.go":      "package main\n\nfunc main() { <-c }\n",
		"c_linux.go":   "package main\n\nvar c = make(chan int)\n",
		"c_windows.go": "package main\n\nvar c = func() chan int { c := make(chan int); close(c); return c }()\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	ctx := context.Background()
	digests := map[string]bool{}
	for system, findings := range map[string]int{"linux": 1, "windows": 0} {
		src := vtrace.Package(".", vtrace.In(dir), vtrace.Env(append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")...))
		b, err := vtrace.FirstPass(ctx, src)
		require.NoError(t, err)
		require.Len(t, b.Findings(), findings, system)
		again, err := vtrace.FirstPass(ctx, src)
		require.NoError(t, err)
		require.Equal(t, b.Digest(), again.Digest())
		digests[b.Digest()] = true

		_, err = vtrace.FirstPass(ctx, src, vtrace.Verifyta(filepath.Join(dir, "no engine")))
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	require.Len(t, digests, 2)
	_, err := pass.First(ctx, source.Spec{Dir: dir, Pattern: "."}, pass.Options{Engine: idle{}})
	require.ErrorIs(t, err, errNotNow)
}
