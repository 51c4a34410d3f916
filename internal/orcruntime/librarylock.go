//go:build go1.25

package orcruntime

import (
	"bytes"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
)

// A library may hold a lock while it calls the program back: a log.Logger while it writes, an
// io.Pipe while it waits for who reads. Whoever calls the library meanwhile may wait for that lock,
// and a bubble in which somebody waits for a mutex does not come to rest: synctest does not count
// it as blocked. So where a call may meet such a lock, the controller does not wait for the bubble
// to rest, but looks at the states of its goroutines. In such a bubble time cannot pass.

// libraryLocks are the goroutines of a run that wait for locks of a library.
type libraryLocks struct {
	// watching: somebody may wait for a lock. Only the controller uses it.
	watching bool
	waiting  []uint64     // the numbers of those who do, ascending; only the controller uses it
	resting  []uint64     // the numbers of those who are blocked otherwise; only the controller uses it
	callers  []chan bool  // of who is about to call, see waitForControl; under run.mu
	calls    atomic.Int64 // of libraries that have not returned, of all goroutines
	stops    atomic.Int64 // how often a goroutine has given the baton back
	stacks   []byte       // reused
}

// mayMeetLock has the controller look whether the call of a library that g begins comes to wait for
// a lock there: another call has not returned, be it of another goroutine or of g itself.
func (g *goroutine) mayMeetLock() {
	s := g.run
	if s.cfg.Bubble.Wait == nil || s.locks.calls.Load() == 0 {
		return
	}
	s.waitForControl(func(on chan bool) { s.locks.callers = append(s.locks.callers, on) })
}

// letCall lets the first of those go on who are about to call a library. What they do from then on
// is looked at.
func (s *run) letCall() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.locks.callers) == 0 {
		return false
	}
	on := s.locks.callers[0]
	s.locks.callers = s.locks.callers[1:]
	s.locks.watching = true
	on <- true
	return true
}

// comeToRest waits until nobody in the bubble can go on by itself.
func (s *run) comeToRest() {
	l := &s.locks
	if !l.watching {
		s.cfg.Bubble.Wait()
		return
	}
	// Most calls are soon over: then one look is enough.
	if stops := l.stops.Load(); len(l.waiting) == 0 {
		for range briefly {
			runtime.Gosched()
			if l.stops.Load() != stops {
				break
			}
		}
	}
	again := 0
	for yields := 1; ; yields = min(2*yields, seldom) {
		waiting, rests := l.look()
		switch {
		case rests && len(waiting) == 0:
			l.watching, l.waiting = false, nil
			s.cfg.Bubble.Wait() // it does: this orders what the others have done before what comes now
			return
		case !rests:
			again = 0
		case slices.Equal(waiting, l.waiting):
			l.stops.Load() // orders what those have done who have stopped before what comes now
			return
		// Who has the lock may be outside the bubble, and about to give it back.
		case again < confirmations:
			again++
		default:
			l.waiting = waiting
		}
		for range yields {
			runtime.Gosched()
		}
	}
}

const (
	// briefly is how often the processor is given to others until the states of goroutines are
	// looked at, which stops the world: some ten microseconds.
	briefly = 200
	// seldom is how often at most it is between two looks, a millisecond or so.
	seldom = 1 << 12
	// confirmations is how many looks in a row have to find a goroutine at a lock, until it waits.
	confirmations = 3
)

// look looks at the goroutines of the bubble of the caller: which wait for a lock, and whether
// nobody but the caller can go on.
func (l *libraryLocks) look() (waiting []uint64, rests bool) {
	if l.stacks == nil {
		l.stacks = make([]byte, 1<<16)
	}
	stacks := stacksOfAll(l.stacks)
	if l.stacks = stacks[:cap(stacks)]; len(stacks) == len(l.stacks) {
		return nil, false
	}
	l.resting = l.resting[:0]
	for stack := range besideInBubble(stacks) {
		head, _, _ := bytes.Cut(stack, []byte("\n"))
		id, state, ok := numberAndState(head)
		switch {
		case !ok:
			return nil, false
		case waitsForLock(state):
			waiting = append(waiting, id)
		case !isDurable(state):
			return nil, false
		case !ofBubble(state, stack):
			l.resting = append(l.resting, id)
		}
	}
	slices.Sort(waiting)
	return waiting, true
}

// besideInBubble are the stacks of the goroutines in the bubble of the first of all stacks, which is that of the
// caller, but for the caller.
func besideInBubble(stacks []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		bubble := []byte(nil)
		for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
			// The first is the caller's: "goroutine 7 [running, synctest bubble 1]:".
			head, _, _ := bytes.Cut(stack, []byte("]:"))
			_, of, in := bytes.Cut(head, []byte("synctest bubble "))
			if bubble == nil {
				bubble = bytes.Clone(of)
				continue
			}
			if in && bytes.Equal(of, bubble) && !yield(stack) {
				return
			}
		}
	}
}

// isDurable: a goroutine in this state is blocked until another one in the bubble does something, or time passes.
func isDurable(state []byte) bool { return bytes.Contains(state, []byte("(durable)")) }

// ofBubble: a goroutine in this state, with this stack, is one of those that have made the bubble.
func ofBubble(state, stack []byte) bool {
	return bytes.HasPrefix(state, []byte("synctest.Run")) || bytes.Contains(stack, []byte("\ncreated by testing/synctest.Test "))
}

// holdsUp: the goroutine with this number waits for a lock.
func (l *libraryLocks) holdsUp(id uint64) bool {
	_, waits := slices.BinarySearch(l.waiting, id)
	return waits
}

// waitsForLock: a goroutine in this state waits for a mutex.
func waitsForLock(state []byte) bool {
	return bytes.HasPrefix(state, []byte("sync.Mutex.Lock")) || bytes.HasPrefix(state, []byte("sync.RWMutex."))
}

// timePassesNot is why time cannot pass, "" if it can.
func (s *run) timePassesNot() string {
	if len(s.locks.waiting) == 0 {
		return ""
	}
	return "time does not pass: in a bubble of testing/synctest it cannot, while a goroutine waits for a lock inside a library"
}

// timePasses says whether time can pass, where it might. An exploration notes that it cannot.
func (s *run) timePasses() bool {
	if s.timePassesNot() == "" {
		return true
	}
	if s.exec != nil {
		s.exec.timeStands = true
	}
	return false
}

// uncontrolled: the goroutine of this number is none that the run controls, or is in code without
// guards. It may wait for time to pass.
func (s *run) uncontrolled(id uint64) bool {
	g := s.byID(id)
	return g == nil || g.state == outside
}

// lostInLocks is why it is not known whether a program goes on that rests while goroutines wait for
// locks of a library, "" if it does not.
func (s *run) lostInLocks() string {
	why := s.timePassesNot()
	if why == "" || !s.anyKnown() && !slices.ContainsFunc(s.locks.resting, s.uncontrolled) {
		return ""
	}
	return why
}
