package vtrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

// testCommand is a command that runs tests of packages by name, in a text or in a comment of a source file.
var testCommand = regexp.MustCompile(`go test ((?:-\S+ )*)(\.\S*)((?: \./\S+)*) -run[ =]['"]?([A-Z]\w+)`)

// TestTestCommands: the tests that a document or a comment tells somebody to run are in the package that it names.
func TestTestCommands(t *testing.T) {
	programs.InLong(t)
	blank := regexp.MustCompile(`\s+(// ?)?`)
	found := 0
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".go"}, filepath.Ext(file)) {
			return err
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range testCommand.FindAllStringSubmatch(blank.ReplaceAllString(string(text), " "), -1) {
			found++
			for _, dir := range append([]string{m[2]}, strings.Fields(m[3])...) {
				require.True(t, slices.ContainsFunc(testsIn(t, dir), func(name string) bool { return strings.Contains(name, m[4]) }),
					"%s: %s: package %s has no such test", file, m[0], dir)
			}
		}
		return nil
	}))
	require.Greater(t, found, 40)
}

// testsIn are the names of the functions in the tests of a package.
func testsIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
