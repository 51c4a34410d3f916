package exploration

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// How many paths there are through a program multiplies with the objects that an
// allocation stands for, the elements of slices, the entries of maps and the
// activations of functions. Where there are too many with the bounds asked for, the
// least ones are used instead, of the paths themselves, too (see partial.go), and whoever
// searches the model can raise those of the sites that the search reaches. Paths that need more end in locations that
// say so, for which there are queries. What is counted decides, not time, so that
// the result is the same everywhere.

// Cost is what an analysis has cost so far: the paths, and what was computed on
// them.
func (x *Explorer) Cost() int { return x.Work + x.steps/20 + x.evals/50 }

// LimitedCost reports that there is a cost at which the translation is given up.
func (x *Explorer) LimitedCost() bool { return x.Options.Cost > 0 }

// BoundOf is the bound of a site. at is nil if it is not smaller than asked for.
func (x *Explorer) BoundOf(kind string, pos token.Pos) (n int, at *state.Bound) {
	asked := x.Options.Asked.Of(kind)
	if x.Options.At == nil {
		return asked, nil
	}
	site := artifact.BoundSite{Kind: kind}
	if pos.IsValid() {
		q := x.Position(pos)
		site.File, site.Line, site.Col = q.Filename, q.Line, q.Column
	}
	given, ok := x.given[site]
	if !ok {
		given = artifact.SiteBound{BoundSite: site, N: x.Options.At.Of(kind)}
	}
	if n = max(1, given.N); n >= asked {
		return asked, nil
	}
	if at = x.bounded[site]; at == nil {
		at = &state.Bound{SiteBound: given, Pos: pos, Size: n}
		at.Query = 0
		x.bounded[site] = at
	}
	return n, at
}

// EntriesOfSyncMaps is the bound of every sync.Map: how large one is belongs to
// its type.
func (x *Explorer) EntriesOfSyncMaps() (n int, at *state.Bound) {
	return x.BoundOf(approximation.BoundEntries, token.NoPos)
}

// BoundAt ends the path at the bound of a site, which may be nil, where the program
// reaches it at pos.
func (p *Path) BoundAt(at *state.Bound, pos token.Pos, what string) {
	if at != nil && !at.Pos.IsValid() {
		at.Pos = pos
	}
	p.Explorer.SinkTo(p, &state.Sink{End: sidecar.EndBound, Kind: artifact.KindBound, Pos: pos, Detail: what, At: at})
}

// Unfollowed ends the path in front of a step that the model cannot follow, as at a bound: whether the program gets
// there is asked. Where every step is to be followed, or nobody could be there to ask for, the program is refused.
func (p *Path) Unfollowed(what, reason string) {
	if p.Explorer.Options.Strict || p.From == nil {
		p.Explorer.Unsupported(p.Here(), what, reason)
		return
	}
	p.BoundAt(nil, p.Here(), fmt.Sprintf("a step that the model cannot follow (%s: %s)", what, reason))
}

// InOrder are the sites whose bounds are smaller than asked for.
func (x *Explorer) InOrder() []*state.Bound {
	var out []*state.Bound
	for _, b := range x.bounded {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b *state.Bound) int { return a.BoundSite.Compare(b.BoundSite) })
	return out
}

// Reached are the bounds that the model was made with, and those of them that end a path, of each of
// which there is an approximation.
func (x *Explorer) Reached() (at artifact.Bounds, shown []*state.Bound) {
	at = *x.Options.At
	at.Sites = nil
	for _, b := range x.InOrder() {
		if !b.Shown {
			continue
		}
		shown = append(shown, b)
		b.Approx = x.Approximation(b.Pos, approximation.Bound, b.Direction(), b.Reason())
		x.Approx[b.Approx].Query = b.Query
		at.Sites = append(at.Sites, b.SiteBound)
	}
	for site, given := range x.given {
		// Others may have been listed for the models that this one comes from.
		if b := x.bounded[site]; (b == nil || !b.Shown) && given.N != at.Of(site.Kind) {
			given.Query, given.Why = 0, ""
			at.Sites = append(at.Sites, given)
		}
	}
	slices.SortFunc(at.Sites, func(a, b artifact.SiteBound) int { return a.BoundSite.Compare(b.BoundSite) })
	return at, shown
}
