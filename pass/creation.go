package pass

import (
	"cmp"
	"context"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/explain"
	"github.com/vtrace/vtrace/internal/creation"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/sites"
)

// addCreations notes where the objects were made that the goroutines of a finding, which are those of a run, wait
// for, or have panicked on.
func (d *deep) addCreations(f *artifact.Finding, v *orchestrate.Verdict) {
	for i, g := range v.Goroutines {
		at := &f.Goroutines[i]
		if at.State != artifact.StateBlocked && at.Closed == nil {
			continue
		}
		ctx := cmp.Or(d.opts.soft, context.Background())
		functions, err := d.functions(ctx)
		if err != nil {
			return // the time is over, and an explanation takes none of what comes behind
		}
		if d.creations == nil {
			d.creations = creation.New(functions, d.program.sites)
		}
		key := g.Site
		if key == "" && g.G == v.G {
			key = v.Site
		}
		site, ok := d.siteOf(key)
		if !ok {
			continue
		}
		objects := strings.Split(at.Object, ", ") // of a select, those of its cases
		if at.Closed != nil {
			objects = []string{at.Closed.Object}
		}
		places := d.creations.Of(sites.ID(site.ID), g.Stack, creators(g, v))
		if len(places) != len(objects) {
			continue
		}
		for k, pos := range places {
			if !pos.IsValid() {
				continue
			}
			p := d.program.source.Fset.PositionFor(pos, false)
			o := artifact.FindingObject{Object: objects[k], File: d.program.source.Rel(p.Filename), Line: p.Line}
			switch {
			case len(at.Cases) == len(places):
				o.Expression = explain.Channel(at.Cases[k])
			case at.Closed != nil:
				o.Expression = explain.Operand(sites.Close, at.Closed.Text)
			default:
				o.Expression = explain.Operand(sites.Named(site.Kind), site.Text)
			}
			if text, ok := d.source(o.File); ok {
				if lines := strings.Split(string(text), "\n"); p.Line <= len(lines) {
					o.Text = strings.TrimSpace(lines[p.Line-1])
				}
			}
			at.Made = append(at.Made, o)
		}
	}
}
