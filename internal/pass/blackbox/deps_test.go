package blackbox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

// A deadlock in which the goroutines were started by a dependency, one that the
// go command keeps in the module cache.
const grouped = `package main

import "golang.org/x/sync/errgroup"

func main() {
	var g errgroup.Group
	c := make(chan int)
	g.Go(func() error { c <- 1; return nil })
	g.Go(func() error { c <- 2; return nil })
	<-c
	_ = g.Wait()
}
`

func TestDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	t.Parallel()
	sum, err := os.ReadFile("../../../go.sum")
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26.0\n\nrequire golang.org/x/sync v0.24.0\n", "go.sum": string(sum), "main.go": grouped,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	spec := source.Spec{Dir: dir, Deps: []string{"golang.org/x/sync/..."}}
	ctx := context.Background()

	x, err := pass.Explore(ctx, spec, 100, 1, pass.Options{})
	require.NoError(t, err)
	require.Empty(t, x.Limits)
	require.Empty(t, x.Restarts)
	require.Greater(t, x.Schedules, 20)
	require.Len(t, x.Ends, 2) // one sender or the other is left
	for _, e := range x.Ends {
		require.Equal(t, artifact.KindDeadlock, e.Kind)
		require.Equal(t, "reproduced", e.Replay.Status)
	}

	// Each pass from its bundle alone, which names no place of this machine.
	first, err := pass.First(ctx, spec, pass.Options{})
	require.NoError(t, err)
	second, err := pass.Second(ctx, first, pass.Options{})
	require.NoError(t, err)
	deep, err := pass.Deep(ctx, second, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"golang.org/x/sync@v0.24.0/errgroup/errgroup.go:56: real: deadlock"}, found(deep))
	cache := ""
	p, err := source.Load(ctx, spec)
	require.NoError(t, err)
	for _, d := range p.Dependencies {
		cache = strings.TrimSuffix(d.Dir, filepath.FromSlash(d.Name))
	}
	require.NotEmpty(t, cache)
	for _, f := range deep.Manifest().Files {
		data, _ := deep.Read(f.Path)
		require.False(t, bytes.Contains(data, []byte(dir)) || bytes.Contains(data, []byte(cache)), f.Path)
	}
	_, ok := deep.Read("overlay/program/golang.org/x/sync@v0.24.0/errgroup/errgroup.go")
	require.True(t, ok)

	// The regression test instruments the dependency too.
	e, err := pass.Export(deep, testOf(t, deep))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, e.Path), e.Data, 0o644))
	results, err := pass.RunExported(ctx, dir, nil, pass.Options{})
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, "reproduced", results[0].Verdict.Status, results[0].Verdict.Reason)
}

// testOf is the name of the test of the first finding.
func testOf(t *testing.T, b *artifact.Bundle) string {
	t.Helper()
	require.NotEmpty(t, b.Findings())
	return b.Findings()[0].Test
}
