package blackbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

const forkProgram = `package main

import "fmt"

func limit() int { return 3 }

var name = "first"

func main() {
	a, b := make(chan int, 1), make(chan int)
	go func() {
		if limit() > 2 {
			<-a
		}
		b <- 1
	}()
	fmt.Println(name)
	<-b
}
`

// forked are the bundles of the first two passes of a program with a deadlock.
func forked(t *testing.T) (first, second *artifact.Bundle) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/fork\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(forkProgram), 0o600))
	ctx := context.Background()
	first, err := pass.First(ctx, source.Spec{Dir: dir, Pattern: "."}, pass.Options{})
	require.NoError(t, err)
	second, err = pass.Second(ctx, first, pass.Options{})
	require.NoError(t, err)
	return first, second
}

// change unpacks a bundle, replaces text in a file, and adopts the result.
func change(t *testing.T, b *artifact.Bundle, file string, edits ...string) (*artifact.Bundle, error) {
	dir := filepath.Join(t.TempDir(), "unpacked")
	require.NoError(t, pass.Unpack(b, dir))
	path := filepath.Join(dir, pass.UnpackedProgram, filepath.FromSlash(file))
	if len(edits) > 0 {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := 0; i < len(edits); i += 2 {
			require.Contains(t, string(text), edits[i])
		}
		require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer(edits...).Replace(string(text))), 0o600))
	}
	return pass.Adopt(context.Background(), dir, pass.Options{})
}

// replay replays the first test of a bundle.
func replay(t *testing.T, b *artifact.Bundle) *orchestrate.Verdict {
	v, err := pass.Replay(context.Background(), b, "q1-1", pass.Options{})
	require.NoError(t, err)
	return v
}

// A program that is changed by hand in its instrumented form is replayed as it is then, and the
// bundle of it says what was changed, and claims nothing that only the model says.
func TestAdopt(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	ctx := context.Background()
	first, second := forked(t)
	deep, err := pass.Deep(ctx, second, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, artifact.Real, deep.Findings()[0].Verdict)
	same, err := change(t, deep, "main.go")
	require.NoError(t, err)
	require.Equal(t, deep.Digest(), same.Digest(), "nothing was changed")

	// Without a change of what it does the error is there, with it it is gone.
	require.Equal(t, orchestrate.Reproduced, replay(t, deep).Status)
	louder, err := change(t, deep, "main.go", "fmt.Println(name)", "fmt.Println(name)\n\tfmt.Println(\"changed\")")
	require.NoError(t, err)
	v := replay(t, louder)
	require.Equal(t, orchestrate.Reproduced, v.Status)
	require.Equal(t, "first\nchanged\n", v.Stdout)
	mended, err := change(t, deep, "main.go", "return 3", "return 1")
	require.NoError(t, err)
	require.NotEqual(t, orchestrate.Reproduced, replay(t, mended).Status)

	m := mended.Manifest()
	require.Equal(t, deep.Digest(), m.Parent)
	require.Equal(t, artifact.PassDeep, m.Pass)
	require.Equal(t, []string{"overlay/program/main.go"}, m.Changed)
	require.Equal(t, deep.Manifest().Source, m.Source)
	require.Equal(t, artifact.Unconfirmed, mended.Findings()[0].Verdict)
	require.Empty(t, bundle.Verify(mended))
	require.Empty(t, bundle.VerifyParent(mended, deep))
	require.NotEmpty(t, bundle.VerifyParent(mended, second))
	again, err := change(t, deep, "main.go", "return 3", "return 1")
	require.NoError(t, err)
	require.Equal(t, mended.Digest(), again.Digest())
	_, err = pass.Export(mended, "q1-1")
	var changed *pass.ChangeError
	require.ErrorAs(t, err, &changed)

	// A change of what was changed.
	back, err := change(t, mended, "main.go", "return 1", "return 3")
	require.NoError(t, err)
	require.Equal(t, orchestrate.Reproduced, replay(t, back).Status)
	require.Equal(t, []string{"overlay/program/main.go"}, back.Manifest().Changed)

	// The deep pass goes on from a second pass that was changed: what it finds is of the changed
	// program, and that there is nothing is not certain.
	fork, err := change(t, second, "main.go", "return 3", "return 1")
	require.NoError(t, err)
	after, err := pass.Deep(ctx, fork, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"overlay/program/main.go"}, after.Manifest().Changed)
	c := pass.Conclude(after)
	require.Zero(t, c.Real)
	require.False(t, c.Proved)
	require.True(t, c.Inconclusive())
	require.Contains(t, strings.Join(c.Limits, "\n"), "main.go:1:1: not in the model: the instrumented file was changed by hand")
	// From the first pass on the model is that of the change, with all that is certain of it.
	fork, err = change(t, first, "main.go", "return 3", "return 1", "\tfmt.Println(name)\n", "\tfmt.Println(name)\n\tgo func() { a <- 1 }()\n")
	require.NoError(t, err)
	require.Equal(t, []string{"source/main.go"}, fork.Manifest().Changed)
	require.Equal(t, first.Digest(), fork.Manifest().Parent)
	require.NotEqual(t, first.Manifest().Source, fork.Manifest().Source)
	require.NotEqual(t, first.Model(), fork.Model())
	require.Empty(t, bundle.VerifyParent(fork, first))
	next, err := pass.Second(ctx, fork, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"source/main.go"}, next.Manifest().Changed)
	require.Empty(t, next.Findings(), "the change has mended it, and the model says so")
	require.False(t, pass.Conclude(next).Inconclusive())
}

