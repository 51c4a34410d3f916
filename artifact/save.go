package artifact

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/ed25519"
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
	"github.com/vtrace/vtrace/internal/storage"
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
	return save(path, b.each)
}

// SaveFiles writes a bundle as Save does, of which not all files need to be in memory. The
// manifest has to be complete, and may be of an older version. The function is called once. It
// has to call put for each file of the manifest, in their order, and what it gives has to be
// what the manifest says, or nothing is saved. The first error of either ends the saving, and
// is the one that is returned. What JSON files hold is not looked at. With a key the bundle is
// signed, as by SaveSigned. It returns the digest of the bundle.
func SaveFiles(path string, m Manifest, key ed25519.PrivateKey, files func(put func(path string, content io.Reader) error) error) (string, error) {
	if files == nil {
		return "", fmt.Errorf("save: %w", &ArgumentError{"files", "nil"})
	}
	encoded, err := m.encode()
	if err == nil {
		m, err = decodeManifest(encoded, DefaultLimits)
	}
	if err != nil {
		return "", fmt.Errorf("save: %w", err)
	}
	digest := storage.Digest(encoded)
	var sig *Signature
	if key != nil {
		if sig, err = sign(digest, key); err != nil {
			return "", fmt.Errorf("sign bundle: %w", err)
		}
	}
	err = save(path, func(write putter) error {
		if err := write(manifestPath, int64(len(encoded)), bytes.NewReader(encoded)); err != nil {
			return err
		}
		c := comparison{manifest: m}
		var failed error // of put: the function may not go on behind it
		err := files(func(path string, content io.Reader) error {
			if failed == nil {
				failed = c.put(path, content, write)
			}
			return failed
		})
		if failed != nil {
			return failed
		}
		if err == nil {
			err = c.end()
		}
		if err != nil {
			return &contentError{err}
		}
		return nil
	})
	var content *contentError
	switch {
	case errors.As(err, &content):
		return "", content.err
	case err != nil:
		return "", err
	case sig != nil:
		if err := sig.save(path); err != nil {
			return "", err
		}
	}
	return digest, nil
}

// contentError is an error of what was to be saved, and not of saving it.
type contentError struct{ err error }

func (e *contentError) Error() string { return e.err.Error() }

func (e *contentError) Unwrap() error { return e.err }

// put writes the next file of the manifest if it is the one with this path.
func (c *comparison) put(path string, content io.Reader, write putter) error {
	if content == nil {
		return &contentError{&ArgumentError{"content", "nil"}}
	}
	f, ok := c.next()
	if !ok || f.Path != path {
		return &contentError{corrupt(path, "not the next file of the manifest")}
	}
	checked := c.compare(f, content)
	err := write(path, f.Size, checked)
	if err != nil && checked.err != nil && checked.err != io.EOF {
		return &contentError{checked.err}
	}
	return err
}

// putter writes the next file of a bundle.
type putter func(name string, size int64, content io.Reader) error

// each writes the manifest and the files in their order.
func (b *Bundle) each(put putter) error {
	err := put(manifestPath, int64(len(b.encoded)), bytes.NewReader(b.encoded))
	for _, f := range b.manifest.Files {
		if err != nil {
			break
		}
		err = put(f.Path, f.Size, bytes.NewReader(b.files[f.Path]))
	}
	return err
}

// save writes the files of a bundle, which a function gives.
func save(path string, files func(put putter) error) error {
	if path == "" {
		return fmt.Errorf("save: %w", &ArgumentError{"path", "empty"})
	}
	if strings.HasSuffix(path, Ext) {
		return saveArchive(path, files)
	}
	return saveDir(path, files)
}

func saveArchive(path string, files func(put putter) error) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("save bundle: %w", &ExistsError{path, "exists and is not a regular file"})
	}
	err = storage.Replace(path, func(f *os.File) error {
		w := bufio.NewWriter(f)
		if err := writeArchive(w, files); err != nil {
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

// WriteArchive writes the archive form of a bundle: the manifest first, then
// the files in order.
func WriteArchive(w io.Writer, b *Bundle) error {
	if w == nil || b == nil {
		return &ArgumentError{"writer and bundle", "nil"}
	}
	return writeArchive(w, b.each)
}

func writeArchive(w io.Writer, files func(put putter) error) error {
	z, err := zstd.NewWriter(w,
		zstd.WithEncoderConcurrency(1), // the bytes must not depend on the machine
		zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = files(func(name string, size int64, content io.Reader) error {
		hdr := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(hdr); err != nil {
			return err
		}
		_, err := io.Copy(t, content)
		return err
	})
	if err == nil {
		err = t.Close()
	}
	if err2 := z.Close(); err == nil {
		err = err2
	}
	return err
}

func saveDir(dir string, files func(put putter) error) (err error) {
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
func writeTree(dir string, files func(put putter) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made := map[string]bool{".": true}
	return files(func(name string, _ int64, content io.Reader) error {
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
		_, err = io.Copy(f, content)
		if err2 := f.Close(); err == nil {
			err = err2
		}
		return err
	})
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
	err = writeTree(dir, func(put putter) error {
		for name, data := range b.Below(SourceDir) {
			if err := put(name, int64(len(data)), bytes.NewReader(data)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("extract source: %w", err)
	}
	return nil
}
