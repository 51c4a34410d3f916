package analyze

import "github.com/vtrace/vtrace/internal/trace"

// sources are, of the operations that read memory or an atomic variable, by goroutine and operation, those that have written
// what was read: First for what was there at the beginning, Unknown where that is not known, and of all other operations.
//
// Another order of the operations is one that the program can have only if each of them that decides what is done next has read the
// same ("correct reordering" of Said, Wang, Yang and Sakallah: Generating Data Race Witnesses by an SMT-based Analysis, NFM 2011).
// What they decide is not known, so that all have to.
type sources [][]trace.Ref

// sourcesOf are those of a replay. Of accesses that race it is not known which came first.
func sourcesOf(c *clocks) sources {
	out := make(sources, len(c.p.ops))
	for g := range out {
		out[g] = make([]trace.Ref, len(c.p.ops[g]))
	}
	last := map[trace.ObjectID]trace.Ref{}   // writes
	read := map[trace.ObjectID][]trace.Ref{} // since then
	for _, r := range c.order {
		o := c.p.info(r)
		from := &out[r.Goroutine-1][r.PC-1]
		switch o.op {
		case trace.OpLoad, trace.OpRMW:
			e := c.p.postEvent(r)
			switch {
			case e == nil:
			case e.Partner.Known():
				// Of a variable that the program does not have it is any operation: the clocks have that order.
				if by := c.p.info(e.Partner); by != nil && by.object == o.object {
					*from = e.Partner
				}
			case e.Seq > 0:
				*from = trace.First
			}
		case trace.OpRead:
			if w := last[o.object]; w.Known() && c.before(w, r) {
				*from = w
			} else if !w.Known() {
				*from = trace.First
			}
			read[o.object] = append(read[o.object], r)
		case trace.OpWrite:
			for _, earlier := range read[o.object] {
				if earlier.Goroutine != r.Goroutine && !c.before(earlier, r) {
					out[earlier.Goroutine-1][earlier.PC-1] = trace.Unknown
				}
			}
			last[o.object], read[o.object] = r, read[o.object][:0]
		}
	}
	return out
}

// memory is what an order of operations has written by now, of those in an ideal.
type memory struct {
	q    *inquiry
	last map[trace.ObjectID]trace.Ref // writes; First if there was none
	// unread are how many operations that are still to come read what a write has written, or what was there first.
	unread map[source]int
}

type source struct {
	object trace.ObjectID
	write  trace.Ref
}

// memoryOf is the memory in front of the operations of an ideal, nil if it is not asked what they read.
func (q *inquiry) memoryOf(cut ideal) *memory {
	if q.sources == nil {
		return nil
	}
	m := &memory{q: q, last: map[trace.ObjectID]trace.Ref{}, unread: map[source]int{}}
	for g, n := range cut {
		for i := range q.p.ops[g][:n] {
			if from := q.sources[g][i]; from != trace.Unknown {
				m.unread[source{q.p.ops[g][i].object, from}]++
			}
		}
	}
	return m
}

// written is what an object has now.
func (m *memory) written(object trace.ObjectID) trace.Ref {
	if w, ok := m.last[object]; ok {
		return w
	}
	return trace.First
}

// allows reports whether an operation can be next: it reads what it has read, and overwrites nothing that somebody
// else has read.
func (m *memory) allows(r trace.Ref) bool {
	if m == nil {
		return true
	}
	o, from := m.q.p.info(r), m.q.sources[r.Goroutine-1][r.PC-1]
	now := m.written(o.object)
	if from != trace.Unknown && from != now {
		return false
	}
	switch o.op {
	case trace.OpWrite, trace.OpStore, trace.OpRMW:
		left := m.unread[source{o.object, now}]
		if from == now {
			left-- // by itself
		}
		return left <= 0
	}
	return true
}

// does notes an operation.
func (m *memory) does(r trace.Ref) {
	if m == nil {
		return
	}
	o := m.q.p.info(r)
	if from := m.q.sources[r.Goroutine-1][r.PC-1]; from != trace.Unknown {
		m.unread[source{o.object, from}]--
	}
	switch o.op {
	case trace.OpWrite, trace.OpStore, trace.OpRMW:
		m.last[o.object] = r
	}
}
