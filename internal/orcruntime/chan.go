//go:build go1.25

package orcruntime

import (
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"
	"unsafe"
)

// Case is a communication: the case of a select, or a send or receive alone.
type Case interface {
	// channel identifies the channel; nil if it is nil.
	channel() unsafe.Pointer
	sends() bool
	// try does the real operation if that does not block.
	try() bool
	// block does the real operation.
	block()
	// accept completes this receive and the send, which is on the same channel.
	accept(send Case)
	// buffered is the number of values in the channel's buffer.
	buffered() int
	capacity() int
	// event: a receive whose elements are of type time.Time, as those of
	// timers, or struct{}, as those of contexts.
	event() bool
	// received: a receive that got a value.
	received() bool
	selectCase() reflect.SelectCase
	// value is what is sent, or has been received.
	value() reflect.Value
	// given is what a receive has given as text, "" of a send.
	given() string
	// chosen completes the case after reflect.Select has chosen it.
	chosen(v reflect.Value, ok bool)
	// save copies a completed receive, and load completes one from a copy.
	save() Case
	load(saved Case)
}

// Sender is a channel to send on.
type Sender[T any] struct{ ch chan<- T }

// To prepares a send on ch.
func To[T any](ch chan<- T) Sender[T] { return Sender[T]{ch} }

// Send is the statement ch <- v.
func (s Sender[T]) Send(site Site, v T) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.send(site, &sendCase[T]{s.ch, v})
		} else {
			s.ch <- v
		}
		return
	}
	g.communicate(opSend, site, false, &sendCase[T]{s.ch, v})
}

// SendOn is Send on ch, which is evaluated behind v.
func (s Sender[T]) SendOn(site Site, v T, ch chan<- T) { Sender[T]{ch}.Send(site, v) }

// SendOn is the statement ch <- v, where ch is evaluated behind v.
func SendOn[T any](site Site, v T, ch chan<- T) { Sender[T]{ch}.Send(site, v) }

// Case is the select case ch <- v.
func (s Sender[T]) Case(v T) Case { return &sendCase[T]{s.ch, v} }

type sendCase[T any] struct {
	ch chan<- T
	v  T
}

func (c *sendCase[T]) channel() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c.ch)) }
func (c *sendCase[T]) sends() bool             { return true }
func (c *sendCase[T]) accept(Case)             {}
func (c *sendCase[T]) buffered() int           { return len(c.ch) }
func (c *sendCase[T]) capacity() int           { return cap(c.ch) }
func (c *sendCase[T]) event() bool             { return false }
func (c *sendCase[T]) received() bool          { return false }
func (c *sendCase[T]) save() Case              { return c }
func (c *sendCase[T]) load(Case)               {}

func (c *sendCase[T]) try() bool {
	select {
	case c.ch <- c.v:
		return true
	default:
		return false
	}
}

// While a goroutine is blocked the Go runtime refers to the value, from what the garbage collector takes for a root. It is not to
// be in one object with the channel: else the collector would say that something reaches the channel.

func (c *sendCase[T]) block() {
	v := c.v
	c.ch <- v
}

func (c *sendCase[T]) selectCase() reflect.SelectCase {
	v := c.v
	return reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(c.ch), Send: reflect.ValueOf(&v).Elem()}
}

func (c *sendCase[T]) value() reflect.Value {
	v := c.v
	return reflect.ValueOf(&v).Elem()
}

func (c *sendCase[T]) chosen(reflect.Value, bool) {}
func (c *sendCase[T]) given() string              { return "" }

// RecvCase is the select case v, ok := <-ch. V and OK are set when it is
// chosen.
type RecvCase[T any] struct {
	ch <-chan T
	V  T
	OK bool
}

// R is the select case that receives from ch.
func R[T any](ch <-chan T) *RecvCase[T] { return &RecvCase[T]{ch: ch} }

func (c *RecvCase[T]) channel() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c.ch)) }
func (c *RecvCase[T]) sends() bool             { return false }
func (c *RecvCase[T]) buffered() int           { return len(c.ch) }
func (c *RecvCase[T]) capacity() int           { return cap(c.ch) }
func (c *RecvCase[T]) save() Case              { saved := *c; return &saved }
func (c *RecvCase[T]) received() bool          { return c.OK }
func (c *RecvCase[T]) value() reflect.Value    { return reflect.ValueOf(&c.V).Elem() }

