package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// Extract writes files of a bundle below a directory, which is made if it is not there, under
// their paths in the bundle: all of them if there are no names, else those that are named, or
// are in a directory that is named. It returns what it has written. Nothing is written outside
// of the directory, whatever links are there, and no file is replaced.
func Extract(b *artifact.Bundle, dir string, names ...string) ([]string, error) {
	switch {
	case b == nil:
		return nil, &artifact.ArgumentError{Name: "bundle", Reason: "nil"}
	case dir == "":
		return nil, &artifact.ArgumentError{Name: "directory", Reason: "empty"}
	}
	wanted, err := selected(b, names)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	defer root.Close()
	var done []string
	for _, p := range wanted {
		data, ok := b.Read(p)
		if !ok {
			if data, err = artifact.EncodeJSON(b.Manifest()); err != nil {
				return done, fmt.Errorf("extract: %w", err)
			}
		}
		if err := writeFile(root, p, data); err != nil {
			return done, fmt.Errorf("extract %s: %w", p, err)
		}
		done = append(done, p)
	}
	return done, nil
}

// selected are the paths of the files that the names stand for, sorted.
func selected(b *artifact.Bundle, names []string) ([]string, error) {
	all := append([]string{manifestFile}, b.Paths()...)
	if len(names) == 0 {
		return all, nil
	}
	var out []string
	used := map[string]bool{}
	for _, p := range all {
		for _, n := range names {
			if n := strings.TrimSuffix(n, "/"); p == n || strings.HasPrefix(p, n+"/") {
				if len(out) == 0 || out[len(out)-1] != p {
					out = append(out, p)
				}
				used[n] = true
			}
		}
	}
	for _, n := range names {
		if !used[strings.TrimSuffix(n, "/")] {
			return nil, fmt.Errorf("extract: the bundle has no file or directory %q: %w", n, fs.ErrNotExist)
		}
	}
	return out, nil
}

// writeFile writes a new file below a directory. Its path is that of a bundle, which is local.
func writeFile(root *os.Root, name string, data []byte) error {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return errors.New("it cannot be the name of a file here")
	}
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
