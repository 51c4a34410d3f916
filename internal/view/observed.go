package view

import (
	"maps"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

// observed is what is different behind a step of which only is known that it was done.
func (t *tracer) observed(s artifact.FindingStep, g, site int) State {
	changes := known{}
	if t.step == t.out.Shown+1 {
		t.forget(changes)
	}
	if g >= 0 {
		changes[goroutineKey(g)] = GoroutineState{At: site, Is: Past}
	}
	for _, h := range t.takenAt(t.step) {
		o := t.runObject(h)
		t.taken[act{g, t.step}] = o
		t.holds(changes, o, g, h.Operation)
	}
	return t.change(changes)
}

// forget keeps of the state of the model what may still be so: who there is.
func (t *tracer) forget(changes known) {
	for key, v := range t.now {
		changes[key] = nil
		if g, ok := v.(GoroutineState); ok {
			changes[key] = GoroutineState{At: g.At, Is: Past}
		}
	}
}

// lastAt is the last step in which a goroutine passes a site, 0 if there is none.
func (t *tracer) lastAt(g, site string) int {
	if t.passed == nil {
		t.passed = map[artifact.At]int{}
		for i, s := range t.steps {
			t.passed[artifact.At{G: s.G, Site: s.Site}] = i + 1
		}
	}
	return t.passed[artifact.At{G: g, Site: site}]
}

// takenAt are the locks that goroutines hold at the end, and have taken in a step.
func (t *tracer) takenAt(step int) []artifact.FindingAct {
	if t.kept == nil {
		t.kept = map[int][]artifact.FindingAct{}
		for _, f := range t.finding.Goroutines {
			for _, h := range f.Holds {
				n := t.lastAt(h.G, h.Site)
				t.kept[n] = append(t.kept[n], h)
			}
		}
	}
	return t.kept[step]
}

// runObject is the object that a goroutine has taken in a run: the one that it has taken in the
// model at that place, if the model was followed there.
func (t *tracer) runObject(h artifact.FindingAct) int {
	if i, ok := t.taken[act{t.goroutine(h.G), t.lastAt(h.G, h.Site)}]; ok {
		if _, named := t.runs[h.Object]; !named {
			t.runs[h.Object] = i
			t.table.objects[i].Run = short(h.Object)
		}
	}
	return t.runNamed(h.Object)
}

// runNamed is the object with a name of the run.
func (t *tracer) runNamed(name string) int {
	if i, ok := t.runs[name]; ok {
		return i
	}
	i := len(t.table.objects)
	t.runs[name] = i
	t.table.objects = append(t.table.objects, Object{Name: short(name), Kind: runKind(name), Run: short(name)})
	t.objects = append(t.objects, &ObjectState{})
	return i
}

// runKind is the kind of an object by its name in the run, as "mutex#1".
func runKind(name string) string {
	kind, _, _ := strings.Cut(name, "#")
	for _, k := range []string{Mutex, RWMutex, WaitGroup, Once, Condition} {
		if kind == k {
			return k
		}
	}
	return Channel
}

// holds notes in a state that a goroutine holds an object.
func (t *tracer) holds(changes known, object, g int, operation string) {
	key := objectKey(object)
	o, _ := t.with(changes, key).(ObjectState)
	o = *o.clone()
	reads := operation == sites.RLock.String() || operation == sites.RLock.RunWord()
	switch {
	case reads && !slices.Contains(o.Reading, g):
		o.Reading = append(o.Reading, g)
	case !reads && !slices.Contains(o.Held, g):
		o.Held = append(o.Held, g)
	}
	changes[key] = o
}

// end makes the last state what is known of the end: what a run has shown there, or else that who
// can do nothing in the model waits.
func (t *tracer) end() {
	changes := known{}
	if t.out.From == FromRun {
		t.seen(changes)
	} else if t.stages != nil && t.out.Shown == len(t.steps) {
		t.stuck(changes)
	}
	set := t.change(changes)
	if n := len(t.out.Steps); n > 0 {
		if t.out.Steps[n-1].Set == nil {
			t.out.Steps[n-1].Set = State{}
		}
		maps.Copy(t.out.Steps[n-1].Set, set)
	} else {
		maps.Copy(t.out.Start, set)
	}
}

// stuck has goroutines wait that are in front of an operation which the model cannot do.
func (t *tracer) stuck(changes known) {
	n := len(t.stages.Stages) - 1
	last, can := t.stages.Stages[n], map[string]bool{}
	for _, tr := range t.stages.Enabled(n) {
		for _, g := range tr.G {
			can[g] = true
		}
	}
	for _, s := range last.Standing {
		template := t.stages.Templates[s.Process]
		at := t.p.side.Templates[template].Locations[s.Location]
		key := goroutineKey(t.goroutine(s.G))
		if state, ok := t.now[key].(GoroutineState); ok && state.Is == Ready && at.Blocking && !can[s.G] {
			state.Is, state.For = Waits, t.waitsFor(template, s.Location, at.Site)
			changes[key] = state
		}
	}
}

// seen takes over what a run has shown at its end.
func (t *tracer) seen(changes known) {
	seen := map[int]bool{} // objects that are known from the run
	for _, f := range t.finding.Goroutines {
		g := t.goroutine(f.G)
		if g < 0 {
			continue
		}
		if state, ok := t.endState(f, g); ok {
			changes[goroutineKey(g)] = state
			t.out.Seen = true
		}
		for _, h := range f.Holds {
			o := t.runObject(h)
			if !seen[o] {
				seen[o] = true
				old, _ := t.with(changes, objectKey(o)).(ObjectState)
				old.Held, old.Reading = nil, nil
				changes[objectKey(o)] = old
			}
			t.holds(changes, o, t.goroutine(h.G), h.Operation)
		}
		if o := t.waiting(f); o >= 0 && f.Operation == sites.WaitGroupWait.String() {
			old, _ := t.with(changes, objectKey(o)).(ObjectState)
			old.Count = f.Counter
			changes[objectKey(o)] = old
		}
	}
}

// endState is how a goroutine stood at the end of a run; false if that was not seen.
func (t *tracer) endState(f artifact.FindingGoroutine, g int) (GoroutineState, bool) {
	old, known := t.now[goroutineKey(g)].(GoroutineState)
	out := GoroutineState{At: -1}
	if f.Site != "" || f.File != "" {
		out.At = t.p.goroutineSite(f)
	} else if known {
		out.At = old.At
	}
	switch f.State {
	case artifact.StateBlocked:
		out.Is = Waits
		if o := t.waiting(f); o >= 0 {
			out.For = []int{o}
		} else if known {
			out.For = old.For
		}
	case artifact.StateFinished:
		out.Is = Ended
	case artifact.StatePanicked, artifact.StateEnded:
		out.Is, out.Detail = Panicked, t.finding.Kind
	case artifact.StateAt, artifact.StateNotStarted:
		out.Is = Ready
	default:
		if t.finding.Kind != artifact.KindRace {
			return out, false
		}
		out.Is, out.Detail = Ready, f.Operation
	}
	if known && (old.At == out.At || out.Is == Ended || out.Is == Panicked) {
		out.Location = old.Location
	}
	return out, true
}

// waiting is the object that a goroutine waits for at the end, -1 if that is not one. The model
// says which of its objects that is, if it has the goroutine at the same place.
func (t *tracer) waiting(f artifact.FindingGoroutine) int {
	if f.State != artifact.StateBlocked || f.Object == "" || f.Operation == sites.Select.String() {
		return -1
	}
	g := t.goroutine(f.G)
	old, ok := t.now[goroutineKey(g)].(GoroutineState)
	if _, named := t.runs[f.Object]; ok && !named && old.Location > 0 && old.At == t.p.goroutineSite(f) {
		template := t.processes[g]
		site := t.p.side.Templates[template].Locations[old.Location-1].Site
		if objects := t.waitsFor(template, old.Location-1, site); len(objects) == 1 {
			t.runs[f.Object] = objects[0]
			t.table.objects[objects[0]].Run = short(f.Object)
		}
	}
	return t.runNamed(f.Object)
}
