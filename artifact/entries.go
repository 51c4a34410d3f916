package artifact

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// entries are the files of a bundle as they stand in an archive, in a directory or in memory.
// What their content is they do not compare with the manifest.
type entries interface {
	// open returns the content of a file, which is read before the next one is opened. It is
	// called for all files in the order of the manifest. If the content is in memory it is also
	// returned as it is there, not nil.
	open(f FileInfo) (io.Reader, []byte, error)
	// end refuses what is there besides those that were opened.
	end() error
	close() error
}

// memoryEntries has the files by their paths.
type memoryEntries struct {
	files  map[string][]byte
	listed []FileInfo
}

func (m *memoryEntries) open(f FileInfo) (io.Reader, []byte, error) {
	data, ok := m.files[f.Path]
	if !ok {
		return nil, nil, corrupt(f.Path, "missing")
	}
	if data == nil {
		data = []byte{}
	}
	return bytes.NewReader(data), data, nil
}

func (m *memoryEntries) end() error {
	if len(m.files) == len(m.listed) {
		return nil
	}
	listed := map[string]bool{}
	for _, f := range m.listed {
		listed[f.Path] = true
	}
	var extra []string
	for p := range m.files {
		if !listed[p] {
			extra = append(extra, p)
		}
	}
	slices.Sort(extra)
	return corrupt(extra[0], "not listed in the manifest")
}

func (m *memoryEntries) close() error { return nil }

// dirEntries has the files below a directory.
type dirEntries struct {
	root *os.Root
	file *os.File // the one that is read
}

// openDir begins to read the directory form of a bundle. What is in it is known then; what
// comes to be there later is not looked at.
func openDir(dir string, lim Limits) (_ *Reader, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &dirEntries{root: root}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	from, _, err := d.open(FileInfo{Path: manifestPath})
	if err != nil {
		return nil, err
	}
	encoded, err := readManifestFrom(from, lim)
	if err != nil {
		return nil, err
	}
	r, err := newReader(encoded, func(Manifest) entries { return d }, lim)
	if err != nil {
		return nil, err
	}
	if err := d.onlyListed(r.files.manifest, lim); err != nil {
		return nil, err
	}
	return r, nil
}

// onlyListed refuses what the manifest does not list.
func (d *dirEntries) onlyListed(m Manifest, lim Limits) error {
	listed := make(map[string]bool, len(m.Files))
	for _, f := range m.Files {
		listed[f.Path] = true
	}
	entries := 0
	return fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return &CorruptError{name, err}
		}
		// Directories count, so that a deep or wide tree ends early.
		if entries++; entries > 4*lim.Files+16 {
			return corrupt("", "%w: too many entries", ErrLimit)
		}
		if e.IsDir() || name == manifestPath {
			return nil
		}
		if !e.Type().IsRegular() {
			return corrupt(name, "not a regular file")
		}
		if err := checkPath(name, lim); err != nil {
			return err
		}
		if !listed[name] {
			return corrupt(name, "not listed in the manifest")
		}
		return nil
	})
}

func (d *dirEntries) open(f FileInfo) (io.Reader, []byte, error) {
	if err := d.closeFile(); err != nil {
		return nil, nil, err
	}
	info, err := d.root.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, corrupt(f.Path, "missing")
	case err != nil:
		return nil, nil, &CorruptError{f.Path, err}
	case !info.Mode().IsRegular():
		return nil, nil, corrupt(f.Path, "not a regular file")
	}
	if d.file, err = d.root.Open(f.Path); err != nil {
		d.file = nil
		return nil, nil, &CorruptError{f.Path, err}
	}
	return d.file, nil, nil
}

func (d *dirEntries) closeFile() error {
	if d.file == nil {
		return nil
	}
	f := d.file
	d.file = nil
	return f.Close()
}

func (d *dirEntries) end() error { return d.closeFile() }

func (d *dirEntries) close() error { return errors.Join(d.closeFile(), d.root.Close()) }

// maxAhead bounds the bytes of files that stand in an archive before their turn, which are
// kept until then. An archive that vtrace has written has none.
const maxAhead = 64 << 20

// tarEntries has the files in the order of a tar stream.
type tarEntries struct {
	file   *os.File // nil if it is not one
	z      *zstd.Decoder
	stream io.Reader // of z, bounded
	tar    *tar.Reader
	lim    Limits

	listed map[string]int64  // the sizes that the manifest says
	seen   map[string]bool   // the files that have come
	ahead  map[string][]byte // those that have come before their turn
	held   int64             // their bytes
}

