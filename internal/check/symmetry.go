package check

import (
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A symmetry says how states change when the values of scalar types are given
// other names: the processes that such a value is a parameter of change places,
// as do the elements of the arrays indexed by it, and variables that hold it hold
// its new name. If nothing but a state tells the values apart, each transition
// has its counterpart between states with other names, and of all states that
// differ in names only one is explored. See Ip and Dill, Better verification
// through symmetry, 1996, and Hendriks et al., Adding symmetry reduction to
// Uppaal, 2003.
//
// The initial state may tell values apart: what can be reached from a state with
// other names is what can be reached from it, with these names.
type symmetry struct {
	sizes  []int32 // values of each scalar type, a set
	orbits []orbit
	linked []bool // by set: its values occur together with others
	rounds int    // of refining colours, at most
	width  int    // words of a state
}

// An orbit is a cell of the state, and all that it changes places with.
type orbit struct {
	sets    []int32 // of the values that it is indexed by
	strides []int32 // of each of them
	value   int32   // the set that values of the cells are of, -1 for none
	fields  []field // row by row
	at      []int32 // for each field, what it is indexed by
}

// Limits of what is looked at for symmetries.
const (
	maxScalarSize = 64
	maxOrbitCells = 1 << 16
)

// symmetrizer finds the symmetries of a network.
type symmetrizer struct {
	*compiler
	sets  []*uppaal.Scalar
	wrong []bool // by set: its values are told apart
	// By set: the process has a parameter of the type.
	moved [][]bool
	sites map[string]*site
	names []string // of sites, in order
	// Places by cell, and those of channels.
	cells, channels map[int32]sitePlace
	procAt          map[int32]int // by the cell of the location
	tooMany         bool          // cells
}

// symmetry finds the scalar types whose values neither the network nor a
// formula tells apart; nil if there are none.
func (c *compiler) symmetry(formulas []uppaal.Expr) *symmetry {
	b := &symmetrizer{compiler: c}
	b.collect()
	if len(b.sets) == 0 {
		return nil
	}
	b.sitesOf()
	if b.tooMany {
		return nil
	}
	for k := range b.sets {
		b.wrong[k] = b.wrong[k] || !b.invariant(k)
	}
	b.code()
	for k := range b.sets {
		b.wrong[k] = b.wrong[k] || !b.ordered(k)
	}
	for _, f := range formulas {
		b.formula(f)
	}
	// Those that are left.
	var sets []*uppaal.Scalar
	for k, s := range b.sets {
		if !b.wrong[k] {
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	b.sets = sets
	b.sitesOf()
	return b.build()
}

// collect lists the scalar types of several values that variables have or are
// indexed by.
func (b *symmetrizer) collect() {
	var add func(t uppaal.Type)
	add = func(t uppaal.Type) {
		switch t := t.(type) {
		case *uppaal.Array:
			if t.Scalar != nil {
				add(t.Scalar)
			}
			add(t.Elem)
		case *uppaal.Struct:
			for _, f := range t.Fields {
				add(f.Type)
			}
		case *uppaal.Scalar:
			if t.Size > 1 && t.Size <= maxScalarSize && !slices.Contains(b.sets, t) {
				b.sets = append(b.sets, t)
			}
		}
	}
	for _, v := range b.info.Globals {
		add(v.Type)
	}
	for _, set := range b.info.ProcessSets() {
		for _, p := range set.Params {
			add(p.Type)
		}
		t := set.Processes[0].Template
		for _, v := range b.info.Params[t] {
			add(v.Type)
		}
		for _, v := range b.info.Locals[t] {
			add(v.Type)
		}
	}
	b.wrong = make([]bool, len(b.sets))
}

// set is the number of a scalar type, -1 if it is none that is looked at.
func (b *symmetrizer) set(t uppaal.Type) int32 {
	if s, ok := t.(*uppaal.Scalar); ok {
		return int32(slices.Index(b.sets, s))
	}
	return -1
}

// generators are permutations of n values that generate all others.
func generators(n int32) [][]int32 {
	swap, rotate := make([]int32, n), make([]int32, n)
	for i := range n {
		swap[i], rotate[i] = i, (i+1)%n
	}
	swap[0], swap[1] = 1, 0
	return [][]int32{swap, rotate}
}

// invariant reports whether constants, channels and processes stay what they
// are when the values of set k get new names.
func (b *symmetrizer) invariant(k int) bool {
	for _, to := range generators(b.sets[k].Size) {
		for x, p := range b.cells {
			y := b.image(b.cells, x, k, to)
			if y < 0 || b.p.cells[x].kind != b.p.cells[y].kind {
				return false
			}
			if b.p.cells[x].kind == stateCell {
				continue
			}
			value := b.p.initial[x]
			if p.site.value == int32(k) {
				value = to[value]
			}
			if b.p.initial[y] != value {
				return false
			}
		}
		for x := range b.channels {
			y := b.image(b.channels, x, k, to)
			if y < 0 || b.p.channels[x] != b.p.channels[y] {
				return false
			}
		}
		for i := range b.p.procs {
			y := b.image(b.cells, b.p.procs[i].loc, k, to)
			j, ok := b.procAt[y]
			if !ok || !b.counterparts(i, j, k, to) {
				return false
			}
		}
	}
	return true
}

// counterparts reports whether process j is what process i becomes when the
// values of set k get new names.
func (b *symmetrizer) counterparts(i, j, k int, to []int32) bool {
	p, q := b.info.Processes[i], b.info.Processes[j]
	if p.Template != q.Template || p.Priority != q.Priority || len(p.Args) != len(q.Args) {
		return false
	}
	for n, a := range p.Args {
		z := q.Args[n]
		if a.Param != z.Param || (a.Ref == nil) != (z.Ref == nil) {
			return false
		}
		if a.Ref == nil {
			continue
		}
		from, into := b.compiler.place(a.Ref), b.compiler.place(z.Ref)
		if from.fn != nil || into.fn != nil {
			return false
		}
		places := b.cells
		if _, ok := hasChannels(a.Param.Type); ok {
			places = b.channels
		}
		// The cells of the parameter change places too.
		offsets := map[string]int32{}
		n := int32(0)
		b.leaves(a.Param.Type, "", nil, nil, func(name string, sets, at []int32, _ int32) {
			offsets[fmt.Sprint(name, at)] = n
			n++
		})
		n, same := int32(0), true
		b.leaves(a.Param.Type, "", nil, nil, func(name string, sets, at []int32, _ int32) {
			o, ok := offsets[fmt.Sprint(name, rename(sets, at, k, to))]
			same = same && ok && b.image(places, from.k+n, k, to) == into.k+o
			n++
		})
		if !same {
			return false
		}
	}
	return true
}

// build makes the symmetry of the sets.
func (b *symmetrizer) build() *symmetry {
	x := &symmetry{width: b.p.width, linked: make([]bool, len(b.sets))}
	for _, s := range b.sets {
		x.sizes = append(x.sizes, s.Size)
	}
	fields := map[int32]field{}
	for _, f := range b.p.fields {
		fields[f.cell] = f
	}
	used := false
	for _, name := range b.names {
		s := b.sites[name]
		if len(s.sets) == 0 && s.value < 0 {
			continue
		}
		_, ok := fields[s.members[0]]
		if _, cell := b.cells[s.members[0]]; !ok || !cell || b.cells[s.members[0]].site != s {
			continue // channels and constants
		}
		o := orbit{sets: s.sets, value: s.value, strides: make([]int32, len(s.sets))}
		stride := int32(1)
		for d := len(s.sets) - 1; d >= 0; d-- {
			o.strides[d] = stride
			stride *= x.sizes[s.sets[d]]
		}
		for _, i := range s.members {
			o.fields = append(o.fields, fields[i])
			o.at = append(o.at, b.cells[i].at...)
		}
		if len(s.sets) > 1 || len(s.sets) == 1 && s.value >= 0 {
			for _, k := range s.sets {
				x.linked[k] = true
			}
			if s.value >= 0 {
				x.linked[s.value] = true
			}
		}
		x.orbits = append(x.orbits, o)
		used = true
	}
	if !used {
		return nil
	}
	for k, linked := range x.linked {
		if linked {
			x.rounds += 2 * int(x.sizes[k])
		}
	}
	return x
}
