package view

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// Recording is a recorded run, to make a page of.
type Recording struct {
	Trace  *trace.Trace
	Header recording.Header // zero if the trace comes from elsewhere
	Tool   string           // version of vtrace, which analyses it
	// Finding is the number of a finding of the analysis, from 1, that is shown first: where not all
	// steps fit, the page has those around it, else the last ones. 0 is none.
	Finding int
}

// WriteRecording writes the page of a recorded run: its steps with their vector clocks, and
// what the analysis finds. The errors are those of [OfRecording] and of the writer.
func WriteRecording(w io.Writer, r Recording) error {
	d, err := OfRecording(r)
	if err != nil {
		return err
	}
	_, err = w.Write(d.page())
	return err
}

// OfRecording is what the page of a recorded run shows. The error is that the trace is not
// valid, that its clocks need too much memory, or that there is no such finding.
func OfRecording(r Recording) (*Data, error) {
	in, err := analyze.Inspect(r.Trace, analyze.Limits{})
	if err != nil {
		return nil, err
	}
	if n := len(in.Result.Findings); r.Finding < 0 || r.Finding > n {
		return nil, fmt.Errorf("there is no finding %d: the analysis of the run has %d", r.Finding, n)
	}
	p := &page{notes: maxNoteBytes, index: map[Site]int{}}
	pkg, entry := r.Trace.Program, ""
	if i := strings.LastIndex(pkg, "."); i >= 0 {
		pkg, entry = pkg[:i], pkg[i+1:]
	}
	p.data = Data{
		Version: Version, Recording: true,
		Program: Program{Package: short(pkg), Entry: short(entry), Pass: "recording", Tool: short(r.Tool), Go: short(r.Header.Go), End: short(r.Header.End)},
		Notes:   []string{}, Sites: []Site{}, Files: []File{}, Findings: []Finding{}, Traces: []Trace{}, Automata: []Automaton{}, First: r.Finding,
	}
	x := &recorded{p: p, t: r.Trace, in: in}
	x.order()
	x.window(r.Finding)
	x.notes(r.Header)
	room := maxRecordedBytes
	x.findings(r.Finding, &room)
	tr, err := x.fit(&room)
	if err != nil {
		return nil, err
	}
	p.data.Traces = append(p.data.Traces, tr)
	for i := range p.data.Findings {
		f := &p.data.Findings[i]
		f.Steps = slices.DeleteFunc(f.Steps, func(n int) bool { return n <= tr.Skipped || n > tr.Skipped+len(tr.Steps) })
	}
	return &p.data, nil
}

// moment is an event, which is a step of the page: that an operation is begun, ends, or both.
type moment struct{ g, event int32 }

// recorded makes the trace of a recorded run.
type recorded struct {
	p  *page
	t  *trace.Trace
	in *analyze.Inspection

	moments []moment
	begins  [][]int32   // the events with which operations begin, by goroutine and operation
	steps   [][]int     // the numbers of the steps that end operations, or begin those without an end
	starts  []trace.Ref // the operations by which goroutines are started

	first, last int   // the steps of the page are those of the moments from first up to last
	lanes       []int // by goroutine, -1 if it has none
	shown       []int // numbers on the page, by object, -1 if it is not there

	next    []int          // the events that goroutines come to
	objects []syncState    // by object
	clocks  []stamped      // the last clock of each goroutine
	numbers map[string]int // of values, by their JSON
	now     State          // what the last step of the page leaves
	out     Trace
}

// syncState is the state of an object.
type syncState struct {
	held, reading []trace.GoroutineID
	length        int
	closed        bool
	count         int
	added         trace.Ref // the last addition to a wait group
}

// stamped names a clock: that before an operation, or behind it.
type stamped struct {
	at   trace.Ref
	post bool
}

// event is that of a moment.
func (x *recorded) event(m moment) *trace.Event { return &x.t.Goroutines[m.g].Events[m.event] }

