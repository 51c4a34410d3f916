//go:build go1.25

package orcruntime

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// state is where a goroutine is with respect to the scheduler.
type state uint8

const (
	parked  state = iota // at a guard
	running              // has the baton
	blocked              // passed its guard and queued
	outside              // has the baton no more, but is not back: blocked in code without guards
	done
)

// Special values of goroutine.chosen and goroutine.want.
const (
	noCase  = -1 // the default case
	anyCase = -2 // none in particular
	pending = -3 // no case yet
)

// goroutine is a goroutine under control. Its fields belong to whoever has the
// baton, except while it is outside: then it alone writes them until it parks.
type goroutine struct {
	run    *run
	path   string
	number uint64 // hash of the path
	seq    int32  // its number in an execution
	// late is how much time it lets pass before it sets a deadline or reads the clock.
	late time.Duration
	// setting: it stands where it is about to set a deadline.
	setting bool
	// calledIn is how many steps there were when it has called uninstrumented code last.
	calledIn int
	f        func() // entry function
	// created is the stack of who has started it, if stacks are kept.
	created []string
	wake    chan struct{} // the baton
	id      uint64        // the Go runtime's number

	// For races: its number, what has happened before, and how many calls of
	// uninstrumented code it is in.
	index   int
	clock   clock
	apart   clock // without what only calls of the library order, but for that of the others
	creator clock // of who has made a callback
	libraryCalls
	// beforeCall is the clock before the call of uninstrumented code that was begun last, in
	// the statement callIn, as long as the goroutine's own time is callAt: operands may still
	// be evaluated.
	beforeCall clock
	callAt     uint32
	callIn     Site
	keptAt     Place  // of the call that was begun last, if its locks are known
	loans      []loan // what it has given to libraries
	// beforeWake is the clock before what others did while the goroutine stood at the guard wokenIn, in
	// a function that a library calls, as long as its own time is wokenAt.
	beforeWake clock
	wokenAt    uint32
	wokenIn    Site

	// Blocks of its stack in which it was seen, by their number; see caller.
	blocks    [16]uintptr
	lastBlock uintptr

	// For symmetry: what a function can refer to that it is about to start, and that function; how many writes to memory
	// it has done, what it has read since it has started a goroutine, and how many steps it has done.
	refers        []any
	refersIn      unsafe.Pointer
	writes        uint32
	betweenStarts []readSpan
	done          int

	children int
	scope    *scope          // nil while packages are initialised
	bubble   *programBubble  // nil: it is in none
	wg       *sync.WaitGroup // to be done at exit, see WGGo
	wgGo     Site            // the call that has started it then
	sub      *scope          // the subtest that its exit ends
	strayed  atomic.Bool     // set with state outside
	passing  atomic.Int64    // site, for the watchdog
	started  bool
	callback bool // runs in a goroutine of uninstrumented code
	state    state
	returned bool // its function has
	goexit   Site // the call of runtime.Goexit by which it ends, 0 if there is none

	// watched: since it has changed anything it has only looked, so that by what calls it has come to a guard, from, tells
	// whether it goes around in a loop.
	watched bool
	from    uint64

	// behind is the last guard, but for minor ones, that it has come to, also where the run
	// leaves it out.
	behind Site
	// The guard it stands at or has passed last.
	site    Site
	op      op
	obj     unsafe.Pointer
	granted bool // has been granted at this guard before
	relock  bool // a signalled waiter of a Cond that must get its lock
	polls   int  // since it was at a guard
	turns   int  // that it has only polled in, since it was at another guard
	idle    int  // turns since it has changed memory, at least
	spun    int  // run.times at the first of them
	seen    int  // run.times at the last of them
	passed  map[Site]int
	asked   map[Site]int // how often it has asked the environment
	drawing *drawing     // nil: it draws no number of a small range
	grants  map[Site]int // only sites granted more than once per pass

	// The operation in progress.
	cases    []Case
	want     int  // case that the step names
	strict   bool // no other will do
	chosen   int
	selects  bool // the step at hand is that of a select
	ready    bool // the operation of a blocked goroutine is complete
	using    mapUse
	effect   atomicEffect  // of an atomic operation
	redo     bool          // ready to do the operation by itself: it panics
	since    int           // the step in which it queued
	partner  *goroutine    // with which its last send or receive on a channel without a buffer was completed at once
	unnamed  map[Site]bool // guards that it has passed though no step of the plan names them
	recorded int           // index in run.trace of the step that granted it last, -1 before the first
	wakeAt   int64
	readyAt  time.Duration // when it came to the guard
	holds    bool          // it came there in a function that holds a lock, see RegisterHolding
	lock     lockRef       // what a blocked lock waits for
	wants    lockRef       // what the operation takes, or takes again
	mismatch string        // how the operation differed from a strict choice

	// rec writes what it does, if the run is recorded. recNumber is its number in the recording, recBy the operation
	// that has started it, recAtomic the guard of an atomic operation that it has passed and has not done, and met who
	// has completed its send or receive.
	rec              *recorder
	recNumber, recBy uint64
	recAtomic        Site
	met              uint64

	// woken is the operation completed last by what another goroutine did.
	woken    Site
	wokenOcc int

	onClosed unsafe.Pointer // the closed channel that it sends on or closes
	acting   Site           // the operation being performed, kept if it panics
	panicAt  Site
	panicked bool
	stack    []string
}

