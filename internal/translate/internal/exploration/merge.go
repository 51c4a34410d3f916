package exploration

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Paths fork where a value has to be known and at branches. Where they come to
// the same point of the program with the same stack, they merge into one: what
// they differ in is a choice between values by the condition on which they have
// forked. So the number of paths does not multiply with what happens behind.
//
// Paths wait for each other: of those that wait, the one that is most behind
// goes on. So those that can still come to a point have come there before the
// paths at it merge, but for the next iteration of a loop, which is another point.
// The literature calls this static state merging (Kuznetsov, Kinder, Bucur, Candea:
// Efficient State Merging in Symbolic Execution, PLDI 2012).
//
// A merged path does what the paths that it is made of do, under the same
// conditions: nothing is approximated, or the paths stay apart. What it knows of
// values is less, as each path may have known something else.

const (
	// densePaths is the number of paths through a segment from which they also
	// merge if only one of them has written an object of a pool, if they have taken
	// others from pools, hold other locks, or rest on other approximations. Below,
	// each keeps to its own: a step that may write many cells depends on more other
	// steps.
	densePaths = 48
	// maxNodes is the size, as a tree, up to which expressions are made where
	// paths merge.
	maxNodes = 400
)

// AwaitMerge has a path wait where paths merge. It reports whether the path has
// been taken over.
func (x *Explorer) AwaitMerge(p *Path) bool {
	p.forkedAt = nil
	if p.split {
		x.split(p)
		return true
	}
	if len(x.stack) == 0 && len(x.parked) == 0 {
		p.Branched = false
		return false
	}
	p.resumed = true
	x.parked = append(x.parked, p)
	return true
}

// resume has paths go on that have waited, if nothing else is to do. It reports
// whether there is a path to execute.
//
// Paths on the stack are executed first, to their ends or to where they wait.
func (x *Explorer) resume() bool {
	if len(x.stack) > 0 {
		return true
	}
	if len(x.parked) == 0 {
		return false
	}
	first := x.parked[0]
	for _, p := range x.parked[1:] {
		if x.behind(p, first) < 0 {
			first = p
		}
	}
	key := x.mergeKey(first)
	var group, rest []*Path
	for _, p := range x.parked {
		if x.behind(p, first) == 0 && x.mergeKey(p) == key {
			group = append(group, p)
		} else {
			rest = append(rest, p)
		}
	}
	x.parked = rest
	group = x.merge(group, key)
	for i := len(group) - 1; i >= 0; i-- {
		x.stack = append(x.stack, group[i])
	}
	return true
}

// behind compares how far two paths are: negative if p has more to do before
// the two can merge.
//
// It is about who goes first, and no more: where the answer is wrong paths that could merge do not, and there are
// more of them.
func (x *Explorer) behind(p, q *Path) int {
	for i := range min(len(p.Frames), len(q.Frames)) {
		f, g := p.Frames[i], q.Frames[i]
		if f.Call != g.Call {
			return cmp.Compare(f.Call.ID, g.Call.ID)
		}
		if f.Block == nil || g.Block == nil {
			if c := cmp.Compare(f.Phase, g.Phase); c != 0 {
				return c
			}
			continue
		}
		// Who unwinds, or runs deferred calls, is further.
		late := func(f *state.Frame) int {
			switch {
			case f.Unwind != nil:
				return 2
			case f.Running:
				return 1
			}
			return 0
		}
		if c := cmp.Compare(late(f), late(g)); c != 0 {
			return c
		}
		in := x.Program.Function(f.Call.Fn)
		in.Arrange()
		// In the loops around both, who is in an earlier iteration is behind, wherever in it.
		a, b := in.Loops[f.Block.Index], in.Loops[g.Block.Index]
		for k := range min(len(a), len(b)) {
			if a[k] != b[k] {
				break
			}
			if c := cmp.Compare(f.Iteration(a[k]), g.Iteration(b[k])); c != 0 {
				return c
			}
		}
		// Order has a loop before what follows it. Who has more deferred calls has to run them before the stacks
		// are the same.
		if c := cmp.Or(cmp.Compare(in.Order[f.Block.Index], in.Order[g.Block.Index]), cmp.Compare(f.Idx, g.Idx), cmp.Compare(len(g.Defers), len(f.Defers))); c != 0 {
			return c
		}
	}
	// Who is in a call returns from it first.
	return cmp.Compare(len(q.Frames), len(p.Frames))
}