// The other side may be one by reflection.

func (c *RecvCase[T]) accept(send Case) {
	if s, ok := send.(*sendCase[T]); ok {
		c.V, c.OK = s.v, true
	} else {
		c.chosen(send.value(), true)
	}
}

func (c *RecvCase[T]) load(saved Case) {
	if r, ok := saved.(*RecvCase[T]); ok {
		*c = *r
	} else {
		c.chosen(saved.value(), saved.received())
	}
}

func (c *RecvCase[T]) block() {
	v, ok := <-c.ch
	c.V, c.OK = v, ok
}

func (c *RecvCase[T]) given() string {
	if !c.OK {
		return closedValue
	}
	return valueText(c.V)
}

func (c *RecvCase[T]) event() bool { return isEvent[T]() }

func isEvent[T any]() bool { return isEventType(reflect.TypeFor[T]()) }

// isEventType reports whether values of a type are those of timers, or of contexts.
func isEventType(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[struct{}]()
}

func (c *RecvCase[T]) try() bool {
	select {
	case c.V, c.OK = <-c.ch:
		return true
	default:
		return false
	}
}

func (c *RecvCase[T]) selectCase() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.ch)}
}

func (c *RecvCase[T]) chosen(v reflect.Value, ok bool) {
	reflect.ValueOf(&c.V).Elem().Set(v)
	c.OK = ok
}

// Recv is the expression <-ch.
func Recv[T any](site Site, ch <-chan T) T {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			v, _ := recvRecorded(r, site, ch)
			return v
		}
		return <-ch
	}
	c := RecvCase[T]{ch: ch}
	g.communicate(opRecv, site, false, &c)
	return c.V
}

// Recv2 is the expression <-ch with its second value.
func Recv2[T any](site Site, ch <-chan T) (T, bool) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			return recvRecorded(r, site, ch)
		}
		v, ok := <-ch
		return v, ok
	}
	c := RecvCase[T]{ch: ch}
	g.communicate(opRecv, site, false, &c)
	return c.V, c.OK
}

// Range ranges over ch.
func Range[T any](site Site, ch <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, ok := Recv2(site, ch)
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// Ranger ranges over a channel in language versions without range-over-func.
type Ranger[T any] struct {
	ch <-chan T
	V  T // the value received last
}

// RangeCh prepares a range over ch.
func RangeCh[T any](ch <-chan T) *Ranger[T] { return &Ranger[T]{ch: ch} }

// Next receives the next value; it reports whether there is one.
func (r *Ranger[T]) Next(site Site) bool {
	v, ok := Recv2(site, r.ch)
	if ok {
		r.V = v
	}
	return ok
}

// Close is the builtin close.
func Close[T any](site Site, ch chan<- T) {
	closeOf(site, *(*unsafe.Pointer)(unsafe.Pointer(&ch)), cap(ch), unsafe.Sizeof(*new(T)) == 0, func() { close(ch) })
}

// closeOf closes the channel at p, whose elements may be of a type without a size, by the real operation.
func closeOf(site Site, p unsafe.Pointer, capacity int, empty bool, closes func()) {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			r.close(site, p, capacity, closes)
		} else {
			closes()
		}
		return
	}
	g.run.name(channelObject, p)
	if r := g.rec; r != nil {
		r.recordClose(site, p, capacity)
		defer g.recordPanic(r.tag)
	}
	g.arrive(opClose, site, p)
	begun := g.clock.at(g.index)
	g.run.exec.closes(g, p)
	g.meets(p)
	closes()
	g.run.uses(g, site, p, writes, begun) // a close that panics is none
	g.recordClosed(p)
	g.run.closed(g, p)
	g.run.races.closed(g, p, empty)
	g.run.transfer(p)
	g.pass()
}

// Measured returns ch, a channel whose length is asked for next. site is that of the
// statement, 0 outside of functions. It is a minor guard in an exhaustive exploration,
// where others may send and receive before and after, and in what repeats a run of one.
func Measured[C any](site Site, ch C) C {
	if s := active.Load(); s != nil && s.lengths {
		// That of a channel without a buffer is 0.
		if g := s.caller(); g != nil && !s.dying.Load() && reflect.ValueOf(ch).Cap() > 0 {
			g.measure(site, *(*unsafe.Pointer)(unsafe.Pointer(&ch)))
		}
	}
	return ch
}

