package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
)

func TestPasses(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dir := t.TempDir()
	ctx := context.Background()
	require.NoError(t, passes(ctx, vtrace.Package("../../funcarg"), dir, &out))
	require.Equal(t, `  first: query 1 fails
first pass:
  possible panic at examples/funcarg/main.go:13
  second: query 1 fails
second pass:
  possible panic at examples/funcarg/main.go:13
deep pass:
  real panic at examples/funcarg/main.go:13
replay of finding 1: reproduced
`, out.String())
	out.Reset()
	require.NoError(t, passes(ctx, vtrace.Package("../../funcarg_fixed"), dir, &out))
	require.Equal(t, "first pass:\n", out.String())

	src := map[string][]byte{"go.mod": []byte("module m\n\ngo 1.26\n"), "main.go": []byte("package main\n\nfunc main() { x() }\n")}
	err := passes(ctx, vtrace.Dir(dir, vtrace.Overlay(src)), dir, &out)
	require.Equal(t, "the program does not build: main.go:3:15: undefined: x", explain(err))
	err = passes(ctx, vtrace.Package("../../funcarg", vtrace.Entry("TestNone")), dir, &out)
	require.Contains(t, explain(err), "name one of the entry points: ")
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	require.Equal(t, "interrupted", explain(passes(ctx, vtrace.Package("../../funcarg"), dir, &out)))
}
