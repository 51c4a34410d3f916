//go:build go1.25

package orcruntime

import (
	"sync"
	"unsafe"
)

// What explains the end of a run is kept while it goes on: who holds which lock since where,
// and who has closed which channel.

// ownership is a lock that a goroutine holds, or a Once of which it runs the function.
type ownership struct {
	object object
	op     op // by which it was taken
	g      *goroutine
	site   Site
}

// holds reports whether the real object is still held in this way, as far as that shows: that of
// a Once does not.
func (h ownership) holds(s *run) bool {
	switch {
	case h.object.kind == mutexObject:
		return lockRef{mutexLock, h.object.p}.held()
	case h.object.kind == rwMutexObject && h.op == opRLock:
		return lockRef{readLock, h.object.p}.held()
	case h.object.kind == rwMutexObject:
		return lockRef{writeLock, h.object.p}.held()
	}
	return s.onces[(*sync.Once)(h.object.p)] == h.g
}

// owns notes that g has taken a lock.
func (s *run) owns(g *goroutine, l lockRef) {
	o := opLock
	if l.kind == readLock {
		o = opRLock
	}
	s.owned = append(s.owned, ownership{object{l.p, lockObjects[l.kind]}, o, g, g.site})
}

// disowns notes that g has given a lock back.
func (s *run) disowns(g *goroutine, l lockRef) {
	s.disown(g, object{l.p, lockObjects[l.kind]}, l.kind == readLock)
}

// disown removes what g owns of an object, to read or not. Another goroutine may have taken
// it: then it is the one that held it first.
func (s *run) disown(g *goroutine, o object, reads bool) {
	first := -1
	for i, h := range s.owned {
		if h.object != o || (h.op == opRLock) != reads {
			continue
		}
		if first < 0 || h.g == g && s.owned[first].g != g {
			first = i
		}
	}
	if first >= 0 { // else a library has taken it
		s.owned = append(s.owned[:first], s.owned[first+1:]...)
	}
}

// closing says who has closed a channel.
type closing struct {
	g    *goroutine
	site Site
}

// closed notes that g closes a channel.
func (s *run) closed(g *goroutine, ch unsafe.Pointer) {
	if s.closings == nil {
		s.closings = make(map[unsafe.Pointer]closing)
	}
	s.closings[ch] = closing{g, g.site}
}

// meetsClosed notes the channels that g is about to send on.
func (g *goroutine) meetsClosed() {
	g.onClosed = nil
	if g.run.closings == nil {
		return
	}
	for _, c := range g.cases {
		if c.sends() {
			g.meets(c.channel())
		}
	}
}

// meets notes that g is about to send on a channel, or to close it: if it is closed, g panics.
func (g *goroutine) meets(ch unsafe.Pointer) {
	if _, ok := g.run.closings[ch]; ok {
		g.onClosed = ch
	}
}

// ownedBy is what g holds, in the order in which it has taken it. The real object has the last
// word: uninstrumented code may have given back what g has taken.
func (s *run) ownedBy(g *goroutine) (acts []Act) {
	for _, h := range s.owned {
		if h.g == g && h.holds(s) {
			acts = append(acts, Act{G: g.path, Op: h.op.String(), Object: s.nameOf(h.object.kind, h.object.p), Site: h.site.key()})
		}
	}
	return acts
}

// closedBy says who has closed the channel that g panics on, nil if it does not.
func (s *run) closedBy(g *goroutine) *Act {
	if g.onClosed == nil || s.outcome.G != g.path || s.outcome.Kind == "" {
		return nil
	}
	c := s.closings[g.onClosed]
	return &Act{G: c.g.path, Op: opClose.String(), Object: s.nameOf(channelObject, g.onClosed), Site: c.site.key()}
}
