package exploration

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// QueueOrder records where waiting goroutines may be served in an order that is
// not Go's: on channels that somebody polls, where several processes can queue
// on the same side. The edges that serve them rest on it.
func (x *Explorer) QueueOrder() {
	type side struct {
		o    *state.Object
		send bool
	}
	type user struct {
		side
		t *state.Template
	}
	count := map[side]int{}
	seen := map[user]bool{}
	served := func(ed *state.Edge) (side, bool) {
		if s := ed.Sync; s != nil && s.Object != nil && s.Object.Polled && s.Object.Cap == 0 {
			return side{s.Object, s.Send}, true
		}
		return side{}, false
	}
	for _, t := range x.Templates {
		for _, ed := range t.Edges {
			// One who waits alone is served first in any order.
			if s, ok := served(ed); ok && ed.From.Kind == state.AtQueue && !seen[user{s, t}] {
				seen[user{s, t}] = true
				count[s] += t.Slots
			}
		}
	}
	for _, t := range x.Templates {
		for _, ed := range t.Edges {
			s, ok := served(ed)
			if !ok || ed.From.Kind != state.AtQueue || count[s] < 2 {
				continue
			}
			what := "receivers"
			if s.send {
				what = "senders"
			}
			if x.Options.Strict {
				continue // the order of a queue is no construct to avoid
			}
			n := x.Approximation(s.o.Pos, "queue-order", artifact.DirectionOver, what+" that wait on this channel may be served in any order")
			ed.Approx = append(ed.Approx[:len(ed.Approx):len(ed.Approx)], n)
		}
	}
}