// begin is the event with which an operation begins, nil if the trace does not have it.
func (x *recorded) begin(r trace.Ref) *trace.Event {
	if r.Goroutine < 1 || int(r.Goroutine) > len(x.begins) || r.PC < 1 || int(r.PC) > len(x.begins[r.Goroutine-1]) {
		return nil
	}
	return &x.t.Goroutines[r.Goroutine-1].Events[x.begins[r.Goroutine-1][r.PC-1]]
}

// stepOf is the number of the step of an operation, 0 if the trace does not have it.
func (x *recorded) stepOf(r trace.Ref) int {
	if x.begin(r) == nil {
		return 0
	}
	return x.steps[r.Goroutine-1][r.PC-1]
}

// order puts the events in an order that fits the trace. What was begun and has no end comes at the end of
// all, since that is where the goroutine stays, unless others know that it was done.
func (x *recorded) order() {
	n := len(x.t.Goroutines)
	x.begins, x.steps, x.starts = make([][]int32, n), make([][]int, n), make([]trace.Ref, n)
	named := map[trace.Ref]bool{}
	for g := range x.t.Goroutines {
		id := trace.GoroutineID(g + 1)
		for i, e := range x.t.Goroutines[g].Events {
			if e.Phase.HasPre() {
				x.begins[g] = append(x.begins[g], int32(i))
			}
			if e.Phase.HasPost() && e.Partner.Known() {
				named[e.Partner] = true
			}
			if child := e.Partner.Goroutine; e.Op == trace.OpGo && child > 0 && int(child) <= n {
				x.starts[child-1] = trace.Ref{Goroutine: id, PC: e.PC}
			}
		}
		x.steps[g] = make([]int, len(x.begins[g]))
	}
	next := make([]int32, n)
	var stays []moment
	add := func(m moment) {
		x.moments = append(x.moments, m)
		x.steps[m.g][x.event(m).PC-1] = len(x.moments)
	}
	// begun adds the events of a goroutine up to the next one that ends an operation.
	begun := func(g int32) {
		events := x.t.Goroutines[g].Events
		for int(next[g]) < len(events) && events[next[g]].Phase == trace.Pre {
			m := moment{g, next[g]}
			next[g]++
			if int(next[g]) == len(events) && !named[trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: x.event(m).PC}] {
				stays = append(stays, m)
			} else {
				add(m)
			}
		}
	}
	for g := range int32(n) {
		if !x.starts[g].Known() {
			begun(g)
		}
	}
	for _, r := range x.in.Clocks.Order() {
		g := int32(r.Goroutine - 1)
		m := moment{g, next[g]}
		add(m)
		next[g]++
		begun(g)
		if e := x.event(m); e.Op == trace.OpGo {
			begun(int32(e.Partner.Goroutine - 1))
		}
	}
	slices.SortFunc(stays, func(a, b moment) int { return int(a.g - b.g) })
	for _, m := range stays {
		add(m)
	}
}

// behindFinding is how many steps a page has behind those of the finding that is asked for.
const behindFinding = 200

// window chooses the steps of the page: the last ones, or those up to a finding, and a few behind it.
func (x *recorded) window(finding int) {
	x.last = len(x.moments)
	if finding > 0 {
		at := 0
		for _, o := range x.in.Result.Findings[finding-1].Operations {
			at = max(at, x.stepOf(trace.Ref{Goroutine: o.Goroutine, PC: o.PC}))
		}
		if len(x.moments) > maxSteps {
			x.last = min(x.last, at+behindFinding)
		}
	}
	lanes := map[int32]bool{}
	for x.first = x.last; x.first > 0 && x.last-x.first < maxSteps; x.first-- {
		m := x.moments[x.first-1]
		lanes[m.g] = true
		if p := x.event(m).Partner.Goroutine; p > 0 {
			lanes[int32(p-1)] = true
		}
		if len(lanes)*(x.last-x.first) > maxLanes {
			break
		}
	}
}

