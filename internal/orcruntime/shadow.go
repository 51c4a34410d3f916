//go:build go1.25

package orcruntime

import (
	"strconv"
	"sync"
	"unsafe"
)

// accessKind is a way to touch memory.
type accessKind uint16

const (
	writes     accessKind = 1 << iota // else it reads
	atomicOne                         // by package sync/atomic
	ofMap                             // of a map as a whole
	perhaps                           // by code that is not instrumented
	wide                              // of more than a machine word: not done at once
	lent                              // by a library, of what it was given: see librarywrite.go
	updates                           // a write of what is calculated from what was there
	ofChannel                         // a send, which reads whether the channel is open, or a close
	inCallback                        // in a function that a library calls
	forLogger                         // in a Write that a logger calls with its lock
)

// wordSize is how many bytes of memory are read or written at once.
const wordSize = unsafe.Sizeof(uintptr(0))

// record is an access to bytes of a word.
type record struct {
	clock uint32 // of the goroutine, then
	g     uint32
	at    Place
	stack int32 // in races.stacks, from 1; 0 is none
	mask  uint8 // the bytes
	kind  accessKind
	guard Site // that the goroutine has passed last
}

// apart: the access is not in the step that begins at the guard of its statement, or of the
// write of that. Something else in the statement has a guard that came before, as a call has
// whose function has some, or the operation that gives an operand.
func (a record) apart() bool {
	if a.kind&lent != 0 {
		return false // noticed when the call of the library ends
	}
	stmt := Site(a.at.info().Site)
	return a.guard != stmt && a.guard.key() != stmt.key()+StoreSuffix
}

// StoreSuffix ends the key of the guard of the write of a statement.
const StoreSuffix = ".store"

// word is the shadow of eight bytes of memory: the last writes, and the reads
// since that no later read of theirs has happened after. The pointer keeps the
// memory from being used for another object in the run.
type word struct {
	p       unsafe.Pointer
	records []record
}

const (
	pageWords = 64
	// maxWords bounds the shadow of a run; an access of more bytes than maxAccess is a large one.
	maxWords  = 1 << 22
	maxAccess = 1 << 16
	// maxRaces is how many races of a run are reported.
	maxRaces = 16
	// maxFrames is how much of a stack is kept.
	maxFrames = 24
)

type page [pageWords]word

// races finds data races in a run: two accesses to the same memory by two
// goroutines, one of them a write, that no chain of synchronisation orders. It
// is the happens-before relation of the Go memory model, kept by vector clocks
// as in FastTrack (Flanagan and Freund, 2009).
type races struct {
	mu      sync.Mutex // goroutines outside come back at any time
	paths   []string   // of the goroutines, by index
	objects map[syncKey]*clock
	chans   map[unsafe.Pointer]*chanClock
	library clock
	// events is what the program has done before it closed channels without values: a library
	// that waits for one, as a context for its parent's, closes others then.
	events clock

	pages    map[uintptr]*page
	last     *page
	lastBase uintptr
	words    int
	larges   []largeAccess
	off      string // why races are not looked for any more
	cut      bool   // a large access was not kept
	// finalizers are functions that are given to runtime.SetFinalizer or AddCleanup, by name.
	finalizers []string

	keepStacks bool
	stacks     [][]uintptr
	stackIDs   map[[maxFrames]uintptr]int32

	found []foundRace
	seen  map[[2]Place]bool
	apart map[[2]Place]bool // of those seen, with an access that is apart from its guard

	files map[string][]fileAccess // by path

	used   map[unsafe.Pointer]*word // one word for each object
	unseen []foundRace              // uses that nothing orders
}

// foundRace is a race as found: the records of both accesses.
type foundRace struct{ first, second record }

func newRaces(stacks bool) *races {
	return &races{
		objects: make(map[syncKey]*clock), chans: make(map[unsafe.Pointer]*chanClock),
		pages: make(map[uintptr]*page), seen: make(map[[2]Place]bool), apart: make(map[[2]Place]bool), used: make(map[unsafe.Pointer]*word), keepStacks: stacks,
	}
}