// occ is the number, from 1, of the pending pass of the site.
func (g *goroutine) occ() int { return g.passed[g.site] + 1 }

// arrive parks the goroutine at a guard until it is granted. The cases are
// those of a communication.
func (g *goroutine) arrive(o op, site Site, obj unsafe.Pointer, cases ...Case) {
	g.back()
	g.adopt(g.scope)
	if g.acting != 0 {
		g.panicAt, g.acting = g.acting, 0
	}
	g.op, g.site, g.obj, g.cases = o, site, obj, cases
	g.granted, g.relock = false, false
	if g.from = 0; g.watched {
		g.from = calledFrom()
	}
	if slices.ContainsFunc(cases, g.run.ticking) { // when time passes next, ticks are known of that somebody receives
		g.run.exec.awaitsTime()
	}
	if !o.minor() {
		g.behind = site
	}
	if o != opAtomic && !o.minor() { // by which goroutines poll
		g.polls = 0
		if o != opSpin {
			g.turns = 0
		}
	}
	g.state, g.readyAt, g.holds = parked, g.run.now, holdsLibraryLock()
	g.park()
	g.acting = site
}

// maxCallers bounds the calls that tell one way to a guard from another: in deeper recursions they are taken for the same.
const maxCallers = 32

// calledFrom is a hash, never 0, of the calls by which the goroutine has come to the guard at which it arrives.
func calledFrom() uint64 {
	var pcs [maxCallers]uintptr
	sum := uint64(1)
	for _, pc := range pcs[:runtime.Callers(3, pcs[:])] {
		sum = mix(sum, uint64(pc))
	}
	return sum | 1
}

// back tells the controller of a goroutine that was outside.
func (g *goroutine) back() {
	if g.strayed.Swap(false) {
		g.run.progress.Load() // after what the controller did before it waited
		g.run.backAgain.Add(1)
		g.run.races.cameBack(g)
		g.run.wakeUp()
	}
}

// timeless: no time passes for the goroutine any more.
func (g *goroutine) timeless() bool { return g.bubble != nil && g.bubble.over.Load() }

// block queues the goroutine in its operation. It returns when the operation
// is complete, or is to be tried again.
func (g *goroutine) block() {
	g.state, g.since = blocked, g.run.steps
	g.ready, g.redo = false, false
	g.run.blocked = append(g.run.blocked, g)
	g.run.enqueued(g.op, 1)
	g.waits()
	g.park()
}

