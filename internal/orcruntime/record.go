//go:build go1.25

package orcruntime

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// A program that runs free may be recorded: each goroutine writes, into memory of its own that is
// mapped from a file, what it is about to do and what it has done. There is no lock that goroutines
// share but when one needs another chunk of the file, and nothing to be done at the end: what was
// written is in the file, however the process ends.
//
// The events of a goroutine, its payload, are those of docs/trace.md, which says what each byte is.

// EnvRecord names the directory that the file is made in, whose name is that of the process.
const (
	EnvRecord      = "VTRACE_RECORD"
	EnvRecordLimit = "VTRACE_RECORD_LIMIT"
)

// The operations, by their numbers in a trace.
const (
	recSend byte = iota + 1
	recRecv
	recSelect
	recClose
	recGo
	recEnd
	recLock
	recTryLock
	recUnlock
	recRLock
	recTryRLock
	recRUnlock
	recAdd
	recWait
	recOnce
	recCondWait
	recSignal
	recBroadcast
	recLoad
	recStore
	recRMW
	recRead
	recWrite
	recCall
)

// The kinds of objects, by their numbers in a trace.
const (
	recChan byte = iota + 1
	recMutex
	recRWMutex
	recWaitGroup
	recOnceObject
	recCond
	recAtomic
	recMemory
	recNamed // memory that has a name, only where it gets its number
	recLibrary
	recPooled // a value that was in a sync.Pool, which a trace has as an atomic variable
)

// What the first byte of a record is: an operation, with recDefault for a select that has a default
// case; recPost with what follows; or recObject with the kind of an object.
const (
	recDefault byte = 0x80
	recPost    byte = 0x40
	recObject  byte = 0xc0

	postPartner  byte = 1  // a partner follows: a goroutine and its local program counter
	postClosed   byte = 2  // of a receive: the channel was closed; of a Try operation: it has failed
	postPanicked byte = 4  // it has panicked
	postCounted  byte = 8  // a counter follows
	postRan      byte = 16 // a Once has called its function
	postSeq      byte = 32 // a place in the order of operations follows
)

// recordings are on from the initialisation of this package on, if they are.
var recordings struct {
	on   atomic.Bool
	file *recordFile
	// library is all code that is not instrumented.
	library *usedObject
}

// recorder writes what a goroutine does.
type recorder struct {
	state *localState
	// self, tag and next are as in state.
	self, tag, next uint64
	libraryCalls
	passed uint64 // the last call of the library, or return, that is written
	closed uint64 // the variable for what it has learnt from closed channels, 0 if there is none yet

	file  *recordFile
	chunk chunk
	// payload is that of the chunk, n how many bytes of it are used, and used where the chunk says so.
	payload []byte
	n       int
	used    *uint32
	// left: the goroutine ends by runtime.Goexit.
	left bool
	// ofTest: the goroutine is one that package testing runs a test in, as far as that shows: code that is not instrumented
	// has started it, in the first goroutine.
	ofTest bool
}

func init() {
	dir := os.Getenv(EnvRecord)
	if dir == "" {
		return
	}
	f, err := newRecordFile(dir, os.Getenv(EnvRecordLimit))
	if err != nil {
		// The program goes on as ever; who wants the recording sees that there is none.
		os.Stderr.WriteString("vtrace: no recording: " + err.Error() + "\n")
		return
	}
	recordTo(f)
	atExit(func() { f.judgeLeft() })
}

// recordTo begins to record; the caller is the first goroutine.
func recordTo(f *recordFile) {
	makeRecorded(f)
	beginRecorder(localOf(), newGoroutine(), 0)
	recordings.on.Store(true)
}

// makeRecorded makes what all recorders need.
func makeRecorded(f *recordFile) {
	recordings.file = f
	recordings.library = &usedObject{kind: recLibrary}
	if usedObjects == nil {
		usedObjects = new([objectBuckets]objectBucket)
	}
}

// recording returns the recorder of the calling goroutine, nil if nothing is recorded.
func recording() *recorder {
	if !recordings.on.Load() {
		return nil
	}
	return ownRecorder()
}

// ownRecorder is that of the calling goroutine.
func ownRecorder() *recorder {
	s := localOf()
	if r := s.recorder(); r != nil {
		return r
	}
	// It was started by uninstrumented code.
	id, creator := s.origin()
	if id == 0 {
		id = newGoroutine()
	}
	r := beginRecorder(s, id, creator)
	r.ofTest = creator>>32 == 1
	if !r.ofTest && startedIn() != "testing" {
		r.library = 1 // it calls the program back, perhaps again and again
	}
	return r
}

