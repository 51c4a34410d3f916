package orchestrate

import (
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orcutil"
	"github.com/vtrace/vtrace/sites"
)

// Interleaving is a plan in the words of the program.
func Interleaving(side *artifact.Sidecar, plan artifact.Plan) []artifact.FindingStep {
	byKey := SitesByKey(side)
	out := []artifact.FindingStep{}
	for i, s := range plan.Steps {
		f := artifact.FindingStep{Step: i + 1, G: s.G, Site: s.Site, Case: s.Case, Operation: "time passes"}
		if s.G != timeStep {
			site := byKey[s.Site]
			f.Operation, f.File, f.Line, f.Text = operation(site.Kind), site.File, site.Line, site.Text
		}
		out = append(out, f)
	}
	return out
}

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
		G: at.G, Site: at.Site, Operation: s.Kind, Func: s.Func, File: s.File, Line: s.Line, Text: s.Text,
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
