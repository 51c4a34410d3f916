package analyze

import (
	"fmt"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/internal/trace"
)

// dangling reports DR, the partners that operations which were not completed could have had, and
// the goroutines that stay there.
func (q *inquiry) dangling() {
	ends := false
	for g := range q.p.t.Goroutines {
		events := q.p.t.Goroutines[g].Events
		ends = ends || len(events) > 0 && events[len(events)-1].Op == trace.OpEnd
	}
	// Of nested operations the inner one is where the goroutine stays.
	inner := map[trace.GoroutineID]trace.Ref{}
	q.eachPending(func(r trace.Ref) {
		if r.PC > inner[r.Goroutine].PC {
			inner[r.Goroutine] = r
		}
	})
	for g := range q.p.t.Goroutines {
		lt := &q.p.t.Goroutines[g]
		r, stays := inner[trace.GoroutineID(g+1)]
		switch {
		case lt.Truncated:
		case stays && q.stillThere(r):
			q.stays(r)
		case ends && g > 0 && !stays && len(lt.Events) > 0 && lt.Events[len(lt.Events)-1].Op != trace.OpEnd && !lt.Events[len(lt.Events)-1].Has(trace.Panicked):
			last := ref(int32(g), int32(len(q.p.ops[g])))
			q.report(Finding{
				Code:    LeakUnknown,
				Message: fmt.Sprintf("goroutine %d has not ended; the last that it did is %s", g+1, q.name(last, q.p.info(last).object)),
			}, 0, last)
		}
	}
}

// stillThere reports whether a goroutine has done nothing behind an operation that it has not completed:
// nothing but what is part of it, as to give back the lock of a condition.
func (q *inquiry) stillThere(r trace.Ref) bool {
	n := len(q.p.ops[r.Goroutine-1])
	return int(r.PC) == n || q.p.info(r).op == trace.OpCondWait && int(r.PC) == n-1
}

// stays reports a goroutine that stays at an operation.
func (q *inquiry) stays(r trace.Ref) {
	o := q.p.info(r)
	f := Finding{Object: q.p.t.ObjectName(o.object)}
	if r.Goroutine == 1 {
		f.Level = Error // the main goroutine
	}
	var partners []trace.Ref
	n := 0
	alone := func(with, without Code) {
		f.Code = without
		if n > 0 {
			f.Code = with
		}
	}
	switch o.op {
	case trace.OpSend, trace.OpRecv:
		if o.object == 0 {
			f.Code = LeakNil
			break
		}
		partners, n = q.recover(r, trace.Case{Op: o.op, Object: o.object}, nil)
		if q.p.t.Object(o.object).Cap > 0 {
			alone(LeakBuffered, LeakBufferedAlone)
		} else {
			alone(LeakUnbuffered, LeakUnbufferedAlone)
		}
	case trace.OpSelect:
		f.Object = ""
		for i, c := range q.p.preEvent(r).Cases {
			some, k := q.recover(r, c, &i)
			partners, n = append(partners, some...), n+k
		}
		slices.SortFunc(partners, compareRefs)
		partners = slices.Compact(partners)
		partners = partners[:min(len(partners), maxNamed)]
		alone(LeakSelect, LeakSelectAlone)
	case trace.OpLock, trace.OpRLock:
		q.staysAtLock(r, &f)
		return
	case trace.OpWait:
		partners, n = q.late(r, o.object, func(e *trace.Event) bool { return e.Op == trace.OpAdd && e.Delta > 0 })
		alone(LeakWaitGroup, LeakWaitGroupAlone)
	case trace.OpCondWait:
		partners, n = q.late(r, o.object, func(e *trace.Event) bool { return e.Op == trace.OpSignal || e.Op == trace.OpBroadcast })
		alone(LeakCond, LeakCondAlone)
	case trace.OpOnce:
		f.Code = LeakOnce
	default:
		return
	}
	f.Message = q.name(r, o.object) + " was never completed"
	if n > 0 {
		f.Message += "; it could have been with " + q.names(partners, o.object, n)
		if f.Code == LeakWaitGroup {
			f.Message = fmt.Sprintf("%s was never completed; it could have come before %s", q.name(r, o.object), q.names(partners, o.object, n))
		}
	}
	f.Message += q.collector(r)
	q.report(f, o.object, append([]trace.Ref{r}, partners...)...)
}

// collector is what the garbage collector has said of a goroutine that stays, behind what is said of it.
func (q *inquiry) collector(r trace.Ref) string {
	switch q.p.t.Goroutines[r.Goroutine-1].Left {
	case trace.Unreachable:
		return "; the garbage collector confirms that nothing which can go on reaches what it waits for"
	case trace.Reachable:
		return "; what it waits for could still be reached when the program ended"
	}
	return ""
}

// recover finds the partners that an alternative could have had, and reports them as DR.
func (q *inquiry) recover(r trace.Ref, c trace.Case, index *int) ([]trace.Ref, int) {
	partners, n := q.listed(r, c.Object, 1-direction(c.Op), trace.Unknown)
	if n > 0 {
		q.report(Finding{
			Code: DR, Object: q.p.t.ObjectName(c.Object), Case: index,
			Message: fmt.Sprintf("%s was not completed; %s %s could have been with %s", q.name(r, c.Object), c.Op, q.p.t.ObjectName(c.Object), q.names(partners, c.Object, n)),
		}, c.Object, append([]trace.Ref{r}, partners...)...)
	}
	return partners, n
}

// late are the operations on an object that are concurrent with one that was not completed.
func (q *inquiry) late(r trace.Ref, object trace.ObjectID, is func(e *trace.Event) bool) ([]trace.Ref, int) {
	var out []trace.Ref
	n := 0
	for g := range q.p.ops {
		if g == int(r.Goroutine-1) {
			continue
		}
		ops := q.p.ops[g]
		// What is concurrent is in one piece.
		from := sort.Search(len(ops), func(i int) bool { return !q.must.before(ref(int32(g), int32(i+1)), r) })
		for i := from; i < len(ops); i++ {
			if e := ref(int32(g), int32(i+1)); ops[i].object == object && ops[i].post >= 0 && is(q.p.preEvent(e)) {
				if n++; len(out) < maxNamed {
					out = append(out, e)
				}
			}
		}
	}
	return out, n
}

// staysAtLock reports a goroutine that stays at a lock, with who has it.
func (q *inquiry) staysAtLock(r trace.Ref, f *Finding) {
	object := q.p.info(r).object
	f.Code, f.Message = LeakLockAlone, q.name(r, object)+" was never completed"
	refs := []trace.Ref{r}
	for _, s := range q.byLock[object] {
		if s.to != 0 || len(refs) > maxNamed {
			continue
		}
		refs = append(refs, s.from)
		if q.weak.concurrent(r, s.from) {
			f.Code = LeakLock
		}
	}
	if len(refs) > 1 {
		f.Message += "; it is held since " + q.names(refs[1:], object, len(refs)-1)
		if refs[1].Goroutine == r.Goroutine {
			f.Message += ", by the same goroutine"
		}
	}
	f.Message += q.collector(r)
	q.report(*f, object, refs...)
}
