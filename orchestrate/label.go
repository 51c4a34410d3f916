package orchestrate

import (
	"strconv"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/uppaal"
)

// LabelOf returns the labels of the edges of a network for check.Options: the
// choices of the scheduler that a plan is made of, as "process@site/case". An
// edge into a sink has the sink at the end ("!panic"), so that the same choice
// with and without the error can be told apart. Other edges have none.
func LabelOf(side *artifact.Sidecar, net *uppaal.Network) func(p *uppaal.Process, edge int) check.Label {
	templates := map[*uppaal.Template]int{}
	locations := map[*uppaal.Location]int{}
	for i, t := range net.Templates {
		templates[t] = i
		for k, l := range t.Locations {
			locations[l] = k
		}
	}
	return func(p *uppaal.Process, edge int) check.Label {
		t, ok := templates[p.Template]
		if !ok || t >= len(side.Templates) || edge >= len(side.Templates[t].Edges) {
			return ""
		}
		end := ""
		if k := locations[p.Template.Edges[edge].To]; k < len(side.Templates[t].Locations) {
			end = side.Templates[t].Locations[k].End
		}
		return label(side, p.Name, side.Templates[t].Edges[edge], end)
	}
}

// Labels are the labels of the first n steps of a trace, as LabelOf gives them.
func Labels(side *artifact.Sidecar, tr *artifact.Trace, n int) []check.Label {
	var out []check.Label
	for _, step := range tr.Steps[:min(n, len(tr.Steps))] {
		for _, part := range step.Parts {
			if part.Template < 0 || part.Template >= len(side.Templates) {
				continue
			}
			t := side.Templates[part.Template]
			if part.Edge < 0 || part.Edge >= len(t.Edges) {
				continue
			}
			end := ""
			for _, l := range t.Locations {
				if l.Name == part.To {
					end = l.End
				}
			}
			if l := label(side, part.Process, t.Edges[part.Edge], end); l != "" {
				out = append(out, l)
			}
		}
	}
	return out
}

func label(side *artifact.Sidecar, process string, e artifact.EdgeInfo, end string) check.Label {
	sink := ""
	switch end {
	case endPanic, endFatal, endExit:
		sink = "!" + end
	}
	switch e.Role {
	case artifact.RoleOp, artifact.RoleCommit, artifact.RoleStart, artifact.RoleTime:
		return check.Label(process + "@" + siteOf(side, e.Site).Key + "/" + strconv.Itoa(e.Case) + sink)
	}
	if sink != "" {
		return check.Label(process + sink)
	}
	return ""
}

// siteOf returns a site by its number, the zero Site if there is none.
func siteOf(side *artifact.Sidecar, id int) artifact.Site {
	if id > 0 && id < len(side.Sites) && side.Sites[id].ID == id {
		return side.Sites[id]
	}
	for _, s := range side.Sites {
		if s.ID == id && id != 0 {
			return s
		}
	}
	return artifact.Site{}
}

// Refute says what a replay that did not reproduce the error has taught: the
// labels up to the step that the program did not follow. It is false if the
// verdict teaches nothing.
func Refute(side *artifact.Sidecar, tr *artifact.Trace, plan *artifact.Plan, v *Verdict) (artifact.Refutation, bool) {
	r := artifact.Refutation{Query: tr.Query, Step: v.Step, Reason: v.Reason}
	n := len(tr.Steps)
	switch v.Status {
	case Infeasible:
		if v.Step < 1 || v.Step > len(plan.Steps) {
			return r, false
		}
		n = plan.Steps[v.Step-1].Trace + 1
	case NotReproduced:
		// The labels name the sink, if there is one: then only paths into it
		// are refuted. Else this may refute more.
		r.Weak = true
		for _, at := range tr.Final {
			switch locationOf(side, at).End {
			case endPanic, endFatal, endExit:
				r.Weak = false
			}
		}
	default:
		return r, false
	}
	if v.Weak {
		r.Weak = true
	}
	for _, l := range Labels(side, tr, n) {
		r.Labels = append(r.Labels, string(l))
	}
	return r, len(r.Labels) > 0
}
