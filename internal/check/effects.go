package check

import "slices"

// An access is what compiled code may do to the cells in [lo,hi). Where ref is
// not 0, the cells are those that a reference parameter stands for, and ref is
// one more than the temporary that holds it.
type access struct {
	lo, hi int32
	ref    int32
	write  bool
}

// effects collects the accesses of what is being compiled.
type effects struct{ list []access }

func (c *compiler) reads(p place)  { c.record(p, false) }
func (c *compiler) writes(p place) { c.record(p, true) }

func (c *compiler) record(p place, write bool) {
	if c.effects == nil {
		return
	}
	c.effects.list = append(c.effects.list, access{p.lo, p.hi, p.ref, write})
}

// recorded runs f and returns the accesses of what it compiles.
func (c *compiler) recorded(f func()) []access {
	outer := c.effects
	c.effects = &effects{}
	defer func() { c.effects = outer }()
	f()
	return c.effects.distinct()
}

// distinct gives the accesses without repetitions.
func (x *effects) distinct() []access {
	seen := map[access]bool{}
	return slices.DeleteFunc(x.list, func(a access) bool {
		again := seen[a]
		seen[a] = true
		return again
	})
}

// called records the accesses of a function with the arguments that its
// reference parameters stand for.
func (c *compiler) called(f *function, args map[int32]place) {
	if c.effects == nil {
		return
	}
	for _, a := range f.accesses {
		if p, ok := args[a.ref-1]; ok && a.ref != 0 {
			a.lo, a.hi, a.ref = p.lo, p.hi, p.ref
		}
		c.effects.list = append(c.effects.list, a)
	}
}
