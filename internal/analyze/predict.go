package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/internal/trace"
)

// Prediction is an order of the operations of a recorded run that the run did not have, and in which
// something may go wrong. It is made to be followed by the program: only that shows whether it does.
type Prediction struct {
	// Finding is what it is made of, nil if no analysis claims an error: then the order is one in which
	// an operation meets another partner, or comes in front of one that it came behind.
	Finding *Finding
	// Message says in which other order the operations come, if there is no finding.
	Message string
	// Orders are what is done before Next, most of the run first: all of it that does not come behind Next,
	// and, if that is not the same, only what Next needs. Selects take the case that they took. There are none
	// if no order was found in which a finding shows.
	Orders [][]trace.Ref
	// Next are done then, in this order. Those that have to wait for each other wait.
	Next []Turn
}

// Turn is an operation that is to be done.
type Turn struct {
	trace.Ref
	// Case is the case that a select is to take; DefaultCase is its default.
	Case int32
	// Timed: nobody in the trace completes it. Its channel may be that of a timer, so that time has to pass.
	Timed bool
}

// maxPredictions bounds the predictions of a trace that are no findings, and maxTries for how many an order is looked
// for. There can be as many as pairs of operations; those of places that were seen already are left out before.
const (
	maxPredictions = 200
	maxTries       = 2000
)

// Predict is Analyze, and says for what it finds, as far as that is possible and has not happened, in
// which order the program would have to do its operations. The first prediction is the run itself, if an
// order of it was found: its Next are the operations that were begun and not completed. Behind those of
// findings are the ones of which no analysis claims that they are errors: another partner, or another order of two
// critical sections, of a signal and a wait, or of two accesses to an atomic variable. The first order on buffered channels
// is the one that is used.
func Predict(t *trace.Trace, limits Limits) (*Result, []Prediction, error) {
	q, r, err := analyse(t, limits, true, func(both) {})
	if err != nil {
		return nil, nil, err
	}
	out := q.runItself()
	if out == nil {
		r.Limits = append(r.Limits, "no order of all of the run was found, or it is too long, so that it is not repeated")
		slices.Sort(r.Limits)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.ordered > 0 {
			out = append(out, Prediction{Finding: f, Orders: f.orders, Next: f.next})
		}
	}
	return r, append(out, q.others...), nil
}

// runItself is the run as it was, nothing if no order of it was found.
func (q *inquiry) runItself() []Prediction {
	cut := q.greatest(nil)
	if cut == nil {
		return nil
	}
	order, ok := q.inOrder(cut, firstInRun)
	if !ok {
		return nil
	}
	run := Prediction{Message: RunItself, Orders: [][]trace.Ref{order}}
	for g, n := range cut {
		if int(n) < len(q.p.ops[g]) && q.p.preEvent(ref(int32(g), n+1)).Op != trace.OpEnd {
			run.Next = append(run.Next, q.turn(ref(int32(g), n+1)))
		}
	}
	return []Prediction{run}
}

// RunItself is the message of the prediction that is the run itself.
const RunItself = "the run is repeated"

// wanted is what a prediction has: operations that are about to be done, some that were, and what is
// to be done next.
type wanted struct {
	pending, done []trace.Ref
	next          []Turn
}

// wants says how a finding is to be shown; false if it is no prediction of an error.
func (q *inquiry) wants(f *Finding, refs []trace.Ref) (wanted, bool) {
	switch f.Code {
	case SC:
		return wanted{pending: refs[:1], done: refs[1:2], next: []Turn{q.turnOn(refs[0], trace.OpSend, q.p.info(refs[1]).object)}}, true
	case PossibleNegativeCounter, PossibleUnlockOfUnlocked:
		return wanted{pending: append([]trace.Ref{refs[0]}, f.after...), done: f.before, next: []Turn{q.turn(refs[0])}}, true
	case LockCycle, MixedCycle, Race, ReorderedRace:
		w := wanted{pending: refs}
		for _, r := range refs {
			w.next = append(w.next, q.turn(r))
		}
		// A writer that waits keeps out readers.
		slices.SortStableFunc(w.next, func(a, b Turn) int { return q.reads(a) - q.reads(b) })
		return w, true
	case WaitGroupReuse:
		return wanted{pending: refs, next: []Turn{q.turn(refs[1]), q.turn(refs[0])}}, true
	}
	return wanted{}, false
}

// reads is 1 for a request of a read lock, and 0 else.
func (q *inquiry) reads(t Turn) int {
	if q.p.info(t.Ref).op == trace.OpRLock {
		return 1
	}
	return 0
}

// turn is an operation as it was done.
func (q *inquiry) turn(r trace.Ref) Turn {
	t := Turn{Ref: r}
	if e := q.p.postEvent(r); e != nil {
		t.Case = e.Case
	}
	return t
}

