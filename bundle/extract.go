package bundle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// Extract writes files of a bundle below a directory, which is made if it is not there, under
// their paths in the bundle: all of them if there are no names, else those that are named, or
// are in a directory that is named. It returns what it has written. Nothing is written outside
// of the directory, no link is followed, and no file is replaced. After an error there is
// nothing of what it has written.
func Extract(b *artifact.Bundle, dir string, names ...string) ([]string, error) {
	if b == nil {
		return nil, &artifact.ArgumentError{Name: "bundle", Reason: "nil"}
	}
	return extract(b.Reader(), dir, names)
}

// ExtractFile extracts from the bundle at a path. The files have temporary names, in a
// directory below dir, until all of the bundle was read and is right.
func ExtractFile(path string, o artifact.OpenOptions, dir string, names ...string) ([]string, error) {
	r, err := artifact.Open(path, o)
	if err != nil {
		return nil, err
	}
	return extract(r, dir, names)
}

func extract(r *artifact.Reader, dir string, names []string) (_ []string, err error) {
	defer r.Close()
	if dir == "" {
		return nil, &artifact.ArgumentError{Name: "directory", Reason: "empty"}
	}
	wanted, err := selected(r.Manifest(), names)
	if err != nil {
		return nil, err
	}
	x, err := newExtraction(dir)
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	err = x.run(r, wanted)
	if err = errors.Join(err, x.end(err != nil)); err != nil {
		return nil, err
	}
	return wanted, nil
}

// selected are the paths of the files that the names stand for: the manifest first, then in
// their order.
func selected(m artifact.Manifest, names []string) ([]string, error) {
	all := []string{manifestFile}
	for _, f := range m.Files {
		all = append(all, f.Path)
	}
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

// extraction writes files below a directory. Until they are published they are in a directory
// of their own there, under their numbers.
type extraction struct {
	root    *os.Root
	staging string          // that directory, below the root
	staged  []string        // the paths of the files, by their numbers
	placed  []string        // of these, what has its name
	dirs    map[string]bool // directories that are no links
	made    []string        // directories that were made below the root, outer ones first
	above   []string        // those that were made for the root, inner ones first
}

func newExtraction(dir string) (_ *extraction, err error) {
	x := &extraction{dirs: map[string]bool{".": true}}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		x.above = append(x.above, d)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.end(true))
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if x.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	staging, err := os.MkdirTemp(dir, ".vtrace-extract-*")
	if err != nil {
		return nil, err
	}
	x.staging = filepath.Base(staging)
	return x, nil
}

// run writes the files of a bundle that are wanted, in their order, once all of it is right.
func (x *extraction) run(r *artifact.Reader, wanted []string) error {
	// What is in the way is said before the bundle is read.
	for _, p := range wanted {
		if err := x.free(p); err != nil {
			return fmt.Errorf("extract %s: %w", p, err)
		}
	}
	rest := wanted
	if rest[0] == manifestFile {
		data, err := storage.EncodeJSON(r.Manifest())
		if err == nil {
			err = x.stage(manifestFile, bytes.NewReader(data))
		}
		if err != nil {
			return fmt.Errorf("extract %s: %w", manifestFile, err)
		}
		rest = rest[1:]
	}
	err := each(r, func(f artifact.FileInfo) error {
		if len(rest) == 0 || rest[0] != f.Path {
			return nil
		}
		rest = rest[1:]
		err := x.stage(f.Path, r)
		var corrupt *artifact.CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			return fmt.Errorf("extract %s: %w", f.Path, err)
		}
		return err
	})
	if err != nil {
		return err
	}
	// Reading may have taken long: directories may be links by now.
	x.dirs = map[string]bool{".": true}
	for i, p := range x.staged {
		if err := x.publish(p, i); err != nil {
			return fmt.Errorf("extract %s: %w", p, err)
		}
	}
	return nil
}

// free refuses a path where something is, or that leads through a link.
func (x *extraction) free(p string) error {
	local := filepath.FromSlash(p)
	if !filepath.IsLocal(local) {
		return errors.New("it cannot be the name of a file here")
	}
	for i := range p {
		if p[i] != '/' {
			continue
		}
		if there, err := x.isDir(p[:i]); err != nil || !there {
			return err
		}
	}
	switch _, err := x.root.Lstat(local); {
	case err == nil:
		return &fs.PathError{Op: "openat", Path: local, Err: syscall.EEXIST}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}

// isDir reports whether there is a directory. Something else there is an error.
func (x *extraction) isDir(p string) (bool, error) {
	if x.dirs[p] {
		return true, nil
	}
	local := filepath.FromSlash(p)
	info, err := x.root.Lstat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Mode()&fs.ModeSymlink != 0:
		return false, fmt.Errorf("%s is a link, which is not followed", local)
	case !info.IsDir():
		return false, &fs.PathError{Op: "mkdirat", Path: local, Err: syscall.ENOTDIR}
	}
	x.dirs[p] = true
	return true, nil
}

// stage writes a file under its number.
func (x *extraction) stage(p string, content io.Reader) error {
	f, err := x.root.OpenFile(x.number(len(x.staged)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	x.staged = append(x.staged, p)
	return errors.Join(err, f.Close())
}

func (x *extraction) number(i int) string { return filepath.Join(x.staging, strconv.Itoa(i)) }

// publish gives a file its name, which nothing may have.
func (x *extraction) publish(p string, i int) error {
	for k := range p {
		if p[k] != '/' || x.dirs[p[:k]] {
			continue
		}
		switch err := x.root.Mkdir(filepath.FromSlash(p[:k]), 0o755); {
		case err == nil:
			x.made = append(x.made, p[:k])
			x.dirs[p[:k]] = true
		case errors.Is(err, fs.ErrExist):
			if there, err2 := x.isDir(p[:k]); err2 != nil || !there {
				return cmp.Or(err2, err)
			}
		default:
			return err
		}
	}
	// A rename would replace what is there, so that the name is taken first.
	local := filepath.FromSlash(p)
	f, err := x.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	x.placed = append(x.placed, local)
	if err := f.Close(); err != nil {
		return err
	}
	return x.root.Rename(x.number(i), local)
}

// end removes what has a temporary name, and if something has failed all that was written and
// made; directories in which there is something else by now stay.
func (x *extraction) end(failed bool) error {
	var errs []error
	if x.root != nil {
		if failed {
			for _, local := range slices.Backward(x.placed) {
				errs = append(errs, x.root.Remove(local))
			}
			for _, p := range slices.Backward(x.made) {
				if err := x.root.Remove(filepath.FromSlash(p)); !errors.Is(err, fs.ErrExist) {
					errs = append(errs, err)
				}
			}
		}
		if x.staging != "" {
			errs = append(errs, x.root.RemoveAll(x.staging))
		}
		errs = append(errs, x.root.Close())
	}
	if failed {
		for _, d := range x.above {
			if err := os.Remove(d); !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
