package analyze

import (
	"fmt"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/internal/trace"
)

// actual reports errors that have happened.
func (q *inquiry) actual() {
	q.p.eachPost(func(r trace.Ref, e *trace.Event) {
		if e.Flags&(trace.Closed|trace.Panicked) == 0 {
			return // as nearly all
		}
		o := q.p.info(r)
		f := Finding{Object: q.p.t.ObjectName(o.object), Message: q.name(r, o.object) + " has panicked"}
		switch {
		case e.Has(trace.Closed):
			f.Code, f.Message = ReceiveOnClosed, q.name(r, o.object)+" has found the channel closed, and got no value"
		case !e.Has(trace.Panicked):
			return
		case o.op == trace.OpSend:
			f.Code, f.Message = SendOnClosed, q.name(r, o.object)+" has found the channel closed"
		case o.op == trace.OpClose && o.object == 0:
			f.Code = CloseOfNil
		case o.op == trace.OpClose:
			f.Code = CloseOfClosed
		case o.op == trace.OpUnlock || o.op == trace.OpRUnlock:
			f.Code = UnlockOfUnlocked
		case o.op == trace.OpAdd && e.Has(trace.Counted) && e.Counter < 0:
			f.Code, f.Message = NegativeCounter, fmt.Sprintf("%s has made the counter %d", q.name(r, o.object), e.Counter)
		case o.op == trace.OpAdd || o.op == trace.OpWait:
			f.Code = WaitGroupMisuse
		default:
			return
		}
		q.report(f, o.object, r)
	})
}

// contention measures MP: how many operations on a channel in one direction, or requests of a
// lock, are concurrent. Only the last concurrent ones are kept, each as the goroutine and its time.
func (q *inquiry) contention() {
	type list struct {
		now, most []trace.Ref
	}
	channels := [2][]list{make([]list, len(q.chans)), make([]list, len(q.chans))}
	locks := make([]list, len(q.chans))
	push := func(l *list, r trace.Ref) {
		l.now = slices.DeleteFunc(l.now, func(old trace.Ref) bool {
			return old.Goroutine == r.Goroutine || q.must.before(old, r)
		})
		if l.now = append(l.now, r); len(l.now) > len(l.most) {
			l.most = append(l.most[:0], l.now...)
		}
	}
	note := func(r trace.Ref) {
		o := q.p.info(r)
		switch {
		case o.object == 0 && o.op != trace.OpSelect:
		case o.op == trace.OpSend || o.op == trace.OpRecv:
			push(&channels[direction(o.op)][o.object], r)
		case o.op == trace.OpSelect:
			seen := map[trace.Case]bool{}
			for _, c := range q.p.preEvent(r).Cases {
				if c.Pos = 0; c.Object > 0 && !seen[c] {
					seen[c] = true
					push(&channels[direction(c.Op)][c.Object], r)
				}
			}
		case isLock(o.op):
			push(&locks[o.object], r)
		}
	}
	for _, r := range q.must.order {
		if !q.p.postEvent(r).Has(trace.Panicked) {
			note(r)
		}
	}
	q.eachPending(note)
	say := func(object int, l list, what string) {
		if len(l.most) < 2 {
			return
		}
		n := len(l.most)
		slices.SortFunc(l.most, compareRefs)
		some := l.most[:min(n, maxNamed)]
		id := trace.ObjectID(object)
		q.report(Finding{
			Code: MP, Object: q.p.t.ObjectName(id), Count: n,
			Message: fmt.Sprintf("%d %s of %s are concurrent: %s", n, what, q.p.t.ObjectName(id), q.names(some, id, n)),
		}, id, some...)
	}
	for i := range q.chans {
		say(i, channels[0][i], "sends")
		say(i, channels[1][i], "receives")
		if slices.ContainsFunc(locks[i].most, func(r trace.Ref) bool { op := q.p.info(r).op; return op == trace.OpLock || op == trace.OpTryLock }) {
			say(i, locks[i], "requests")
		}
	}
}

