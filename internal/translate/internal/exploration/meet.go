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

// Ways part where a value has to be known and at branches. Where they meet
// again, at the same point of the program with the same stack, they become one:
// what they differ in is a choice between values by the condition on which they
// have parted. So ways do not multiply with what happens behind.
//
// Ways wait for each other: of those that wait, the one that is most behind
// goes on.

const (
	// denseWays is the number of ways through a segment from which they also
	// become one if they write different cells. Below, each keeps to its own:
	// a step that may write many cells is in the way of more other steps.
	denseWays = 48
	// maxNodes is the size, as a tree, up to which expressions are made where
	// ways meet.
	maxNodes = 400
)

// Meet has a path wait where ways meet. It reports whether the path has been
// taken over.
func (x *Explorer) Meet(p *Path) bool {
	p.spreadAt = nil
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
	key := x.meetingKey(first)
	var group, rest []*Path
	for _, p := range x.parked {
		if x.behind(p, first) == 0 && x.meetingKey(p) == key {
			group = append(group, p)
		} else {
			rest = append(rest, p)
		}
	}
	x.parked = rest
	group = x.unite(group, key)
	for i := len(group) - 1; i >= 0; i-- {
		x.stack = append(x.stack, group[i])
	}
	return true
}

// behind compares how far two paths are: negative if p has more to do before
// the two can meet.
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
		a, b := in.Loops[f.Block.Index], in.Loops[g.Block.Index]
		for k := range min(len(a), len(b)) {
			if a[k] != b[k] {
				break
			}
			if c := cmp.Compare(f.TurnsOf(a[k]), g.TurnsOf(b[k])); c != 0 {
				return c
			}
		}
		if c := cmp.Or(cmp.Compare(in.Order[f.Block.Index], in.Order[g.Block.Index]), cmp.Compare(f.Idx, g.Idx), cmp.Compare(len(g.Defers), len(f.Defers))); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(q.Frames), len(p.Frames))
}

// meetingKey tells the points apart at which paths can meet: by the stack, and
// the turns of the loops around.
func (x *Explorer) meetingKey(p *Path) string {
	b := strconv.AppendInt(nil, int64(p.Template.Index), 10)
	b = append(b, p.variant...)
	b = state.AppendControl(b, p.Frames)
	for _, f := range p.Frames {
		if f.Block == nil || f.Turns == nil {
			continue
		}
		in := x.Program.Function(f.Call.Fn)
		in.Arrange()
		for _, h := range in.Loops[f.Block.Index] {
			b = strconv.AppendInt(append(b, 't'), int64(f.TurnsOf(h)), 10)
		}
	}
	return string(b)
}

// unite makes as few paths as possible of those that have met.
func (x *Explorer) unite(group []*Path, key string) []*Path {
	if len(group) == 1 {
		p := group[0]
		if len(x.parked) == 0 {
			p.Branched = false
		}
		return group
	}
	live := x.meeting[key]
	if live == nil {
		seen := map[envKey]bool{}
		for _, k := range x.Live(group[0].Frames) {
			if e := (envKey{k.Call, k.V}); !seen[e] {
				seen[e] = true
				live = append(live, e)
			}
		}
		x.meeting[key] = live
	}
	group = x.uniteAt(group, 0, live)
	if len(group) == 1 && len(x.parked) == 0 {
		group[0].Branched = false
	}
	return group
}

// uniteAt unites paths whose first n conditions are the same.
func (x *Explorer) uniteAt(group []*Path, n int, live []envKey) []*Path {
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
	// Ways that have parted by free choices alone have the same conditions.
	var out []*Path
	for _, p := range ended {
		// Each is compared with all others, and they may be thousands of large memories.
		if x.ctx.Err() != nil {
			return group
		}
		done := false
		for i, q := range out {
			if r := q.join(p, nil, n, live); r != nil {
				out[i], done = r, true
				break
			}
		}
		if !done {
			out = append(out, p)
		}
	}
	if len(yes) > 0 {
		yes = x.uniteAt(yes, n+1, live)
	}
	if len(no) > 0 {
		no = x.uniteAt(no, n+1, live)
	}
	if len(yes) == 1 && len(no) == 1 {
		if p := yes[0].join(no[0], c, n, live); p != nil {
			yes, no = []*Path{p}, nil
		}
	}
	out = append(append(out, yes...), no...)
	if len(other) > 0 {
		out = append(out, x.uniteAt(other, n, live)...)
	}
	return out
}

