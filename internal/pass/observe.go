package pass

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// observe takes up an error that the program showed in the last replay of a
// suspect, which was after another one. What was done until then becomes a plan
// of its own; if the program follows it to the same end, the error is real.
func (d *deep) observe(ctx context.Context, s *suspect) error {
	v := s.replay
	site, ok := d.siteOf(v.Site)
	if !crash(v.Kind) || !ok {
		return nil
	}
	if site = d.endPlace(v.Kind, site, v.Stack); d.known(v.Kind, site) {
		return nil
	}
	plan := done(v)
	plan.Expect = artifact.Expect{Kind: v.Kind, Goroutines: []artifact.At{{G: v.G, Site: v.Site}}}
	again, err := d.confirm(ctx, evidence{plan: plan, origin: fromReplay, query: s.query.Number})
	if err != nil {
		return err
	}
	if again.Status != orchestrate.Reproduced {
		return nil
	}
	o := &suspect{
		query: artifact.Query{
			Number: s.query.Number, Formula: s.query.Formula, Category: s.query.Category, Kind: v.Kind,
			Description: fmt.Sprintf("%s, observed when a trace of query %d was replayed", v.Kind, s.query.Number),
			Site:        site.ID, File: site.File, Line: site.Line, Col: site.Col,
		},
		attempts: 1, replay: again, number: len(s.verdict.Traces) + 1,
	}
	tr := *s.trace
	tr.Comment, tr.Plan = o.query.Description, &plan
	o.trace = &tr
	path := d.out.AddTrace(s.query.Number, o.number, o.trace)
	o.verdict.Traces = []string{path}
	s.verdict.Traces = append(s.verdict.Traces, path)
	o.conclude(artifact.Real, "")
	d.observed = append(d.observed, o)
	return d.keep(o)
}

// known reports whether an error is real already.
func (d *deep) known(kind string, at artifact.Site) bool {
	for _, list := range [][]*suspect{d.cases, d.observed} {
		for _, o := range list {
			if o.outcome == artifact.Real && same(o.query, kind, at) {
				return true
			}
		}
	}
	return false
}

// same reports whether a query asks for an error of the kind at a place. A crash may
// go by several names, and of the place of one only the line may be known, or nothing;
// a test fails once, however often it says so.
func same(q artifact.Query, kind string, at artifact.Site) bool {
	switch {
	case kind == artifact.KindTestFailure:
		return q.Kind == kind
	case crash(kind):
		return crash(q.Kind) && (at.ID != 0 && q.Site == at.ID || at.File == "" || q.File == at.File && q.Line == at.Line)
	}
	return q.Kind == kind && q.Site == at.ID
}

func (d *deep) siteOf(key string) (artifact.Site, bool) {
	return orchestrate.SiteAt(d.side, key)
}

// crash reports whether an error of the kind ends the program where it happens.
func crash(kind string) bool {
	switch kind {
	case artifact.KindPanic, artifact.KindSendOnClosed, artifact.KindCloseOfClosed, artifact.KindCloseOfNil,
		artifact.KindNegativeCounter, artifact.KindWaitGroupReuse, artifact.KindNilCall, artifact.KindUnlockUnlocked, artifact.KindMapRace:
		return true
	}
	return false
}
