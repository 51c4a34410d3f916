package trace

import "fmt"

// InvalidError says what is wrong with a trace.
type InvalidError struct {
	// Goroutine and PC are where, 0 if it is not about an operation.
	Goroutine GoroutineID
	PC        int32
	Reason    string
}

func (e *InvalidError) Error() string {
	switch {
	case e.Goroutine == 0:
		return "trace: " + e.Reason
	case e.PC == 0:
		return fmt.Sprintf("trace: goroutine %d: %s", e.Goroutine, e.Reason)
	}
	return fmt.Sprintf("trace: goroutine %d, operation %d: %s", e.Goroutine, e.PC, e.Reason)
}

// kinds says on which kinds of objects an operation can be.
var kinds = [numOps][]ObjectKind{
	OpSend: {Chan, NoObject}, OpRecv: {Chan, NoObject}, OpClose: {Chan, NoObject},
	OpLock: {Mutex, RWMutex}, OpTryLock: {Mutex, RWMutex}, OpUnlock: {Mutex, RWMutex},
	OpRLock: {RWMutex}, OpTryRLock: {RWMutex}, OpRUnlock: {RWMutex},
	OpAdd: {WaitGroup}, OpWait: {WaitGroup}, OpOnce: {Once},
	OpCondWait: {Cond}, OpSignal: {Cond}, OpBroadcast: {Cond},
	OpLoad: {Atomic}, OpStore: {Atomic}, OpRMW: {Atomic}, OpRead: {Var}, OpWrite: {Var}, OpCall: {Library},
	OpSelect: {NoObject}, OpGo: {NoObject}, OpEnd: {NoObject},
}

// ObjectKind is the kind of the objects that an operation is on, as far as it says that: a Mutex may be a
// RWMutex. It is NoObject if an operation is on none.
func (op Op) ObjectKind() ObjectKind {
	if int(op) >= len(kinds) || len(kinds[op]) == 0 {
		return NoObject
	}
	return kinds[op][0]
}

// flagsOf says which flags events of an operation may have.
var flagsOf = [numOps]Flags{
	OpSend: Panicked, OpRecv: Closed, OpSelect: HasDefault | Closed | Panicked, OpClose: Panicked,
	OpUnlock: Panicked, OpRUnlock: Panicked, OpTryLock: Failed, OpTryRLock: Failed,
	OpAdd: Counted | Panicked, OpWait: Panicked, OpOnce: Ran | Panicked, OpCondWait: Panicked, OpEnd: Panicked,
}