// join makes one path of p, on which c holds, and q, on which it does not, with
// the same n conditions before it; nil if that is not possible. Without c the two
// must have the same effects.
func (p *Path) join(q *Path, c *sym.Expr, n int, live []envKey) *Path {
	if !p.actsLike(q) {
		return nil
	}
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
	held := state.Common(p.Held, q.Held)
	if !p.dense && (len(held) < len(p.Held) || len(held) < len(q.Held)) {
		return nil
	}
	if !p.callsLike(q) {
		return nil
	}
	j := joining{p: p, q: q, c: c}
	j.findOther()
	r := *p
	r.Beyond, r.Alone, r.Serial, r.rolled = p.Beyond && q.Beyond, p.Alone && q.Alone, p.Serial && q.Serial, p.rolled || q.rolled
	if !j.joinEnv(&r, live) || !j.joinHeap(&r) || !j.joinCreated(&r) || !j.joinCond(&r, n) {
		return nil
	}
	r.Held, r.approx, r.fresh = held, approx, union(p.fresh, q.fresh)
	if !even {
		j.joinAllocs(&r)
	}
	j.joinUneven(&r)
	j.joinNarrow(&r)
	j.joinFacts(&r, n)
	j.joinChoices(&r)
	j.joinMarks(&r)
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
func (j *joining) findOther() {
	c := j.c
	if c != nil && c.Op == sym.OpEq && c.B.IsConst() {
		// On the other side the value may be known as well.
		if k, ok := j.q.Abs(c.A).Single(); ok {
			j.other = Eq(c.A, k)
		}
	}
}

// joinEnv gives r the live variables of both paths. It reports whether all of them
// can be joined.
func (j *joining) joinEnv(r *Path, live []envKey) bool {
	env := make(map[envKey][]*sym.Expr, len(live))
	for _, k := range live {
		a, b := j.p.env.m[k], j.q.env.m[k]
		if len(a) != len(b) {
			return false
		}
		if a == nil {
			continue
		}
		v := make([]*sym.Expr, len(a))
		for i := range a {
			if v[i] = j.value(a[i], b[i], nil); v[i] == nil {
				return false
			}
		}
		env[k] = v
	}
	r.env = table[envKey, []*sym.Expr]{m: env}
	return true
}

// joinHeap gives r the memory of both paths. It reports whether all cells can be
// joined.
func (j *joining) joinHeap(r *Path) bool {
	r.heap = j.p.heap.Share()
	all := true
	j.p.heap.Differing(&j.q.heap, func(addr int32, a, b **sym.Expr) {
		if all && (a == nil || b == nil || *a != *b || (*a).Joined) {
			all = j.joinCell(r, addr)
		}
	})
	return all
}

// joinCell gives r what both paths have in a cell. It reports whether that can be joined.
func (j *joining) joinCell(r *Path, addr int32) bool {
	p, q, c := j.p, j.q, j.p.Explorer.Memory.Cells[addr]
	a, b := p.written(addr), q.written(addr)
	if (a == nil || b == nil) && !p.dense && j.c != nil && p.Explorer.Memory.Object(addr).Pool != nil {
		return false
	}
	if a == nil {
		a = p.RawCell(addr)
	}
	if b == nil {
		b = q.RawCell(addr)
	}
	v := j.value(a, b, c.Expr)
	if v != nil && v != p.written(addr) {
		r.write(addr, v)
	}
	return v != nil
}

// joinCreated gives r the cells of the new objects, which both paths must have made.
// It reports whether all of them can be joined.
func (j *joining) joinCreated(r *Path) bool {
	created := make(map[state.NewObject][]*sym.Expr, len(j.p.created.m))
	for k, a := range j.p.created.m {
		b, ok := j.q.created.m[k]
		if !ok || len(a) != len(b) {
			return false
		}
		v := make([]*sym.Expr, len(a))
		for i := range a {
			s, t := a[i], b[i]
			switch {
			case s == nil && t == nil:
				continue
			case s == nil:
				s = sym.Num(0)
			case t == nil:
				t = sym.Num(0)
			}
			if v[i] = j.value(s, t, nil); v[i] == nil {
				return false
			}
		}
		created[k] = v
	}
	r.created = table[state.NewObject, []*sym.Expr]{m: created}
	return true
}

// joinCond gives r the n conditions that the paths have in common, and as one more
// that those behind them hold on one of the two. It reports whether that is a small
// enough expression.
func (j *joining) joinCond(r *Path, n int) bool {
	r.Cond = slices.Clone(j.p.Cond[:n])
	if j.c == nil {
		return true
	}
	rest := sym.Choice(j.c, all(j.p.Cond[n+1:]), all(j.q.Cond[n+1:]))
	if rest.Nodes() > maxNodes {
		return false
	}
	if !rest.Is(1) {
		r.Cond = append(r.Cond, rest)
	}
	return true
}

// joinAllocs gives r the objects that either path has taken from pools, and notes of
// which pools they have taken different numbers.
func (j *joining) joinAllocs(r *Path) {
	p, q := j.p, j.q
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

// joinUneven adds the pools of which the ways of q have taken different numbers of
// objects before. The map may be that of other paths.
func (j *joining) joinUneven(r *Path) {
	for pl := range j.q.uneven {
		if !r.uneven[pl] {
			r.uneven = maps.Clone(r.uneven)
			if r.uneven == nil {
				r.uneven = map[*state.Pool]bool{}
			}
			r.uneven[pl] = true
		}
	}
}

// joinNarrow has r know of variables and cells what both paths know of them.
func (j *joining) joinNarrow(r *Path) {
	narrow := make(map[*sym.Expr]sym.Set, len(j.p.narrow.m))
	for e, a := range j.p.narrow.m {
		if b, ok := j.q.narrow.m[e]; ok {
			narrow[e] = a.Join(b, sym.MaxRefSet)
		}
	}
	r.narrow = table[*sym.Expr, sym.Set]{m: narrow}
}

// joinFacts has r know of other expressions what both paths know of them, what the
// joined values can be, and that the condition behind the first n holds.
func (j *joining) joinFacts(r *Path, n int) {
	p, q := j.p, j.q
	r.facts = p.facts.share()
	for k, f := range p.facts.m {
		switch g, ok := q.facts.m[k]; {
		case ok && f.e.Same(g.e):
			if !g.a.Within(f.a) {
				r.facts.set(k, fact{f.e, f.a.Join(g.a, sym.MaxRefSet)})
			}
		case !f.e.Joined: // which matters only where p is chosen
			r.facts.remove(k)
		}
	}
	for k, g := range q.facts.m {
		if _, ok := r.facts.m[k]; !ok && g.e.Joined {
			r.facts.set(k, g)
		}
	}
	for _, f := range j.facts {
		r.facts.set(f.e.Key(), f)
	}
	if rest := r.Cond[min(n, len(r.Cond)):]; len(rest) > 0 {
		r.facts.set(rest[0].Key(), fact{rest[0], sym.Single(1)})
	}
}

// joinChoices gives r the guesses and free choices that both paths have made, and
// the early remarks of either.
func (j *joining) joinChoices(r *Path) {
	p, q := j.p, j.q
	r.guesses = slices.DeleteFunc(slices.Clone(p.guesses), func(g guess) bool { return !slices.Contains(q.guesses, g) })
	r.chosen = slices.DeleteFunc(slices.Clone(p.chosen), func(g pin) bool { return !slices.Contains(q.chosen, g) })
	for _, e := range q.early {
		if !slices.Contains(r.early, e) {
			r.early = append(r.early[:len(r.early):len(r.early)], e)
		}
	}
}

// joinMarks gives r for each header of a loop the larger of the numbers of conditions
// and choices that the paths had when they passed it last.
func (j *joining) joinMarks(r *Path) {
	marks := maps.Clone(j.p.marks.m)
	if marks == nil {
		marks = map[*ssa.BasicBlock]int{}
	}
	for b, m := range j.q.marks.m {
		marks[b] = max(marks[b], m)
	}
	r.marks = table[*ssa.BasicBlock, int]{m: marks}
}

// joining joins the values of two paths.
type joining struct {
	p, q *Path
	c    *sym.Expr // holds on p and not on q; nil if only equal values can be joined
	// other holds on q and not on p, if there is a condition like that beside
	// the negation of c.
	other    *sym.Expr
	unknowns map[[2]*sym.Expr]*sym.Expr
	facts    []fact
}

// value is a on p and b on q; nil if there is no such expression. A value that
// has not changed is that from before.
func (j *joining) value(a, b, before *sym.Expr) *sym.Expr {
	if a.Op == sym.OpUnknown && b.Op == sym.OpUnknown {
		if a == b {
			return a
		}
		// Two unknown values are one only if they are on both sides.
		u := j.unknowns[[2]*sym.Expr{a, b}]
		if u == nil {
			u = &sym.Expr{Op: sym.OpUnknown, Why: a.Why}
			if j.unknowns == nil {
				j.unknowns = map[[2]*sym.Expr]*sym.Expr{}
			}
			j.unknowns[[2]*sym.Expr{a, b}] = u
		}
		return u
	}
	if a.Same(b) {
		if a.Joined {
			j.know(a, a, b)
		}
		return a
	}
	if j.c == nil || a.Op == sym.OpUnknown || b.Op == sym.OpUnknown {
		return nil
	}
	if e := j.known(a, b); e != nil {
		j.know(e, a, b)
		return e
	}
	var v *sym.Expr
	if j.other != nil && before != nil && a.Same(before) {
		v = sym.Ite(j.other, b, a)
	} else {
		v = sym.Ite(j.c, a, b)
	}
	switch {
	case v.Nodes() > maxNodes || v.Op == sym.OpUnknown:
		return nil
	case v.Op == sym.OpIte && v != a && v != b:
		u := *v
		u.Joined = true
		v = &u
	}
	j.know(v, a, b)
	return v
}

// know sets what a value can be that is a on p and b on q. It may be one of the two,
// of which only one path knows something.
func (j *joining) know(v, a, b *sym.Expr) {
	if v.Size > 0 {
		j.facts = append(j.facts, fact{v, j.p.Abs(a).Join(j.q.Abs(b), sym.MaxRefSet)})
	}
}

// known is the value on which the paths have parted, if a and b are what it is on
// each, or lie at one distance from it; nil if not.
func (j *joining) known(a, b *sym.Expr) *sym.Expr {
	c := j.c
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
	if k, ok := j.q.Abs(c.A).Single(); ok && b.IsConst() && int64(b.K)-int64(k) == d {
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
