package check

import (
	"errors"
	"math/bits"
)

// noParent is the parent of an initial state.
const noParent = ^uint32(0)

var (
	errMaxMemory = errors.New("memory budget reached")
	errMaxStates = errors.New("state budget reached")
	errIndex     = errors.New("more than 2^32-2 states")
)

// budget counts bytes before they are allocated. A limit of 0 is none.
type budget struct{ used, limit int64 }

func (b *budget) take(n int64) error {
	if b.limit > 0 && b.used+n > b.limit {
		return errMaxMemory
	}
	b.used += n
	return nil
}

func (b *budget) give(n int64) { b.used -= n }

const (
	chunkBits  = 12 // states in a chunk of the arena, as a power of two
	chunkLen   = 1 << chunkBits
	segBits    = 6 // segments of the table, as a power of two
	segments   = 1 << segBits
	segMinBits = 4  // slots of a new segment, as a power of two
	batchLen   = 64 // states inserted at a time
)

// segment is one open-addressing table with linear probing. An entry is a
// 32-bit hash tag above the 32-bit state number plus one; 0 is free. The home
// slot is the upper end of the tag, so that growing needs no look at states.
// Entries lie in the order of their tags except for displacement.
type segment struct {
	slots []uint64
	bits  uint8
	count int
}

// packedStore is the visited set and the queue of a breadth-first search in
// one: states are numbered in the order of insertion. It keeps states of a
// fixed number of words in an arena of chunks and finds them through a table of
// segments that grow on their own, which keeps the memory spike of growing
// small. Neither holds pointers to states.
//
// Insertion is deferred, so that several states are worked on at a time;
// nothing that was added is visible before flush.
type packedStore struct {
	width     int
	n         int
	maxStates int
	mem       *budget
	held      int64 // this store's part of mem.used
	chunks    [][]uint64
	parents   [][]uint32
	segs      [segments]segment
	// spare are tables outgrown, cut into chunks for the arena: garbage would
	// take memory that nobody counts until it is collected.
	spare [][]uint64

	pending  int
	pendW    []uint64
	pendP    [batchLen]uint32
	pendHash [batchLen]uint64
	sink     uint64
}

func newPackedStore(width, maxStates int, mem *budget) (*packedStore, error) {
	s := &packedStore{width: width, maxStates: maxStates, mem: mem}
	if err := s.take(int64(8*batchLen*width) + segments*8<<segMinBits); err != nil {
		return nil, err
	}
	s.pendW = make([]uint64, batchLen*width)
	for i := range s.segs {
		s.segs[i] = segment{slots: make([]uint64, 1<<segMinBits), bits: segMinBits}
	}
	return s, nil
}

func (s *packedStore) take(n int64) error {
	if err := s.mem.take(n); err != nil {
		return err
	}
	s.held += n
	return nil
}

// release gives the memory back to the budget; the store is dead afterwards.
func (s *packedStore) release() {
	s.mem.give(s.held)
	*s = packedStore{}
}

// len is the number of states inserted.
func (s *packedStore) len() int { return s.n }

// bytes is the memory held, as counted against the budget.
func (s *packedStore) bytes() int64 { return s.held }

// state is state i, not to be written to.
func (s *packedStore) state(i uint32) []uint64 {
	off := int(i&(chunkLen-1)) * s.width
	return s.chunks[i>>chunkBits][off : off+s.width : off+s.width]
}

// load copies state i into dst.
func (s *packedStore) load(i uint32, dst []uint64) { copy(dst, s.state(i)) }

// parent is the state from which state i was first reached.
func (s *packedStore) parent(i uint32) uint32 {
	return s.parents[i>>chunkBits][i&(chunkLen-1)]
}

// hash mixes the words of a state by 64x64->128 bit multiplications.
func hash(words []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		hi, lo := bits.Mul64(w^h, 0xd6e8feb86659fd93)
		h = hi ^ lo ^ bits.RotateLeft64(h, 23)
	}
	hi, lo := bits.Mul64(h^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return hi ^ lo
}

// split gives the segment and the tag of a hash, from disjoint bits.
func split(h uint64) (seg uint32, tag uint32) {
	return uint32(h) & (segments - 1), uint32(h >> 32)
}

// add schedules a state for insertion, reached from state parent.
func (s *packedStore) add(words []uint64, parent uint32) error {
	i := s.pending
	copy(s.pendW[i*s.width:], words)
	s.pendP[i] = parent
	s.pendHash[i] = hash(s.pendW[i*s.width : (i+1)*s.width])
	s.pending++
	if s.pending == batchLen {
		return s.flush()
	}
	return nil
}

