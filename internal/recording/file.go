package recording

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/vtrace/vtrace/internal/trace"
)

// Version is that of the format. Every later vtrace reads it.
const Version = 1

// magic begins a recording, and is followed by the version, as one byte, and a zstd frame.
const magic = "vtrace-recording"

// The kinds of records in the frame.
const (
	kindHeader byte = 'H'
	kindChunk  byte = 'C'
	kindEnd    byte = 'E'
)

// Bounds of what is read.
const (
	maxHeader     = 64 << 20
	maxChunk      = rawRegion
	maxGoroutines = 1 << 22
	maxMemory     = 64 << 20 // of the decompressor
)

// Header says what was recorded.
type Header struct {
	// Program is the package and the entry function.
	Program string `json:"program"`
	// Tool is the version of vtrace, Go that of the Go that it was built with.
	Tool string `json:"tool,omitempty"`
	Go   string `json:"go,omitempty"`
	// End is how the program has ended: "exit status 2", "signal: killed".
	End string `json:"end,omitempty"`
	// Schedule is, of a run under control, by what its schedule was chosen: "seed 7, strategy pos", "replay of q3-1". It is
	// empty of a run that was free.
	Schedule string `json:"schedule,omitempty"`
	// Judged: at the end the garbage collector has said of the goroutines that were left which ones nothing can wake, as nothing
	// that can go on reaches what they wait for. Leaked are the numbers of these, Reachable those of others that have waited.
	Judged    bool     `json:"judged,omitempty"`
	Leaked    []uint64 `json:"leaked,omitempty"`
	Reachable []uint64 `json:"reachable,omitempty"`
	// Notes are what is not recorded, and why.
	Notes []string `json:"notes,omitempty"`
	// Positions are the places in the source, by number, from 1.
	Positions []Position `json:"positions,omitempty"`
	// Names are the expressions in the source by which memory is called, by number, from 1.
	Names []string `json:"names,omitempty"`
}

// Position is a place in the source.
type Position = trace.Position

// writer writes a recording.
type writer struct {
	w      *bufio.Writer
	z      io.WriteCloser
	chunks uint64
}

// begin begins a recording.
func begin(w io.Writer, h Header) (*writer, error) {
	if _, err := io.WriteString(w, magic+string([]byte{Version})); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return newWriter(z, h)
}

// newWriter writes the records, and closes z, which compresses them, at their end.
func newWriter(z io.WriteCloser, h Header) (*writer, error) {
	data, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	out := &writer{w: bufio.NewWriter(z), z: z}
	out.w.WriteByte(kindHeader)
	out.bytes(data)
	return out, nil
}

func (w *writer) uvarint(v uint64) {
	var b [binary.MaxVarintLen64]byte
	w.w.Write(b[:binary.PutUvarint(b[:], v)])
}

func (w *writer) bytes(b []byte) {
	w.uvarint(uint64(len(b)))
	w.w.Write(b)
}

// chunk writes a piece of what a goroutine has recorded.
func (w *writer) chunk(c *chunk) error {
	w.w.WriteByte(kindChunk)
	w.uvarint(c.goroutine)
	w.uvarint(uint64(c.number))
	if c.number == 0 {
		w.uvarint(c.creator)
		w.uvarint(uint64(c.creatorPC))
	}
	w.bytes(c.payload)
	w.chunks++
	_, err := w.w.Write(nil) // the first error that there was
	return err
}

// close ends the recording. full says that more was done than is recorded.
func (w *writer) close(full bool) error {
	w.w.WriteByte(kindEnd)
	w.uvarint(w.chunks)
	cut := byte(0)
	if full {
		cut = 1
	}
	w.w.WriteByte(cut)
	if err := errors.Join(w.w.Flush(), w.z.Close()); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// Convert writes what a program has recorded into a file of its own, as it is when it has ended,
// however it has. It takes a few megabytes of memory, however much that is.
func Convert(w io.Writer, h Header, recorded io.Reader) error {
	out, err := begin(w, h)
	if err != nil {
		return err
	}
	return out.convert(recorded)
}

func (w *writer) convert(recorded io.Reader) error {
	full, err := readRaw(recorded, w.chunk)
	if err != nil {
		return errors.Join(err, w.z.Close())
	}
	return w.close(full)
}

// Starts reports whether what comes next is a recording, by its first bytes, and reads nothing.
func Starts(r *bufio.Reader) bool {
	head, _ := r.Peek(len(magic))
	return string(head) == magic
}

// Reader reads a recording as a stream.
type Reader struct {
	in         *bufio.Reader
	z          *zstd.Decoder
	header     Header
	goroutines map[uint64]*decoder
	chunks     uint64
	full       bool
	buf        []byte
}

// NewReader begins to read a recording. The reader must be closed.
func NewReader(r io.Reader) (*Reader, error) {
	head := make([]byte, len(magic)+1)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("recording: %w", err)
		}
		return nil, corrupt("it is none")
	}
	if v := int(head[len(magic)]); v != Version {
		return nil, &VersionError{v}
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMemory), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	in, err := newReader(z)
	if err != nil {
		z.Close()
		return nil, err
	}
	in.z = z
	return in, nil
}

