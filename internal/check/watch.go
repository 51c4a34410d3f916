package check

import (
	"math/bits"
	"slices"
)

// A watch knows which plain goals a state may decide, given the state that it
// was reached from: one that decides none. They are those that read a cell in
// which the two differ. A goal that implies locations is only looked at where
// the processes are in these.
type watch struct {
	goals []*goal
	mask  []uint64 // by word: bits of cells that goals read
	// By bit of the packed state: the watched cell it belongs to, plus one.
	cellAt []int32
	cells  []watchedCell
}

type watchedCell struct {
	field
	bits  uint64 // of the word
	goals []*goal
	// at are goals that imply a value of the cell, by value; they are not
	// among the others.
	at [][]*goal
}

// holdsIn is the value of the cell in a packed state.
func (f *field) holdsIn(words []uint64) int32 {
	return int32(uint32(words[f.word]>>f.shift)&f.mask) + f.lo
}

// newWatch indexes goals.
func newWatch(prog *program, goals []*goal) *watch {
	x := &watch{goals: goals, mask: make([]uint64, prog.width), cellAt: make([]int32, 64*prog.width)}
	fields := map[int32]field{}
	for _, f := range prog.fields {
		fields[f.cell] = f
	}
	index := map[int32]int{}
	for _, g := range goals {
		for _, n := range g.implies {
			g.needs = append(g.needs, need{fields[n.cell], n.value})
		}
		for _, i := range g.reads {
			f, ok := fields[i]
			if !ok {
				continue
			}
			k, ok := index[i]
			if !ok {
				k = len(x.cells)
				index[i] = k
				c := watchedCell{field: f, bits: uint64(f.mask) << f.shift}
				x.cells = append(x.cells, c)
				x.mask[f.word] |= c.bits
				for b := c.bits; b != 0; b &= b - 1 {
					x.cellAt[64*int(f.word)+bits.TrailingZeros64(b)] = int32(k + 1)
				}
			}
			c := &x.cells[k]
			n := slices.IndexFunc(g.implies, func(n implied) bool { return n.cell == i })
			if n < 0 {
				c.goals = append(c.goals, g)
				continue
			}
			v := int(g.implies[n].value) - int(f.lo)
			if v < 0 || v > 2*maxImplied {
				c.goals = append(c.goals, g)
				continue
			}
			for len(c.at) <= v {
				c.at = append(c.at, nil)
			}
			c.at[v] = append(c.at[v], g)
		}
	}
	return x
}

func (x *watch) empty() bool { return len(x.goals) == 0 }

// each calls visit for the goals that a state may decide; before is nil if
// nothing is known about the state that it was reached from. A goal may be
// visited several times.
func (x *watch) each(words, before []uint64, visit func(*goal) error) error {
	if before == nil {
		for _, g := range x.goals {
			if err := visit(g); err != nil {
				return err
			}
		}
		return nil
	}
	for w, mask := range x.mask {
		for diff := (words[w] ^ before[w]) & mask; diff != 0; {
			c := &x.cells[x.cellAt[64*w+bits.TrailingZeros64(diff)]-1]
			diff &^= c.bits
			for _, g := range c.goals {
				if err := visit(g); err != nil {
					return err
				}
			}
			if v := uint32(c.holdsIn(words) - c.lo); int64(v) < int64(len(c.at)) {
				for _, g := range c.at[v] {
					if err := visit(g); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// implied is a value that a cell has wherever a goal's target holds.
type implied struct{ cell, value int32 }

// need is an implied value as seen in packed states.
type need struct {
	field
	value int32
}

// met reports whether all needs are.
func (g *goal) met(words []uint64) bool {
	for i := range g.needs {
		if n := &g.needs[i]; n.holdsIn(words) != n.value {
			return false
		}
	}
	return true
}
