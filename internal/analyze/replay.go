package analyze

import (
	"slices"

	"github.com/vtrace/vtrace/internal/trace"
)

// clocks are the vector clocks of a trace for one order of its operations.
type clocks struct {
	p     *program
	s     *store
	pre   [][]stamp
	post  [][]stamp // base -1 if the operation was not completed
	order []trace.Ref
	// lockAt is, of an operation that has taken a lock, its place in the order of those of the lock, from 1.
	lockAt [][]int32
	// forced are operations that were completed though what they wait for was not recorded.
	forced []trace.Ref
}

// preOf is the clock with which an operation was begun.
func (c *clocks) preOf(r trace.Ref) stamp { return c.pre[r.Goroutine-1][r.PC-1] }

// postOf is the clock with which an operation was completed; false if it was not.
func (c *clocks) postOf(r trace.Ref) (stamp, bool) {
	s := c.post[r.Goroutine-1][r.PC-1]
	return s, s.base >= 0
}

// before reports whether the first operation was completed before the second one was begun, in
// every reordering that keeps what the trace says of partners.
func (c *clocks) before(a, b trace.Ref) bool {
	if a.Goroutine == b.Goroutine {
		return a.PC < b.PC
	}
	// What was done inside of an operation, as in the function of a Once, has told others of its
	// beginning, and not of its end: the clock of that has the last operation inside.
	return c.endedBy(a, c.known(b, int32(a.Goroutine-1)))
}

// known is the component of another goroutine in the clock with which an operation was begun.
func (c *clocks) known(r trace.Ref, g int32) int32 { return c.s.component(c.preOf(r), g) }

// endedBy reports whether an operation was completed when its goroutine had the time n.
func (c *clocks) endedBy(r trace.Ref, n int32) bool {
	end, ok := c.postOf(r)
	return ok && end.own <= n
}

// concurrent reports whether both operations can be about to be done at once.
func (c *clocks) concurrent(a, b trace.Ref) bool {
	return a.Goroutine != b.Goroutine && !c.before(a, b) && !c.before(b, a)
}

// choice is an operation that could be next where the order is not recorded.
type choice struct {
	g      int32
	object trace.ObjectID
}

// slotted is a value in a buffered channel.
type slotted struct {
	by trace.Ref
	at stamp
}

// object is the state of an object in a replay.
type object struct {
	// Channels.
	full     []slotted // oldest first
	untouch  int       // slots that no value has been in
	freed    []stamp   // clocks of the receives that have freed the other slots, oldest first
	closedAt stamp
	closed   bool
	taken    map[int32]int // how many of the expected sends of a receiver were done
	sent     int           // how many sends were done that are received
	// Locks.
	held        bool
	readers     int
	last        trace.Ref // the OpUnlock before, First if there was none
	readersDone int       // read locks since then
	written     stamp     // clock of the last OpUnlock; of memory, of the last write
	reads       *running  // join of the clocks of OpRUnlock
	acquired    int32
	// Others.
	sum     *running // join of the clocks of what others wait for
	counter int64
	ran     bool
	nextSeq int // index into program.seqs

	waiters []int32 // goroutines that go on when something changes
}

// local is the state of a goroutine in a replay.
type local struct {
	pos     int
	begun   bool // the pre part of the event at pos was done
	started bool
	queued  bool
	chooses bool // stands at an operation that needs a choice
	clock   running
	waiters []int32
}

// replayer replays a program once.
type replayer struct {
	*clocks
	// weak leaves out the order of critical sections. It has that of what was written and read, if sources is not nil.
	weak    bool
	sources sources
	// asks says that the order of operations on objects of program.choice is chosen by choose.
	asks    bool
	choose  func(enabled []choice) int
	objects []object
	locals  []local
	queue   []int32
	left    int // events that are not replayed
	work    int
	memory  int64 // how many bytes the vectors may have
	full    bool  // the vectors need too much memory
	live    int64 // goroutines that have a vector of their own
}

