package parse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// TestTestValues: what cannot be rewritten of a test's methods is reported where
// it stands.
func TestTestValues(t *testing.T) {
	const text = `package v

import "testing"

func TestValues(t *testing.T) {
	run := t.Run
	run("a", func(t *testing.T) { t.Parallel() })
	cleanup := (*testing.T).Cleanup
	cleanup(t, func() {})
	(*testing.T).Cleanup(t, func() {})
	_ = testing.TB.Context
	f, ctx := t.Cleanup, t.Context
	f(func() { <-ctx().Done() })
}
`
	ctx := context.Background()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/v\n\ngo 1.26\n", "v_test.go": text} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	prog, err := source.Load(ctx, source.Spec{Dir: dir, Entry: "TestValues"})
	require.NoError(t, err)
	o, err := Instrument(ctx, prog, Index(prog), Options{})
	require.NoError(t, err)
	require.Equal(t, "[v_test.go:6:11: (*testing.T).Run used as a value: not guarded "+
		"v_test.go:11:17: testing's Context used as a method expression: that of a subtest ends with the test around it]",
		fmt.Sprint(o.Diagnostics))
}
