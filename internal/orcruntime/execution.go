//go:build go1.25

package orcruntime

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// execution is what the steps of one run did, as far as it says which of them depend
// on each other. It is nil in runs that are not part of an exhaustive exploration; all
// of its methods that the runtime calls are no-ops then.
type execution struct {
	names   []string // creation paths of the goroutines, by index
	events  []event
	comms   []communication
	changed []int // those that have begun or ended since they were looked at
	acts    []act
	closed  map[unsafe.Pointer]bool // channels that the program has closed
	own     map[unsafe.Pointer]bool // channels that it has sent on or closed
	byEnd   []int32                 // communications, see offersOfPartners
	holds   map[hold]int            // how often
	// accesses are the statements that are guards since they may race, by the
	// number of their group.
	accesses map[Site]accessGroup

	// reached are statements with something that is not guarded or recorded, in all runs.
	reached map[int]bool
	// kept are the places, in all runs, at which a value of which a library may have a pointer
	// was used while others could act.
	kept []Place

	next   int32 // the node of the step that is about to be done
	queues bool  // it only queues
	misuse bool  // the run stops at all minor guards
	census bool  // the program may count its goroutines
	// uncounted: it has where there is no guard.
	uncounted bool
	// finalizes: the program has handed a function to runtime.SetFinalizer or AddCleanup.
	finalizes bool
	foreign   bool // who has not locked an RWMutex has unlocked it
	held      bool // others had to wait for an operation within a library's lock
	// timeStands: time might have passed while somebody waited for a lock of a library.
	timeStands bool
	// unguarded: the length of a channel was asked for where there is no guard.
	unguarded bool
	// pick is a choice of n, or untaken where these are more than are explored.
	pick func(g *goroutine, site Site, n, untaken int) int
	// delay is pick for how late a deadline is set, if it mayDelay. Who looksAgain is late.
	delay    func(g *goroutine, site Site, n int, looksAgain bool) int
	mayDelay func() bool
	// spins: who does the step only looks whether something has happened, and it has not.
	spins bool
	// timed: deadlines may be set late, so that it matters which is set first.
	timed bool
	// timeCommutes: that time passes is a step which commutes with those that have nothing to do with it, and not one
	// that depends on everything. It may come at any moment then.
	timeCommutes bool
	// idle: nobody could go on, and no event was known, in the step that is about to be done.
	idle bool
	// drawn are where random numbers of a large range were asked for in the run, each once.
	drawn []Site
	// repeated are where what has not changed is not looked at once more.
	repeated []Site
	// cutRanges are where more entries than are explored have come in a range over a map that
	// were created meanwhile, and unchosen says what else the environment has decided and the
	// run has not.
	cutRanges []Site
	unchosen  []string
	// spawned is how the goroutines were started, by index; symmetric: some of them may be alike. distinct are those that are
	// not any more, as far as steps have been looked at.
	spawned   []spawned
	symmetric bool
	distinct  []bool
	// counting are the WaitGroups that were added to between the starts of those who may be alike.
	counting []touched
	// readBetween is what their parents have read between the starts; written: somebody has written to it later.
	readBetween []readSpan
	written     bool
	// behind is a hash of who has called uninstrumented code in steps of others, in this
	// order; 0: nobody.
	behind uint64
}

// accessGroup says that a statement may race with the others of a group.
type accessGroup struct {
	group  int // 0: it is not known to race
	writes bool
}

