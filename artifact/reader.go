package artifact

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/vtrace/vtrace/internal/storage"
)

// A Reader reads a bundle file by file, in the order of its manifest, so that a bundle takes
// little memory however large it is: what its manifest takes, the largest of its JSON files,
// and what the caller keeps. All that [Load] checks is checked, each file while it is read.
//
// [Reader.Next] goes to the next file, of which Read gives the content. What is not read of a
// file is checked and dropped. The bundle is whole, and all of it right, when Next returns
// io.EOF; until then something behind may be broken, and until Read returns io.EOF so may be
// the file that is read.
//
// A Reader is not safe for concurrent use.
type Reader struct {
	path    string // what was opened, "" if it is not a file
	lim     Limits
	encoded []byte // the manifest as it stands in the bundle
	files   comparison
	from    entries
	err     error // of Next or Read, which stays
	closed  bool

	// The file that Next has come to.
	content io.Reader
	started bool   // something was read of it
	data    []byte // all of it, checked; nil if it is not in memory
	stored  any    // what it holds, as it is stored
	value   any    // what that stands for, once somebody has asked for it

	// known are files of which it was checked before that they can be decoded. They have no value; who asks for one reads a
	// bundle that is made, where nothing is known.
	known map[string]bool
}

// OpenOptions say which bundles [Open] reads.
type OpenOptions struct {
	// Limits bound what the bundle may hold.
	Limits Limits
	// Key is the public key by which the signature beside the bundle has to be; nil asks for
	// no signature.
	Key ed25519.PublicKey
}

// Open begins to read a bundle in either form. Its manifest is checked, and its signature if
// there is a key: a *SignatureError says what is wrong with it. The reader has to be closed.
func Open(path string, o OpenOptions) (*Reader, error) {
	lim, err := o.Limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load bundle: %w", err)
	}
	// The signature is looked at before the bundle, which may be large.
	var sig *Signature
	if o.Key != nil {
		if sig, err = loadSignature(path, o.Key); err != nil {
			return nil, err
		}
	}
	var r *Reader
	switch {
	case info.IsDir():
		r, err = openDir(path, lim)
	case info.Mode().IsRegular():
		r, err = openArchive(path, lim)
	default:
		err = corrupt("", "neither a directory nor a regular file")
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	r.path = path
	if sig != nil && sig.Digest != r.Digest() {
		return nil, errors.Join(signatureError(path, &SignatureError{Err: ErrChanged}), r.Close())
	}
	return r, nil
}

// NewReader begins to read the archive form of a bundle.
func NewReader(from io.Reader, lim Limits) (*Reader, error) {
	if from == nil {
		return nil, &ArgumentError{"reader", "nil"}
	}
	lim, err := lim.withDefaults()
	if err != nil {
		return nil, err
	}
	return newArchive(from, nil, lim)
}

// Reader reads a bundle that is in memory.
func (b *Bundle) Reader() *Reader {
	if b == nil {
		return nil
	}
	// What is there was within its limits when the bundle was made.
	lim := Limits{Decoded: 1<<63 - 1}
	return &Reader{lim: lim, encoded: b.encoded, files: comparison{manifest: b.manifest}, from: &memoryEntries{files: b.files, listed: b.manifest.Files}}
}

// newReader checks a manifest that was read; the entries are the files behind it.
func newReader(encoded []byte, from func(m Manifest) entries, lim Limits) (*Reader, error) {
	m, err := decodeManifest(encoded, lim)
	if err != nil {
		return nil, err
	}
	return &Reader{lim: lim, encoded: encoded, files: comparison{manifest: m}, from: from(m)}, nil
}

// Manifest returns a copy of the manifest.
func (r *Reader) Manifest() Manifest {
	if r == nil {
		return Manifest{}
	}
	return r.files.manifest.clone()
}

// Digest identifies the content of the bundle, as [Bundle.Digest] does.
func (r *Reader) Digest() string {
	if r == nil || r.encoded == nil {
		return ""
	}
	return storage.Digest(r.encoded)
}

