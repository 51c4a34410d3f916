package parse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// load loads a program of a single file.
func load(t *testing.T, text string) *source.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": text} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir})
	require.NoError(t, err)
	return prog
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	prog := load(t, "package main\n\nvar c = make(chan int, 1)\n\nfunc main() { c <- 1 }\n")
	idx := Index(prog)
	var send int
	for _, s := range idx.Sites() {
		if s.Kind == sites.Send {
			send = int(s.ID)
		}
	}
	for _, opts := range []Options{
		{Accesses: []int{send}},
		{Accesses: []int{-1}},
		{Accesses: []int{1 << 40}},
		{RuntimePath: "../orc"},
		{RuntimePath: "x", RuntimeDir: "/abs"},
	} {
		_, err := Instrument(ctx, prog, idx, opts)
		require.Error(t, err, opts)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := Instrument(cancelled, prog, idx, Options{})
	require.ErrorIs(t, err, context.Canceled)

	o, err := Instrument(ctx, prog, idx, Options{})
	require.NoError(t, err)
	require.Empty(t, o.Diagnostics)
	o.Files["../outside.go"] = nil
	_, err = o.Write(t.TempDir(), prog.Root, "/go")
	require.ErrorContains(t, err, "leads out")

	require.NoError(t, os.WriteFile(filepath.Join(prog.Root, "main.go"), []byte("package main\n"), 0o644))
	_, err = Instrument(ctx, prog, idx, Options{})
	require.ErrorContains(t, err, "main.go: changed since it was loaded")
}

// TestAccesses: exactly the statements asked for are scheduling points.
func TestAccesses(t *testing.T) {
	prog := load(t, `package main

func main() {
	x := 0
	for i := 0; i < 3; i++ {
		if x == i {
			x++
		} else if x > 7 {
			x--
		}
	}
L:
	for x < 5 {
		x++
		goto L
	}
}
`)
	idx := Index(prog)
	var ids []int
	for _, s := range idx.Sites() {
		if s.Kind == sites.Stmt && (s.Line == 5 && s.Col > 2 || s.Line == 8 || s.Line == 13 || s.Line == 12) {
			ids = append(ids, int(s.ID))
		}
	}
	o, err := Instrument(context.Background(), prog, idx, Options{Accesses: ids})
	require.NoError(t, err)
	require.Equal(t, `package main; import zzorc "vtraceorc"

func main() {
	x := 0
	for i := 0; zzorc.Access(3) == 0 && (i < 3); i++ {
		if x == i {
			x++
		} else { zzorc.Access(6); if x > 7 {
			x--
		} }
	}
L:
	for zzorc.Access(8) == 0 && (x < 5) {
		x++
		goto L
	}
}
`, string(o.Files["main.go"]))
	o, err = Instrument(context.Background(), prog, idx, Options{})
	require.NoError(t, err)
	require.NotContains(t, o.Files, "main.go")
}

// TestGoOfOperation: a goroutine that is one operation has the guard of the go
// statement, and that of the operation.
func TestGoOfOperation(t *testing.T) {
	prog := load(t, `package main

import "sync"

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	go wg.Done()
	wg.Wait()
}
`)
	idx := Index(prog)
	id := map[sites.Kind]sites.ID{}
	for _, s := range idx.Sites() {
		id[s.Kind] = s.ID
	}
	require.NotEqual(t, id[sites.Go], id[sites.WaitGroupDone])
	o, err := Instrument(context.Background(), prog, idx, Options{})
	require.NoError(t, err)
	require.Regexp(t, fmt.Sprintf(`zzorc\.Go\(%d, func\(\) \{ zzorc\.Done\(%d, `, id[sites.Go], id[sites.WaitGroupDone]), string(o.Files["main.go"]))
}
