package programs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// Main writes a program to a directory of its own.
func Main(t testing.TB, text string) source.Spec {
	t.Helper()
	return Write(t, "1.25", "main.go", text, "main")
}

// Test writes a test, TestProgram, to a directory of its own. The text has neither the clause of the package
// nor the imports, which are sync, testing and time.
func Test(t testing.TB, text string) source.Spec {
	t.Helper()
	return Write(t, "1.25", "program_test.go",
		"package program\n\nimport (\n\t\"sync\"\n\t\"testing\"\n\t\"time\"\n)\n"+text+"\nvar _ sync.Mutex\nvar _ time.Time\n", "TestProgram")
}

// Write writes a file to a module of its own, in that version of the language, and names its entry.
func Write(t testing.TB, version, name, text, entry string) source.Spec {
	t.Helper()
	dir := module(t, "p", version, map[string][]byte{name: []byte(text)})
	return source.Spec{Dir: dir, Pattern: ".", Entry: entry}
}

// Together loads programs of one file each, by their names, whose entries are main, and says how these files are
// called in them. They are packages of one module: to load them one by one takes twenty times as long.
func Together(t testing.TB, texts map[string]string) (loaded map[string]*source.Program, file map[string]string) {
	t.Helper()
	dir := module(t, "p", "1.26", nil)
	nameOf := map[string]string{} // by package
	loaded, file = map[string]*source.Program{}, map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		p := fmt.Sprintf("p%d", i)
		nameOf["example.com/p/"+p], file[name] = name, p+"/main.go"
		require.NoError(t, os.Mkdir(filepath.Join(dir, p), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, p, "main.go"), []byte(texts[name]), 0o644))
	}
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	for _, e := range set.Entries() {
		name, ok := nameOf[e.Package]
		require.True(t, ok, e.Package)
		loaded[name], err = set.Program(e)
		require.NoError(t, err, texts[name])
	}
	require.Len(t, loaded, len(texts))
	return loaded, file
}

// Example writes an example to a directory of its own. The files are those of the example.
func Example(t testing.TB, name string, form examples.Form, n int) (dir string, files map[string][]byte) {
	t.Helper()
	p, ok := examples.Find(name)
	require.True(t, ok, name)
	files, err := p.Files(form, n)
	require.NoError(t, err)
	return module(t, name, "1.26", files), files
}

func module(t testing.TB, name, version string, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/"+name+"\n\ngo "+version+"\n"), 0o644))
	for file, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), data, 0o644))
	}
	return dir
}

// InLong skips a test in the short form of a suite, which is for the race detector: it
// builds programs and looks at what these do, or searches a large model, and the package tested has
// no goroutines in it beyond those of others.
func InLong(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("has no goroutines that others have not")
	}
}

// Errors are the kinds of errors in which an exploration has seen runs end, ascending, with those replays
// that did not show them again, unless its limits say so, too.
func Errors(t testing.TB, ends []orchestrate.End, limits []string) []string {
	t.Helper()
	kinds := map[string]bool{}
	for _, e := range ends {
		if e.Kind == "" || e.Kind == artifact.KindRace || e.Status != orchestrate.Completed {
			continue
		}
		named := func(limit string) bool { return strings.Contains(e.Replay.Reason, limit) }
		if e.Replay != nil && e.Replay.Status == orchestrate.Unconfirmed && slices.ContainsFunc(limits, named) {
			continue
		}
		if e.Replay != nil {
			require.Equal(t, orchestrate.Reproduced, e.Replay.Status, "%s %s: %s", e.Kind, e.Message, e.Replay.Reason)
		}
		kinds[e.Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}