func beginRecorder(s *localState, id, creator uint64) *recorder {
	r := &recorder{state: s, self: id, next: id<<32 | 1, file: recordings.file}
	r.writeTo(r.file.first(id, creator))
	s.begin(r)
	return r
}

// The state of a goroutine is written here only, and in the Go runtime. It is memory that goroutines have one
// after the other, which the race detector would take for a race: it does not look here.

// recorder is that of the goroutine, nil if it has none yet.
//
//go:norace
func (s *localState) recorder() *recorder { return (*recorder)(s.local) }

// origin is the number of a goroutine that uninstrumented code has started, and by which operation.
//
//go:norace
func (s *localState) origin() (id, creator uint64) { return s.self, s.creator }

//go:norace
func (s *localState) begin(r *recorder) {
	*s = localState{local: unsafe.Pointer(r), self: r.self, next: r.next}
}

//go:norace
func (s *localState) end() { *s = localState{} }

// behind reports whether the goroutine has done something that is not written yet.
//
//go:norace
func (s *localState) behind() bool { return s.n > 0 }

// met is who has completed the operation.
//
//go:norace
func (s *localState) met() uint64 { return s.partner }

//go:norace
func (s *localState) set(tag, next uint64) { s.tag, s.next, s.partner = tag, next, 0 }

// pending returns what the goroutine has done that is not written yet.
//
//go:norace
func (s *localState) pending() (list [maxPend]uint64, n uint32) {
	list, n = s.pend, s.n
	s.n = 0
	return list, n
}

// doing sets which operation is being done, 0 for none.
func (r *recorder) doing(tag uint64) {
	r.tag = tag
	r.state.set(tag, r.next)
}

// writeTo goes on with a chunk, of which nothing is used.
func (r *recorder) writeTo(c chunk) {
	r.chunk, r.payload, r.n, r.used = c, c.payload, 0, c.used()
}

// room makes room for so many bytes, and returns what there is.
func (r *recorder) room(n int) []byte {
	if len(r.payload)-r.n < n {
		r.writeTo(r.file.next(r.chunk, r.self, n))
	}
	return r.payload[r.n:]
}

// record is room for a record other than a select. Its size is known, so that its bytes are written without a
// check of each.
func (r *recorder) record() *[maxRecord]byte { return (*[maxRecord]byte)(r.room(maxRecord)) }

// wrote ends a record of n bytes. What was written before it is in the file then, whenever the process ends: that the
// bytes come in front of their number takes no more than the order of the program, since who reads it does so
// when this process is gone.
func (r *recorder) wrote(n int) {
	r.n += n
	*r.used = uint32(r.n)
}

// The most bytes that a record has, without the cases of a select.
const maxRecord = 64

// begin writes that the operation is about to be done, and is what is done from now on. The object
// is that of the operation; 0 is a nil channel.
func (r *recorder) begin(op byte, site Site, obj uint64) {
	r.comes()
	b := r.record()
	b[0] = op
	n := putUvarint(b, 1, uint64(site))
	r.wrote(putUvarint(b, n, obj))
	r.start()
}

func (r *recorder) start() {
	r.next++
	r.doing(r.next - 1)
}

// catchUp writes what the goroutine has done by uninstrumented code.
func (r *recorder) catchUp() {
	list, n := r.state.pending()
	for _, p := range list[:n] {
		if p&seenClosed != 0 && r.closed == 0 {
			r.closed = r.variable()
		}
		b := r.record()
		b[1] = 0 // of no place in the source
		switch k := putUvarint(b, 2, p>>1); {
		case p&seenClosed != 0:
			b[0] = recLoad
			r.wrote(putPost(b, putUvarint(b, 2, r.closed), 0, p&^seenClosed, 0))
		case p&1 != 0:
			b[0] = recGo
			r.wrote(k)
		default:
			b[0] = recClose
			b[k] = recPost
			r.wrote(k + 1)
		}
		r.next++
	}
}

// done writes that the operation has been done, by whom if the Go runtime has said so.
func (r *recorder) done(flags byte) {
	r.doneWith(flags, r.state.met())
}

// doneWith is done, with the partner.
func (r *recorder) doneWith(flags byte, partner uint64) { r.doneInOrder(flags, partner, 0) }

// putPost writes that an operation has been done, from index n on, and returns the index behind it: by whom, and its place
// in the order of those on the object, where these are not 0.
func putPost(b *[maxRecord]byte, n int, flags byte, partner, seq uint64) int {
	at := n
	n++
	if partner != 0 {
		flags |= postPartner
		n = putUvarint(b, n, partner>>32)
		n = putUvarint(b, n, partner&(1<<32-1))
	}
	if seq != 0 {
		flags |= postSeq
		n = putUvarint(b, n, seq)
	}
	b[at&(maxRecord-1)] = recPost | flags
	return n
}