// mergeKey tells the points apart at which paths can merge: by the stack, and the iterations of the loops around.
// What is live there follows from it, so that liveAtMerge is kept by it.
func (x *Explorer) mergeKey(p *Path) string {
	b := strconv.AppendInt(nil, int64(p.Template.Index), 10)
	b = append(b, p.variant...)
	b = state.AppendControl(b, p.Frames)
	for _, f := range p.Frames {
		if f.Block == nil || f.Iterations == nil {
			continue
		}
		in := x.Program.Function(f.Call.Fn)
		in.Arrange()
		for _, h := range in.Loops[f.Block.Index] {
			b = strconv.AppendInt(append(b, 't'), int64(f.Iteration(h)), 10)
		}
	}
	return string(b)
}

// merge makes as few paths as possible of those that have come to one point.
func (x *Explorer) merge(group []*Path, key string) []*Path {
	if len(group) == 1 {
		p := group[0]
		if len(x.parked) == 0 {
			p.Branched = false
		}
		return group
	}
	live := x.liveAtMerge[key]
	if live == nil {
		seen := map[envKey]bool{}
		for _, k := range x.Live(group[0].Frames) {
			if e := (envKey{k.Call, k.V}); !seen[e] {
				seen[e] = true
				live = append(live, e)
			}
		}
		x.liveAtMerge[key] = live
	}
	group = x.mergeAfter(group, 0, live)
	if len(group) == 1 && len(x.parked) == 0 {
		group[0].Branched = false
	}
	return group
}

// mergeAfter merges paths whose first n conditions are the same.
//
// The conditions of paths that have forked make a tree: at a fork each side has the condition, or its negation,
// behind those that they have in common. The sides are merged from the leaves of the tree on, so that two paths are
// ever merged by the one condition in which they differ:
//
//	if a { if b { x = 1 } else { x = 2 } } // a ? (b ? 1 : 2) : 0
//
// Where a side is left with several paths they stay, beside those of the other side. Paths that are left as they
// are, as when the context ends, are right as well.
func (x *Explorer) mergeAfter(group []*Path, n int, live []envKey) []*Path {
	if len(group) == 1 {
		return group
	}
	for {
		var c *sym.Expr
		all := true
		for _, p := range group {
			if len(p.Cond) <= n {
				all = false
				break
			}
			if c == nil {
				c = p.Cond[n]
			}
			all = all && c.Same(p.Cond[n])
		}
		if !all {
			break
		}
		n++
	}
	// other are those that have forked into more than two, as by the value of an expression: they are told apart
	// one by one.
	var ended, yes, no, other []*Path
	var c *sym.Expr
	for _, p := range group {
		switch {
		case len(p.Cond) == n:
			ended = append(ended, p)
		case c == nil:
			c = p.Cond[n]
			yes = append(yes, p)
		case c.Same(p.Cond[n]):
			yes = append(yes, p)
		case c.Same(sym.Not(p.Cond[n])):
			no = append(no, p)
		default:
			other = append(other, p)
		}
	}
	// Paths that have forked by free choices alone have the same conditions.
	var out []*Path
	for _, p := range ended {
		// Each is compared with all others, and they may be thousands of large memories.
		if x.ctx.Err() != nil {
			return group
		}
		done := false
		for i, q := range out {
			if r := q.merge(p, nil, n, live); r != nil {
				out[i], done = r, true
				break
			}
		}
		if !done {
			out = append(out, p)
		}
	}
	if len(yes) > 0 {
		yes = x.mergeAfter(yes, n+1, live)
	}
	if len(no) > 0 {
		no = x.mergeAfter(no, n+1, live)
	}
	if len(yes) == 1 && len(no) == 1 {
		if p := yes[0].merge(no[0], c, n, live); p != nil {
			yes, no = []*Path{p}, nil
		}
	}
	out = append(append(out, yes...), no...)
	if len(other) > 0 {
		out = append(out, x.mergeAfter(other, n, live)...)
	}
	return out
}