// eachPending calls f for every operation that was not completed.
func (q *inquiry) eachPending(f func(r trace.Ref)) {
	for g := range q.p.ops {
		for i := range q.p.ops[g] {
			if o := &q.p.ops[g][i]; o.post < 0 && !o.peer.Known() {
				f(ref(int32(g), int32(i+1)))
			}
		}
	}
}

// sendOnClosed reports SC, sends that can find the channel closed, and receives that can.
func (q *inquiry) sendOnClosed() {
	for id := range q.chans {
		c := &q.chans[id]
		object := trace.ObjectID(id)
		for _, closing := range c.closes {
			for dir := range 2 {
				for _, by := range c.users[dir] {
					for _, u := range by.uses {
						q.meetsClose(object, dir, ref(by.g, u.pc), closing)
					}
				}
			}
		}
	}
}

// meetsClose reports a send or receive that can come behind a close.
func (q *inquiry) meetsClose(object trace.ObjectID, dir int, r, closing trace.Ref) {
	f := Finding{Code: SC, Object: q.p.t.ObjectName(object)}
	if dir == 1 {
		// One that has received a value which was sent before will always have it.
		o := q.p.info(r)
		if post := q.p.postEvent(r); post != nil && post.Has(trace.Closed) || o.peer.Known() && q.must.before(o.peer, closing) {
			return
		}
		f.Code = PossibleReceiveOnClosed
	}
	switch {
	case !q.must.before(r, closing):
		f.Witness, f.reorders = true, &reordering{[]trace.Ref{r}, []trace.Ref{closing}}
	case dir == 0 && r.Goroutine != closing.Goroutine && !q.weak.before(r, closing):
		if f.Witness = q.possible([]trace.Ref{r}, []trace.Ref{closing}); !f.Witness {
			return
		}
		f.Reordered = true
	default:
		return
	}
	f.say = func() string {
		message := fmt.Sprintf("%s can come after %s", q.name(r, object), q.name(closing, object))
		if f.Reordered {
			message += ", if critical sections come in another order"
		}
		return message
	}
	q.report(f, object, r, closing)
}

// alternatives reports AC and ASC.
func (q *inquiry) alternatives() {
	var buf []trace.Ref
	for _, r := range q.must.order {
		if q.tires() {
			return
		}
		o := q.p.info(r)
		if (o.op == trace.OpSend || o.op == trace.OpRecv) && o.peer.Known() {
			refs, n := q.appendListed(append(buf[:0], r, o.peer), r, o.object, 1-direction(o.op), o.peer)
			if n > 0 && !q.repeats(AC, nil, o.object, refs) {
				q.report(Finding{
					Code: AC, Object: q.p.t.ObjectName(o.object),
					Message: fmt.Sprintf("%s was done with %s, and could have been with %s", q.name(r, o.object), q.name(o.peer, o.object), q.names(refs[2:], o.object, n)),
				}, o.object, refs...)
			}
			buf = refs
		}
		pre, post := q.p.preEvent(r), q.p.postEvent(r)
		if pre.Op != trace.OpSelect {
			continue
		}
		for i, c := range pre.Cases {
			if int(post.Case) == i {
				continue
			}
			refs, n := q.appendListed(append(buf[:0], r), r, c.Object, 1-direction(c.Op), trace.Unknown)
			if n > 0 && !q.repeats(ASC, &i, c.Object, refs) {
				q.report(Finding{
					Code: ASC, Object: q.p.t.ObjectName(c.Object), Case: &i,
					Message: fmt.Sprintf("case %d, %s %s, of the %s was not taken, and could have been with %s",
						i, c.Op, q.p.t.ObjectName(c.Object), q.name(r, 0), q.names(refs[1:], c.Object, n)),
				}, c.Object, refs...)
			}
			buf = refs
		}
	}
}

