package analyze

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/vtrace/vtrace/internal/trace"
)

// TooLargeError says that the vector clocks of a trace need too much memory.
type TooLargeError struct {
	// Goroutines and Events are how many the trace has.
	Goroutines, Events int
	// Memory is how many bytes the clocks may have.
	Memory int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the vector clocks of %d goroutines in %d events need more than %d KiB: record a shorter run, or one with less goroutines, or allow more", e.Goroutines, e.Events, e.Memory>>10)
}

// Coverage says of which orders of the operations on buffered channels the clocks were computed.
// The trace says who has received from whom, but not always who has sent first.
type Coverage struct {
	// Orders is how many orders were replayed to the end, Distinct how many of them have
	// clocks of their own.
	Orders   int `json:"orders"`
	Distinct int `json:"distinct"`
	// Complete: there are no others.
	Complete bool `json:"complete"`
	// Forced are how many operations were completed though what they wait for is not in the
	// trace, and Mismatched how many name a partner that cannot be one.
	Forced     int `json:"forced,omitempty"`
	Mismatched int `json:"mismatched,omitempty"`
}

// node is a point of the search where the order is chosen.
type node struct {
	enabled []choice
	sleep   []choice // whose turn here gives nothing that was not seen
	at      int      // index into enabled
}

// search enumerates the orders of a program: all that differ in the order of operations on one object.
type search struct {
	p       *program
	memory  int64
	path    []node
	fresh   []choice // what sleeps at the next node
	entered int
}

// choose is the choice at the next node, -1 if all there is to choose sleeps.
func (s *search) choose(enabled []choice) int {
	if s.entered < len(s.path) {
		n := &s.path[s.entered]
		s.entered++
		s.fresh = n.below()
		return n.at
	}
	n := node{enabled: enabled, sleep: s.fresh}
	if !n.next(0) {
		return -1
	}
	s.path = append(s.path, n)
	s.entered++
	s.fresh = n.below()
	return n.at
}

// next goes to the first choice from an index on that does not sleep.
func (n *node) next(from int) bool {
	for n.at = from; n.at < len(n.enabled); n.at++ {
		if !slices.Contains(n.sleep, n.enabled[n.at]) {
			return true
		}
	}
	return false
}

// below is what sleeps behind the choice: what slept before, and is on another object.
func (n *node) below() []choice {
	var out []choice
	for _, c := range n.sleep {
		if c.object != n.enabled[n.at].object {
			out = append(out, c)
		}
	}
	return out
}

// back goes to the next order, false if there is none.
func (s *search) back() bool {
	for len(s.path) > 0 {
		n := &s.path[len(s.path)-1]
		n.sleep = append(slices.Clone(n.sleep), n.enabled[n.at])
		if n.next(n.at + 1) {
			return true
		}
		s.path = s.path[:len(s.path)-1]
	}
	return false
}

// replay replays once, with the choices of the path.
func (s *search) replay() *replayer {
	r := newReplayer(s.p, false, s.memory)
	r.asks, r.choose = true, s.choose
	s.entered, s.fresh = 0, nil
	return r
}

// visiting is how much more work the analyses of an order are than its replay.
const visiting = 10

// both are the clocks of one order: with the order of critical sections, and without it.
type both struct {
	must, weak *clocks
	sources    sources // nil unless the program is strict
}