// merge makes one path of p, on which c holds, and q, on which it does not, with
// the same n conditions before it; nil if that is not possible. Without c the two
// must have the same effects.
//
// If it succeeds p and q are given up, and the result has what was theirs; else they are as before.
func (p *Path) merge(q *Path, c *sym.Expr, n int, live []envKey) *Path {
	if !p.actsLike(q) {
		return nil
	}
	// An edge rests on the approximations of all paths that it is made of. With few paths those that rest on fewer
	// stay apart, and so what they lead to stays exact.
	approx := union(p.approx, q.approx)
	if !p.dense && (len(approx) > len(p.approx) || len(approx) > len(q.approx)) {
		return nil
	}
	even := maps.Equal(p.allocs.m, q.allocs.m) && len(p.created.m) == len(q.created.m)
	if !even {
		// One has taken objects from pools that the other has not.
		if !p.dense || c == nil {
			return nil
		}
		p, q = p.settled(), q.settled()
	}
	// Which locks are held decides which statements can lose updates (held.go): fewer locks, more guards.
	held := state.Common(p.Held, q.Held)
	if !p.dense && (len(held) < len(p.Held) || len(held) < len(q.Held)) {
		return nil
	}
	if !p.callsLike(q) {
		return nil
	}
	m := merging{p: p, q: q, c: c}
	m.findOther()
	// What only one of them can claim, that nobody else runs or that this is the first iteration, is claimed no
	// more. Where nothing is saturated on one of the two, approximations that follow do not rest on that.
	r := *p
	r.Saturated, r.Alone, r.Serial, r.rolled = p.Saturated && q.Saturated, p.Alone && q.Alone, p.Serial && q.Serial, p.rolled || q.rolled
	if !m.mergeEnv(&r, live) || !m.mergeHeap(&r) || !m.mergeCreated(&r) || !m.mergeCond(&r, n) {
		return nil
	}
	// Locks are what is certain, so those of both. What may be armed and fresh is that of either.
	r.Held, r.approx, r.fresh = held, approx, union(p.fresh, q.fresh)
	if !even {
		m.mergeAllocs(&r)
	}
	m.mergeUneven(&r)
	m.mergeNarrow(&r)
	m.mergeFacts(&r, n)
	m.mergeChoices(&r)
	m.mergeMarks(&r)
	r.own = nil
	r.Frames = slices.Clone(p.Frames)
	r.Steps, r.decided, r.Picks = max(p.Steps, q.Steps), max(p.decided, q.decided), max(p.Picks, q.Picks)
	r.epoch = p.Explorer.nextEpoch()
	return &r
}

// actsLike reports that two paths do the same to other goroutines: an edge has one
// role, one synchronisation and one message.
func (p *Path) actsLike(q *Path) bool {
	return p.Role == q.Role && p.Site == q.Site && p.Sel == q.Sel && p.Full == q.Full && p.Spawn == q.Spawn &&
		(p.Sync == nil) == (q.Sync == nil) && (p.Sync == nil || *p.Sync == *q.Sync) &&
		sameExprs(p.Send, q.Send) && len(p.Hand) == len(q.Hand)
}

// callsLike reports that two paths with the same stack call the same functions
// through the operations of the library that are on it.
// The control state of an operation does not say what it calls, and one that calls back would call the function of
// p.
func (p *Path) callsLike(q *Path) bool {
	for i, f := range p.Frames {
		if g := q.Frames[i]; f.Op != nil && (f.Target.Fn != g.Target.Fn || len(f.Target.Args) != len(g.Target.Args)) {
			return false
		}
	}
	return true
}

// findOther finds the condition that holds on q and not on p beside the negation of
// c. A value that only q has changed is a shorter expression with it.
func (m *merging) findOther() {
	c := m.c
	if c != nil && c.Op == sym.OpEq && c.B.IsConst() {
		// On the other side the value may be known as well.
		if k, ok := m.q.Abs(c.A).Single(); ok {
			m.other = Eq(c.A, k)
		}
	}
}

