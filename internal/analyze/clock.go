package analyze

import (
	"math/bits"
	"strconv"
	"strings"
)

// Vector is a vector clock: for each goroutine of the trace, in their order, how many of its
// operations are known to have been begun.
type Vector []int32

// String is the clock as [1,0,2].
func (v Vector) String() string {
	var out strings.Builder
	out.WriteByte('[')
	for i, n := range v {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Itoa(int(n)))
	}
	out.WriteByte(']')
	return out.String()
}

// stamp is a clock as it is kept: the vector with a number, of which the component of the goroutine is
// own. So the operations of a goroutine that learn nothing of others have one vector in common.
type stamp struct {
	base int32
	g    int32
	own  int32
}

// maxChunk is how many components are allocated at once, if a vector does not have more.
const maxChunk = 1 << 16

// store has vectors by number; 0 is that of zeros.
type store struct {
	n      int
	shift  int32 // a chunk has 1<<shift vectors
	count  int32
	chunks [][]int32
}

func newStore(n int) *store {
	s := &store{n: n, shift: int32(bits.Len(uint(max(1, maxChunk/n)))) - 1}
	s.add(make([]int32, n))
	return s
}

// place is where a vector begins in its chunk.
func (s *store) place(i int32) int { return int(i&(1<<s.shift-1)) * s.n }

func (s *store) at(i int32) []int32 {
	from := s.place(i)
	return s.chunks[i>>s.shift][from : from+s.n]
}

// add keeps a copy of a vector.
func (s *store) add(v []int32) int32 {
	i := s.count
	if s.place(i) == 0 {
		s.chunks = append(s.chunks, make([]int32, 0, s.n<<s.shift))
	}
	c := &s.chunks[i>>s.shift]
	*c = append(*c, v...)
	s.count++
	return i
}

// component is the one of goroutine g in a stamp.
func (s *store) component(t stamp, g int32) int32 {
	if g == t.g {
		return t.own
	}
	return s.chunks[t.base>>s.shift][s.place(t.base)+int(g)]
}

// vector is the whole clock of a stamp.
func (s *store) vector(t stamp) Vector {
	v := append(Vector(nil), s.at(t.base)...)
	if t.g >= 0 {
		v[t.g] = t.own
	}
	return v
}

// running is the clock of a goroutine while it is replayed.
type running struct {
	v     []int32
	base  int32 // the vector that it has in the store
	dirty bool  // other components than its own have changed since
}

// join takes the greater of each component, and notes whether one of another goroutine has changed.
func (r *running) join(s *store, t stamp, g int32) {
	if t.g >= 0 && t.own < r.v[t.g] {
		return // it knows a later time of that goroutine, and so all that the goroutine knew then
	}
	if t.base != r.base || r.dirty {
		w := s.at(t.base)
		v := r.v[:len(w)]
		changed := int32(0)
		for i, n := range w {
			// Without a branch: which component is greater is as good as random.
			old := v[i]
			v[i] = max(old, n)
			changed |= v[i] ^ old
		}
		r.dirty = r.dirty || changed != 0
	}
	if t.g >= 0 && t.g != g && t.own > r.v[t.g] {
		r.v[t.g] = t.own
		r.dirty = true
	}
}

// keep is the clock as it is now.
func (r *running) keep(s *store, g int32) stamp {
	if r.dirty {
		r.base, r.dirty = s.add(r.v), false
	}
	return stamp{base: r.base, g: g, own: r.v[g]}
}
