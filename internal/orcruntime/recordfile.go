//go:build go1.25

package orcruntime

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The file that a process records into: a header, then regions of regionSize bytes, each of which is
// chunks, the last one followed by zeros. All numbers are little-endian. A chunk is its header and
// its payload, both in multiples of 8 bytes, and belongs to one goroutine.
const (
	recordMagic = "vtraceR1"
	// fileHeader: the magic, then 4 bytes that are fileFull if the recording was cut, and 4 unused ones.
	fileHeader = 16
	fileFull   = 1
	regionSize = 4 << 20
	// chunkHeader: size with the header, used bytes of the payload, the goroutine, its chunk number
	// from 0, who has started it and where, as 4 bytes each; only the first chunk has the last two.
	chunkHeader = 24
	firstChunk  = 512
	largeChunk  = 64 << 10
	// defaultLimit bounds the size of the file.
	defaultLimit = 4 << 30
)

// recordFile is written to by all goroutines of a process.
type recordFile struct {
	mu     sync.Mutex
	header []byte
	region []byte // what is left of the region
	file   *os.File
	size   int64
	limit  int64
	full   bool
	spare  sync.Pool // of []byte: rests of chunks of goroutines that have ended
}

// chunk is a part of the file that one goroutine writes to.
type chunk struct {
	all     []byte
	payload []byte
	number  uint32
}

// used is where it says how many bytes of the payload are written.
func (c chunk) used() *uint32 {
	if len(c.all) == 0 {
		return new(uint32) // what is lost
	}
	return (*uint32)(unsafe.Pointer(&c.all[4]))
}

func newRecordFile(dir, limit string) (*recordFile, error) {
	f := &recordFile{limit: defaultLimit}
	if limit != "" {
		n, err := strconv.ParseInt(limit, 10, 64)
		if err != nil || n < 1 {
			return nil, errors.New(EnvRecordLimit + " is no number of bytes")
		}
		f.limit = n
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("machines that are big-endian are not supported")
	}
	var err error
	f.file, err = os.OpenFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.grow(); err != nil {
		// What is empty is no recording.
		return nil, errors.Join(err, f.file.Close(), os.Remove(f.file.Name()))
	}
	copy(f.region, recordMagic)
	f.header = f.region[:fileHeader]
	f.region = f.region[fileHeader:]
	return f, nil
}

// LeftSuffix ends the name of the file beside that of a process that says which goroutines the garbage collector found to wait
// for what nothing reaches, when the program has exited: their numbers, one a line. LeftReachable stands in front of the numbers
// of others that wait.
const (
	LeftSuffix    = ".left"
	LeftReachable = "+"
)

// judgeLeft is called when the program exits. What it cannot write is not known.
func (f *recordFile) judgeLeft() {
	leaked, reachable, judged := leakedGoroutines()
	if !judged {
		return
	}
	var text []byte
	for _, n := range leaked {
		text = append(strconv.AppendUint(text, n, 10), '\n')
	}
	for _, n := range reachable {
		text = append(strconv.AppendUint(append(text, LeftReachable...), n, 10), '\n')
	}
	temp := f.file.Name() + LeftSuffix + ".new"
	if err := os.WriteFile(temp, text, 0o600); err == nil {
		_ = os.Rename(temp, f.file.Name()+LeftSuffix)
	}
}

// grow maps another region. The caller holds the lock, or is alone.
func (f *recordFile) grow() error {
	// Blocks are there before they are mapped: with a disk that is full it is the recording that ends,
	// and not the program.
	if err := reserve(f.file, f.size, regionSize); err != nil {
		return err
	}
	region, err := mapFile(f.file, f.size, regionSize)
	if err != nil {
		return err
	}
	f.region = region
	f.size += regionSize
	return nil
}

func writeZeros(f *os.File, offset int64, size int) error {
	_, err := f.WriteAt(make([]byte, size), offset)
	return err
}

// take makes a chunk of a size in bytes, its header included.
func (f *recordFile) take(size int, goroutine uint64, number uint32, creator uint64) chunk {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.region) < size && !f.full {
		if size > regionSize || f.size+regionSize > f.limit || f.grow() != nil {
			f.full = true
			binary.LittleEndian.PutUint32(f.header[len(recordMagic):], fileFull)
			recordings.on.Store(false)
		}
	}
	if f.full {
		// It is lost, but who is writing needs something to write to.
		all := make([]byte, size)
		return chunk{payload: all, number: number}
	}
	all := f.region[:size:size]
	describe(all, goroutine, number, creator)
	f.region = f.region[size:]
	return chunk{all, all[chunkHeader:], number}
}

// describe writes the header of a chunk, its size last.
func describe(all []byte, goroutine uint64, number uint32, creator uint64) {
	le := binary.LittleEndian
	le.PutUint32(all[4:], 0)
	le.PutUint32(all[8:], uint32(goroutine))
	le.PutUint32(all[12:], number)
	le.PutUint32(all[16:], uint32(creator>>32))
	le.PutUint32(all[20:], uint32(creator))
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&all[0])), uint32(len(all)))
}

// first is the first chunk of a goroutine.
func (f *recordFile) first(goroutine, creator uint64) chunk {
	if rest, ok := f.spare.Get().(*[]byte); ok {
		all := *rest
		describe(all, goroutine, 0, creator)
		return chunk{all, all[chunkHeader:], 0}
	}
	return f.take(firstChunk, goroutine, 0, creator)
}

// next is the next chunk of a goroutine, for at least n bytes of payload.
func (f *recordFile) next(c chunk, goroutine uint64, n int) chunk {
	size := min(max(4*len(c.all), firstChunk), largeChunk)
	size = max(size, (n+chunkHeader+7)&^7)
	return f.take(size, goroutine, c.number+1, 0)
}

// giveBack leaves what a goroutine that has ended has not used to others.
func (f *recordFile) giveBack(c chunk, used int) {
	size := (chunkHeader + used + 7) &^ 7
	if len(c.all)-size < chunkHeader+maxRecord {
		return
	}
	rest := c.all[size:]
	// First the rest is a chunk, then the chunk ends there: whoever reads the file in between
	// sees one of both.
	describe(rest, 0, 0, 0)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&c.all[0])), uint32(size))
	f.spare.Put(&rest)
}
