//go:build go1.25

package orcruntime

import (
	"slices"
	"strconv"
	"time"
)

// calmAfter is how many times time must have passed since the end of the entry
// function until those that are left are taken to go on for ever.
const calmAfter = 1000

// calmDaemons is calmAfter if all that are left belong to the process: they are
// no leak, unless they get stuck, which takes them a few periods.
const calmDaemons = 100

// calm: the entry function has ended, and since then nothing but the passing of
// time has kept the others going, for long, and beyond every event that was
// known at that end.
func (s *run) calm() bool {
	if !s.entryEnded() || s.wakes < calmDaemons || s.now <= s.horizon {
		return false
	}
	return s.wakes >= calmAfter || !slices.ContainsFunc(s.live, func(g *goroutine) bool { return !s.ofProcess(g) })
}

// ofProcess: the initialisation of a package has started g, or what has started
// it, and the run is of a test, which g outlives.
func (s *run) ofProcess(g *goroutine) bool { return s.cfg.Entry == EntryTest && g.scope == nil }

// entryEnded: the goroutine of the entry function is done, and the program goes
// on.
func (s *run) entryEnded() bool { return s.first.state == done }

// woken counts the passing of time at the end of the entry function and after it.
func (s *run) woken() {
	if s.first.op == opEnd {
		s.held++
	}
	if !s.entryEnded() {
		return
	}
	if s.wakes == 0 {
		s.horizon = s.lastKnown()
	}
	s.wakes++
}

// lastKnown is the time of the last event that the scheduler knows of.
func (s *run) lastKnown() time.Duration {
	last := s.now
	if n := len(s.dues); n > 0 {
		last = max(last, s.dues[n-1])
	}
	for _, g := range s.blocked {
		if g.op == opSleep && !g.timeless() {
			last = max(last, time.Duration(g.wakeAt))
		}
	}
	return last
}

// daemon: g is no leak of the test that has ended: it, or what has started it, was
// started by the initialisation of a package, and belongs to the process. One that
// waits for a lock, a wait group or a Once is an error still, unless others keep
// it going.
func (s *run) daemon(g *goroutine) bool {
	if !s.ofProcess(g) {
		return false
	}
	return !g.op.holdsUp() || g.state != blocked || s.calm()
}

// calmText says what goes on after the end.
func calmText() string {
	return "after the end of the test, time has passed to " + strconv.Itoa(calmAfter) + " events and more, and they are still there"
}
