package artifact

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Load reads a bundle in either form within DefaultLimits.
func Load(path string) (*Bundle, error) { return LoadLimited(path, DefaultLimits) }

// LoadLimited reads a bundle in either form.
func LoadLimited(path string, lim Limits) (*Bundle, error) {
	lim, err := lim.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load bundle: %w", err)
	}
	var b *Bundle
	switch {
	case info.IsDir():
		b, err = loadDir(path, lim)
	case info.Mode().IsRegular():
		var f *os.File
		if f, err = os.Open(path); err == nil {
			b, err = ReadArchive(f, lim)
			err = errors.Join(err, f.Close())
		}
	default:
		err = corrupt("", "neither a directory nor a regular file")
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	return b, nil
}

// reading collects the files of a bundle that is being read.
type reading struct {
	lim     Limits
	encoded []byte
	files   map[string][]byte
	sizes   map[string]int64 // as the manifest has them
}

func newReading(lim Limits) *reading {
	return &reading{lim: lim, files: map[string][]byte{}, sizes: map[string]int64{}}
}

// add reads one file. The manifest must come first: what it says of the
// version decides how to read the others.
func (r *reading) add(name string, from io.Reader) error {
	if r.encoded == nil {
		if name != manifestPath {
			return corrupt(short(name), "in front of the manifest")
		}
	} else {
		if name == manifestPath {
			return corrupt(name, "twice")
		}
		if err := checkPath(name, r.lim); err != nil {
			return err
		}
		if _, ok := r.files[name]; ok {
			return corrupt(name, "twice")
		}
		if _, ok := r.sizes[name]; !ok {
			return corrupt(name, "not listed in the manifest")
		}
	}
	// What is larger than the manifest says is seen without being read to its end.
	limit := min(r.lim.File, maxManifest)
	if r.encoded != nil {
		limit = r.sizes[name]
	}
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return &CorruptError{name, err}
	}
	switch {
	case int64(len(data)) <= limit:
	case r.encoded != nil:
		return corrupt(name, "more than %d bytes, want %d", limit, limit)
	default:
		return corrupt(name, "%w: size", ErrLimit)
	}
	if r.encoded == nil {
		m, err := decodeManifest(data, r.lim)
		if err != nil {
			return err
		}
		r.encoded = data
		for _, f := range m.Files {
			r.sizes[f.Path] = f.Size
		}
		return nil
	}
	r.files[name] = data
	return nil
}

func (r *reading) bundle() (*Bundle, error) {
	if r.encoded == nil {
		return nil, corrupt(manifestPath, "missing")
	}
	return newBundle(r.encoded, r.files, r.lim)
}

// ReadArchive reads the archive form of a bundle.
func ReadArchive(from io.Reader, lim Limits) (*Bundle, error) {
	if from == nil {
		return nil, &ArgumentError{"reader", "nil"}
	}
	lim, err := lim.withDefaults()
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(from,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(2*zstdWindow),
		zstd.WithDecoderMaxMemory(4*zstdWindow))
	if err != nil {
		return nil, &CorruptError{"", err}
	}
	defer z.Close()
	// Headers and padding count too: a header may name gigabytes of records.
	stream := io.LimitReader(z, lim.Total+int64(lim.Files)*4096+maxManifest+1<<20)
	t := tar.NewReader(stream)
	r := newReading(lim)
	for {
		hdr, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, &CorruptError{"", err}
		}
		if hdr.Typeflag != tar.TypeReg {
			return nil, corrupt(short(hdr.Name), "not a regular file (type %q)", hdr.Typeflag)
		}
		if hdr.Size > lim.File {
			return nil, corrupt(short(hdr.Name), "%w: size", ErrLimit)
		}
		if err := r.add(hdr.Name, t); err != nil {
			return nil, err
		}
	}
	if err := onlyZeros(stream); err != nil {
		return nil, &CorruptError{"", err}
	}
	return r.bundle()
}

// short is a name that may have been made long.
func short(name string) string {
	if len(name) > 64 {
		return name[:64] + "..."
	}
	return name
}

// onlyZeros reads the padding behind the end of an archive.
func onlyZeros(from io.Reader) error {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		for _, c := range buf[:n] {
			if c != 0 {
				return errors.New("data behind the end of the archive")
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func loadDir(dir string, lim Limits) (*Bundle, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := newReading(lim)
	read := func(name string) error {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return corrupt(name, "missing")
		}
		if err != nil {
			return &CorruptError{name, err}
		}
		if !info.Mode().IsRegular() {
			return corrupt(name, "not a regular file")
		}
		f, err := root.Open(name)
		if err != nil {
			return &CorruptError{name, err}
		}
		err = r.add(name, f)
		return errors.Join(err, f.Close())
	}
	if err := read(manifestPath); err != nil {
		return nil, err
	}
	entries := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return &CorruptError{name, err}
		}
		// Directories count, so that a deep or wide tree ends early.
		if entries++; entries > 4*lim.Files+16 {
			return corrupt("", "%w: too many entries", ErrLimit)
		}
		if d.IsDir() || name == manifestPath {
			return nil
		}
		return read(name)
	})
	if err != nil {
		return nil, err
	}
	return r.bundle()
}
