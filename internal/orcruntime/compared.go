//go:build go1.25

package orcruntime

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a program compares is calculated from what the clock has shown and from durations: a
// comparison comes out otherwise if another time has passed between two moments, and which
// they are and how long that is has to be found in two numbers. Programs calculate in
// durations of microseconds and more, and what is less is the runtime's to choose: it
// lets so many nanoseconds pass between two moments that every difference of two of them has
// a remainder of its own (they form a Golomb ruler, modulo a microsecond). So the remainder of
// what a program compares tells the two moments, and what they leave is a duration.

// moment is a time that a program may calculate with.
type moment struct {
	at   time.Duration
	kept bool // the clock was read, and the program keeps what it has shown
	set  bool // a deadline was set
}

// moments are the last moments of a run, with those that are kept for longer.
type moments struct {
	list    []moment
	differs [instant]bool // remainders of the differences of two of them
}

// maxMoments bounds the moments that are told from each other.
const maxMoments = 14

// remainder is what is less than an instant, at least 0.
func remainder(d time.Duration) time.Duration { return (d%instant + instant) % instant }

// add adds a moment. If there are too many, one is forgotten: the oldest of the readings that
// the program does not keep or, if there are none, of the deadlines, or of all.
func (m *moments) add(n moment) {
	if i := slices.IndexFunc(m.list, func(o moment) bool { return o.at == n.at }); i >= 0 {
		m.list[i].kept, m.list[i].set = m.list[i].kept || n.kept, m.list[i].set || n.set
		return
	}
	if len(m.list) == maxMoments {
		i := slices.IndexFunc(m.list, func(o moment) bool { return !o.kept && !o.set })
		if i < 0 {
			i = max(slices.IndexFunc(m.list, func(o moment) bool { return !o.kept }), 0)
		}
		m.list = slices.Delete(m.list, i, i+1)
		clear(m.differs[:])
		for i, o := range m.list {
			m.differ(o, m.list[:i])
		}
	}
	m.differ(n, m.list)
	m.list = append(m.list, n)
}

func (m *moments) differ(n moment, from []moment) {
	for _, o := range from {
		m.differs[remainder(n.at-o.at)] = true
		m.differs[remainder(o.at-n.at)] = true
	}
}

// apart is how much later than a time a moment is told from all others.
func (m *moments) apart(at time.Duration) time.Duration {
	for later := range instant {
		if m.tells(at + later) {
			return later
		}
	}
	return 0 // a comparison with it will not be followed
}

func (m *moments) tells(at time.Duration) bool {
	var own [instant]bool
	for _, o := range m.list {
		d, back := remainder(at-o.at), remainder(o.at-at)
		if d == 0 || d == back || m.differs[d] || own[d] || own[back] {
			return false
		}
		own[d], own[back] = true, true
	}
	return true
}

// between finds the two moments, first and later, of which a duration has the difference, and
// the rest: it is the time between them and the rest or, if back, minus that time and the rest.
func (m *moments) between(d time.Duration) (first, later moment, back bool, rest time.Duration, ok bool) {
	for i, a := range m.list {
		for _, b := range m.list[:i] {
			first, later = b, a
			if first.at > later.at {
				first, later = later, first
			}
			passed := later.at - first.at
			switch {
			case remainder(d-passed) == 0:
				return first, later, false, d - passed, true
			case remainder(d+passed) == 0:
				return first, later, true, d + passed, true
			}
		}
	}
	return first, later, false, 0, false
}

// maxCompared bounds the durations that a run finds the clock compared with.
const maxCompared = 32

// maxClockLimits bounds the limits that a run has of readings of the clock.
const maxClockLimits = 4

// begin is the start of a run.
func (r *readings) begin(start time.Time) {
	if r.lags { // the times that a program names have no remainder
		r.events = []time.Duration{0}
		r.moments.add(moment{at: -remainder(time.Duration(start.Nanosecond())), set: true})
	}
}

// learn takes a duration for one that the clock is compared with.
func (r *readings) learn(d time.Duration) {
	r.known, r.found = inserted(r.known, d), inserted(r.found, d)
}

// event notes that a deadline was set. Of many the last ones count.
func (r *readings) event(at time.Duration) {
	if n := len(r.events); at-r.events[n-1] >= instant {
		if n == maxReadings {
			r.events = slices.Delete(r.events, 0, 1)
		}
		r.events = append(r.events, at)
	}
	r.moments.add(moment{at: at, set: true})
}