// flush inserts what is pending. New states are numbered in the order in which
// they were added.
//
// It first touches every home slot, then every first candidate state, and
// only then inserts: the cache misses of a batch overlap.
func (s *packedStore) flush() error {
	var cand [batchLen]uint64
	n := s.pending
	for i := range n {
		seg, tag := split(s.pendHash[i])
		g := &s.segs[seg]
		cand[i] = g.slots[tag>>(32-g.bits)]
	}
	sum := s.sink
	for i := range n {
		if e := cand[i]; e != 0 && uint32(e>>32) == uint32(s.pendHash[i]>>32) {
			sum += s.state(uint32(e) - 1)[0]
		}
	}
	s.sink = sum // keeps the touching loads alive
	s.pending = 0
	for i := range n {
		if err := s.insert(s.pendW[i*s.width:(i+1)*s.width], s.pendHash[i], s.pendP[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *packedStore) insert(words []uint64, h uint64, parent uint32) error {
	seg, tag := split(h)
	g := &s.segs[seg]
	mask := uint32(len(g.slots) - 1)
	pos := tag >> (32 - g.bits)
	for ; ; pos = (pos + 1) & mask {
		e := g.slots[pos]
		if e == 0 {
			break
		}
		if uint32(e>>32) == tag && equalWords(s.state(uint32(e)-1), words) {
			return nil
		}
	}
	if s.maxStates > 0 && s.n >= s.maxStates {
		return errMaxStates
	}
	if uint64(s.n) >= 1<<32-2 {
		return errIndex
	}
	if s.n>>chunkBits == len(s.chunks) {
		if err := s.grow(); err != nil {
			return err
		}
	}
	if (g.count+1)*4 > len(g.slots)*3 {
		if err := s.rehash(g); err != nil {
			return err
		}
		mask = uint32(len(g.slots) - 1)
		for pos = tag >> (32 - g.bits); g.slots[pos] != 0; pos = (pos + 1) & mask {
		}
	}
	i := uint32(s.n)
	copy(s.state(i), words)
	s.parents[i>>chunkBits][i&(chunkLen-1)] = parent
	g.slots[pos] = uint64(tag)<<32 | uint64(i+1)
	g.count++
	s.n++
	return nil
}

// find looks an inserted state up.
func (s *packedStore) find(words []uint64) (uint32, bool) {
	seg, tag := split(hash(words))
	g := &s.segs[seg]
	mask := uint32(len(g.slots) - 1)
	for pos := tag >> (32 - g.bits); g.slots[pos] != 0; pos = (pos + 1) & mask {
		e := g.slots[pos]
		if uint32(e>>32) == tag && equalWords(s.state(uint32(e)-1), words) {
			return uint32(e) - 1, true
		}
	}
	return 0, false
}

// grow adds a chunk to the arena.
func (s *packedStore) grow() error {
	// 96 bytes for the two slice headers, which append may have to double.
	need := int64(4*chunkLen + 96)
	if len(s.spare) == 0 {
		need += int64(8 * chunkLen * s.width)
	}
	if err := s.take(need); err != nil {
		return err
	}
	if n := len(s.spare); n > 0 {
		s.chunks = append(s.chunks, s.spare[n-1])
		s.spare = s.spare[:n-1]
	} else {
		s.chunks = append(s.chunks, make([]uint64, chunkLen*s.width))
	}
	s.parents = append(s.parents, make([]uint32, chunkLen))
	return nil
}

// rehash doubles a segment.
func (s *packedStore) rehash(g *segment) error {
	old := g.slots
	if g.bits == 32 {
		return errIndex
	}
	if err := s.take(int64(16 * len(old))); err != nil {
		return err
	}
	slots := make([]uint64, 2*len(old))
	g.bits++
	mask := uint32(len(slots) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		pos := uint32(e>>32) >> (32 - g.bits)
		for slots[pos] != 0 {
			pos = (pos + 1) & mask
		}
		slots[pos] = e
	}
	g.slots = slots
	for chunk := chunkLen * s.width; len(old) >= chunk; old = old[chunk:] {
		s.spare = append(s.spare, old[:chunk:chunk])
	}
	s.mem.give(int64(8 * len(old)))
	s.held -= int64(8 * len(old))
	return nil
}

func equalWords(a, b []uint64) bool {
	for i, w := range a {
		if w != b[i] {
			return false
		}
	}
	return true
}