// turnOn is an operation that does op on an object: of a select the first case that does.
func (q *inquiry) turnOn(r trace.Ref, op trace.Op, object trace.ObjectID) Turn {
	t := q.turn(r)
	if e := q.p.preEvent(r); e.Op == trace.OpSelect {
		t.Case = int32(max(0, slices.IndexFunc(e.Cases, func(c trace.Case) bool { return c.Op == op && c.Object == object })))
	}
	return t
}

// ordersOf are the orders in which what is wanted can be shown, none if none was found.
func (q *inquiry) ordersOf(w wanted) [][]trace.Ref {
	var out [][]trace.Ref
	try := func(cut ideal) bool {
		if cut == nil || slices.ContainsFunc(w.pending, cut.has) || slices.ContainsFunc(w.done, func(r trace.Ref) bool { return !cut.has(r) }) {
			return false
		}
		for _, how := range [...]turnOrder{firstInRun, firstForwards, lastForwards} {
			order, ok := q.inOrder(cut, how)
			if ok {
				if !slices.ContainsFunc(out, func(o []trace.Ref) bool { return len(o) == len(order) }) {
					out = append(out, order)
				}
				return true
			}
		}
		return false
	}
	try(q.greatest(w.pending))
	if cut, ok := q.least(w.pending, w.done, true); ok && try(cut) {
		return out
	}
	done := slices.Clone(w.done)
	cut, _ := q.least(w.pending, done, false)
	for !slices.ContainsFunc(w.pending, cut.has) {
		grown := q.closeSections(cut, w.pending)
		if grown == nil {
			try(cut)
			break
		}
		done = append(done, grown...)
		cut, _ = q.least(w.pending, done, false)
	}
	return out
}

// greatest is the greatest ideal in which all of pending are about to be done, nil if the trace is too large.
func (q *inquiry) greatest(pending []trace.Ref) ideal {
	cut := make(ideal, len(q.p.ops))
	total := 0
	for g := range cut {
		n := slices.IndexFunc(q.p.ops[g], func(o opInfo) bool { return o.post < 0 && !o.peer.Known() })
		if n < 0 {
			n = len(q.p.ops[g])
		}
		cut[g] = int32(n)
		total += n
	}
	if total > maxOrdered {
		return nil
	}
	for _, r := range pending {
		cut[r.Goroutine-1] = min(cut[r.Goroutine-1], r.PC-1)
	}
	for changed := true; changed; {
		changed = false
		for g := range cut {
			// What an operation knows only grows along the goroutine.
			n := sort.Search(int(cut[g]), func(i int) bool { return !q.within(cut, ref(int32(g), int32(i+1))) })
			if int32(n) < cut[g] {
				cut[g], changed = int32(n), true
			}
		}
	}
	return cut
}

// within reports whether all that an operation needs is in an ideal.
func (q *inquiry) within(cut ideal, r trace.Ref) bool {
	s := q.needs(r)
	for h, n := range q.weak.s.at(s.base) {
		if int32(h) != s.g && n > cut[h] {
			return false
		}
	}
	return true
}

// needs is the clock of what comes before an operation in each order. A wait for a condition begins before
// the signal comes, and the function of a Once is called before it ends.
func (q *inquiry) needs(r trace.Ref) stamp {
	s, ok := q.weak.postOf(r)
	if e := q.p.postEvent(r); !ok || e != nil && (e.Op == trace.OpCondWait || e.Op == trace.OpOnce && e.Has(trace.Ran)) {
		return q.weak.preOf(r)
	}
	return s
}

// predict keeps in f how an instance of it, with these operations, is to be shown.
func (q *inquiry) predict(f, instance *Finding, refs []trace.Ref) {
	if !q.predicting || q.other || f.orders != nil || f.ordered == q.limits.Pairs {
		return
	}
	if w, ok := q.wants(instance, refs); ok {
		f.ordered++
		f.orders, f.next = q.ordersOf(w), w.next
	}
}

// predictOthers looks for orders of which no analysis claims that they are errors.
func (q *inquiry) predictOthers() {
	q.otherSections()
	q.otherLoads()
	for _, r := range q.must.order {
		pre, post, o := q.p.preEvent(r), q.p.postEvent(r), q.p.info(r)
		switch {
		case pre.Op == trace.OpSelect:
			q.otherCases(r, pre, post)
		case o.op == trace.OpCondWait && post.Partner.Known():
			q.predictOther(wanted{pending: []trace.Ref{r}, done: []trace.Ref{post.Partner}, next: []Turn{q.turn(r)}},
				0, "%s comes behind %s, which has woken it", r, post.Partner)
		case o.op == trace.OpOnce && !post.Has(trace.Ran) && post.Partner.Known():
			q.predictOther(wanted{pending: []trace.Ref{r, post.Partner}, next: []Turn{q.turn(r)}},
				0, "%s comes in front of %s, which has called its function", r, post.Partner)
		case o.op == trace.OpTryLock || o.op == trace.OpTryRLock:
			q.otherTries(r, o, post)
		}
		if (o.op == trace.OpSend || o.op == trace.OpRecv) && o.peer.Known() && !q.tires() {
			q.partners(r, o.object, 1-direction(o.op), func(h int32, list []use) {
				for _, u := range list {
					if other := ref(h, u.pc); other != o.peer && other.Goroutine != r.Goroutine {
						q.predictMeeting(q.turnOn(r, o.op, o.object), other, o.op, o.object)
					}
				}
			})
		}
	}
}

