package recording

import (
	"encoding/binary"
	"math"

	"github.com/vtrace/vtrace/internal/trace"
)

// What the first byte of a record is; see docs/trace.md.
const (
	recDefault byte = 0x80
	recPost    byte = 0x40
	recObject  byte = 0xc0

	postPartner  byte = 1
	postClosed   byte = 2
	postPanicked byte = 4
	postCounted  byte = 8
	postRan      byte = 16
	postSeq      byte = 32
)

// operations are those of a recording, by their numbers in it. They never change.
var operations = [...]trace.Op{
	1: trace.OpSend, 2: trace.OpRecv, 3: trace.OpSelect, 4: trace.OpClose, 5: trace.OpGo, 6: trace.OpEnd,
	7: trace.OpLock, 8: trace.OpTryLock, 9: trace.OpUnlock, 10: trace.OpRLock, 11: trace.OpTryRLock, 12: trace.OpRUnlock,
	13: trace.OpAdd, 14: trace.OpWait, 15: trace.OpOnce, 16: trace.OpCondWait, 17: trace.OpSignal, 18: trace.OpBroadcast,
	19: trace.OpLoad, 20: trace.OpStore, 21: trace.OpRMW, 22: trace.OpRead, 23: trace.OpWrite, 24: trace.OpCall,
}

// objectKinds are those of a recording, by their numbers in it.
var objectKinds = [...]trace.ObjectKind{
	1: trace.Chan, 2: trace.Mutex, 3: trace.RWMutex, 4: trace.WaitGroup, 5: trace.Once, 6: trace.Cond, 7: trace.Atomic, 8: trace.Var,
	kindNamed: trace.Var, 10: trace.Library,
}

// kindNamed is the number of memory that has a name.
const kindNamed byte = 9

// number is the place of a value in a table.
func number[T comparable](table []T, v T) byte {
	for i, w := range table {
		if w == v && i > 0 {
			return byte(i)
		}
	}
	return 0
}

// maxCases bounds the cases of a select, as package reflect does.
const maxCases = 1 << 16

// maxNesting bounds how many operations of a goroutine are begun and not ended at once.
const maxNesting = 1 << 16

// Event is a record of a goroutine: the pre or the post event of an operation, or an OpGo or OpEnd,
// which are trace.Whole. Numbers of goroutines and objects are those of the recording.
type Event struct {
	Phase  trace.Phase
	Op     trace.Op
	Flags  trace.Flags
	PC     int32
	Object uint64
	// Site is the number of the position, one more than its index in Header.Positions, if there is
	// one; else 0.
	Site  uint64
	Case  int32
	Delta int32
	// Counter is that of a wait group, if Flags has trace.Counted.
	Counter int32
	// Partner is a goroutine, and its local program counter in PartnerPC; 0 if it is not known. If
	// only PartnerPC is set, it is that nobody has had the lock before. Of an OpGo it is the new goroutine.
	Partner   uint64
	PartnerPC int32
	Seq       int64
	Cases     []Case
}

// Case is an alternative of a select.
type Case struct {
	Object uint64
	Recv   bool
}

// Object is what a recording says of an object.
type Object struct {
	ID   uint64
	Kind trace.ObjectKind
	Cap  int
	// Name is, of memory, the number of its name, one more than its index in Header.Names, 0 if it has none.
	Name uint64
}

// decoder follows the records of a goroutine.
type decoder struct {
	pc     int32
	open   []opened // operations that have begun
	ended  bool
	chunks uint32
}

// opened is what a post event needs to know of its pre event.
type opened struct {
	pc     int32
	op     trace.Op
	object uint64
	site   uint64
}

// payload is read from its start.
type payload struct {
	b   []byte
	bad bool
}