// stop ends the search for races in this run.
func (r *races) stop(why string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped(why)
}

func (r *races) stopped(why string) {
	if r.off == "" {
		r.off = why
		r.pages, r.last, r.lastBase, r.larges = nil, nil, 0, nil
	}
}

// access records that g accesses size bytes at p. It returns a race with an
// earlier access that is not known yet.
func (r *races) access(g *goroutine, at Place, p unsafe.Pointer, size uintptr, kind accessKind) (found *foundRace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.accessFrom(g, at, p, size, kind, -1, g.clock.at(g.index))
}

// accessFrom is access with the number of a stack, -1 for that of the caller, and the clock of the goroutine when it
// began.
func (r *races) accessFrom(g *goroutine, at Place, p unsafe.Pointer, size uintptr, kind accessKind, stack int32, begun uint32) (found *foundRace) {
	g.run.exec.remembers(g, p, size, kind)
	if r.off != "" {
		return nil
	}
	if size > wordSize || kind&lent != 0 { // a library does more than one thing
		kind |= wide
	}
	now := g.clock
	switch {
	case kind&(perhaps|lent) != 0 || g.atOperand(at):
		now = g.atUse(at)
	case g.isWoken(at):
		now = g.beforeWake
	}
	if kind&(perhaps|lent|atomicOne) == 0 && g.isCalledBack(at) {
		kind |= inCallback
		if len(g.locks()) > 0 && writesForLogger() {
			kind |= forLogger
		}
	}
	if size > maxAccess {
		return r.accessLarge(record{clock: begun, g: uint32(g.index), at: at, kind: kind, guard: g.behind}, p, size, now, stack)
	}
	begin, end := uintptr(p), uintptr(p)+size
	for base := begin &^ 7; base < end; base += 8 {
		mask := uint8(0xff)
		if base < begin {
			mask <<= begin - base
		}
		if base+8 > end {
			mask &= 0xff >> (base + 8 - end)
		}
		w := r.word(base)
		if w.p == nil {
			if r.words++; r.words > maxWords {
				r.stopped("the program touches more than " + strconv.Itoa(maxWords) + " words of shared memory")
				return found
			}
			// Of the object's own bytes: the word may begin before it.
			w.p = unsafe.Add(p, max(base, begin)-begin)
		}
		rec := record{clock: begun, g: uint32(g.index), at: at, mask: mask, kind: kind, guard: g.behind}
		if w.repeats(rec) {
			continue
		}
		if stack < 0 {
			stack = r.stack()
		}
		rec.stack = stack
		if first, ok := w.conflict(rec, now); ok && found == nil {
			found = r.conflicting(first, rec)
		}
		if len(r.larges) > 0 && found == nil {
			if first, ok := r.inLarges(max(base, begin), min(base+8, end), rec, now); ok {
				found = r.conflicting(first, rec)
			}
		}
		if kind&inCallback != 0 && found == nil {
			if first, ok := w.calledBeside(rec, g.apart); ok {
				r.uncertain(first, rec)
			}
		}
		w.add(rec, now)
	}
	return found
}

// use records that code which is not instrumented uses an object, of which it may
// change something or not. What it reads and writes there is not known: two uses that
// nothing orders may race.
func (r *races) use(g *goroutine, at Place, p unsafe.Pointer, kind accessKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g.run.exec.remembers(g, p, 1, kind|writes) // what it refers to may be touched, too
	if r.off != "" {
		return
	}
	w := r.used[p]
	if w == nil {
		w = new(word)
		r.used[p] = w
	}
	rec := record{clock: g.clock.at(g.index), g: uint32(g.index), at: at, mask: 1, kind: kind, guard: g.behind}
	if w.repeats(rec) {
		return
	}
	now := g.atUse(at)
	if first, ok := w.conflict(rec, now); ok {
		r.uncertain(first, rec)
	}
	w.add(rec, now)
}

