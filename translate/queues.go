package translate

import "github.com/vtrace/vtrace/artifact"

// queueOrder records where waiting goroutines may be served in an order that is
// not Go's: on channels that somebody polls, where several processes can queue
// on the same side. The edges that serve them rest on it.
func (x *translator) queueOrder() {
	type side struct {
		o    *object
		send bool
	}
	type user struct {
		side
		t *template
	}
	count := map[side]int{}
	seen := map[user]bool{}
	served := func(ed *edge) (side, bool) {
		if s := ed.sync; s != nil && s.obj != nil && s.obj.polled && s.obj.cap == 0 {
			return side{s.obj, s.send}, true
		}
		return side{}, false
	}
	for _, t := range x.templates {
		for _, ed := range t.edges {
			if s, ok := served(ed); ok && ed.from.kind == atQueue && !seen[user{s, t}] {
				seen[user{s, t}] = true
				count[s] += t.slots
			}
		}
	}
	for _, t := range x.templates {
		for _, ed := range t.edges {
			s, ok := served(ed)
			if !ok || ed.from.kind != atQueue || count[s] < 2 {
				continue
			}
			what := "receivers"
			if s.send {
				what = "senders"
			}
			if x.opts.Strict {
				continue // the order of a queue is no construct to avoid
			}
			n := x.approximation(s.o.pos, "queue-order", artifact.DirectionOver, what+" that wait on this channel may be served in any order")
			ed.approx = append(ed.approx[:len(ed.approx):len(ed.approx)], n)
		}
	}
}
