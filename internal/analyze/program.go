package analyze

import (
	"cmp"
	"slices"

	"github.com/vtrace/vtrace/internal/trace"
)

// opInfo is what is known of an operation before the replay.
type opInfo struct {
	pre, post int32 // the events, post is -1 if it was not completed
	// op and object are what was done: of a select, the case taken. They are those of the operation
	// itself, or OpSelect, if it was not completed.
	op     trace.Op
	object trace.ObjectID
	// peer is the other side of a communication, of either side; Unknown if there is none.
	peer trace.Ref
}

// program is a trace with what its replays have in common.
type program struct {
	t   *trace.Trace
	ops [][]opInfo // by goroutine and operation, both from 0
	// seqs are the places in the order of the operations on an object that are recorded.
	seqs [][]int64
	// readers are how many read locks name each OpUnlock, and, by object, none.
	readers      map[trace.Ref]int
	firstReaders []int
	// ran says of a Once that a call of its function was completed; closed, that a channel was closed.
	ran, closed []bool
	// expected are the sends on a buffered channel in the order in which each goroutine receives them.
	expected []map[int32][]trace.Ref
	received []int // how many sends of a channel were received
	// mismatched are how many operations name a partner that cannot be one.
	mismatched int
	// choice says that the order of the operations on an object is not recorded, and matters.
	choice []bool
	// loose says of a buffered channel that it needs no slots: each value has its own, or not all
	// communications are recorded, so that it is not known what is in it.
	loose  []bool
	events int
	// strict: orders of operations keep the order of the calls of code that is not instrumented, and that what is read was
	// written by the same operation. called goroutines have such calls, and reads says that accesses to memory are recorded.
	strict bool
	called int
	reads  bool
}

func (p *program) event(g, i int32) *trace.Event { return &p.t.Goroutines[g].Events[i] }

// info is what is known of an operation, nil if the trace has none of that name.
func (p *program) info(r trace.Ref) *opInfo {
	if r.Goroutine < 1 || int(r.Goroutine) > len(p.ops) || r.PC < 1 || int(r.PC) > len(p.ops[r.Goroutine-1]) {
		return nil
	}
	return &p.ops[r.Goroutine-1][r.PC-1]
}

// preEvent is the pre event of an operation of the trace.
func (p *program) preEvent(r trace.Ref) *trace.Event {
	return p.event(int32(r.Goroutine-1), p.info(r).pre)
}

// postEvent is the post event of an operation of the trace, nil if it was not completed.
func (p *program) postEvent(r trace.Ref) *trace.Event {
	if i := p.info(r).post; i >= 0 {
		return p.event(int32(r.Goroutine-1), i)
	}
	return nil
}

// offers reports whether an operation does op on the object, or, not completed, could have.
func (p *program) offers(r trace.Ref, op trace.Op, object trace.ObjectID) bool {
	i := p.info(r)
	if i.op != trace.OpSelect {
		return i.op == op && i.object == object
	}
	return i.post < 0 && slices.ContainsFunc(p.preEvent(r).Cases, func(c trace.Case) bool { return c.Op == op && c.Object == object })
}

func newProgram(t *trace.Trace, strict bool) *program {
	objects := len(t.Objects) + 1
	p := &program{
		t: t, strict: strict, ops: make([][]opInfo, len(t.Goroutines)), seqs: make([][]int64, objects), readers: map[trace.Ref]int{},
		firstReaders: make([]int, objects), ran: make([]bool, objects), closed: make([]bool, objects),
		expected: make([]map[int32][]trace.Ref, objects), received: make([]int, objects), choice: make([]bool, objects), loose: make([]bool, objects),
	}
	for g := range t.Goroutines {
		events := t.Goroutines[g].Events
		p.events += len(events)
		ops := make([]opInfo, 0, len(events))
		calls := 0
		for i := range events {
			e := &events[i]
			if e.Phase.HasPre() {
				ops = append(ops, opInfo{pre: int32(i), post: -1, op: e.Op, object: e.Object})
			}
			switch e.Op {
			case trace.OpCall:
				calls = 1
			case trace.OpRead, trace.OpWrite:
				p.reads = true
			}
			if e.Phase.HasPost() {
				o := &ops[e.PC-1]
				o.post = int32(i)
				if e.Op == trace.OpSelect {
					o.op, o.object = trace.OpNone, 0
					if e.Case != trace.DefaultCase {
						c := events[o.pre].Cases[e.Case]
						o.op, o.object = c.Op, c.Object
					}
				}
				if e.Seq > 0 && (p.strict || e.Op != trace.OpCall) {
					p.seqs[e.Object] = append(p.seqs[e.Object], e.Seq)
				}
				p.ran[e.Object] = p.ran[e.Object] || e.Op == trace.OpOnce && e.Has(trace.Ran)
				p.closed[e.Object] = p.closed[e.Object] || e.Op == trace.OpClose && !e.Has(trace.Panicked)
			}
		}
		p.ops[g] = ops
		p.called += calls
	}
	for _, s := range p.seqs {
		slices.Sort(s)
	}
	p.link()
	return p
}

