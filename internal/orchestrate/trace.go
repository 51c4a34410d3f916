package orchestrate

import (
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// TraceOf converts the checker's answer to a query into a trace of a bundle.
// Without a counterexample the trace has no steps.
func TraceOf(info *uppaal.Info, q artifact.Query, r check.Result) *artifact.Trace {
	out := &artifact.Trace{
		Formula: q.Formula,
		Comment: q.Description,
		Result:  r.Verdict.String(),
		Lines:   []string{},
		Query:   q.Number,
	}
	if r.Trace == nil {
		return out
	}
	for i, step := range r.Trace.Steps {
		s := artifact.Step{Parts: []artifact.Part{}}
		for _, part := range step.Parts {
			p := info.Processes[part.Process]
			e := p.Template.Edges[part.Edge]
			a := artifact.Part{
				Process: p.Name, Template: slices.Index(info.Network.Templates, p.Template), Edge: part.Edge,
				From: e.From.QueryName(), To: e.To.QueryName(),
			}
			for _, v := range part.Select {
				a.Select = append(a.Select, int(v))
			}
			s.Parts = append(s.Parts, a)
			out.Lines = append(out.Lines, fmt.Sprintf("%s: %s > %s", a.Process, a.From, a.To))
		}
		s.Vars = changes(r.Trace.States[i].Vars, r.Trace.States[i+1].Vars)
		out.Steps = append(out.Steps, s)
	}
	for i, loc := range r.Trace.States[len(r.Trace.States)-1].Locations {
		p := info.Processes[i]
		out.Final = append(out.Final, artifact.ProcessAt{
			Process:  p.Name,
			Template: slices.Index(info.Network.Templates, p.Template),
			Location: slices.Index(p.Template.Locations, loc),
		})
	}
	return out
}

// changes are the variables whose values differ; both lists are in one order.
func changes(before, after []check.VarValue) []artifact.Var {
	var out []artifact.Var
	for i, v := range after {
		if i >= len(before) || before[i] != v {
			out = append(out, artifact.Var{Name: v.Name, Value: int(v.Value)})
		}
	}
	return out
}
