package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlugin(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	file := filepath.Join(dir, "main.go")
	const saved = "package main\n\nfunc main() {\n\tc := make(chan int, 1)\n\tc <- 1\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(file, []byte(saved), 0o644))
	var mu sync.Mutex
	var all []string
	p := newPlugin(func(s string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, s)
	})
	marks := func() string {
		found, err := p.check(ctx, dir, "main")
		require.NoError(t, err)
		return strings.Trim(fmt.Sprint(found), "[]")
	}
	require.Empty(t, marks())
	require.Contains(t, all, "first pass: load")
	p.edit(file, []byte(strings.Replace(saved, ", 1)", ")", 1)))
	require.Equal(t, "main.go:5:4: error: deadlock: goroutine 0 waits at main.go:5 to send on c, and nobody who is left receives from it", marks())
	p.edit(file, []byte(strings.Replace(saved, "c <- 1", "d <- 1", 1)))
	require.Contains(t, marks(), "main.go:5:2: error: build: undefined: d")

	// An edit ends the check of the text before.
	p.edit(file, []byte(saved))
	var once sync.Once
	p.status = func(string) { once.Do(func() { p.edit(file, []byte(saved+"\n")) }) }
	_, err := p.check(ctx, dir, "main")
	require.ErrorIs(t, err, context.Canceled)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, saved, string(text))
}
