package translate

import (
	"go/token"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/state"
)

// How many ways there are through a program multiplies with the objects that an
// allocation stands for, the elements of slices, the entries of maps and the
// activations of functions. Where there are too many with the bounds asked for, the
// least ones are used instead, and whoever searches the model can raise those of
// the places that the search reaches. Paths that need more end in locations that
// say so, for which there are queries. What is counted decides, not time, so that
// the result is the same everywhere.

// cost is what an analysis has cost so far: the ways, and what was computed on
// them.
func (x *translator) cost() int { return x.work + x.steps/20 + x.evals/50 }

// limitedCost reports that there is a cost at which the translation is given up.
func (x *translator) limitedCost() bool { return x.opts.Cost > 0 }

// boundOf is the bound of a place. at is nil if it is not smaller than asked for.
func (x *translator) boundOf(kind string, pos token.Pos) (n int, at *state.Bound) {
	asked := x.opts.Asked.Of(kind)
	if x.opts.At == nil {
		return asked, nil
	}
	place := artifact.Place{Kind: kind}
	if pos.IsValid() {
		q := x.position(pos)
		place.File, place.Line, place.Col = q.Filename, q.Line, q.Column
	}
	given, ok := x.given[place]
	if !ok {
		given = artifact.PlaceBound{Place: place, N: x.opts.At.Of(kind)}
	}
	if n = max(1, given.N); n >= asked {
		return asked, nil
	}
	if at = x.bounded[place]; at == nil {
		at = &state.Bound{PlaceBound: given, Pos: pos, Size: n}
		at.Query = 0
		x.bounded[place] = at
	}
	return n, at
}

// entriesOfSyncMaps is the bound of every sync.Map: how large one is belongs to
// its type.
func (x *translator) entriesOfSyncMaps() (n int, at *state.Bound) {
	return x.boundOf(artifact.BoundEntries, token.NoPos)
}

// boundAt ends the path at the bound of a place, which may be nil, where the program
// reaches it at pos.
func (p *path) boundAt(at *state.Bound, pos token.Pos, what string) {
	if at != nil && !at.Pos.IsValid() {
		at.Pos = pos
	}
	p.x.sinkTo(p, &state.Sink{End: "bound", Kind: artifact.KindBound, Pos: pos, Detail: what, At: at})
}

// inOrder are the places whose bounds are smaller than asked for.
func (x *translator) inOrder() []*state.Bound {
	var out []*state.Bound
	for _, b := range x.bounded {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b *state.Bound) int { return a.Place.Compare(b.Place) })
	return out
}

// reached are the bounds that the model was made with, and those of them that end a path, of each of
// which there is an approximation.
func (x *translator) reached() (at artifact.Bounds, shown []*state.Bound) {
	at = *x.opts.At
	at.Places = nil
	for _, b := range x.inOrder() {
		if !b.Shown {
			continue
		}
		shown = append(shown, b)
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
	return at, shown
}
