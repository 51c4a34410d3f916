package recording

import (
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/vtrace/vtrace/internal/trace"
)

// MaxEvents is how many events Load reads if nothing else is asked for. They take about a hundred
// bytes each.
const MaxEvents = 10_000_000

// Load reads a recording into memory, if it has no more than maxEvents events; 0 means MaxEvents.
// The trace is valid. Its goroutines are those of the recording in their order, and so many empty
// ones as were started and have recorded nothing; partners that are not in the recording are
// unknown.
func Load(r io.Reader, maxEvents int) (*trace.Trace, Header, error) {
	if maxEvents <= 0 {
		maxEvents = MaxEvents
	}
	in, err := NewReader(r)
	if err != nil {
		return nil, Header{}, err
	}
	defer in.Close()
	t, err := in.load(maxEvents)
	return t, in.header, err
}

func (in *Reader) load(maxEvents int) (*trace.Trace, error) {
	l := &loader{max: maxEvents, objects: map[uint64]trace.ObjectID{}, goroutines: map[uint64]*loaded{}, positions: len(in.header.Positions), names: in.header.Names}
	if err := in.Read(Visitor{Goroutine: l.goroutine, Object: l.object, Event: l.event}); err != nil {
		return nil, err
	}
	return l.trace(in)
}

// loader makes a trace.
type loader struct {
	max        int
	events     int
	positions  int
	names      []string // of memory
	objects    map[uint64]trace.ObjectID
	list       []trace.Object
	goroutines map[uint64]*loaded
}

// loaded is a goroutine. The numbers of goroutines in its events are those of the recording.
type loaded struct {
	id        uint64
	creator   uint64
	creatorPC int32
	events    []trace.Event
	partners  []uint64 // of the events
	pc        int32    // of the last operation
	ended     bool
	gid       trace.GoroutineID
	// missing are the operations behind the last one, done by code that is not instrumented.
	missing map[int32]missing
}

type missing struct {
	child  uint64 // of an OpGo; else it is an OpClose
	object trace.ObjectID
}

func (l *loader) get(id uint64) *loaded {
	g := l.goroutines[id]
	if g == nil {
		g = &loaded{id: id}
		l.goroutines[id] = g
	}
	return g
}

func (l *loader) goroutine(g Goroutine) error {
	to := l.get(g.ID)
	to.creator, to.creatorPC = g.Creator, g.CreatorPC
	return l.bounded()
}

func (l *loader) bounded() error {
	if len(l.goroutines) > maxGoroutines {
		return &LimitError{"goroutines", maxGoroutines}
	}
	return nil
}

func (l *loader) object(_ uint64, o Object) error {
	id := l.idOf(o.ID)
	if l.list[id-1].Kind != trace.NoObject {
		return corrupt("object %d comes twice", o.ID)
	}
	l.list[id-1].Kind, l.list[id-1].Cap = o.Kind, o.Cap
	if n := o.Name; n > 0 && n <= uint64(len(l.names)) && len(l.names[n-1]) <= maxName {
		l.list[id-1].Name = l.names[n-1]
	}
	return nil
}

func (l *loader) idOf(object uint64) trace.ObjectID {
	if object == 0 {
		return 0
	}
	id := l.objects[object]
	if id == 0 {
		l.list = append(l.list, trace.Object{})
		id = trace.ObjectID(len(l.list))
		l.objects[object] = id
	}
	return id
}

func (l *loader) pos(site uint64) trace.PosID {
	if site > uint64(l.positions) {
		return 0
	}
	return trace.PosID(site)
}

func (l *loader) event(goroutine uint64, e *Event) error {
	if l.events++; l.events > l.max {
		return &LimitError{"events", int64(l.max)}
	}
	g := l.get(goroutine)
	object, pos := l.idOf(e.Object), l.pos(e.Site)
	if e.Phase == trace.Post {
		out := trace.Event{Phase: trace.Post, Op: e.Op, PC: e.PC, Object: object, Pos: pos}
		if last := len(g.events) - 1; g.events[last].PC == e.PC && g.events[last].Phase == trace.Pre {
			g.events[last].Phase = trace.Whole
			finish(&g.events[last], e)
			g.partners[last] = e.Partner
			return nil
		}
		finish(&out, e)
		g.events, g.partners = append(g.events, out), append(g.partners, e.Partner)
		return nil
	}
	out := trace.Event{Phase: e.Phase, Op: e.Op, Flags: e.Flags, PC: e.PC, Object: object, Pos: pos, Delta: e.Delta}
	for _, c := range e.Cases {
		op := trace.OpSend
		if c.Recv {
			op = trace.OpRecv
		}
		out.Cases = append(out.Cases, trace.Case{Op: op, Object: l.idOf(c.Object), Pos: pos})
	}
	g.events, g.partners = append(g.events, out), append(g.partners, e.Partner)
	g.pc = e.PC
	switch e.Op {
	case trace.OpGo:
		l.get(e.Partner)
		return l.bounded()
	case trace.OpEnd:
		g.ended = true
	}
	return nil
}

// finish adds what a post event says.
func finish(out *trace.Event, e *Event) {
	out.Flags |= e.Flags
	out.Case, out.Counter, out.Seq = e.Case, e.Counter, e.Seq
	out.Partner.PC = e.PartnerPC
}

