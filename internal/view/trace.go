package view

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
)

// tracer makes the trace of a finding.
type tracer struct {
	p       *page
	finding artifact.Finding
	naming  *explain.Naming // of its objects
	steps   []artifact.FindingStep
	stages  *orchestrate.Stages // nil if there is no model to follow
	table   *objectTable

	out        Trace
	goroutines map[string]int
	processes  map[int]int      // automata, by goroutine
	played     map[string][]int // goroutines, by the name of the process
	variables  map[string]int
	altIndex   map[Alternative]int
	children   map[string]int

	now      known          // as it is so far
	modelled known          // what the last stage of the model has
	index    map[string]int // of values, by their JSON
	sets     map[string]int // of alternatives, by their numbers
	step     int            // number of the step that is looked at
	objects  []*ObjectState
	given    map[int]act                   // who has given a lock back last, by object
	queued   map[int]int                   // the step in which a goroutine has begun to wait
	taken    map[act]int                   // objects by who has taken them, and when
	runs     map[string]int                // objects by their names in the run
	passed   map[artifact.At]int           // see lastAt
	kept     map[int][]artifact.FindingAct // see takenAt
}

// known is what is known at a step, with the keys of a State.
type known map[string]any

// act is what a goroutine has done in a step.
type act struct{ goroutine, step int }

// trace is that of a finding along some steps.
func (p *page) trace(f artifact.Finding, steps []artifact.FindingStep, stages *orchestrate.Stages, from string) Trace {
	t := &tracer{
		p: p, finding: f, naming: explain.NamingOf(f), steps: steps, stages: stages,
		table:      &objectTable{byName: map[[2]string]int{}, cells: map[string]cell{}},
		goroutines: map[string]int{}, processes: map[int]int{}, played: map[string][]int{}, variables: map[string]int{},
		altIndex: map[Alternative]int{}, children: map[string]int{},
		now: known{}, index: map[string]int{}, sets: map[string]int{}, given: map[int]act{}, queued: map[int]int{}, taken: map[act]int{}, runs: map[string]int{},
	}
	if stages != nil {
		table := *p.table
		t.table = &table
		t.table.objects = slices.Clone(p.table.objects)
	}
	t.out = Trace{
		From: from, Notes: []string{}, Goroutines: []Goroutine{}, Variables: []Variable{},
		Start: State{}, Steps: []Step{}, Arrows: []Arrow{}, Values: []any{}, Alternatives: []Alternative{}, AlternativeSets: [][]int{},
	}
	for range t.table.objects {
		t.objects = append(t.objects, &ObjectState{})
	}
	t.goroutine("0")
	t.out.Start = t.begin()
	for i := range steps {
		t.step = i + 1
		t.out.Steps = append(t.out.Steps, t.stepOf(steps[i]))
	}
	t.end()
	t.name()
	return t.out
}

// goroutine is the number of a goroutine, -1 for time.
func (t *tracer) goroutine(name string) int {
	if name == artifact.TimeStep || name == "" {
		return -1
	}
	if i, ok := t.goroutines[name]; ok {
		return i
	}
	i := len(t.out.Goroutines)
	t.goroutines[name] = i
	t.out.Goroutines = append(t.out.Goroutines, Goroutine{Name: short(name), By: -1, Site: -1, Automaton: -1})
	return i
}

// begin is the state before the first step.
func (t *tracer) begin() State {
	if t.stages == nil {
		return State{}
	}
	t.out.Shown = len(t.stages.Stages) - 1
	return t.stage(0)
}

// stepOf is a step of the page, with what is different behind it.
func (t *tracer) stepOf(s artifact.FindingStep) Step {
	g := t.goroutine(s.G)
	out := Step{Goroutine: g, Site: t.p.step(s), Case: t.chosen(s), Did: short(t.naming.Came(s))}
	if sites.Named(s.Operation).StartsGoroutine() {
		t.starts(s, g, out.Site)
	}
	if t.stages == nil || t.step > t.out.Shown {
		out.Set = t.observed(s, g, out.Site)
		return out
	}
	out.Alternatives = t.alternatives(s)
	out.Set = t.stage(t.step)
	if state, ok := t.now[goroutineKey(g)].(GoroutineState); ok && g >= 0 {
		out.Queues = state.Is == Waits && state.At == out.Site
	}
	return out
}

