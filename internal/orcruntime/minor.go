//go:build go1.25

package orcruntime

import (
	"slices"
	"strings"
)

// Minor guards stand where no operation of the program's begins: inside one, or in
// front of something that is an operation only for the errors that it may run into.
// Models have no such guards, and the plans made from them name none. A run that
// follows such a plan goes by them without stopping. All others stop there: those
// without a plan, and those that repeat a recording, see Plan.Minor.

// The first minor guard of a site has the number of the site and minorOffset.
const minorOffset = 1 << 25

// minorGuards are the operations, in their order, with the ends of their keys.
var minorGuards = [...]struct {
	op     op
	suffix string
}{
	{opWaited, ".return"},
	{opZero, ".zero"},
	{opMap, ".map"},
	{opLog, ".log"},
	{opCleanup, ".cleanup"},
	{opMeasure, ".len"},
	{opCall, ".call"},
	{opRead, ".clock"},
	{opDelay, ".delay"}, // no goroutine stops there, see delay.go
	{opCount, ".count"},
}

// minor reports whether an operation is that of a minor guard.
func (o op) minor() bool { return opAtomic < o && o < opEnd }

// minor is the guard of a minor operation at the site.
func (site Site) minor(o op) Site {
	return site + Site(o-opAtomic)*minorOffset
}

// major is the site that a minor guard belongs to, with the end of its key.
func (site Site) major() (of Site, o op, suffix string, ok bool) {
	if site < minorOffset || site >= joinOffset {
		return 0, 0, "", false
	}
	m := minorGuards[site/minorOffset-1]
	return site % minorOffset, m.op, m.suffix, true
}

// MinorGuard is a kind of guard at which only the runtime stops goroutines.
type MinorGuard struct {
	Suffix string // of its key
	Text   string // what it does
}

// MinorGuards are those that the runtime may have at a site besides that of the site.
func MinorGuards() []MinorGuard {
	list := make([]MinorGuard, 0, len(minorGuards))
	for _, m := range minorGuards {
		list = append(list, MinorGuard{m.suffix, opNames[m.op]})
	}
	return list
}

// MinorText is what the minor guard with a key does, "" if it is none.
func MinorText(key string) string {
	if _, o, ok := minorKey(key); ok {
		return opNames[o]
	}
	return ""
}

// IsCall reports whether a guard, by its key, stands in front of a call of uninstrumented code.
func IsCall(key string) bool {
	_, o, ok := minorKey(key)
	return ok && o == opCall
}

// IsDelay reports whether a choice of the environment, by the key of its site, is how late a
// goroutine sets a deadline or reads the clock.
func IsDelay(key string) bool {
	_, o, ok := minorKey(key)
	return ok && o == opDelay
}

// minorKey splits the key of a minor guard.
func minorKey(key string) (of string, o op, ok bool) {
	for _, m := range minorGuards {
		if of, ok := strings.CutSuffix(key, m.suffix); ok {
			return of, m.op, true
		}
	}
	return "", opNone, false
}

// stopsAtMinor reports whether runs under the plan stop at minor guards.
func (p *Plan) stopsAtMinor() bool {
	return p.Minor || p.Late != "" || len(p.Steps) == 0 || slices.ContainsFunc(p.Steps, func(st Step) bool {
		_, _, ok := minorKey(st.Site)
		return ok
	})
}

// stopsAtLengths reports whether runs under the plan stop where the length of a channel
// is asked for: only those that are to repeat one of an exhaustive exploration, which is
// the only one that does. Models stop in front of the whole statement.
func (p *Plan) stopsAtLengths() bool {
	return slices.ContainsFunc(p.Steps, func(st Step) bool {
		_, o, _ := minorKey(st.Site)
		return o == opMeasure
	})
}

// stop has the goroutine stand at a minor guard of the site, unless nobody else is
// there who could do anything meanwhile.
func (g *goroutine) stop(o op, site Site) {
	if s := g.run; !s.minors || len(s.live) < 2 {
		return
	}
	g.arrive(o, site.minor(o), g.obj)
	g.pass()
	g.acting = site
}