// notes says what the page and the recording do not have.
func (x *recorded) notes(h recording.Header) {
	for _, n := range h.Notes {
		x.p.note("not recorded: %s", n)
	}
	cut := 0
	for i := range x.t.Goroutines {
		if x.t.Goroutines[i].Truncated {
			cut++
		}
	}
	if cut > 0 {
		x.p.note("of %d goroutines more was done than is recorded", cut)
	}
	if left := x.t.Events() - len(x.moments); left > 0 {
		x.p.note("%d events are not on this page: their goroutines cannot have been started as the trace says", left)
	}
	for _, l := range x.in.Result.Limits {
		x.p.note("the analysis does not cover all: %s", l)
	}
	x.p.note("a recording has no source lines, and no values: it names operations, objects by their kinds and numbers, and places")
}

// findings takes the findings of the analysis, and that which is asked for in any case.
func (x *recorded) findings(wanted int, room *int) {
	all := x.in.Result.Findings
	left, taken := maxFindingBytes, 0
	full := false
	for i := range all {
		f := &all[i]
		out := Finding{
			Number: i + 1, Verdict: string(f.Level), Kind: string(f.Code), Category: short(f.Title), Message: short(f.Message),
			Facts: []string{}, Steps: []int{}, Trace: 0,
		}
		if f.Witness {
			text := "the operations of the run can come in an order that shows it"
			if f.Reordered {
				text += ", with critical sections in another order"
			}
			out.Facts = append(out.Facts, text)
		}
		if f.Unless != "" {
			out.Facts = append(out.Facts, "unless "+f.Unless)
		}
		if f.OtherOrder {
			out.Facts = append(out.Facts, "it shows in another order of the operations on buffered channels than that of this page")
		}
		if f.Count > 1 && f.Code != analyze.MP {
			out.Facts = append(out.Facts, fmt.Sprintf("%d times at these places; the steps are those of one of them", f.Count))
		}
		for k, o := range f.Operations {
			r := trace.Ref{Goroutine: o.Goroutine, PC: o.PC}
			out.Steps = append(out.Steps, x.stepOf(r))
			if e := x.begin(r); k == 0 && e != nil {
				pos := x.t.Position(e.Pos)
				out.File, out.Line, out.Func = short(pos.File), pos.Line, short(pos.Func)
			}
		}
		if full = full || taken == maxFindings || !fits(out, &left); full && i+1 != wanted {
			continue
		}
		taken++
		x.p.data.Findings = append(x.p.data.Findings, out)
	}
	*room -= maxFindingBytes - left
	if taken < len(all) {
		x.p.note("%d of %d findings are not on this page", len(all)-taken, len(all))
	}
}

// minWithClocks is for how many steps there must be room if vector clocks are to be on a page.
const minWithClocks = 1000

// fit makes the trace, without what does not fit on the page.
func (x *recorded) fit(room *int) (Trace, error) {
	x.build()
	whole := x.out
	left := *room
	ok := cut(&x.out, &left, x.p.sizeWithSites(0))
	if !ok || len(x.out.Steps) < min(minWithClocks, len(whole.Steps)) {
		x.out = whole
		x.out.Clocks = nil
		x.out.Steps = slices.Clone(whole.Steps)
		for i := range x.out.Steps {
			x.out.Steps[i].Pre, x.out.Steps[i].Post = nil, nil
		}
		x.out.Notes = append(x.out.Notes, fmt.Sprintf("the vector clocks of %d goroutines are not on this page, which would be too large", len(x.t.Goroutines)))
		left = *room
		ok = cut(&x.out, &left, x.p.sizeWithSites(0))
	}
	if !ok {
		return Trace{}, errors.New("the run does not fit on a page: it has too many goroutines")
	}
	*room = left
	x.p.keepSites(0, &x.out)
	x.out.Shown = len(x.out.Steps)
	if x.out.Behind > 0 {
		x.out.Notes = append(x.out.Notes, fmt.Sprintf("the last %d of %d steps are not on this page", x.out.Behind, len(x.moments)))
	}
	if x.out.Skipped > 0 || x.out.Behind > 0 {
		x.out.Notes = append(x.out.Notes, "vtrace view -finding N makes a page of the steps around finding N")
	}
	return x.out, nil
}