var never = stamp{base: -1, g: -1}

func newReplayer(p *program, weak bool, memory int64) *replayer {
	n := len(p.t.Goroutines)
	c := &clocks{p: p, s: newStore(n), pre: make([][]stamp, n), post: make([][]stamp, n), lockAt: make([][]int32, n)}
	r := &replayer{clocks: c, weak: weak, memory: memory, objects: make([]object, len(p.t.Objects)+1), locals: make([]local, n)}
	c.order = make([]trace.Ref, 0, p.events)
	spawned := make([]bool, n)
	p.eachPost(func(_ trace.Ref, e *trace.Event) {
		if e.Op == trace.OpGo {
			spawned[e.Partner.Goroutine-1] = true
		}
	})
	for i := range r.objects {
		r.objects[i].last = trace.First
		r.objects[i].untouch = p.t.Object(trace.ObjectID(i)).Cap
		r.objects[i].closedAt, r.objects[i].written = never, never
	}
	for g := range r.locals {
		c.pre[g] = make([]stamp, len(p.ops[g]))
		c.post[g] = make([]stamp, len(p.ops[g]))
		c.lockAt[g] = make([]int32, len(p.ops[g]))
		for i := range c.post[g] {
			c.pre[g][i], c.post[g][i] = never, never
		}
		r.left += len(p.t.Goroutines[g].Events)
		if !spawned[g] {
			r.start(int32(g))
		}
	}
	return r
}

// fits reports whether there is memory for all vectors, and notes if there is not.
func (r *replayer) fits() bool {
	r.full = r.full || (int64(r.s.count)+r.live)*int64(r.s.n)*4 > r.memory
	return !r.full
}

// start lets a goroutine begin.
func (r *replayer) start(g int32) {
	r.locals[g].started = true
	if len(r.p.ops[g]) > 0 {
		r.live++
		if r.fits() {
			r.locals[g].clock.v = make([]int32, len(r.locals))
		}
	}
	r.enqueue(g)
}

func (r *replayer) enqueue(g int32) {
	if l := &r.locals[g]; !l.queued && l.started {
		l.queued = true
		r.queue = append(r.queue, g)
	}
}

// wake lets those go on that wait for a change of an object.
func (r *replayer) wake(o *object) {
	for _, g := range o.waiters {
		r.enqueue(g)
	}
	o.waiters = o.waiters[:0]
}

// run replays until nothing can go on, and reports whether everything was replayed. With force
// it completes what cannot be completed.
func (r *replayer) run(force bool) bool {
	for {
		for len(r.queue) > 0 {
			if r.full || !r.fits() {
				return false
			}
			g := r.queue[0]
			r.queue = r.queue[1:]
			r.locals[g].queued = false
			r.burst(g)
		}
		if r.left == 0 {
			return true
		}
		if r.asks {
			if enabled := r.enabled(); len(enabled) > 0 {
				i := r.choose(enabled)
				if i < 0 {
					return false
				}
				g := enabled[i].g
				r.finish(g, false)
				r.advance(g)
				r.wakeGoroutine(g)
				r.burst(g)
				continue
			}
		}
		if !force || !r.force() {
			return false
		}
	}
}

// burst goes on with a goroutine until it has to wait.
func (r *replayer) burst(g int32) {
	l := &r.locals[g]
	l.chooses = false
	events := r.p.t.Goroutines[g].Events
	moved := false
	for l.pos < len(events) {
		r.work++
		e := &events[l.pos]
		r.begin(g, e)
		if e.Phase.HasPost() {
			if r.asks && r.needsChoice(g, e) {
				l.chooses = true
				break
			}
			if !r.finish(g, false) {
				break
			}
		}
		moved = true
		r.advance(g)
	}
	if moved {
		r.wakeGoroutine(g)
	}
}

