package analyze

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/trace"
)

// section is a critical section.
type section struct {
	object trace.ObjectID
	from   trace.Ref
	to     int32 // the operation that ends it, 0 if none does
	read   bool
	at     int32 // its place in the order of those of the lock
}

// prepareLocks finds the critical sections, and which are open around each operation.
func (q *inquiry) prepareLocks() {
	objects := len(q.p.t.Objects) + 1
	q.held = make([][][]*section, len(q.p.ops))
	q.byLock = make([][]*section, objects)
	q.foreign = make([]bool, objects)
	for g := range q.p.ops {
		ops := q.p.ops[g]
		held := make([][]*section, len(ops)+1)
		var open []*section
		for i := range ops {
			held[i] = open
			o := &ops[i]
			if o.post < 0 {
				continue
			}
			r := ref(int32(g), int32(i+1))
			e := q.p.postEvent(r)
			switch {
			case isLock(o.op) && !e.Has(trace.Failed):
				s := &section{object: o.object, from: r, read: o.op == trace.OpRLock || o.op == trace.OpTryRLock, at: q.must.lockAt[g][i]}
				q.byLock[o.object] = append(q.byLock[o.object], s)
				open = append(open[:len(open):len(open)], s)
			case (o.op == trace.OpUnlock || o.op == trace.OpRUnlock) && !e.Has(trace.Panicked):
				n := len(open) - 1
				for n >= 0 && (open[n].object != o.object || open[n].read != (o.op == trace.OpRUnlock)) {
					n--
				}
				if n < 0 {
					q.foreign[o.object] = true // somebody else has locked it
					continue
				}
				open[n].to = r.PC
				open = append(open[:n:n], open[n+1:]...)
			}
		}
		held[len(ops)] = open
		q.held[g] = held
	}
	// The lists of a lock are by goroutine, and in the order of each.
	q.inTurn = make([][]turns, objects)
	for id, list := range q.byLock {
		for _, s := range list {
			all := q.inTurn[id]
			if n := len(all); n == 0 || all[n-1].g != int32(s.from.Goroutine-1) {
				q.inTurn[id] = append(all, turns{g: int32(s.from.Goroutine - 1)})
			}
			t := &q.inTurn[id][len(q.inTurn[id])-1]
			t.all = append(t.all, s)
			if !s.read {
				t.writes = append(t.writes, s)
			}
		}
	}
}

// turns are the critical sections of a lock in a goroutine, in its order.
type turns struct {
	g           int32
	all, writes []*section
}

// heldAt are the sections that are open when an operation is begun.
func (q *inquiry) heldAt(r trace.Ref) []*section { return q.held[r.Goroutine-1][r.PC-1] }

// waiting is a point where a goroutine can be blocked.
type waiting struct {
	at     trace.Ref
	object trace.ObjectID // the lock, or the channel
	read   bool           // it is a request of a read lock
	op     trace.Op       // OpLock for all requests of locks, OpSend or OpRecv
	held   []*section
}