// event is a step: of one goroutine, though others that it completes run on in it.
type event struct {
	g int32 // -1: time passes
	// from identifies the calls by which the goroutine has come to the guard, see calledFrom.
	from uint64
	// waits: the goroutine cannot do its operation, and at most queues for it. That
	// orders nothing, but the operation might have come earlier.
	waits bool
	node  int32 // of the search, -1 if there was no choice
	site  Site
	// acts and touches are what was done in the step; those of a communication are
	// added once it is known how it came out.
	firstAct, lastAct int32
	touches           []touch
	// calls are those of uninstrumented code that may order goroutines, the first two of
	// each goroutine that runs in the step.
	calls []libraryCall
	// apart: others can act before and after what uninstrumented code does in the step,
	// which has begun with the only call of it.
	apart bool
	// picks: the environment has chosen something in the step.
	picks bool
	// reads: the clock was read, and no time has passed for that. Others may do it before or
	// after, but it changes nothing.
	reads bool
	// whole: time passes, and all that was done comes before all that follows.
	whole bool
	// early: it is whole, and somebody could go on, who is in a loop in which nothing changes.
	early bool
}

// libraryCall is a call of uninstrumented code that may order goroutines, and where it comes
// from if it is not apart.
type libraryCall struct {
	g  int32
	at [callFrames]uintptr
}

// callFrames is how many frames are looked at for where such a call comes from.
const callFrames = 8

// communication is a send, receive or select.
type communication struct {
	event      int32 // in which it began
	end        int32 // in which it was completed, -1: never
	hasDefault bool
	chosen     int
	value      bool // a receive that has got a value, or a send
	cases      []Case
}

// hold is a lock that a goroutine holds.
type hold struct {
	g    uintptr
	lock lockRef
}

// uses notes a use of a value of which a library may have a pointer.
func (x *execution) uses(at Place) {
	if x != nil && len(x.kept) < maxBounds && !slices.Contains(x.kept, at) {
		x.kept = append(x.kept, at)
	}
}

// draws notes where random numbers of a large range are asked for.
func (x *execution) draws(site Site) {
	if x != nil && !slices.Contains(x.drawn, site) {
		x.drawn = append(x.drawn, site)
	}
}

// actKind is something that orders goroutines.
type actKind uint8

const (
	actStart   actKind = iota // g has started other
	actSend                   // g has sent on a channel of capacity n
	actRecv                   // g has received a value from a channel with a buffer
	actClosed                 // g has found the channel closed
	actClose                  // g has closed it
	actMet                    // g and other have passed a value
	actRelease                // what g has done comes before what is acquired
	actAcquire                // what was released comes before what g does
	actWake                   // what g has done comes before what other does
	actCount                  // g adds n to a WaitGroup
	actSettle                 // all that was done comes before what g does
	actPassed                 // that time has passed comes before what other does
)

type act struct {
	kind     actKind
	g, other int32
	n        int
	object   syncKey
}

// add numbers a goroutine.
func (x *execution) add(g *goroutine) {
	if x == nil {
		return
	}
	g.seq = int32(len(x.names))
	x.names = append(x.names, g.path)
}

// step begins the step of a goroutine.
func (x *execution) step(g *goroutine) {
	if x == nil {
		return
	}
	x.begin(event{g: g.seq, from: g.from, node: x.next, site: g.site, waits: x.queues})
	g.done++
	x.next, x.queues = -1, false
	if g.op.access() {
		x.continues(g.site)
	}
}

// continues: what the statement at a site does is not over, though a guard stands in it.
func (x *execution) continues(site Site) {
	if x == nil {
		return
	}
	if a := x.accesses[site]; a.group != 0 {
		x.touch(touched{space: spaceAccess, n: int32(a.group)}, a.kind())
	}
}

// access: the guard is of a statement that touches memory, or of an atomic operation.
func (o op) access() bool { return o == opAccess || o == opAtomic }

func (a accessGroup) kind() touchKind {
	if a.writes {
		return touchWrite
	}
	return touchRead
}

// time begins the step in which time passes. In a bubble of the program's own, and where no event is known, it does so only
// when nobody can go on.
func (x *execution) time(s *run) {
	if x == nil {
		return
	}
	commutes := x.timeCommutes && x.next >= 0 && s.bubbles == 0
	x.begin(event{g: -1, node: x.next, whole: !commutes, early: x.timeCommutes && x.next < 0 && !x.idle})
	x.next, x.behind, x.idle = -1, 0, false
	if commutes {
		x.touch(touched{space: spaceDeadlines}, touchPassed)
		x.touch(touched{space: spaceLibrary}, touchPassed)
	}
}