// build follows the run, and makes a trace of the steps of the page.
func (x *recorded) build() {
	n := len(x.t.Goroutines)
	x.next, x.objects, x.clocks = make([]int, n), make([]syncState, len(x.t.Objects)+1), make([]stamped, n)
	x.numbers, x.now = map[string]int{}, State{}
	for _, m := range x.moments[:x.first] {
		x.apply(m)
	}
	x.out = Trace{
		From: FromRun, Notes: []string{}, Goroutines: []Goroutine{}, Objects: []Object{}, Variables: []Variable{}, Start: State{}, Steps: []Step{},
		Arrows: []Arrow{}, Values: []any{}, Alternatives: []Alternative{}, AlternativeSets: [][]int{}, Skipped: x.first, Behind: len(x.moments) - x.last,
		Clocks: [][]int{},
	}
	x.takeLanes()
	for g, lane := range x.lanes {
		if lane < 0 {
			continue
		}
		if s := x.starts[g]; x.next[g] > 0 || !s.Known() || x.stepOf(s) <= x.first {
			x.set(x.out.Start, goroutineKey(lane), x.standing(g))
		}
		x.out.Clocks = append(x.out.Clocks, pairs(nil, x.clockOf(x.clocks[g]), -1))
	}
	for o, i := range x.shown {
		if i >= 0 {
			x.set(x.out.Start, objectKey(i), x.stateOf(trace.ObjectID(o)))
		}
	}
	known := true
	for i := x.first; i < x.last; i++ {
		step := x.step(x.moments[i], i+1)
		if known {
			known = x.possible(x.moments[i], &step)
		}
		x.out.Steps = append(x.out.Steps, step)
	}
	if !known {
		x.out.Notes = append(x.out.Notes, "what could have been is not known of all steps, which takes too long")
	}
}

// takeLanes gives lanes to the goroutines that do something in the steps of the page, their partners, and
// those that hold what is used there; and finds the objects that are.
func (x *recorded) takeLanes() {
	x.lanes, x.shown = make([]int, len(x.t.Goroutines)), make([]int, len(x.objects))
	lane, used := make([]bool, len(x.lanes)), make([]bool, len(x.objects))
	for _, m := range x.moments[x.first:x.last] {
		e := x.event(m)
		lane[m.g] = true
		if p := int(e.Partner.Goroutine); p > 0 && p <= len(lane) {
			lane[p-1] = true
		}
		b := x.begin(trace.Ref{Goroutine: trace.GoroutineID(m.g + 1), PC: e.PC})
		used[b.Object] = true
		for _, c := range b.Cases {
			used[c.Object] = true
		}
	}
	for o := range x.objects {
		x.shown[o] = -1
		if !used[o] || o == 0 {
			continue
		}
		for _, g := range slices.Concat(x.objects[o].held, x.objects[o].reading) {
			lane[g-1] = true
		}
		id := trace.ObjectID(o)
		x.shown[o] = len(x.out.Objects)
		x.out.Objects = append(x.out.Objects, Object{Name: short(x.t.ObjectName(id)), Kind: kindsOfObjects[x.t.Object(id).Kind], Cap: x.t.Object(id).Cap})
	}
	without := 0
	for g := range x.lanes {
		if x.lanes[g] = -1; !lane[g] {
			without++
			continue
		}
		x.lanes[g] = len(x.out.Goroutines)
		x.out.Goroutines = append(x.out.Goroutines, Goroutine{Name: strconv.Itoa(g + 1), Number: g + 1, Func: short(x.t.Goroutines[g].Name), By: -1, Site: -1, Automaton: -1})
	}
	if without > 0 {
		x.out.Notes = append(x.out.Notes, fmt.Sprintf("%d goroutines that do nothing in these steps have no lane", without))
	}
	for g, i := range x.lanes {
		if s := x.starts[g]; i >= 0 && s.Known() {
			l := &x.out.Goroutines[i]
			l.By, l.Started, l.Site = x.lanes[s.Goroutine-1], x.stepOf(s), x.place(s)
		}
	}
}

