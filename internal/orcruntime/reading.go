//go:build go1.25

package orcruntime

import (
	"strconv"
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

// readings are what a run knows of how its program uses the clock.
type readings struct {
	lags  bool          // the program reads it
	taken time.Duration // by those since the last step
	// kept are the times that it has shown and that the program keeps, and events those at which
	// deadlines were set, both ascending. The start of the run is one of the events.
	kept, events []time.Duration
	// known are the durations that the clock is compared with, and found those of them that are
	// no constants, both ascending.
	known, found []time.Duration
	// compared are those of the run that neither has.
	compared []time.Duration
	// moments tell which of them what a program compares comes from.
	moments moments
	limits  []string // what readings are not known to depend on
}

// Clock is what reads the clock in the statement at a site. At 0 what it shows is no choice:
// nothing depends on it, or it is called outside of functions, where there is no statement.
type Clock Site

// Now is time.Now(). The first call in a run is noted.
func (c Clock) Now() time.Time { return read(Site(c), true) }

// Since is time.Since(t).
func (c Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until is time.Until(t).
func (c Clock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// Once is a Clock for what nothing is compared with later.
type Once Site

// Now is time.Now().
func (c Once) Now() time.Time { return read(Site(c), false) }

// Since is time.Since(t).
func (c Once) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until is time.Until(t).
func (c Once) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// read reads the clock. The program keeps what it shows, if kept.
func read(site Site, kept bool) time.Time {
	Timed() // whatever the instrumented code says
	s := active.Load()
	if s == nil || s.back != nil {
		return time.Now()
	}
	g := s.caller()
	if g == nil {
		return time.Now()
	}
	s.readClock(g)
	if !s.readings.lags || s.bubbles > 0 { // there the clock is exact
		at := time.Now()
		s.shows(at)
		return at
	}
	if site != 0 && !s.dying.Load() {
		g.reads(site)
	}
	r := &s.readings
	at := s.clock() + r.taken
	at += r.moments.apart(at)
	r.taken = at + lag - s.clock()
	if site != 0 || s.initialising { // which repeats the variables of packages
		r.moments.add(moment{at: at, kept: kept})
		if kept {
			r.keep(at)
		}
	}
	shown := s.start.Add(at)
	s.shows(shown)
	return shown
}

// reads is the step in which g reads the clock, with the time that passes before.
func (g *goroutine) reads(site Site) {
	s := g.run
	g.stopBefore(opRead, site)
	s.exec.calls(g)
	s.exec.sets()
	if s.exec != nil || s.cfg.Delays || len(s.planned) > 0 || g.looksAgain() {
		s.exec.reads(g.isLate(site, s.lateReadings()))
	} else { // nobody is
		s.ordered = true
		g.ask(site.minor(opDelay))
	}
}

// keep notes that the program keeps what the clock has shown.
func (r *readings) keep(at time.Duration) {
	n := len(r.kept)
	switch {
	case n > 0 && at-r.kept[n-1] < instant:
		r.kept[n-1] = at
	case n < maxReadings:
		r.kept = append(r.kept, at)
	default:
		r.limit("more than " + strconv.Itoa(maxReadings) + " readings of the clock are kept")
	}
}

// lateReadings are how late the clock may be read so that it makes a difference. No event may
// come meanwhile.
func (s *run) lateReadings() (out []time.Duration) {
	r := &s.readings
	now := s.clock()
	last := longestDelay
	for _, d := range r.known {
		if d < far/100 { // else it stands for never
			last = max(last, 2*d)
		}
	}
	if next := s.nextPending(); next < now+far {
		last = next - now - instant
	}
	if last <= 0 {
		return nil
	}
	passed := func(since, durations []time.Duration) {
		for _, from := range since {
			for _, d := range durations {
				if late := from + d - now + lag; late > 0 && late < last {
					out = append(out, late)
				}
			}
		}
	}
	passed(r.kept, r.known)
	passed(r.events, r.found)
	return append(out, last)
}

// passed: time has passed. It does until the clock is told from all moments, unless an event
// comes before: what goes on may set a deadline at once.
func (s *run) passed() {
	s.now = time.Since(s.start)
	if !s.readings.lags {
		return
	}
	if d := s.readings.moments.apart(s.now); d > 0 && s.now+d < s.nextPending() {
		time.Sleep(d)
		s.now += d
	}
}

// tick lets the time pass that reading the clock has taken since the last step: on no
// real machine do two readings, one after the other, show the same.
func (s *run) tick() {
	if s.readings.taken == 0 {
		return
	}
	before := s.now
	time.Sleep(s.readings.taken)
	s.readings.taken = 0
	s.passed()
	for _, g := range s.live {
		if g.state == parked {
			g.readyAt += s.now - before // nobody is slow for that
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
