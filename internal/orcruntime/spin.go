//go:build go1.25

package orcruntime

import (
	"runtime"
	"slices"
)

const (
	// spinning is how often a goroutine polls after a guard before others get
	// their turn, again how often from one such turn to the next, and yielding
	// what runtime.Gosched counts for.
	spinning, again, yielding = 1000, 10, 100
	// busy is how many turns in a row may be taken by goroutines that only poll
	// before time passes, and how often time may pass, until that is a busy loop.
	busy = 1000
)

// Polled returns v, which an atomic operation or the like in the statement at
// site has returned. A goroutine that does nothing else for long comes to a
// guard here, so that what it waits for can happen.
func Polled[T any](site Site, v T) T {
	if s := active.Load(); s != nil {
		s.polled(site, 1, false)
	}
	return v
}

// Changed returns v, which an atomic operation that changes memory has returned.
// It is as Polled, but a loop of such operations is at work, be it for ever.
func Changed[T any](site Site, v T) T {
	if s := active.Load(); s != nil {
		s.polled(site, 1, true)
	}
	return v
}

// Swapped returns ok, the result of an atomic compare-and-swap: it is Changed if
// that has succeeded, else Polled.
func Swapped(site Site, ok bool) bool {
	if s := active.Load(); s != nil {
		s.polled(site, 1, ok)
	}
	return ok
}

// Gosched is runtime.Gosched, see Polled.
func Gosched(site Site) {
	if s := active.Load(); s != nil {
		s.polled(site, yielding, false)
	}
	runtime.Gosched()
}

func (s *run) polled(site Site, n int, changed bool) {
	g := s.caller()
	if g == nil {
		freeze()
		return
	}
	if changed {
		g.idle = 0
	}
	if g.polls += n; g.polls < spinning {
		return
	}
	if s.dying.Load() {
		runtime.Goexit()
	}
	if g.turns++; g.turns == 1 {
		g.spun = s.times
	}
	g.idle++
	g.seen = s.times
	g.arrive(opSpin, site.spin(), nil)
	g.pass()
	g.polls = spinning - again
}

// spin reports whether all that could go on have only polled for long, and also
// since time has passed for the last time, and how often it had passed when the
// last of them began.
func (s *run) spin(v View) (since int, ok bool) {
	for _, p := range v.Ready {
		g := p.g
		if g.op != opSpin && g.op != opAtomic && !g.op.minor() || g.turns <= busy || g.seen != s.times {
			return 0, false
		}
		since = max(since, g.spun)
	}
	return since, len(v.Ready) > 0
}

// changing reports whether one of those that could go on has changed memory in
// the turns of late, so that it is no busy loop.
func (s *run) changing(v View) bool {
	return slices.ContainsFunc(v.Ready, func(p Parked) bool { return p.g.idle <= busy })
}

// busyText says who polls in vain.
func (s *run) busyText(v View) string {
	text := "busy loop, and nothing else goes on: "
	for i, p := range v.Ready {
		if i > 0 {
			text += "; "
		}
		text += p.G + " at " + p.Key() + " (" + sourceLine(p.Site) + ")"
	}
	return text
}
