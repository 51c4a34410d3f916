//go:build go1.25

package orcruntime

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// The operations of a recorded program. Each does what the original does, between two records.

func (r *recorder) send(site Site, c Case) {
	obj := r.channel(c.channel(), c.capacity())
	r.begin(recSend, site, obj)
	defer r.panicked(r.tag)
	c.block()
	r.done(0)
}

// received records a receive that has been done, perhaps of an event: who sends that is not known, and it says nothing.
func (r *recorder) received(p unsafe.Pointer, partner uint64, ok, event bool) {
	flags := byte(0)
	if !ok {
		partner, flags = atomic.LoadUint64(&channelOf(p).closer), postClosed
	}
	r.doneWith(flags, partner)
	if !ok || !event {
		r.learns(partner)
	}
}

func recvRecorded[T any](r *recorder, site Site, ch <-chan T) (T, bool) {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&ch))
	r.begin(recRecv, site, r.channel(p, cap(ch)))
	v, ok := <-ch
	r.received(p, r.state.met(), ok, isEvent[T]())
	return v, ok
}

// receive is recvRecorded of a case.
func (r *recorder) receive(site Site, c Case) {
	p := c.channel()
	r.begin(recRecv, site, r.channel(p, c.capacity()))
	c.block()
	r.received(p, r.state.met(), c.received(), c.event())
}

func (r *recorder) close(site Site, p unsafe.Pointer, capacity int, closes func()) {
	r.begin(recClose, site, r.channel(p, capacity))
	defer r.panicked(r.tag)
	if p != nil {
		noteCloser(p, r.tag)
	}
	closes()
	r.doneWith(0, 0)
}

// selecting writes that a select statement is about to be done.
func (r *recorder) selecting(site Site, hasDefault bool, cases []Case) {
	// What is new is written first, as it may not come within another record.
	for _, c := range cases {
		r.channel(c.channel(), c.capacity())
	}
	r.comes()
	b := r.room(2*maxRecord + 11*len(cases)) // with room to spare behind each number
	at := 0
	piece := func() *[maxRecord]byte { return (*[maxRecord]byte)(b[at:]) }
	head := piece()
	head[0] = recSelect
	if hasDefault {
		head[0] |= recDefault
	}
	at = putUvarint(head, 1, uint64(site))
	at += putUvarint(piece(), 0, uint64(len(cases)))
	for _, c := range cases {
		v := numberOf(c.channel()) << 1
		if !c.sends() {
			v |= 1
		}
		at += putUvarint(piece(), 0, v)
	}
	r.wrote(at)
	r.start()
}

// selects is the select statement.
func (r *recorder) selects(site Site, hasDefault bool, cases []Case) int {
	r.selecting(site, hasDefault, cases)
	defer r.selectPanicked(r.tag, cases)
	i := realSelect(hasDefault, cases)
	switch {
	case i < 0:
		r.selected(i, 0, 0)
	case cases[i].sends():
		r.selected(i, 0, r.state.met())
	default:
		r.selectedReceive(i, cases[i], r.state.met())
	}
	return i
}

// numberOf is the number of a channel that has one.
func numberOf(p unsafe.Pointer) uint64 {
	if p == nil {
		return 0
	}
	return atomic.LoadUint64(&channelOf(p).id)
}

// selected records the case that a select has taken.
func (r *recorder) selected(i int, flags byte, partner uint64) {
	b := r.record()
	r.doing(0)
	n := putPost(b, 0, flags, partner, 0)
	r.wrote(putVarint(b, n, int64(i)))
	r.goesOn()
}

// selectedReceive records the receive that a select has done, of what a partner has sent if it is a value.
func (r *recorder) selectedReceive(i int, c Case, partner uint64) {
	flags := byte(0)
	if !c.received() {
		partner, flags = atomic.LoadUint64(&channelOf(c.channel()).closer), postClosed
	}
	r.selected(i, flags, partner)
	if !c.received() || !c.event() {
		r.learns(partner)
	}
}

