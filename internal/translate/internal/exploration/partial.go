package exploration

import (
	"fmt"
	"go/token"

	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// A program that is too large for a model has one of its first part. After some paths the search takes up no more new
// locations: where one begins the model ends, as at any bound, which can be raised. The others go on to the fixed point, or
// for as many paths again; of those which have not come there by then, the model has what leads to them, too. So it is right
// as far as it goes. Whether the program gets to its end is one query.

// partial is where the model of a part of a program ends.
type partial struct {
	most    int                      // paths after which there are no new locations; 0 is no limit
	bound   *state.Bound             // that this is
	again   int                      // paths of segments that were executed again, with fewer
	stopped bool                     // a location was not left by all its paths
	cut     map[*state.Location]bool // that are not left; nil as long as there are new ones
}

// limitPaths finds after how many paths there are no new locations.
func (x *Explorer) limitPaths() {
	if x.Options.At != nil && x.Options.At.Paths > 0 {
		if n, at := x.BoundOf(approximation.BoundPaths, token.NoPos); at != nil {
			x.most, x.bound = n, at
		}
	}
}

// stopPartially reports that there are paths enough for the model of a part, and has the location from which a path comes
// end there, unless the program begins with it.
// Paths are counted, not time, so that the part is the same on every machine. Those of segments that were executed
// again by other rules say nothing of the size of the program.
func (x *Explorer) stopPartially(p *Path) bool {
	most := x.most
	// As many again are for bringing what was executed to the fixed point.
	if x.cut != nil {
		most *= 2
	}
	if x.most == 0 || x.InPrefix || x.Emitting || x.Work-x.again <= most || x.cut != nil && p.From == x.Templates[0].First {
		return false
	}
	x.drop()
	x.stopped = true
	return true
}

// endPartially brings the locations that were executed to the fixed point, and ends the model at the others.
// A location that has been executed has edges, which are right only if it knows all that can come to it. One that
// has not, or for which there are no paths left, gets one edge, to the bound: that does not depend on what is known
// there, so that it need not be executed again.
func (x *Explorer) endPartially() {
	x.cut = map[*state.Location]bool{}
	x.bound.Pos = x.busiest()
	for l := x.next(); l != nil; l = x.next() {
		if l.Kind == state.AtSink || l.Kind == state.AtDone || x.cut[l] {
			continue
		}
		if l == x.Templates[0].First || l.Executed && x.Work-x.again <= 2*x.most {
			x.stopped = false
			if x.execute(l); !x.stopped {
				continue
			}
		}
		x.cut[l] = true
		x.leave(l)
	}
}

// Cut reports that the model has a part of the program.
func (x *Explorer) Cut() bool { return x.cut != nil }

// endAtCut ends a path that begins where the model ends.
func (x *Explorer) endAtCut(p *Path) {
	p.BoundAt(x.bound, x.bound.Pos, fmt.Sprintf("the program goes on behind the first %d paths from guard to guard that the translation follows", x.most))
}
