package verifyta

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// xmlTrace is what a trace in XML has of interest.
type xmlTrace struct {
	XMLName   xml.Name `xml:"trace"`
	Initial   string   `xml:"initial_node,attr"`
	Processes []struct {
		Name  string `xml:"name,attr"`
		Edges []struct {
			ID   string `xml:"id,attr"`
			From string `xml:"from,attr"`
			To   string `xml:"to,attr"`
		} `xml:"edge"`
	} `xml:"system>process"`
	Nodes []struct {
		ID     string `xml:"id,attr"`
		Values string `xml:"variable_vector,attr"`
	} `xml:"node"`
	Vectors []struct {
		ID     string `xml:"id,attr"`
		States []struct {
			Variable string `xml:"variable,attr"`
			Value    int32  `xml:"value,attr"`
		} `xml:"variable_state"`
	} `xml:"variable_vector"`
	Transitions []struct {
		From  string `xml:"from,attr"`
		To    string `xml:"to,attr"`
		Edges string `xml:"edges,attr"`
	} `xml:"transition"`
}

// maxTraceWork bounds the work of following a trace in XML, see check.Walk.Bound.
const maxTraceWork = 1 << 20

// ReadXML reads a trace in XML, of verifyta -X or of WriteXML. It names edges, and not what
// they select: of the steps that the network can do with these edges, one is taken that
// leads to the values of variables in the trace.
func ReadXML(ctx context.Context, r io.Reader, info *uppaal.Info) (*check.Trace, error) {
	limited := &io.LimitedReader{R: r, N: maxTrace + 1}
	var t xmlTrace
	err := xml.NewDecoder(limited).Decode(&t)
	if limited.N <= 0 {
		return nil, fmt.Errorf("the trace is longer than %d bytes", maxTrace)
	}
	if err != nil {
		return nil, fmt.Errorf("reading XML: %w", err)
	}
	edges, err := t.edges(info)
	if err != nil {
		return nil, err
	}
	values := t.values()
	w, err := check.NewWalk(ctx, info.Network)
	if err != nil {
		return nil, err
	}
	w.Bound(maxTraceWork)
	at, node := w.Initial(), t.Initial
	var steps []check.Step
	for k, tr := range t.Transitions {
		if tr.From != node {
			return nil, fmt.Errorf("transition %d does not begin where the one before ends", k+1)
		}
		var parts [][2]int
		for _, id := range strings.Fields(tr.Edges) {
			e, ok := edges[id]
			if !ok {
				return nil, fmt.Errorf("transition %d: unknown edge %q", k+1, id)
			}
			parts = append(parts, e)
		}
		moves, err := w.Moves(at)
		i := slices.IndexFunc(moves, func(m check.Move) bool { return takes(m.Step, parts) && has(w.State(m.To), values[tr.To]) })
		switch {
		case i >= 0:
		case errors.Is(err, check.ErrWork):
			return nil, fmt.Errorf("transition %d: %w", k+1, err)
		default:
			return nil, fmt.Errorf("transition %d is not possible in the state before it, or does not lead to its values", k+1)
		}
		steps = append(steps, moves[i].Step)
		at, node = moves[i].To, tr.To
	}
	return check.Follow(info, steps)
}

// edges finds the process and edge that each name stands for.
func (t *xmlTrace) edges(info *uppaal.Info) (map[string][2]int, error) {
	out := map[string][2]int{}
	for _, p := range t.Processes {
		i := slices.IndexFunc(info.Processes, func(q *uppaal.Process) bool { return q.Name == p.Name })
		if i < 0 {
			return nil, fmt.Errorf("no process %q", p.Name)
		}
		own := info.Processes[i].Template.Edges
		if len(p.Edges) > len(own) {
			return nil, fmt.Errorf("process %s has %d edges, and not %d", p.Name, len(own), len(p.Edges))
		}
		for k, e := range p.Edges {
			from, to := p.Name+"."+own[k].From.QueryName(), p.Name+"."+own[k].To.QueryName()
			if e.From != from || e.To != to {
				return nil, fmt.Errorf("edge %d of process %s leads from %s to %s, and not from %s to %s", k, p.Name, from, to, e.From, e.To)
			}
			out[e.ID] = [2]int{i, k}
		}
	}
	return out, nil
}

// values are those of the variables in each node.
func (t *xmlTrace) values() map[string]map[string]int32 {
	vectors := map[string]map[string]int32{}
	for _, v := range t.Vectors {
		vectors[v.ID] = map[string]int32{}
		for _, s := range v.States {
			vectors[v.ID][s.Variable] = s.Value
		}
	}
	out := map[string]map[string]int32{}
	for _, n := range t.Nodes {
		out[n.ID] = vectors[n.Values]
	}
	return out
}

// takes reports whether the participants of a step take these edges.
func takes(s check.Step, parts [][2]int) bool {
	if len(s.Parts) != len(parts) {
		return false
	}
	for _, p := range s.Parts {
		if !slices.Contains(parts, [2]int{p.Process, p.Edge}) {
			return false
		}
	}
	return true
}

// has reports whether variables have these values, as far as they are known by name.
func has(st check.State, values map[string]int32) bool {
	return !slices.ContainsFunc(st.Vars, func(v check.VarValue) bool {
		x, ok := values[v.Name]
		return ok && x != v.Value
	})
}
