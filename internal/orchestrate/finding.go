package orchestrate

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/sites"
)

// Interleaving is a plan in the words of the program. Stuck are the goroutines that cannot go on at its end:
// who is stuck in a select has taken none of its cases.
func Interleaving(side *artifact.Sidecar, plan artifact.Plan, stuck []artifact.At) []artifact.FindingStep {
	byKey := SitesByKey(side)
	last := map[string]int{} // steps of goroutines
	for i, s := range plan.Steps {
		last[s.G] = i
	}
	waits := map[int]bool{}
	for _, at := range stuck {
		if i, ok := last[at.G]; ok && plan.Steps[i].Site == at.Site {
			waits[i] = true
		}
	}
	out := []artifact.FindingStep{}
	for i, s := range plan.Steps {
		f := artifact.FindingStep{Step: i + 1, G: s.G, Site: s.Site, Case: s.Case, Operation: "time passes"}
		if s.G != timeStep {
			site := byKey[s.Site]
			f.Operation, f.File, f.Line, f.Text = operation(site.Kind), site.File, site.Line, site.Text
			if !waits[i] {
				f.Taken = explain.Taken(site.Cases, s.Case)
			}
		}
		out = append(out, f)
	}
	return out
}

// maxPassed is how many atomic operations that a plan does not name are told of.
const maxPassed = 100

// Passed are the steps of a run that followed a plan: those of the plan, what followed behind, and in between
// the atomic operations, which a plan leaves out where nobody has to stop at them. Of one that comes again
// and again, as in a loop that waits for it, the first is told of, and nothing of them where they are many.
func Passed(side *artifact.Sidecar, plan, trace []artifact.PlanStep) []artifact.PlanStep {
	byKey := SitesByKey(side)
	same := func(a, b artifact.PlanStep) bool { return a.G == b.G && a.Site == b.Site }
	var out []artifact.PlanStep
	next, atomics := 0, 0
	for i, s := range trace {
		switch {
		case next == len(plan):
			out = append(out, s)
		case same(s, plan[next]):
			out = append(out, plan[next])
			next++
		case byKey[s.Site].Kind == sites.Atomic.String() && !(i > 0 && same(s, trace[i-1])):
			out = append(out, s)
			atomics++
		}
	}
	switch {
	case next < len(plan): // it was not followed step by step
		return plan
	case atomics > maxPassed:
		return append(slices.Clone(plan), out[len(plan)+atomics:]...)
	}
	return out
}

// AddResults adds to steps what their operations have given in a run that has done them, among others, what they have
// read, how they have left what they work on, and whether they could not be done at once.
func AddResults(steps []artifact.FindingStep, v *Verdict) {
	given := map[int]string{} // by step of the run
	effects := map[int]orcruntime.Effect{}
	for _, e := range v.Effects {
		effects[e.Step-1] = e
	}
	for _, o := range v.Given {
		given[o.Step-1] = o.Value
	}
	reads := map[int][]artifact.FindingRead{}
	for _, r := range v.Reads {
		reads[r.Step-1] = append(reads[r.Step-1], artifact.FindingRead{Name: r.Name, Value: r.Value})
	}
	waited := map[int]bool{}
	for _, step := range v.Waited {
		waited[step-1] = true
	}
	for i, k := range matched(steps, v.Trace) {
		if k < 0 {
			continue
		}
		s := &steps[i]
		s.Reads = reads[k]
		s.Result, s.Waits = given[k], waited[k]
		s.Object, s.After = effects[k].Object, effects[k].After
	}
}

// Stuck are the goroutines that cannot go on at the end of a plan, as far as it expects that.
func Stuck(plan artifact.Plan) []artifact.At {
	switch plan.Expect.Kind {
	case artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak:
		return plan.Expect.Goroutines
	}
	return nil
}

// StuckAt are those of the goroutines that a run has shown to be stuck.
func StuckAt(goroutines []artifact.FindingGoroutine) []artifact.At {
	var out []artifact.At
	for _, g := range goroutines {
		if g.State == artifact.StateBlocked {
			out = append(out, artifact.At{G: g.G, Site: g.Site})
		}
	}
	return out
}

// maxOwed is how many operations on a channel are told of that others have not come to: more are no explanation.
const maxOwed = 2