// starts notes that a step starts a goroutine, which has a name by that.
func (t *tracer) starts(s artifact.FindingStep, g, site int) {
	t.children[s.G]++
	child := t.goroutine(s.G + "." + strconv.Itoa(t.children[s.G]))
	o := &t.out.Goroutines[child]
	o.By, o.Started, o.Site = g, t.step, site
	t.out.Arrows = append(t.out.Arrows, Arrow{Kind: ArrowCreate, From: g, FromStep: t.step, To: child, ToStep: t.step, Object: -1})
}

// caseText says which case of a select was chosen, by its number if the cases are not known.
func caseText(operation string, c int, cases []string) string {
	switch {
	case operation != sites.Select.String():
		return ""
	case c < 0:
		return "default"
	case explain.Taken(cases, c) != "":
		return short("case " + cases[c])
	}
	return "case " + strconv.Itoa(c+1)
}

// chosen says of a step which case of a select was chosen, or which it waits for, if it stays there.
func (t *tracer) chosen(s artifact.FindingStep) string {
	if s.Taken != "" {
		return short("case " + s.Taken)
	}
	cases := t.p.byKey[s.Site].Cases
	if s.Operation == sites.Select.String() && explain.Taken(cases, s.Case) != "" {
		return short("waits for " + explain.Cases(cases))
	}
	return caseText(s.Operation, s.Case, cases)
}

func goroutineKey(i int) string { return "g" + strconv.Itoa(i) }
func objectKey(i int) string    { return "o" + strconv.Itoa(i) }
func variableKey(i int) string  { return "v" + strconv.Itoa(i) }

// stage is what is different in a stage of the model from what is known so far.
func (t *tracer) stage(k int) State {
	stage, state := &t.stages.Stages[k], t.stages.State(k)
	for _, tr := range stage.Done {
		t.transition(tr)
	}
	next := known{}
	for _, s := range stage.Standing {
		i := t.goroutine(s.G)
		t.processes[i] = t.stages.Templates[s.Process]
		if process := t.stages.Info.Processes[s.Process].Name; !slices.Contains(t.played[process], i) {
			t.played[process] = append(t.played[process], i)
		}
		next[goroutineKey(i)] = t.standing(i, s)
	}
	values := map[int]map[string]int{}
	for _, v := range state.Vars {
		t.variable(v, next, values)
	}
	for i, o := range t.objects {
		settle(t.table.objects[i].Kind, o, values[i])
		next[objectKey(i)] = *o.clone()
	}
	// What the model does not have any more: goroutines that ended before stay as they are.
	changes := maps.Clone(next)
	for key, old := range t.modelled {
		if _, ok := next[key]; ok {
			continue
		}
		changes[key] = nil
		if g, ok := old.(GoroutineState); ok {
			changes[key] = GoroutineState{At: g.At, Is: Ended}
		}
	}
	t.modelled = next
	return t.change(changes)
}

// standing is how a goroutine stands in the model.
func (t *tracer) standing(g int, s orchestrate.Standing) GoroutineState {
	template := t.stages.Templates[s.Process]
	at := t.p.side.Templates[template].Locations[s.Location]
	out := GoroutineState{At: t.p.siteOf(at.Site), Is: Ready, Location: s.Location + 1}
	switch {
	case sidecar.End(at.End).Crash():
		out.Is, out.Detail = Panicked, cmp.Or(at.Detail, at.End)
	case at.End != "" || at.Site == 0:
		out.Is, out.Detail = Ended, cmp.Or(at.Detail, at.End)
	case s.Queued:
		out.Is, out.For = Waits, t.waitsFor(template, s.Location, at.Site)
	}
	if out.Is == Waits {
		if _, ok := t.queued[g]; !ok {
			t.queued[g] = t.step
		}
	} else {
		delete(t.queued, g)
	}
	return out
}

