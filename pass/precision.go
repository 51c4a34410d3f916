package pass

import "github.com/vtrace/vtrace/artifact"

// Precision says how far a model is that of its program.
type Precision struct {
	// Exact and Approximated count the operations of the program that are in
	// the model: an operation is approximated if one of its edges rests on an
	// approximation.
	Exact, Approximated int
	// Outside counts the places where the program can do what the model cannot.
	Outside int
}

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
				rests[e.Site] = rests[e.Site] || len(e.Approx) > 0
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
		if a.Direction == artifact.DirectionUnder {
			p.Outside++
		}
	}
	return p
}