// advance goes to the next event.
func (r *replayer) advance(g int32) {
	l := &r.locals[g]
	l.pos++
	l.begun = false
	r.left--
	if l.pos == len(r.p.t.Goroutines[g].Events) {
		l.clock.v = nil
		r.live--
	}
}

// begin does the pre part of an event.
func (r *replayer) begin(g int32, e *trace.Event) {
	l := &r.locals[g]
	if l.begun {
		return
	}
	l.begun = true
	if e.Phase.HasPre() {
		l.clock.v[g] = e.PC
		r.pre[g][e.PC-1] = l.clock.keep(r.s, g)
		if e.Phase == trace.Pre {
			// Who waits for the operation, to which there is no end, goes on when it has begun.
			if peer := r.p.ops[g][e.PC-1].peer; peer.Known() {
				r.enqueue(int32(peer.Goroutine - 1))
			}
		}
	}
}

// needsChoice reports whether an event is one of which the order is to be chosen.
func (r *replayer) needsChoice(g int32, e *trace.Event) bool {
	o := &r.p.ops[g][e.PC-1]
	if !r.p.choice[o.object] {
		return false
	}
	switch r.p.t.Object(o.object).Kind {
	case trace.Chan:
		return o.op == trace.OpSend && !e.Has(trace.Panicked)
	default:
		return isLock(o.op) && !e.Has(trace.Failed)
	}
}

// enabled are the choices there are, by goroutine.
func (r *replayer) enabled() []choice {
	var out []choice
	for g := range r.locals {
		if l := &r.locals[g]; l.chooses {
			e := r.p.event(int32(g), int32(l.pos))
			o := &r.p.ops[g][e.PC-1]
			if r.possible(int32(g), e, o) {
				out = append(out, choice{int32(g), o.object})
			}
		}
	}
	return out
}

// possible reports whether an operation of which the order is to be chosen can be done.
func (r *replayer) possible(g int32, e *trace.Event, o *opInfo) bool {
	ob := &r.objects[o.object]
	if o.op == trace.OpSend {
		return ob.untouch+len(ob.freed) > 0 && r.mayBeNext(ref(g, e.PC), o)
	}
	return r.lockFree(e, ob)
}

func ref(g, pc int32) trace.Ref { return trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: pc} }

// mayBeNext reports whether the receives allow a value to be the next one in a buffered channel:
// those for a goroutine come in the order of its receives, those for nobody behind all others.
func (r *replayer) mayBeNext(by trace.Ref, o *opInfo) bool {
	ob := &r.objects[o.object]
	if !o.peer.Known() {
		return ob.sent >= r.p.received[o.object]
	}
	to := int32(o.peer.Goroutine - 1)
	list := r.p.expected[o.object][to]
	n := ob.taken[to]
	return n < len(list) && list[n] == by
}

// finish does the post part of the event at which a goroutine stands, and reports whether that was
// possible. With force it is.
func (r *replayer) finish(g int32, force bool) bool {
	l := &r.locals[g]
	e := r.p.event(g, int32(l.pos))
	o := &r.p.ops[g][e.PC-1]
	ob := &r.objects[o.object]
	if e.Seq > 0 {
		at := &r.objects[e.Object]
		if at.nextSeq < len(r.p.seqs[e.Object]) && r.p.seqs[e.Object][at.nextSeq] != e.Seq && !force {
			at.waiters = append(at.waiters, g)
			return false
		}
	}
	done := true
	switch {
	case e.Has(trace.Panicked):
		if o.op == trace.OpSend || o.op == trace.OpClose {
			done = r.seesClose(g, ob, o, force)
		}
	case o.op == trace.OpSend:
		done = r.send(g, e, o, ob, force)
	case o.op == trace.OpRecv:
		done = r.receive(g, e, o, ob, force)
	case o.op == trace.OpClose:
		ob.closed, ob.closedAt = true, l.clock.keep(r.s, g)
		r.wake(ob)
	case o.op == trace.OpGo:
		child := int32(e.Partner.Goroutine - 1)
		r.start(child)
		if c := &r.locals[child].clock; c.v != nil {
			c.join(r.s, l.clock.keep(r.s, g), child)
		}
	case isLock(o.op):
		done = e.Has(trace.Failed) || r.lock(g, e, ob, force)
	case o.op == trace.OpUnlock || o.op == trace.OpRUnlock:
		r.unlock(g, e, ob)
	default:
		done = r.other(g, e, ob, force)
	}
	if !done {
		return false
	}
	if e.Seq > 0 {
		at := &r.objects[e.Object]
		at.nextSeq++
		r.wake(at)
	}
	r.completed(g, e.PC)
	return true
}

