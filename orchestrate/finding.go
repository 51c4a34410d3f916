package orchestrate

import (
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orcutil"
)

// Interleaving is a plan in the words of the program.
func Interleaving(side *artifact.Sidecar, plan artifact.Plan) []artifact.FindingStep {
	sites := SitesByKey(side)
	out := []artifact.FindingStep{}
	for i, s := range plan.Steps {
		f := artifact.FindingStep{Step: i + 1, G: s.G, Site: s.Site, Case: s.Case, Operation: "time passes"}
		if s.G != timeStep {
			site := sites[s.Site]
			f.Operation, f.File, f.Line, f.Text = site.Kind, site.File, site.Line, site.Text
		}
		out = append(out, f)
	}
	return out
}

// Goroutines are the goroutines that matter at the end of a plan: those that
// are expected to be stuck, or to end the program. With a verdict they have the
// state in which they were seen.
func Goroutines(side *artifact.Sidecar, plan artifact.Plan, v *Verdict) []artifact.FindingGoroutine {
	sites := SitesByKey(side)
	out := []artifact.FindingGoroutine{}
	for _, at := range plan.Expect.Goroutines {
		out = append(out, goroutineAt(sites, at))
	}
	if v == nil {
		return out
	}
	for i := range out {
		for _, g := range v.Goroutines {
			if g.G == out[i].G {
				out[i].State, out[i].Object, out[i].Stack = g.State, g.Object, g.Stack
			}
		}
		if out[i].G == v.G && len(v.Stack) > 0 {
			out[i].Stack = v.Stack
		}
	}
	return out
}

func goroutineAt(sites map[string]artifact.Site, at artifact.At) artifact.FindingGoroutine {
	s := sites[at.Site]
	return artifact.FindingGoroutine{
		G: at.G, Site: at.Site, Operation: s.Kind, Func: s.Func, File: s.File, Line: s.Line, Text: s.Text,
	}
}

// Accesses are the two sides of a data race, in their order.
func Accesses(side *artifact.Sidecar, r orcutil.Race) []artifact.FindingGoroutine {
	sites := SitesByKey(side)
	var out []artifact.FindingGoroutine
	for _, a := range []orcutil.RaceAccess{r.First, r.Second} {
		g := goroutineAt(sites, artifact.At{G: a.G, Site: a.Site})
		g.Operation = a.Op
		for _, frame := range a.Stack {
			if !strings.Contains(frame, "."+driverTest+".") {
				g.Stack = append(g.Stack, frame)
			}
		}
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
