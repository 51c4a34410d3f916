package recording

import (
	"bytes"
	"encoding/binary"
	"io"
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
	var region bytes.Buffer
	for first := true; ; first = false {
		region.Reset()
		n, err := io.CopyN(&region, r, rawRegion)
		switch {
		case err != nil && err != io.EOF:
			return full, err
		case n == 0 && !first:
			return full, nil
		}
		data := region.Bytes()[:n&^7]
		if first {
			if len(data) < rawHeader || string(data[:len(rawMagic)]) != rawMagic {
				return full, corrupt("no program has written it")
			}
			full = binary.LittleEndian.Uint32(data[len(rawMagic):])&rawFull != 0
			data = data[rawHeader:]
		}
		for len(data) >= rawChunk {
			le := binary.LittleEndian
			size, used := le.Uint32(data), le.Uint32(data[4:])
			if size == 0 {
				break
			}
			if size < rawChunk || size%8 != 0 || int64(size) > int64(len(data)) || used > size-rawChunk {
				return full, corrupt("a chunk of %d bytes, of which %d are used", size, used)
			}
			c := chunk{
				goroutine: uint64(le.Uint32(data[8:])), number: le.Uint32(data[12:]),
				creator: uint64(le.Uint32(data[16:])), creatorPC: int32(le.Uint32(data[20:]) & (1<<31 - 1)),
				payload: data[rawChunk : rawChunk+used],
			}
			if c.goroutine != 0 {
				if err := each(&c); err != nil {
					return full, err
				}
			}
			data = data[size:]
		}
	}
}
