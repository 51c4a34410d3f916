package analyze

import (
	"fmt"
	"sort"

	"github.com/vtrace/vtrace/internal/trace"
)

// accesses are those of a goroutine to a variable, by their local program counters: all, and those that write.
type accesses struct {
	g           int32
	all, writes []int32
}

// maxChecks bounds the pairs of accesses for which a reordering is looked for.
const maxChecks = 200_000

// races reports accesses of which at least one writes, and that nothing orders: P10, no matter in which
// order critical sections come, and P11, only by that order.
func (q *inquiry) races() {
	by := make([][]accesses, len(q.p.t.Objects)+1)
	for g := range q.p.ops {
		for i := range q.p.ops[g] {
			o := &q.p.ops[g][i]
			if o.op != trace.OpRead && o.op != trace.OpWrite {
				continue
			}
			list := by[o.object]
			if n := len(list); n == 0 || list[n-1].g != int32(g) {
				list = append(list, accesses{g: int32(g)})
				by[o.object] = list
			}
			own := &list[len(list)-1]
			own.all = append(own.all, int32(i+1))
			if o.op == trace.OpWrite {
				own.writes = append(own.writes, int32(i+1))
			}
		}
	}
	q.unordered(by)
	for v, list := range by {
		for i := range list {
			for k := i + 1; k < len(list); k++ {
				q.reordered(trace.ObjectID(v), &list[i], &list[k])
			}
		}
	}
}

// unordered reports P10. Of each goroutine the last read and the last write of a variable are kept, as
// epochs: what is before the last one is before all others.
func (q *inquiry) unordered(by [][]accesses) {
	type last struct{ g, read, write int32 }
	lasts := make([][]last, len(by))
	for _, r := range q.must.order {
		o := q.p.info(r)
		if o.op != trace.OpRead && o.op != trace.OpWrite || len(by[o.object]) < 2 {
			continue
		}
		list, own := lasts[o.object], -1
		for i := range list {
			l := &list[i]
			if l.g == int32(r.Goroutine-1) {
				own = i
				continue
			}
			q.race(o.object, ref(l.g, l.write), r)
			if o.op == trace.OpWrite {
				q.race(o.object, ref(l.g, l.read), r)
			}
		}
		if own < 0 {
			own = len(list)
			list = append(list, last{g: int32(r.Goroutine - 1)})
			lasts[o.object] = list
		}
		if o.op == trace.OpWrite {
			list[own].write = r.PC
		} else {
			list[own].read = r.PC
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
func (q *inquiry) reordered(v trace.ObjectID, as, bs *accesses) {
	if len(as.writes) == 0 && len(bs.writes) == 0 {
		return
	}
	checked := map[places]int{}
	for _, a := range as.all {
		r := ref(as.g, a)
		others := bs.writes
		if q.p.info(r).op == trace.OpWrite {
			others = bs.all
		}
		from := sort.Search(len(others), func(i int) bool { return !q.weak.before(ref(bs.g, others[i]), r) })
		for _, b := range others[from:] {
			s := ref(bs.g, b)
			if q.weak.before(r, s) {
				break
			}
			if q.must.concurrent(r, s) || q.common(r, s) {
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