// waitings are the points at which goroutines can block each other: the requests of locks, and sends and
// receives of unbuffered channels. Of those that are alike only so many are kept as the limits say.
func (q *inquiry) waitings() []waiting {
	var out []waiting
	alike := map[string]*int{} // how many there are in a goroutine of those with a key
	var key []byte
	number := func(n int32) { key = binary.AppendUvarint(key, uint64(n)) }
	for g := range q.p.ops {
		clear(alike)
		for i := range q.p.ops[g] {
			o := &q.p.ops[g][i]
			op := trace.OpLock
			switch o.op {
			case trace.OpLock, trace.OpRLock:
				if q.foreign[o.object] {
					continue
				}
			case trace.OpSend, trace.OpRecv:
				if o.object == 0 || q.p.t.Objects[o.object-1].Cap > 0 {
					continue
				}
				if o.post >= 0 && q.p.event(int32(g), o.post).Flags&(trace.Closed|trace.Panicked) != 0 {
					continue
				}
				op = o.op
			default:
				continue
			}
			pre := q.p.event(int32(g), o.pre)
			if pre.Op == trace.OpSelect {
				continue
			}
			held := q.held[g][i]
			key = append(key[:0], byte(o.op))
			number(int32(pre.Pos))
			number(int32(o.object))
			for _, s := range held {
				if !q.foreign[s.object] {
					number(int32(s.object))
					number(int32(q.p.preEvent(s.from).Pos))
					key = append(key, 0)
					if s.read {
						key[len(key)-1] = 1
					}
				}
			}
			n := alike[string(key)]
			if n == nil {
				n = new(int)
				alike[string(key)] = n
			}
			if *n++; *n > q.limits.Pairs {
				q.cut["of operations that are alike not all were looked at for deadlocks"] = true
				continue
			}
			w := waiting{at: ref(int32(g), int32(i+1)), object: o.object, op: op, read: o.op == trace.OpRLock}
			for _, s := range held {
				if !q.foreign[s.object] {
					w.held = append(w.held, s)
				}
			}
			out = append(out, w)
		}
	}
	return out
}

// holds reports whether who is at a point holds the lock that another one requests so that it waits.
func (w *waiting) holds(object trace.ObjectID, read bool) bool {
	return slices.ContainsFunc(w.held, func(s *section) bool { return s.object == object && (!s.read || !read) })
}

// compatible reports whether two goroutines can be blocked at both points at once: neither is before
// the other, they hold no lock that keeps the other one out, and cannot communicate with each other.
func (q *inquiry) compatible(a, b *waiting) bool {
	if !q.weak.concurrent(a.at, b.at) || a.op != trace.OpLock && a.object == b.object && a.op != b.op {
		return false
	}
	for _, s := range a.held {
		if b.holds(s.object, s.read) {
			return false
		}
	}
	return true
}

// maxSteps bounds the search for cycles.
const maxSteps = 5_000_000

// maxChannelCycle bounds the length of cycles with channels.
const maxChannelCycle = 5

// cycles calls found for every cycle of points at which each goroutine waits for the next one.
func (q *inquiry) cycles(points []waiting, next func(w *waiting) []int, length int, found func(cycle []int)) {
	steps := 0
	succ := make([][]int, len(points))
	known := make([]bool, len(points))
	var path []int
	var walk func(first int)
	walk = func(first int) {
		if steps++; steps > maxSteps {
			q.cut["the search for cycles of locks was cut"] = true
			return
		}
		at := path[len(path)-1]
		if !known[at] {
			succ[at], known[at] = next(&points[at]), true
		}
		for _, n := range succ[at] {
			if n == first && len(path) > 1 {
				found(path)
				continue
			}
			if n < first || len(path) == length {
				continue
			}
			if slices.ContainsFunc(path, func(p int) bool { return p == n || !q.compatible(&points[p], &points[n]) }) {
				continue
			}
			path = append(path, n)
			walk(first)
			path = path[:len(path)-1]
		}
	}
	for first := range points {
		path = append(path[:0], first)
		walk(first)
	}
}

