package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Hash compaction keeps, of a state that has been expanded, nothing but a hash
// of 64 bits and the number of its parent. Two states with the same hash are
// taken for one: what lies behind the second may be left out. Everything that
// is found is real, since a trace is built again by following the hashes from
// the initial state, and replayed; that nothing is found is only probable.

// compaction is the part of a store that holds marks, hash and parent, instead
// of states.
type compaction struct {
	compact bool
	marks   [][]uint64 // by chunk: the hashes, then the parents
	gone    int        // chunks of states given back
}

// markWords is the size of a chunk of marks.
func (s *packedStore) markWords() int { return 1<<s.chunkBits + (1<<s.chunkBits+1)/2 }

// mark is the hash of state i.
func (s *packedStore) mark(i uint32) *uint64 {
	return &s.marks[i>>(s.chunkBits&31)][i&(1<<(s.chunkBits&31)-1)]
}

// markedParent is parentWord.
func (s *packedStore) markedParent(i uint32) (*uint64, uint32) {
	k := i & (1<<(s.chunkBits&31) - 1)
	return &s.marks[i>>(s.chunkBits&31)][1<<(s.chunkBits&31)+int(k>>1)], k & 1 * 32
}

// same reports whether state i is the one of some words and their hash, or is
// taken for it.
func (s *packedStore) same(i uint32, words []uint64, h uint64) bool {
	if s.compact {
		return *s.mark(i) == h
	}
	return equalWords(s.state(i), words)
}

// alike is same for two records of successors, see worker.keep.
func (s *packedStore) alike(a, b []uint64) bool {
	if s.compact {
		return a[0] == b[0]
	}
	return equalWords(a[2:], b[2:])
}

// touch is a word of what same looks at.
func (s *packedStore) touch(i uint32) *uint64 {
	if s.compact {
		return s.mark(i)
	}
	return &s.state(i)[0]
}

// growCompact is grow.
func (s *packedStore) growCompact() error {
	size := s.width << s.chunkBits
	if err := s.take(int64(8*(size+s.markWords()) + 96)); err != nil {
		return err
	}
	s.chunks = append(s.chunks, allocWords(size))
	s.marks = append(s.marks, allocWords(s.markWords()))
	return nil
}

// forget gives the states before the head of the queue back, chunk by chunk.
func (s *packedStore) forget(head int) {
	if !s.compact {
		return
	}
	for ; (s.gone+1)<<s.chunkBits <= head; s.gone++ {
		freeWords(s.chunks[s.gone])
		s.chunks[s.gone] = nil
		s.give(int64(8 * s.width << s.chunkBits))
	}
}

// dropAll gives back what a compacting store has allocated.
func (s *packedStore) dropAll() {
	if !s.compact {
		return
	}
	for _, c := range s.chunks[s.gone:] {
		freeWords(c)
	}
	for _, m := range s.marks {
		freeWords(m)
	}
	s.marks = nil
}

// omission bounds the probability that a search with hash compaction has left
// a state out: that two of its states have the same hash, as if hashes were
// random.
func (s *packedStore) omission() float64 {
	if !s.compact {
		return 0
	}
	n := float64(s.n)
	return min(math.Ldexp(n*n, -65), 1)
}

// statesTo gives the packed states along the path by which state i was first
// reached.
func (s *search) statesTo(i uint32) ([][]uint64, error) {
	if !s.store.compact {
		return statesTo(s.store, i), nil
	}
	var path []uint32
	for ; i != noParent; i = s.store.parent(i) {
		path = append(path, i)
	}
	slices.Reverse(path)
	m := s.m
	m.filter, m.tolerant = nil, !s.prog.priorities
	defer func() { m.tolerant = false }()
	defer s.resume()
	var want uint32
	var found []uint64
	m.visit = func() error {
		if s.fusing {
			s.structure.fuse(m, nil)
		}
		words := s.workers[0].normal(m.w)
		if hash(words) != *s.store.mark(want) {
			return nil
		}
		found = slices.Clone(words)
		return errFound
	}
	states := [][]uint64{slices.Clone(s.workers[0].normal(s.initial))}
	for k := 1; k < len(path); k++ {
		if err := overdue(s.opts.Deadline); err != nil {
			return nil, err
		}
		copy(m.w, states[k-1])
		m.unpack()
		want = path[k]
		if err := s.workers[0].expand(); !errors.Is(err, errFound) {
			return nil, fmt.Errorf("internal: state %d of the trace is not found again", k)
		}
		states = append(states, found)
	}
	return states, nil
}

// traceTo spells out the path by which state i was first reached.
func (s *search) traceTo(i uint32) (*Trace, error) {
	states, err := s.statesTo(i)
	if err != nil {
		return nil, err
	}
	if s.prog.symmetry != nil {
		if states, err = s.concrete(states); err != nil {
			return nil, err
		}
	}
	t, err := s.trace(states)
	if err != nil {
		return nil, err
	}
	return s.begun(states, t)
}

// compacts reports whether the states of a program are to be compacted: those
// of one word take no more space than a hash.
func (o *Options) compacts(p *program) bool { return o.HashCompaction && (p.width > 1 || o.eager) }

// probably is the result of an A[] or E<> query for which nothing was found.
func probably(omission float64) Result {
	return Result{
		Verdict: Maybe, Omission: omission,
		Reason: fmt.Sprintf("nothing was found, but with a probability of at most %.1e states were left out by hash compaction", omission),
	}
}

// errCompact explains what hash compaction cannot be used for.
var errCompact = errors.New("queries about paths, stuck(P), sup, inf and bounds look at states again, which hash compaction does not keep")