// trace puts together what was read.
func (l *loader) trace(in *Reader) (*trace.Trace, error) {
	t := &trace.Trace{Program: in.header.Program, Objects: l.list, Positions: in.header.Positions}
	if l.goroutines[0] != nil {
		return nil, corrupt("a goroutine of number 0 is started")
	}
	order := make([]*loaded, 0, len(l.goroutines))
	for _, g := range l.goroutines {
		order = append(order, g)
	}
	slices.SortFunc(order, func(a, b *loaded) int { return int(int64(a.id) - int64(b.id)) })
	for i, g := range order {
		g.gid = trace.GoroutineID(i + 1)
	}
	l.complete(order)
	left := map[uint64]trace.Left{}
	for _, id := range in.header.Reachable {
		left[id] = trace.Reachable
	}
	for _, id := range in.header.Leaked {
		left[id] = trace.Unreachable
	}
	for _, g := range order {
		to := trace.Goroutine{Events: g.events, Truncated: in.full && !g.ended}
		if p := l.goroutines[g.creator]; p != nil {
			to.Parent = p.gid
		}
		if d := in.goroutines[g.id]; d != nil && len(d.open) > 0 && in.header.Judged {
			to.Left = left[g.id]
		}
		for i := range g.events {
			e := &g.events[i]
			l.kind(e)
			if e.Partner = l.partner(e, g.partners[i]); e.Op == trace.OpGo && e.Partner == trace.Unknown {
				return nil, corrupt("no goroutine is started")
			}
		}
		t.Goroutines = append(t.Goroutines, to)
	}
	if err := t.Validate(); err != nil {
		return nil, corrupt("%v", err)
	}
	name(t)
	tellApart(t.Objects)
	return t, nil
}

// complete adds what goroutines have done by code that is not instrumented behind their last
// operation, as far as others say it: a goroutine that was started, and a channel that was closed.
func (l *loader) complete(order []*loaded) {
	note := func(creator uint64, pc int32, m missing) {
		if g := l.goroutines[creator]; g != nil && !g.ended && pc > g.pc {
			if g.missing == nil {
				g.missing = map[int32]missing{}
			}
			if _, ok := g.missing[pc]; !ok {
				g.missing[pc] = m
			}
		}
	}
	for _, g := range order {
		note(g.creator, g.creatorPC, missing{child: g.id})
		for i := range g.events {
			e := &g.events[i]
			if !e.Has(trace.Closed) {
				continue
			}
			object := e.Object
			if e.Op == trace.OpSelect {
				object = l.caseObject(g, i)
			}
			note(g.partners[i], e.Partner.PC, missing{object: object})
		}
	}
	for _, g := range order {
		for {
			m, ok := g.missing[g.pc+1]
			if !ok {
				break
			}
			g.pc++
			e := trace.Event{Phase: trace.Whole, Op: trace.OpGo, PC: g.pc}
			if m.child == 0 {
				e.Op, e.Object = trace.OpClose, m.object
			}
			g.events, g.partners = append(g.events, e), append(g.partners, m.child)
		}
	}
}

// caseObject is the channel of the case that a select has taken, which ends with an event.
func (l *loader) caseObject(g *loaded, at int) trace.ObjectID {
	e := &g.events[at]
	for i := at; i >= 0; i-- {
		if pre := &g.events[i]; pre.PC == e.PC && pre.Phase.HasPre() {
			if e.Case >= 0 && int(e.Case) < len(pre.Cases) {
				return pre.Cases[e.Case].Object
			}
			break
		}
	}
	return 0
}

// kind gives objects a kind of which it was not recorded: the program was killed just then.
func (l *loader) kind(e *trace.Event) {
	give := func(id trace.ObjectID, k trace.ObjectKind) {
		if id > 0 && l.list[id-1].Kind == trace.NoObject {
			l.list[id-1].Kind = k
		}
	}
	for _, c := range e.Cases {
		give(c.Object, trace.Chan)
	}
	give(e.Object, e.Op.ObjectKind())
}

// partner is the partner of an event, by the numbers of the trace.
func (l *loader) partner(e *trace.Event, goroutine uint64) trace.Ref {
	if goroutine == 0 {
		if e.Partner == trace.First {
			return trace.First
		}
		return trace.Unknown
	}
	g := l.goroutines[goroutine]
	if g == nil || e.Partner.PC > g.pc {
		return trace.Unknown // it was done when the program was killed, and not recorded any more
	}
	return trace.Ref{Goroutine: g.gid, PC: e.Partner.PC}
}

// name gives goroutines their creation paths.
func name(t *trace.Trace) {
	t.Goroutines[0].Path = "0"
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		children := 0
		for j := range g.Events {
			e := &g.Events[j]
			if e.Op != trace.OpGo {
				continue
			}
			children++
			child := &t.Goroutines[e.Partner.Goroutine-1]
			if child.Parent == 0 {
				child.Parent = trace.GoroutineID(i + 1)
			}
			if g.Path != "" && child.Path == "" && len(g.Path) < math.MaxUint16 {
				child.Path = g.Path + "." + strconv.Itoa(children)
			}
		}
	}
}

// maxName is the length of a name of memory: longer ones are none.
const maxName = 256

// tellApart gives objects of one name, as a field of several values, their numbers behind it.
func tellApart(objects []trace.Object) {
	count := map[string]int{}
	for _, o := range objects {
		count[o.Name]++
	}
	for i := range objects {
		if o := &objects[i]; o.Name != "" && count[o.Name] > 1 {
			o.Name += "#" + strconv.Itoa(i+1)
		}
	}
}
