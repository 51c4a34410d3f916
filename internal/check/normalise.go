package check

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// A normaliser finds, for a state, one that differs from it in the names of the
// values of scalar types only: the one in which these are ordered by what they
// mean in the state. It colours the values by what the state says of them,
// refines the colours by those of the values that they occur together with, and
// where some are still equal, distinguishes one and goes on. So it finds the same
// state for all that differ in names, as a rule; where it does not, there are
// more states to explore than there had to be.
type normaliser struct {
	*symmetry
	colour, next [][]uint64 // by set and value
	order        [][]int32  // by set: the values ordered by colour
	to           [][]int32  // by set: the new name of each value
	out          []uint64
}

func newNormaliser(x *symmetry) *normaliser {
	n := &normaliser{symmetry: x, out: make([]uint64, x.width)}
	for _, size := range x.sizes {
		n.colour = append(n.colour, make([]uint64, size))
		n.next = append(n.next, make([]uint64, size))
		n.order = append(n.order, make([]int32, size))
		n.to = append(n.to, make([]int32, size))
	}
	return n
}

// normalise gives the state; to are the new names. The result is valid until
// the next call.
func (n *normaliser) normalise(words []uint64) []uint64 {
	for k, c := range n.colour {
		clear(c)
		for i := range n.order[k] {
			n.order[k][i] = int32(i)
		}
	}
	n.refine(words)
	classes := n.sort()
	// Each round tells at least one value more from the others.
	for rounds := n.rounds; rounds > 0 && n.tied(); rounds-- {
		n.refine(words)
		was := classes
		if classes = n.sort(); classes <= was {
			n.distinguish()
			classes = n.sort()
		}
	}
	same := true
	for k, order := range n.order {
		for rank, i := range order {
			n.to[k][i] = int32(rank)
			same = same && int(i) == rank
		}
	}
	if same {
		return words
	}
	n.rename(n.to, words, n.out)
	return n.out
}

// blend is a hash of two words.
func blend(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(a, 29)
}

// refine gives each value the colour that all its occurrences make.
func (n *normaliser) refine(words []uint64) {
	for _, c := range n.next {
		clear(c)
	}
	for k := range n.orbits {
		o := &n.orbits[k]
		seed := uint64(k + 1)
		arity := len(o.sets)
		if arity == 1 && o.value < 0 {
			next := n.next[o.sets[0]]
			colour := n.colour[o.sets[0]]
			for i := range o.fields {
				next[i] += blend(blend(seed, uint64(o.fields[i].holdsIn(words))), colour[i])
			}
			continue
		}
		for i := range o.fields {
			at := o.at[i*arity : (i+1)*arity]
			x := o.fields[i].holdsIn(words)
			h := seed
			if o.value < 0 {
				h = blend(h, uint64(x))
			} else {
				h = blend(h, n.colour[o.value][x])
			}
			for d, set := range o.sets {
				h = blend(h, n.colour[set][at[d]])
				// That two of them are one and the same value.
				if set == o.value && at[d] == x {
					h = blend(h, uint64(d+1))
				}
				for e := range d {
					if o.sets[e] == set && at[e] == at[d] {
						h = blend(h, uint64(d*arity+e))
					}
				}
			}
			for d, set := range o.sets {
				n.next[set][at[d]] += blend(h, uint64(d+1))
			}
			if o.value >= 0 {
				n.next[o.value][x] += blend(h, 0)
			}
		}
	}
	for k, next := range n.next {
		for i := range next {
			n.colour[k][i] = blend(n.colour[k][i], next[i])
		}
	}
}

// sort orders the values and returns the number of different colours.
func (n *normaliser) sort() (classes int) {
	for k, order := range n.order {
		c := n.colour[k]
		for i := 1; i < len(order); i++ {
			x := order[i]
			j := i
			for ; j > 0 && (c[order[j-1]] > c[x] || c[order[j-1]] == c[x] && order[j-1] > x); j-- {
				order[j] = order[j-1]
			}
			order[j] = x
		}
		classes++
		for i := 1; i < len(order); i++ {
			if c[order[i]] != c[order[i-1]] {
				classes++
			}
		}
	}
	return classes
}

// tied reports whether values that occur together with others have the same
// colour. Values that occur without others are interchangeable then.
func (n *normaliser) tied() bool {
	set, _ := n.tie()
	return set >= 0
}

// tie gives a value that another one has the same colour as, and its set, -1 if
// there is none.
func (n *normaliser) tie() (set int, value int32) {
	for k, order := range n.order {
		if !n.linked[k] {
			continue
		}
		for i := 1; i < len(order); i++ {
			if n.colour[k][order[i]] == n.colour[k][order[i-1]] {
				return k, order[i-1]
			}
		}
	}
	return -1, 0
}

// distinguish gives one of several values with the same colour another.
func (n *normaliser) distinguish() {
	if k, x := n.tie(); k >= 0 {
		c := n.colour[k]
		c[x] = blend(c[x], 1)
	}
}

// rename writes a state with other names of values to out.
func (x *symmetry) rename(to [][]int32, words, out []uint64) {
	copy(out, words)
	for k := range x.orbits {
		o := &x.orbits[k]
		arity := len(o.sets)
		for i := range o.fields {
			target := int32(0)
			for d, set := range o.sets {
				target += to[set][o.at[i*arity+d]] * o.strides[d]
			}
			v := o.fields[i].holdsIn(words)
			if o.value >= 0 {
				v = to[o.value][v]
			} else if int(target) == i {
				continue
			}
			f := &o.fields[target]
			out[f.word] = out[f.word]&^(uint64(f.mask)<<f.shift) | uint64(uint32(v-f.lo))<<f.shift
		}
	}
}

// concrete turns a path of normalised states into one from the initial state.
func (s *search) concrete(states [][]uint64) ([][]uint64, error) {
	m, n, x := s.m, s.workers[0].n, s.prog.symmetry
	m.filter, m.tolerant = nil, !s.prog.priorities
	defer func() { m.tolerant = false }()
	defer s.resume()
	// back are the names in the path of values in a normalised state.
	_ = n.normalise(s.initial)
	var back [][]int32
	for _, to := range n.to {
		b := make([]int32, len(to))
		for i, name := range to {
			b[name] = int32(i)
		}
		back = append(back, b)
	}
	path := [][]uint64{s.initial}
	var want []uint64
	m.visit = func() error {
		if !equalWords(n.normalise(m.w), want) {
			return nil
		}
		step := make([]uint64, len(m.w))
		x.rename(back, m.w, step)
		path = append(path, step)
		for k, to := range n.to {
			old := slices.Clone(back[k])
			for i, name := range to {
				back[k][name] = old[i]
			}
		}
		return errFound
	}
	for k, words := range states[:len(states)-1] {
		if err := overdue(s.opts.Deadline); err != nil {
			return nil, err
		}
		copy(m.w, words)
		m.unpack()
		want = states[k+1]
		if err := s.workers[0].expand(); !errors.Is(err, errFound) {
			return nil, fmt.Errorf("internal: no transition from normalised state %d of the trace to the next", k)
		}
	}
	return path, nil
}