// link connects communications, and counts what locks name.
func (p *program) link() {
	type naming struct{ from, to trace.Ref }
	var sends []naming // sends that name a receive
	p.eachPost(func(r trace.Ref, e *trace.Event) {
		o := p.info(r)
		switch {
		case o.op == trace.OpRecv && !e.Has(trace.Closed) && e.Partner.Known():
			if s := p.info(e.Partner); s == nil {
				// What it names is not recorded.
			} else if p.offers(e.Partner, trace.OpSend, o.object) && s.peer == trace.Unknown && e.Partner.Goroutine != r.Goroutine || p.ownBuffered(r, e.Partner, o) {
				o.peer, s.peer = e.Partner, r
				if s.op == trace.OpSelect {
					s.op, s.object = trace.OpSend, o.object
				}
			} else {
				p.mismatched++
			}
		case o.op == trace.OpSend && !e.Has(trace.Panicked) && e.Partner.Known():
			sends = append(sends, naming{r, e.Partner})
		case e.Op == trace.OpRLock || e.Op == trace.OpTryRLock && !e.Has(trace.Failed):
			switch {
			case e.Partner == trace.First:
				p.firstReaders[e.Object]++
			case e.Partner.Known():
				p.readers[e.Partner]++
			}
		}
	})
	for _, n := range sends {
		s, r := p.info(n.from), p.info(n.to)
		switch {
		case r == nil || s.peer == n.to:
		case s.peer == trace.Unknown && r.peer == trace.Unknown && p.offers(n.to, trace.OpRecv, s.object) && n.from.Goroutine != n.to.Goroutine:
			s.peer, r.peer = n.to, n.from
			if r.op == trace.OpSelect {
				r.op, r.object = trace.OpRecv, s.object
			}
		default:
			p.mismatched++
		}
	}
	p.orders()
}

// ownBuffered reports whether a goroutine receives from a buffered channel what it has sent itself.
func (p *program) ownBuffered(r, s trace.Ref, o *opInfo) bool {
	return s.Goroutine == r.Goroutine && s.PC < r.PC && p.t.Object(o.object).Cap > 0 &&
		p.info(s).peer == trace.Unknown && p.offers(s, trace.OpSend, o.object)
}

// eachPost calls f for every completed operation, goroutine by goroutine.
func (p *program) eachPost(f func(r trace.Ref, e *trace.Event)) {
	for g := range p.t.Goroutines {
		events := p.t.Goroutines[g].Events
		for i := range events {
			if e := &events[i]; e.Phase.HasPost() {
				f(trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}, e)
			}
		}
	}
}

// orders finds what is known of the order of sends on buffered channels, and which objects have
// an order that is neither recorded nor forced.
func (p *program) orders() {
	senders := make([]map[int32]bool, len(p.t.Objects)+1)
	receivers := make([]map[int32]bool, len(p.t.Objects)+1)
	sends := make([]int, len(p.t.Objects)+1)
	kept := make([]trace.GoroutineID, len(p.t.Objects)+1) // whose last value nobody is known to have received
	lockers := make([]map[int32]bool, len(p.t.Objects)+1)
	free := make([]bool, len(p.t.Objects)+1) // somebody locks, and does not say after whom
	note := func(in []map[int32]bool, at trace.ObjectID, g int32) {
		if in[at] == nil {
			in[at] = map[int32]bool{}
		}
		in[at][g] = true
	}
	p.eachPost(func(r trace.Ref, e *trace.Event) {
		o, g := p.info(r), int32(r.Goroutine-1)
		switch {
		case o.op == trace.OpSend && p.t.Object(o.object).Cap > 0 && !e.Has(trace.Panicked):
			note(senders, o.object, g)
			sends[o.object]++
			// Values come first in, first out: if a later one was received, so was this one, by somebody.
			if !o.peer.Known() {
				kept[o.object] = r.Goroutine
			} else if kept[o.object] == r.Goroutine {
				p.loose[o.object] = true
			}
		case o.op == trace.OpRecv && p.t.Object(o.object).Cap > 0 && !e.Has(trace.Closed):
			note(receivers, o.object, g)
			if o.peer.Known() {
				if p.expected[o.object] == nil {
					p.expected[o.object] = map[int32][]trace.Ref{}
				}
				p.expected[o.object][g] = append(p.expected[o.object][g], o.peer)
				p.received[o.object]++
			} else {
				p.loose[o.object] = true
			}
		case isLock(e.Op) && !e.Has(trace.Failed):
			note(lockers, e.Object, g)
			free[e.Object] = free[e.Object] || e.Partner == trace.Unknown
		}
	})
	for c := range senders {
		// Without a slot that is used again no clock depends on the order; with one receiver and
		// nothing left it is the order of the receives.
		capacity := p.t.Object(trace.ObjectID(c)).Cap
		p.loose[c] = p.loose[c] || sends[c] <= capacity || sends[c]-p.received[c] > capacity
		forced := p.loose[c] || len(receivers[c]) == 1 && p.received[c] == sends[c]
		p.choice[c] = len(senders[c]) > 1 && !forced || free[c] && len(lockers[c]) > 1
	}
}

// isLock reports whether an operation takes a lock.
func isLock(op trace.Op) bool {
	return op == trace.OpLock || op == trace.OpTryLock || op == trace.OpRLock || op == trace.OpTryRLock
}

// compareRefs orders operations by goroutine and number.
func compareRefs(a, b trace.Ref) int {
	return cmp.Or(cmp.Compare(a.Goroutine, b.Goroutine), cmp.Compare(a.PC, b.PC))
}