// predictMeeting is that an operation on a channel, a send or a receive, is done with another partner than in the run.
func (q *inquiry) predictMeeting(t Turn, other trace.Ref, op trace.Op, object trace.ObjectID) {
	opposite := trace.OpSend
	if op == trace.OpSend {
		opposite = trace.OpRecv
	}
	next := []Turn{q.turnOn(other, opposite, object), t}
	if q.queueing(t.Ref, other)[0] == t.Ref {
		next[0], next[1] = next[1], next[0]
	}
	receives, sends := t.Ref, other
	if op == trace.OpSend {
		receives, sends = other, t.Ref
	}
	q.predictOther(wanted{pending: []trace.Ref{t.Ref, other}, next: next}, object, "%s meets %s", receives, sends)
}

// queueing is which of two operations that meet at a channel begins, and waits for the other one: a select that has a
// default cannot, and one with other cases may be completed by somebody else.
func (q *inquiry) queueing(a, b trace.Ref) []trace.Ref {
	if q.waitsBadly(a) > q.waitsBadly(b) {
		a, b = b, a
	}
	return []trace.Ref{a, b}
}

func (q *inquiry) waitsBadly(r trace.Ref) int {
	switch e := q.p.preEvent(r); {
	case e.Has(trace.HasDefault):
		return 2
	case e.Op == trace.OpSelect:
		return 1
	}
	return 0
}

// otherCases looks for orders in which a select takes another case: for which somebody can be there, whose
// channel can be closed, that of a timer or another one that nobody in the trace uses from the other side; or its default.
func (q *inquiry) otherCases(r trace.Ref, pre, post *trace.Event) {
	o := q.p.info(r)
	behind := post.Partner
	if !behind.Known() {
		behind = o.peer
	}
	for i, c := range pre.Cases {
		if int32(i) == post.Case || c.Object == 0 {
			continue
		}
		t := Turn{Ref: r, Case: int32(i)}
		ch := &q.chans[c.Object]
		dir := 1 - direction(c.Op)
		if q.tires() {
			return
		}
		q.partners(r, c.Object, dir, func(h int32, list []use) {
			for _, u := range list {
				q.predictMeeting(t, ref(h, u.pc), c.Op, c.Object)
			}
		})
		for _, closing := range ch.closes {
			if c.Op == trace.OpRecv && closing.Goroutine != r.Goroutine && !q.weak.before(r, closing) {
				q.predictOther(wanted{pending: []trace.Ref{r}, done: []trace.Ref{closing}, next: []Turn{t}},
					c.Object, "%s comes behind %s", r, closing)
			}
		}
		if len(ch.users[dir]) == 0 && !slices.ContainsFunc(ch.closes, func(closing trace.Ref) bool { return !q.onlyLater(closing, r) }) {
			pending := []trace.Ref{r}
			if behind.Known() && q.weak.concurrent(r, behind) {
				pending = append(pending, behind)
			}
			t.Timed = true
			q.predictOther(wanted{pending: pending, next: []Turn{t}}, c.Object, "%s takes that case, though nobody was seen there", r)
		}
	}
	if pre.Has(trace.HasDefault) && post.Case != trace.DefaultCase && behind.Known() {
		q.predictOther(wanted{pending: []trace.Ref{r, behind}, next: []Turn{{Ref: r, Case: trace.DefaultCase}}}, o.object, "%s takes its default, in front of %s", r, behind)
	}
}

// onlyLater reports whether code that is not instrumented has closed a channel, and not before an operation: as the cancellation
// of a context does whose deadline might have come first.
func (q *inquiry) onlyLater(closing, r trace.Ref) bool {
	return q.p.preEvent(closing).Pos == 0 && (closing.Goroutine == r.Goroutine && closing.PC > r.PC || q.weak.before(r, closing))
}

