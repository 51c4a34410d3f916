package orchestrate

import (
	"strconv"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Labels names the transitions of a model by what the program can be seen to
// do: who passes which guard with which case, and where that goroutine arrives.
// Two paths with the same labels are the same behaviour of the program, so what
// a replay has taught of one holds for the other.
type Labels struct {
	side  *artifact.Sidecar
	net   *uppaal.Network
	index map[string]int // templates by name
}

// NewLabels returns the labels of a network with its sidecar.
func NewLabels(side *artifact.Sidecar, net *uppaal.Network) *Labels {
	l := &Labels{side: side, net: net, index: map[string]int{}}
	for i, t := range net.Templates {
		l.index[t.Name] = i
	}
	return l
}

// Of is the label of an edge of a process, for check.Options.LabelOf:
// "process@site/case>next". In place of next stands the sink, as in "!panic",
// that the edge leads into, or nothing behind the ">" if the goroutine ends. An
// edge that passes no guard has a label only if the goroutine arrives
// somewhere: "process>next".
func (l *Labels) Of(p *uppaal.Process, edge int) check.Label {
	t, ok := l.index[p.Template.Name]
	if !ok {
		return ""
	}
	return l.label(p.Name, t, edge)
}

// label is the label of an edge given by its index in the t-th template.
func (l *Labels) label(process string, t, edge int) check.Label {
	e, ok := l.edge(t, edge)
	if !ok {
		return ""
	}
	passed := ""
	switch e.Role {
	case artifact.RoleOp, artifact.RoleCommit, artifact.RoleStart:
		passed = "@" + siteOf(l.side, e.Site).Key + "/" + strconv.Itoa(e.Case)
	case artifact.RoleTime:
		return check.Label(process + "@" + strconv.Itoa(edge))
	case artifact.RoleBirth:
		return ""
	}
	arrival := l.arrival(t, edge)
	if passed == "" && arrival == "" {
		return ""
	}
	return check.Label(process + passed + arrival)
}

// edge is what the sidecar says of an edge.
func (l *Labels) edge(t, edge int) (artifact.EdgeInfo, bool) {
	if t < 0 || t >= len(l.side.Templates) || t >= len(l.net.Templates) ||
		edge < 0 || edge >= len(l.side.Templates[t].Edges) || edge >= len(l.net.Templates[t].Edges) {
		return artifact.EdgeInfo{}, false
	}
	return l.side.Templates[t].Edges[edge], true
}

// arrival says where an edge leads, "" if the segment goes on.
func (l *Labels) arrival(t, edge int) string {
	to := l.net.Templates[t].Edges[edge].To
	var info artifact.LocationInfo
	for k, loc := range l.net.Templates[t].Locations {
		if loc == to && k < len(l.side.Templates[t].Locations) {
			info = l.side.Templates[t].Locations[k]
		}
	}
	switch {
	case sidecar.End(info.End).Crash():
		return "!" + info.End
	case info.Site != 0:
		return ">" + siteOf(l.side, info.Site).Key
	case to.Urgency == uppaal.Committed && info.End == "":
		return ""
	default:
		return ">"
	}
}

// prefix are the labels of a trace up to and including a part of a step; with a
// negative part, of the whole step.
func (l *Labels) prefix(tr *artifact.Trace, step, part int) []string {
	var out []string
	for i, s := range tr.Steps {
		for k, p := range s.Parts {
			if i > step || i == step && part >= 0 && k > part {
				return out
			}
			if name := l.label(p.Process, p.Template, p.Edge); name != "" {
				out = append(out, string(name))
			}
		}
	}
	return out
}

// approximate reports whether a trace rests on a choice that the program makes
// and the model leaves open, up to and including a step.
func (l *Labels) approximate(tr *artifact.Trace, step int) bool {
	for i, s := range tr.Steps {
		if i > step {
			break
		}
		for _, p := range s.Parts {
			if LeftOpen(l.side, EdgeOf{p.Template, p.Edge}) {
				return true
			}
		}
	}
	return false
}

// siteOf returns a site by its number, the zero Site if there is none.
func siteOf(side *artifact.Sidecar, id int) artifact.Site {
	site, _ := side.Site(id)
	return site
}
