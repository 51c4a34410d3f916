package analyze

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/internal/trace"
)

// ideal is a set of operations that can have been done: of each goroutine the first ones, as many as
// it has here.
type ideal []int32

// has reports whether an operation was done.
func (i ideal) has(r trace.Ref) bool { return i[r.Goroutine-1] >= r.PC }

// least is the least ideal in which all of pending can be about to be done, and all of done are. If
// sections is set, critical sections of a lock keep their order: of two that have begun the first one
// has ended. False if there is none, as one would have to end that never does.
func (q *inquiry) least(pending, done []trace.Ref, sections bool) (ideal, bool) {
	cut := make(ideal, len(q.p.ops))
	var queue []int32
	grow := func(g, to int32) {
		if to > cut[g] {
			cut[g] = to
			queue = append(queue, g)
		}
	}
	learn := func(s stamp) {
		for h, n := range q.weak.s.at(s.base) {
			if int32(h) != s.g {
				grow(int32(h), n)
			}
		}
	}
	for _, r := range pending {
		grow(int32(r.Goroutine-1), r.PC-1)
		learn(q.weak.preOf(r))
	}
	for _, r := range done {
		grow(int32(r.Goroutine-1), r.PC)
	}
	for {
		for len(queue) > 0 {
			g := queue[0]
			queue = queue[1:]
			last := ref(g, cut[g])
			if s, ok := q.weak.postOf(last); ok {
				learn(s)
			} else {
				learn(q.weak.preOf(last))
			}
		}
		if !sections {
			return cut, true
		}
		for g := range cut {
			for _, s := range q.held[g][cut[g]] {
				if !q.laterHas(cut, s) {
					continue
				}
				if s.to == 0 {
					return nil, false
				}
				grow(int32(g), s.to)
			}
		}
		if len(queue) == 0 {
			return cut, true
		}
	}
}

// laterHas reports whether a section of the same lock has begun that comes later in the run, and keeps it out.
func (q *inquiry) laterHas(cut ideal, s *section) bool {
	for _, t := range q.inTurn[s.object] {
		list := t.all
		if s.read {
			list = t.writes
		}
		n := sort.Search(len(list), func(i int) bool { return list[i].from.PC > cut[t.g] })
		if n > 0 && list[n-1].at > s.at {
			return true
		}
	}
	return false
}

// preserving reports whether all of pending can be about to be done, and all of done are, in a reordering that
// keeps the order of critical sections.
func (q *inquiry) preserving(pending, done []trace.Ref) bool {
	cut, ok := q.least(pending, done, true)
	return ok && !slices.ContainsFunc(pending, cut.has)
}

// possible reports whether a reordering was found in which all of pending are about to be done, and all
// of done are: one that keeps the order of critical sections, or another one.
func (q *inquiry) possible(pending, done []trace.Ref) bool {
	if !q.buffered && q.preserving(pending, done) {
		return true
	}
	done = slices.Clone(done)
	cut, _ := q.least(pending, done, false)
	for {
		if slices.ContainsFunc(pending, cut.has) {
			return false
		}
		grown := q.closeSections(cut, pending)
		if grown == nil {
			break
		}
		done = append(done, grown...) // also those that are closed by now: else they could open again, for ever
		cut, _ = q.least(pending, done, false)
	}
	for _, how := range [...]turnOrder{firstForwards, lastForwards} {
		if _, ok := q.inOrder(cut, how); ok {
			return true
		}
	}
	return false
}

// closeSections are the ends of critical sections that are open in an ideal, and keep others out, of
// goroutines that need not be in them; nil if there are none.
func (q *inquiry) closeSections(cut ideal, pending []trace.Ref) []trace.Ref {
	var out []trace.Ref
	for g := range cut {
		if slices.ContainsFunc(pending, func(r trace.Ref) bool { return int(r.Goroutine-1) == g }) {
			continue
		}
		for _, s := range q.held[g][cut[g]] {
			if s.to > 0 {
				out = append(out, ref(int32(g), s.to))
			}
		}
	}
	return out
}

// maxOrdered bounds the operations of which an order is looked for.
const maxOrdered = 20_000

// turnOrder says which goroutine goes on, where several can.
type turnOrder int

const (
	firstForwards turnOrder = iota // the first one, as far as it can
	lastForwards                   // the last one, as far as it can
	firstInRun                     // the one whose next operation came first in the replay of the run
)

