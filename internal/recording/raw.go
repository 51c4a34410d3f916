package recording

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"
)

// The file that a program records into, see internal/orcruntime/recordfile.go.
const (
	rawMagic  = "vtraceR1"
	rawHeader = 16
	rawRegion = 4 << 20
	rawChunk  = 24
	rawFull   = 1
)

// chunk is a piece of what a goroutine has recorded.
type chunk struct {
	goroutine uint64
	number    uint32
	creator   uint64 // who has started it; of number 0
	creatorPC int32
	payload   []byte
}

// readRaw calls each for the chunks of a file that a program has recorded into, in the order of
// the file: that of each goroutine, but not between them. It reports whether the recording has
// been cut since it was too large. A chunk is overwritten by the next one. The file may have been
// written by anybody.
func readRaw(r io.Reader, each func(*chunk) error) (full bool, err error) {
	in := &regions{r: r, buffered: bufio.NewReader(r), left: rawRegion}
	var head [rawChunk]byte
	switch n, err := in.read(head[:rawHeader]); {
	case err != nil:
		return false, err
	case n < rawHeader || string(head[:len(rawMagic)]) != rawMagic:
		return false, corrupt("no program has written it")
	}
	le := binary.LittleEndian
	full = le.Uint32(head[len(rawMagic):])&rawFull != 0
	var payload []byte
	for {
		if in.left < rawChunk {
			if err := in.next(); err != nil {
				return full, err
			}
		}
		n, err := in.read(head[:])
		if err != nil || n < len(head) { // what has fewer bytes was not written to its end
			return full, err
		}
		size, used := le.Uint32(head[:]), le.Uint32(head[4:])
		if size == 0 { // so is the rest of the region
			if err := in.next(); err != nil {
				return full, err
			}
			continue
		}
		rest := int64(size) - rawChunk
		if rest < 0 || size%8 != 0 || rest > in.left || int64(used) > rest {
			return full, corrupt("a chunk of %d bytes, of which %d are used", size, used)
		}
		payload = slices.Grow(payload[:0], int(rest))[:rest]
		n, err = in.read(payload)
		switch {
		case err != nil:
			return full, err
		case n < len(payload):
			return full, corrupt("a chunk of %d bytes, of which %d are there", size, rawChunk+n)
		}
		c := chunk{
			goroutine: uint64(le.Uint32(head[8:])), number: le.Uint32(head[12:]),
			creator: uint64(le.Uint32(head[16:])), creatorPC: int32(le.Uint32(head[20:]) & (1<<31 - 1)),
			payload: payload[:used],
		}
		if c.goroutine != 0 {
			if err := each(&c); err != nil {
				return full, err
			}
		}
	}
}

// regions reads a file of regions, most of which are empty behind their first bytes.
type regions struct {
	r        io.Reader
	buffered *bufio.Reader // of r
	left     int64         // bytes of the region
}

// read fills p with bytes of the region, as far as the file has them.
func (in *regions) read(p []byte) (int, error) {
	n, err := io.ReadFull(in.buffered, p)
	in.left -= int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

// next skips what is left of the region, without reading it where r can do that.
func (in *regions) next() error {
	skip := in.left
	in.left = rawRegion
	if s, ok := in.r.(io.Seeker); ok && skip > int64(in.buffered.Buffered()) {
		if _, err := s.Seek(skip-int64(in.buffered.Buffered()), io.SeekCurrent); err == nil { // it is no pipe
			in.buffered.Reset(in.r)
			return nil
		}
	}
	_, err := io.CopyN(io.Discard, in.buffered, skip)
	if err == io.EOF {
		err = nil
	}
	return err
}