// concurrentReceives reports receives from one channel of which either could be first: of each one
// the first in each other goroutine.
func (q *inquiry) concurrentReceives() {
	for id := range q.chans {
		c := &q.chans[id]
		if id == 0 || len(c.users[1]) < 2 {
			continue
		}
		object := trace.ObjectID(id)
		for i, by := range c.users[1] {
			for _, u := range by.uses {
				r := ref(by.g, u.pc)
				if q.tires() {
					return
				}
				if u.unchosen {
					continue
				}
				for k := i + 1; k < len(c.users[1]); k++ {
					h := c.users[1][k].g
					for _, v := range q.between(r, object, 1, k) {
						if v.unchosen {
							continue
						}
						if both := [...]trace.Ref{r, ref(h, v.pc)}; !q.repeats(ConcurrentReceives, nil, object, both[:]) {
							q.report(Finding{
								Code: ConcurrentReceives, Object: q.p.t.ObjectName(object),
								Message: fmt.Sprintf("either can be first: %s or %s", q.name(r, object), q.name(ref(h, v.pc), object)),
							}, object, both[:]...)
						}
						break
					}
				}
			}
		}
	}
}

// selectCase is a case of a select in the source.
type selectCase struct {
	pos   trace.PosID
	at    trace.Ref // instead of the position, if that is not known
	index int
}

// casesWithoutPartner notes which cases were taken, or could have been in this order.
func (q *inquiry) casesWithoutPartner() {
	for g := range q.p.ops {
		for i := range q.p.ops[g] {
			r := ref(int32(g), int32(i+1))
			pre, post := q.p.preEvent(r), q.p.postEvent(r)
			if pre.Op != trace.OpSelect || post == nil {
				continue
			}
			for n, c := range pre.Cases {
				k := selectCase{pos: pre.Pos, index: n}
				if pre.Pos == 0 {
					k.at = r
				}
				if _, ok := q.alone[k]; !ok {
					q.alone[k] = r
					q.cases = append(q.cases, k)
				}
				q.useful[k] = q.useful[k] || int(post.Case) == n || q.hasPartner(r, c)
			}
		}
	}
}

// reportCases reports the cases that were never taken, and for which there was nobody in any order.
func (q *inquiry) reportCases() {
	for _, k := range q.cases {
		if q.useful[k] {
			continue
		}
		r := q.alone[k]
		c := q.p.preEvent(r).Cases[k.index]
		q.report(Finding{
			Code: CaseWithoutPartner, Object: q.p.t.ObjectName(c.Object), Case: &k.index,
			Message: fmt.Sprintf("case %d, %s %s, of the %s was never taken, and in this run could not be: nobody can be there in time",
				k.index, c.Op, q.p.t.ObjectName(c.Object), q.name(r, 0)),
		}, c.Object, r)
	}
}

// maxLooked is how many of the last values that may have been sent before are looked at for a case.
const maxLooked = 64

// hasPartner reports whether a case can be taken as far as the trace says. Of a nil channel, and of
// one that nobody was seen to use from the other side, as that of a timer, nothing is said.
func (q *inquiry) hasPartner(r trace.Ref, c trace.Case) bool {
	ch := &q.chans[c.Object]
	other := 1 - direction(c.Op)
	buffered := q.p.t.Object(c.Object).Cap > 0
	if c.Object == 0 || c.Op == trace.OpSend && (buffered || len(ch.closes) > 0) || len(ch.users[other]) == 0 && len(ch.closes) == 0 {
		return true
	}
	if c.Op == trace.OpRecv && slices.ContainsFunc(ch.closes, func(closing trace.Ref) bool { return !q.must.before(r, closing) }) {
		return true
	}
	for by, u := range ch.users[other] {
		h, list := u.g, u.uses
		if !buffered {
			if h != int32(r.Goroutine-1) && len(q.between(r, c.Object, other, by)) > 0 {
				return true
			}
			continue
		}
		to := sort.Search(len(list), func(i int) bool { e := ref(h, list[i].pc); return e == r || q.must.before(r, e) })
		for _, u := range list[max(0, to-maxLooked):to] {
			// Who has received it before has left nothing.
			if peer := q.p.info(ref(h, u.pc)).peer; !u.unchosen && (!peer.Known() || !q.must.before(peer, r)) {
				return true
			}
		}
	}
	return false
}
