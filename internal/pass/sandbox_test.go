package pass

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// What the options ask for, and what the system offers, decide what a program runs in.
func TestSandboxOffered(t *testing.T) {
	ctx := context.Background()
	none := func(context.Context, []string, string) (*orchestrate.Sandbox, error) {
		return nil, &SandboxError{Reason: "none in this test"}
	}
	lacking := func(context.Context, []string, string) (*orchestrate.Sandbox, error) {
		return &orchestrate.Sandbox{Unbounded: []string{"this", "that"}}, nil
	}
	whole := func(context.Context, []string, string) (*orchestrate.Sandbox, error) {
		return &orchestrate.Sandbox{}, nil
	}
	for _, c := range []struct {
		how       string
		system    func(context.Context, []string, string) (*orchestrate.Sandbox, error)
		sandboxed bool
		events    []Event
		err       string
	}{
		{"", none, false, nil, ""},
		{"", whole, false, nil, ""},
		{SandboxPreferred, none, false, []Event{Unsandboxed{Reason: "none in this test"}}, ""},
		{SandboxPreferred, lacking, true, []Event{Unsandboxed{Reason: "this; that", Partly: true}}, ""},
		{SandboxPreferred, whole, true, nil, ""},
		{SandboxRequired, none, false, nil, "no sandbox: none in this test"},
		{SandboxRequired, lacking, false, nil, "no sandbox: this; that"},
		{SandboxRequired, whole, true, nil, ""},
	} {
		var events []Event
		opts, close, err := Options{Sandbox: c.how, newSandbox: c.system, Progress: func(e Event) { events = append(events, e) }}.sandboxed(ctx, nil)
		if c.err != "" {
			var missing *SandboxError
			require.ErrorAs(t, err, &missing)
			require.EqualError(t, missing, c.err)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, c.sandboxed, opts.sandbox != nil)
		require.Equal(t, c.events, events)
		require.NoError(t, close())

		// The passes of a check do not ask again.
		again, close, err := opts.sandboxed(ctx, nil)
		require.NoError(t, close())
		if c.err == "" {
			require.NoError(t, err)
			require.Same(t, opts.sandbox, again.sandbox)
			require.Equal(t, c.events, events)
		}
	}
	var option *OptionError
	_, err := Options{Sandbox: "some"}.withDefaults()
	require.ErrorAs(t, err, &option)
}

// No way to run a program goes around a sandbox that is required, or is silent about one that
// is preferred and not there.
func TestSandboxEverywhere(t *testing.T) {
	programs.InLong(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/p\n\ngo 1.26\n",
		"main.go": "package main\n\nimport \"os\"\n\nfunc main() { os.WriteFile(\"ran\", nil, 0o600); c := make(chan int); go func() { c <- 1 }(); <-c; <-c }\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	ctx := context.Background()
	spec := source.Spec{Dir: dir, Pattern: "."}
	ran := func() bool {
		_, err := os.Stat(filepath.Join(dir, "ran"))
		return err == nil
	}
	first, err := First(ctx, spec, Options{})
	require.NoError(t, err)
	second, err := Second(ctx, first, Options{Root: dir})
	require.NoError(t, err)
	deep, err := Deep(ctx, second, Options{Root: dir})
	require.NoError(t, err)
	require.True(t, ran(), "without a sandbox it writes")
	require.NotEmpty(t, deep.Findings())
	require.NoError(t, os.Remove(filepath.Join(dir, "ran")))
	exported, err := Export(deep, deep.Findings()[0].Test)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(exported.Path)), exported.Data, 0o600))

	none := func(context.Context, []string, string) (*orchestrate.Sandbox, error) {
		return nil, &SandboxError{Reason: "none in this test"}
	}
	for name, do := range map[string]func(Options) error{
		"check": func(o Options) error { _, err := Check(ctx, spec, o); return err },
		"deep":  func(o Options) error { o.Root = dir; _, err := Deep(ctx, second, o); return err },
		"replay": func(o Options) error {
			o.Root = dir
			_, err := Replay(ctx, deep, deep.Findings()[0].Test, o)
			return err
		},
		"explore": func(o Options) error { _, err := Explore(ctx, spec, 10, 0, o); return err },
		"exhaust": func(o Options) error { _, err := Exhaust(ctx, spec, Exhaustion{}, o); return err },
		"test":    func(o Options) error { _, err := RunExported(ctx, dir, nil, o); return err },
		"complete": func(o Options) error {
			_, err := Complete(ctx, spec, CompleteOptions{Runs: 1}, o)
			return err
		},
	} {
		var missing *SandboxError
		require.ErrorAs(t, do(Options{Sandbox: SandboxRequired, newSandbox: none}), &missing, name)
		require.False(t, ran(), name)
	}
	for name, do := range map[string]func(Options) error{
		"replay": func(o Options) error {
			o.Root = dir
			_, err := Replay(ctx, deep, deep.Findings()[0].Test, o)
			return err
		},
		"test": func(o Options) error { _, err := RunExported(ctx, dir, nil, o); return err },
	} {
		var said []Event
		watch := func(e Event) {
			if _, ok := e.(Unsandboxed); ok {
				said = append(said, e)
			}
		}
		require.NoError(t, do(Options{Sandbox: SandboxPreferred, newSandbox: none, Progress: watch}), name)
		require.Equal(t, []Event{Unsandboxed{Reason: "none in this test"}}, said, name)
		require.True(t, ran(), name)
		require.NoError(t, os.Remove(filepath.Join(dir, "ran")))
		if err := do(Options{Sandbox: SandboxRequired}); err != nil {
			var missing *SandboxError
			require.ErrorAs(t, err, &missing, name)
			t.Skip(err)
		}
		require.False(t, ran(), name)
	}
}
