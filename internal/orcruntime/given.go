//go:build go1.25

package orcruntime

import (
	"reflect"
	"strconv"
)

// GivenValue is what an operation has given to the program in a run.
type GivenValue struct {
	// Step is the step of Result.Trace, from 1, with which the operation was done.
	Step int
	// Value is a truth value or an integer, "nil" or "not nil", or "closed" of a receive from a closed channel.
	Value string
}

// ReadValue is what a statement has read in a run.
type ReadValue struct {
	// Step is that of Result.Trace, from 1.
	Step int
	// Name is the expression that was read, as the source has it, and Value as in GivenValue.
	Name, Value string
}

// Effect says on what the operation of a step works, and how it has left that.
type Effect struct {
	// Step is that of Result.Trace, from 1.
	Step int
	// Object is named as in GState; of a select all of its channels, until a case is chosen.
	Object string
	// After is, behind a send or receive, how full the buffer of the channel is, as in "1 of 2", or without a
	// buffer "with" and the goroutine on the other side; behind Add, Done and Go the counter of the WaitGroup;
	// behind Signal and Broadcast the goroutines that it wakes, or "nobody"; behind what changes an atomic
	// variable its value, and behind a write of a statement what it writes. It is "" where the goroutine had to wait.
	After string `json:",omitempty"`
}

// closedValue is the Value of a receive that has found the channel closed.
const closedValue = "closed"

// give notes what the operation at a site has given to the goroutine that calls it, if that is controlled.
func give[T any](site Site, v T) {
	s := active.Load()
	if site == 0 || s == nil || !s.cfg.values || s.dying.Load() {
		return
	}
	if g := s.caller(); g != nil {
		g.gives(site, valueText(v))
	}
}

// gives notes a value, if the step that g does is that of the site.
func (g *goroutine) gives(site Site, value string) {
	if s := g.run; value != "" && g.does(site) {
		s.given = append(s.given, GivenValue{g.recorded + 1, value})
	}
}

// waits notes that the operation that g does could not be done at once.
func (g *goroutine) waits() {
	s, step := g.run, g.recorded+1
	if again := len(s.waited) > 0 && s.waited[len(s.waited)-1] == step; !again && g.does(g.site) {
		s.waited = append(s.waited, step)
	}
}

// touches notes the object on which the step works that g is about to do.
func (g *goroutine) touches() {
	if s := g.run; s.cfg.values && g.recorded >= 0 {
		if g.op == opAtomic {
			s.name(atomicObject, g.obj)
		}
		if o := s.objectOf(g); o != "" {
			s.effects = append(s.effects, Effect{Step: g.recorded + 1, Object: o})
		}
	}
}

// leaves notes how the operation at a site has left its object. It may have none that has a name.
func (g *goroutine) leaves(site Site, after string) {
	s := g.run
	if !g.does(site) {
		return
	}
	step := g.recorded + 1
	if n := len(s.effects) - 1; n >= 0 && s.effects[n].Step == step {
		s.effects[n].After = after
		return
	}
	s.effects = append(s.effects, Effect{Step: step, After: after})
}

// leavesChannel notes on which channel a case of a select or an operation was done, and how it has left it.
func (g *goroutine) leavesChannel(site Site, c Case) {
	if !g.does(site) {
		return
	}
	if n := c.capacity(); n > 0 {
		g.leaves(site, strconv.Itoa(c.buffered())+" of "+strconv.Itoa(n))
	} else if g.partner != nil {
		g.leaves(site, "with "+g.partner.path)
	}
	if s := g.run; len(s.effects) > 0 && s.effects[len(s.effects)-1].Step == g.recorded+1 {
		s.effects[len(s.effects)-1].Object = s.nameOf(channelObject, c.channel())
	}
}

// stores notes the value that the operation at a site has stored for the goroutine that calls it.
func stores[T any](site Site, v T) {
	if s := active.Load(); site != 0 && s != nil && s.cfg.values && !s.dying.Load() {
		if g := s.caller(); g != nil {
			g.leaves(site, valueText(v))
		}
	}
}

// Reads tells what a statement behind its guard is about to read: v, which its source calls by a name. It returns 0.
func Reads[T any](site Site, name string, v T) int {
	if stopping.Load()[site&slots] {
		reads(site, name, v)
	}
	return 0
}

func reads[T any](site Site, name string, v T) {
	s := active.Load()
	if s == nil || !s.cfg.values || s.dying.Load() {
		return
	}
	if g := s.caller(); g != nil && g.does(site) {
		if text := valueText(v); text != "" {
			s.reads = append(s.reads, ReadValue{g.recorded + 1, name, text})
		}
	}
}

// Stores tells what a statement behind its guard is about to write in one step with the rest: v, which it returns.
func Stores[T any](site Site, v T) T {
	if stopping.Load()[site&slots] {
		stores(site, v)
	}
	return v
}

// does reports whether the step that g does is that of a site, in a run that notes what comes of its steps.
func (g *goroutine) does(site Site) bool {
	s := g.run
	return s.cfg.values && g.recorded >= 0 && s.trace[g.recorded].Site == site.key()
}

// valueText is a value as text, "" if it is of a type whose values may be long, or are not the same in every run.
func valueText(v any) string {
	switch x := reflect.ValueOf(v); x.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(x.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(x.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(x.Uint(), 10)
	case reflect.Invalid:
		return "nil"
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		if x.IsNil() {
			return "nil"
		}
		return "not nil"
	}
	return ""
}