// completed keeps the clock of a completed operation.
func (r *replayer) completed(g, pc int32) {
	r.post[g][pc-1] = r.locals[g].clock.keep(r.s, g)
	r.order = append(r.order, ref(g, pc))
}

// seesClose orders an operation that panics behind the close of the channel.
func (r *replayer) seesClose(g int32, ob *object, o *opInfo, force bool) bool {
	if !r.p.closed[o.object] {
		return true
	}
	if !ob.closed && !force {
		ob.waiters = append(ob.waiters, g)
		return false
	}
	if ob.closed {
		r.locals[g].clock.join(r.s, ob.closedAt, g)
	}
	return true
}

// standsAt reports whether a goroutine has begun an operation and not gone on; it may be one of which
// the end was not recorded.
func (r *replayer) standsAt(a trace.Ref) (at, unended bool) {
	g := int32(a.Goroutine - 1)
	l := &r.locals[g]
	if r.p.info(a).post < 0 {
		return r.pre[g][a.PC-1].base >= 0, true
	}
	if l.pos >= len(r.p.t.Goroutines[g].Events) {
		return false, false
	}
	e := r.p.event(g, int32(l.pos))
	return l.begun && e.PC == a.PC && e.Phase.HasPost(), false
}

// meet completes both sides of a communication over an unbuffered channel, but for advancing g.
func (r *replayer) meet(g int32, peer trace.Ref, force bool) bool {
	other := int32(peer.Goroutine - 1)
	at, unended := r.standsAt(peer)
	if !at {
		if force {
			if s, ok := r.postOf(peer); ok {
				r.locals[g].clock.join(r.s, s, g)
			}
		}
		return force
	}
	a, b := &r.locals[g].clock, &r.locals[other].clock
	if unended {
		a.join(r.s, r.pre[other][peer.PC-1], g)
		return true
	}
	a.join(r.s, b.keep(r.s, other), g)
	mine := a.keep(r.s, g)
	// Both have the same clock now.
	copy(b.v, a.v)
	b.base, b.dirty = mine.base, false
	r.completed(other, peer.PC)
	r.advance(other)
	r.enqueue(other)
	r.wakeGoroutine(other)
	return true
}

// wakeGoroutine lets those go on that wait for an operation of a goroutine.
func (r *replayer) wakeGoroutine(g int32) {
	l := &r.locals[g]
	for _, w := range l.waiters {
		r.enqueue(w)
	}
	l.waiters = l.waiters[:0]
}

func (r *replayer) send(g int32, e *trace.Event, o *opInfo, ob *object, force bool) bool {
	if r.p.t.Object(o.object).Cap == 0 {
		return !o.peer.Known() || r.meet(g, o.peer, force)
	}
	if r.p.loose[o.object] {
		return true
	}
	l := &r.locals[g]
	by := ref(g, e.PC)
	if !force && (ob.untouch+len(ob.freed) == 0 || !r.mayBeNext(by, o)) {
		ob.waiters = append(ob.waiters, g)
		return false
	}
	switch {
	case ob.untouch > 0:
		ob.untouch--
	case len(ob.freed) > 0:
		l.clock.join(r.s, ob.freed[0], g)
		ob.freed = ob.freed[1:]
	}
	if o.peer.Known() {
		if ob.taken == nil {
			ob.taken = map[int32]int{}
		}
		ob.taken[int32(o.peer.Goroutine-1)]++
		ob.sent++
	}
	ob.full = append(ob.full, slotted{by, l.clock.keep(r.s, g)})
	if len(ob.full) == 1 {
		r.wakeReceiver(ob)
	}
	r.wake(ob)
	return true
}