// entangled are the requests of locks that may be in a cycle. Locks of which each is held while the next one is
// requested have to be in a circle for that: where they are always taken in the same order there is nothing to search.
func (q *inquiry) entangled(points []waiting) []waiting {
	type node struct {
		// ways are the locks that were requested while this one was held, and the other way round; left is how
		// many of them are not out.
		ways [2][]trace.ObjectID
		left [2]int
		out  bool
	}
	nodes := make([]node, len(q.p.t.Objects)+1)
	seen := map[[2]trace.ObjectID]bool{}
	for i := range points {
		w := &points[i]
		if w.op != trace.OpLock {
			continue
		}
		for _, s := range w.held {
			if edge := [2]trace.ObjectID{s.object, w.object}; !seen[edge] {
				seen[edge] = true
				for dir, id := range edge {
					n := &nodes[id]
					n.ways[dir] = append(n.ways[dir], edge[1-dir])
					n.left[dir]++
				}
			}
		}
	}
	// A lock that is requested behind no other one, or behind which none is, is in no circle.
	var drop func(id trace.ObjectID)
	drop = func(id trace.ObjectID) {
		n := &nodes[id]
		if n.out || n.left[0] > 0 && n.left[1] > 0 {
			return
		}
		n.out = true
		for dir, others := range n.ways {
			for _, other := range others {
				nodes[other].left[1-dir]--
				drop(other)
			}
		}
	}
	for id := range nodes {
		drop(trace.ObjectID(id))
	}
	var out []waiting
	for _, w := range points {
		// Others wait for who holds one of these locks, or for who waits to write.
		if w.op == trace.OpLock && !nodes[w.object].out && (!w.read || slices.ContainsFunc(w.held, func(s *section) bool { return !nodes[s.object].out })) {
			out = append(out, w)
		}
	}
	return out
}

// lockCycles reports cyclic deadlocks of locks. The points are all of waitings.
func (q *inquiry) lockCycles(points []waiting) {
	points = q.entangled(points)
	holders := map[trace.ObjectID][]int{}
	writers := map[trace.ObjectID][]int{}
	for i := range points {
		w := &points[i]
		seen := map[trace.ObjectID]bool{}
		for _, s := range w.held {
			if !seen[s.object] {
				seen[s.object] = true
				holders[s.object] = append(holders[s.object], i)
			}
		}
		if !w.read {
			writers[w.object] = append(writers[w.object], i)
		}
		// Who waits for a lock that it holds waits for ever.
		if w.holds(w.object, w.read) {
			q.reportCycle(LockCycle, points, []int{i})
		}
	}
	q.cycles(points, func(w *waiting) []int {
		var out []int
		for _, i := range holders[w.object] {
			if points[i].holds(w.object, w.read) {
				out = append(out, i)
			}
		}
		if w.read {
			// A writer that waits keeps out readers.
			for _, i := range writers[w.object] {
				if !points[i].holds(w.object, false) {
					out = append(out, i)
				}
			}
		}
		return out
	}, len(q.p.t.Goroutines), func(cycle []int) { q.reportCycle(LockCycle, points, cycle) })
}

// mixedCycles reports cycles of goroutines that wait for locks and at channels: who waits at a
// channel waits for whoever comes to its partner only behind where it is blocked.
func (q *inquiry) mixedCycles(points []waiting) {
	if !slices.ContainsFunc(points, func(w waiting) bool { return w.op != trace.OpLock && len(w.held) > 0 }) {
		return
	}
	byGoroutine := map[int32][]int{}
	holders := map[trace.ObjectID][]int{}
	for i := range points {
		byGoroutine[int32(points[i].at.Goroutine-1)] = append(byGoroutine[int32(points[i].at.Goroutine-1)], i)
		for _, s := range points[i].held {
			holders[s.object] = append(holders[s.object], i)
		}
	}
	q.cycles(points, func(w *waiting) []int {
		var out []int
		if w.op == trace.OpLock {
			for _, i := range holders[w.object] {
				if points[i].holds(w.object, w.read) {
					out = append(out, i)
				}
			}
			return out
		}
		c := &q.chans[w.object]
		dir := 1 - direction(w.op)
		for _, u := range c.users[dir] {
			last := u.uses[len(u.uses)-1].pc
			for _, i := range byGoroutine[u.g] {
				if points[i].at.PC < last {
					out = append(out, i)
				}
			}
		}
		return out
	}, maxChannelCycle, func(cycle []int) {
		locks, channels := false, false
		for _, i := range cycle {
			locks = locks || points[i].op == trace.OpLock
			channels = channels || points[i].op != trace.OpLock
		}
		if locks && channels {
			q.reportCycle(MixedCycle, points, cycle)
		}
	})
}