// Validate reports what is wrong with a trace, as an *InvalidError, or nil. All numbers of a valid
// trace are in range, each post event has a pre event, and operations are on objects of their kind.
// That partners agree is not asked for: a trace may have lost its end.
func (t *Trace) Validate() error {
	if t == nil || len(t.Goroutines) == 0 {
		return &InvalidError{Reason: "it has no goroutine"}
	}
	for i, o := range t.Objects {
		if o.Kind == NoObject || int(o.Kind) >= len(objectWords) || o.Cap < 0 || o.Cap > 0 && o.Kind != Chan || !t.hasPos(o.Pos) {
			return &InvalidError{Reason: fmt.Sprintf("object %d is none", i+1)}
		}
	}
	started := make([]bool, len(t.Goroutines)+1)
	for i := range t.Goroutines {
		if p := t.Goroutines[i].Parent; p < 0 || int(p) > len(t.Goroutines) {
			return &InvalidError{Goroutine: GoroutineID(i + 1), Reason: fmt.Sprintf("there is no goroutine %d that could have started it", p)}
		}
		if err := t.validate(GoroutineID(i+1), started); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trace) hasPos(p PosID) bool { return p >= 0 && int(p) <= len(t.Positions) }

// validate checks a local trace.
func (t *Trace) validate(id GoroutineID, started []bool) error {
	g := &t.Goroutines[id-1]
	var pending []int // events of operations that are not completed yet
	next := int32(1)
	for i := range g.Events {
		e := &g.Events[i]
		wrong := func(format string, args ...any) error {
			return &InvalidError{Goroutine: id, PC: e.PC, Reason: fmt.Sprintf(format, args...)}
		}
		if e.Op == OpNone || e.Op >= numOps || e.Phase == NoPhase || e.Phase > Whole || !t.hasPos(e.Pos) {
			return wrong("there is no such event")
		}
		if e.Phase.HasPre() {
			if e.PC != next {
				return wrong("it should be operation %d", next)
			}
			next++
		} else {
			if len(pending) == 0 {
				return wrong("it has ended, and not begun")
			}
			p := &g.Events[pending[len(pending)-1]]
			if p.PC != e.PC || p.Op != e.Op || p.Object != e.Object {
				return wrong("it ends while operation %d has begun", p.PC)
			}
			if e.Op == OpSelect {
				if err := inCases(e, p.Cases, p.Has(HasDefault)); err != "" {
					return wrong("%s", err)
				}
			}
			pending = pending[:len(pending)-1]
		}
		if err := t.fits(e); err != "" {
			return wrong("%s", err)
		}
		if e.Phase == Pre {
			pending = append(pending, i)
		}
		switch e.Op {
		case OpGo:
			child := e.Partner.Goroutine
			switch {
			case e.Phase != Whole || child < 1 || int(child) > len(t.Goroutines) || e.Partner.PC != 0:
				return wrong("it starts no goroutine of the trace")
			case child == 1 || started[child]:
				return wrong("goroutine %d was started before", child)
			}
			started[child] = true
		case OpEnd:
			if e.Phase != Whole || i != len(g.Events)-1 {
				return wrong("a goroutine ends once, with its last event")
			}
		}
	}
	return nil
}

// fits says what of an event does not fit its operation, "" if all does.
func (t *Trace) fits(e *Event) string {
	if e.Object < 0 || int(e.Object) > len(t.Objects) {
		return "there is no such object"
	}
	ok := false
	for _, k := range kinds[e.Op] {
		ok = ok || k == t.Object(e.Object).Kind
	}
	if !ok {
		return fmt.Sprintf("%s is not for a %s", e.Op, t.Object(e.Object).Kind)
	}
	allowed := flagsOf[e.Op]
	if !e.Phase.HasPost() {
		allowed &= HasDefault
		if e.Partner != Unknown || e.Seq != 0 || e.Case != 0 || e.Counter != 0 {
			return "it has not ended, and has a result"
		}
	}
	if !e.Phase.HasPre() {
		allowed &^= HasDefault
	}
	if e.Flags&^allowed != 0 {
		return fmt.Sprintf("%s has no such result", e.Op)
	}
	if len(e.Cases) > 0 && (e.Op != OpSelect || !e.Phase.HasPre()) {
		return "it is no select, and has cases"
	}
	for _, c := range e.Cases {
		if c.Op != OpSend && c.Op != OpRecv || c.Object < 0 || int(c.Object) > len(t.Objects) ||
			c.Object > 0 && t.Object(c.Object).Kind != Chan || !t.hasPos(c.Pos) {
			return "a case is no operation of a channel"
		}
	}
	if e.Op == OpSelect && e.Phase == Whole {
		if err := inCases(e, e.Cases, e.Has(HasDefault)); err != "" {
			return err
		}
	}
	switch {
	case e.Seq < 0:
		return "its place in the order is less than 0"
	case e.Delta != 0 && (e.Op != OpAdd || !e.Phase.HasPre()):
		return "it adds nothing"
	case e.Counter != 0 && !e.Has(Counted):
		return "its counter is not known, and has a value"
	case e.Case != 0 && e.Op != OpSelect:
		return "it is no select, and takes a case"
	}
	return t.partnerFits(e)
}

// inCases says whether the case that a select has taken is one of its cases.
func inCases(e *Event, cases []Case, hasDefault bool) string {
	switch {
	case e.Case == DefaultCase && hasDefault && e.Partner == Unknown && !e.Has(Closed) && !e.Has(Panicked):
	case e.Case >= 0 && int(e.Case) < len(cases):
		if op := cases[e.Case].Op; op == OpSend && e.Has(Closed) || op == OpRecv && e.Has(Panicked) {
			return "its case cannot end so"
		}
	default:
		return "it has taken a case that it has not"
	}
	return ""
}

// partnerFits says whether the partner of an event can be one.
func (t *Trace) partnerFits(e *Event) string {
	p := e.Partner
	switch {
	case p == Unknown:
		return ""
	case p == First:
		switch e.Op {
		case OpLock, OpTryLock, OpRLock, OpTryRLock:
			return ""
		}
		return "only of a lock it is known that nobody was before"
	case p.Goroutine < 1 || int(p.Goroutine) > len(t.Goroutines) || p.PC < 1 && e.Op != OpGo:
		return "there is no such partner"
	}
	switch e.Op {
	case OpSend, OpRecv, OpSelect, OpGo, OpLock, OpTryLock, OpRLock, OpTryRLock, OpOnce, OpCondWait, OpLoad, OpRMW, OpCall:
		return ""
	}
	return fmt.Sprintf("%s has no partner", e.Op)
}
