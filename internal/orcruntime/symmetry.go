//go:build go1.25

package orcruntime

import (
	"reflect"
	"slices"
	"unsafe"
)

// Goroutines that were started at one go statement, one after the other, with the same
// variables and values, are alike until one of them has done a step that others can see:
// whatever is done from there on could as well be done with their names exchanged, and comes
// to the same. So of the executions in which one of them is the first to do something, those
// suffice in which that is one of them (symmetry reduction; see Ip and Dill, Better
// Verification Through Symmetry, 1996, for states; here two goroutines are exchanged of
// which nothing but the start is known).
//
// Who is asleep, since all that begins with his step was explored, has those who are like
// him be asleep, too. They wake together, since their next steps do the same to the same
// objects. All else of the reduction is as it was.
//
// Their starts have to be alike as well. What comes before the second, and not before the
// first, would tell them apart: in what others have done before, and in data races. So
// between the starts their parent may do nothing but to start goroutines, to count them in
// WaitGroups and to read memory, and no time may pass. What they do with these WaitGroups and
// this memory is looked at: see toldApart.

// readSpan is memory that a goroutine has read between two starts.
type readSpan struct {
	g        int32
	from, to uintptr
}

// maxSpans bounds the reads between two starts.
const maxSpans = 16

// remembers notes an access to recorded memory by g.
func (x *execution) remembers(g *goroutine, p unsafe.Pointer, size uintptr, kind accessKind) {
	if x == nil || kind&(atomicOne|ofChannel) != 0 { // what steps touch
		return
	}
	at := readSpan{g.seq, uintptr(p), uintptr(p) + size}
	switch {
	case kind&writes != 0:
		g.writes++
		x.written = x.written || slices.ContainsFunc(x.readBetween, func(r readSpan) bool {
			return r.g != at.g && at.from < r.to && r.from < at.to
		})
	case len(g.betweenStarts) == maxSpans:
		g.writes++
	case !slices.Contains(g.betweenStarts, at):
		g.betweenStarts = append(g.betweenStarts, at)
	}
}

// spawned is how a goroutine was started.
type spawned struct {
	parent int32
	site   Site
	state  []any // what it can refer to, besides package variables; it keeps that alive
	event  int32 // the step of the parent
	// writes are those to memory that the parent had done, and reads those since it had started the one before.
	writes uint32
	reads  []readSpan
	class  int32 // of those that are alike, if all have done the same
	known  bool  // state is all
}

// Alike is f, which the next go statement of the calling goroutine starts. The rest is what f
// can refer to besides package variables: the addresses of local variables, and values.
func Alike(f func(), state ...any) func() {
	if s := active.Load(); s != nil && s.exec != nil {
		if g := s.cur.Load(); g != nil {
			g.refers, g.refersIn = state, closureOf(f)
		}
	}
	return f
}

// spawns notes how a goroutine was started.
func (x *execution) spawns(g, child *goroutine) {
	for len(x.spawned) < int(child.seq) {
		x.spawned = append(x.spawned, spawned{class: -1})
	}
	p := spawned{g.seq, child.site, g.refers, int32(len(x.events) - 1), g.writes, slices.Clone(g.betweenStarts), child.seq, g.refersIn != nil && g.refersIn == closureOf(child.f)}
	if last := x.lastSpawned(g.seq); last != nil && x.continuesClass(last, &p) {
		p.class = last.class
		x.symmetric = true
	}
	x.spawned = append(x.spawned, p)
	g.refers, g.refersIn, g.betweenStarts = nil, nil, g.betweenStarts[:0]
}

// lastSpawned is how the last goroutine of a parent was started, nil if there is none.
func (x *execution) lastSpawned(parent int32) *spawned {
	for i := len(x.spawned) - 1; i >= 0; i-- {
		if x.spawned[i].class >= 0 && x.spawned[i].parent == parent {
			return &x.spawned[i]
		}
	}
	return nil
}

// continuesClass reports whether a goroutine is like the one that its parent has started before.
func (x *execution) continuesClass(last, now *spawned) bool {
	if x.misuse && len(now.reads) > 0 { // see toldApart
		return false
	}
	if last.site != now.site || !last.known || !now.known || last.writes != now.writes || !slices.EqualFunc(last.state, now.state, sameValue) {
		return false
	}
	for k := last.event; k < now.event; k++ {
		if e := &x.events[k]; e.g < 0 || e.g == now.parent && !x.onlyStarts(e) {
			return false
		}
	}
	for _, r := range now.reads {
		if !slices.Contains(x.readBetween, r) {
			x.readBetween = append(x.readBetween, r)
		}
	}
	for k := last.event + 1; k <= now.event; k++ {
		for _, t := range x.events[k].touches {
			if x.events[k].g == now.parent && t.kind == touchAdd && !slices.Contains(x.counting, t.object) {
				x.counting = append(x.counting, t.object)
			}
		}
	}
	return true
}

// toldApart reports whether goroutines that were taken for alike may not be so. Between their starts their parent has read
// what somebody writes later: that may be a data race with the first of them, and not with the second. Or a WaitGroup was
// added to: somebody may wait for it before all of that is done, or a Done may come before its Add with one of them
// and not with another. It is known that nothing of that can be if whoever waits does so before or behind all Adds, and if
// every goroutine that is alike does one Done at most, nobody else does one, and as much was added before each start.
func (x *search) toldApart() bool {
	e := x.exec
	return e.written || slices.ContainsFunc(e.counting, func(wg touched) bool { return x.countsApart(wg) })
}