// Options returns the options of the pass, as [Bundle.Options] does.
func (r *Reader) Options() Options {
	if r == nil {
		return Options{}
	}
	o, _ := r.files.manifest.options() // they were decoded with the manifest
	return o
}

// Next goes to the next file. The error is io.EOF behind the last one, if nothing of the
// bundle is missing or broken.
func (r *Reader) Next() (FileInfo, error) {
	if r == nil || r.from == nil {
		return FileInfo{}, &ArgumentError{"reader", "not open"}
	}
	if r.err != nil {
		return FileInfo{}, r.err
	}
	f, err := r.advance()
	if err != nil {
		return FileInfo{}, r.failed(err)
	}
	return f, nil
}

// failed makes an error the last one of the reader.
func (r *Reader) failed(err error) error {
	if err != io.EOF && r.path != "" {
		err = fmt.Errorf("load %s: %w", r.path, err)
	}
	r.err, r.content, r.data, r.stored, r.value = err, nil, nil, nil, nil
	return err
}

func (r *Reader) advance() (f FileInfo, err error) {
	if r.content != nil && r.data == nil {
		if _, err := io.Copy(io.Discard, r.content); err != nil {
			return f, err
		}
	}
	r.content, r.started, r.data, r.stored, r.value = nil, false, nil, nil, nil
	f, ok := r.files.next()
	if !ok {
		if err := r.from.end(); err != nil {
			return f, err
		}
		if err := r.files.end(); err != nil {
			return f, err
		}
		return f, io.EOF
	}
	from, data, err := r.from.open(f)
	if err != nil {
		return f, err
	}
	r.content = r.files.compare(f, &named{f.Path, from})
	form := formOf(f.Path)
	if form == nil && data == nil {
		return f, nil
	}
	// It is in memory anyway, or needed there to be decoded.
	if data == nil {
		data, err = io.ReadAll(r.content)
	} else {
		_, err = io.Copy(io.Discard, r.content)
	}
	if err != nil {
		return f, err
	}
	r.content, r.data = bytes.NewReader(data), data
	if form != nil && !r.known[f.Path] {
		r.stored, err = decodeForm(f.Path, data, form, r.lim)
	}
	return f, err
}

// Read reads from the file that Next has come to. At its end the error is io.EOF if the file
// is what the manifest says, else a *CorruptError.
func (r *Reader) Read(p []byte) (int, error) {
	switch {
	case r == nil || r.from == nil:
		return 0, &ArgumentError{"reader", "not open"}
	case r.err != nil:
		return 0, r.err
	case r.content == nil:
		return 0, &ArgumentError{"reader", "at no file"}
	}
	r.started = true
	n, err := r.content.Read(p)
	if err != nil && err != io.EOF {
		err = r.failed(err)
	}
	return n, err
}

