package pass

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
)

// precision counts what a sidecar tells.
func precision(side *artifact.Sidecar) Precision {
	var p Precision
	if side == nil {
		return p
	}
	rests := map[int]bool{} // operation, and whether it rests on an approximation
	for _, t := range side.Templates {
		for _, e := range t.Edges {
			if e.Site > 0 {
				rests[e.Site] = rests[e.Site] || slices.ContainsFunc(e.Approx, func(a int) bool {
					return a < 0 || a >= len(side.Approximations) || !side.Approximations[a].Unreached
				})
			}
		}
	}
	for _, approximated := range rests {
		if approximated {
			p.Approximated++
		} else {
			p.Exact++
		}
	}
	for _, a := range side.Approximations {
		if a.Direction == artifact.DirectionUnder && !a.Unreached {
			p.Outside++
		}
	}
	return p
}

// unreached marks the approximations on which no trace of the model rests, as these
// verdicts say.
func unreached(side *artifact.Sidecar, verdicts []artifact.Verdict) {
	for i := range side.Approximations {
		a := &side.Approximations[i]
		a.Unreached = a.Unreached || a.Query != 0 && slices.ContainsFunc(verdicts, func(v artifact.Verdict) bool {
			return v.Query == a.Query && v.Result == check.True.String()
		})
	}
}