// selectPanicked is deferred around a select, of which a send on a closed channel panics: the first
// that has been closed, for all that is known.
func (r *recorder) selectPanicked(tag uint64, cases []Case) {
	if r.tag != tag {
		return
	}
	at := -1
	for i, c := range cases {
		if !c.sends() || c.channel() == nil {
			continue
		}
		if at < 0 {
			at = i
		}
		if atomic.LoadUint64(&channelOf(c.channel()).closer) != 0 {
			at = i
			break
		}
	}
	if at >= 0 {
		r.selected(at, postPanicked, 0)
	}
}

// lock finds a lock.
func (r *recorder) lock(l lockRef) *usedObject {
	if l.kind == mutexLock {
		return r.knows(recMutex, l.p)
	}
	return r.knows(recRWMutex, l.p)
}

// after is the partner of who has a lock: the operation that has unlocked it last.
func (s *usedObject) after() uint64 {
	if last := s.last.Load(); last != 0 {
		return last
	}
	return nobodyBefore
}

func (r *recorder) locks(site Site, l lockRef) {
	op := recLock
	if l.kind == readLock {
		op = recRLock
	}
	s := r.lock(l)
	if l.try() {
		r.whole(op, site, s.id, s.after(), 0)
		return
	}
	r.begin(op, site, s.id)
	lockOutside(l)
	r.doneWith(0, s.after())
}

func (r *recorder) tries(site Site, l lockRef) bool {
	op := recTryLock
	if l.kind == readLock {
		op = recTryRLock
	}
	s := r.lock(l)
	r.begin(op, site, s.id)
	ok := l.try()
	if ok {
		r.doneWith(0, s.after())
	} else {
		r.doneWith(postClosed, 0)
	}
	return ok
}

func (r *recorder) unlocks(site Site, l lockRef) {
	s := r.lock(l)
	r.releases(site, l, s)
	l.unlock()
	r.doneWith(0, 0)
}

// releases begins to unlock a lock that is held.
func (r *recorder) releases(site Site, l lockRef, s *usedObject) {
	if l.kind == readLock {
		r.begin(recRUnlock, site, s.id)
		return
	}
	r.begin(recUnlock, site, s.id)
	s.last.Store(r.tag)
}

// adds is wg.Add(n), or Done, which do does.
func (r *recorder) adds(site Site, wg *sync.WaitGroup, n int) {
	s := r.knows(recWaitGroup, unsafe.Pointer(wg))
	defer r.panicked(r.addsOnly(site, s, n))
	counter, place := s.counts(n)
	wg.Add(n)
	r.counted(counter, place)
}

// addsOnly writes that n is about to be added.
func (r *recorder) addsOnly(site Site, s *usedObject, n int) uint64 {
	r.comes()
	b := r.record()
	b[0] = recAdd
	k := putUvarint(b, 1, uint64(site))
	k = putUvarint(b, k, s.id)
	r.wrote(putVarint(b, k, int64(n)))
	r.start()
	return r.tag
}

func (r *recorder) counted(counter int, place uint64) {
	b := r.record()
	r.doing(0)
	b[0] = recPost | postCounted | postSeq
	n := putVarint(b, 1, int64(counter))
	r.wrote(putUvarint(b, n, place))
	r.goesOn()
}

func (r *recorder) waits(site Site, wg *sync.WaitGroup) {
	s := r.knows(recWaitGroup, unsafe.Pointer(wg))
	r.begin(recWait, site, s.id)
	defer r.panicked(r.tag)
	wg.Wait()
	r.doneInOrder(0, 0, s.place())
}

// wgGoes is wg.Go(f).
func (r *recorder) wgGoes(site Site, wg *sync.WaitGroup, f func()) {
	s := r.knows(recWaitGroup, unsafe.Pointer(wg))
	r.addsOnly(site, s, 1)
	counter, place := s.counts(1)
	r.counted(counter, place)
	child := r.goes(site)
	wg.Go(r.started(child, func() {
		f()
		if r := recording(); r != nil {
			r.addsOnly(site, s, -1)
			counter, place := s.counts(-1)
			r.counted(counter, place)
		}
	}))
	r.doing(0)
}