// enqueued counts the goroutines that are queued in operations which the scheduler
// asks for at every step.
func (s *run) enqueued(o op, n int) {
	switch o {
	case opSleep:
		s.sleepers += n
	case opSettle:
		s.settlers += n
	}
}

// pass completes the operation. The goroutine runs on to its next guard.
func (g *goroutine) pass() {
	if g.passed == nil {
		g.passed = make(map[Site]int)
	}
	g.passed[g.site]++
	g.acting = 0
}

// park gives the baton back and waits for it.
func (g *goroutine) park() {
	s := g.run
	s.races.stepped(g)
	if s.goesOn(g) {
		return
	}
	s.races.inLibrary(g)
	s.locks.stops.Add(1)
	if s.back != nil {
		s.back <- struct{}{}
	}
	<-g.wake
	if s.dying.Load() {
		if s.stacks {
			g.stack = callers()
		}
		runtime.Goexit()
	}
	g.resumed()
	s.races.wokenInLibrary(g)
}

// main is the body of a goroutine.
func (g *goroutine) main() {
	s := g.run
	s.register(g)
	defer s.exit(g)
	g.startsRecorded()
	g.pass()
	g.f()
	g.returned = true
}

// panicsNil reports whether who calls it, a deferred function, is called by panic(nil) and not by runtime.Goexit: recover gives nil
// for both in programs of Go before 1.21, and where GODEBUG has panicnil=1.
func panicsNil() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			return true
		case f.Function == "runtime.Goexit" || !more:
			return false
		}
	}
}

// bubbleSuffix ends the panics of t.Run and the like in a bubble. Instrumented
// code does not call them in a run, but libraries may.
const bubbleSuffix = " called inside synctest bubble"

// exit ends a goroutine: it must be deferred itself for recover to work.
func (s *run) exit(g *goroutine) {
	v := recover()
	g.back()
	s.races.returned(g)
	if !s.dying.Load() {
		if v != nil || !g.returned && panicsNil() {
			g.panicked = true
			s.end(g.outcomeOf(v))
			if text := s.outcome.Message; strings.HasSuffix(text, bubbleSuffix) && s.lost == "" {
				s.lost = "code without guards cannot be in a bubble: " + text
			}
			if s.lost == "" && ownDefect(v) {
				s.lost, s.outcome = "a defect of vtrace, and not of the program: "+s.outcome.Message, Outcome{}
			}
			if s.initialising && g.path == entryPath && s.lost == "" && !s.observed() {
				// It has gone well when the process started.
				s.lost, s.outcome = "the initialisation of packages cannot be repeated: "+s.outcome.Message, Outcome{}
			}
		} else if g.wg != nil {
			s.doneAtExit(g)
		} else if g.sub != nil {
			s.subtestOver(g)
		}
		g.recordEnd(v)
	}
	s.unregister(g)
	if !g.callback {
		s.started.Add(-1)
	}
	g.state = done
	s.locks.calls.Add(-int64(g.library))
	s.gone.Add(1)
	s.lingering.Store(0)
	s.exec.population(touchOver)
	g.f, g.cases = nil, nil
	s.locks.stops.Add(1)
	if s.back != nil {
		s.back <- struct{}{}
	}
}

// lowerPath orders creation paths: by number, parents before children,
// callbacks last.
func lowerPath(a, b string) bool {
	for a != "" && b != "" {
		x, restA, _ := strings.Cut(a, ".")
		y, restB, _ := strings.Cut(b, ".")
		if x != y {
			m, errM := strconv.Atoi(x)
			n, errN := strconv.Atoi(y)
			if errM == nil && errN == nil {
				return m < n
			}
			if (errM == nil) != (errN == nil) {
				return errM == nil
			}
			return x < y
		}
		a, b = restA, restB
	}
	return a == "" && b != ""
}