// kindsOfObjects are the kinds of objects on a page.
var kindsOfObjects = map[trace.ObjectKind]string{
	trace.Chan: Channel, trace.Mutex: Mutex, trace.RWMutex: RWMutex, trace.WaitGroup: WaitGroup, trace.Once: Once, trace.Cond: Condition,
	trace.Atomic: Atomic, trace.Var: Memory,
}

// place is the number of the site of an operation.
func (x *recorded) place(r trace.Ref) int {
	e := x.begin(r)
	pos := x.t.Position(e.Pos)
	text := e.Op.String()
	switch e.Op {
	case trace.OpGo, trace.OpEnd:
	case trace.OpSelect:
		var cases []string
		for _, c := range e.Cases {
			cases = append(cases, x.caseText(c))
		}
		if e.Has(trace.HasDefault) {
			cases = append(cases, "default")
		}
		text += " " + strings.Join(cases, ", ")
	default:
		text += " " + x.t.ObjectName(e.Object)
	}
	if e.Op == trace.OpAdd {
		text += fmt.Sprintf(" %+d", e.Delta)
	}
	return x.p.site(Site{Kind: e.Op.String(), Func: pos.Func, File: pos.File, Line: pos.Line, Text: text})
}

func (x *recorded) caseText(c trace.Case) string {
	return c.Op.String() + " " + x.t.ObjectName(c.Object)
}

// apply follows an event.
func (x *recorded) apply(m moment) {
	e := x.event(m)
	g := trace.GoroutineID(m.g + 1)
	r := trace.Ref{Goroutine: g, PC: e.PC}
	x.next[m.g] = int(m.event) + 1
	x.clocks[m.g] = stamped{r, e.Phase.HasPost()}
	if !e.Phase.HasPost() {
		// That it was done nevertheless is known of a send whose value was received.
		if op, object, partner := x.in.Clocks.Did(r); op == trace.OpSend && partner.Known() {
			x.objects[object].length++
		}
		return
	}
	if e.Has(trace.Failed) || e.Has(trace.Panicked) {
		return
	}
	op, object, _ := x.in.Clocks.Did(r)
	o := &x.objects[object]
	switch op {
	case trace.OpSend:
		o.length++
	case trace.OpRecv:
		if !e.Has(trace.Closed) {
			o.length = max(0, o.length-1)
		}
	case trace.OpClose:
		o.closed = true
	case trace.OpLock, trace.OpTryLock:
		o.held = append(o.held, g)
	case trace.OpRLock, trace.OpTryRLock:
		o.reading = append(o.reading, g)
	case trace.OpUnlock:
		o.held = without(o.held, g)
	case trace.OpRUnlock:
		o.reading = without(o.reading, g)
	case trace.OpAdd:
		if o.count += int(e.Delta); e.Has(trace.Counted) {
			o.count = int(e.Counter)
		}
		o.added = r
	case trace.OpOnce:
		o.count = onceDone
	}
}

// onceDone is the Count of a Once whose function was called.
const onceDone = 2

// without is a list without one mention of a goroutine, or of the first one: who gives a lock back need not be
// who has taken it.
func without(list []trace.GoroutineID, g trace.GoroutineID) []trace.GoroutineID {
	if len(list) == 0 {
		return list
	}
	i := max(0, slices.Index(list, g))
	return slices.Delete(slices.Clone(list), i, i+1)
}

// stateOf is the state of an object.
func (x *recorded) stateOf(id trace.ObjectID) ObjectState {
	o := &x.objects[id]
	lanes := func(gs []trace.GoroutineID) (out []int) {
		for _, g := range gs {
			if lane := x.lanes[g-1]; lane >= 0 {
				out = append(out, lane)
			}
		}
		return out
	}
	s := ObjectState{Held: lanes(o.held), Reading: lanes(o.reading), Closed: o.closed, Count: o.count}
	if x.t.Object(id).Cap > 0 {
		s.Length = o.length
	}
	return s
}