// nobodyBefore is the partner of who takes a lock first.
const nobodyBefore = 1

// panicked is deferred around an operation: it says that it has not come to done.
func (r *recorder) panicked(tag uint64) {
	if r.tag == tag {
		r.doneWith(postPanicked, 0)
	}
}

// doneInOrder is doneWith for an operation that has a place in the order of those on the object.
func (r *recorder) doneInOrder(flags byte, partner, seq uint64) {
	b := r.record()
	r.doing(0)
	r.wrote(putPost(b, 0, flags, partner, seq))
	r.goesOn()
}

// whole writes an operation that was done without waiting, which nothing can have seen begun: both at once.
func (r *recorder) whole(op byte, site Site, obj, partner, seq uint64) {
	r.comes()
	r.writeWhole(op, site, obj, partner, seq)
	r.goesOn()
}

func (r *recorder) writeWhole(op byte, site Site, obj, partner, seq uint64) {
	b := r.record()
	b[0] = op
	n := putUvarint(b, 1, uint64(site))
	n = putUvarint(b, n, obj)
	r.wrote(putPost(b, n, 0, partner, seq))
	r.next++
	r.doing(0)
}

// goes writes that the goroutine starts another one, and returns its number.
func (r *recorder) goes(site Site) uint64 {
	r.comes()
	child := newGoroutine()
	b := r.record()
	b[0] = recGo
	n := putUvarint(b, 1, uint64(site))
	r.wrote(putUvarint(b, n, child))
	r.start()
	return child
}

// started is f for the goroutine that goes has numbered.
func (r *recorder) started(child uint64, f func()) func() {
	creator := r.tag
	return func() {
		c := beginRecorder(localOf(), child, creator)
		returned := false
		defer func() { c.end(returned) }()
		f()
		returned = true
	}
}

// end writes the end of the goroutine.
func (r *recorder) end(returned bool) {
	r.comes()
	b := r.record()
	b[0] = recEnd
	n := 1
	if !returned && !r.left {
		b[n] = recPost | postPanicked
		n++
	}
	r.wrote(n)
	r.file.giveBack(r.chunk, r.n)
	r.state.end()
	forgetLocal()
}

// object writes what an object is, when it has got its number.
func (r *recorder) object(id uint64, kind byte, more int) {
	if kind == recPooled {
		kind = recAtomic
	}
	b := r.record()
	b[0] = recObject | kind
	n := putUvarint(b, 1, id)
	switch {
	case kind == recMemory && more > 0:
		b[0] = recObject | recNamed
		fallthrough
	case kind == recChan:
		n = putUvarint(b, n, uint64(more))
	}
	r.wrote(n)
}

// putUvarint writes a number as encoding/binary does, from index n on, and returns the index behind it.
func putUvarint(b *[maxRecord]byte, n int, v uint64) int {
	for v >= 0x80 {
		b[n&(maxRecord-1)] = byte(v) | 0x80
		v >>= 7
		n++
	}
	b[n&(maxRecord-1)] = byte(v)
	return n + 1
}

func putVarint(b *[maxRecord]byte, n int, v int64) int {
	return putUvarint(b, n, uint64(v)<<1^uint64(v>>63))
}

// unseen is in the number of a channel that the Go runtime has given, when uninstrumented code has
// closed it.
const unseen = 1 << 63

// channel is the number of a channel.
func (r *recorder) channel(p unsafe.Pointer, capacity int) uint64 {
	if p == nil {
		return 0
	}
	c := channelOf(p)
	was := atomic.LoadUint64(&c.id)
	if was != 0 && was&unseen == 0 {
		return was
	}
	id := was &^ unseen
	if was == 0 {
		id = newObject()
	}
	if atomic.CompareAndSwapUint64(&c.id, was, id) {
		r.object(id, recChan, capacity)
		return id
	}
	return atomic.LoadUint64(&c.id) &^ unseen
}

// usedObject is an object other than a channel. It is not kept: what comes to its address when it is
// gone is another one.
type usedObject struct {
	addr uintptr
	kind byte
	id   uint64
	weak weak.Pointer[byte]
	next atomic.Pointer[usedObject]

	// last is, of a lock, the operation that has unlocked it last; of a Once the one that has called
	// its function. Who holds it writes it.
	last atomic.Uint64
	// order counts the operations, in its upper half, and is the counter of a WaitGroup in the lower.
	order atomic.Uint64

	mu sync.Mutex // held during an operation of an atomic variable, of which the following is
	// stored is the operation that has stored last, and places counts all.
	stored, places uint64
}

