package orchestrate

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
)

// Refute says what a replay that did not reproduce the error has taught: labels
// that no path of the program begins with. It is false if the verdict teaches
// nothing.
//
// The labels end where the program is known to differ. If a goroutine does not
// stand where the plan wants it, that is where it arrived, in the last step it
// took part in; if it stands there but its operation does not complete, it is
// that operation.
func (l *Labels) Refute(tr *artifact.Trace, plan *artifact.Plan, v *Verdict) (artifact.Refutation, bool) {
	r := artifact.Refutation{Query: tr.Query, Step: v.Step, Reason: v.Reason, Weak: v.Weak}
	step, part := len(tr.Steps)-1, -1
	switch v.Status {
	case Infeasible:
		if v.Step < 1 || v.Step > len(plan.Steps) {
			return r, false
		}
		want := plan.Steps[v.Step-1]
		step = want.Trace
		if site, ok := v.stands(want.G); ok && site != want.Site {
			if j, k, ok := l.arrived(tr, want.Process, step); ok {
				step, part = j, k
			}
		}
	case NotReproduced:
		j, k, ok := l.elsewhere(tr, plan, v)
		switch {
		case ok:
			step, part = j, k
		case !l.ends(tr):
			// Paths through the same steps may be in error later.
			r.Weak = true
		}
	default:
		return r, false
	}
	r.Labels = l.prefix(tr, step, part)
	r.Unexplained = !l.approximate(tr, step)
	return r, len(r.Labels) > 0
}

// Left is the last part of a trace that the labels of a refutation of it name: what
// the program does otherwise. It is false if they name none.
func (l *Labels) Left(tr *artifact.Trace, r artifact.Refutation) (artifact.Part, bool) {
	n := 0
	for _, s := range tr.Steps {
		for _, p := range s.Parts {
			if l.label(p.Process, p.Template, p.Edge) == "" {
				continue
			}
			if n++; n == len(r.Labels) {
				return p, true
			}
		}
	}
	return artifact.Part{}, false
}

// stands is the site at which a goroutine stood when the run left the plan, ""
// if it had finished. It is false if that is not known.
func (v *Verdict) stands(g string) (site string, ok bool) {
	for _, state := range v.Goroutines {
		if state.G == g {
			return state.Site, state.State != "outside"
		}
	}
	return "", false
}

// arrived finds the last part of a process before a step. It is false if the
// labels do not say where that part leads: it is the birth, or there is none.
func (l *Labels) arrived(tr *artifact.Trace, process string, before int) (step, part int, ok bool) {
	for i := before - 1; i >= 0 && process != ""; i-- {
		for k := len(tr.Steps[i].Parts) - 1; k >= 0; k-- {
			if p := tr.Steps[i].Parts[k]; p.Process == process {
				return i, k, l.label(process, p.Template, p.Edge) != ""
			}
		}
	}
	return 0, 0, false
}

// elsewhere finds a goroutine that was expected to be stuck at a site at which
// it did not arrive, and the part of the trace that says it did.
func (l *Labels) elsewhere(tr *artifact.Trace, plan *artifact.Plan, v *Verdict) (step, part int, ok bool) {
	if !stuckKind(plan.Expect.Kind) || len(v.Trace) < len(plan.Steps) {
		return 0, 0, false
	}
	byKey := SitesByKey(l.side)
	for _, at := range plan.Expect.Goroutines {
		site, known := v.stands(at.G)
		// What it did next, once the plan was done, tells where it stood.
		for _, s := range v.Trace[len(plan.Steps):] {
			if s.G == at.G {
				site, known = s.Site, true
				break
			}
		}
		exit := byKey[at.Site].Kind == sites.Exit.String()
		if exit && slices.ContainsFunc(v.Trace, func(s artifact.PlanStep) bool { return s.G == at.G && s.Site == at.Site }) {
			continue // it has ended there, by runtime.Goexit
		}
		if known && site != at.Site {
			if j, k, ok := l.arrived(tr, at.Process, len(tr.Steps)); ok {
				return j, k, true
			}
		}
	}
	return 0, 0, false
}

// ends reports whether a trace leads into a sink, which its labels name.
func (l *Labels) ends(tr *artifact.Trace) bool {
	for _, at := range tr.Final {
		if sidecar.End(locationOf(l.side, at).End).Crash() {
			return true
		}
	}
	return false
}