func (r *replayer) receive(g int32, e *trace.Event, o *opInfo, ob *object, force bool) bool {
	l := &r.locals[g]
	switch {
	case e.Has(trace.Closed):
		return r.seesClose(g, ob, o, force)
	case !o.peer.Known():
		return true // who has sent it is not recorded
	case r.p.t.Object(o.object).Cap == 0:
		return r.meet(g, o.peer, force)
	}
	if r.p.info(o.peer).post < 0 {
		// The send was done, and its end not recorded.
		if begun, _ := r.standsAt(o.peer); !begun && !force {
			return false
		} else if begun {
			l.clock.join(r.s, r.preOf(o.peer), g)
		}
		return true
	}
	if r.p.loose[o.object] {
		return r.behind(g, o.peer, force)
	}
	at := -1
	if len(ob.full) > 0 && ob.full[0].by == o.peer {
		at = 0
	} else if !force {
		return false // until it is the first one
	} else if at = slices.IndexFunc(ob.full, func(s slotted) bool { return s.by == o.peer }); at < 0 {
		return r.behind(g, o.peer, force)
	}
	l.clock.join(r.s, ob.full[at].at, g)
	if at == 0 {
		ob.full = ob.full[1:]
	} else {
		ob.full = slices.Delete(ob.full, at, at+1)
	}
	ob.freed = append(ob.freed, l.clock.keep(r.s, g))
	r.wakeReceiver(ob)
	r.wake(ob)
	return true
}

// wakeReceiver lets the one go on that receives the next value of a buffered channel.
func (r *replayer) wakeReceiver(ob *object) {
	if len(ob.full) > 0 {
		if to := r.p.info(ob.full[0].by).peer; to.Known() {
			r.enqueue(int32(to.Goroutine - 1))
		}
	}
}

// lockFree reports whether a lock can be taken, in the order that is recorded.
func (r *replayer) lockFree(e *trace.Event, ob *object) bool {
	write := e.Op == trace.OpLock || e.Op == trace.OpTryLock
	if ob.held || write && ob.readers > 0 {
		return false
	}
	if e.Partner == trace.Unknown {
		return true
	}
	if e.Partner.Known() && r.p.info(e.Partner) == nil {
		return true // what it names is not recorded
	}
	if ob.last != e.Partner {
		return false
	}
	if !write {
		return true
	}
	// Those who have read since come first.
	expected := r.p.firstReaders[e.Object]
	if e.Partner.Known() {
		expected = r.p.readers[e.Partner]
	}
	return ob.readersDone >= expected
}

func (r *replayer) lock(g int32, e *trace.Event, ob *object, force bool) bool {
	if !force && !r.lockFree(e, ob) {
		ob.waiters = append(ob.waiters, g)
		return false
	}
	l := &r.locals[g]
	if !r.weak && ob.written.base >= 0 {
		l.clock.join(r.s, ob.written, g)
	}
	if e.Op == trace.OpLock || e.Op == trace.OpTryLock {
		if !r.weak && ob.reads != nil {
			l.clock.join(r.s, stampOf(r.s, ob.reads), g)
		}
		ob.held = true
	} else {
		ob.readers++
		ob.readersDone++
		r.wake(ob)
	}
	ob.acquired++
	r.lockAt[g][e.PC-1] = ob.acquired
	return true
}

func (r *replayer) unlock(g int32, e *trace.Event, ob *object) {
	l := &r.locals[g]
	if e.Op == trace.OpUnlock {
		ob.held = false
		ob.last = ref(g, e.PC)
		ob.readersDone = 0
		ob.written = l.clock.keep(r.s, g)
	} else {
		ob.readers = max(0, ob.readers-1)
		r.add(&ob.reads, l, g)
	}
	r.wake(ob)
}