func (p *payload) uvarint() uint64 {
	v, n := binary.Uvarint(p.b)
	if n <= 0 {
		p.bad = true
		p.b = nil
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *payload) varint() int64 {
	v := p.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// small is a number of at most 31 bits.
func (p *payload) small() int32 {
	v := p.uvarint()
	if v > math.MaxInt32 {
		p.bad = true
		return 0
	}
	return int32(v)
}

func (p *payload) signed() int32 {
	v := p.varint()
	if v != int64(int32(v)) {
		p.bad = true
	}
	return int32(v)
}

// decode calls object and event for the records of a payload, in their order. What event is given
// is overwritten by the next one, but for the cases.
func (d *decoder) decode(data []byte, object func(Object) error, event func(*Event) error) error {
	p := payload{b: data}
	var e Event
	for len(p.b) > 0 {
		first := p.b[0]
		p.b = p.b[1:]
		switch {
		case first&recObject == recObject:
			o := Object{ID: p.uvarint()}
			k := first &^ recObject
			if k > 0 && int(k) < len(objectKinds) {
				o.Kind = objectKinds[k]
			}
			switch {
			case o.Kind == trace.Chan:
				o.Cap = int(min(p.uvarint(), math.MaxInt32))
			case k == kindNamed:
				o.Name = p.uvarint()
			}
			if p.bad || o.ID == 0 || o.Kind == trace.NoObject {
				return corrupt("there is no such object")
			}
			if err := object(o); err != nil {
				return err
			}
			continue
		case first&recPost != 0:
			if len(d.open) == 0 {
				return corrupt("an operation ends that has not begun")
			}
			d.post(&e, first&^recPost, &p)
		default:
			if d.ended {
				return corrupt("a goroutine goes on after its end")
			}
			if !d.pre(&e, first, &p) {
				return corrupt("there is no operation of number %d", first)
			}
		}
		if p.bad {
			return corrupt("a record of %s is cut, or has a number that is too large", e.Op)
		}
		if len(d.open) > maxNesting {
			return corrupt("too many operations are begun and not ended")
		}
		if err := event(&e); err != nil {
			return err
		}
	}
	return nil
}

// pre reads what an operation is.
func (d *decoder) pre(e *Event, first byte, p *payload) bool {
	n := first &^ recDefault
	if n == 0 || int(n) >= len(operations) {
		return false
	}
	d.pc++
	if d.pc <= 0 {
		return false
	}
	*e = Event{Phase: trace.Pre, Op: operations[n], PC: d.pc}
	if first&recDefault != 0 {
		if e.Op != trace.OpSelect {
			return false
		}
		e.Flags |= trace.HasDefault
	}
	if e.Op == trace.OpEnd {
		e.Phase = trace.Whole
		d.ended = true
		if len(p.b) > 0 && p.b[0] == recPost|postPanicked {
			p.b = p.b[1:]
			e.Flags |= trace.Panicked
		}
		return true
	}
	e.Site = p.uvarint()
	switch e.Op {
	case trace.OpGo:
		e.Phase = trace.Whole
		e.Partner = p.uvarint()
		return true
	case trace.OpSelect:
		k := p.uvarint()
		if k > maxCases || k > uint64(len(p.b)) {
			p.bad = true
			return true
		}
		for range k {
			v := p.uvarint()
			e.Cases = append(e.Cases, Case{v >> 1, v&1 != 0})
		}
	default:
		e.Object = p.uvarint()
		if e.Op == trace.OpAdd {
			e.Delta = p.signed()
		}
	}
	d.open = append(d.open, opened{e.PC, e.Op, e.Object, e.Site})
	return true
}

// post reads how the operation that has begun last has ended.
func (d *decoder) post(e *Event, flags byte, p *payload) {
	o := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	*e = Event{Phase: trace.Post, Op: o.op, PC: o.pc, Object: o.object, Site: o.site}
	if flags&postPartner != 0 {
		e.Partner = p.uvarint()
		e.PartnerPC = p.small()
	}
	if flags&postClosed != 0 {
		if o.op == trace.OpTryLock || o.op == trace.OpTryRLock {
			e.Flags |= trace.Failed
		} else {
			e.Flags |= trace.Closed
		}
	}
	if flags&postPanicked != 0 {
		e.Flags |= trace.Panicked
	}
	if flags&postRan != 0 {
		e.Flags |= trace.Ran
	}
	if flags&postCounted != 0 {
		e.Flags |= trace.Counted
		e.Counter = p.signed()
	}
	if flags&postSeq != 0 {
		v := p.uvarint()
		if v > math.MaxInt64 {
			p.bad = true
		}
		e.Seq = int64(v)
	}
	if o.op == trace.OpSelect {
		e.Case = p.signed()
	}
}
