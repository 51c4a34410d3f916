package pass

import (
	"cmp"
	"context"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// A refutation excludes the traces with one beginning. If the model left a choice
// open there, which the program always makes otherwise, every other order of the
// steps before it gives one more trace to refute. Such choices are avoided: the
// model is searched without their edges first. What is found that way is a trace
// like any other; that nothing is found means nothing, and the model is searched
// with them.
//
// What runs do at such choices are facts, of those that were followed in the model and of
// replays, whatever query they were for: in every run so far that has come to the choice the
// program has not taken the edge. One run that takes it ends that.

// fact is what runs have done at an edge of a choice that the model leaves open.
type fact struct {
	// met counts the runs that had the choice, and taken those that have taken the edge. One
	// of which the model cannot tell counts for neither.
	met, taken int
}

// learn takes up what a run has done at choices.
func (d *deep) learn(h *orchestrate.History) {
	for at, taken := range h.Choices() {
		f := d.factOf(at)
		if f.met++; taken {
			f.taken++
		}
	}
}

func (d *deep) factOf(at orchestrate.EdgeOf) *fact {
	if d.facts == nil {
		d.facts = map[orchestrate.EdgeOf]*fact{}
	}
	f := d.facts[at]
	if f == nil {
		f = &fact{}
		d.facts[at] = f
	}
	return f
}

// avoid remembers that the program has left a trace at an edge of a choice.
func (d *deep) avoid(e artifact.Part) {
	if at := (orchestrate.EdgeOf{Template: e.Template, Edge: e.Edge}); orchestrate.LeftOpen(d.side, at) && d.edge(at) != nil {
		d.factOf(at).met++
	}
}

// factsKnown are the facts, for the bundle.
func (d *deep) factsKnown() (out []artifact.Fact) {
	for at, f := range d.facts {
		if e := d.edge(at); e != nil {
			out = append(out, artifact.Fact{
				Template: at.Template, Edge: at.Edge, From: e.From.QueryName(), To: e.To.QueryName(), Met: f.met, Taken: f.taken,
			})
		}
	}
	slices.SortFunc(out, func(a, b artifact.Fact) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.Edge, b.Edge))
	})
	return out
}

// edge is one of the network, nil if there is no such edge.
func (d *deep) edge(at orchestrate.EdgeOf) *uppaal.Edge {
	if at.Template < 0 || at.Template >= len(d.net.Templates) || at.Edge < 0 || at.Edge >= len(d.net.Templates[at.Template].Edges) {
		return nil
	}
	return d.net.Templates[at.Template].Edges[at.Edge]
}

// avoided are the edges that no run so far has taken.
func (d *deep) avoided() map[orchestrate.EdgeOf]bool {
	out := map[orchestrate.EdgeOf]bool{}
	for at, f := range d.facts {
		if d.edge(at) != nil && f.met > 0 && f.taken == 0 {
			out[at] = true
		}
	}
	return out
}

// searchAgain searches the model without what was refuted, for each query first
// without the edges that are avoided.
func (d *deep) searchAgain(ctx context.Context, queries []artifact.Query) (*searched, error) {
	avoided := d.avoided()
	if len(avoided) == 0 {
		return search(ctx, replayShare, d.net, queries, d.side, d.opts, d.rep, d.refuted)
	}
	found, err := d.searchAvoiding(ctx, queries, avoided)
	if err != nil {
		return nil, err
	}
	var rest []int
	var again []artifact.Query
	for i := range queries {
		if found.traces[i] == nil {
			rest = append(rest, i)
			again = append(again, queries[i])
		}
	}
	if len(rest) == 0 {
		return found, nil
	}
	whole, err := search(ctx, replayShare, d.net, again, d.side, d.opts, d.rep, d.refuted)
	if err != nil {
		return nil, err
	}
	for k, i := range rest {
		found.verdicts[i], found.traces[i] = whole.verdicts[k], whole.traces[k]
	}
	return found, nil
}

// searchAvoiding searches the model without the edges that are avoided.
func (d *deep) searchAvoiding(ctx context.Context, queries []artifact.Query, avoided map[orchestrate.EdgeOf]bool) (*searched, error) {
	var edges []*uppaal.Edge
	for at := range avoided {
		edges = append(edges, d.edge(at))
	}
	rep := d.rep
	rep.to = nil // what it decides is not the verdict
	return search(ctx, replayShare, d.net.Without(edges...), queries, d.side, d.opts, rep, d.refuted)
}