// What later passes could not go on with is refused when it is adopted.
func TestAdoptRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	_, second := forked(t)
	for name, c := range map[string]struct {
		file   string
		edits  []string
		reason string
	}{
		"goroutine": {"main.go", []string{"fmt.Println(name)", "go fmt.Println(name)"}, "a go statement, which has no guard"},
		"send":      {"main.go", []string{"fmt.Println(name)", "a <- 1"}, "a send, which has no guard"},
		"receive":   {"main.go", []string{"fmt.Println(name)", "fmt.Println(<-a)"}, "a receive, which has no guard"},
		"import":    {"main.go", []string{`import "fmt"`, "import \"fmt\"\nimport \"sync\"\nvar mu sync.Mutex"}, "the import of sync, which has no guard"},
		"twice":     {"main.go", []string{"fmt.Println(name)", "zzorc.Recv(18, b)"}, "stands there"},
		"reset":     {"main.go", []string{`var name = "first"`, `var name = "other"`}, "is set to"},
		"syntax":    {"main.go", []string{"func main() {", "func main() { ("}, "expected"},
		"generated": {"zz_vtrace_gen.go", []string{"package main", "package main\n\n"}, "it is generated"},
		"module":    {"go.mod", []string{"go 1.26", "go 1.25"}, "it is not instrumented"},
	} {
		_, err := change(t, second, c.file, c.edits...)
		var changed *pass.ChangeError
		require.ErrorAs(t, err, &changed, name)
		require.Equal(t, c.file, changed.File, name)
		require.Contains(t, changed.Reason, c.reason, name)
	}
	_, err := change(t, second, "main.go", "return 3", `return "3"`)
	var build *orchestrate.BuildError
	require.ErrorAs(t, err, &build)

	dir := filepath.Join(t.TempDir(), "unpacked")
	require.NoError(t, pass.Unpack(second, dir))
	require.ErrorIs(t, pass.Unpack(second, dir), os.ErrExist)
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, pass.UnpackedProgram, "link")))
	_, err = pass.Adopt(context.Background(), dir, pass.Options{})
	require.ErrorContains(t, err, "link: it is neither a file nor a directory")
	require.NoError(t, os.Remove(filepath.Join(dir, pass.UnpackedProgram, "link")))
	require.NoError(t, os.Remove(filepath.Join(dir, pass.UnpackedProgram, "main.go")))
	_, err = pass.Adopt(context.Background(), dir, pass.Options{})
	require.ErrorContains(t, err, "main.go: it was removed")

	// What is changed in a bundle itself is refused, as ever.
	at := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, artifact.Save(second, at))
	path := filepath.Join(at, "overlay", "program", "main.go")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), "return 3", "return 1", 1)), 0o600))
	_, err = artifact.Load(at)
	var corrupt *artifact.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, "overlay/program/main.go", corrupt.File)
}
