package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/uppaal"
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

// A site is an orbit under construction: variables of the same name in the
// same place of their types, with all indices from scalar types left out.
type site struct {
	sets    []int32
	value   int32
	members []int32 // cells or channels, row by row; -1: missing
}

type sitePlace struct {
	site *site
	at   []int32
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

// sitesOf finds the places of all cells and channels.
func (b *symmetrizer) sitesOf() {
	b.sites, b.names = map[string]*site{}, nil
	b.cells, b.channels = map[int32]sitePlace{}, map[int32]sitePlace{}
	b.procAt = map[int32]int{}
	for i, p := range b.p.procs {
		b.procAt[p.loc] = i
	}
	b.moved = make([][]bool, len(b.sets))
	for k := range b.moved {
		b.moved[k] = make([]bool, len(b.p.procs))
	}
	for i, v := range b.info.Globals {
		b.variable(b.globals[v], v, fmt.Sprint("global ", i), nil, nil)
	}
	for k, set := range b.info.ProcessSets() {
		for _, p := range set.Processes {
			i := b.processIndex[p]
			var sets, at []int32
			var name strings.Builder
			fmt.Fprint(&name, "process ", k)
			values := b.freeValues(set, p)
			for d, v := range set.Params {
				if s := b.set(v.Type); s >= 0 {
					b.moved[s][i] = true
					sets, at = append(sets, s), append(at, values[d])
				} else {
					fmt.Fprint(&name, ",", values[d])
				}
			}
			b.place(b.cells, b.p.procs[i].loc, name.String()+".", sets, at, -1)
			for j, a := range p.Args {
				if a.Ref == nil {
					b.variable(b.locals[i][a.Param], a.Param, fmt.Sprint(name.String(), " param ", j), sets, at)
				}
			}
			for j, v := range b.info.Locals[p.Template] {
				b.variable(b.locals[i][v], v, fmt.Sprint(name.String(), " local ", j), sets, at)
			}
		}
	}
}

// freeValues are the values of the free parameters of a process of a set.
func (b *symmetrizer) freeValues(set *uppaal.ProcessSet, p *uppaal.Process) []int32 {
	k := slices.Index(set.Processes, p)
	values := make([]int32, len(set.Params))
	for d := len(values) - 1; d >= 0; d-- {
		lo, hi, _ := uppaal.Range(set.Params[d].Type)
		n := int(hi) - int(lo) + 1
		values[d] = lo + int32(k%n)
		k /= n
	}
	return values
}

// variable finds the places of a variable.
func (b *symmetrizer) variable(base int32, v *uppaal.Var, name string, sets, at []int32) {
	places := b.cells
	if _, ok := hasChannels(v.Type); ok {
		places, name = b.channels, name+" channel"
	}
	b.leaves(v.Type, name, sets, at, func(name string, sets, at []int32, value int32) {
		b.place(places, base, name, sets, at, value)
		base++
	})
}

// leaves calls f for every cell of a type, in order, with its place.
func (b *symmetrizer) leaves(t uppaal.Type, name string, sets, at []int32, f func(name string, sets, at []int32, value int32)) {
	switch t := t.(type) {
	case *uppaal.Array:
		s := int32(-1)
		if t.Scalar != nil {
			s = b.set(t.Scalar)
		}
		for i := range int32(t.Len()) {
			if b.tooMany {
				return
			}
			if s >= 0 {
				b.leaves(t.Elem, name+"[]", append(slices.Clip(sets), s), append(slices.Clip(at), i), f)
			} else {
				b.leaves(t.Elem, fmt.Sprintf("%s[%d]", name, i), sets, at, f)
			}
		}
	case *uppaal.Struct:
		for i, field := range t.Fields {
			b.leaves(field.Type, fmt.Sprintf("%s.%d", name, i), sets, at, f)
		}
	default:
		f(name, sets, at, b.set(t))
	}
}

// place notes the place of a cell or channel.
func (b *symmetrizer) place(places map[int32]sitePlace, x int32, name string, sets, at []int32, value int32) {
	if len(places) > maxOrbitCells {
		b.tooMany = true
		return
	}
	s := b.sites[name]
	if s == nil {
		size := 1
		for _, k := range sets {
			if size *= int(b.sets[k].Size); size > maxOrbitCells {
				b.tooMany = true
				return
			}
		}
		s = &site{sets: sets, value: value, members: slices.Repeat([]int32{-1}, size)}
		b.sites[name] = s
		b.names = append(b.names, name)
	}
	s.members[b.row(s, at)] = x
	places[x] = sitePlace{s, at}
}

// row is the index of a member of a site.
func (b *symmetrizer) row(s *site, at []int32) (i int32) {
	for d, k := range s.sets {
		i = i*b.sets[k].Size + at[d]
	}
	return i
}

// image is what a cell or channel becomes when the values of set k get new
// names; -1 if there is none.
func (b *symmetrizer) image(places map[int32]sitePlace, x int32, k int, to []int32) int32 {
	p, ok := places[x]
	if !ok {
		return -1
	}
	return p.site.members[b.row(p.site, rename(p.site.sets, p.at, k, to))]
}

// rename gives the indices of a place with new names of the values of set k.
func rename(sets, at []int32, k int, to []int32) []int32 {
	at = slices.Clone(at)
	for d, s := range sets {
		if s == int32(k) {
			at[d] = to[at[d]]
		}
	}
	return at
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

// tell notes that the values of a scalar type, and of those in it, are told
// apart.
func (b *symmetrizer) tell(t uppaal.Type) {
	switch t := t.(type) {
	case *uppaal.Array:
		if t.Scalar != nil {
			b.tell(t.Scalar)
		}
		b.tell(t.Elem)
	case *uppaal.Struct:
		for _, f := range t.Fields {
			b.tell(f.Type)
		}
	case *uppaal.Scalar:
		if k := b.set(t); k >= 0 {
			b.wrong[k] = true
		}
	}
}

// code looks for what treats values of scalar types in the order of their
// numbers, or one of them in a way of its own. The language has no operations
// for that, but for variables of functions without an initial value, which are
// the first value, for lists as initial values, and for loops over the type.
// Quantifiers end early, and may thus not meet what is invalid.
func (b *symmetrizer) code() {
	for d, f := range b.info.Funcs {
		for _, v := range f.Locals {
			if v.Kind == uppaal.BoundVar {
				b.tell(v.Type)
			}
			if v.Init == nil {
				uppaal.Leaves(v.Type, func(_ string, leaf uppaal.Type) { b.tell(leaf) })
			}
		}
		visitStmt(d.Body, b.expr)
	}
	for _, e := range slices.Concat(b.info.Before, b.info.After) {
		uppaal.Inspect(e, b.expr)
	}
	seen := map[*uppaal.Template]bool{}
	for _, p := range b.info.Processes {
		if seen[p.Template] {
			continue
		}
		seen[p.Template] = true
		for _, l := range p.Template.Locations {
			uppaal.Inspect(l.Invariant, b.expr)
		}
		for _, e := range p.Template.Edges {
			uppaal.Inspect(e.Guard, b.expr)
			if e.Sync != nil {
				uppaal.Inspect(e.Sync.Chan, b.expr)
			}
			for _, u := range e.Update {
				uppaal.Inspect(u, b.expr)
			}
		}
	}
}

func (b *symmetrizer) expr(e uppaal.Expr) {
	switch e := e.(type) {
	case *uppaal.InitList:
		if t := b.info.Types[e]; t != nil {
			b.tell(t)
		}
	case *uppaal.Quant:
		if v := b.info.Defs[e.Bind]; v != nil && e.Kind != uppaal.Sum && !b.valid(e.Body) {
			b.tell(v.Type)
		}
	}
}

// valid reports whether the evaluation of an expression is certain to be valid.
func (b *symmetrizer) valid(e uppaal.Expr) bool {
	ok := true
	uppaal.Inspect(e, func(e uppaal.Expr) {
		switch e := e.(type) {
		case *uppaal.Binary:
			switch e.Op {
			case uppaal.OpDiv, uppaal.OpMod, uppaal.OpShl, uppaal.OpShr, uppaal.OpPow:
				ok = false
			}
		case *uppaal.Index:
			a, isArray := b.info.Types[e.X].(*uppaal.Array)
			if !isArray {
				ok = false
			} else if a.Scalar == nil {
				lo, hi, known := uppaal.Range(b.info.Types[e.I])
				ok = ok && known && a.Lo <= lo && hi <= a.Hi
			}
		case *uppaal.Call:
			if b.info.ProcessOf[e] != nil {
				break
			}
			if _, process := b.info.Uses[e.Fun].(*uppaal.ProcessSet); !process {
				ok = false
			}
			for _, a := range e.Args {
				_, scalar := b.info.Types[a].(*uppaal.Scalar)
				ok = ok && scalar
			}
		case *uppaal.Assign, *uppaal.IncDec, *uppaal.Comma:
			ok = false
		}
	})
	return ok
}

// ordered reports whether nothing depends on the order of the processes that
// have a parameter of set k: that of the invariants, one of which may be
// invalid, and that in which the receivers of a broadcast take their steps.
func (b *symmetrizer) ordered(k int) bool {
	defer func(proc int) { b.proc = proc }(b.proc)
	for i := range b.p.procs {
		if !b.moved[k][i] {
			continue
		}
		t := b.info.Processes[i].Template
		for _, l := range t.Locations {
			if l.Invariant != nil && !b.valid(l.Invariant) {
				return false
			}
		}
		b.proc = i
		for _, l := range b.p.procs[i].locs {
			for _, e := range l.recvs {
				casts := false
				for ch := e.chanLo; ch < e.chanHi; ch++ {
					casts = casts || b.p.channels[ch].broadcast
				}
				if casts && !b.writesOwn(i, t.Edges[e.index]) {
					return false
				}
			}
		}
	}
	return true
}

// writesOwn reports whether the updates of an edge change only variables of the
// process.
func (b *symmetrizer) writesOwn(i int, e *uppaal.Edge) bool {
	own := map[int32]bool{}
	for _, v := range b.info.Locals[b.info.Processes[i].Template] {
		for k := range int32(uppaal.Size(v.Type)) {
			own[b.locals[i][v]+k] = true
		}
	}
	for _, a := range b.info.Processes[i].Args {
		if a.Ref == nil {
			for k := range int32(uppaal.Size(a.Param.Type)) {
				own[b.locals[i][a.Param]+k] = true
			}
		}
	}
	ok := true
	err := caught(func() {
		for _, a := range b.recorded(func() { b.updates(e.Update) }) {
			if !a.write {
				continue
			}
			ok = ok && a.ref == 0
			for x := a.lo; x < a.hi; x++ {
				if _, variable := b.cells[x]; variable && !own[x] {
					ok = false
				}
			}
		}
	})
	return ok && err == nil
}

// formula looks for processes that a formula names, and for quantifiers that may
// be invalid.
func (b *symmetrizer) formula(f uppaal.Expr) {
	names := func(e uppaal.Expr) {
		if p := b.info.ProcessOf[e]; p != nil {
			for k := range b.sets {
				b.wrong[k] = b.wrong[k] || b.moved[k][b.processIndex[p]]
			}
			return
		}
		call, ok := e.(*uppaal.Call)
		if !ok {
			return
		}
		set, ok := b.info.Uses[call.Fun].(*uppaal.ProcessSet)
		if !ok {
			return
		}
		for d, v := range set.Params {
			if s, ok := v.Type.(*uppaal.Scalar); ok && b.info.Types[call.Args[d]] != uppaal.Type(s) {
				b.tell(s)
			}
		}
	}
	uppaal.Inspect(f, func(e uppaal.Expr) {
		b.expr(e)
		switch e := e.(type) {
		case *uppaal.Ident, *uppaal.Call:
			names(e)
		}
	})
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