// objectBits is how many bits of a hash tell buckets apart.
const (
	objectBits    = 16
	objectBuckets = 1 << objectBits
)

// usedObjects are there once something is recorded: they are large for a program that is not.
var usedObjects *[objectBuckets]objectBucket

type objectBucket struct {
	first atomic.Pointer[usedObject]
	mu    sync.Mutex // held by who adds and removes
}

// gone reports whether what k is of is no more. If it is about the object that the caller has at its address, that is
// exact: a weak pointer holds the address of a word, which the garbage collector sets to 0 before it gives the memory
// to another object. To ask for that word is an eighth of what Value takes, which has to make a pointer of it.
func (k *usedObject) gone() bool {
	if !weakWords {
		return k.weak.Value() == nil
	}
	return atomic.LoadUintptr(*(**uintptr)(unsafe.Pointer(&k.weak))) == 0
}

// weakWords: weak pointers are what gone expects.
var weakWords = func() bool {
	p := new([64]byte) // an object of its own
	w := weak.Make(p)
	ok := unsafe.Sizeof(w) == unsafe.Sizeof(p) && **(**uintptr)(unsafe.Pointer(&w)) == uintptr(unsafe.Pointer(p))
	runtime.KeepAlive(p)
	return ok
}()

// knows finds an object.
func (r *recorder) knows(kind byte, p unsafe.Pointer) *usedObject { return r.knowsAs(kind, p, 0) }

// knowsAs is knows for what has the name of a place, if it is new.
func (r *recorder) knowsAs(kind byte, p unsafe.Pointer, place int) *usedObject {
	addr := uintptr(p)
	bucket := &usedObjects[(uint64(addr)*0x9e3779b97f4a7c15)>>(64-objectBits)]
	for k := bucket.first.Load(); k != nil; k = k.next.Load() {
		if k.addr == addr && k.kind == kind && !k.gone() {
			return k
		}
	}
	bucket.mu.Lock()
	defer bucket.mu.Unlock()
	at := &bucket.first
	for k := at.Load(); k != nil; k = at.Load() {
		switch {
		case k.gone():
			at.Store(k.next.Load())
			continue
		case k.addr == addr && k.kind == kind:
			return k
		}
		at = &k.next
	}
	k := &usedObject{addr: addr, kind: kind, id: newObject(), weak: weak.Make((*byte)(p))}
	if kind == recWaitGroup && waitGroupState != noState {
		k.order.Store(uint64(uint32(countAt((*sync.WaitGroup)(p), waitGroupState))))
	}
	k.next.Store(bucket.first.Load())
	bucket.first.Store(k)
	r.object(k.id, kind, place)
	return k
}

// place takes the next place in the order of the operations on the object.
func (k *usedObject) place() uint64 { return k.order.Add(1<<32) >> 32 }

// counts adds to the counter of a WaitGroup; it returns the counter, and the place of that.
func (k *usedObject) counts(n int) (counter int, place uint64) {
	for {
		old := k.order.Load()
		v := (old>>32+1)<<32 | uint64(uint32(int32(uint32(old))+int32(n)))
		if k.order.CompareAndSwap(old, v) {
			return int(int32(uint32(v))), v >> 32
		}
	}
}

// localState is what a recorded goroutine has for itself. Its fields belong to the goroutine, but for
// partner, which another one sets while this one is blocked.
//
// A program that is built to be recorded has local.go replaced: there, the state is a part of what
// the Go runtime keeps of the goroutine, and the Go runtime sets partner, see package parse. As local.go
// is here, it serves where that is not so: partners are not known, and to find the state takes a
// microsecond.
type localState struct {
	local unsafe.Pointer // *recorder
	// tag is the operation that is being done, 0 for none, and partner who has completed it.
	tag, partner uint64
	// next is the tag of the operation to come, 0 if the goroutine is not known yet.
	next uint64
	// self is the number that the goroutine has been given when it was started, and creator the
	// operation that has done so; 0 if that was not recorded.
	self, creator uint64
	// pend is what the goroutine has done by uninstrumented code since its last operation: to
	// start a goroutine, to close a channel, or to see that one is closed.
	pend [maxPend]uint64
	n    uint32
}

const maxPend = 6

// seenClosed is in what uninstrumented code has done where it has come behind the close of a channel.
const seenClosed = 1 << 63

// channelState is what a channel has for itself.
type channelState struct {
	id     uint64 // its number as an object, 0 if it has none yet; with unseen, if there is no record of it
	closer uint64 // the operation that has closed it
}
