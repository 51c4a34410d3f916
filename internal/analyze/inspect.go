package analyze

import (
	"slices"

	"github.com/vtrace/vtrace/internal/trace"
)

// Inspection is the analysis of a trace, with what it says of each operation in the first order that
// fits the trace.
type Inspection struct {
	Result   *Result
	Clocks   *Clocks
	q        *inquiry
	requests []requests // by object
}

// requests are those of a lock, by goroutine, in the order of the goroutine: all, and those that keep
// out readers.
type requests struct{ all, writes map[int32][]int32 }

// Inspect analyses a trace as [Analyze] does, and keeps the clocks of the first order, which
// takes their memory for as long as the inspection is used. It is for one goroutine at a time.
func Inspect(t *trace.Trace, limits Limits) (*Inspection, error) {
	var clocks *Clocks
	q, r, err := analyse(t, limits, false, func(b both) { clocks = &Clocks{b} })
	if err != nil {
		return nil, err
	}
	q.look(clocks.both)
	q.compared = 0
	in := &Inspection{Result: r, Clocks: clocks, q: q, requests: make([]requests, len(q.chans))}
	for g := range q.p.ops {
		for i, o := range q.p.ops[g] {
			if !isLock(o.op) {
				continue
			}
			l := &in.requests[o.object]
			if l.all == nil {
				l.all, l.writes = map[int32][]int32{}, map[int32][]int32{}
			}
			l.all[int32(g)] = append(l.all[int32(g)], int32(i+1))
			if !reads(o.op) {
				l.writes[int32(g)] = append(l.writes[int32(g)], int32(i+1))
			}
		}
	}
	return in, nil
}

// Possible is what could have been beside what a run has done at an operation.
type Possible struct {
	// Code is AC, ASC or DR of partners, and MP of operations that compete with the one.
	Code Code
	// Case is the index of the case of a select that was not taken, of ASC and DR; else -1.
	Case   int
	Object trace.ObjectID
	// Operations are some of them, by goroutine, and Count says how many there are.
	Operations []trace.Ref
	Count      int
}

// Possible is what the clocks say of an operation: the partners that it could have had, and what
// competes with it. False says that not all of that was looked at, since it takes too long.
func (in *Inspection) Possible(r trace.Ref) ([]Possible, bool) {
	q := in.q
	o := q.p.info(r)
	if o == nil {
		return nil, true
	}
	if q.compared > maxCompared {
		return nil, false
	}
	var out []Possible
	add := func(code Code, index int, object trace.ObjectID, refs []trace.Ref, n int) {
		if n > 0 {
			out = append(out, Possible{code, index, object, refs, n})
		}
	}
	pre, post := q.p.preEvent(r), q.p.postEvent(r)
	communicates := o.op == trace.OpSend || o.op == trace.OpRecv
	switch {
	case communicates && o.peer.Known():
		refs, n := q.listed(r, o.object, 1-direction(o.op), o.peer)
		add(AC, -1, o.object, refs, n)
	case communicates && post == nil:
		refs, n := q.listed(r, o.object, 1-direction(o.op), trace.Unknown)
		add(DR, -1, o.object, refs, n)
	}
	for i, c := range pre.Cases {
		code := ASC
		switch {
		case post != nil && int(post.Case) == i || post == nil && o.op != trace.OpSelect:
			continue
		case post == nil:
			code = DR
		}
		refs, n := q.listed(r, c.Object, 1-direction(c.Op), trace.Unknown)
		add(code, i, c.Object, refs, n)
	}
	switch {
	case communicates && o.object > 0:
		refs, n := in.contenders(r, o.object, direction(o.op))
		add(MP, -1, o.object, refs, n)
	case isLock(o.op):
		refs, n := in.requesters(r, o)
		add(MP, -1, o.object, refs, n)
	}
	return out, true
}

// contenders are the operations on a channel in the same direction that are concurrent with one.
func (in *Inspection) contenders(r trace.Ref, object trace.ObjectID, dir int) ([]trace.Ref, int) {
	var out []trace.Ref
	n := 0
	for by, u := range in.q.chans[object].users[dir] {
		if u.g == int32(r.Goroutine-1) {
			continue
		}
		list := in.q.between(r, object, dir, by)
		n += len(list)
		for _, v := range list[:min(len(list), maxNamed-len(out))] {
			out = append(out, ref(u.g, v.pc))
		}
	}
	return out, n
}

// requesters are the requests of a lock that are concurrent with one, but for readers of which neither
// keeps the other out.
func (in *Inspection) requesters(r trace.Ref, o *opInfo) ([]trace.Ref, int) {
	lists := in.requests[o.object].all
	if reads(o.op) {
		lists = in.requests[o.object].writes
	}
	must := in.q.must
	var out []trace.Ref
	n := 0
	for h := range int32(len(in.q.p.ops)) {
		list := lists[h]
		if len(list) == 0 || h == int32(r.Goroutine-1) {
			continue
		}
		in.q.compared++
		// What is concurrent is in one piece.
		from := forward(0, len(list), func(i int) bool { return !must.before(ref(h, list[i]), r) })
		to := forward(from, len(list), func(i int) bool { return must.before(r, ref(h, list[i])) })
		n += to - from
		for _, pc := range list[from:min(to, from+maxNamed-len(out))] {
			out = append(out, ref(h, pc))
		}
	}
	return out, n
}

// reads reports whether an operation takes a lock that others may have meanwhile.
func reads(op trace.Op) bool { return op == trace.OpRLock || op == trace.OpTryRLock }

// Order are the operations that were completed, in an order that fits the trace; a send is in front
// of the receive that gets its value.
func (c *Clocks) Order() []trace.Ref {
	order := slices.Clone(c.must.order)
	for i := range len(order) - 1 {
		// On an unbuffered channel both are completed at once.
		a, b := order[i], order[i+1]
		if o := c.must.p.info(a); o.op == trace.OpRecv && o.peer == b {
			order[i], order[i+1] = b, a
		}
	}
	return order
}

// Did is what an operation has done: of a select that of the case taken, OpNone if that was its
// default, or OpSelect if it was not completed. The partner is the other side of a send or receive, whichever
// of them names it.
func (c *Clocks) Did(r trace.Ref) (op trace.Op, object trace.ObjectID, partner trace.Ref) {
	o := c.must.p.info(r)
	if o == nil {
		return trace.OpNone, 0, trace.Unknown
	}
	return o.op, o.object, o.peer
}
