// Package module fetches public Go modules for the tests that run vtrace over
// whole modules.
package module

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace/internal/group"
)

// withDependencies are modules that are taken into the workspace of those that
// use them: nothing but synchronisation.
var withDependencies = []string{"golang.org/x/sync"}

// Fetch copies a module, "path@version", out of the module cache into a
// directory below dir, to be a main module, and returns that directory. Where
// the module uses golang.org/x/sync, dir becomes a workspace of both.
func Fetch(ctx context.Context, module, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = dir
	out, err := group.Output(cmd)
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", module, err, out)
	}
	var info struct{ Dir, Path string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	to := filepath.Join(dir, "m")
	if err := clone(info.Dir, to); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(to, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		text := "module " + info.Path + "\n\ngo 1.16\n"
		if err := os.WriteFile(filepath.Join(to, "go.mod"), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return to, workspace(ctx, to)
}

// workspace makes a workspace of a module and its dependencies of that kind.
func workspace(ctx context.Context, dir string) error {
	work := "go 1.26\n\nuse ./m\n"
	for i, dep := range withDependencies {
		cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", dep)
		cmd.Dir = dir
		out, err := group.Output(cmd)
		from := strings.TrimSpace(string(out))
		if err != nil || from == "" || from == dir {
			continue // not one
		}
		if err := clone(from, filepath.Join(filepath.Dir(dir), fmt.Sprint("d", i))); err != nil {
			return err
		}
		work += fmt.Sprintf("use ./d%d\n", i)
	}
	if !strings.Contains(work, "/d") {
		return nil
	}
	return os.WriteFile(filepath.Join(filepath.Dir(dir), "go.work"), []byte(work), 0o644)
}

// clone copies a directory of the module cache and makes the copy writable.
func clone(from, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}
