package parse

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/source"
)

// dependency finds the module that a file belongs to by the file's name, and
// the file's path in it.
func (o *Overlay) dependency(name string) (dep source.Dependency, rel string, ok bool) {
	for _, d := range o.Dependencies {
		if rel, ok := strings.CutPrefix(name, d.Name+"/"); ok {
			return d, rel, true
		}
	}
	return source.Dependency{}, "", false
}

// ModCache writes a module cache for the go command that builds the program,
// since no overlay may change files in the module cache. It is a directory
// below dir that has copies of the modules with instrumented files, and links
// to all else in the directory modcache. It returns its name, or "" if the
// program is built with the cache that is there.
func (o *Overlay) ModCache(dir, modcache string) (string, error) {
	byModule := map[string][]string{} // the instrumented files
	names := map[string]string{}
	for name := range o.Files {
		if dep, rel, ok := o.dependency(name); ok && dep.Cached {
			below, err := filepath.Rel(modcache, dep.Dir)
			if err != nil || !filepath.IsLocal(below) {
				return "", fmt.Errorf("%s: not in the module cache", dep.Name)
			}
			byModule[below] = append(byModule[below], rel)
			names[below] = dep.Name
		}
	}
	if len(byModule) == 0 {
		return "", nil
	}
	cache, err := filepath.Abs(filepath.Join(dir, "modcache"))
	if err != nil {
		return "", fmt.Errorf("module cache: %w", err)
	}
	modules := slices.Sorted(maps.Keys(byModule))
	if err := linkAround(cache, modcache, modules); err != nil {
		return "", fmt.Errorf("module cache: %w", err)
	}
	for _, below := range modules {
		to := filepath.Join(cache, below)
		if err := copyTree(to, filepath.Join(modcache, below)); err != nil {
			return "", fmt.Errorf("module cache: %w", err)
		}
		for _, rel := range byModule[below] {
			file := filepath.Join(to, filepath.FromSlash(rel))
			// The file may be a link to the original: it is replaced, not written.
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("module cache: %w", err)
			}
			if err := os.WriteFile(file, o.Files[names[below]+"/"+rel], 0o644); err != nil {
				return "", fmt.Errorf("module cache: %w", err)
			}
		}
	}
	return cache, nil
}

// linkAround makes the directories on the way to the given paths, and links
// from them to everything else that the directories in old have.
func linkAround(dir, old string, paths []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	deeper := map[string][]string{}
	for _, p := range paths {
		first, rest, _ := strings.Cut(p, string(filepath.Separator))
		deeper[first] = append(deeper[first], rest)
	}
	entries, err := os.ReadDir(old)
	if err != nil {
		return err
	}
	for _, e := range entries {
		to, from := filepath.Join(dir, e.Name()), filepath.Join(old, e.Name())
		rest, onTheWay := deeper[e.Name()]
		switch {
		case !onTheWay:
			err = os.Symlink(from, to)
		case rest[0] != "":
			err = linkAround(to, from, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies a directory with what is in it, by hard links where that is
// possible.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case !d.Type().IsRegular():
			return nil // modules have none
		case os.Link(path, target) == nil:
			return nil
		}
		return copyFile(target, path)
	})
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
