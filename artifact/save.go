package artifact

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Ext is the extension of a bundle in archive form.
const Ext = ".vtz"

// zstdWindow bounds the memory that reading an archive takes.
const zstdWindow = 4 << 20

// Save writes a bundle: as an archive if the path ends in ".vtz", else as a
// directory. It replaces an older bundle there, but refuses to replace
// anything else. A failed Save leaves what was there.
func Save(b *Bundle, path string) error {
	if b == nil {
		return fmt.Errorf("save: %w", &ArgumentError{"bundle", "nil"})
	}
	if path == "" {
		return fmt.Errorf("save: %w", &ArgumentError{"path", "empty"})
	}
	if strings.HasSuffix(path, Ext) {
		return saveArchive(b, path)
	}
	return saveDir(b, path)
}

// unfinished is the pattern of the files that have the archive until it is whole.
func unfinished(path string) string { return ".vtrace-" + filepath.Base(path) + "-*" }

// Remove removes the archive at a path, if there is one, and what processes that were killed
// have written of it.
func Remove(path string) error {
	if path == "" {
		return fmt.Errorf("remove bundle: %w", &ArgumentError{"path", "empty"})
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), unfinished(path)))
	if err != nil {
		return fmt.Errorf("remove bundle: %w", err)
	}
	for _, f := range append(files, path) {
		if err := os.RemoveAll(f); err != nil {
			return fmt.Errorf("remove bundle: %w", err)
		}
	}
	return nil
}

func saveArchive(b *Bundle, path string) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("save bundle: %w", &ExistsError{path, "exists and is not a regular file"})
	}
	err = replaceFile(path, func(f *os.File) error {
		w := bufio.NewWriter(f)
		if err := WriteArchive(w, b); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return fmt.Errorf("save bundle: %w", err)
	}
	return nil
}

// replaceFile writes a file that is at the path as a whole or not at all, readable by
// everybody. What was there before stays if it fails.
func replaceFile(path string, write func(f *os.File) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), unfinished(path))
	if err != nil {
		return err
	}
	err = write(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err2 := tmp.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// WriteArchive writes the archive form of a bundle: the manifest first, then
// the files in order.
func WriteArchive(w io.Writer, b *Bundle) error {
	if w == nil || b == nil {
		return &ArgumentError{"writer and bundle", "nil"}
	}
	z, err := zstd.NewWriter(w,
		zstd.WithEncoderConcurrency(1), // the bytes must not depend on the machine
		zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	put := func(name string, data []byte) error {
		hdr := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(hdr); err != nil {
			return err
		}
		_, err := t.Write(data)
		return err
	}
	err = put(manifestPath, b.encoded)
	for _, f := range b.manifest.Files {
		if err != nil {
			break
		}
		err = put(f.Path, b.files[f.Path])
	}
	if err == nil {
		err = t.Close()
	}
	if err2 := z.Close(); err == nil {
		err = err2
	}
	return err
}

func saveDir(b *Bundle, dir string) (err error) {
	replace, err := replaceable(dir)
	if err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".vtrace-*")
	if err != nil {
		return fmt.Errorf("save bundle: %w", err)
	}
	defer func() {
		err = errors.Join(err, os.RemoveAll(tmp))
	}()
	fresh := filepath.Join(tmp, "new")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return fmt.Errorf("save bundle: %w", err)
	}
	files := func(yield func(string, []byte) bool) {
		if !yield(manifestPath, b.encoded) {
			return
		}
		for _, f := range b.manifest.Files {
			if !yield(f.Path, b.files[f.Path]) {
				return
			}
		}
	}
	if err := writeTree(fresh, files); err != nil {
		return fmt.Errorf("save bundle: %w", err)
	}
	old := filepath.Join(tmp, "old")
	if replace {
		if err := os.Rename(dir, old); err != nil {
			return fmt.Errorf("save bundle: %w", err)
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		if replace {
			err = errors.Join(err, os.Rename(old, dir))
		}
		return fmt.Errorf("save bundle: %w", err)
	}
	return nil
}

// replaceable reports whether there is something at dir that Save may replace:
// an empty directory or a bundle. Anything else there is an error.
func replaceable(dir string) (bool, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("save bundle: %w", err)
	}
	if !info.IsDir() {
		return false, fmt.Errorf("save bundle: %w", &ExistsError{dir, "exists and is not a directory"})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, fmt.Errorf("save bundle: %w", err)
	}
	if len(entries) == 0 {
		return true, nil
	}
	data, err := readManifest(dir)
	var version *VersionError
	if err == nil {
		_, err = decodeManifest(data, DefaultLimits)
	}
	if err != nil && !errors.As(err, &version) {
		return false, fmt.Errorf("save bundle: %w", &ExistsError{dir, "exists and is not a bundle"})
	}
	return true, nil
}

// readManifest reads a manifest in a directory, and no more than one can have.
func readManifest(dir string) ([]byte, error) {
	path := filepath.Join(dir, manifestPath)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxManifest+1))
}

// writeTree writes new files below an existing directory.
func writeTree(dir string, files func(func(string, []byte) bool)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made := map[string]bool{".": true}
	for name, data := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return corrupt(name, "cannot be a file name here")
		}
		if parent := path.Dir(name); !made[parent] {
			if err := root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
				return err
			}
			made[parent] = true
		}
		f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		if err2 := f.Close(); err == nil {
			err = err2
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ExtractSource writes the program's files below dir, which must be empty or
// not exist.
func (b *Bundle) ExtractSource(dir string) error {
	switch {
	case b == nil:
		return fmt.Errorf("extract source: %w", &ArgumentError{"bundle", "nil"})
	case dir == "":
		return fmt.Errorf("extract source: %w", &ArgumentError{"directory", "empty"})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("extract source: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("extract source: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("extract source: %w", &ExistsError{dir, "not empty"})
	}
	if err := writeTree(dir, b.Below(SourceDir)); err != nil {
		return fmt.Errorf("extract source: %w", err)
	}
	return nil
}