// inOrder looks for an order of an ideal in which no two critical sections of a lock overlap; a section that stays
// open comes behind all others of its lock, and buffered channels are first in, first out. That finds many
// orders, and not all.
func (q *inquiry) inOrder(cut ideal, how turnOrder) ([]trace.Ref, bool) {
	total, left := 0, 0
	for _, n := range cut {
		total += int(n)
	}
	if total > maxOrdered {
		q.cut["of reorderings that change the order of critical sections not all were looked for"] = true
		return nil, false
	}
	order := make([]trace.Ref, 0, total)
	left = total
	type state struct{ writers, readers int }
	locks := map[trace.ObjectID]*state{}
	sections := map[trace.Ref]*section{}
	waiting := map[trace.ObjectID]int{} // sections that have not begun
	for id, list := range q.byLock {
		for _, s := range list {
			if cut.has(s.from) {
				sections[s.from] = s
				waiting[trace.ObjectID(id)]++
				locks[trace.ObjectID(id)] = &state{}
			}
		}
	}
	at := make(ideal, len(cut))
	full := map[trace.ObjectID][]trace.Ref{} // what is in buffered channels
	sends := map[trace.ObjectID]int{}        // that are not done, and come before a close
	for g, n := range cut {
		for pc := int32(1); pc <= n; pc++ {
			if o := &q.p.ops[g][pc-1]; o.op == trace.OpSend && (o.post < 0 || !q.p.postEvent(ref(int32(g), pc)).Has(trace.Panicked)) {
				sends[o.object]++
			}
		}
	}
	woken := map[trace.Ref][]trace.Ref{} // who waits, by the signal
	for g, n := range cut {
		for pc := int32(1); pc <= n; pc++ {
			r := ref(int32(g), pc)
			if e := q.p.postEvent(r); e != nil && e.Op == trace.OpCondWait && e.Partner.Known() {
				woken[e.Partner] = append(woken[e.Partner], r)
			}
		}
	}
	memory := q.memoryOf(cut)
	ready := func(r trace.Ref, but trace.GoroutineID) bool {
		s := q.needs(r)
		for h, n := range q.weak.s.at(s.base) {
			if int32(h) != s.g && trace.GoroutineID(h+1) != but && n > at[h] {
				return false
			}
		}
		return true
	}
	step := func(g int32) bool {
		if at[g] == cut[g] {
			return false
		}
		r := ref(g, at[g]+1)
		o := q.p.info(r)
		if (o.op == trace.OpSend || o.op == trace.OpRecv) && o.peer.Known() && q.p.t.Object(o.object).Cap == 0 {
			h := int32(o.peer.Goroutine - 1)
			if at[h] != o.peer.PC-1 || at[h] == cut[h] || !ready(r, o.peer.Goroutine) || !ready(o.peer, r.Goroutine) {
				return false
			}
			at[g]++
			at[h]++
			left -= 2
			order = append(order, q.queueing(r, o.peer)...)
			sends[o.object]--
			return true
		}
		if !memory.allows(r) || !ready(r, 0) || o.op == trace.OpClose && sends[o.object] > 0 || slices.ContainsFunc(woken[r], func(w trace.Ref) bool { return !at.has(w) }) {
			return false
		}
		if in := full[o.object]; q.p.t.Object(o.object).Cap > 0 && o.post >= 0 && q.p.postEvent(r).Flags&(trace.Panicked|trace.Closed) == 0 {
			switch {
			case o.op == trace.OpSend && len(in) < q.p.t.Object(o.object).Cap:
				sends[o.object]--
				full[o.object] = append(in, r)
			case o.op == trace.OpRecv && len(in) > 0 && in[0] == o.peer:
				full[o.object] = in[1:]
			case o.op == trace.OpSend || o.op == trace.OpRecv:
				return false
			}
		}
		if s := sections[r]; s != nil {
			l := locks[s.object]
			stays := s.to == 0 || s.to > cut[g]
			if l.writers > 0 || !s.read && l.readers > 0 || stays && waiting[s.object] > 1 {
				return false
			}
			waiting[s.object]--
			if s.read {
				l.readers++
			} else {
				l.writers++
			}
		}
		if l := locks[o.object]; l != nil && o.post >= 0 {
			switch o.op {
			case trace.OpUnlock:
				l.writers--
			case trace.OpRUnlock:
				l.readers--
			}
		}
		if o.op == trace.OpSend && q.p.t.Object(o.object).Cap == 0 {
			sends[o.object]-- // the receive is not recorded
		}
		memory.does(r)
		at[g]++
		left--
		order = append(order, r)
		return true
	}
	turns := make([]int32, len(cut))
	for i := range turns {
		turns[i] = int32(i)
		if how == lastForwards {
			turns[i] = int32(len(cut) - 1 - i)
		}
	}
	ranks := q.ranks(how)
	next := func(g int32) int32 {
		if at[g] == cut[g] {
			return math.MaxInt32
		}
		return ranks[g][at[g]]
	}
	for moved := true; moved && left > 0; {
		moved = false
		if how == firstInRun {
			slices.SortStableFunc(turns, func(g, h int32) int { return cmp.Compare(next(g), next(h)) })
		}
		for _, g := range turns {
			for step(g) {
				moved = true
				if how == firstInRun {
					break
				}
			}
			if moved && how == firstInRun {
				break
			}
		}
	}
	return order, left == 0
}

// ranks are the places of operations in the replay of the run, by goroutine, where an order asks for them.
func (q *inquiry) ranks(how turnOrder) [][]int32 {
	if how != firstInRun {
		return nil
	}
	ranks := make([][]int32, len(q.p.ops))
	for g := range ranks {
		ranks[g] = slices.Repeat([]int32{math.MaxInt32}, len(q.p.ops[g]))
	}
	for i, r := range q.must.order {
		ranks[r.Goroutine-1][r.PC-1] = int32(i)
	}
	for _, list := range ranks {
		// What is done inside of an operation, as in the function of a Once, was done when that had begun.
		for i := len(list) - 2; i >= 0; i-- {
			list[i] = min(list[i], list[i+1])
		}
	}
	return ranks
}