func (r *recorder) once(site Site, o *sync.Once, f func()) {
	s := r.knows(recOnceObject, unsafe.Pointer(o))
	r.begin(recOnce, site, s.id)
	tag := r.tag
	r.doing(0)
	ran, returned := false, false
	var place uint64
	defer func() { r.onceEnded(s, ran, returned, place) }()
	o.Do(func() {
		ran = true
		defer func() {
			s.last.Store(tag)
			place = s.place()
		}()
		f()
		returned = true
	})
}

// onceEnded writes that a call of Once.Do has ended: whether it was the one that has called the function, which has
// returned or not, and at which place that was in the order of the calls.
func (r *recorder) onceEnded(s *usedObject, ran, returned bool, place uint64) {
	flags, partner := byte(0), uint64(0)
	switch {
	case !ran:
		partner, place = s.last.Load(), s.place()
	case returned:
		flags = postRan
	default:
		flags = postRan | postPanicked
	}
	r.doneInOrder(flags, partner, place)
}

func (r *recorder) condWaits(site Site, c *sync.Cond) {
	s := r.knows(recCond, unsafe.Pointer(c))
	r.begin(recCondWait, site, s.id)
	tag := r.tag
	l, ok := lockBehind(c.L)
	var held *usedObject
	if ok {
		held = r.lock(l)
		r.releases(site, l, held)
		r.doneWith(0, 0)
	}
	r.doing(tag)
	defer r.panicked(tag)
	c.Wait()
	r.doneInOrder(0, r.state.met(), s.place())
	if ok {
		op := recLock
		if l.kind == readLock {
			op = recRLock
		}
		r.begin(op, site, held.id)
		r.doneWith(0, held.after())
	}
}

func (r *recorder) signals(op byte, site Site, c *sync.Cond, do func()) {
	s := r.knows(recCond, unsafe.Pointer(c))
	r.begin(op, site, s.id)
	place := s.place()
	defer r.panicked(r.tag)
	do()
	r.doneInOrder(0, 0, place)
}

// atomically does an atomic operation in an order that is known. do reports what it was, and
// whether it has stored.
func (r *recorder) atomically(site Site, p unsafe.Pointer, do func() byte) {
	r.comes()
	r.inOrder(site, r.knows(recAtomic, p), do)
	r.goesOn()
}

// pooled writes that a value was put into a sync.Pool, as a store, or comes from one, as a load: that is how one who has got
// it comes behind who has put it there. There is no place for that in the source, as what Get returns is chosen otherwise.
func (r *recorder) pooled(x any, op byte) {
	if r == nil || x == nil {
		return
	}
	r.comes()
	value := (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1]
	r.inOrder(0, r.knows(recPooled, value), func() byte { return op })
	r.goesOn()
}

// inOrder is atomically for an object, of which only the operation is recorded.
func (r *recorder) inOrder(site Site, s *usedObject, do func() byte) {
	s.mu.Lock()
	op := do()
	partner := s.stored
	if op == recStore {
		partner = 0
	}
	if op != recLoad {
		atomic.StoreUint64(&s.stored, r.next)
	}
	s.places++
	place := s.places
	s.mu.Unlock()
	r.writeWhole(op, site, s.id, partner, place)
}

// starts is the go statement.
func (r *recorder) starts(site Site, f func()) {
	go r.started(r.goes(site), f)()
	r.doing(0)
}

// callback is f for a goroutine that a library will start, as time.AfterFunc does, each time that
// it calls f. Unless that is when it is time, the library knows of something that has been done.
func (r *recorder) callback(site Site, f func(), timed bool) func() {
	child := r.goes(site)
	creator := r.tag
	r.doing(0)
	var called atomic.Bool
	return func() {
		if !recordings.on.Load() || localOf().recorder() != nil {
			f()
			return
		}
		id := child
		if called.Swap(true) {
			id = newGoroutine()
		}
		s := localOf()
		_, by := s.origin()
		c := beginRecorder(s, id, creator)
		returned := false
		defer func() { c.end(returned) }()
		switch {
		case timed:
		case by != 0: // as who cancels a context
			c.comesBehind(c.variable(), by)
		default:
			c.passLibrary(0)
		}
		f()
		returned = true
	}
}
