//go:build go1.25

package orcruntime

import "unsafe"

// Maps that several goroutines use at one time, one of them writing, end a Go program
// by a fatal error, race detector or not. Here segments do not overlap, so each use of
// a map has a minor guard in front: who stands there is about to use the map, with
// nothing left to wait for. Two who are so with one map, one of them writing, could do
// it at one time.
//
// As in Go it is the reader who notices that somebody writes, not the writer that
// somebody reads.

// mapUse is how a map is used.
type mapUse uint8

const (
	mapRead mapUse = iota
	mapIteration
	mapWrite
)

// touches is how the use touches the map.
func (u mapUse) touches() touchKind {
	if u == mapWrite {
		return touchWrite
	}
	return touchRead
}

// mapErrors are the fatal errors of those who notice that another one writes.
var mapErrors = [...]string{
	mapRead:      "concurrent map read and map write",
	mapIteration: "concurrent map iteration and map write",
	mapWrite:     "concurrent map writes",
}

// mapUses are what is done by who is about to use a map.
var mapUses = [...]string{mapRead: "map read", mapIteration: "map iteration", mapWrite: "map write"}

// mapStops is how often a goroutine stops at one guard of a map. Loops are long, and
// what they would show later they have shown by then.
const mapStops = 8

// MapRead returns m, a map from which an element is read next.
func MapRead[M any](site Site, m M) M {
	usesMap(site, m, mapRead)
	return m
}

// MapWrite returns m, a map in which an element is set next.
func MapWrite[M any](site Site, m M) M {
	usesMap(site, m, mapWrite)
	return m
}

// MapDelete returns m, a map from which elements are removed next. If it has none,
// nothing is written.
func MapDelete[M ~map[K]V, K comparable, V any](site Site, m M) M {
	if len(m) > 0 {
		usesMap(site, m, mapWrite)
	}
	return m
}

// ThenMapRead returns v, what is evaluated last before an element of m is read.
func ThenMapRead[M, T any](site Site, m M, v T) T {
	usesMap(site, m, mapRead)
	return v
}

// ThenMapWrite returns v, what is evaluated last before an element of m is set or
// removed.
func ThenMapWrite[M, T any](site Site, m M, v T) T {
	usesMap(site, m, mapWrite)
	return v
}

// usesMap is the guard in front of what uses a map.
func usesMap[M any](site Site, m M, use mapUse) {
	if s := active.Load(); s != nil && s.minors && s.alive.Load() > 1 {
		if p := *(*unsafe.Pointer)(unsafe.Pointer(&m)); p != nil {
			if g := asks(); g != nil {
				g.useMap(site, p, use)
			}
		}
	}
}

func (g *goroutine) useMap(site Site, p unsafe.Pointer, use mapUse) {
	g.mapOverlap(site, p, use)
	if x := g.run.exec; x != nil && !x.misuse {
		return // the accesses are looked at for races
	}
	at := site.minor(opMap)
	if g.passed[at] >= mapStops || g.run.goesBy(g, at) {
		return
	}
	g.using = use
	g.arrive(opMap, at, p)
	g.run.exec.on(spaceMap, p, use.touches())
	g.mapOverlap(site, p, use)
	g.pass()
}

// mapOverlap ends the program if another goroutine is about to write to a map that g
// is about to use.
func (g *goroutine) mapOverlap(site Site, p unsafe.Pointer, use mapUse) {
	s := g.run
	for _, o := range s.live {
		if o != g && o.state == parked && o.op == opMap && o.obj == p && o.using == mapWrite {
			g.op, g.site, g.obj, g.using = opMap, site.minor(opMap), p, use
			s.name(mapObject, p)
			end := s.fatal(g, mapErrors[use])
			end.Kind, end.Site = KindMapRace, site.key()
			g.halt(end)
		}
	}
}
