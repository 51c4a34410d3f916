//go:build go1.25

package orcruntime

import (
	"reflect"
	"unsafe"
)

// What package reflect does on channels are operations like those of the language. A call that the package answers with
// a panic before it looks at the channel is left to it.

// ReflectedChannel is a reflect.Value for the call of a method that works on the channel which it is.
type ReflectedChannel struct {
	reflect.Value
	site Site
}

// ReflectedOn is v for such a call. Generated code calls it.
func ReflectedOn(site Site, v reflect.Value) ReflectedChannel { return ReflectedChannel{v, site} }

// mayBe reports whether v is a channel that may be used in a direction.
func mayBe(v reflect.Value, dir reflect.ChanDir) bool {
	return v.Kind() == reflect.Chan && v.CanInterface() && v.Type().ChanDir()&dir != 0
}

// maySend reports whether x may be sent on v.
func maySend(v, x reflect.Value) bool {
	return mayBe(v, reflect.SendDir) && x.IsValid() && x.CanInterface() && x.Type().AssignableTo(v.Type().Elem())
}

// Send is reflect.Value.Send.
func (v ReflectedChannel) Send(x reflect.Value) {
	g := enter(v.site)
	r := recording()
	if g == nil && r == nil || !maySend(v.Value, x) {
		v.Value.Send(x)
		return
	}
	c := reflectedSend(v.Value, x)
	if g == nil {
		r.send(v.site, c)
	} else {
		g.communicate(opSend, v.site, false, c)
	}
}

// Recv is reflect.Value.Recv.
func (v ReflectedChannel) Recv() (x reflect.Value, ok bool) {
	g := enter(v.site)
	r := recording()
	if g == nil && r == nil || !mayBe(v.Value, reflect.RecvDir) {
		return v.Value.Recv()
	}
	c := reflectedReceive(v.Value)
	if g == nil {
		r.receive(v.site, c)
	} else {
		g.communicate(opRecv, v.site, false, c)
	}
	return c.v, c.ok
}

// TrySend is reflect.Value.TrySend.
func (v ReflectedChannel) TrySend(x reflect.Value) bool {
	if !maySend(v.Value, x) {
		return v.Value.TrySend(x)
	}
	return Select(v.site, true, reflectedSend(v.Value, x)) == 0
}

// TryRecv is reflect.Value.TryRecv.
func (v ReflectedChannel) TryRecv() (x reflect.Value, ok bool) {
	if !mayBe(v.Value, reflect.RecvDir) {
		return v.Value.TryRecv()
	}
	c := reflectedReceive(v.Value)
	if Select(v.site, true, c) != 0 {
		return reflect.Value{}, false
	}
	return c.v, c.ok
}

// Close is reflect.Value.Close.
func (v ReflectedChannel) Close() {
	if !mayBe(v.Value, reflect.SendDir) {
		v.Value.Close()
		return
	}
	closeOf(v.site, v.UnsafePointer(), v.Cap(), v.Type().Elem().Size() == 0, v.Value.Close)
}

// ReflectedSelect is reflect.Select.
func ReflectedSelect(site Site, cases []reflect.SelectCase) (chosen int, recv reflect.Value, recvOK bool) {
	list, def, ok := reflectedCases(cases)
	if !ok {
		return reflect.Select(cases)
	}
	i := Select(site, def >= 0, list...)
	switch {
	case i < 0:
		return def, reflect.Value{}, false
	case def >= 0 && i >= def:
		chosen = i + 1
	default:
		chosen = i
	}
	if c := list[i].(*reflectedCase); !c.send {
		return chosen, c.v, c.ok
	}
	return chosen, reflect.Value{}, false
}

// maxReflected is the most cases that reflect.Select takes.
const maxReflected = 65536

// reflectedCases are the cases of reflect.Select in their order, and the index of the default, -1 if there is none. They
// are not ok if reflect.Select panics of them.
func reflectedCases(cases []reflect.SelectCase) (list []Case, def int, ok bool) {
	def = -1
	if len(cases) > maxReflected {
		return nil, def, false
	}
	for i, c := range cases {
		switch c.Dir {
		case reflect.SelectDefault:
			ok = def < 0 && !c.Chan.IsValid() && !c.Send.IsValid()
			def = i
		case reflect.SelectSend:
			// A case without a channel is as one whose channel is nil.
			ok = !c.Chan.IsValid() || maySend(c.Chan, c.Send)
			if ok {
				list = append(list, reflectedSend(c.Chan, c.Send))
			}
		case reflect.SelectRecv:
			ok = !c.Send.IsValid() && (!c.Chan.IsValid() || mayBe(c.Chan, reflect.RecvDir))
			if ok {
				list = append(list, reflectedReceive(c.Chan))
			}
		default:
			ok = false
		}
		if !ok {
			return nil, def, false
		}
	}
	return list, def, true
}

// reflectedCase is a communication by reflection.
type reflectedCase struct {
	ch   reflect.Value // invalid: as a nil channel
	send bool
	// v is what is sent, of the type of the elements, or has been received.
	v  reflect.Value
	ok bool
}

func reflectedSend(ch, x reflect.Value) *reflectedCase {
	c := &reflectedCase{ch: ch, send: true}
	if ch.IsValid() {
		c.v = reflect.New(ch.Type().Elem()).Elem()
		c.v.Set(x)
	}
	return c
}

func reflectedReceive(ch reflect.Value) *reflectedCase { return &reflectedCase{ch: ch} }

func (c *reflectedCase) channel() unsafe.Pointer {
	if !c.ch.IsValid() {
		return nil
	}
	return c.ch.UnsafePointer()
}

func (c *reflectedCase) sends() bool    { return c.send }
func (c *reflectedCase) received() bool { return !c.send && c.ok }

func (c *reflectedCase) buffered() int {
	if c.channel() == nil {
		return 0
	}
	return c.ch.Len()
}

func (c *reflectedCase) capacity() int {
	if c.channel() == nil {
		return 0
	}
	return c.ch.Cap()
}

func (c *reflectedCase) event() bool {
	return !c.send && c.ch.IsValid() && isEventType(c.ch.Type().Elem())
}

func (c *reflectedCase) try() bool {
	switch {
	case c.channel() == nil:
		return false
	case c.send:
		return c.ch.TrySend(c.v)
	}
	v, ok := c.ch.TryRecv()
	c.v, c.ok = v, ok
	return v.IsValid()
}

func (c *reflectedCase) block() {
	switch {
	case c.channel() == nil:
		select {}
	case c.send:
		c.ch.Send(c.v)
	default:
		c.v, c.ok = c.ch.Recv()
	}
}

func (c *reflectedCase) value() reflect.Value { return c.v }

func (c *reflectedCase) accept(send Case) {
	c.v, c.ok = reflect.New(c.ch.Type().Elem()).Elem(), true
	c.v.Set(send.value())
}

func (c *reflectedCase) selectCase() reflect.SelectCase {
	if c.send {
		return reflect.SelectCase{Dir: reflect.SelectSend, Chan: c.ch, Send: c.v}
	}
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: c.ch}
}

func (c *reflectedCase) chosen(v reflect.Value, ok bool) { c.v, c.ok = v, ok }

func (c *reflectedCase) given() string {
	switch {
	case c.send:
		return ""
	case !c.ok:
		return closedValue
	}
	return valueText(c.v.Interface())
}

func (c *reflectedCase) save() Case {
	saved := *c
	return &saved
}

// load takes over what a receive has given, which may be one of the language, by the type of the elements.
func (c *reflectedCase) load(saved Case) { c.v, c.ok = saved.value(), saved.received() }