// Content returns all of the file that Next has come to, of which nothing may have been read.
// The bytes must not be changed.
func (r *Reader) Content() ([]byte, error) {
	if r != nil && r.data != nil {
		return r.data, nil
	}
	if r != nil && r.started {
		return nil, &ArgumentError{"content", "some of it was read"}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	r.content, r.data = bytes.NewReader(data), data
	return data, nil
}

// Value is what the file that Next has come to holds, if it is one of those with a form: a
// *Sidecar, *Trace, *RaceSearch or *Runs, or a pointer to a list of Query, Verdict,
// Refutation, Fact or Finding. It is the caller's own. Of other files it is nil.
func (r *Reader) Value() any {
	if r == nil {
		return nil
	}
	if r.value == nil && r.stored != nil {
		r.value = whole(r.stored)
	}
	return r.value
}

// Close ends the reading. It checks nothing. Closing twice does nothing.
func (r *Reader) Close() error {
	if r == nil || r.from == nil || r.closed {
		return nil
	}
	r.closed = true
	if r.err == nil {
		r.err = os.ErrClosed
	}
	r.content, r.data, r.stored, r.value = nil, nil, nil, nil
	return r.from.close()
}

// bundle reads all files, and closes the reader.
func (r *Reader) bundle() (*Bundle, error) {
	b, err := r.all()
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	return b, nil
}

func (r *Reader) all() (*Bundle, error) {
	b := &Bundle{manifest: r.files.manifest, encoded: r.encoded, decoded: r.lim.Decoded, files: make(map[string][]byte, len(r.files.manifest.Files))}
	b.findings = sync.OnceValue(b.decodeFindings)
	for {
		f, err := r.Next()
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if b.files[f.Path], err = r.Content(); err != nil {
			return nil, err
		}
		if s, ok := r.stored.(*Sidecar); ok {
			b.sidecar = s
		}
	}
}

// comparison compares files with a manifest, in its order.
type comparison struct {
	manifest Manifest
	done     int // files that were taken
	source   sourceSum
}

// next takes the next file of the manifest.
func (c *comparison) next() (FileInfo, bool) {
	if c.done == len(c.manifest.Files) {
		return FileInfo{}, false
	}
	c.done++
	return c.manifest.Files[c.done-1], true
}

// compare is the content of the file that was taken last. In place of io.EOF it has the error
// if it is not what the manifest says.
func (c *comparison) compare(f FileInfo, from io.Reader) *compared {
	sum := sha256.New()
	return &compared{FileInfo: f, from: from, sum: sum, to: c.source.with(f, sum)}
}

// end checks what can be said only behind all files.
func (c *comparison) end() error {
	if f, more := c.next(); more {
		return corrupt(f.Path, "missing")
	}
	if c.source.String() != c.manifest.Source {
		return corrupt(manifestPath, "digest of the source files differs")
	}
	return nil
}

type compared struct {
	FileInfo
	from io.Reader
	sum  hash.Hash
	to   io.Writer // the sum, and that of the program
	n    int64
	err  error
}

func (c *compared) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	// What is larger than the manifest says is seen without being read to its end.
	if room := c.Size - c.n + 1; int64(len(p)) > room {
		p = p[:room]
	}
	n, err := c.from.Read(p)
	c.n += int64(n)
	c.to.Write(p[:n])
	switch {
	case c.n > c.Size:
		n, err = 0, corrupt(c.Path, "more than %d bytes, want %d", c.Size, c.Size)
	case err == io.EOF && c.n != c.Size:
		err = corrupt(c.Path, "%d bytes, want %d", c.n, c.Size)
	case err == io.EOF && hex.EncodeToString(c.sum.Sum(nil)) != c.SHA256:
		err = corrupt(c.Path, "digest differs")
	}
	c.err = err
	return n, err
}

// named says of which file a content cannot be read.
type named struct {
	path string
	from io.Reader
}

func (n *named) Read(p []byte) (int, error) {
	k, err := n.from.Read(p)
	if err != nil && err != io.EOF {
		err = &CorruptError{n.path, err}
	}
	return k, err
}

// sourceSum makes the digest of the program's files, "" if there are none. It does so as
// source.Digest does, so that the two can be compared. The files come in the order of their
// paths.
type sourceSum struct{ hash hash.Hash }

// with is a writer to which the content of a file has to be written: it hashes those of the
// program, and passes all of them on.
func (s *sourceSum) with(f FileInfo, to io.Writer) io.Writer {
	rel, ok := strings.CutPrefix(f.Path, SourceDir+"/")
	if !ok {
		return to
	}
	if s.hash == nil {
		s.hash = sha256.New()
	}
	fmt.Fprintf(s.hash, "%d %s %d\n", len(rel), rel, f.Size)
	return io.MultiWriter(to, s.hash)
}

func (s *sourceSum) String() string {
	if s.hash == nil {
		return ""
	}
	return hex.EncodeToString(s.hash.Sum(nil))
}
