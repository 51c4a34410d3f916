package check

import (
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
)

// noParent is the parent of an initial state.
const noParent = ^uint32(0)

var (
	errMaxMemory = errors.New("memory budget reached")
	errMaxStates = errors.New("state budget reached")
	errIndex     = errors.New("more than 2^32-2 states")
)

// budget counts bytes before they are allocated. A limit of 0 is none.
type budget struct {
	mu    sync.Mutex
	used  int64
	limit int64
}

func (b *budget) take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit > 0 && b.used+n > b.limit {
		return errMaxMemory
	}
	b.used += n
	return nil
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
}

const (
	maxChunkBits = 12      // states in a chunk of the arena, as a power of two
	chunkWords   = 1 << 17 // the most words in a chunk, unless a state is wider
	slabChunks   = 256     // the most chunks allocated at a time
	batchLen     = 64      // states inserted at a time
)

// packedStore is the visited set and the queue of a breadth-first search in
// one: states are numbered in the order of insertion. It keeps states of a
// fixed number of words in an arena of chunks, each followed by the parents of
// its states, and finds them through a table. Neither holds pointers to states.
//
// Insertion is deferred, so that several states are worked on at a time;
// nothing that was added is visible before flush.
type packedStore struct {
	width     int
	chunkBits uint8
	n         int
	maxStates int
	mem       *budget
	held      atomic.Int64 // this store's part of mem.used
	chunks    [][]uint64
	unused    [][]uint64 // chunks allocated ahead
	slabs     [][]uint64 // what chunks are parts of
	segs      [segments]segment

	recent   *recent // nil: none yet
	noRecent bool    // and there is to be none

	pending  int
	pendW    []uint64
	pendP    [batchLen]uint32
	pendHash [batchLen]uint64
	sink     uint64

	compaction
}

func newPackedStore(width, maxStates int, compact bool, mem *budget) (*packedStore, error) {
	s := &packedStore{width: width, maxStates: maxStates, mem: mem, chunkBits: maxChunkBits}
	s.compact = compact
	for s.chunkBits > 0 && width<<s.chunkBits > chunkWords {
		s.chunkBits--
	}
	if err := s.take(int64(8*batchLen*width + segments*8*slotsFor(minHomes))); err != nil {
		return nil, err
	}
	s.pendW = make([]uint64, batchLen*width)
	slots := make([]uint64, segments*slotsFor(minHomes))
	for i := range s.segs {
		n := slotsFor(minHomes)
		s.segs[i] = segment{slots: slots[:n:n], homes: minHomes}
		slots = slots[n:]
	}
	return s, nil
}

func (s *packedStore) take(n int64) error {
	if err := s.mem.take(n); err != nil {
		return err
	}
	s.held.Add(n)
	return nil
}

func (s *packedStore) give(n int64) {
	s.mem.give(n)
	s.held.Add(-n)
}

// release gives the memory back; the store is dead afterwards.
func (s *packedStore) release() {
	s.mem.give(s.held.Load())
	for i := range s.segs {
		freeWords(s.segs[i].slots)
	}
	for _, slab := range s.slabs {
		freeWords(slab)
	}
	s.dropAll()
	s.held.Store(0)
	s.segs, s.chunks, s.unused, s.slabs = [segments]segment{}, nil, nil, nil
}

// len is the number of states inserted.
func (s *packedStore) len() int { return s.n }

// bytes is the memory held, as counted against the budget.
func (s *packedStore) bytes() int64 { return s.held.Load() }

// state is state i, not to be written to.
func (s *packedStore) state(i uint32) []uint64 {
	off := int(i&(1<<(s.chunkBits&31)-1)) * s.width
	return s.chunks[i>>(s.chunkBits&31)][off : off+s.width : off+s.width]
}

// load copies state i into dst.
func (s *packedStore) load(i uint32, dst []uint64) { copy(dst, s.state(i)) }

// parentWord is the word that holds the parent of state i, and the shift.
func (s *packedStore) parentWord(i uint32) (*uint64, uint32) {
	if s.compact {
		return s.markedParent(i)
	}
	k := i & (1<<(s.chunkBits&31) - 1)
	return &s.chunks[i>>(s.chunkBits&31)][s.width<<(s.chunkBits&31)+int(k>>1)], k & 1 * 32
}

// parent is the state from which state i was first reached.
func (s *packedStore) parent(i uint32) uint32 {
	w, shift := s.parentWord(i)
	return uint32(*w >> shift)
}

// put writes state i, which must be new.
func (s *packedStore) put(i uint32, words []uint64, h uint64, parent uint32) {
	copy(s.state(i), words)
	if s.compact {
		*s.mark(i) = h
	}
	w, shift := s.parentWord(i)
	*w |= uint64(parent) << shift
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

// add schedules a state for insertion, reached from state parent.
func (s *packedStore) add(words []uint64, parent uint32) error {
	h := hash(words)
	if s.recent != nil && s.recent.seen(words, h) {
		return nil
	}
	i := s.pending
	copy(s.pendW[i*s.width:], words)
	s.pendP[i] = parent
	s.pendHash[i] = h
	s.pending++
	if s.pending == batchLen {
		return s.flush()
	}
	return nil
}

// flush inserts what is pending. New states are numbered in the order in which
// they were added.
//
// It warms the caches first: the misses of a batch overlap.
func (s *packedStore) flush() error {
	if s.recent == nil && !s.noRecent && s.n >= recentFrom {
		if s.noRecent = s.width > recentWidth || s.take(recentBytes) != nil; !s.noRecent {
			s.recent = newRecent(s.width)
		}
	}
	n := s.pending
	var candidates [batchLen]uint64
	s.sink += s.warm(s.pendHash[:n], &candidates)
	s.pending = 0
	for i := range n {
		if err := s.insert(s.pendW[i*s.width:(i+1)*s.width], s.pendHash[i], candidates[i], s.pendP[i]); err != nil {
			return err
		}
	}
	return nil
}

// warm touches the home slots of a batch of hashes, then those behind them that
// insertion may move or the candidate states, before the states are looked up. It
// notes the candidates: the first entry with the tag, or 0. What it returns has to
// be kept, for the loads to be made.
func (s *packedStore) warm(hashes []uint64, candidates *[batchLen]uint64) (sum uint64) {
	for _, h := range hashes {
		seg, tag := split(h)
		g := &s.segs[seg]
		sum += g.slots[g.home(tag)]
	}
	for k, h := range hashes {
		seg, tag := split(h)
		g := &s.segs[seg]
		e := g.first(tag)
		candidates[k] = e
		if e != 0 {
			sum += *s.touch(uint32(e) - 1)
		} else {
			sum += g.beyond(tag)
		}
	}
	return sum
}

// warmFresh touches, for a batch of hashes of new states, the slots that entering
// them may move.
func (s *packedStore) warmFresh(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		seg, tag := split(h)
		g := &s.segs[seg]
		sum += g.slots[g.home(tag)] + g.beyond(tag)
	}
	return sum
}