// mergeEnv gives r the live variables of both paths. It reports whether all of them
// can be merged.
// What is not live may differ, which is what makes most paths alike. It is gone then.
func (m *merging) mergeEnv(r *Path, live []envKey) bool {
	env := make(map[envKey][]*sym.Expr, len(live))
	for _, k := range live {
		a, b := m.p.env.m[k], m.q.env.m[k]
		if len(a) != len(b) {
			return false
		}
		if a == nil {
			continue
		}
		v := make([]*sym.Expr, len(a))
		for i := range a {
			if v[i] = m.value(a[i], b[i], nil); v[i] == nil {
				return false
			}
		}
		env[k] = v
	}
	r.env = table[envKey, []*sym.Expr]{m: env}
	return true
}

// mergeHeap gives r the memory of both paths. It reports whether all cells can be
// merged.
// A cell in which one expression is on both sides is the same, unless that was made by merging, of which each path
// may know something else.
func (m *merging) mergeHeap(r *Path) bool {
	r.heap = m.p.heap.Share()
	all := true
	m.p.heap.Differing(&m.q.heap, func(addr int32, a, b **sym.Expr) {
		if all && (a == nil || b == nil || *a != *b || (*a).Merged) {
			all = m.mergeCell(r, addr)
		}
	})
	return all
}

// mergeCell gives r what both paths have in a cell. It reports whether that can be merged.
func (m *merging) mergeCell(r *Path, addr int32) bool {
	p, q, c := m.p, m.q, m.p.Explorer.Memory.Cells[addr]
	a, b := p.written(addr), q.written(addr)
	if (a == nil || b == nil) && !p.dense && m.c != nil && p.Explorer.Memory.Object(addr).Pool != nil {
		return false
	}
	if a == nil {
		a = p.RawCell(addr)
	}
	if b == nil {
		b = q.RawCell(addr)
	}
	v := m.value(a, b, c.Expr)
	if v != nil && v != p.written(addr) {
		r.write(addr, v)
	}
	return v != nil
}

// mergeCreated gives r the cells of the new objects, which both paths must have made.
// It reports whether all of them can be merged.
func (m *merging) mergeCreated(r *Path) bool {
	created := make(map[state.NewObject][]*sym.Expr, len(m.p.created.m))
	for k, a := range m.p.created.m {
		b, ok := m.q.created.m[k]
		if !ok || len(a) != len(b) {
			return false
		}
		v := make([]*sym.Expr, len(a))
		for i := range a {
			s, t := a[i], b[i]
			switch {
			case s == nil && t == nil:
				continue
			// A cell of a new object that was not written is zero.
			case s == nil:
				s = sym.Num(0)
			case t == nil:
				t = sym.Num(0)
			}
			if v[i] = m.value(s, t, nil); v[i] == nil {
				return false
			}
		}
		created[k] = v
	}
	r.created = table[state.NewObject, []*sym.Expr]{m: created}
	return true
}

// mergeCond gives r the n conditions that the paths have in common, and as one more
// that those behind them hold on one of the two. It reports whether that is a small
// enough expression.
//
// The condition itself drops out, since r stands for both sides. That is what makes merging worth it: where nothing is
// decided behind it nothing is left.
func (m *merging) mergeCond(r *Path, n int) bool {
	r.Cond = slices.Clone(m.p.Cond[:n])
	if m.c == nil {
		return true
	}
	rest := sym.Choice(m.c, all(m.p.Cond[n+1:]), all(m.q.Cond[n+1:]))
	if rest.Nodes() > maxNodes {
		return false
	}
	if !rest.Is(1) {
		r.Cond = append(r.Cond, rest)
	}
	return true
}