// limit notes that readings may depend on something else.
func (r *readings) limit(what string) {
	if len(r.limits) == maxClockLimits {
		return
	}
	if stack := callers(); len(stack) > 0 {
		_, at, _ := strings.Cut(stack[0], " ")
		what = at + ": " + what
	}
	if !slices.Contains(r.limits, what) {
		r.limits = append(r.limits, what)
	}
}

// Compared compares two durations. If what the clock has shown is in them, later readings are
// to show whatever makes a difference.
func Compared(x, y time.Duration) int {
	if !never(x) && !never(y) {
		comparing(x - y)
	}
	return cmp.Compare(x, y)
}

// ComparedNumbers is Compared for durations, or times, as numbers of nanoseconds.
func ComparedNumbers(x, y int64) int {
	comparing(time.Duration(x - y))
	return cmp.Compare(x, y)
}

// Moment is a time that is compared with another one, in the way of Compared.
type Moment time.Time

// After is the method of the time.
func (m Moment) After(t time.Time) bool { return m.Compare(t) > 0 }

// Before is the method of the time.
func (m Moment) Before(t time.Time) bool { return m.Compare(t) < 0 }

// Equal is the method of the time.
func (m Moment) Equal(t time.Time) bool { return m.Compare(t) == 0 }

// Compare is the method of the time.
func (m Moment) Compare(t time.Time) int {
	comparing(time.Time(m).Sub(t))
	return time.Time(m).Compare(t)
}

// comparing: the program finds out whether a duration is positive.
func comparing(d time.Duration) {
	if never(d) || remainder(d) == 0 {
		return // it does not depend on the clock
	}
	if s := readsNow(); s != nil {
		s.compares(d)
	}
}

// Noted is a duration that is added to a time, or made a number: the clock may be compared
// with it where that does not show.
func Noted(d time.Duration) time.Duration {
	if s := readsNow(); s != nil {
		if remainder(d) == 0 {
			s.comparesWith(max(d, -d), s.readings.known)
		} else if _, _, _, rest, ok := s.readings.moments.between(d); ok {
			s.comparesWith(max(rest, -rest), s.readings.known)
		}
	}
	return d
}

// Against is a duration that becomes a number, which is compared with those of other durations.
func Against(d time.Duration, others ...time.Duration) time.Duration {
	for _, o := range others {
		Compared(d, o)
	}
	return d
}

// readsNow is the run of the calling goroutine, nil if its clock is a real one, or exact.
func readsNow() *run {
	if s := active.Load(); s != nil && s.readings.lags && s.bubbles == 0 && !s.dying.Load() && s.caller() != nil {
		return s
	}
	return nil
}

// never: a duration stands for that something does not happen.
func never(d time.Duration) bool { return d <= -far || d >= far }

// compares notes that the program finds out whether a duration is positive, which has a
// remainder.
func (s *run) compares(d time.Duration) {
	r := &s.readings
	first, _, back, passes, ok := r.moments.between(d)
	if !back {
		passes = -passes // then so much has passed, and nothing is left
	}
	switch {
	case !ok:
		r.limit("durations or times are compared, and how they depend on the clock cannot be told")
	case passes < instant: // as it has always
	case first.kept:
		s.comparesWith(passes, r.known)
	case first.set:
		s.comparesWith(passes, r.found)
	default:
		r.limit("what the clock has shown is compared with an earlier reading of which nothing was to be kept")
	}
}

// comparesWith notes a duration that is not among those that are known.
func (s *run) comparesWith(d time.Duration, known []time.Duration) {
	r := &s.readings
	switch {
	case d < instant || slices.Contains(known, d) || slices.Contains(r.compared, d):
	case len(r.compared) == maxCompared:
		r.limit("the clock is compared with more than " + strconv.Itoa(maxCompared) + " durations that are no constants")
	default:
		r.compared = inserted(r.compared, d)
		if s.exec == nil { // what a run has found is not known to others of an exploration
			r.learn(d)
		}
	}
}

// inserted adds a value to a list in ascending order that may have it.
func inserted(list []time.Duration, d time.Duration) []time.Duration {
	if i, found := slices.BinarySearch(list, d); !found {
		return slices.Insert(list, i, d)
	}
	return list
}
