package analyze

import (
	"fmt"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/trace"
)

// access is a read or write of memory.
type access struct {
	pc    int32
	write bool
}

// maxChecks bounds the pairs of accesses for which a reordering is looked for.
const maxChecks = 200_000

// races reports accesses of which at least one writes, and that nothing orders: P10, no matter in which
// order critical sections come, and P11, only by that order.
func (q *inquiry) races() {
	accesses := map[trace.ObjectID]map[int32][]access{}
	var vars []trace.ObjectID
	users := map[trace.ObjectID][]int32{}
	for g := range q.p.ops {
		for i := range q.p.ops[g] {
			o := &q.p.ops[g][i]
			if o.op != trace.OpRead && o.op != trace.OpWrite {
				continue
			}
			if accesses[o.object] == nil {
				accesses[o.object] = map[int32][]access{}
				vars = append(vars, o.object)
			}
			if accesses[o.object][int32(g)] == nil {
				users[o.object] = append(users[o.object], int32(g))
			}
			accesses[o.object][int32(g)] = append(accesses[o.object][int32(g)], access{int32(i + 1), o.op == trace.OpWrite})
		}
	}
	q.unordered()
	slices.Sort(vars)
	for _, v := range vars {
		for i, g := range users[v] {
			for _, h := range users[v][i+1:] {
				q.reordered(v, g, h, accesses[v][g], accesses[v][h])
			}
		}
	}
}

// unordered reports P10. Of each goroutine the last read and the last write of a variable are kept, as
// epochs: what is before the last one is before all others.
func (q *inquiry) unordered() {
	type last struct{ read, write int32 }
	lasts := make([]map[int32]*last, len(q.p.t.Objects)+1)
	users := make([][]int32, len(lasts))
	for _, r := range q.must.order {
		o := q.p.info(r)
		if o.op != trace.OpRead && o.op != trace.OpWrite {
			continue
		}
		for _, h := range users[o.object] {
			if h == int32(r.Goroutine-1) {
				continue
			}
			l := lasts[o.object][h]
			q.race(o.object, ref(h, l.write), r)
			if o.op == trace.OpWrite {
				q.race(o.object, ref(h, l.read), r)
			}
		}
		g := int32(r.Goroutine - 1)
		if lasts[o.object] == nil {
			lasts[o.object] = map[int32]*last{}
		}
		l := lasts[o.object][g]
		if l == nil {
			l = &last{}
			lasts[o.object][g] = l
			users[o.object] = append(users[o.object], g)
		}
		if o.op == trace.OpWrite {
			l.write = r.PC
		} else {
			l.read = r.PC
		}
	}
}

// race reports two accesses if they are concurrent.
func (q *inquiry) race(v trace.ObjectID, a, b trace.Ref) {
	if a.PC == 0 || !q.must.concurrent(a, b) {
		return
	}
	if compareRefs(a, b) > 0 {
		a, b = b, a
	}
	q.report(Finding{
		Code: Race, Object: q.p.t.ObjectName(v), Witness: true, reorders: &reordering{pending: []trace.Ref{a, b}},
		Message: fmt.Sprintf("nothing orders %s and %s", q.name(a, v), q.name(b, v)),
	}, v, a, b)
}

// places are the positions of two accesses.
type places [2]trace.PosID

// reordered reports P11 for the accesses of two goroutines: those that only the order of critical sections
// orders, and that a reordering which keeps that order has next to each other.
func (q *inquiry) reordered(v trace.ObjectID, g, h int32, as, bs []access) {
	checked := map[places]int{}
	for _, a := range as {
		r := ref(g, a.pc)
		from := sort.Search(len(bs), func(i int) bool { return !q.weak.before(ref(h, bs[i].pc), r) })
		for _, b := range bs[from:] {
			s := ref(h, b.pc)
			if q.weak.before(r, s) {
				break
			}
			if !a.write && !b.write || q.must.concurrent(r, s) || q.common(r, s) {
				continue
			}
			k := places{q.p.preEvent(r).Pos, q.p.preEvent(s).Pos}
			if checked[k] >= q.limits.Pairs || q.checks >= maxChecks {
				q.cut["of pairs of accesses at the same places not all were looked at for reordered races"] = true
				if q.checks >= maxChecks {
					return
				}
				continue
			}
			checked[k]++
			q.checks++
			if !q.preserving([]trace.Ref{r, s}, nil) {
				continue
			}
			q.report(Finding{
				Code: ReorderedRace, Object: q.p.t.ObjectName(v), Witness: true, Reordered: true, reorders: &reordering{pending: []trace.Ref{r, s}},
				Message: fmt.Sprintf("only the order of critical sections orders %s and %s", q.name(r, v), q.name(s, v)),
			}, v, r, s)
		}
	}
}

// common reports whether both hold a lock that keeps the other one out.
func (q *inquiry) common(a, b trace.Ref) bool {
	for _, s := range q.heldAt(a) {
		for _, t := range q.heldAt(b) {
			if s.object == t.object && !(s.read && t.read) {
				return true
			}
		}
	}
	return false
}