// mergeAllocs gives r the objects that either path has taken from pools, and notes of
// which pools they have taken different numbers.
// What comes from such a pool next has another number on each path: AllocateKey ends the segment there.
func (m *merging) mergeAllocs(r *Path) {
	p, q := m.p, m.q
	allocs := maps.Clone(p.allocs.m)
	if allocs == nil {
		allocs = map[*state.Pool]int{}
	}
	r.uneven = maps.Clone(p.uneven)
	if r.uneven == nil {
		r.uneven = map[*state.Pool]bool{}
	}
	for pl, n := range q.allocs.m {
		allocs[pl] = max(allocs[pl], n)
	}
	for pl := range allocs {
		if p.allocs.m[pl] != q.allocs.m[pl] {
			r.uneven[pl] = true
		}
	}
	r.allocs = table[*state.Pool, int]{m: allocs}
}

// mergeUneven adds the pools of which the paths that q was merged from have taken
// different numbers of objects. The map may be that of other paths.
func (m *merging) mergeUneven(r *Path) {
	for pl := range m.q.uneven {
		if !r.uneven[pl] {
			r.uneven = maps.Clone(r.uneven)
			if r.uneven == nil {
				r.uneven = map[*state.Pool]bool{}
			}
			r.uneven[pl] = true
		}
	}
}

// mergeNarrow has r know of variables and cells what both paths know of them.
func (m *merging) mergeNarrow(r *Path) {
	narrow := make(map[*sym.Expr]sym.Set, len(m.p.narrow.m))
	for e, a := range m.p.narrow.m {
		if b, ok := m.q.narrow.m[e]; ok {
			narrow[e] = a.Join(b, sym.MaxRefSet)
		}
	}
	r.narrow = table[*sym.Expr, sym.Set]{m: narrow}
}

// mergeFacts has r know of other expressions what both paths know of them, what the
// merged values can be, and that the condition behind the first n holds.
func (m *merging) mergeFacts(r *Path, n int) {
	p, q := m.p, m.q
	r.facts = p.facts.share()
	for k, f := range p.facts.m {
		// A merged value that only one path has occurs in r only in the branch of a choice that stands for that
		// path. So what is known of it need not hold on the other one. Of other expressions it must.
		switch g, ok := q.facts.m[k]; {
		case ok && f.e.Same(g.e):
			if !g.a.Within(f.a) {
				r.facts.set(k, fact{f.e, f.a.Join(g.a, sym.MaxRefSet)})
			}
		case !f.e.Merged: // which matters only where p is chosen
			r.facts.remove(k)
		}
	}
	for k, g := range q.facts.m {
		if _, ok := r.facts.m[k]; !ok && g.e.Merged {
			r.facts.set(k, g)
		}
	}
	for _, f := range m.facts {
		r.facts.set(f.e.Key(), f)
	}
	// mergeCond has added it as the last one.
	if rest := r.Cond[min(n, len(r.Cond)):]; len(rest) > 0 {
		r.facts.set(rest[0].Key(), fact{rest[0], sym.Single(1)})
	}
}

// mergeChoices gives r the guesses and free choices that both paths have made, and
// the early remarks of either.
func (m *merging) mergeChoices(r *Path) {
	p, q := m.p, m.q
	r.guesses = slices.DeleteFunc(slices.Clone(p.guesses), func(g guess) bool { return !slices.Contains(q.guesses, g) })
	r.chosen = slices.DeleteFunc(slices.Clone(p.chosen), func(g pin) bool { return !slices.Contains(q.chosen, g) })
	for _, e := range q.early {
		if !slices.Contains(r.early, e) {
			r.early = append(r.early[:len(r.early):len(r.early)], e)
		}
	}
}

// mergeMarks gives r for each header of a loop the larger of the numbers of conditions
// and choices that the paths had when they passed it last.
func (m *merging) mergeMarks(r *Path) {
	marks := maps.Clone(m.p.marks.m)
	if marks == nil {
		marks = map[*ssa.BasicBlock]int{}
	}
	for b, n := range m.q.marks.m {
		marks[b] = max(marks[b], n)
	}
	r.marks = table[*ssa.BasicBlock, int]{m: marks}
}

// merging merges the values of two paths.
type merging struct {
	p, q *Path
	c    *sym.Expr // holds on p and not on q; nil if only equal values can be merged
	// other holds on q and not on p, if there is a condition like that beside
	// the negation of c.
	other    *sym.Expr
	unknowns map[[2]*sym.Expr]*sym.Expr
	facts    []fact
}