// reportCycle reports goroutines that wait for each other.
func (q *inquiry) reportCycle(code Code, points []waiting, cycle []int) {
	var refs []trace.Ref
	for _, i := range cycle {
		refs = append(refs, points[i].at)
	}
	if code == MixedCycle && !q.closed(points, cycle) {
		return
	}
	f := Finding{Code: code}
	happened := true
	for i, r := range refs {
		happened = happened && q.p.info(r).post < 0
		for _, s := range refs[i+1:] {
			f.Reordered = f.Reordered || !q.must.concurrent(r, s)
		}
	}
	f.Witness = happened || q.possible(refs, nil)
	var parts []string
	for n, i := range cycle {
		parts = append(parts, q.waitsFor(&points[i], &points[cycle[(n+1)%len(cycle)]]))
	}
	f.Message = strings.Join(parts, "; ")
	// Cycles begin with the smallest operation.
	least := 0
	for i := range refs {
		if compareRefs(refs[i], refs[least]) < 0 {
			least = i
		}
	}
	q.report(f, 0, append(slices.Clone(refs[least:]), refs[:least]...)...)
}

// waitsFor says why a goroutine can wait for another one, or for itself.
func (q *inquiry) waitsFor(a, b *waiting) string {
	who := fmt.Sprintf("goroutine %d", b.at.Goroutine)
	if a.at == b.at {
		who = "itself"
	}
	why := ", which comes to its partner only behind that"
	if a.op == trace.OpLock {
		why = ", which waits for it to write"
		for _, s := range b.held {
			if s.object == a.object {
				why = fmt.Sprintf(", which holds it since %s", q.name(s.from, s.object))
			}
		}
	}
	return fmt.Sprintf("%s can wait for %s%s", q.name(a.at, a.object), who, why)
}

// closed reports whether nobody outside of a cycle has to be there for a channel in it: what was a
// partner of the operation in the run is behind the cycle, or is not needed.
func (q *inquiry) closed(points []waiting, cycle []int) bool {
	for _, i := range cycle {
		w := &points[i]
		peer := q.p.info(w.at).peer
		if w.op == trace.OpLock || !peer.Known() {
			continue
		}
		// The partner that it had must be one that a goroutine of the cycle comes to later.
		if !slices.ContainsFunc(cycle, func(j int) bool {
			return points[j].at.Goroutine == peer.Goroutine && points[j].at.PC < peer.PC
		}) {
			return false
		}
	}
	return true
}

// unlocks reports unlocks that can come before the lock, of locks that are given back by others
// than those who have taken them.
func (q *inquiry) unlocks() {
	for id, foreign := range q.foreign {
		if !foreign || q.p.t.Object(trace.ObjectID(id)).Kind != trace.Mutex {
			continue
		}
		object := trace.ObjectID(id)
		var locks, unlocks []trace.Ref
		for _, r := range q.must.order {
			o := q.p.info(r)
			switch e := q.p.postEvent(r); {
			case o.object != object || e.Has(trace.Failed) || e.Has(trace.Panicked):
			case isLock(o.op):
				locks = append(locks, r)
			case o.op == trace.OpUnlock:
				unlocks = append(unlocks, r)
			}
		}
		q.unmatched(PossibleUnlockOfUnlocked, object, locks, unlocks, q.weak)
	}
}

// maxUnits bounds the operations that are matched with each other.
const maxUnits = 1000