func (g *goroutine) measure(site Site, p unsafe.Pointer) {
	s := g.run
	switch {
	case len(s.live) < 2:
	case site != 0:
		acting := g.acting
		g.arrive(opMeasure, site.minor(opMeasure), p)
		s.exec.continues(site)
		g.pass()
		g.acting = acting
	case s.exec != nil:
		s.exec.unguarded = true
	}
	s.exec.on(spaceChan, p, touchMeasured)
}

// Select is the select statement with these cases, in source order. It returns
// the index of the chosen one, -1 for the default.
func Select(site Site, hasDefault bool, cases ...Case) int {
	g := enter(site)
	if g == nil {
		if r := recording(); r != nil {
			return r.selects(site, hasDefault, cases)
		}
		return realSelect(hasDefault, cases)
	}
	// What a run keeps is a copy: so the list of the caller, which outside of runs nobody keeps, is on its stack.
	return g.communicate(opSelect, site, hasDefault, slices.Clone(cases)...)
}

// maxTried is the most cases of a select that are tried one by one.
const maxTried = 3

// realSelect is the select statement outside a run.
func realSelect(hasDefault bool, cases []Case) int {
	switch {
	case len(cases) == 0 && hasDefault:
		return noCase
	case len(cases) == 0:
		select {}
	case len(cases) == 1 && hasDefault:
		if cases[0].try() {
			return 0
		}
		return noCase
	case len(cases) == 1:
		cases[0].block()
		return 0
	}
	if !hasDefault && len(cases) <= maxTried {
		// Package reflect takes a microsecond. A case that is ready may be taken at once, and of up
		// to three in either direction from any, each that is ready is as likely as the others.
		r := rand.Uint32()
		i, step := int(r>>1)%len(cases), 1
		if r&1 != 0 {
			step = len(cases) - 1
		}
		for range cases {
			if cases[i].try() {
				return i
			}
			i = (i + step) % len(cases)
		}
	}
	var few [4]reflect.SelectCase // on the stack
	list := few[:0]
	for _, c := range cases {
		list = append(list, c.selectCase())
	}
	if hasDefault {
		list = append(list, reflect.SelectCase{Dir: reflect.SelectDefault})
	}
	i, v, ok := reflect.Select(list)
	if i == len(cases) {
		return noCase
	}
	if !cases[i].sends() {
		cases[i].chosen(v, ok)
	}
	return i
}

// communicate passes the guard of a send, receive or select and completes one
// of its cases.
func (g *goroutine) communicate(o op, site Site, hasDefault bool, cases ...Case) int {
	s := g.run
	var p unsafe.Pointer
	for _, c := range cases {
		p = c.channel()
		s.name(channelObject, p)
	}
	if r := g.rec; r != nil {
		r.recordCommunication(o, site, hasDefault, cases)
		defer g.recordCommunicationPanic(o, r.tag, cases)
	}
	g.arrive(o, site, p, cases...)
	begun := g.clock.at(g.index)
	if o == opSend {
		s.uses(g, site, p, 0, begun)
	}
	g.meetsClosed()
	id := s.exec.communicates(g, hasDefault)
	g.partner, g.met = nil, 0
	panics := true
	defer func() {
		if panics {
			s.exec.completes(id, g.chosen)
		}
	}()
	g.chosen = s.communicateNow(g, hasDefault)
	panics = false
	if g.chosen >= 0 {
		g.leavesChannel(site, cases[g.chosen])
	}
	if g.chosen == pending {
		want := g.want
		g.block()
		g.recordCase()
		if g.redo { // the channel has been closed
			g.meetsClosed()
			s.exec.completes(id, g.chosen)
			cases[g.chosen].block()
		}
		if o == opSelect && g.strict && want > 0 && g.chosen != want {
			s.note("goroutine " + g.path + " queued at " + site.key() + " for case " + caseText(want) +
				" and was completed by case " + caseText(g.chosen))
		}
	}
	g.recordCase()
	s.exec.completes(id, g.chosen)
	if o == opSelect {
		if g.chosen >= 0 && cases[g.chosen].sends() {
			s.uses(g, site, cases[g.chosen].channel(), 0, begun)
		}
		s.cfg.cover.selected(g)
	}
	if s.cfg.values && g.chosen >= 0 {
		g.gives(site, cases[g.chosen].given())
	}
	g.recordCommunicated(o, cases)
	g.cases = nil
	g.pass()
	return g.chosen
}