// value is a on p and b on q; nil if there is no such expression. A value that
// has not changed is that from before.
//
// A number that is known on one side only is not merged with one that is not: it would be lost for the path that
// has it, and a branch on it would be a choice.
func (m *merging) value(a, b, before *sym.Expr) *sym.Expr {
	if a.Op == sym.OpUnknown && b.Op == sym.OpUnknown {
		if a == b {
			return a
		}
		// Two unknown values are one only if they are on both sides.
		// Two variables that are equal on each path are so on the merged one: a value that is chosen for one counts
		// for the other.
		u := m.unknowns[[2]*sym.Expr{a, b}]
		if u == nil {
			u = &sym.Expr{Op: sym.OpUnknown, Why: a.Why}
			if m.unknowns == nil {
				m.unknowns = map[[2]*sym.Expr]*sym.Expr{}
			}
			m.unknowns[[2]*sym.Expr{a, b}] = u
		}
		return u
	}
	if a.Same(b) {
		if a.Merged {
			m.know(a, a, b)
		}
		return a
	}
	if m.c == nil || a.Op == sym.OpUnknown || b.Op == sym.OpUnknown {
		return nil
	}
	if e := m.known(a, b); e != nil {
		m.know(e, a, b)
		return e
	}
	var v *sym.Expr
	if m.other != nil && before != nil && a.Same(before) {
		v = sym.Ite(m.other, b, a)
	} else {
		v = sym.Ite(m.c, a, b)
	}
	switch {
	case v.Nodes() > maxNodes || v.Op == sym.OpUnknown:
		return nil
	// A copy, since others may have this expression, too. By the mark mergeFacts knows that it may be one that only
	// one path has.
	case v.Op == sym.OpIte && v != a && v != b:
		u := *v
		u.Merged = true
		v = &u
	}
	m.know(v, a, b)
	return v
}

// know sets what a value can be that is a on p and b on q. It may be one of the two,
// of which only one path knows something.
// Variables, cells and constants are left out: of these mergeNarrow says what is known, or nothing is to be said.
func (m *merging) know(v, a, b *sym.Expr) {
	if v.Size > 0 {
		m.facts = append(m.facts, fact{v, m.p.Abs(a).Join(m.q.Abs(b), sym.MaxRefSet)})
	}
}

// known is the value on which the paths have forked, if a and b are what it is on
// each, or lie at one distance from it; nil if not.
//
// Where the value of n has to be known, as for the address of an element, there is a path for each. Behind it n+4
// is a constant on each, and n+4 again where they merge, not a choice among as many constants:
//
//	c is n == 3, a is 7, and on the other path n is 8 and b is 12: n + 4
func (m *merging) known(a, b *sym.Expr) *sym.Expr {
	c := m.c
	if c.Op != sym.OpEq || !c.B.IsConst() || !a.IsConst() {
		return nil
	}
	d := int64(a.K) - int64(c.B.K)
	if d != int64(int32(d)) {
		return nil
	}
	e := sym.Arith(sym.OpAdd, c.A, sym.Num(int32(d)))
	if b.Same(e) {
		return e
	}
	if k, ok := m.q.Abs(c.A).Single(); ok && b.IsConst() && int64(b.K)-int64(k) == d {
		return e
	}
	return nil
}

func sameExprs(a, b []*sym.Expr) bool {
	return slices.EqualFunc(a, b, func(e, f *sym.Expr) bool { return e == f || e != nil && f != nil && e.Same(f) })
}

// union has the elements of both lists.
func union(a, b []int) []int {
	out := slices.Clone(a)
	for _, k := range b {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// settled is a copy of a path that has written its new objects to memory.
func (p *Path) settled() *Path {
	if len(p.created.m) == 0 {
		return p
	}
	q := p.Clone()
	q.Settle()
	return q
}

// all is the conjunction of conditions.
func all(list []*sym.Expr) *sym.Expr {
	out := sym.Num(1)
	for _, c := range list {
		out = sym.And(out, c)
	}
	return out
}
