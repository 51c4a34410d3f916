//go:build go1.25

package orcutil

import (
	"slices"
	"strings"
	"time"
)

// What the clock shows when a goroutine reads it is a choice of the run, as how late a
// deadline is set is one (see delay.go): somebody may be slow before, though nothing is
// pending that the run could let time pass to. Of all the times up to the next event, those
// make a difference at which a duration has passed since an earlier reading: durations that
// the program names as constants are known, others as soon as they are compared. For those that
// are not there is the last time before the next event or, if none is pending, one that is
// later than all that are known.
//
// Which of two goroutines reads the clock first makes a difference even if no time passes:
// a reading is a step of its own.

// lag is how much later than an event it is, in a program that reads the clock, when
// somebody goes on. Of a program that sleeps for a second and then looks whether a second
// has passed, no real clock says that it is exactly that.
const lag = time.Nanosecond

// instant is less than what makes a difference between two readings: readings and waits
// that take their lag only are taken for one.
const instant = time.Microsecond

// maxReadings bounds the readings of a run that are kept, to compare later ones with.
const maxReadings = 64

// longestDelay is how late the clock is read at most in a program that names no durations: a day,
// of which many talk as of a number, has passed.
const longestDelay = 25 * time.Hour

// maxShown bounds the last readings that are kept, to tell what has passed between two of
// them from other durations.
const maxShown = 8

// Clock is what reads the clock in the statement at a site. At 0 what it shows is no choice:
// nothing depends on it, or it is named outside of functions, where there is no statement.
type Clock Site

// Now is time.Now(). The first call in a run is noted.
func (c Clock) Now() time.Time { return c.read(true) }

// Once is time.Now() for a time that nothing is compared with later.
func (c Clock) Once() time.Time { return c.read(false) }

// Since is time.Since(t).
func (c Clock) Since(t time.Time) time.Duration { return c.Once().Sub(t) }

// Until is time.Until(t).
func (c Clock) Until(t time.Time) time.Duration { return t.Sub(c.Once()) }

// read reads the clock. The program keeps what it shows, if kept.
func (c Clock) read(kept bool) time.Time {
	s := active.Load()
	if s == nil || s.back != nil {
		return time.Now()
	}
	g := s.caller()
	if g == nil {
		return time.Now()
	}
	s.readClock(g)
	if !s.lags {
		return time.Now()
	}
	switch {
	case s.dying.Load():
	case c != 0:
		g.reads(Site(c), kept)
	case s.initialising && kept: // a variable of a package
		s.keepReading()
	}
	s.readings++
	return time.Now().Add(time.Duration(s.readings-1) * lag)
}

// reads is the step in which g reads the clock, with the time that passes before.
func (g *goroutine) reads(site Site, kept bool) {
	s := g.run
	g.stopBefore(opRead, site)
	s.exec.calls(g)
	s.exec.sets()
	if s.bubbles > 0 { // the clock is exact
		return
	}
	if s.exec != nil || s.cfg.Delays || len(s.planned) > 0 {
		g.isLate(site, s.lateReadings())
	} else { // nobody is
		s.ordered = true
		g.ask(site.minor(opDelay))
	}
	if s.shown = append(s.shown, s.clock()); len(s.shown) > maxShown {
		s.shown = s.shown[1:]
	}
	if kept {
		s.keepReading()
	}
}

// keepReading notes that the program keeps what the clock shows.
func (s *run) keepReading() {
	at, n := s.clock(), len(s.read)
	switch {
	case n > 0 && at-s.read[n-1] < instant:
		s.read[n-1] = at
	case n < maxReadings:
		s.read = append(s.read, at)
	}
}

// lateReadings are how late the clock may be read so that it makes a difference. No event may
// come meanwhile.
func (s *run) lateReadings() (out []time.Duration) {
	now := s.clock()
	last := longestDelay
	for _, d := range s.known {
		if d < far/100 { // else it stands for never
			last = max(last, 2*d)
		}
	}
	if next := s.nextPending(); next < now+far {
		last = next - now - lag
	}
	if last <= 0 {
		return nil
	}
	for _, from := range s.read {
		for _, d := range s.known {
			if late := from + d - now + lag; late > 0 && late < last {
				out = append(out, late)
			}
		}
	}
	return append(out, last)
}

// maxCompared bounds the durations that a run finds the clock compared with.
const maxCompared = 8

// Compared is a duration that is calculated, and compared with another one or added to a
// time. If it is none that has passed between two readings of the clock, or is left of one
// that is known, later readings are to show that it has passed.
func Compared(d time.Duration) time.Duration {
	if s := active.Load(); s != nil && s.lags && !s.dying.Load() && s.caller() != nil {
		s.comparesWith(max(d, -d))
	}
	return d
}

func (s *run) comparesWith(d time.Duration) {
	if d < instant || len(s.compared) >= maxCompared || slices.Contains(s.known, d) || slices.Contains(s.compared, d) {
		return
	}
	close := func(a, b time.Duration) bool { return max(a-b, b-a) < instant }
	for _, from := range s.read {
		has := func(at time.Duration) bool { // passed since from, or is what is left of a known one
			passed := max(at-from, from-at)
			leaves := func(c time.Duration) bool { return close(d, max(c-passed, passed-c)) }
			return close(d, passed) || slices.ContainsFunc(s.known, leaves) || slices.ContainsFunc(s.compared, leaves)
		}
		if has(s.clock()) || slices.ContainsFunc(s.shown, has) {
			return
		}
	}
	s.compared = inserted(s.compared, d)
	if s.exec == nil { // what a run has found is not known to others of an exploration
		s.known = inserted(s.known, d)
	}
}

// inserted adds a value to a list in ascending order that may have it.
func inserted(list []time.Duration, d time.Duration) []time.Duration {
	if i, found := slices.BinarySearch(list, d); !found {
		return slices.Insert(list, i, d)
	}
	return list
}

// tick lets the time pass that reading the clock has taken since the last step: on no
// real machine do two readings, one after the other, show the same.
func (s *run) tick() {
	if s.readings == 0 {
		return
	}
	d := time.Duration(s.readings) * lag
	time.Sleep(d)
	s.readings = 0
	s.now = time.Since(s.start)
	for _, g := range s.live {
		if g.state == parked {
			g.readyAt += d // nobody is slow for that
		}
	}
}

func (s *run) readClock(g *goroutine) {
	if s.clockRead {
		return
	}
	s.clockRead = true
	at := ""
	if stack := callers(); len(stack) > 0 {
		_, at, _ = strings.Cut(stack[0], " ")
		at = " at " + at
	}
	s.note("in a run it is " + s.start.UTC().Format("2006-01-02 15:04:05 MST") + ", and later only by steps that let time pass; goroutine " + g.path + " asks for the time" + at)
}
