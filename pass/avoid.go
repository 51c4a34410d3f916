package pass

import (
	"context"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/uppaal"
)

// A refutation excludes the traces with one beginning. If the model left a choice
// open there, which the program always makes otherwise, every other order of the
// steps before it gives one more trace to refute. Such choices are avoided: the
// model is searched without their edges first. What is found that way is a trace
// like any other; that nothing is found means nothing, and the model is searched
// with them.

// avoid remembers the edge of a choice at which the program left a trace.
func (d *deep) avoid(e artifact.Part) {
	if e.Template < 0 || e.Template >= len(d.side.Templates) || e.Template >= len(d.net.Templates) {
		return
	}
	edges := d.side.Templates[e.Template].Edges
	if e.Edge < 0 || e.Edge >= len(edges) || e.Edge >= len(d.net.Templates[e.Template].Edges) {
		return
	}
	for _, a := range edges[e.Edge].Approx {
		if a >= 0 && a < len(d.side.Approximations) && d.side.Approximations[a].Direction == artifact.DirectionOver {
			d.avoided[d.net.Templates[e.Template].Edges[e.Edge]] = true
			return
		}
	}
}

// searchAgain searches the model without what was refuted, for each query first
// without the edges that are avoided.
func (d *deep) searchAgain(ctx context.Context, queries []artifact.Query) (*searched, error) {
	if len(d.avoided) == 0 {
		return search(ctx, replayShare, d.net, queries, d.side, d.opts, d.rep, d.refuted)
	}
	found, err := d.searchAvoiding(ctx, queries)
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

// searchAvoiding searches the model without the edges that are avoided. They stay
// where they are, so that the traces have the numbers of the whole model.
func (d *deep) searchAvoiding(ctx context.Context, queries []artifact.Query) (*searched, error) {
	guards := make(map[*uppaal.Edge]uppaal.Expr, len(d.avoided))
	for e := range d.avoided {
		guards[e] = e.Guard
		e.Guard = &uppaal.BoolLit{}
	}
	defer func() {
		for e, g := range guards {
			e.Guard = g
		}
	}()
	rep := d.rep
	rep.to = nil // what it decides is not the verdict
	return search(ctx, replayShare, d.net, queries, d.side, d.opts, rep, d.refuted)
}