// passedFor: g goes on, of which nobody but time may be the cause.
func (x *execution) passedFor(g *goroutine) {
	if x != nil && len(x.events) > 0 && x.events[len(x.events)-1].g < 0 {
		x.act(act{kind: actPassed, g: -1, other: g.seq})
	}
}

// awaitsTime: when time passes next, or for whom, is changed in the step at hand.
func (x *execution) awaitsTime() {
	if x != nil && x.timeCommutes {
		x.touch(touched{space: spaceDeadlines}, touchDue)
	}
}

// nameOf is a creation path, or TimeStep.
func (x *execution) nameOf(g int32) string {
	if g < 0 {
		return TimeStep
	}
	return x.names[g]
}

func (x *execution) begin(e event) {
	e.firstAct = int32(len(x.acts))
	e.lastAct = e.firstAct
	e.apart = true
	if n := len(x.events); n < cap(x.events) { // with what its touches were kept in
		x.events = x.events[:n+1]
		e.touches, e.calls = x.events[n].touches[:0], x.events[n].calls[:0]
		x.events[n] = e
		return
	}
	x.events = append(x.events, e)
}

// act adds something that orders goroutines to the step at hand.
func (x *execution) act(a act) {
	if n := len(x.events); n > 0 {
		x.acts = append(x.acts, a)
		x.events[n-1].lastAct++
	}
}

// touch adds a touch to the step at hand.
func (x *execution) touch(o touched, k touchKind) {
	if x == nil || len(x.events) == 0 {
		return // before the first step there is one goroutine
	}
	x.events[len(x.events)-1].touch(touch{o, k})
}

