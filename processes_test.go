package vtrace_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

// starts are the places that start a process without package group, and why they may.
var starts = map[string]string{
	"cmd/vtrace/view.go Start":                   "a browser, which goes on when vtrace has ended",
	"internal/sandbox/launcher/main.go ForkExec": "the program in a sandbox, which ends with the launcher",
}

// TestProcesses: all processes are started by package group, so that they end with vtrace.
func TestProcesses(t *testing.T) {
	programs.InLong(t)
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(path)
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || name != "." && strings.HasPrefix(name, ".") || dir == "examples" || dir == "internal/group"):
			return filepath.SkipDir
		case d.IsDir():
			maps.Copy(found, startsIn(t, path))
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, slices.Sorted(maps.Keys(starts)), slices.Sorted(maps.Keys(found)), "internal/group starts processes")
}

// startsIn are the calls in a directory that start a process: those of functions that can do nothing
// else and, where package os/exec is imported, those of the names that methods of its commands have.
func startsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	fset, files, commands := token.NewFileSet(), map[string]*ast.File{}, false
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files[name] = f
		commands = commands || slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"os/exec"` })
	}
	found := map[string]bool{}
	for name, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			function := slices.Contains([]string{"StartProcess", "ForkExec"}, sel.Sel.Name)
			method := commands && len(call.Args) == 0 && slices.Contains([]string{"Start", "Run", "Output", "CombinedOutput"}, sel.Sel.Name)
			if function || method {
				found[fmt.Sprintf("%s %s", filepath.ToSlash(name), sel.Sel.Name)] = true
			}
			return true
		})
	}
	return found
}
