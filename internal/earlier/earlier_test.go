package earlier_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

const (
	mainFile = "package main\n\nimport \"example.com/m/sub\"\n\nfunc main() { sub.F() }\n"
	subFile  = "package sub\n\nimport \"sync\"\n\nvar mu sync.Mutex\n\nfunc init() {}\n\nfunc init() { println() }\n\ntype T[P any] struct{}\n\nfunc (*T[P]) M() {}\n\nfunc F() {\n\tmu.Lock()\n\tmu.Lock()\n}\n\nfunc unused() {}\n"
)

// write writes a module below a new directory, and returns that of the module.
func write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": mainFile, "sub/sub.go": subFile} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// with reads files from disk but for one.
func with(name, text string) earlier.ReadFile {
	return func(n string) ([]byte, error) {
		if n == name {
			return []byte(text), nil
		}
		return os.ReadFile(n)
	}
}

// A finding in another module is shown where the program leads to it.
func TestAnchor(t *testing.T) {
	t.Parallel()
	const other = "golang.org/x/sync@v0.1.0/errgroup/errgroup.go"
	steps := []artifact.FindingStep{{File: "a.go", Line: 1}, {File: "b.go", Line: 2}, {File: other, Line: 3}, {}}
	for name, c := range map[string]struct {
		finding artifact.Finding
		file    string
		line    int
	}{
		"its place":   {artifact.Finding{File: "x.go", Line: 9, Interleaving: steps}, "x.go", 9},
		"a step":      {artifact.Finding{File: other, Line: 9, Interleaving: steps}, "b.go", 2},
		"a goroutine": {artifact.Finding{File: "$GOROOT/src/container/list/list.go", Line: 9, Goroutines: []artifact.FindingGoroutine{{}, {File: "c.go", Line: 4}}}, "c.go", 4},
		"none":        {artifact.Finding{File: other, Line: 9}, "", 0},
	} {
		at, ok := earlier.Anchor(c.finding)
		require.Equal(t, []any{c.file, c.line, c.file != ""}, []any{at.File, at.Line, ok}, name)
	}
}

// What a program has outside of its own files is known to be there.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files     map[string]string
		vendor    bool
		elsewhere bool
	}{
		"a module":             {map[string]string{"go.mod": "module m\n\nreplace a => b v1.0.0\n"}, false, false},
		"a replacement":        {map[string]string{"go.mod": "module m\n\nreplace a => ../a\n"}, false, true},
		"one of a workspace":   {map[string]string{"go.work": "go 1.26\n", "a/go.mod": "module a\n"}, false, true},
		"a directory vendor":   {map[string]string{"go.mod": "module m\n"}, true, true},
		"what cannot be read":  {map[string]string{"go.mod": "nonsense\n"}, false, true},
		"a module without one": {map[string]string{"x.go": "package x\n"}, false, false},
	} {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassTranslate, Tool: "devel", Go: "go1.26.0", Entry: artifact.Entry{Package: "m", Func: "main"}})
		for path, text := range c.files {
			b.AddSource(path, []byte(text))
		}
		built, err := b.Bundle()
		require.NoError(t, err)
		r := earlier.Result{Bundle: built, Root: t.TempDir()}
		if c.vendor {
			require.NoError(t, os.Mkdir(filepath.Join(r.Root, "vendor"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(r.Root, "vendor", "modules.txt"), nil, 0o644))
		}
		require.Equal(t, c.elsewhere, r.Elsewhere(), name)
	}
}

// keptIn are the results for a program.
func keptIn(t *testing.T, results kept.Results, at string, match func(artifact.Entry) bool) (out []earlier.Result) {
	t.Helper()
	candidates, err := earlier.Candidates(results, match)
	require.NoError(t, err)
	for _, c := range candidates {
		if r, ok := c.Best(at, os.ReadFile); ok {
			out = append(out, r)
		}
	}
	return out
}

// A device, a pipe, and what is much larger than it was are not read in place of a file.
func TestReadInPlace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it has files of Linux")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "x.go")
	b := artifact.New(artifact.Manifest{Pass: artifact.PassTranslate, Tool: "devel", Go: "go1.26.0", Entry: artifact.Entry{Package: "m", Func: "main"}})
	b.AddSource("x.go", []byte("package x\n"))
	built, err := b.Bundle()
	require.NoError(t, err)
	result := earlier.Result{Bundle: built, Root: dir}
	put := func(text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o644)) }
	put("package x\n")
	require.True(t, result.Compare(earlier.Read).Same())
	for what, replace := range map[string]func(){
		"a pipe":              func() { require.NoError(t, exec.Command("mkfifo", name).Run()) },
		"a device":            func() { require.NoError(t, os.Symlink("/dev/zero", name)) },
		"a file of no size":   func() { require.NoError(t, os.Symlink("/proc/self/status", name)) },
		"a directory":         func() { require.NoError(t, os.Mkdir(name, 0o755)) },
		"a file of 1 GiB":     func() { put(""); require.NoError(t, os.Truncate(name, 1<<30)) },
		"a file of some size": func() { put(strings.Repeat("\n", 1<<17)) },
	} {
		require.NoError(t, os.Remove(name))
		replace()
		read := 0
		c := result.Compare(func(n string) ([]byte, error) {
			data, err := earlier.Read(n)
			read += len(data)
			return data, err
		})
		require.False(t, c.Same(), what)
		_, state := c.Locate("x.go", 1, 0)
		require.Equal(t, earlier.Gone, state, what)
		require.Zero(t, read, what)
		if what != "a file of some size" {
			_, err := earlier.Read(name)
			require.Error(t, err, what)
		}
	}
	// A buffer counts, and not what is on disk.
	require.NoError(t, os.Remove(name))
	require.True(t, result.Compare(with(name, "package x\n")).Same())
}