// AddOwed notes of goroutines that wait what would let them go on and others have not come to, in a run with these
// steps: of a WaitGroup calls of Done, and the ends of those that it has started, and of a channel the operations on the
// other side. Others are looked for in the functions that goroutines were in. The object of a call that was not made is
// not known, but for its name in the program. So nothing is noted if there are more than a counter says, or than tell
// anything.
func AddOwed(side *artifact.Sidecar, steps []artifact.FindingStep, goroutines []artifact.FindingGoroutine) {
	o := &owing{byKey: SitesByKey(side), side: side, goroutines: goroutines, passed: map[artifact.At]bool{}, count: map[string]int{}, functions: map[string]map[string]bool{}, started: map[string]artifact.FindingStep{}}
	for i := range steps {
		o.step(&steps[i])
	}
	for _, g := range goroutines {
		o.stands(g)
	}
	for i := range goroutines {
		w := &goroutines[i]
		kind := sites.Named(w.Operation)
		if w.State != artifact.StateBlocked {
			continue
		}
		switch name := lastName(explain.Operand(kind, w.Text)); {
		case name == "":
		case kind == sites.WaitGroupWait && w.Counter > 0:
			w.Owed = o.toGroup(w, name)
		case kind == sites.Send:
			w.Owed = o.toChannel(w, name, sites.Recv, sites.Range)
		case kind == sites.Recv || kind == sites.Range:
			w.Owed = o.toChannel(w, name, sites.Send, sites.Close)
		}
	}
}

// owing is what AddOwed knows.
type owing struct {
	byKey      map[string]artifact.Site
	side       *artifact.Sidecar
	goroutines []artifact.FindingGoroutine
	passed     map[artifact.At]bool
	functions  map[string]map[string]bool      // that goroutines were in
	started    map[string]artifact.FindingStep // by which step, by creation path
	count      map[string]int                  // of goroutines that were started, by the one that has
}

func (o *owing) in(g, function string) {
	if o.functions[g] == nil {
		o.functions[g] = map[string]bool{}
	}
	o.functions[g][function] = true
}

func (o *owing) step(s *artifact.FindingStep) {
	o.passed[artifact.At{G: s.G, Site: s.Site}] = true
	site := o.byKey[s.Site]
	if site.Kind != sites.Start.String() { // which is in the function of the go statement
		o.in(s.G, site.Func)
	}
	if sites.Named(site.Kind).StartsGoroutine() {
		o.count[s.G]++
		o.started[s.G+"."+strconv.Itoa(o.count[s.G])] = *s
	}
}

// stands notes the functions that a goroutine is in at the end: function literals by their places, since the
// instrumented program has other names for them.
func (o *owing) stands(g artifact.FindingGoroutine) {
	o.in(g.G, g.Func)
	for _, frame := range g.Stack {
		function, place, _ := strings.Cut(frame, " ")
		o.in(g.G, function)
		outer, _, literal := strings.Cut(function, ".func")
		for _, s := range o.side.Sites {
			if of, _, ok := strings.Cut(s.Func, "$"); literal && ok && of == outer && place == fmt.Sprintf("%s:%d", path.Base(s.File), s.Line) {
				o.in(g.G, s.Func)
			}
		}
	}
}

// missing are the operations of some kinds on what has a name that another goroutine has not come to.
func (o *owing) missing(w *artifact.FindingGoroutine, g artifact.FindingGoroutine, name string, kinds ...sites.Kind) (out []artifact.FindingAct) {
	for _, s := range o.side.Sites {
		if slices.Contains(kinds, sites.Named(s.Kind)) && o.functions[g.G][s.Func] && !o.passed[artifact.At{G: g.G, Site: s.Key}] && lastName(explain.Operand(sites.Named(s.Kind), s.Text)) == name {
			out = append(out, artifact.FindingAct{G: g.G, Site: s.Key, Operation: s.Kind, Object: w.Object, File: s.File, Line: s.Line, Text: s.Text})
		}
	}
	return out
}

// toGroup is what others owe to a WaitGroup: of those that it has started it is known, which may be all.
func (o *owing) toGroup(w *artifact.FindingGoroutine, name string) []artifact.FindingAct {
	var certain, all []artifact.FindingAct
	for _, g := range o.goroutines {
		if g.G == w.G {
			continue
		}
		s, ok := o.started[g.G]
		ended := g.State == artifact.StateFinished || g.State == artifact.StatePanicked
		if ok && s.Operation == sites.WaitGroupGo.String() && !ended && (s.Object == w.Object || s.Object == "" && lastName(explain.Operand(sites.WaitGroupGo, s.Text)) == name) {
			act := artifact.FindingAct{G: g.G, Site: s.Site, Operation: s.Operation, Object: w.Object, File: s.File, Line: s.Line, Text: s.Text}
			certain, all = append(certain, act), append(all, act)
		}
		all = append(all, o.missing(w, g, name, sites.WaitGroupDone)...)
	}
	switch {
	case len(certain) == w.Counter:
		return certain
	case len(all) > w.Counter:
		return nil
	}
	return all
}

// toChannel is what others owe to a channel, nil if there is more than tells anything.
func (o *owing) toChannel(w *artifact.FindingGoroutine, name string, kinds ...sites.Kind) (out []artifact.FindingAct) {
	for _, g := range o.goroutines {
		if g.G != w.G {
			out = append(out, o.missing(w, g, name, kinds...)...)
		}
	}
	if len(out) > maxOwed {
		return nil
	}
	return out
}

