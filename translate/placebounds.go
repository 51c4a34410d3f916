package translate

import (
	"errors"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/state"
)

// firstCost is the cost at which the bounds asked for are given up.
const firstCost = 14_000

// ErrTooLarge is the error of a translation that costs more than Options.Cost.
var ErrTooLarge = errors.New("too large for these bounds")

// least are the smallest bounds.
var least = artifact.Bounds{Objects: 1, Elements: 2, Entries: 1, Activations: 2}

// Asked are the bounds of all places where the model is not too large.
func (o Options) Asked() artifact.Bounds {
	o = o.withDefaults()
	return artifact.Bounds{Objects: o.Objects, Elements: o.Slice, Entries: o.Entries, Activations: o.Recursion}
}

// Least are the bounds of all places to begin with where the model is too large
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
	return b
}

// inOrder are the places whose bounds are smaller than asked for.
func (x *translation) inOrder() []*state.Bound {
	var out []*state.Bound
	for _, b := range x.bounded {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b *state.Bound) int { return a.Place.Compare(b.Place) })
	return out
}

// noteBounds records in the sidecar which bounds the model was made with, and as an
// approximation each that ends a path.
func (x *translation) noteBounds(m *Model) {
	if x.options.At == nil {
		return
	}
	at := *x.options.At
	at.Places = nil
	for _, b := range x.inOrder() {
		if !b.Shown {
			continue
		}
		m.bounded = append(m.bounded, b)
		b.Approx = x.approximation(b.Pos, artifact.ApproximationBound, b.Direction(), b.Reason())
		x.approx[b.Approx].Query = b.Query
		at.Places = append(at.Places, b.PlaceBound)
	}
	for place, given := range x.given {
		// Others may have been listed for the models that this one comes from.
		if b := x.bounded[place]; (b == nil || !b.Shown) && given.N != at.Of(place.Kind) {
			given.Query, given.Why = 0, ""
			at.Places = append(at.Places, given)
		}
	}
	slices.SortFunc(at.Places, func(a, b artifact.PlaceBound) int { return a.Place.Compare(b.Place) })
	m.Sidecar.Bounds = &at
}

// Explain says why the bounds of places are not greater.
func (m *Model) Explain(why map[artifact.Place]string) {
	for _, b := range m.bounded {
		text, ok := why[b.Place]
		if !ok {
			continue
		}
		b.Why = text
		m.Sidecar.Approximations[b.Approx].Reason = b.Reason()
		for i := range m.Sidecar.Bounds.Places {
			if p := &m.Sidecar.Bounds.Places[i]; p.Place == b.Place {
				p.Why = text
			}
		}
	}
}