// orders calls visit with the clocks of the orders of a program, one after the other, until it
// returns an error. In the first one goroutines of lower numbers come first.
func orders(p *program, limits Limits, visit func(both) error) (Coverage, error) {
	cov := Coverage{Mismatched: p.mismatched}
	tooLarge := &TooLargeError{Goroutines: len(p.t.Goroutines), Events: p.events, Memory: limits.Memory}
	locks := slices.ContainsFunc(p.t.Objects, func(o trace.Object) bool { return o.Kind == trace.Mutex || o.Kind == trace.RWMutex })
	offer := func(must *replayer, weak func(sources) *replayer) error {
		cov.Orders++
		cov.Distinct++
		if !locks {
			return visit(both{must: must.clocks, weak: must.clocks})
		}
		var from sources
		if p.strict {
			from = sourcesOf(must.clocks)
		}
		w := weak(from)
		if w.full {
			return tooLarge
		}
		return visit(both{must: must.clocks, weak: w.clocks, sources: from})
	}
	again := func(choices []int) func(sources) *replayer {
		return func(from sources) *replayer {
			w := newReplayer(p, true, limits.Memory)
			w.sources = from
			if choices != nil {
				i := 0
				w.asks, w.choose = true, func([]choice) int { i++; return choices[i-1] }
			}
			w.run(choices == nil)
			return w
		}
	}
	if !slices.Contains(p.choice, true) {
		r := newReplayer(p, false, limits.Memory)
		done := r.run(true)
		if !done && r.full {
			return cov, tooLarge
		}
		cov.Complete, cov.Forced = true, len(r.forced)
		return cov, offer(r, again(nil))
	}
	s := &search{p: p, memory: limits.Memory}
	seen := map[uint64]bool{}
	seed := maphash.MakeSeed()
	work := 0
	for {
		r := s.replay()
		done := r.run(false)
		if r.full {
			return cov, tooLarge
		}
		work += r.work
		if done {
			choices := []int{}
			for _, n := range s.path {
				choices = append(choices, n.at)
			}
			if h := r.hash(seed); seen[h] {
				cov.Orders++
			} else {
				seen[h] = true
				if err := offer(r, again(choices)); err != nil {
					return cov, err
				}
				work += visiting * p.events
			}
		}
		if !s.back() {
			cov.Complete = true
			break
		}
		if cov.Orders >= limits.Orders || work > limits.Work {
			break
		}
	}
	if cov.Orders > 0 {
		return cov, nil
	}
	// No order fits what was recorded, or none was found in time.
	cov.Complete = false
	r := newReplayer(p, false, limits.Memory)
	if r.run(true); r.full {
		return cov, tooLarge
	}
	cov.Forced = len(r.forced)
	return cov, offer(r, again(nil))
}

// hash is the same for the same clocks.
func (c *clocks) hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var buf []byte
	number := func(n int32) { buf = append(buf, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)) }
	for _, part := range [][][]stamp{c.pre, c.post} {
		for g := range part {
			last := int32(-2)
			for _, s := range part[g] {
				buf = buf[:0]
				number(s.own)
				if s.base != last && s.base >= 0 {
					for g, n := range c.s.at(s.base) {
						if int32(g) != s.g { // that is own
							number(n)
						}
					}
				}
				last = s.base
				_, _ = h.Write(buf)
			}
		}
	}
	return h.Sum64()
}

// Clocks are vector clocks of a trace for one order of its operations.
type Clocks struct{ both }

// Replay is phase two: it computes the vector clocks of a valid trace, for the first order that
// fits it. The coverage says how many orders there are, up to the limits. Errors are of type
// *trace.InvalidError or *TooLargeError.
func Replay(t *trace.Trace, limits Limits) (*Clocks, Coverage, error) {
	if err := t.Validate(); err != nil {
		return nil, Coverage{}, err
	}
	var first *Clocks
	cov, err := orders(newProgram(t, false), limits.withDefaults(), func(b both) error {
		if first == nil {
			first = &Clocks{b}
		}
		return nil
	})
	if err != nil {
		return nil, cov, err
	}
	return first, cov, nil
}

// Pre is the clock with which an operation was begun; false if the trace has none of that name.
func (c *Clocks) Pre(r trace.Ref) (Vector, bool) {
	if c.must.p.info(r) == nil {
		return nil, false
	}
	return c.must.s.vector(c.must.preOf(r)), true
}

// Post is the clock with which an operation was completed; false if it was not.
func (c *Clocks) Post(r trace.Ref) (Vector, bool) {
	if c.must.p.info(r) == nil {
		return nil, false
	}
	s, ok := c.must.postOf(r)
	if !ok {
		return nil, false
	}
	return c.must.s.vector(s), true
}

// Limits bound an analysis. Those that are 0 have their defaults.
type Limits struct {
	// Orders is how many orders of operations on buffered channels are replayed, 200 by default.
	Orders int
	// Work is how many events are replayed for them, and looked at, which counts ten times; 4 million by
	// default. One order always is.
	Work int
	// Pairs is how many pairs of operations are looked at closely for each pair of places and
	// goroutines, where a witness has to be found; 32 by default.
	Pairs int
	// Memory is how many bytes the vector clocks of an order may have, a GiB by default. There are two
	// sets of them, with the order of critical sections and without it.
	Memory int64
}

func (l Limits) withDefaults() Limits {
	if l.Orders <= 0 {
		l.Orders = 200
	}
	if l.Work <= 0 {
		l.Work = 4_000_000
	}
	if l.Pairs <= 0 {
		l.Pairs = 32
	}
	if l.Memory <= 0 {
		l.Memory = 1 << 30
	}
	return l
}