// AddStarts notes where goroutines were started in a run, and of those that a library has started where the function was
// given that they run.
func AddStarts(side *artifact.Sidecar, trace []artifact.PlanStep, goroutines []artifact.FindingGoroutine) {
	byKey := SitesByKey(side)
	act := func(g, key string) *artifact.FindingAct {
		s := byKey[key]
		return &artifact.FindingAct{G: g, Site: key, Operation: s.Kind, File: s.File, Line: s.Line, Text: s.Text}
	}
	starts, count := map[string]*artifact.FindingAct{}, map[string]int{}
	for _, s := range trace {
		if sites.Named(byKey[s.Site].Kind).StartsGoroutine() {
			count[s.G]++
			starts[s.G+"."+strconv.Itoa(count[s.G])] = act(s.G, s.Site)
		}
	}
	for i := range goroutines {
		g := &goroutines[i]
		key, given := strings.CutPrefix(g.G, goroutine.CallbackPrefix)
		if n := strings.LastIndexByte(key, '.'); given && n >= 0 && byKey[key[:n]].Key != "" {
			g.Started = act("", key[:n])
		} else {
			g.Started = starts[g.G]
		}
	}
}

// lastName is the last part of an expression, as "wg" of "s.wg".
func lastName(x string) string { return x[strings.LastIndexByte(x, '.')+1:] }

// operation is what findings call a kind of site.
func operation(kind string) string {
	switch kind {
	case sites.Stmt.String():
		return "access"
	case sites.Store.String():
		return "write"
	}
	return kind
}

// Goroutines are the goroutines that matter at the end of a plan: those that
// are expected to be stuck, or to end the program. With a verdict they have the
// state in which they were seen.
func Goroutines(side *artifact.Sidecar, plan artifact.Plan, v *Verdict) []artifact.FindingGoroutine {
	byKey := SitesByKey(side)
	out := []artifact.FindingGoroutine{}
	for _, at := range plan.Expect.Goroutines {
		out = append(out, goroutineAt(byKey, at))
	}
	if v == nil {
		return out
	}
	for i := range out {
		for _, g := range v.Goroutines {
			if g.G == out[i].G {
				g.describe(byKey, &out[i])
				out[i].Stack = g.Stack
			}
		}
		if out[i].G == v.G && len(v.Stack) > 0 {
			out[i].Stack = v.Stack
		}
	}
	return out
}

// Finding is the goroutine in the words of findings. The places are those of the sites with these
// keys.
func (g Goroutine) Finding(byKey map[string]artifact.Site) artifact.FindingGoroutine {
	f := goroutineAt(byKey, artifact.At{G: g.G, Site: g.Site})
	f.Operation = g.Op
	g.describe(byKey, &f)
	f.Stack = programFrames(g.Stack)
	return f
}

// programFrames are the frames of a stack but for those of the driver.
func programFrames(stack []string) (out []string) {
	for _, frame := range stack {
		if !strings.Contains(frame, "."+driverTest+".") {
			out = append(out, frame)
		}
	}
	return out
}

// describe says what a run has shown of a goroutine.
func (g Goroutine) describe(byKey map[string]artifact.Site, f *artifact.FindingGoroutine) {
	act := func(a orcruntime.Act) artifact.FindingAct {
		s := byKey[a.Site]
		return artifact.FindingAct{G: a.G, Site: a.Site, Operation: a.Op, Object: a.Object, File: s.File, Line: s.Line, Text: s.Text}
	}
	f.State, f.Object, f.Counter = g.State, g.Object, g.Counter
	for _, h := range g.Holds {
		f.Holds = append(f.Holds, act(h))
	}
	if g.Closed != nil {
		closed := act(*g.Closed)
		f.Closed = &closed
	}
}

func goroutineAt(byKey map[string]artifact.Site, at artifact.At) artifact.FindingGoroutine {
	s := byKey[at.Site]
	return artifact.FindingGoroutine{
		G: at.G, Site: at.Site, Operation: s.Kind, Func: s.Func, File: s.File, Line: s.Line, Text: s.Text, Cases: s.Cases,
	}
}

// Accesses are the two sides of a data race, in their order.
func Accesses(side *artifact.Sidecar, r orcruntime.Race) []artifact.FindingGoroutine {
	byKey := SitesByKey(side)
	var out []artifact.FindingGoroutine
	for _, a := range []orcruntime.RaceAccess{r.First, r.Second} {
		g := goroutineAt(byKey, artifact.At{G: a.G, Site: a.Site})
		g.Operation = a.Op
		g.Stack = programFrames(a.Stack)
		if a.What != "" {
			g.Operation += " of " + a.What
		}
		// A statement may have several lines.
		if i := strings.LastIndexByte(a.Source, ':'); i > 0 {
			if n, err := strconv.Atoi(a.Source[i+1:]); err == nil && (a.Source[:i] != g.File || n != g.Line) {
				g.File, g.Line, g.Text = a.Source[:i], n, ""
			}
		}
		out = append(out, g)
	}
	return out
}