// recordCase adds the case chosen to the step that granted the select.
func (g *goroutine) recordCase() {
	if s := g.run; s.cfg.Record && g.op == opSelect {
		s.trace[g.recorded].Case = g.chosen
	}
}

// communicateNow completes a case if that needs no waiting.
func (s *run) communicateNow(g *goroutine, hasDefault bool) int {
	n := len(g.cases)
	first := 0
	if g.want > 0 && g.want < n {
		first = g.want
	}
	for k := range n {
		i := first + k
		if i >= n {
			i -= n
		}
		g.chosen = i
		g.recordCase() // a send may panic
		if !s.complete(g, g.cases[i]) {
			continue
		}
		if g.strict && g.op == opSelect && i != g.want {
			g.mismatch = "case " + caseText(i) + " was ready, " + caseText(g.want) + " was not"
		}
		return i
	}
	if g.chosen != pending {
		g.chosen = 0
		g.recordCase()
		g.chosen = pending
	}
	if hasDefault {
		if g.strict && g.want != noCase {
			g.mismatch = "no case was ready, so it took the default"
		}
		return noCase
	}
	if g.strict && g.op == opSelect && g.want == noCase {
		g.mismatch = "no case is ready, and there is no default"
	}
	return pending
}

// complete does the operation c of g, which has the baton, if it can be done
// now: on the real channel, or with the first goroutine queued for the
// opposite.
func (s *run) complete(g *goroutine, c Case) bool {
	p := c.channel()
	if p == nil {
		return false
	}
	if s.unstash(g, c) {
		s.transfer(p)
		return true
	}
	if g.tries(c) {
		s.races.communicated(g, c)
		s.tickTaken(c)
		s.transfer(p)
		return true
	}
	for _, w := range s.blocked {
		if w.ready {
			continue
		}
		for i, partner := range w.cases {
			if partner.channel() != p || partner.sends() == c.sends() {
				continue
			}
			if c.sends() {
				partner.accept(c)
			} else {
				s.exec.on(spaceChan, p, touchFreed)
				c.accept(partner)
			}
			w.chosen, w.ready = i, true
			g.partner = w
			recordMeeting(g, w)
			s.races.met(g, w)
			return true
		}
	}
	return false
}

// transfer completes what is queued on a channel and can be done on the real
// one: as in Go, a value moves to a waiting receiver, or from a waiting sender
// into the buffer, at once.
func (s *run) transfer(p unsafe.Pointer) {
	for _, w := range s.blocked {
		if !w.ready && len(w.cases) > 0 && s.pollCases(w, p) {
			w.ready = true
		}
	}
}

// pollCases completes a case of a queued goroutine on the real channel, of
// those on channel p, or of all if p is nil.
func (s *run) pollCases(g *goroutine, p unsafe.Pointer) bool {
	for i, c := range g.cases {
		q := c.channel()
		if q == nil || p != nil && p != q {
			continue
		}
		if c.sends() {
			ok, closed := trySend(g, c)
			if ok {
				s.exec.on(spaceChan, q, touchFreed)
				s.races.communicated(g, c)
			}
			if ok || closed {
				g.chosen, g.redo = i, closed
				return true
			}
		} else if s.unstash(g, c) {
			g.chosen = i
			return true
		} else if g.tries(c) {
			s.races.communicated(g, c)
			s.tickTaken(c)
			g.chosen = i
			return true
		}
	}
	return false
}

// trySend tries a send for a queued goroutine, which is to meet the panic of a
// closed channel itself.
func trySend(g *goroutine, c Case) (ok, closed bool) {
	defer func() {
		if recover() != nil {
			closed = true
		}
	}()
	return g.tries(c), false
}

// unstash completes a receive of g with a value that passTime has received early.
func (s *run) unstash(g *goroutine, c Case) bool {
	if len(s.stash) == 0 || c.sends() {
		return false
	}
	p := c.channel()
	saved := s.stash[p]
	if len(saved) == 0 {
		return false
	}
	c.load(saved[0])
	s.races.throughLibrary(g)
	if s.ticking(c) {
		// A tick that came while this one was there had no place in the channel.
		c.save().try()
		s.tickTaken(c)
	}
	if len(saved) == 1 {
		delete(s.stash, p)
	} else {
		s.stash[p] = saved[1:]
	}
	return true
}