// probe looks a state up in a segment: its entry, or 0 and where that would go.
func (s *packedStore) probe(g *segment, tag uint32, words []uint64, h uint64) (e uint64, pos uint32) {
	for pos = g.home(tag); ; pos++ {
		e = g.slots[pos]
		if e == 0 || uint32(e>>32) > tag {
			return 0, pos
		}
		if uint32(e>>32) == tag && s.same(uint32(e)-1, words, h) {
			return e, pos
		}
	}
}

// holds reports whether a state has been inserted, given its candidate.
func (s *packedStore) holds(words []uint64, h, candidate uint64) bool {
	if candidate == 0 || s.same(uint32(candidate)-1, words, h) {
		return candidate != 0
	}
	seg, tag := split(h)
	e, _ := s.probe(&s.segs[seg], tag, words, h)
	return e != 0
}

func (s *packedStore) insert(words []uint64, h, candidate uint64, parent uint32) error {
	if candidate != 0 && s.same(uint32(candidate)-1, words, h) {
		return nil
	}
	seg, tag := split(h)
	g := &s.segs[seg]
	e, pos := s.probe(g, tag, words, h)
	if e != 0 {
		return nil
	}
	if _, err := s.room(1); err != nil {
		return err
	}
	if err := s.enter(g, tag, uint32(s.n), pos); err != nil {
		return err
	}
	s.put(uint32(s.n), words, h, parent)
	s.n++
	return nil
}

// room makes room for up to n more states in the arena. It returns for how many
// there is room and, if these are fewer, why.
func (s *packedStore) room(n int) (int, error) {
	var err error
	if s.maxStates > 0 && n > s.maxStates-s.n {
		n, err = s.maxStates-s.n, errMaxStates
	}
	if rest := 1<<32 - 2 - uint64(s.n); uint64(max(n, 0)) > rest {
		n, err = int(rest), errIndex
	}
	for s.n+n > len(s.chunks)<<s.chunkBits {
		if full := s.grow(); full != nil {
			return len(s.chunks)<<s.chunkBits - s.n, full
		}
	}
	return n, err
}

// enter adds state i to a segment, at or after pos.
func (s *packedStore) enter(g *segment, tag, i, pos uint32) error {
	e := uint64(tag)<<32 | uint64(i+1)
	for g.full() || !g.place(pos, e) {
		if err := s.widen(g); err != nil {
			return err
		}
		pos = g.position(tag)
	}
	return nil
}

// find looks an inserted state up.
func (s *packedStore) find(words []uint64) (uint32, bool) {
	h := hash(words)
	seg, tag := split(h)
	e, _ := s.probe(&s.segs[seg], tag, words, h)
	return uint32(e) - 1, e != 0
}

// grow adds a chunk to the arena. Chunks are allocated several at a time, but
// never more than an eighth of what there is.
func (s *packedStore) grow() error {
	if s.compact {
		return s.growCompact()
	}
	if len(s.unused) == 0 {
		size := s.width<<s.chunkBits + (1<<s.chunkBits+1)/2
		n := min(max(len(s.chunks)/8, 1), slabChunks)
		// 96 bytes for slice headers, which append may have to double.
		if s.take(int64(n)*int64(8*size+96)) != nil {
			n = 1
			if err := s.take(int64(8*size + 96)); err != nil {
				return err
			}
		}
		slab := allocWords(n * size)
		s.slabs = append(s.slabs, slab)
		for ; len(slab) > 0; slab = slab[size:] {
			s.unused = append(s.unused, slab[:size:size])
		}
	}
	s.chunks = append(s.chunks, s.unused[0])
	s.unused = s.unused[1:]
	return nil
}

// widen gives a segment more slots.
func (s *packedStore) widen(g *segment) error {
	homes := uint64(g.homes)
	for {
		if homes < 1024 {
			homes *= 2
		} else {
			homes += homes / 4
		}
		if homes >= 1<<32 {
			return errIndex
		}
		n := slotsFor(int(homes))
		if err := s.take(int64(8 * n)); err != nil {
			return err
		}
		wide := segment{slots: allocWords(n), homes: uint32(homes)}
		if wide.fill(g.slots) {
			s.give(int64(8 * len(g.slots)))
			freeWords(g.slots)
			*g = wide
			return nil
		}
		s.give(int64(8 * n))
		freeWords(wide.slots)
	}
}

func equalWords(a, b []uint64) bool {
	for i, w := range a {
		if w != b[i] {
			return false
		}
	}
	return true
}
