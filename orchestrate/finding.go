package orchestrate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/explain"
	"github.com/vtrace/vtrace/orcutil"
	"github.com/vtrace/vtrace/sites"
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

// AddResults adds to steps what their operations have given in a run that has done them, among others, how they have
// left what they work on, and whether they could not be done at once.
func AddResults(steps []artifact.FindingStep, v *Verdict) {
	given := map[int]string{} // by step of the run
	effects := map[int]orcutil.Effect{}
	for _, e := range v.Effects {
		effects[e.Step-1] = e
	}
	for _, o := range v.Given {
		given[o.Step-1] = o.Value
	}
	for i, k := range matched(steps, v.Trace) {
		if k < 0 {
			continue
		}
		s := &steps[i]
		s.Result, s.Waits = given[k], slices.Contains(v.Waited, k+1)
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

// AddOwed notes of goroutines that wait for a WaitGroup which calls of Done others have not come to: those in
// functions that they were in, and the ends of those that a WaitGroup has started. The object of a call that was
// not made is not known, but for its name in the program. So nothing is noted if there are more such calls than
// the counter says.
func AddOwed(side *artifact.Sidecar, steps []artifact.PlanStep, goroutines []artifact.FindingGoroutine) {
	byKey := SitesByKey(side)
	found := artifact.Finding{Interleaving: Interleaving(side, artifact.Plan{Steps: steps}, nil)}
	passed, functions := map[artifact.At]bool{}, map[string]map[string]bool{}
	in := func(g, function string) {
		if functions[g] == nil {
			functions[g] = map[string]bool{}
		}
		functions[g][function] = true
	}
	for _, s := range steps {
		passed[artifact.At{G: s.G, Site: s.Site}] = true
		if site := byKey[s.Site]; site.Kind != sites.Start.String() { // which is in the function of the go statement
			in(s.G, site.Func)
		}
	}
	for _, g := range goroutines {
		in(g.G, g.Func)
		for _, frame := range g.Stack {
			function, _, _ := strings.Cut(frame, " ")
			in(g.G, function)
		}
	}
	done := slices.DeleteFunc(slices.Clone(side.Sites), func(s artifact.Site) bool { return s.Kind != sites.WaitGroupDone.String() })
	for i := range goroutines {
		w := &goroutines[i]
		name := lastName(explain.Operand(sites.WaitGroupWait, w.Text))
		if w.State != artifact.StateBlocked || w.Counter <= 0 || name == "" {
			continue
		}
		var owed []artifact.FindingAct
		add := func(g string, s artifact.Site) {
			if lastName(explain.Operand(sites.Named(s.Kind), s.Text)) == name {
				owed = append(owed, artifact.FindingAct{G: g, Site: s.Key, Operation: s.Kind, Object: w.Object, File: s.File, Line: s.Line, Text: s.Text})
			}
		}
		for _, g := range goroutines {
			if g.G == w.G {
				continue
			}
			if s, ok := explain.Started(found, g.G); ok && s.Operation == sites.WaitGroupGo.String() && g.State != artifact.StateFinished && g.State != artifact.StatePanicked {
				add(g.G, byKey[s.Site])
			}
			for _, s := range done {
				if functions[g.G][s.Func] && !passed[artifact.At{G: g.G, Site: s.Key}] {
					add(g.G, s)
				}
			}
		}
		if len(owed) <= w.Counter {
			w.Owed = owed
		}
	}
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
		key, given := strings.CutPrefix(g.G, artifact.CallbackPrefix)
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
	act := func(a orcutil.Act) artifact.FindingAct {
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
func Accesses(side *artifact.Sidecar, r orcutil.Race) []artifact.FindingGoroutine {
	byKey := SitesByKey(side)
	var out []artifact.FindingGoroutine
	for _, a := range []orcutil.RaceAccess{r.First, r.Second} {
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
