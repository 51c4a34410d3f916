package pass

import (
	"context"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// What a deep pass has learnt is kept while it replays: one that was killed, or cut, goes on
// with it. It is of use for the same program, model and options only, which is how it is
// found again.

// saveEvery is how often it is kept, at most.
const saveEvery = time.Second

// save keeps what is known, if that is more than was kept.
func (d *deep) save(ctx context.Context) error {
	if d.opts.Cache == nil || len(d.refutations) == d.savedAll || time.Since(d.saved) < saveEvery || ctx.Err() != nil {
		return nil
	}
	b, err := d.finish(d.second)
	if err != nil {
		return err
	}
	d.saved, d.savedAll = time.Now(), len(d.refutations)
	return d.opts.Cache.Put(b)
}

// unsave removes what was kept of a pass that has come to its end; one that was cut is kept.
func (d *deep) unsave(ctx context.Context, b *artifact.Bundle) error {
	switch {
	case d.opts.Cache == nil:
		return nil
	case cut(ctx, d.opts.soft) != "" && len(d.refutations) > 0:
		return d.opts.Cache.Put(b)
	}
	return d.opts.Cache.Remove(b.Manifest())
}

// resume takes up what a deep pass has kept that did not come to its end.
func (d *deep) resume() error {
	if d.opts.Cache == nil || d.opts.Disallow != DisallowExact {
		return nil
	}
	kept, err := d.opts.kept(d.out)
	if kept == nil || err != nil {
		return err
	}
	for _, f := range kept.Facts() {
		at := orchestrate.EdgeOf{Template: f.Template, Edge: f.Edge}
		if d.edge(at) != nil {
			known := d.factOf(at)
			known.met, known.taken = f.Met, f.Taken
		}
	}
	for _, r := range kept.Refutations() {
		if !slices.ContainsFunc(r.Labels, func(l string) bool { return l != "" }) {
			continue // no replay says so, and it would refute every trace
		}
		d.refutations = append(d.refutations, r)
		d.refuted = append(d.refuted, pathOf(r))
	}
	d.savedAll = len(d.refutations)
	return nil
}

// pathOf is the path that a refutation excludes.
func pathOf(r artifact.Refutation) []check.Label {
	path := make([]check.Label, len(r.Labels))
	for i, l := range r.Labels {
		path[i] = check.Label(l)
	}
	return path
}

// resumed are the suspects of which replays of an earlier pass have refuted traces: the model
// is searched again before anything is replayed.
func (d *deep) resumed() (out []*suspect) {
	for _, s := range d.pending() {
		refuted := false
		for _, r := range d.refutations {
			if r.Query != s.query.Number {
				continue
			}
			refuted = true
			s.took(r)
		}
		if refuted {
			out = append(out, s)
		}
	}
	return out
}

// took has a suspect know of a refutation of one of its traces.
func (s *suspect) took(r artifact.Refutation) {
	s.reason = r.Reason
	s.weak = s.weak || r.Weak
	if r.Unexplained {
		s.unexplained = "nothing that the model leaves open explains why the program left a trace (please report it): " + r.Reason
	}
}
