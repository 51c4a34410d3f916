//go:build go1.25

package orcruntime

import (
	"time"
)

// A program that seeds its random numbers from the clock means them to be other ones in each run,
// and the clock of a run shows one time. So what such a generator gives is a choice of the run, as
// it is of those that need no seed: numbers of a small range are one each, and of others the ones
// that follow from the seed are kept. Two generators with the same seed give the same numbers.

// maxShown bounds how many readings of the clock a run keeps to know a seed by.
const maxShown = 1024

// shows notes what the clock has shown.
func (s *run) shows(at time.Time) {
	if len(s.shown) < maxShown {
		s.shown = append(s.shown, at)
	}
}

// fromClock reports whether a seed is what the clock has shown.
func (s *run) fromClock(seed int64) bool {
	for _, t := range s.shown {
		switch seed {
		case t.UnixNano(), t.UnixMicro(), t.UnixMilli(), t.Unix(), int64(t.Nanosecond()):
			return true
		}
	}
	return false
}

// whole is the type of a whole number that a run chooses.
type whole interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Residue is x, a remainder with n values of what the clock shows in nanoseconds, or in a run
// the one that it has chosen.
func Residue[T whole](site Site, n int, x T) T {
	if g := asks(); g != nil && g.run.bubbles == 0 {
		return T(g.choose(site, n, false))
	}
	return x
}

// Generator is what generates random numbers from a seed.
type Generator interface{ Uint64() uint64 }

// OldGenerator is a Generator as package math/rand has them.
type OldGenerator interface {
	Generator
	Int63() int64
	Seed(seed int64)
}

// Seeded is a generator with a seed that may be from the clock. In a run it tells what draws from
// it, see Drawing.
type Seeded struct {
	site  Site
	inner Generator
	seed  seed
	drawn *drawn // in the runs that have made it; nil if the seed is not from the clock
	next  int    // of drawn
	open  bool   // whether the seed is from the clock is not known
}

type seed [2]int64

// drawn is what the generators of a seed give in a run.
type drawn struct{ draws []draw }

// draw is one number: of n, which is 0 if the range is not a small one.
type draw struct{ n, value int }

// SeededSource is a source of math/rand that was seeded at a site.
func SeededSource(site Site, first int64, inner OldGenerator) *OldSeeded {
	return &OldSeeded{*newSeeded(site, seed{first}, inner), inner}
}

// SeededPCG notes that a generator of math/rand/v2 was seeded at a site.
func SeededPCG(site Site, first, second uint64, inner Generator) {
	x := newSeeded(site, seed{int64(first), int64(second)}, inner)
	if g := asks(); g != nil {
		if g.run.generators == nil {
			g.run.generators = map[Generator]*Seeded{}
		}
		g.run.generators[inner] = x
	}
}

// SeededBy is the generator in place of one of which SeededPCG was told in the run, nil if there
// is none.
func SeededBy(inner Generator) *Seeded {
	if g := asks(); g != nil {
		return g.run.generators[inner]
	}
	return nil
}

func newSeeded(site Site, from seed, inner Generator) *Seeded {
	x := &Seeded{site: site, inner: inner}
	x.seeded(from)
	return x
}

// seeded notes the seed of a generator.
func (x *Seeded) seeded(from seed) {
	x.seed, x.drawn, x.next, x.open = from, nil, 0, false
	g := asks()
	switch {
	case g == nil:
		x.open = true // before runs, for one
	case g.run.bubbles > 0: // the clock is that of any run
	case g.run.fromClock(from[0]), from[1] != 0 && g.run.fromClock(from[1]):
		if g.run.drawn == nil {
			g.run.drawn = map[seed]*drawn{}
		}
		if x.drawn = g.run.drawn[from]; x.drawn == nil {
			x.drawn = new(drawn)
			g.run.drawn[from] = x.drawn
		}
	default:
		x.open = true
	}
}

// Uint64 is the next number.
func (x *Seeded) Uint64() uint64 {
	x.draws()
	return x.inner.Uint64()
}

// draws: somebody draws a number.
func (x *Seeded) draws() {
	g := asks()
	switch {
	case g == nil || x.drawn == nil && !x.open:
	case g.drawing != nil && x.drawn != nil:
		g.drawing.from = x
	default:
		g.run.exec.draws(x.site)
		if x.drawn != nil {
			x.value(g, x.site, 0)
		}
	}
}

// value is the next number of the generator: of n, or one of a large range.
func (x *Seeded) value(g *goroutine, site Site, n int) (value int, ok bool) {
	i := x.next
	x.next++
	if i < len(x.drawn.draws) {
		d := x.drawn.draws[i]
		if d.n != n {
			g.run.exec.draws(site) // how it depends on what another one has given is not known
		}
		return d.value, d.n == n && n > 0
	}
	if n > 0 {
		value = g.choose(site, n, false)
	}
	x.drawn.draws = append(x.drawn.draws, draw{n, value})
	return value, n > 0
}

// OldSeeded is a Seeded for package math/rand.
type OldSeeded struct {
	Seeded
	old OldGenerator
}

// Int63 is the next number.
func (x *OldSeeded) Int63() int64 {
	x.draws()
	return x.old.Int63()
}

// Seed seeds the generator anew.
func (x *OldSeeded) Seed(first int64) {
	x.old.Seed(first)
	x.seeded(seed{first})
}

// drawing is a draw of a number of a small range, by a goroutine.
type drawing struct{ from *Seeded } // nil: from no generator with a seed from the clock

// Drawing is a method that draws a number below another one from a generator. If that was seeded
// from the clock, the run chooses the number.
func Drawing[T whole](site Site, number func(T) T) func(T) T {
	return func(n T) T {
		g := asks()
		if g == nil || n < 2 || uint64(n) > smallRange {
			return number(n)
		}
		var d drawing
		v := draws(g, &d, func() T { return number(n) })
		if d.from == nil {
			return v
		}
		if chosen, ok := d.from.value(g, site, int(n)); ok {
			return T(chosen)
		}
		return v
	}
}

// draws has a goroutine draw a number.
func draws[T any](g *goroutine, d *drawing, number func() T) T {
	outer := g.drawing
	defer func() { g.drawing = outer }()
	g.drawing = d
	return number()
}

// SeedAll notes that the generator of package math/rand that all share is seeded. The numbers
// that it gives are choices until it is seeded with what is not from the clock. Whether that is
// so is not known if the seed is perhaps from it, and is nothing that it has shown.
func SeedAll(site Site, perhaps bool, first int64) {
	g := asks()
	if g == nil {
		return
	}
	s := g.run
	s.repeats = !s.fromClock(first) || s.bubbles > 0
	if s.repeats && perhaps && s.bubbles == 0 {
		s.exec.draws(site)
	}
}

// Repeats reports whether the numbers of that generator follow from a seed that is not from the
// clock.
func Repeats() bool {
	g := asks()
	return g != nil && g.run.repeats
}