// extra adds what the step has touched without an address to a list, each once.
func (e *event) extra(list []extraTouch) []extraTouch {
	for _, t := range e.touches {
		if o := (extraTouch{t.object.space, int(t.object.n), t.kind}); t.object.p == nil && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// touch adds a touch, once.
func (e *event) touch(t touch) {
	if !slices.Contains(e.touches, t) {
		e.touches = append(e.touches, t)
	}
}

// on is touch for an object with an address.
func (x *execution) on(space touchSpace, p unsafe.Pointer, k touchKind) {
	if x != nil {
		x.touch(touched{space: space, p: p}, k)
	}
}

func (x *execution) started(g, child *goroutine) {
	if x != nil {
		x.act(act{kind: actStart, g: g.seq, other: child.seq})
		x.population(touchBorn)
		x.spawns(g, child)
	}
}

// counted: the program counts its goroutines, in a step that begins with that or, if not guarded,
// between what others may do.
func (x *execution) counted(guarded bool) {
	x.population(touchCounted)
	if x != nil && !guarded {
		x.uncounted = true
	}
}

// looksOn: what is looked at has not changed, and is not looked at unchanged once more.
func (x *execution) looksOn(site Site) {
	if x != nil && !slices.Contains(x.repeated, site) {
		x.repeated = append(x.repeated, site)
	}
}

// population is a touch of how many goroutines there are, which shows in programs that count them.
func (x *execution) population(k touchKind) {
	if x != nil && x.census {
		x.touch(touched{space: spaceGoroutines}, k)
	}
}

func (x *execution) release(g *goroutine, k syncKey) {
	if x != nil {
		x.act(act{kind: actRelease, g: g.seq, object: k})
	}
}

func (x *execution) acquire(g *goroutine, k syncKey) {
	if x != nil {
		x.act(act{kind: actAcquire, g: g.seq, object: k})
	}
}

func (x *execution) woke(g, other *goroutine) {
	if x != nil {
		x.act(act{kind: actWake, g: g.seq, other: other.seq})
	}
}

func (x *execution) met(g, other *goroutine) {
	if x != nil {
		x.act(act{kind: actMet, g: g.seq, other: other.seq})
	}
}

func (x *execution) settled(g *goroutine) {
	if x != nil {
		x.act(act{kind: actSettle, g: g.seq})
	}
}

// sets: somebody sets a deadline, and may be late with it.
func (x *execution) sets() {
	if x != nil && x.timed {
		x.touch(touched{space: spaceDeadlines}, touchSet)
	}
	x.awaitsTime()
}

// reads notes that the step is a reading of the clock, before which some time has passed or
// none.
func (x *execution) reads(late bool) {
	if x != nil && len(x.events) > 0 {
		x.events[len(x.events)-1].reads = !late
	}
}

// library is a call of uninstrumented code that may order goroutines. Goroutines
// outside control, which make the run a weak one, are left out.
func (x *execution) library(g *goroutine) {
	if x == nil || g.run.cur.Load() != g {
		return
	}
	x.touch(touched{space: spaceLibrary}, touchLibrary)
	if n := len(x.events); n > 0 && x.events[n-1].g != g.seq {
		x.behind = mix(x.behind, g.number)
	}
}

// calls is library where such a call begins.
func (x *execution) calls(g *goroutine) {
	x.library(g)
	if x == nil || g.run.cur.Load() != g || len(x.events) == 0 {
		return
	}
	g.calledIn = len(x.events)
	e := &x.events[len(x.events)-1]
	// Who is alone has nobody to act between, and has no guard. Before the calls of those
	// who have ended it can only come with what stands before it in the step, and there has
	// one.
	e.apart = e.apart && (len(g.run.live) < 2 || e.begins(g))
	known := 0
	for i := range e.calls {
		if e.calls[i].g == g.seq {
			known++
		}
	}
	if known < 2 {
		c := libraryCall{g: g.seq}
		if !e.apart { // else nobody will ask
			runtime.Callers(2, c.at[:])
		}
		e.calls = append(e.calls, c)
	}
}

// returns is called where a call of uninstrumented code ends. If there were steps since it
// began, for its arguments, it is one of this step.
func (x *execution) returns(g *goroutine) {
	if x != nil && g.calledIn != len(x.events) {
		x.calls(g)
	}
}

// begins reports whether a call of uninstrumented code is what a step begins with: nothing
// was done in it before, by its goroutine or one that it has let go on.
func (e *event) begins(g *goroutine) bool {
	return e.g == g.seq && len(e.calls) == 0 && e.firstAct == e.lastAct && !slices.ContainsFunc(e.touches, func(t touch) bool { return t.object.space != spaceLibrary })
}

// placeOf is where a call of uninstrumented code comes from: "function file:line", "" if
// that is not known.
func placeOf(at []uintptr) string {
	frames := runtime.CallersFrames(at)
	for {
		f, more := frames.Next()
		if f.Function != "" && !internalFrame(f) {
			return frameText(f)
		}
		if !more {
			return ""
		}
	}
}

// arrived is the first that is seen of the goroutine of a callback.
func (x *execution) arrived(g *goroutine) {
	if x != nil && len(x.events) > 0 {
		x.act(act{kind: actStart, g: x.events[len(x.events)-1].g, other: g.seq})
		x.population(touchBorn)
	}
}

// counts: g adds to a WaitGroup.
func (x *execution) counts(g *goroutine, wg *sync.WaitGroup, n int) {
	if x == nil {
		return
	}
	if n > 0 {
		x.on(spaceWaitGroup, unsafe.Pointer(wg), touchAdd)
	}
	x.act(act{kind: actCount, g: g.seq, n: n, object: syncKey{p: unsafe.Pointer(wg)}})
	if x.misuse {
		x.on(spaceWaitGroup, unsafe.Pointer(wg), touchAny)
	}
}

// locks: g takes a lock, or queues for it.
func (x *execution) locks(g *goroutine, l lockRef) {
	if x == nil {
		return
	}
	if x.holds == nil {
		x.holds = make(map[hold]int)
	}
	x.holds[hold{uintptr(g.seq), l}]++
	kind := touchLock
	if l.kind == readLock {
		kind = touchRLock
	}
	x.on(spaceLock, l.p, kind)
}

// unlocks: g gives a lock back, be it its own or not.
func (x *execution) unlocks(g *goroutine, l lockRef) {
	if x == nil {
		return
	}
	kind := touchUnlock
	if l.kind == readLock {
		kind = touchRUnlock
	}
	x.on(spaceLock, l.p, kind)
	if h := (hold{uintptr(g.seq), l}); x.holds[h] > 0 {
		x.holds[h]--
		return
	}
	x.on(spaceLock, l.p, touchForeignUnlock)
	x.foreign = x.foreign || l.kind != mutexLock
	for h := range x.holds { // those who hold it do so no more, or may not
		if h.lock == l {
			x.holds[h] = 0
		}
	}
}

// waits is Wait, or a moment in which a WaitGroup is not to be used again.
func (x *execution) waits(wg *sync.WaitGroup) {
	x.on(spaceWaitGroup, unsafe.Pointer(wg), touchWait)
	if x != nil && x.misuse {
		x.on(spaceWaitGroup, unsafe.Pointer(wg), touchAny)
	}
}

// stopsInWaitGroups: runs of an exhaustive exploration stop within the operations of
// WaitGroups only if one may be used again too early.
func (s *run) stopsInWaitGroups() bool { return s.exec == nil || s.exec.misuse }

// atomic is an operation of package sync/atomic. One without a guard of its own, which
// is not seen to come, counts as a call of uninstrumented code.
func (x *execution) atomic(g *goroutine, p unsafe.Pointer, e atomicEffect) {
	if x == nil || g == nil {
		return
	}
	x.on(spaceAtomic, p, e.touch())
	if g.op != opAtomic || g.obj != p {
		x.calls(g)
	}
}

// communicated: g has completed c on the real channel.
func (x *execution) communicated(g *goroutine, c Case) {
	if x == nil {
		return
	}
	a := act{kind: actSend, g: g.seq, n: c.capacity(), object: syncKey{p: c.channel()}}
	switch {
	case c.sends():
	case c.received():
		a.kind = actRecv
	default:
		a.kind = actClosed
	}
	x.act(a)
}

// closes: g closes a channel. Selects that this completes take no other case.
func (x *execution) closes(g *goroutine, p unsafe.Pointer) {
	if x == nil {
		return
	}
	if x.closed == nil {
		x.closed = make(map[unsafe.Pointer]bool)
	}
	x.closed[p] = true
	x.owns(p)
	x.on(spaceChan, p, touchClose)
	x.act(act{kind: actClose, g: g.seq, object: syncKey{p: p}})
}

// groupOf says with which others a statement may race. Without an exploration that finds
// out, it may with all.
func (x *execution) groupOf(site Site) accessGroup {
	if x == nil {
		return accessGroup{group: 1, writes: true}
	}
	return x.accesses[site]
}

// owned: the program has sent on the channel, or closed it, as far as that is known.
func (x *execution) owned(p unsafe.Pointer) bool { return x == nil || x.own[p] }

func (x *execution) owns(p unsafe.Pointer) {
	if x.own == nil {
		x.own = make(map[unsafe.Pointer]bool)
	}
	x.own[p] = true
}

// communicates begins a communication; the result identifies it to completes.
func (x *execution) communicates(g *goroutine, hasDefault bool) int {
	if x == nil || len(x.events) == 0 {
		return -1
	}
	for _, c := range g.cases {
		if c.sends() && c.channel() != nil {
			x.owns(c.channel())
		}
	}
	x.comms = append(x.comms, communication{
		event: int32(len(x.events) - 1), end: -1, hasDefault: hasDefault, chosen: pending,
		cases: append([]Case(nil), g.cases...),
	})
	x.changed = append(x.changed, len(x.comms)-1)
	return len(x.comms) - 1
}

// completes ends a communication.
func (x *execution) completes(id, chosen int) {
	if x == nil || id < 0 {
		return
	}
	x.changed = append(x.changed, id)
	c := &x.comms[id]
	c.chosen, c.end = chosen, int32(len(x.events)-1)
	if chosen >= 0 {
		k := c.cases[chosen]
		c.value = k.sends() || k.received()
	}
}

// touchesOf adds what a communication touches, as far as is known by now, to the
// steps in which it began and ended.
func (x *execution) touchesOf(c *communication) {
	began := &x.events[c.event]
	add := func(e *event, k Case, kind touchKind) {
		e.touch(touch{touched{space: spaceChan, p: k.channel()}, kind})
	}
	now := c.end == c.event
	for i, k := range c.cases {
		if k.channel() == nil {
			continue
		}
		taken := i == c.chosen
		// Who does not find a case ready stands in the queues of all of them, so others meet it at each
		// one: then the cases that were not taken are touched, too. A default, or a case taken at once,
		// leaves it in no queue.
		if taken || !now {
			switch {
			case k.sends():
				add(began, k, touchSend)
			case !taken:
				add(began, k, touchRecvQueued)
			case c.value:
				add(began, k, touchRecv)
			default:
				add(began, k, touchRecvClosed)
			}
		}
		if taken && c.value {
			add(began, k, filled(k))
		}
		if !taken && c.end >= 0 || c.hasDefault {
			ended := &x.events[max(c.end, c.event)]
			add(began, k, offer(k)) // later it might have been ready
			add(ended, k, offer(k))
			if x.timeCommutes && !k.sends() && k.event() && !now { // who has begun it waits for time no more
				ended.touch(touch{touched{space: spaceDeadlines}, touchDue})
			}
		}
		if !k.sends() && k.event() && !x.own[k.channel()] {
			began.touch(touch{touched{space: spaceLibrary}, touchLibrarySee})
		}
	}
}

// offersOfPartners adds what has let a select take a case at once: the send of the value that
// it has received, the receive that has made room for its own. Had the select been there
// before, it would have queued, and that step would have decided against its other cases.
func (x *execution) offersOfPartners() {
	found := false
	for i := range x.comms {
		found = found || x.comms[i].takesAtOnce()
	}
	if !found {
		return
	}
	x.byEnd = x.byEnd[:0]
	for i := range x.comms {
		if c := &x.comms[i]; c.end >= 0 && c.chosen >= 0 && c.value {
			x.byEnd = append(x.byEnd, int32(i))
		}
	}
	slices.SortStableFunc(x.byEnd, func(i, j int32) int { return cmp.Compare(x.comms[i].end, x.comms[j].end) })
	// The k-th value that is received is that of the k-th send, which needs a place that
	// receive k-C has made, C being the capacity.
	sends, recvs := make(map[unsafe.Pointer][]int32), make(map[unsafe.Pointer][]int32)
	for _, i := range x.byEnd {
		k := x.comms[i].cases[x.comms[i].chosen]
		list := recvs
		if k.sends() {
			list = sends
		}
		list[k.channel()] = append(list[k.channel()], i)
	}
	sent, received := make(map[unsafe.Pointer]int), make(map[unsafe.Pointer]int)
	for _, i := range x.byEnd {
		k := x.comms[i].cases[x.comms[i].chosen]
		p := k.channel()
		list, counts, n := sends[p], received, received[p]
		if k.sends() {
			list, counts, n = recvs[p], sent, sent[p]-k.capacity()
		}
		counts[p]++
		if n >= 0 && n < len(list) {
			x.partner(i, list[n])
		}
	}
}

// takesAtOnce: a select, without a default, has taken one of several cases when it began.
func (c *communication) takesAtOnce() bool {
	return len(c.cases) > 1 && !c.hasDefault && c.chosen >= 0 && c.end == c.event
}

// partner adds what a select offers that has taken a case at once to the steps of the
// communication that has let it.
func (x *execution) partner(of, by int32) {
	c, d := &x.comms[of], &x.comms[by]
	if !c.takesAtOnce() {
		return
	}
	for i, k := range c.cases {
		if i == c.chosen || k.channel() == nil {
			continue
		}
		t := touch{touched{space: spaceChan, p: k.channel()}, offer(k)}
		x.events[d.event].touch(t)
		x.events[d.end].touch(t)
	}
}

func filled(k Case) touchKind {
	if k.sends() {
		return touchFilled
	}
	return touchTaken
}

func offer(k Case) touchKind {
	if k.sends() {
		return touchOfferSend
	}
	return touchOfferRecv
}

// waiting adds, at the end of the run, the steps that goroutines would do if what keeps
// them at their guards came later, or not at all.
func (x *execution) waiting(s *run) {
	if x == nil {
		return
	}
	for _, g := range s.live {
		if g.state == parked && !s.enabled(g) {
			x.begin(event{g: g.seq, node: -1, site: g.site, waits: true})
			e := &x.events[len(x.events)-1]
			e.touches = s.mayTouch(g, e.touches)
		}
	}
}

// Reached says that a statement is executed in which something is not guarded, or an
// access to memory not recorded, by the number that it has in the diagnostics.
func Reached(n int) {
	if s := active.Load(); s != nil && s.exec != nil {
		s.reach(n)
	}
}

// Dated is Reached for a statement that decides by a number that the clock shows, in runs that call Timed, be it later: the
// statement itself may be what leads to a time. In a bubble of the program's own the clock begins at the same time in all runs.
func Dated(n int) {
	s := active.Load()
	if s == nil || s.exec == nil || s.bubbles > 0 {
		return
	}
	s.reaching.Lock()
	defer s.reaching.Unlock()
	if timedBefore.Load() || s.timed {
		s.noteReached(n)
		return
	}
	if s.dated == nil {
		s.dated = make(map[int]bool)
	}
	s.dated[n] = true
}

// Timed says that a statement is executed which may give the program a time.
func Timed() {
	s := active.Load()
	if s == nil {
		timedBefore.Store(true)
		return
	}
	s.reaching.Lock()
	defer s.reaching.Unlock()
	s.timed = true
	for n := range s.dated {
		s.noteReached(n)
	}
	clear(s.dated)
}

// timedBefore: the program had a time before it was run.
var timedBefore atomic.Bool

func (s *run) reach(n int) {
	s.reaching.Lock() // goroutines outside control come here at any time
	defer s.reaching.Unlock()
	s.noteReached(n)
}

func (s *run) noteReached(n int) {
	if s.exec.reached == nil {
		s.exec.reached = make(map[int]bool)
	}
	s.exec.reached[n] = true
}

// reset makes the execution ready for another run.
func (x *execution) reset() {
	clear(x.acts)
	clear(x.comms)
	for i := range x.events {
		clear(x.events[i].touches)
	}
	x.changed = x.changed[:0]
	x.unguarded, x.drawn, x.repeated = false, x.drawn[:0], x.repeated[:0]
	x.cutRanges, x.unchosen = x.cutRanges[:0], x.unchosen[:0]
	x.names, x.events, x.comms, x.acts = x.names[:0], x.events[:0], x.comms[:0], x.acts[:0]
	clear(x.closed)
	clear(x.own)
	clear(x.holds)
	clear(x.spawned)
	x.spawned, x.distinct, x.counting, x.symmetric = x.spawned[:0], x.distinct[:0], x.counting[:0], false
	x.readBetween, x.written = x.readBetween[:0], false
	x.next, x.behind, x.idle = -1, 0, false
}