func TestEarlier(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := write(t)
	results := kept.Results{Dir: t.TempDir()}
	b, err := pass.Check(ctx, source.Spec{Dir: dir}, pass.Options{Results: &results})
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1)
	f := b.Findings()[0]
	sub := filepath.Join(dir, "sub", "sub.go")
	main := func(e artifact.Entry) bool { return e == artifact.Entry{Package: "example.com/m", Func: "main"} }

	path, ok := earlier.ImportPath(filepath.Join(dir, "sub"))
	require.True(t, ok)
	require.Equal(t, "example.com/m/sub", path)
	_, ok = earlier.ImportPath(filepath.Dir(dir))
	require.False(t, ok)

	found := keptIn(t, results, filepath.Join(dir, "sub"), main)
	require.Len(t, found, 1)
	require.Equal(t, []any{b.Digest(), dir, true}, []any{found[0].Bundle.Digest(), found[0].Root, found[0].Same})
	none := keptIn(t, results, dir, func(artifact.Entry) bool { return false })
	require.Empty(t, none)
	none = keptIn(t, results, t.TempDir(), main)
	require.Empty(t, none, "the program is elsewhere")

	// What has become of the finding, and whether the result holds for the program, which is
	// more exact.
	for name, c := range map[string]struct {
		old, text string
		state     earlier.State
		line      int // of the second Lock
		holds     bool
	}{
		"nothing":                  {"", "", earlier.Unchanged, 17, true},
		"what is not reached":      {"func unused() {}", "func unused() { println() }", earlier.Elsewhere, 17, true},
		"a line above":             {"func F", "\nfunc F", earlier.Elsewhere, 18, false},
		"initialisation":           {"{ println() }", "{ println(1) }", earlier.Elsewhere, 17, false},
		"the function":             {"\tmu.Lock()\n}", "\tmu.Unlock()\n}", earlier.Changed, 15, false},
		"its name":                 {"func F()", "func G()", earlier.Gone, 17, false},
		"what does not parse":      {"func F() {", "func F() {{", earlier.Changed, 15, false},
		"a file that is not there": {subFile, "", earlier.Changed, 1, false},
	} {
		text := subFile
		if c.old != "" {
			text = strings.Replace(subFile, c.old, c.text, 1)
		}
		cmp := found[0].Compare(with(sub, text))
		require.Equal(t, c.state, cmp.State(f), name)
		require.Equal(t, c.state == earlier.Unchanged, cmp.Same(), name)
		place, _ := cmp.Locate(f.File, f.Line, f.Col)
		require.Equal(t, []any{sub, c.line}, []any{place.File, place.Line}, name)
		holds, err := pass.Holds(ctx, b, dir, map[string][]byte{sub: []byte(text)})
		require.NoError(t, err, name)
		require.Equal(t, c.holds, holds, name)
	}
	gone := func(n string) ([]byte, error) {
		if n == sub {
			return nil, os.ErrNotExist
		}
		return os.ReadFile(n)
	}
	require.Equal(t, earlier.Gone, found[0].Compare(gone).State(f))

	// A new file belongs to the package, where it is not a test.
	for name, same := range map[string]bool{"new_test.go": true, "_x.go": true, "x.txt": true, "new.go": false} {
		path := filepath.Join(dir, "sub", name)
		require.NoError(t, os.WriteFile(path, []byte("package sub\n"), 0o644))
		require.Equal(t, same, earlier.Same(b.Manifest(), dir, os.ReadFile), name)
		require.NoError(t, os.Remove(path))
	}
	// Of several results the one of the same files, though another is newer.
	require.NoError(t, os.WriteFile(sub, []byte(strings.Replace(subFile, "unused", "unused2", 1)), 0o644))
	newer, err := pass.Check(ctx, source.Spec{Dir: dir}, pass.Options{Results: &results, RunDepth: 2})
	require.NoError(t, err)
	found = keptIn(t, results, dir, main)
	require.Equal(t, newer.Digest(), found[0].Bundle.Digest())
	require.NoError(t, os.WriteFile(sub, []byte(subFile), 0o644))
	found = keptIn(t, results, dir, main)
	require.Equal(t, b.Digest(), found[0].Bundle.Digest())
}