// newReader reads the records, which are not compressed any more.
func newReader(records io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReader(records), goroutines: map[uint64]*decoder{}}
	return r, r.readHeader()
}

func (r *Reader) readHeader() error {
	if kind, err := r.in.ReadByte(); err != nil || kind != kindHeader {
		return broken(err, "it has no header")
	}
	data, err := r.bytes(maxHeader)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &r.header); err != nil {
		return corrupt("its header: %v", err)
	}
	r.buf = nil
	return nil
}

// broken is the error of a recording that cannot be decompressed, or ends too early.
func broken(err error, why string) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("%s", why)
	}
	return corrupt("%s: %v", why, err)
}

// bytes reads a length and so many bytes, which are valid until it is called again.
func (r *Reader) bytes(most uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(r.in)
	if err != nil || n > most {
		return nil, broken(err, "a record is cut, or too long")
	}
	// The length may be a lie: memory is taken as the bytes come.
	r.buf = r.buf[:0]
	for n > 0 {
		k := int(min(n, 64<<10))
		at := len(r.buf)
		r.buf = append(r.buf, make([]byte, k)...)
		if _, err := io.ReadFull(r.in, r.buf[at:]); err != nil {
			return nil, broken(err, "a record is cut")
		}
		n -= uint64(k)
	}
	return r.buf, nil
}

// Close frees what the reader has taken.
func (r *Reader) Close() { r.z.Close() }

// Header says what was recorded.
func (r *Reader) Header() Header { return r.header }

// Cut reports, at the end, whether more was done than is recorded, since the recording came to its
// bound.
func (r *Reader) Cut() bool { return r.full }

// Goroutine is what a recording says of a goroutine when it first comes.
type Goroutine struct {
	ID uint64
	// Creator is the goroutine that has started it, and CreatorPC by which operation; 0 if that is not
	// known.
	Creator   uint64
	CreatorPC int32
}

// Visitor is told what is in a recording. Functions that are nil are not called. A goroutine comes
// before its events, which come in its order; between goroutines there is none. An object may
// come behind events of other goroutines that are about it.
type Visitor struct {
	Goroutine func(Goroutine) error
	Object    func(goroutine uint64, o Object) error
	// Event is given an event that the next one overwrites, but for its cases.
	Event func(goroutine uint64, e *Event) error
}

// Read reads the whole recording, which is possible once. Errors of the visitor end it.
func (r *Reader) Read(v Visitor) error {
	for {
		kind, err := r.in.ReadByte()
		if err != nil {
			return broken(err, "it has no end")
		}
		switch kind {
		case kindChunk:
			if err := r.readChunk(v); err != nil {
				return err
			}
		case kindEnd:
			n, err := binary.ReadUvarint(r.in)
			if err != nil || n != r.chunks {
				return broken(err, "chunks are missing")
			}
			cut, err := r.in.ReadByte()
			if err != nil || cut > 1 {
				return broken(err, "its end is cut")
			}
			if _, err := r.in.ReadByte(); err != io.EOF {
				return broken(err, "something follows its end")
			}
			r.full = cut == 1
			return nil
		default:
			return corrupt("there is no record of kind %q", kind)
		}
	}
}

func (r *Reader) readChunk(v Visitor) error {
	var n [4]uint64
	k := 2
	for i := 0; i < k; i++ {
		var err error
		if n[i], err = binary.ReadUvarint(r.in); err != nil {
			return broken(err, "a record is cut")
		}
		if i == 1 && n[1] == 0 {
			k = 4 // who has started it
		}
	}
	id := n[0]
	d := r.goroutines[id]
	switch {
	case id == 0 || id > math.MaxUint32 || n[1] > math.MaxUint32 || n[3] > math.MaxInt32:
		return corrupt("there is no such goroutine")
	case d == nil && n[1] == 0:
		if len(r.goroutines) >= maxGoroutines {
			return &LimitError{"goroutines", maxGoroutines}
		}
		d = &decoder{}
		r.goroutines[id] = d
		if v.Goroutine != nil {
			if err := v.Goroutine(Goroutine{id, n[2], int32(n[3])}); err != nil {
				return err
			}
		}
	case d == nil || uint64(d.chunks) != n[1]:
		return corrupt("chunk %d of goroutine %d comes too early, or again", n[1], id)
	}
	d.chunks++
	r.chunks++
	data, err := r.bytes(maxChunk)
	if err != nil {
		return err
	}
	object := func(o Object) error { return nil }
	if v.Object != nil {
		object = func(o Object) error { return v.Object(id, o) }
	}
	event := func(e *Event) error { return nil }
	if v.Event != nil {
		event = func(e *Event) error { return v.Event(id, e) }
	}
	return d.decode(data, object, event)
}

// Pending calls each, at the end, for the operations that were begun and never ended, of
// goroutines in no order.
func (r *Reader) Pending(each func(goroutine uint64, pc int32, op trace.Op, object, site uint64)) {
	for id, d := range r.goroutines {
		for _, o := range d.open {
			each(id, o.pc, o.op, o.object, o.site)
		}
	}
}