// countsApart is toldApart for one WaitGroup.
func (x *search) countsApart(wg touched) bool {
	e := x.exec
	done, counted := map[int32]int{}, map[int32]bool{} // by goroutine, and by class
	for _, a := range e.acts {
		if a.kind == actCount && a.object.p == wg.p && a.n < 0 {
			if done[a.g] -= a.n; done[a.g] > 1 || !e.inClass(a.g) {
				return true
			}
			counted[e.spawned[a.g].class] = true
		}
	}
	added, started := 0, map[int32]int{}
	var adds []int // events
	for i := range e.events {
		for _, a := range e.acts[e.events[i].firstAct:e.events[i].lastAct] {
			switch {
			case a.kind == actCount && a.object.p == wg.p && a.n > 0:
				adds, added = append(adds, i), added+a.n
			case a.kind == actStart && e.inClass(a.other) && counted[e.spawned[a.other].class]:
				class := e.spawned[a.other].class
				if started[class]++; started[class] > added {
					return true
				}
			}
		}
	}
	for i := range e.events {
		if !slices.Contains(e.events[i].touches, touch{wg, touchWait}) {
			continue
		}
		for _, a := range adds {
			if !x.hb.happened(a, x.hb.after[i]) && !x.hb.happened(i, x.hb.after[a]) {
				return true
			}
		}
	}
	return false
}

// inClass: there are goroutines that are like this one, perhaps.
func (x *execution) inClass(g int32) bool {
	return g >= 0 && int(g) < len(x.spawned) && x.spawned[g].class >= 0 && x.spawned[g].known
}

// onlyStarts: a step does nothing but to start goroutines, and to count them.
func (x *execution) onlyStarts(e *event) bool {
	return len(e.calls) == 0 && !e.picks &&
		!slices.ContainsFunc(e.touches, func(t touch) bool { return t.kind != touchAdd }) &&
		!slices.ContainsFunc(x.acts[e.firstAct:e.lastAct], func(a act) bool { return a.kind != actStart && !(a.kind == actCount && a.n > 0) })
}

// sameValue reports whether two values are the same one, and refer to the same.
func sameValue(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if !v.IsValid() || !w.IsValid() {
		return v.IsValid() == w.IsValid()
	}
	if v.Type() != w.Type() {
		return false
	}
	switch v.Kind() {
	case reflect.Func:
		return closureOf(a) == closureOf(b)
	case reflect.Map:
		return v.UnsafePointer() == w.UnsafePointer()
	case reflect.Slice:
		return v.UnsafePointer() == w.UnsafePointer() && v.Len() == w.Len() && v.Cap() == w.Cap()
	}
	return v.Comparable() && w.Comparable() && v.Equal(w)
}

// closureOf is where a function is, with the variables that it has captured.
func closureOf(f any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1] }

// seen notes a step, as soon as it is known what it has touched: whoever has done something
// that others can see, or that depends on something, is like nobody.
func (x *execution) seen(e *event) {
	for len(x.distinct) < len(x.names) {
		x.distinct = append(x.distinct, false)
	}
	if e.g >= 0 && (slices.ContainsFunc(e.touches, func(t touch) bool { return t.kind != touchDue }) || len(e.calls) > 0 || e.picks || e.waits || e.reads || e.firstAct < e.lastAct) {
		x.distinct[e.g] = true
	}
	for _, a := range x.acts[e.firstAct:e.lastAct] {
		switch a.kind {
		case actMet, actWake:
			x.distinct[a.other] = true
		}
		if a.g >= 0 {
			x.distinct[a.g] = true
		}
	}
}

// alike returns the groups, of those that are ready at a node, that are alike.
func (x *execution) alike(v View, ready []int) (out [][]string) {
	if !x.symmetric {
		return nil
	}
	var first []*goroutine // of each group
	for _, i := range ready {
		g := v.Ready[i].g
		if !x.maybeAlike(g) {
			continue
		}
		k := slices.IndexFunc(first, func(o *goroutine) bool {
			return x.spawned[o.seq].class == x.spawned[g.seq].class && o.op == g.op && o.site == g.site && o.done == g.done
		})
		if k < 0 {
			first, out = append(first, g), append(out, []string{g.path})
			continue
		}
		out[k] = append(out[k], g.path)
	}
	return slices.DeleteFunc(out, func(group []string) bool { return len(group) < 2 })
}

// maybeAlike: a goroutine was started at a known place, and nobody has seen it yet.
func (x *execution) maybeAlike(g *goroutine) bool {
	return x.inClass(g.seq) && (int(g.seq) >= len(x.distinct) || !x.distinct[g.seq])
}

// withAlike adds to those who are asleep at a node those who are like one of them.
func withAlike(sleep []sleeper, alike [][]string) []sleeper {
	for _, group := range alike {
		i := slices.IndexFunc(sleep, func(z sleeper) bool { return slices.Contains(group, z.G) })
		if i < 0 {
			continue
		}
		for _, path := range group {
			if !asleep(sleep, path) {
				z := sleep[i]
				z.G = path
				sleep = append(sleep, z)
			}
		}
	}
	return sleep
}