// unmatched reports those of second, in which an operation may be named several times, that can come
// before there are enough of first: some set of them has fewer in front than it is large.
func (q *inquiry) unmatched(code Code, object trace.ObjectID, first, second []trace.Ref, c *clocks) {
	if len(first) > maxUnits || len(second) > maxUnits {
		q.cut[fmt.Sprintf("%s has too many operations to look for all orders of them", q.p.t.ObjectName(object))] = true
		return
	}
	by := make([]int, len(first)) // the one of second that has it, plus one
	var match func(s int, seen []bool) bool
	match = func(s int, seen []bool) bool {
		for i := range first {
			if seen[i] || !c.before(first[i], second[s]) {
				continue
			}
			seen[i] = true
			if by[i] == 0 || match(by[i]-1, seen) {
				by[i] = s + 1
				return true
			}
		}
		return false
	}
	for s := range second {
		seen := make([]bool, len(first))
		if match(s, seen) {
			continue
		}
		// All that could give theirs to it are too many together, in front of all others.
		var before, after []trace.Ref
		for i := range first {
			if !seen[i] && !slices.Contains(after, first[i]) {
				after = append(after, first[i])
			}
			if seen[i] && by[i] > 0 && !slices.Contains(before, second[by[i]-1]) && second[by[i]-1] != second[s] {
				before = append(before, second[by[i]-1])
			}
		}
		refs := []trace.Ref{second[s]}
		for _, r := range first {
			if !c.before(r, second[s]) && !slices.Contains(refs, r) && len(refs) <= maxNamed {
				refs = append(refs, r)
			}
		}
		say := func() string {
			if len(refs) == 1 {
				return q.name(second[s], object) + " may come first"
			}
			return fmt.Sprintf("%s may come before %s", q.name(second[s], object), q.names(refs[1:], object, len(refs)-1))
		}
		q.report(Finding{Code: code, Object: q.p.t.ObjectName(object), Witness: code == PossibleNegativeCounter && !q.buffered, say: say, before: before, after: after}, object, refs...)
	}
}

// waitGroups reports counters that can become negative, and additions while somebody may wait.
func (q *inquiry) waitGroups() {
	type group struct {
		adds, dones, waits, grow []trace.Ref
		all                      []trace.Ref
	}
	groups := make([]group, len(q.p.t.Objects)+1)
	note := func(r trace.Ref) {
		o := q.p.info(r)
		g := &groups[o.object]
		switch o.op {
		case trace.OpAdd:
			delta := q.p.preEvent(r).Delta
			g.all = append(g.all, r)
			if delta > 0 {
				g.grow = append(g.grow, r)
			}
			for ; delta > 0 && len(g.adds) <= maxUnits; delta-- {
				g.adds = append(g.adds, r)
			}
			for ; delta < 0 && len(g.dones) <= maxUnits; delta++ {
				g.dones = append(g.dones, r)
			}
		case trace.OpWait:
			g.waits = append(g.waits, r)
		}
	}
	for _, r := range q.must.order {
		if !q.p.postEvent(r).Has(trace.Panicked) {
			note(r)
		}
	}
	q.eachPending(note)
	for id := range groups {
		g := &groups[id]
		object := trace.ObjectID(id)
		if len(g.dones) > 0 {
			q.unmatched(PossibleNegativeCounter, object, g.adds, g.dones, q.must)
		}
		if len(g.grow)*len(g.waits)*len(g.all) > maxSteps {
			q.cut[fmt.Sprintf("%s has too many operations to look for all orders of them", q.p.t.ObjectName(object))] = true
			continue
		}
		for _, add := range g.grow {
			for _, wait := range g.waits {
				if q.must.concurrent(add, wait) && q.zeroAt(g.all, add, wait) {
					q.report(Finding{
						Code: WaitGroupReuse, Object: q.p.t.ObjectName(object), Witness: !q.buffered,
						Message: fmt.Sprintf("%s may come while the counter is 0 and %s waits, or has not begun to", q.name(add, object), q.name(wait, object)),
					}, object, add, wait)
				}
			}
		}
	}
}

// zeroAt reports whether the counter can be 0 when both operations are about to be done: if as little
// as possible was done before, or as much.
func (q *inquiry) zeroAt(all []trace.Ref, a, b trace.Ref) bool {
	least, most := int64(0), int64(0)
	for _, r := range all {
		delta := int64(q.p.preEvent(r).Delta)
		if q.must.before(r, a) || q.must.before(r, b) {
			least += delta
		}
		if r != a && r != b && !q.must.before(a, r) && !q.must.before(b, r) {
			most += delta
		}
	}
	return least == 0 || most == 0
}