// objectsOf are the numbers of the objects that an operation is on.
func (x *recorded) objectsOf(r trace.Ref) []int {
	b := x.begin(r)
	ids := []trace.ObjectID{b.Object}
	for _, c := range b.Cases {
		ids = append(ids, c.Object)
	}
	var out []int
	for _, id := range ids {
		if i := x.shown[id]; i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// standing is how a goroutine stands: where it goes next, where it stays, or that it has ended.
func (x *recorded) standing(g int) GoroutineState {
	events := x.t.Goroutines[g].Events
	next := x.next[g]
	at := func(e *trace.Event, is string) GoroutineState {
		r := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}
		s := GoroutineState{At: x.place(r), Is: is}
		if is == Waits {
			s.For = x.objectsOf(r)
		}
		return s
	}
	if next < len(events) {
		e := &events[next]
		if e.Phase == trace.Post && e.Op == trace.OpCondWait {
			return at(e, Waits)
		}
		return at(e, Ready)
	}
	if len(events) == 0 {
		return GoroutineState{At: -1, Is: Past}
	}
	switch e := &events[next-1]; {
	case e.Has(trace.Panicked):
		return at(e, Panicked)
	case e.Op == trace.OpEnd:
		return at(e, Ended)
	case e.Phase == trace.Pre:
		return at(e, Waits)
	default:
		return at(e, Past)
	}
}

// set notes a state, if it is another one than before.
func (x *recorded) set(to State, key string, v any) {
	i := numberOf(v, x.numbers, &x.out.Values)
	if old, ok := x.now[key]; !ok || old != i {
		to[key], x.now[key] = i, i
	}
}

// step is one of the page.
func (x *recorded) step(m moment, number int) Step {
	e := x.event(m)
	g := trace.GoroutineID(m.g + 1)
	r := trace.Ref{Goroutine: g, PC: e.PC}
	old := x.clockOf(x.clocks[m.g])
	added := syncState{}
	if e.Op == trace.OpWait {
		added = x.objects[e.Object]
	}
	x.apply(m)
	s := Step{Goroutine: x.lanes[m.g], Site: x.place(r), PC: int(e.PC), Did: short(x.did(e, r)), Set: State{}}
	if e.Phase.HasPre() {
		v, _ := x.in.Clocks.Pre(r)
		s.Pre = pairs(old, v, int(m.g))
		old = v
	} else {
		s.Phase = PhasePost
	}
	if e.Phase.HasPost() {
		if v, ok := x.in.Clocks.Post(r); ok {
			s.Post = pairs(old, v, -1)
		}
	} else {
		s.Phase = PhasePre
	}
	stands := x.standing(int(m.g))
	s.Queues = s.Phase == PhasePre && stands.Is == Waits
	x.set(s.Set, goroutineKey(s.Goroutine), stands)
	if child := int(e.Partner.Goroutine); e.Op == trace.OpGo && child > 0 && child <= len(x.lanes) {
		x.set(s.Set, goroutineKey(x.lanes[child-1]), x.standing(child-1))
		x.arrow(ArrowCreate, number, s.Goroutine, number, x.lanes[child-1], 0)
	}
	_, object, partner := x.in.Clocks.Did(r)
	if i := x.shown[object]; i >= 0 {
		x.set(s.Set, objectKey(i), x.stateOf(object))
	}
	s.Objects = slices.DeleteFunc(x.objectsOf(r), func(i int) bool {
		_, changed := s.Set[objectKey(i)]
		return changed
	})
	if e.Phase.HasPost() {
		x.arrows(e, r, object, partner, added.added)
	}
	return s
}

// arrows are those that lead to an operation which has ended.
func (x *recorded) arrows(e *trace.Event, r trace.Ref, object trace.ObjectID, partner, added trace.Ref) {
	op, _, _ := x.in.Clocks.Did(r)
	kind, from := "", e.Partner
	switch op {
	case trace.OpRecv:
		if kind = ArrowMessage; e.Has(trace.Closed) {
			kind = ArrowWake
		} else {
			from = partner
		}
	case trace.OpLock, trace.OpTryLock, trace.OpRLock, trace.OpTryRLock:
		kind = ArrowLock
	case trace.OpOnce, trace.OpCondWait:
		kind = ArrowWake
	case trace.OpWait:
		kind, from = ArrowWake, added
	case trace.OpLoad, trace.OpRMW, trace.OpRead:
		kind = ArrowRead
	default:
		return
	}
	if at := x.stepOf(from); at > 0 && from.Goroutine != r.Goroutine {
		x.arrow(kind, at, x.lanes[from.Goroutine-1], x.stepOf(r), x.lanes[r.Goroutine-1], object)
	}
}

// arrow adds an arrow, if both of its goroutines have lanes.
func (x *recorded) arrow(kind string, fromStep, from, toStep, to int, object trace.ObjectID) {
	if from >= 0 && to >= 0 {
		x.out.Arrows = append(x.out.Arrows, Arrow{Kind: kind, From: from, FromStep: fromStep, To: to, ToStep: toStep, Object: x.shown[object]})
	}
}

// did is what came of an operation, in words; "" where there is nothing to say.
func (x *recorded) did(e *trace.Event, r trace.Ref) string {
	if !e.Phase.HasPost() {
		return ""
	}
	var out []string
	if e.Op == trace.OpSelect {
		out = append(out, "default")
		if e.Case != trace.DefaultCase {
			out[0] = fmt.Sprintf("case %d, %s", e.Case, x.caseText(x.begin(r).Cases[e.Case]))
		}
	}
	for _, f := range []struct {
		flag trace.Flags
		text string
	}{{trace.Closed, "the channel is closed"}, {trace.Failed, "gets no lock"}, {trace.Panicked, "panics"}, {trace.Ran, "calls the function"}} {
		if e.Has(f.flag) {
			out = append(out, f.text)
		}
	}
	if e.Has(trace.Counted) {
		out = append(out, fmt.Sprintf("the counter is %d", e.Counter))
	}
	if e.Op == trace.OpGo {
		out = append(out, fmt.Sprintf("goroutine %d", e.Partner.Goroutine))
	}
	return strings.Join(out, "; ")
}

// How many of the operations that could have been are named in a step: partners, and what competes with it.
const (
	maxPartners   = 3
	maxContenders = 1
)

// possible adds to a step what could have been in place of the operation that it begins. False says
// that it is not known.
func (x *recorded) possible(m moment, s *Step) bool {
	e := x.event(m)
	if !e.Phase.HasPre() {
		return true
	}
	r := trace.Ref{Goroutine: trace.GoroutineID(m.g + 1), PC: e.PC}
	list, ok := x.in.Possible(r)
	for _, p := range list {
		out := Possible{Code: string(p.Code), Count: p.Count}
		if p.Case >= 0 {
			out.Case = short(fmt.Sprintf("case %d, %s", p.Case, x.caseText(e.Cases[p.Case])))
		}
		named := maxPartners
		if p.Code == analyze.MP {
			named = maxContenders
		}
		for _, o := range p.Operations[:min(len(p.Operations), named)] {
			out.At = append(out.At, int(o.Goroutine), int(o.PC))
		}
		s.Possible = append(s.Possible, out)
	}
	return ok
}

// clockOf is a clock, nil for that of a goroutine which has not begun.
func (x *recorded) clockOf(s stamped) analyze.Vector {
	if !s.at.Known() {
		return nil
	}
	if s.post {
		v, _ := x.in.Clocks.Post(s.at)
		return v
	}
	v, _ := x.in.Clocks.Pre(s.at)
	return v
}

// pairs are the components of a clock that are not those of another one, but for that of a goroutine: its number,
// and the component.
func pairs(old, v analyze.Vector, but int) []int {
	out := []int{}
	for g, n := range v {
		if g != but && (old == nil && n > 0 || old != nil && n != old[g]) {
			out = append(out, g+1, int(n))
		}
	}
	return out
}
