package pass

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// onePage is a program that is checked in seconds.
func onePage(t *testing.T) source.Spec {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/p\n\ngo 1.26\n",
		"main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"sync\"\n)\n\nfunc main() {\n\tvar wg sync.WaitGroup\n\twg.Go(func() { fmt.Println(1) })\n\twg.Wait()\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return source.Spec{Dir: dir, Pattern: "."}
}

// slowly stands for a machine on which all packages are to be compiled.
func slowly(t *testing.T, takes time.Duration) func(context.Context, orchestrate.Target, []string, orchestrate.BuildOptions) error {
	return func(ctx context.Context, _ orchestrate.Target, packages []string, opts orchestrate.BuildOptions) error {
		require.Equal(t, []string{"fmt", "sync"}, packages)
		require.FileExists(t, opts.Overlay)
		select {
		case <-time.After(takes):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// However long the machine takes for the packages that a program imports, its budget is whole
// behind that: in this test they take longer than all of it.
func TestLibrariesBeforeBudget(t *testing.T) {
	loaded, err := load(t.Context(), onePage(t))
	require.NoError(t, err)
	compiledLast.Store(nil)
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var stages []string
		again := func(context.Context, source.Spec) (*program, error) { return loaded, nil }
		b, err := checkWith(t.Context(), again, source.Spec{}, Options{
			Budget: time.Minute, compile: slowly(t, 5*time.Minute),
			Progress: func(e Event) {
				if s, ok := e.(StageDone); ok {
					stages = append(stages, s.Stage)
					if s.Stage == LibrariesStage {
						require.Equal(t, 5*time.Minute, s.Elapsed)
					}
				}
			},
		})
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(begun), 5*time.Minute)
		c := Conclude(b)
		require.False(t, c.Inconclusive(), c.Limits)
		require.Empty(t, b.Runs().Cut)
		require.Equal(t, 1, slices.Index(stages, LibrariesStage), "behind the program's load: %q", stages)
	})
}

// The time for the packages is bounded by itself, and ends with the check. Packages that were
// compiled are not asked for again.
func TestLibrariesBounded(t *testing.T) {
	p, err := load(t.Context(), onePage(t))
	require.NoError(t, err)
	compiledLast.Store(nil)
	synctest.Test(t, func(t *testing.T) {
		model := &Model{}
		took := func(ctx context.Context, takes time.Duration, opts Options) time.Duration {
			opts.Model, opts.compile = model, slowly(t, takes)
			begun := time.Now()
			p.compileLibraries(ctx, opts, reporter{artifact.PassFirst, nil})
			return time.Since(begun)
		}
		opts := Options{Budget: time.Minute}
		require.Equal(t, librariesLimit, took(t.Context(), 24*time.Hour, opts))

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		require.Equal(t, time.Second, took(ctx, time.Hour, opts))

		interrupt := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(interrupt) })
		require.Equal(t, time.Second, took(t.Context(), time.Hour, Options{Budget: time.Minute, Interrupt: interrupt}))

		require.Zero(t, took(t.Context(), time.Hour, Options{}), "without a budget nothing is to be saved")
		require.Equal(t, time.Minute, took(t.Context(), time.Minute, opts))
		require.Zero(t, took(t.Context(), time.Minute, opts), "they are compiled")
	})
}
