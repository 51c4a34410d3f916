package vtrace_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/pass"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
)

// inMemory is a module with a package that the entry needs, an embedded file, and an error.
var inMemory = map[string][]byte{
	"go.mod":     []byte("module example.com/m\n\ngo 1.26\n"),
	"sub/sub.go": []byte("package sub\n\nimport (\n\t_ \"embed\"\n\t\"sync\"\n)\n\n//go:embed text\nvar Text string\n\nfunc Twice(mu *sync.Mutex) {\n\tmu.Lock()\n\tmu.Lock()\n}\n"),
	"sub/text":   []byte("text"),
	"main.go":    []byte("package main\n\nimport (\n\t\"sync\"\n\n\t\"example.com/m/sub\"\n)\n\nfunc main() {\n\tvar mu sync.Mutex\n\tprintln(sub.Text)\n\tsub.Twice(&mu)\n}\n"),
}

// All passes take a program from memory, of which nothing is on disk, and write nothing where it
// would be; the result is that for the same files on disk.
func TestOverlayInMemory(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	ctx := context.Background()
	dir, onDisk := t.TempDir(), t.TempDir()
	for name, text := range inMemory {
		require.NoError(t, os.MkdirAll(filepath.Join(onDisk, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(onDisk, name), text, 0o644))
	}
	src := vtrace.Dir(dir, vtrace.Overlay(inMemory))
	first, err := vtrace.FirstPass(ctx, src)
	require.NoError(t, err)
	second, err := vtrace.SecondPass(ctx, first)
	require.NoError(t, err)
	deep, err := vtrace.DeepPass(ctx, second)
	require.NoError(t, err)
	require.Len(t, deep.Findings(), 1)
	f := deep.Findings()[0]
	require.Equal(t, []any{artifact.Real, artifact.KindDeadlock, "sub/sub.go", 13}, []any{f.Verdict, f.Kind, f.File, f.Line}, "%+v", f)
	checked, err := vtrace.Check(ctx, src)
	require.NoError(t, err)
	require.Equal(t, deep.Findings(), checked.Findings())
	same, err := vtrace.Check(ctx, vtrace.Dir(onDisk))
	require.NoError(t, err)
	require.Equal(t, same.Digest(), checked.Digest())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	explored, err := vtrace.Explore(ctx, src, 3, 1)
	require.NoError(t, err)
	require.NotEmpty(t, explored.Ends)
	exhausted, err := vtrace.Exhaust(ctx, src, pass.Exhaustion{})
	require.NoError(t, err)
	require.NotEmpty(t, exhausted.Ends)
}

// What is not saved yet wins over what is on disk, in the digest of what is reached too.
func TestOverlayUnsaved(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("main.go", "package main\n\nfunc main() {}\n\nfunc other() {}\n")
	digest := func(text string) string {
		set, err := vtrace.Load(ctx, vtrace.Dir(dir, vtrace.Overlay(map[string][]byte{"main.go": []byte(text)})))
		require.NoError(t, err)
		d, err := set.Digest(set.Entries()[0])
		require.NoError(t, err)
		return d
	}
	saved := digest("package main\n\nfunc main() {}\n\nfunc other() {}\n")
	require.Equal(t, saved, digest("package main\n\nfunc main() {}\n\nfunc other() { println() }\n"), "it is not reached")
	require.NotEqual(t, saved, digest("package main\n\nfunc main() { println() }\n\nfunc other() {}\n"))

	var errs []vtrace.ProgramError
	_, err := vtrace.FirstPass(ctx, vtrace.Dir(dir, vtrace.Overlay(map[string][]byte{"main.go": []byte("package main\n\nfunc main() { x }\n")})))
	errs = vtrace.ProgramErrors(err)
	require.Len(t, errs, 1)
	require.Equal(t, vtrace.ProgramError{File: filepath.Join(dir, "main.go"), Line: 3, Col: 15, Message: "undefined: x"}, errs[0])
}