// otherSections looks for orders in which two critical sections of a lock that follow each other come the other
// way round. If the later one cannot end before the first one has been there, it is held when the lock is requested for
// that.
func (q *inquiry) otherSections() {
	for _, list := range q.byLock {
		inTurn := slices.Clone(list)
		slices.SortFunc(inTurn, func(a, b *section) int { return int(a.at - b.at) })
		for i, s := range inTurn {
			after := slices.IndexFunc(inTurn[i+1:], func(t *section) bool { return t.from.Goroutine != s.from.Goroutine && !(s.read && t.read) })
			if after < 0 {
				continue
			}
			t := inTurn[i+1+after]
			w := wanted{pending: []trace.Ref{s.from}, next: []Turn{q.turn(s.from)}}
			ends := false
			if t.to > 0 {
				w.done = []trace.Ref{{Goroutine: t.from.Goroutine, PC: t.to}}
				ends = q.predictOther(w, 0, "%s comes behind the critical section of %s", s.from, t.from)
			}
			if !ends {
				w.done = []trace.Ref{t.from}
				q.predictOther(w, 0, "%s comes in the critical section of %s", s.from, t.from)
			}
		}
	}
}

// otherTries looks for orders in which an operation that tries to lock fails, since somebody has the lock, or in which
// nobody has it.
func (q *inquiry) otherTries(r trace.Ref, o *opInfo, post *trace.Event) {
	for _, s := range q.byLock[o.object] {
		if s.from.Goroutine == r.Goroutine || s.read && o.op == trace.OpTryRLock {
			continue
		}
		if post.Has(trace.Failed) {
			q.predictOther(wanted{pending: []trace.Ref{r, s.from}, next: []Turn{q.turn(r)}}, 0, "%s comes in front of %s", r, s.from)
		} else {
			q.predictOther(wanted{pending: []trace.Ref{r}, done: []trace.Ref{s.from}, next: []Turn{q.turn(r)}}, 0, "%s comes in the critical section of %s", r, s.from)
		}
	}
}

// otherLoads looks for orders in which what reads an atomic variable has another value: in front of the operation
// that has stored its own, or behind the one that stores next.
func (q *inquiry) otherLoads() {
	ops := map[trace.ObjectID][]trace.Ref{}
	for _, r := range q.must.order {
		if o := q.p.info(r); q.p.t.Object(o.object).Kind == trace.Atomic {
			ops[o.object] = append(ops[o.object], r)
		}
	}
	for id := range q.p.t.Objects {
		list := ops[trace.ObjectID(id+1)]
		slices.SortStableFunc(list, func(a, b trace.Ref) int { return cmp.Compare(q.p.postEvent(a).Seq, q.p.postEvent(b).Seq) })
		for i, r := range list {
			if q.p.info(r).op == trace.OpStore || len(q.p.t.Positions) > 0 && q.p.preEvent(r).Pos == 0 {
				continue
			}
			if of := q.p.postEvent(r).Partner; of.Known() && of.Goroutine != r.Goroutine {
				q.predictOther(wanted{pending: []trace.Ref{r, of}, next: []Turn{q.turn(r)}}, 0, "%s comes in front of %s, of which it has the value", r, of)
			}
			next := slices.IndexFunc(list[i+1:], func(s trace.Ref) bool { return s.Goroutine != r.Goroutine && q.p.info(s).op != trace.OpLoad })
			if next >= 0 {
				s := list[i+1+next]
				q.predictOther(wanted{pending: []trace.Ref{r}, done: []trace.Ref{s}, next: []Turn{q.turn(r)}}, 0, "%s comes behind %s", r, s)
			}
		}
	}
}

// predictOther keeps an order of which no analysis claims that it is an error, unless there was one of the same
// operations in the program. The message is about some operations on an object; 0 is that of each. It reports whether there is one.
func (q *inquiry) predictOther(w wanted, object trace.ObjectID, message string, about ...trace.Ref) bool {
	key := message
	for _, t := range w.next {
		key += fmt.Sprintf(" %d", t.Case)
	}
	for _, r := range about {
		e := q.p.preEvent(r)
		if key += fmt.Sprintf(" %d", e.Pos); e.Pos == 0 {
			key += fmt.Sprintf(":%d.%d", r.Goroutine, r.PC)
		}
	}
	if q.tried[key] == q.limits.Pairs {
		return true
	}
	if len(q.others) >= maxPredictions || q.tries >= maxTries {
		q.cut["of other orders not all were looked for"] = true
		return true
	}
	for i, r := range w.pending {
		for _, s := range w.pending[i+1:] {
			if !q.weak.concurrent(r, s) {
				return false
			}
		}
	}
	q.tries++
	q.tried[key]++
	orders := q.ordersOf(w)
	if orders == nil {
		return false
	}
	q.tried[key] = q.limits.Pairs
	names := make([]any, len(about))
	for i, r := range about {
		names[i] = q.name(r, cmp.Or(object, q.p.info(r).object))
	}
	q.others = append(q.others, Prediction{Message: fmt.Sprintf(message, names...), Orders: orders, Next: w.next})
	return true
}