// waitsFor are the objects on which the operation works that a goroutine is queued in.
func (t *tracer) waitsFor(template, location, site int) (out []int) {
	edges := t.p.net.Templates[template].Edges
	from := t.p.net.Templates[template].Locations[location]
	for k, info := range t.p.side.Templates[template].Edges {
		if edges[k].From != from || info.Site != site {
			continue
		}
		for n, o := range t.table.edges[template][k].objects {
			// Beside what it changes an edge may look at others, in the code that follows.
			if n == 0 && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// variable puts the value of a variable where it belongs: to an object, or to the variables of the
// program.
func (t *tracer) variable(v check.VarValue, next known, values map[int]map[string]int) {
	if c, ok := t.table.cells[v.Name]; ok {
		if values[c.object] == nil {
			values[c.object] = map[string]int{}
		}
		values[c.object][c.what] = int(v.Value)
		return
	}
	process, name, local := strings.Cut(v.Name, ".")
	if !local {
		process, name = "", v.Name
	}
	if bookkeeping(name) {
		return
	}
	i, ok := t.variables[v.Name]
	if !ok {
		i = len(t.out.Variables)
		t.variables[v.Name] = i
		t.out.Variables = append(t.out.Variables, Variable{Name: name, Process: process})
	}
	next[variableKey(i)] = int(v.Value)
}

// settle takes over what the model says of an object.
func settle(kind string, o *ObjectState, values map[string]int) {
	switch kind {
	case Mutex, RWMutex:
		if n, ok := values["locked"]; ok && n == 0 {
			o.Held = nil
		}
		if n, ok := values["held"]; ok && n == 0 {
			o.Held = nil
		}
		if n, ok := values["readers"]; ok && n == 0 {
			o.Reading = nil
		}
	case WaitGroup:
		o.Count = values["count"]
	case Once:
		if o.Count = values["state"]; o.Count != 1 {
			o.Held = nil
		}
	case Channel:
		o.Closed = values["closed"] != 0
		n, ok := values["len"]
		if !ok {
			return // one without a buffer, or that the model does not count
		}
		o.Length = n
		if len(o.Queue) > n {
			o.Queue = o.Queue[len(o.Queue)-n:]
		}
		o.Lost = len(o.Queue) < n
		for i := range o.Queue {
			if x, ok := values[fmt.Sprintf("buf0_%d", i)]; ok {
				o.Queue[i].Text = strconv.Itoa(x)
			}
		}
	}
}

func (o *ObjectState) clone() *ObjectState {
	c := *o
	c.Held, c.Reading, c.Queue = slices.Clone(o.Held), slices.Clone(o.Reading), slices.Clone(o.Queue)
	return &c
}

// change makes changes to what is known, where nil is not there any more, and is what is different
// by that. It looks at the changes alone, since what is known may be much more.
func (t *tracer) change(changes known) State {
	var keys []string
	for key, v := range changes {
		old, ok := t.now[key]
		if v == nil && ok || v != nil && (!ok || !same(old, v)) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	set := State{}
	for _, key := range keys {
		v := changes[key]
		if v == nil {
			delete(t.now, key)
			set[key] = -1
			continue
		}
		t.now[key] = v
		set[key] = t.value(v)
	}
	return set
}

// with is what is known under a key after some changes.
func (t *tracer) with(changes known, key string) any {
	if v, ok := changes[key]; ok {
		return v
	}
	return t.now[key]
}

// value is the number of a value.
func (t *tracer) value(v any) int { return numberOf(v, t.index, &t.out.Values) }

// numberOf is the number of a value in a list that has each once, known by its form as JSON.
func numberOf(v any, known map[string]int, list *[]any) int {
	text := string(encoded(v))
	i, ok := known[text]
	if !ok {
		i = len(*list)
		known[text] = i
		*list = append(*list, v)
	}
	return i
}

func same(a, b any) bool {
	switch a := a.(type) {
	case GoroutineState:
		b, ok := b.(GoroutineState)
		return ok && a.At == b.At && a.Is == b.Is && a.Location == b.Location && a.Detail == b.Detail && slices.Equal(a.For, b.For)
	case ObjectState:
		b, ok := b.(ObjectState)
		return ok && a.Length == b.Length && a.Lost == b.Lost && a.Closed == b.Closed && a.Count == b.Count &&
			slices.Equal(a.Held, b.Held) && slices.Equal(a.Reading, b.Reading) && slices.Equal(a.Queue, b.Queue)
	}
	return a == b
}

// transition does what a transition of the model does to objects.
func (t *tracer) transition(tr orchestrate.Transition) {
	var sender, receiver *meeting
	for i, part := range tr.Parts {
		if tr.G[i] == "" {
			continue
		}
		template := t.stages.Templates[part.Process]
		edge, info := t.table.edges[template][part.Edge], t.p.side.Templates[template].Edges[part.Edge]
		g := t.goroutine(tr.G[i])
		for _, e := range edge.effects {
			t.effect(g, e, edge, info)
		}
		if edge.meets >= 0 && len(tr.Parts) > 1 {
			m := &meeting{g, edge, info}
			if edge.sends {
				sender = m
			} else {
				receiver = m
			}
		}
		t.signals(g, edge, info)
	}
	if sender != nil && receiver != nil {
		t.arrow(Arrow{
			Kind: ArrowMessage, From: sender.goroutine, FromStep: t.since(sender.goroutine), To: receiver.goroutine, ToStep: t.step,
			Object: sender.edge.meets, Text: t.sent(sender.edge, sender.info),
		})
	}
}

// meeting is one side of two goroutines that meet at a channel.
type meeting struct {
	goroutine int
	edge      edgeObjects
	info      artifact.EdgeInfo
}

// since is the step in which a goroutine has begun to wait, or this one.
func (t *tracer) since(g int) int {
	if n, ok := t.queued[g]; ok {
		return n
	}
	return t.step
}

func (t *tracer) arrow(a Arrow) {
	if a.From != a.To && a.From >= 0 && a.To >= 0 {
		t.out.Arrows = append(t.out.Arrows, a)
	}
}

// signals notes who lets others go on, and who goes on by that: those that wait for a counter or a
// signal, which is no lock that is handed over.
func (t *tracer) signals(g int, edge edgeObjects, info artifact.EdgeInfo) {
	if len(edge.objects) == 0 {
		return
	}
	object := edge.objects[0]
	site, _ := t.p.side.Site(info.Site)
	switch kind := sites.Named(site.Kind); kind {
	case sites.WaitGroupDone, sites.WaitGroupAdd, sites.CondSignal, sites.CondBroadcast:
		t.given[object] = act{g, t.step}
	case sites.WaitGroupWait, sites.CondWait:
		_, waited := t.queued[g]
		if from, ok := t.given[object]; ok && waited && info.Role != artifact.RoleCommit {
			t.arrow(Arrow{Kind: ArrowWake, From: from.goroutine, FromStep: from.step, To: g, ToStep: t.step, Object: object})
		}
	}
}

// effect does what an edge does to an object.
func (t *tracer) effect(g int, e effect, edge edgeObjects, info artifact.EdgeInfo) {
	o := t.objects[e.object]
	switch e.what {
	case "locked", "held", "state":
		switch {
		case e.known && e.value == 1:
			t.takes(g, e.object)
			o.Held = []int{g}
		case e.known:
			o.Held = nil
			t.given[e.object] = act{g, t.step}
		}
	case "readers":
		if e.delta > 0 {
			t.takes(g, e.object)
			o.Reading = append(o.Reading, g)
		} else if i := max(slices.Index(o.Reading, g), 0); e.delta < 0 && i < len(o.Reading) {
			o.Reading = slices.Delete(o.Reading, i, i+1)
			t.given[e.object] = act{g, t.step}
		}
	case "len":
		t.buffer(g, e, edge, info)
	}
}

// takes notes that a goroutine takes a lock, which another one may have given back.
func (t *tracer) takes(g, object int) {
	t.taken[act{g, t.step}] = object
	if from, ok := t.given[object]; ok {
		t.arrow(Arrow{Kind: ArrowLock, From: from.goroutine, FromStep: from.step, To: g, ToStep: t.step, Object: object})
	}
}

// buffer puts a message into the buffer of a channel, or takes one out. Where the model knows the
// length it assigns that.
func (t *tracer) buffer(g int, e effect, edge edgeObjects, info artifact.EdgeInfo) {
	o := t.objects[e.object]
	if e.known {
		e.delta = e.value - o.Length
	}
	switch {
	case e.delta == 1:
		o.Queue = append(o.Queue, Message{t.sent(edge, info), g, t.step})
		o.Length++
	case e.delta == -1 && o.Length > 0:
		o.Length--
		// What is not in the queue was lost before what is.
		if len(o.Queue) > o.Length {
			m := o.Queue[0]
			o.Queue = slices.Clone(o.Queue[1:])
			t.arrow(Arrow{Kind: ArrowMessage, From: m.By, FromStep: m.Step, To: g, ToStep: t.step, Object: e.object, Text: m.Text})
		}
	}
}

// sent is the message of an edge: its value, or what the source says.
func (t *tracer) sent(edge edgeObjects, info artifact.EdgeInfo) string {
	if edge.message != "" {
		return edge.message
	}
	site, _ := t.p.side.Site(info.Site)
	if site.Kind != sites.Send.String() {
		return ""
	}
	return short(sentExpression(site.Text))
}

// sentExpression is what is sent in a source line, "" where the line does not say it. A line may be
// a part of a statement, so that it is scanned, and not parsed.
func sentExpression(line string) string {
	to := explain.Operand(sites.Send, line)
	if to == "" {
		return ""
	}
	arrows := map[int]bool{} // where what stands in front of them sends by them
	for _, at := range regexp.MustCompile(regexp.QuoteMeta(to)+`\s*<-`).FindAllStringIndex(line, -1) {
		arrows[at[1]-len("<-")] = true
	}
	file := token.NewFileSet().AddFile("", -1, len(line))
	var scan scanner.Scanner
	scan.Init(file, []byte(line), nil, 0)
	begin, end, depth := -1, 0, 0
	for {
		pos, tok, text := scan.Scan()
		at := file.Offset(pos)
		if begin < 0 {
			if tok == token.ARROW && arrows[at] {
				begin = at + len("<-")
				end = begin
			} else if tok == token.EOF {
				return ""
			}
			continue
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if tok == token.EOF || depth < 0 || depth == 0 && (tok == token.SEMICOLON || tok == token.COLON) {
			return strings.TrimSpace(line[begin:end])
		}
		end = min(at+len(cmp.Or(text, tok.String())), len(line))
	}
}

// alternatives are what could have been done in place of a step.
func (t *tracer) alternatives(s artifact.FindingStep) int {
	var out []int
	before, after := &t.stages.Stages[t.step-1], &t.stages.Stages[t.step]
	waits := map[string]bool{}
	for _, st := range before.Standing {
		waits[st.G] = st.Queued
	}
	for _, tr := range t.stages.Enabled(t.step - 1) {
		if slices.ContainsFunc(after.Done, func(d orchestrate.Transition) bool { return sameParts(d, tr) }) {
			continue
		}
		a, ok := t.alternative(tr, waits)
		if !ok || a == (Alternative{t.goroutine(s.G), t.p.step(s), caseText(s.Operation, s.Case, t.p.byKey[s.Site].Cases), a.With}) {
			continue
		}
		i, known := t.altIndex[a]
		if !known {
			i = len(t.out.Alternatives)
			t.altIndex[a] = i
			t.out.Alternatives = append(t.out.Alternatives, a)
		}
		if slices.Contains(out, i) {
			continue
		}
		if len(out) == maxOthers {
			out = append(out, -1)
			break
		}
		out = append(out, i)
	}
	if len(out) == 0 {
		return 0
	}
	key := fmt.Sprint(out)
	if t.sets[key] == 0 {
		t.out.AlternativeSets = append(t.out.AlternativeSets, out)
		t.sets[key] = len(t.out.AlternativeSets)
	}
	return t.sets[key]
}

func sameParts(a, b orchestrate.Transition) bool {
	return slices.EqualFunc(a.Parts, b.Parts, func(x, y check.Part) bool { return x.Process == y.Process && x.Edge == y.Edge })
}

// alternative is what a transition is to the program; false if it is no step.
func (t *tracer) alternative(tr orchestrate.Transition, waits map[string]bool) (Alternative, bool) {
	out := Alternative{Goroutine: -1, Site: -1, With: -1}
	found := false
	for i, part := range tr.Parts {
		info := t.p.side.Templates[t.stages.Templates[part.Process]].Edges[part.Edge]
		switch {
		case info.Role == artifact.RoleTime && !found:
			found = true
		case tr.G[i] == "" || info.Role == artifact.RoleBirth || info.Role == artifact.RoleLocal:
		case out.Goroutine < 0 && !waits[tr.G[i]] && info.Role != artifact.RoleWake:
			site, _ := t.p.side.Site(info.Site)
			out.Goroutine, out.Site, out.Case, found = t.goroutine(tr.G[i]), t.p.siteOf(info.Site), caseText(site.Kind, info.Case, site.Cases), true
		default:
			out.With = t.goroutine(tr.G[i])
		}
	}
	return out, found
}

// name says what objects are called in the program, and in which automata goroutines are, and
// leaves out the objects that nothing is known of.
func (t *tracer) name() {
	for g, template := range t.processes {
		t.out.Goroutines[g].Automaton = template
	}
	for i, v := range t.out.Variables {
		if v.Process != "" {
			t.out.Variables[i].Goroutines = t.played[v.Process]
		}
	}
	for i := range t.out.Goroutines {
		o := &t.out.Goroutines[i]
		o.Name = short(explain.Goroutine(t.finding, o.Name))
	}
	t.out.Objects = t.table.objects
	for template, edges := range t.table.edges {
		for k, e := range edges {
			site, _ := t.p.side.Site(t.p.side.Templates[template].Edges[k].Site)
			x := explain.Operand(sites.Named(site.Kind), site.Text)
			if x == "" || len(e.objects) == 0 || site.Kind == sites.CondWait.String() && t.out.Objects[e.objects[0]].Kind != Condition {
				continue
			}
			if o := &t.out.Objects[e.objects[0]]; !slices.Contains(o.Called, x) {
				o.Called = append(slices.Clone(o.Called), short(x))
			}
		}
	}
	t.made()
	if t.out.Objects == nil {
		t.out.Objects = []Object{}
	}
}

// made says where objects were made.
func (t *tracer) made() {
	for _, o := range explain.Made(t.finding) {
		i, ok := t.runs[o.Object]
		if !ok {
			i, ok = t.inModel(o.Object)
		}
		if ok {
			at := fmt.Sprintf("%s:%d", o.File, o.Line)
			if o.Variable != "" {
				at += " (" + o.Variable + ")"
			}
			t.out.Objects[i].Made, t.out.Objects[i].Run = short(at), short(o.Object)
		}
	}
}

// inModel is the object of the model with a name of the run, of which nothing else is known: that on which the model
// has worked in a step in which the run has worked on it.
func (t *tracer) inModel(name string) (int, bool) {
	for i, s := range t.steps[:min(len(t.steps), t.out.Shown)] {
		if s.Object != name {
			continue
		}
		for _, tr := range t.stages.Stages[i+1].Done {
			for k, part := range tr.Parts {
				template := t.stages.Templates[part.Process]
				edge, site := t.table.edges[template][part.Edge], t.p.side.Templates[template].Edges[part.Edge].Site
				if tr.G[k] == s.G && site == t.p.byKey[s.Site].ID && len(edge.objects) > 0 && t.out.Objects[edge.objects[0]].Run == "" {
					return edge.objects[0], true
				}
			}
		}
	}
	return 0, false
}
