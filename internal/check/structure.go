package check

import (
	"errors"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A structure is what a stubborn set needs to know of a network, whatever its
// state: the transitions that the edges may make, which of them may enable or
// disturb which others, and what the queries look for.
//
// Transitions are put into groups of those that treat a cell, or the location
// of a process, in the same way. Relations are between groups.
type structure struct {
	transitions []transition
	conjuncts   []*conjunct
	groups      [][]int32 // transitions, in order
	conflicts   [][]int32 // by group: groups that do not accord with it

	starts [][][]int32 // by process and location: transitions that begin there
	// committing are the transitions into committed locations.
	committing int32 // a group, -1 for none
	risky      []int32
	pairs      map[uint64]int32 // sending and receiving edge to transition
	cubes      []goalCube
	stuck      bool // processes have to be stuck for a goal
	// spoils are the cubes that a transition may spoil; nil if key steps are
	// not used.
	spoils [][]int32
	fused  [][][]fusedEdge // by process and location, see fuse.go; nil with spoils
	edges  int             // with numbers below this
	bytes  int64
}

// A transition is an internal edge, a pair of edges that synchronise, or an
// edge that broadcasts, with whatever edges receive.
type transition struct {
	edge, recv *edge   // recv is nil unless a pair
	conjuncts  []int32 // all are needed to enable it
	groups     []int32 // that it belongs to, without conflicts left out
	// others are groups that do not accord with it for other reasons.
	others []int32
	// committed: a participant leaves or enters a committed location, on which
	// depends what else is enabled.
	committed bool
	forward   bool    // see visibility.go
	receivers []*edge // while the structure is built
}

// goalCube is a set of conjuncts that decide a goal where all of them hold.
type goalCube struct {
	goal      *goal
	conjuncts []int32
	stuck     []int32 // the processes that have to be stuck besides
}

// How a transition treats a cell.
type use uint8

const (
	useRead    use = 1 << iota // depends on the value
	useWrite                   // sets it
	useInc                     // adds a constant, and depends on the value in no other way
	useDec                     // subtracts a constant, likewise
	useBelow                   // needs it to be below a constant
	useAbove                   // needs it to be above a constant
	useConst                   // sets it to a constant, the group's; implies useWrite
	noAccess   use = 0
	useChanges     = useWrite | useInc | useDec
)

// disturbs reports whether what a transition with use a does to a cell matters
// to one with use b.
func (a use) disturbs(b use) bool {
	switch {
	case a&useWrite != 0:
		return b != noAccess
	case a&(useInc|useDec) != 0 && b&(useRead|useWrite) != 0:
		return true
	}
	return a&useInc != 0 && b&useBelow != 0 || a&useDec != 0 && b&useAbove != 0
}

type cellUse struct {
	use use
	k   int32 // with useConst
}

// Limits of the size of a structure.
const (
	maxTransitions = 1 << 16
	maxUses        = 1 << 21
	maxSelections  = 1 << 10 // valuations of the selections of a transition
)

// errStructure says why a network has no structure.
var errStructure = errors.New("no stubborn sets")

// edgeFacts is what the structure needs of one edge.
type edgeFacts struct {
	guard  []int32 // conjuncts that do not depend on a selection
	selGrd bool    // the guard depends on a selection
	uses   map[int32]cellUse
	risky  bool // the updates may be invalid
	// chanReads are the cells on which the channel depends.
	chanReads []int32
	chanSel   bool // it depends on a selection
	selReads  []int32
}

// structurer builds a structure.
type structurer struct {
	*compiler
	st      *structure
	facts   map[*edge]*edgeFacts
	locConj map[[2]int32]int32
	byUse   map[int32]map[cellUse]int32 // group by cell and use
	atLoc   [][]int32                   // group by process and location: those that start there
	into    [][]int32                   // likewise, those that lead there from elsewhere
	casts   []int32                     // by process: broadcasts that may involve it
	procOf  map[int32]int32             // location cells
	uses    int
}

// structure analyses the network. The error is errStructure if stubborn sets
// would not be sound, or too large.
func (c *compiler) structure(queries []*uppaal.Query, goals []*goal) (st *structure, err error) {
	p := c.p
	if p.priorities || p.monitor != nil || len(p.invariant)+len(p.before)+len(p.after) > 0 {
		return nil, errStructure
	}
	b := &structurer{
		compiler: c, st: &structure{committing: -1, pairs: map[uint64]int32{}}, facts: map[*edge]*edgeFacts{},
		locConj: map[[2]int32]int32{}, byUse: map[int32]map[cellUse]int32{}, procOf: map[int32]int32{},
	}
	err2 := caught(func() {
		err = b.build()
		for _, g := range goals {
			if err == nil {
				err = b.goal(queries[g.query], g)
			}
		}
	})
	if err == nil && err2 != nil {
		err = errStructure
	}
	if err == nil {
		local := b.localEdges()
		b.progress(local)
		if b.spoilers() != nil {
			b.st.spoils = nil
		} else {
			b.fuseable(local)
		}
	}
	c.proc = -1
	return b.st, err
}

func (b *structurer) newGroup() int32 {
	b.st.groups = append(b.st.groups, nil)
	return int32(len(b.st.groups) - 1)
}

func (b *structurer) build() error {
	id := int32(0)
	for i := range b.p.procs {
		pr := &b.p.procs[i]
		b.procOf[pr.loc] = int32(i)
		b.proc = i
		var at, into []int32
		for l := range pr.locs {
			at, into = append(at, b.newGroup()), append(into, b.newGroup())
			for _, list := range [][]*edge{pr.locs[l].acts, pr.locs[l].recvs} {
				for _, e := range list {
					e.id = id
					id++
					f, err := b.edgeFacts(e, b.info.Processes[i].Template.Edges[e.index])
					if err != nil {
						return err
					}
					b.facts[e] = f
				}
			}
		}
		b.atLoc, b.into = append(b.atLoc, at), append(b.into, into)
		b.casts = append(b.casts, b.newGroup())
		b.st.starts = append(b.st.starts, make([][]int32, len(pr.locs)))
	}
	b.proc, b.st.edges = -1, int(id)
	for i := range b.p.procs {
		for l := range b.p.procs[i].locs {
			for _, e := range b.p.procs[i].locs[l].acts {
				if err := b.transitionsOf(e); err != nil {
					return err
				}
			}
		}
	}
	b.relate()
	return nil
}

// edgeFacts analyses an edge of the process being compiled.
func (b *structurer) edgeFacts(ce *edge, e *uppaal.Edge) (*edgeFacts, error) {
	f := &edgeFacts{uses: map[int32]cellUse{}}
	temps := map[int32]bool{}
	for k, s := range e.Select {
		b.temp[b.info.Defs[s]] = ce.sel[k].cell
		temps[ce.sel[k].cell] = true
	}
	selected := func(list []access) bool {
		return slices.ContainsFunc(list, func(a access) bool {
			for i := range temps {
				if a.lo <= i && i < a.hi {
					return true
				}
			}
			return false
		})
	}
	known := newRanges(b.compiler)
	if e.Guard != nil {
		if !known.proves(func() bool { return known.condition(e.Guard) }) {
			return nil, errStructure
		}
		var before []int32
		for _, x := range conjuncts(e.Guard) {
			l := &conjunct{proc: -1}
			accesses := b.recorded(func() { l.test = b.test(x) })
			l.reads = b.stateCells(accesses, false)
			for _, i := range l.reads {
				if _, ok := b.procOf[i]; ok || b.p.cells[i].kind != stateCell {
					return nil, errStructure
				}
			}
			if selected(accesses) {
				f.selGrd = true
				f.selReads = append(f.selReads, l.reads...)
				b.use(f, l.reads, useRead)
				continue
			}
			if l.test.fn == nil && l.test.value {
				continue
			}
			l.simple = b.comparison(x, true)
			alone := newRanges(b.compiler)
			if !alone.proves(func() bool { return alone.condition(x) }) {
				if f.selGrd {
					// What it needs depends on the selection.
					f.selReads = append(f.selReads, l.reads...)
					b.use(f, l.reads, useRead)
					continue
				}
				l.before = slices.Clone(before)
			}
			n := b.conjunct(l)
			before = append(before, n)
			f.guard = append(f.guard, n)
			switch {
			case l.simple == nil:
				b.use(f, l.reads, useRead)
			case l.simple.op == uppaal.OpLt || l.simple.op == uppaal.OpLe:
				b.use(f, l.reads, useBelow)
			case l.simple.op == uppaal.OpGt || l.simple.op == uppaal.OpGe:
				b.use(f, l.reads, useAbove)
			default:
				b.use(f, l.reads, useRead)
			}
		}
		known.assume(e.Guard, true)
	}
	if e.Sync != nil {
		ok := known.proves(func() bool { _, ok := known.reference(e.Sync.Chan); return ok })
		if !ok {
			return nil, errStructure
		}
		accesses := b.recorded(func() { b.place(e.Sync.Chan) })
		f.chanReads, f.chanSel = b.stateCells(accesses, false), selected(accesses)
		b.use(f, f.chanReads, useRead)
	}
	if ce.kind == recvEdge {
		// The sender's updates come first: what the guard says of variables may not hold any more.
		known = newRanges(b.compiler)
	}
	for _, u := range e.Update {
		b.updateUses(f, u, known)
	}
	return f, nil
}

func (b *structurer) use(f *edgeFacts, cells []int32, u use) {
	for _, i := range cells {
		old := f.uses[i]
		f.uses[i] = cellUse{use: old.use&^useConst | u}
	}
}

// updateUses analyses one update.
func (b *structurer) updateUses(f *edgeFacts, u uppaal.Expr, known *ranges) {
	safe := known.proves(func() bool { return known.update(u) })
	f.risky = f.risky || !safe
	if safe {
		if cell, delta, ok := b.step(u); ok {
			if delta > 0 {
				b.use(f, []int32{cell}, useInc)
			} else {
				b.use(f, []int32{cell}, useDec)
			}
			return
		}
		if a, ok := u.(*uppaal.Assign); ok && a.Op == "=" && !isAggregate(b.typeOf(a.L)) {
			if p := b.place(a.L); p.fn == nil && b.p.cells[p.k].kind == stateCell {
				n := b.number(a.R)
				if old := f.uses[p.k]; n.form == constNumber && old.use&useChanges == 0 {
					k := n.k
					if b.p.cells[p.k].truth {
						k = truth(k != 0)
					}
					f.uses[p.k] = cellUse{old.use | useWrite | useConst, k}
					return
				}
			}
		}
	}
	accesses := b.recorded(func() { b.effect(u) })
	b.use(f, b.stateCells(accesses, false), useRead)
	b.use(f, b.stateCells(accesses, true), useWrite)
}

// step recognises the addition of a constant to a variable that does not wrap
// around, since it is known to stay in the range of the cell.
func (b *structurer) step(u uppaal.Expr) (cell, delta int32, ok bool) {
	plain := func(e uppaal.Expr) (int32, bool) {
		switch e.(type) {
		case *uppaal.Ident, *uppaal.Field, *uppaal.Index:
			if p := b.place(e); p.fn == nil && !isAggregate(p.typ) && b.p.cells[p.k].kind == stateCell {
				// Additions that may wrap around keep no order.
				cl := b.p.cells[p.k]
				return p.k, !cl.truth && int64(cl.hi)-int64(cl.lo) < 1<<31
			}
		}
		return 0, false
	}
	switch u := u.(type) {
	case *uppaal.IncDec:
		cell, ok = plain(u.X)
		if delta = 1; u.Op == uppaal.OpDec {
			delta = -1
		}
	case *uppaal.Assign:
		if cell, ok = plain(u.L); !ok {
			return
		}
		var n number
		sign := int32(1)
		switch x := u.R.(type) {
		case *uppaal.Binary:
			if u.Op != "=" || x.Op != uppaal.OpAdd && x.Op != uppaal.OpSub {
				return 0, 0, false
			}
			if other, same := plain(x.X); !same || other != cell {
				return 0, 0, false
			}
			if n = b.number(x.Y); x.Op == uppaal.OpSub {
				sign = -1
			}
		default:
			if u.Op != "+=" && u.Op != "-=" {
				return 0, 0, false
			}
			if n = b.number(u.R); u.Op == "-=" {
				sign = -1
			}
		}
		if n.form != constNumber || n.k > 1<<30 || n.k < -1<<30 {
			return 0, 0, false
		}
		delta = sign * n.k
	}
	return cell, delta, ok && delta != 0
}

func (b *structurer) conjunct(l *conjunct) int32 {
	b.st.conjuncts = append(b.st.conjuncts, l)
	return int32(len(b.st.conjuncts) - 1)
}

// atLocation is the conjunct that a process is in a location.
func (b *structurer) atLocation(proc, loc int32) int32 {
	key := [2]int32{proc, loc}
	n, ok := b.locConj[key]
	if !ok {
		n = b.conjunct(&conjunct{proc: proc, loc: loc})
		b.locConj[key] = n
	}
	return n
}

// transitionsOf adds the transitions that begin with an edge, in the order in
// which they are tried.
func (b *structurer) transitionsOf(e *edge) error {
	if e.kind == internalEdge {
		return b.add(e, nil, nil)
	}
	var receivers []*edge // of broadcasts
	seen := map[int32]bool{}
	for ch := e.chanLo; ch < e.chanHi; ch++ {
		for _, q := range b.p.receivers[ch] {
			if q == e.proc || seen[q] {
				continue
			}
			seen[q] = true
			for l := range b.p.procs[q].locs {
				for _, r := range b.p.procs[q].locs[l].recvs {
					if r.chanHi <= e.chanLo || e.chanHi <= r.chanLo {
						continue
					}
					if b.p.channels[e.chanLo].broadcast {
						receivers = append(receivers, r)
						continue
					}
					if err := b.add(e, r, nil); err != nil {
						return err
					}
				}
			}
		}
	}
	if e.chanLo < e.chanHi && b.p.channels[e.chanLo].broadcast {
		return b.add(e, nil, receivers)
	}
	return nil
}

// add adds a transition.
func (b *structurer) add(e, r *edge, receivers []*edge) error {
	if len(b.st.transitions) >= maxTransitions {
		return errStructure
	}
	id := int32(len(b.st.transitions))
	t := transition{edge: e, recv: r, receivers: receivers}
	parts := []*edge{e}
	if r != nil {
		parts = append(parts, r)
		b.st.pairs[uint64(e.id)<<32|uint64(r.id)] = id
	}
	t.conjuncts = append(t.conjuncts, b.atLocation(e.proc, e.from))
	if r != nil {
		t.conjuncts = append(t.conjuncts, b.atLocation(r.proc, r.from))
	}
	selects, valuations := false, int64(1)
	var selReads, chanReads []int32
	for _, x := range parts {
		f := b.facts[x]
		t.conjuncts = append(t.conjuncts, f.guard...)
		selects = selects || f.selGrd || f.chanSel
		selReads = append(selReads, f.selReads...)
		chanReads = append(chanReads, f.chanReads...)
		for _, s := range x.sel {
			if valuations *= int64(s.hi) - int64(s.lo) + 1; valuations > maxSelections {
				return errStructure
			}
		}
	}
	match := r != nil && (e.chanFn != nil || r.chanFn != nil)
	switch {
	case selects:
		// Enabled by some valuation. That some part of the guard is false may
		// depend on others, so this is tested last.
		b.link(&t, existsTest(e, r), append(selReads, chanReads...), slices.Clone(t.conjuncts))
	case match:
		b.link(&t, test{fn: func(m *machine) bool { return m.channel(e) == m.channel(r) }}, chanReads, slices.Clone(t.conjuncts))
	}
	b.join(&t, id, parts, receivers)
	b.st.transitions = append(b.st.transitions, t)
	starts := b.st.starts[e.proc]
	starts[e.from] = append(starts[e.from], id)
	for _, x := range append(parts, receivers...) {
		if b.facts[x].risky {
			b.st.risky = append(b.st.risky, id)
			break
		}
	}
	return nil
}

func (b *structurer) link(t *transition, x test, reads, before []int32) {
	slices.Sort(reads)
	t.conjuncts = append(t.conjuncts, b.conjunct(&conjunct{proc: -1, test: x, reads: slices.Compact(reads), before: before}))
}

// existsTest is true if the edges can synchronise with some values of their
// selections. It holds the guards as a whole.
func existsTest(e, r *edge) test {
	return test{fn: func(m *machine) bool {
		found := false
		stop := errFound
		_ = m.each(e, 0, func() error {
			if r == nil {
				found = true
				return stop
			}
			ch := m.channel(e)
			return m.each(r, 0, func() error {
				if m.channel(r) == ch {
					found = true
					return stop
				}
				return nil
			})
		})
		return found
	}}
}

// join puts a transition into its groups.
func (b *structurer) join(t *transition, id int32, parts, receivers []*edge) {
	put := func(g int32) {
		if l := b.st.groups[g]; len(l) == 0 || l[len(l)-1] != id {
			b.st.groups[g] = append(l, id)
		}
	}
	uses := map[int32]cellUse{}
	for _, x := range parts {
		for i, u := range b.facts[x].uses {
			old, ok := uses[i]
			if ok {
				u = cellUse{use: (old.use | u.use) &^ useConst}
			}
			uses[i] = u
		}
	}
	for _, x := range receivers {
		for i, u := range b.facts[x].uses {
			// Whether it is received depends on the receiver, and a part that
			// may not happen is not an addition.
			w := useRead
			if u.use&useChanges != 0 {
				w |= useWrite
			}
			uses[i] = cellUse{use: uses[i].use&^useConst | w}
		}
	}
	for _, x := range append(slices.Clone(parts), receivers...) {
		pr := &b.p.procs[x.proc]
		if x.from != x.to {
			put(b.into[x.proc][x.to])
		}
		if pr.locs[x.from].committed || pr.locs[x.to].committed {
			t.committed = true
		}
		if pr.locs[x.to].committed {
			if b.st.committing < 0 {
				b.st.committing = b.newGroup()
			}
			put(b.st.committing)
		}
	}
	for _, x := range parts {
		put(b.atLoc[x.proc][x.from])
		t.others = append(t.others, b.atLoc[x.proc][x.from], b.casts[x.proc])
	}
	done := map[int32]bool{}
	for _, x := range receivers {
		if !done[x.proc] {
			done[x.proc] = true
			put(b.casts[x.proc])
			t.others = append(t.others, b.atLoc[x.proc]...)
			t.others = append(t.others, b.casts[x.proc])
		}
	}
	cells := make([]int32, 0, len(uses))
	for i := range uses {
		cells = append(cells, i)
	}
	slices.Sort(cells)
	if b.uses += len(cells); b.uses > maxUses {
		panic(compileError{errStructure})
	}
	for _, i := range cells {
		u := uses[i]
		if b.byUse[i] == nil {
			b.byUse[i] = map[cellUse]int32{}
		}
		g, ok := b.byUse[i][u]
		if !ok {
			g = b.newGroup()
			b.byUse[i][u] = g
		}
		put(g)
		t.groups = append(t.groups, g)
	}
}

// relate computes the relations between groups, and the enablers of conjuncts.
func (b *structurer) relate() {
	st := b.st
	st.conflicts = make([][]int32, len(st.groups))
	for _, byUse := range b.byUse {
		for u, g := range byUse {
			for v, h := range byUse {
				if u.use.disturbs(v.use) || v.use.disturbs(u.use) {
					st.conflicts[g] = append(st.conflicts[g], h)
				}
			}
			slices.Sort(st.conflicts[g])
		}
	}
	for _, l := range st.conjuncts {
		b.enablers(l)
	}
	st.bytes = int64(len(st.groups)+len(st.conjuncts)+len(st.transitions))*128 + int64(b.uses)*8
}

// enablers finds the groups of transitions that may make a conjunct true.
func (b *structurer) enablers(l *conjunct) {
	var list []int32
	switch {
	case l.proc >= 0 && !l.negated:
		list = []int32{b.into[l.proc][l.loc]}
	case l.proc >= 0:
		list = []int32{b.atLoc[l.proc][l.loc], b.casts[l.proc]}
	default:
		for _, i := range l.reads {
			if p, ok := b.procOf[i]; ok {
				list = append(list, b.atLoc[p]...)
				list = append(list, b.casts[p])
			}
			for u, g := range b.byUse[i] {
				if l.simple != nil && l.simple.cell == i && !l.simple.enabledBy(u) {
					continue
				}
				if u.use&useChanges != 0 {
					list = append(list, g)
				}
			}
		}
	}
	slices.Sort(list)
	l.enablers = slices.Compact(list)
	for _, g := range l.enablers {
		l.cost += len(b.st.groups[g])
	}
}

// enabledBy reports whether a change of the cell may make the comparison true.
func (x *comparison) enabledBy(u cellUse) bool {
	switch {
	case u.use&useConst != 0:
		return compareValues(x.op, u.k, x.k)
	case u.use&useWrite != 0 || u.use&useInc != 0 && u.use&useDec != 0:
		return true
	case u.use&useInc != 0:
		return x.op != uppaal.OpLt && x.op != uppaal.OpLe
	case u.use&useDec != 0:
		return x.op != uppaal.OpGt && x.op != uppaal.OpGe
	}
	return false
}

// goal adds what a goal looks for: an A[] or E<> query.
func (b *structurer) goal(q *uppaal.Query, g *goal) error {
	b.inQuery, b.assumeAlive = true, true
	defer func() { b.inQuery, b.assumeAlive = false, false }()
	positive := q.Op != uppaal.Always
	known := newRanges(b.compiler)
	if !monotone(q.X, positive) || !known.proves(func() bool { return known.condition(q.X) }) {
		return errStructure
	}
	for _, cube := range b.cubes(q.X, positive) {
		gc := goalCube{goal: g}
		for _, l := range cube {
			if l.proc >= 0 && l.loc < 0 {
				if l.negated {
					return errStructure // see visibility.go
				}
				gc.stuck = append(gc.stuck, l.proc)
				continue
			}
			if l.unsafe {
				return errStructure
			}
			b.enablers(l)
			gc.conjuncts = append(gc.conjuncts, b.conjunct(l))
		}
		b.st.cubes = append(b.st.cubes, gc)
	}
	return nil
}