// conflicting notes two accesses to the same memory that nothing orders. It returns a race
// that is not known yet.
func (r *races) conflicting(first, second record) *foundRace {
	if (first.kind|second.kind)&perhaps == 0 {
		return r.report(first, second)
	}
	r.uncertain(first, second)
	return nil
}

// uncertain notes two uses of memory that nothing orders, one of them by code that is not
// instrumented, so that it is not known whether they race.
func (r *races) uncertain(first, second record) {
	if len(r.unseen) < maxRaces {
		r.unseen = append(r.unseen, foundRace{first, second})
	}
}

// word finds the shadow of the word at an address.
func (r *races) word(address uintptr) *word {
	base := address / (8 * pageWords)
	if r.last == nil || r.lastBase != base {
		pg := r.pages[base]
		if pg == nil {
			pg = new(page)
			r.pages[base] = pg
		}
		r.last, r.lastBase = pg, base
	}
	return &r.last[address/8%pageWords]
}

// repeats: the same goroutine has done as much in the same interval.
func (w *word) repeats(n record) bool {
	for i := range w.records {
		o := &w.records[i]
		if o.g == n.g && o.clock == n.clock && o.mask&n.mask == n.mask && o.kind == n.kind {
			return true
		}
	}
	return false
}

// conflict finds an access that has not happened before n and excludes it, if there is one
// that is certain to have been made.
func (w *word) conflict(n record, now clock) (first record, found bool) {
	for _, o := range w.records {
		if o.g != n.g && o.mask&n.mask != 0 && (o.kind|n.kind)&writes != 0 && o.kind&n.kind&atomicOne == 0 && o.clock > now.at(int(o.g)) {
			if o.kind&perhaps == 0 {
				return o, true
			}
			first, found = o, true
		}
	}
	return first, found
}

// calledBeside finds an access that excludes n, of another function that a library calls, and which only calls of the
// library order before n. The lock of a logger orders what is written with it. apart is the clock of who does n without these.
func (w *word) calledBeside(n record, apart clock) (first record, found bool) {
	for _, o := range w.records {
		if o.g != n.g && o.mask&n.mask != 0 && (o.kind|n.kind)&writes != 0 && o.kind&inCallback != 0 && o.kind&n.kind&forLogger == 0 && o.clock > apart.at(int(o.g)) {
			return o, true
		}
	}
	return record{}, false
}

// stands: what races with an earlier access o races with n too. A plain access stands for an atomic one, a write for a
// read, one that is certain for one that is not, and one in a function that a library calls for one that is elsewhere, and one without the
// lock of a logger for one with it.
func stands(n, o record, now clock) bool {
	return (o.g == n.g || o.clock <= now.at(int(o.g))) &&
		n.kind&writes >= o.kind&writes && n.kind&atomicOne <= o.kind&atomicOne && n.kind&perhaps <= o.kind&perhaps && n.kind&inCallback >= o.kind&inCallback &&
		n.kind&forLogger <= o.kind&forLogger
}

// add takes the place of the accesses that can race with nothing that does not
// race with n too.
func (w *word) add(n record, now clock) {
	kept := w.records[:0]
	for _, o := range w.records {
		if stands(n, o, now) {
			o.mask &^= n.mask
		}
		if o.mask != 0 {
			kept = append(kept, o)
		}
	}
	w.records = append(kept, n)
}

func placesOf(a, b record) [2]Place { return [2]Place{min(a.at, b.at), max(a.at, b.at)} }

// report notes a race, unless one between the same two places, and as far from their guards, is known.
func (r *races) report(first, second record) *foundRace {
	pair, apart := placesOf(first, second), first.apart() || second.apart()
	if r.seen[pair] && (!apart || r.apart[pair]) || len(r.found) == maxRaces {
		return nil
	}
	r.seen[pair] = true
	if apart {
		r.apart[pair] = true
	}
	r.found = append(r.found, foundRace{first, second})
	return &r.found[len(r.found)-1]
}