// add joins the clock of a goroutine into a sum.
func (r *replayer) add(sum **running, l *local, g int32) {
	if *sum == nil {
		*sum = &running{v: make([]int32, len(r.locals))}
	}
	(*sum).join(r.s, l.clock.keep(r.s, g), -1)
}

// learn joins a sum into the clock of a goroutine.
func (r *replayer) learn(sum *running, l *local, g int32) {
	if sum != nil {
		l.clock.join(r.s, stampOf(r.s, sum), g)
	}
}

// stampOf keeps a sum, which is the clock of no goroutine.
func stampOf(s *store, sum *running) stamp {
	if sum.dirty {
		sum.base, sum.dirty = s.add(sum.v), false
	}
	return stamp{base: sum.base, g: -1}
}

// other does operations that are on neither channels nor locks.
func (r *replayer) other(g int32, e *trace.Event, ob *object, force bool) bool {
	l := &r.locals[g]
	switch e.Op {
	case trace.OpAdd:
		ob.counter += int64(r.p.event(g, r.p.ops[g][e.PC-1].pre).Delta)
		r.add(&ob.sum, l, g)
		r.wake(ob)
	case trace.OpWait:
		if e.Seq == 0 && ob.counter != 0 && !force {
			ob.waiters = append(ob.waiters, g)
			return false
		}
		r.learn(ob.sum, l, g)
	case trace.OpOnce:
		if e.Has(trace.Ran) {
			ob.ran = true
			r.add(&ob.sum, l, g)
			r.wake(ob)
			return true
		}
		if r.p.ran[e.Object] && !ob.ran && !force {
			ob.waiters = append(ob.waiters, g)
			return false
		}
		r.learn(ob.sum, l, g)
	case trace.OpCondWait:
		return r.behind(g, e.Partner, force)
	case trace.OpWrite:
		if r.sources != nil {
			ob.written = l.clock.keep(r.s, g)
		}
	case trace.OpRead:
		if r.sources != nil && r.sources[g][e.PC-1].Known() && ob.written.base >= 0 {
			l.clock.join(r.s, ob.written, g)
		}
	case trace.OpStore, trace.OpRMW, trace.OpLoad, trace.OpCall:
		if e.Op == trace.OpCall && !r.p.strict {
			return true
		}
		if e.Partner.Known() {
			if !r.behind(g, e.Partner, force) {
				return false
			}
		} else if e.Seq > 0 && e.Op != trace.OpStore {
			r.learn(ob.sum, l, g)
		}
		if e.Seq > 0 && e.Op != trace.OpLoad {
			r.add(&ob.sum, l, g)
		}
	}
	return true
}

// behind orders a goroutine behind an operation of another one, if that is recorded.
func (r *replayer) behind(g int32, a trace.Ref, force bool) bool {
	i := r.p.info(a)
	if i == nil || i.post < 0 {
		return true
	}
	s, ok := r.postOf(a)
	if !ok {
		if force {
			return true
		}
		l := &r.locals[a.Goroutine-1]
		l.waiters = append(l.waiters, g)
		return false
	}
	r.locals[g].clock.join(r.s, s, g)
	return true
}

// force completes the first operation that cannot be completed, and reports whether there is one.
func (r *replayer) force() bool {
	for g := range r.locals {
		l := &r.locals[g]
		if !l.started || l.pos >= len(r.p.t.Goroutines[g].Events) {
			continue
		}
		g := int32(g)
		e := r.p.event(g, int32(l.pos))
		r.forced = append(r.forced, ref(g, e.PC))
		l.chooses = false
		r.finish(g, true)
		r.advance(g)
		r.wakeGoroutine(g)
		r.enqueue(g)
		return true
	}
	for g := range r.locals {
		if !r.locals[g].started {
			r.start(int32(g))
			return true
		}
	}
	return false
}