func openArchive(path string, lim Limits) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return newArchive(f, f, lim)
}

// newArchive begins to read an archive, and closes the file, if there is one, with it.
func newArchive(from io.Reader, file *os.File, lim Limits) (_ *Reader, err error) {
	a := &tarEntries{file: file, lim: lim, listed: map[string]int64{}, seen: map[string]bool{}, ahead: map[string][]byte{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	a.z, err = zstd.NewReader(from,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(2*zstdWindow),
		zstd.WithDecoderMaxMemory(4*zstdWindow))
	if err != nil {
		return nil, &CorruptError{"", err}
	}
	// Headers and padding count too: a header may name gigabytes of records.
	a.stream = io.LimitReader(a.z, lim.Total+int64(lim.Files)*4096+maxManifest+1<<20)
	a.tar = tar.NewReader(a.stream)
	hdr, err := a.header()
	if err == io.EOF {
		return nil, corrupt(manifestPath, "missing")
	}
	if err != nil {
		return nil, err
	}
	// What it says of the version decides how to read the others.
	if hdr.Name != manifestPath {
		return nil, corrupt(short(hdr.Name), "in front of the manifest")
	}
	encoded, err := readManifestFrom(a.tar, lim)
	if err != nil {
		return nil, err
	}
	return newReader(encoded, func(m Manifest) entries {
		for _, f := range m.Files {
			a.listed[f.Path] = f.Size
		}
		return a
	}, lim)
}

// header reads the header of the next file.
func (a *tarEntries) header() (*tar.Header, error) {
	hdr, err := a.tar.Next()
	switch {
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, &CorruptError{"", err}
	case hdr.Typeflag != tar.TypeReg:
		return nil, corrupt(short(hdr.Name), "not a regular file (type %q)", hdr.Typeflag)
	case hdr.Size > a.lim.File:
		return nil, corrupt(short(hdr.Name), "%w: size", ErrLimit)
	}
	return hdr, nil
}

// next reads the header of the next file that the manifest lists.
func (a *tarEntries) next() (*tar.Header, error) {
	hdr, err := a.header()
	if err != nil {
		return nil, err
	}
	if hdr.Name == manifestPath {
		return nil, corrupt(hdr.Name, "twice")
	}
	if err := checkPath(hdr.Name, a.lim); err != nil {
		return nil, err
	}
	if a.seen[hdr.Name] {
		return nil, corrupt(hdr.Name, "twice")
	}
	if _, ok := a.listed[hdr.Name]; !ok {
		return nil, corrupt(hdr.Name, "not listed in the manifest")
	}
	a.seen[hdr.Name] = true
	return hdr, nil
}

func (a *tarEntries) open(f FileInfo) (io.Reader, []byte, error) {
	for {
		if data, ok := a.ahead[f.Path]; ok {
			delete(a.ahead, f.Path)
			a.held -= int64(len(data))
			return bytes.NewReader(data), data, nil
		}
		hdr, err := a.next()
		if err == io.EOF {
			return nil, nil, corrupt(f.Path, "missing")
		}
		if err != nil {
			return nil, nil, err
		}
		if hdr.Name == f.Path {
			return a.tar, nil, nil
		}
		// The archive is in another order.
		size := a.listed[hdr.Name]
		if size > maxAhead-a.held {
			return nil, nil, corrupt(f.Path, "missing, or behind more than %d bytes of files that come after it in the order of their paths", maxAhead)
		}
		data, err := io.ReadAll(io.LimitReader(a.tar, size+1))
		if err != nil {
			return nil, nil, &CorruptError{hdr.Name, err}
		}
		a.ahead[hdr.Name] = data
		a.held += int64(len(data))
	}
}

func (a *tarEntries) end() error {
	// All that are listed have come, so that any other one is too much.
	if _, err := a.next(); err != io.EOF {
		return err
	}
	if err := onlyZeros(a.stream); err != nil {
		return &CorruptError{"", err}
	}
	return nil
}

func (a *tarEntries) close() error {
	if a.z != nil {
		a.z.Close()
	}
	if a.file != nil {
		return a.file.Close()
	}
	return nil
}

// readManifestFrom reads a manifest, and no more than one can have.
func readManifestFrom(from io.Reader, lim Limits) ([]byte, error) {
	limit := min(lim.File, maxManifest)
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return nil, &CorruptError{manifestPath, err}
	}
	if int64(len(data)) > limit {
		return nil, corrupt(manifestPath, "%w: size", ErrLimit)
	}
	return data, nil
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
