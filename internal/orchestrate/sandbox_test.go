package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The launcher is built once, however many need it at a time or one after the other, and all
// that was written for it is gone when they have closed their sandboxes.
func TestSandboxBuiltOnce(t *testing.T) {
	command, err := exec.LookPath("go")
	require.NoError(t, err)
	bin, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	calls := filepath.Join(bin, "calls")
	counting := filepath.Join(bin, "go")
	require.NoError(t, os.WriteFile(counting, fmt.Appendf(nil, "#!/bin/sh\necho \"$@\" >> %s\nexec %s \"$@\"\n", calls, command), 0o700))
	for range 2 {
		var all sync.WaitGroup
		errs := make(chan error, 4)
		for range cap(errs) {
			all.Go(func() {
				s, err := NewSandbox(t.Context(), nil, counting)
				if err == nil {
					err = s.Close()
				}
				errs <- err
			})
		}
		all.Wait()
		close(errs)
		for err := range errs {
			var missing *SandboxError
			if errors.As(err, &missing) {
				t.Skip(err)
			}
			require.NoError(t, err)
		}
	}
	data, err := os.ReadFile(calls)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), "\n"), "%s", data)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	for _, e := range left {
		require.False(t, strings.HasPrefix(e.Name(), "vtrace-"), e.Name())
	}
}

// Of what is built the last is kept. Who waits for another build ends with his context, and what
// has failed is tried again.
func TestLastBuilt(t *testing.T) {
	l := lastBuilt{turn: make(chan struct{}, 1)}
	builds := 0
	build := func(text string, err error) func() ([]byte, error) {
		return func() ([]byte, error) { builds++; return []byte(text), err }
	}
	failed := errors.New("failed")
	for _, c := range []struct {
		key   string
		build func() ([]byte, error)
		want  string
		err   error
		count int
	}{
		{"a", build("", failed), "", failed, 1},
		{"a", build("1", nil), "1", nil, 2},
		{"a", build("2", nil), "1", nil, 2},
		{"b", build("", failed), "", failed, 3},
		{"a", build("3", nil), "1", nil, 3},
		{"b", build("4", nil), "4", nil, 4},
		{"a", build("5", nil), "5", nil, 5},
	} {
		got, err := l.get(t.Context(), c.key, c.build)
		require.Equal(t, c.err, err)
		require.Equal(t, c.want, string(got))
		require.Equal(t, c.count, builds)
	}
	_, err := l.get(t.Context(), "c", func() ([]byte, error) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := l.get(ctx, "c", build("", nil))
		return nil, err
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 5, builds)
}
