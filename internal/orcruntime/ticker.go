//go:build go1.25

package orcruntime

import (
	"time"
	"unsafe"
)

// ticks are those of a ticker, from the time at which it was started. taken is when one was received last.
type ticks struct {
	start, period, taken time.Duration
}

// next is the first tick after now.
func (t ticks) next(now time.Duration) time.Duration {
	return t.start + ((now-t.start)/t.period+1)*t.period
}

// waits: a tick has come that nobody has received. While it is there no other one finds a place in the channel.
func (t ticks) waits(now time.Duration) bool {
	last := t.start + (now-t.start)/t.period*t.period
	return last > max(t.start, t.taken)
}

// NewTicker is time.NewTicker: every tick is a known event while a goroutine
// waits, or is about to.
func NewTicker(site Site, d time.Duration) *time.Ticker {
	begin(site, d, true)
	t := time.NewTicker(d)
	Ticks(t.C, d)
	return t
}

// Tick is time.Tick, see NewTicker.
func Tick(site Site, d time.Duration) <-chan time.Time {
	begin(site, d, true)
	c := time.Tick(d)
	Ticks(c, d)
	return c
}

// begin lets time pass, as is chosen, before the first period of a ticker, see delay.go. It
// may be a step of its own.
func begin(site Site, d time.Duration, apart bool) {
	g := asks()
	if g == nil || d <= 0 {
		return
	}
	if apart {
		g.stopToSet(site)
	}
	g.delay(site, d, true)
}

// Ticks tells the run that a ticker of period d sends to c from now on. A ticker
// that uninstrumented code stops is noticed when the next tick does not come.
func Ticks(c <-chan time.Time, d time.Duration) {
	if c == nil || d <= 0 {
		return
	}
	s := controlling()
	if s == nil || s.dying.Load() {
		return
	}
	now := s.clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tickers == nil {
		s.tickers = make(map[unsafe.Pointer]ticks)
	}
	s.tickers[R(c).channel()] = ticks{now, d, now}
}

// TickerMethods are the methods of a ticker that the run must know of.
type TickerMethods struct {
	site Site
	t    *time.Ticker
}

// Ticker is t, for a call of one of its methods in the statement at a site.
func Ticker(site Site, t *time.Ticker) TickerMethods { return TickerMethods{site, t} }

// Stop is the method of the ticker.
func (m TickerMethods) Stop() {
	m.t.Stop()
	if s, _ := discard(m.t.C); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.tickers, R(m.t.C).channel())
	}
}

// Reset is the method of the ticker.
func (m TickerMethods) Reset(d time.Duration) {
	begin(m.site, d, false)
	m.t.Reset(d)
	discard(m.t.C)
	Ticks(m.t.C, d)
}

// nextTick is the time of the next tick that a goroutine waits for, or is about
// to. In an exploration of all schedules it is none of a ticker of which one waits to be received: how many come
// behind that makes no difference.
func (s *run) nextTick(now time.Duration) (next time.Duration, ok bool) {
	s.eachTicker(func(_ *goroutine, _ Case, t ticks) bool {
		if at := t.next(now); at > now && (!ok || at < next) && !(s.exec != nil && t.waits(now)) {
			next, ok = at, true
		}
		return true
	})
	return next, ok
}

// anyTick reports whether a goroutine waits for a tick, or is about to.
func (s *run) anyTick(now time.Duration) (some bool) {
	s.eachTicker(func(_ *goroutine, _ Case, t ticks) bool {
		some = t.next(now) > now && !(s.exec != nil && t.waits(now))
		return !some
	})
	return some
}

// tickTaken notes that what c has received may be a tick.
func (s *run) tickTaken(c Case) {
	if len(s.tickers) == 0 {
		return
	}
	now := s.clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tickers[c.channel()]; ok && !c.sends() {
		t.taken = now
		s.tickers[c.channel()] = t
	}
}

// eachTicker visits the receives from tickers that goroutines queue for or stand
// at, as long as visit wants more.
func (s *run) eachTicker(visit func(*goroutine, Case, ticks) (more bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tickers) == 0 {
		return
	}
	for _, g := range s.live {
		if g.state != parked && g.state != blocked {
			continue
		}
		for _, c := range g.cases {
			if t, ok := s.tickers[c.channel()]; ok && !c.sends() {
				if !visit(g, c, t) {
					return
				}
			}
		}
	}
}

// forgetStopped forgets the tickers whose tick was due now, time having passed
// from before, but has not come to a goroutine that is queued for it.
func (s *run) forgetStopped(before time.Duration) {
	var stopped []Case
	s.eachTicker(func(g *goroutine, c Case, t ticks) bool {
		if g.state == blocked && t.next(before) <= s.now {
			stopped = append(stopped, c)
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range stopped {
		delete(s.tickers, c.channel())
	}
}

// ticking reports whether it is known when c can receive.
func (s *run) ticking(c Case) bool {
	if c.sends() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.tickers[c.channel()]
	return ok
}
