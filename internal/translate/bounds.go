package translate

import (
	"errors"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
)

// firstCost is the cost at which the bounds asked for are given up.
const firstCost = 14_000

// ErrTooLarge is the error of a translation that costs more than Options.Cost.
var ErrTooLarge = errors.New("too large for these bounds")

// least are the smallest bounds.
var least = artifact.Bounds{Objects: 1, Elements: 2, Entries: 1, Activations: 2, Paths: 500}

// Asked are the bounds of all sites where the model is not too large.
func (o Options) Asked() artifact.Bounds {
	o = o.withDefaults()
	return artifact.Bounds{Objects: o.Objects, Elements: o.Slice, Entries: o.Entries, Activations: o.Recursion, Paths: exploration.MaxTotalPaths}
}

// Least are the bounds of all sites to begin with where the model is too large
// with those asked for. What the options give stays.
func (o Options) Least() artifact.Bounds {
	b := o.Asked()
	lower := func(p *int, given, n int) {
		if given <= 0 {
			*p = min(*p, n)
		}
	}
	lower(&b.Objects, o.Objects, least.Objects)
	lower(&b.Elements, o.Slice, least.Elements)
	lower(&b.Entries, o.Entries, least.Entries)
	lower(&b.Activations, o.Recursion, least.Activations)
	if !o.Strict {
		b.Paths = least.Paths
	}
	return b
}

// Explain says why the bounds of sites are not greater.
func (m *Model) Explain(why map[artifact.BoundSite]string) {
	for _, b := range m.bounded {
		text, ok := why[b.BoundSite]
		if !ok {
			continue
		}
		b.Why = text
		m.Sidecar.Approximations[b.Approx].Reason = b.Reason()
		for i := range m.Sidecar.Bounds.Sites {
			if p := &m.Sidecar.Bounds.Sites[i]; p.BoundSite == b.BoundSite {
				p.Why = text
			}
		}
	}
}
