package analyze

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
)

var traces = flag.Int("traces", 1000, "how many random traces TestOracle compares")

// The oracle knows nothing of vector clocks. It goes through all states that a random trace can be
// in: how many operations each goroutine has done, and what is in the channels.

// recording makes a random run, and records it.
type recording struct {
	r      *rand.Rand
	t      *trace.Trace
	gs     []*recorded
	full   [][]trace.Ref // by channel
	closed []bool
	holder []int // by lock: 1 + goroutine of the writer
	reads  []int
	last   []trace.Ref // OpUnlock before
	count  []int32     // by wait group
	seq    []int64
	at     int
	// order is when each operation was completed, from 1.
	order map[trace.Ref]int
}

type recorded struct {
	left    int // operations to begin
	pending bool
	dead    bool
	holds   []trace.ObjectID
	readsIn []trace.ObjectID
}

const (
	chanX trace.ObjectID = iota + 1 // unbuffered
	chanY                           // unbuffered
	chanZ                           // buffered
	mutexM
	mutexN
	rwmutexR
	groupW
	varV
	numObjects = iota
)

// family says what random programs do: weights of operations.
type family struct {
	name                                                         string
	unbuffered, buffered, selects, mutex, rwmutex, group, access int
	capacity, close                                              int
	longer                                                       int // how many operations more
}

var families = []family{
	{name: "unbuffered", unbuffered: 6, selects: 3, close: 1},
	{name: "buffered", buffered: 8, unbuffered: 2, capacity: 1},
	{name: "buffered 2", buffered: 8, selects: 1, capacity: 2},
	{name: "locks", mutex: 9, access: 3, unbuffered: 1},
	{name: "read locks", rwmutex: 6, mutex: 4, access: 3},
	{name: "groups", group: 6, unbuffered: 2, mutex: 1},
	{name: "mixed", unbuffered: 5, mutex: 5, longer: 3},
	{name: "closes", unbuffered: 1, buffered: 4, mutex: 6, capacity: 4, close: 2, longer: 2},
	{name: "buffered and locks", buffered: 3, rwmutex: 4, mutex: 3, access: 2, capacity: 2, close: 1},
	{name: "all", unbuffered: 3, buffered: 3, selects: 2, mutex: 5, rwmutex: 2, group: 1, access: 3, capacity: 1, close: 1},
}

func record(seed uint64, f family) *recording {
	c := &recording{r: rand.New(rand.NewPCG(seed, 1)), order: map[trace.Ref]int{}}
	kinds := []trace.ObjectKind{trace.Chan, trace.Chan, trace.Chan, trace.Mutex, trace.Mutex, trace.RWMutex, trace.WaitGroup, trace.Var}
	c.t = &trace.Trace{}
	for i, k := range kinds {
		o := trace.Object{Kind: k, Name: string("xyzmnrwv"[i])}
		if trace.ObjectID(i+1) == chanZ {
			o.Cap = max(1, f.capacity)
		}
		c.t.Objects = append(c.t.Objects, o)
	}
	c.full, c.closed = make([][]trace.Ref, numObjects+1), make([]bool, numObjects+1)
	c.holder, c.reads = make([]int, numObjects+1), make([]int, numObjects+1)
	c.last, c.count, c.seq = make([]trace.Ref, numObjects+1), make([]int32, numObjects+1), make([]int64, numObjects+1)
	for i := range c.last {
		c.last[i] = trace.First
	}
	n := 2 + c.r.IntN(3)
	c.t.Goroutines = make([]trace.Goroutine, n)
	for g := range n {
		c.gs = append(c.gs, &recorded{left: 2 + f.longer + c.r.IntN(12/n)})
		if g > 0 {
			c.t.Goroutines[g].Parent = 1
			c.begin(0, trace.Event{Op: trace.OpGo, Partner: trace.Ref{Goroutine: trace.GoroutineID(g + 1)}})
			c.complete(0)
		}
	}
	for idle := 0; idle < 30; idle++ {
		g := c.r.IntN(n)
		if c.gs[g].dead {
			continue
		}
		if !c.gs[g].pending {
			if c.gs[g].left <= 0 && len(c.gs[g].holds)+len(c.gs[g].readsIn) == 0 {
				continue
			}
			c.next(g, f)
		}
		if c.try(g) {
			idle = 0
		}
	}
	for g := range c.t.Goroutines {
		for i := range c.t.Goroutines[g].Events {
			if e := &c.t.Goroutines[g].Events[i]; e.Phase == trace.Pre {
				e.Case, e.Partner = 0, trace.Unknown
			}
		}
	}
	return c
}

func (c *recording) events(g int) []trace.Event { return c.t.Goroutines[g].Events }

func (c *recording) lastOf(g int) *trace.Event { return &c.events(g)[len(c.events(g))-1] }

func (c *recording) begin(g int, e trace.Event) {
	e.Phase, e.PC = trace.Pre, int32(len(c.events(g))+1)
	c.t.Goroutines[g].Events = append(c.events(g), e)
	c.gs[g].pending = true
	c.gs[g].left--
}

func (c *recording) complete(g int) {
	e := c.lastOf(g)
	e.Phase = trace.Whole
	c.gs[g].pending = false
	c.at++
	c.order[trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}] = c.at
}

// next begins a random operation.
func (c *recording) next(g int, f family) {
	w := c.gs[g]
	pick := func(ids ...trace.ObjectID) trace.ObjectID { return ids[c.r.IntN(len(ids))] }
	dir := func() trace.Op { return []trace.Op{trace.OpSend, trace.OpRecv}[c.r.IntN(2)] }
	release := len(w.holds) > 0 && (w.left <= 0 || c.r.IntN(3) == 0)
	if release {
		id := w.holds[len(w.holds)-1]
		w.holds = w.holds[:len(w.holds)-1]
		c.begin(g, trace.Event{Op: trace.OpUnlock, Object: id})
		return
	}
	if len(w.readsIn) > 0 && (w.left <= 0 || c.r.IntN(3) == 0) {
		id := w.readsIn[len(w.readsIn)-1]
		w.readsIn = w.readsIn[:len(w.readsIn)-1]
		c.begin(g, trace.Event{Op: trace.OpRUnlock, Object: id})
		return
	}
	chans := []trace.ObjectID{chanX, chanY}
	if f.buffered > 0 {
		chans = append(chans, chanZ)
	}
	total := f.unbuffered + f.buffered + f.selects + f.mutex + f.rwmutex + f.group + f.access + f.close
	n := c.r.IntN(total)
	in := func(weight int) bool { n -= weight; return n < 0 }
	switch {
	case in(f.unbuffered):
		id := pick(chanX, chanX, chanY)
		c.begin(g, trace.Event{Op: dir(), Object: id})
	case in(f.close):
		c.begin(g, trace.Event{Op: trace.OpClose, Object: pick(chans...)})
	case in(f.buffered):
		c.begin(g, trace.Event{Op: dir(), Object: chanZ})
	case in(f.selects):
		e := trace.Event{Op: trace.OpSelect}
		for range 1 + c.r.IntN(2) {
			e.Cases = append(e.Cases, trace.Case{Op: dir(), Object: pick(chans...)})
		}
		if c.r.IntN(3) == 0 {
			e.Flags = trace.HasDefault
		}
		c.begin(g, e)
	case in(f.mutex):
		c.begin(g, trace.Event{Op: trace.OpLock, Object: pick(mutexM, mutexN)})
	case in(f.rwmutex):
		if c.r.IntN(3) == 0 {
			c.begin(g, trace.Event{Op: trace.OpLock, Object: rwmutexR})
		} else {
			c.begin(g, trace.Event{Op: trace.OpRLock, Object: rwmutexR})
		}
	case in(f.group):
		switch {
		case c.r.IntN(4) == 0:
			c.begin(g, trace.Event{Op: trace.OpWait, Object: groupW})
		case c.count[groupW] > 0 && c.r.IntN(2) == 0:
			c.begin(g, trace.Event{Op: trace.OpAdd, Object: groupW, Delta: -1})
		default:
			c.begin(g, trace.Event{Op: trace.OpAdd, Object: groupW, Delta: 1})
		}
	default:
		c.begin(g, trace.Event{Op: []trace.Op{trace.OpRead, trace.OpWrite}[c.r.IntN(2)], Object: varV})
	}
}

// cases are the alternatives of a pending operation.
func casesOf(e *trace.Event) []trace.Case {
	if e.Op == trace.OpSelect {
		return e.Cases
	}
	return []trace.Case{{Op: e.Op, Object: e.Object}}
}

// try completes the pending operation of a goroutine, if that is possible.
func (c *recording) try(g int) bool {
	e := c.lastOf(g)
	id := e.Object
	me := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}
	switch e.Op {
	case trace.OpSend, trace.OpRecv, trace.OpSelect:
		return c.communicate(g, me)
	case trace.OpClose:
		if c.closed[id] {
			e.Flags |= trace.Panicked
			c.gs[g].dead = true
		}
		c.closed[id] = true
	case trace.OpLock:
		if c.holder[id] > 0 || c.reads[id] > 0 {
			return false
		}
		c.holder[id] = g + 1
		c.gs[g].holds = append(c.gs[g].holds, id)
		e.Partner = c.last[id]
	case trace.OpRLock:
		if c.holder[id] > 0 {
			return false
		}
		c.reads[id]++
		c.gs[g].readsIn = append(c.gs[g].readsIn, id)
		e.Partner = c.last[id]
	case trace.OpUnlock:
		c.holder[id], c.last[id] = 0, me
	case trace.OpRUnlock:
		c.reads[id]--
	case trace.OpAdd:
		if c.count[id]+e.Delta < 0 {
			e.Delta = 1
		}
		c.count[id] += e.Delta
		c.seq[id]++
		e.Seq, e.Counter = c.seq[id], c.count[id]
		e.Flags |= trace.Counted
	case trace.OpWait:
		if c.count[id] != 0 {
			return false
		}
		c.seq[id]++
		e.Seq = c.seq[id]
	}
	c.complete(g)
	return true
}

func (c *recording) communicate(g int, me trace.Ref) bool {
	e := c.lastOf(g)
	cases := casesOf(e)
	take := func(g, i int, from trace.Ref, flags trace.Flags) {
		e := c.lastOf(g)
		if e.Op == trace.OpSelect {
			e.Case = int32(i)
		}
		e.Partner = from
		e.Flags |= flags
		c.complete(g)
	}
	for _, i := range c.r.Perm(len(cases)) {
		k := cases[i]
		capacity := c.t.Object(k.Object).Cap
		switch {
		case k.Op == trace.OpSend && c.closed[k.Object]:
			take(g, i, trace.Unknown, trace.Panicked)
			c.gs[g].dead = true
			return true
		case k.Op == trace.OpSend && capacity > 0:
			if len(c.full[k.Object]) < capacity {
				c.full[k.Object] = append(c.full[k.Object], me)
				take(g, i, trace.Unknown, 0)
				return true
			}
		case capacity > 0 && len(c.full[k.Object]) > 0:
			from := c.full[k.Object][0]
			c.full[k.Object] = c.full[k.Object][1:]
			take(g, i, from, 0)
			return true
		case k.Op == trace.OpRecv && c.closed[k.Object]:
			take(g, i, trace.Unknown, trace.Closed)
			return true
		case capacity == 0:
			for _, h := range c.r.Perm(len(c.gs)) {
				if h == g || !c.gs[h].pending || c.gs[h].dead {
					continue
				}
				for j, o := range casesOf(c.lastOf(h)) {
					if o.Object != k.Object || o.Op == k.Op || o.Op != trace.OpSend && o.Op != trace.OpRecv {
						continue
					}
					you := trace.Ref{Goroutine: trace.GoroutineID(h + 1), PC: c.lastOf(h).PC}
					if k.Op == trace.OpRecv {
						take(g, i, you, 0)
						take(h, j, trace.Unknown, 0)
					} else {
						take(g, i, trace.Unknown, 0)
						take(h, j, me, 0)
					}
					return true
				}
			}
		}
	}
	if e.Op == trace.OpSelect && e.Has(trace.HasDefault) {
		take(g, trace.DefaultCase, trace.Unknown, 0)
		return true
	}
	return false
}

// mode says in which order critical sections may come.
type mode int

const (
	asRecorded mode = iota
	preserved       // in the recorded order, and some left out
	anyOrder
)

// world is what the oracle knows of a recorded run.
type world struct {
	c    *recording
	peer map[trace.Ref]trace.Ref
	did  map[trace.Ref]trace.Case // what was done, of a select the case taken
	mode mode
	// large: there are more states than the oracle looks at.
	large bool
}

// maxOracle bounds the states of a trace.
const maxOracle = 5000

func newWorld(c *recording, m mode) *world {
	w := &world{c: c, peer: map[trace.Ref]trace.Ref{}, did: map[trace.Ref]trace.Case{}, mode: m}
	for g := range c.gs {
		for i := range c.events(g) {
			e := &c.events(g)[i]
			r := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: int32(i + 1)}
			if e.Phase == trace.Pre {
				continue
			}
			k := trace.Case{Op: e.Op, Object: e.Object}
			if e.Op == trace.OpSelect {
				if k = (trace.Case{}); e.Case >= 0 {
					k = e.Cases[e.Case]
				}
			}
			w.did[r] = k
			if k.Op == trace.OpRecv && e.Partner.Known() {
				w.peer[r], w.peer[e.Partner] = e.Partner, r
			}
		}
	}
	return w
}

func (w *world) event(r trace.Ref) *trace.Event { return &w.c.events(int(r.Goroutine - 1))[r.PC-1] }

// state is what was done: how many operations of each goroutine, and the channel's order.
type state struct {
	pos   []int32
	sent  []trace.Ref // on the buffered channel, in order
	taken []trace.Ref // from it
	last  [numObjects + 1]int
}

func (s *state) key() string { return fmt.Sprint(s.pos, s.sent, s.taken, s.last) }

func (s *state) done(r trace.Ref) bool { return s.pos[r.Goroutine-1] >= r.PC }

func (s *state) clone() *state {
	return &state{pos: slices.Clone(s.pos), sent: slices.Clone(s.sent), taken: slices.Clone(s.taken), last: s.last}
}

// next is the operation that a goroutine is about to do, false if it has done all.
func (w *world) next(s *state, g int) (trace.Ref, bool) {
	r := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: s.pos[g] + 1}
	if int(s.pos[g]) == len(w.c.events(g)) {
		return r, false
	}
	if g > 0 && s.pos[0] < int32(g) { // the main goroutine begins by starting the others
		return r, false
	}
	return r, true
}

// held says who has a lock: the acquiring operations that are done, and not their releases.
func (w *world) held(s *state, id trace.ObjectID) (writers, readers []trace.Ref) {
	for g := range s.pos {
		var open, read []trace.Ref
		for pc := int32(1); pc <= s.pos[g]; pc++ {
			r := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: pc}
			e := w.event(r)
			if e.Object != id {
				continue
			}
			switch e.Op {
			case trace.OpLock:
				open = append(open, r)
			case trace.OpUnlock:
				open = open[:len(open)-1]
			case trace.OpRLock:
				read = append(read, r)
			case trace.OpRUnlock:
				read = read[:len(read)-1]
			}
		}
		writers, readers = append(writers, open...), append(readers, read...)
	}
	return writers, readers
}

// step does the next operation of a goroutine, nil if that is not possible now.
func (w *world) step(s *state, g int) *state {
	r, ok := w.next(s, g)
	if !ok || w.event(r).Phase == trace.Pre {
		return nil
	}
	e, k := w.event(r), w.did[r]
	n := s.clone()
	n.pos[g]++
	all := func(f func(o trace.Ref, e *trace.Event) bool) bool {
		for o := range w.did {
			if !f(o, w.event(o)) {
				return false
			}
		}
		return true
	}
	switch {
	case e.Has(trace.Panicked) || e.Has(trace.Closed):
		if !all(func(o trace.Ref, f *trace.Event) bool {
			return f.Op != trace.OpClose || f.Object != k.Object || f.Has(trace.Panicked) || s.done(o)
		}) {
			return nil
		}
	case k.Object == chanZ && k.Op == trace.OpSend:
		if len(s.sent)-len(s.taken) >= w.c.t.Object(chanZ).Cap {
			return nil
		}
		n.sent = append(n.sent, r)
	case k.Object == chanZ && k.Op == trace.OpRecv:
		if len(s.taken) >= len(s.sent) || s.sent[len(s.taken)] != w.peer[r] {
			return nil
		}
		n.taken = append(n.taken, r)
	case k.Op == trace.OpSend || k.Op == trace.OpRecv:
		p := w.peer[r]
		if q, ok := w.next(s, int(p.Goroutine-1)); !ok || q != p {
			return nil
		}
		n.pos[p.Goroutine-1]++
	case k.Op == trace.OpLock || k.Op == trace.OpRLock:
		writers, readers := w.held(s, k.Object)
		if len(writers) > 0 || k.Op == trace.OpLock && len(readers) > 0 {
			return nil
		}
		at := w.c.order[r]
		switch w.mode {
		case asRecorded:
			// All that excludes it, and came before, has come.
			if !all(func(o trace.Ref, f *trace.Event) bool {
				excludes := f.Object == k.Object && (f.Op == trace.OpLock || k.Op == trace.OpLock && f.Op == trace.OpRLock)
				return !excludes || w.c.order[o] >= at || s.done(o)
			}) {
				return nil
			}
		case preserved:
			// None that excludes it, and came later, has come.
			if !all(func(o trace.Ref, f *trace.Event) bool {
				excludes := f.Object == k.Object && (f.Op == trace.OpLock || k.Op == trace.OpLock && f.Op == trace.OpRLock)
				return !excludes || w.c.order[o] <= at || !s.done(o)
			}) {
				return nil
			}
		}
	case k.Op == trace.OpWait:
		if !all(func(o trace.Ref, f *trace.Event) bool {
			return f.Op != trace.OpAdd || f.Object != k.Object || f.Seq > e.Seq || s.done(o)
		}) {
			return nil
		}
	}
	return n
}

// complete reports whether all that was recorded as done is.
func (w *world) complete(s *state) bool {
	for r := range w.did {
		if !s.done(r) {
			return false
		}
	}
	return true
}

// explore returns all states, or, if whole is set, those from which everything can be done.
func (w *world) explore(whole bool) []*state {
	seen := map[string]*state{}
	next := map[string][]string{}
	good := map[string]bool{}
	var order []string
	first := &state{pos: make([]int32, len(w.c.gs))}
	var visit func(s *state) bool
	visit = func(s *state) bool {
		k := s.key()
		if seen[k] != nil {
			return good[k]
		}
		if w.large = w.large || len(seen) > maxOracle; w.large {
			return false
		}
		seen[k] = s
		order = append(order, k)
		ok := w.complete(s)
		for g := range s.pos {
			if n := w.step(s, g); n != nil {
				next[k] = append(next[k], n.key())
				ok = visit(n) || ok
			}
		}
		good[k] = ok
		return ok
	}
	visit(first)
	var out []*state
	for _, k := range order {
		if !whole || good[k] {
			out = append(out, seen[k])
		}
	}
	return out
}

// matrix is which operations are completed before others are begun, by the definition: there is a path of
// edges. The edges are the order of goroutines, and what the state says of the buffered channel.
func (w *world) matrix(s *state) string {
	type half struct {
		r    trace.Ref
		post bool
	}
	next := map[half][]half{}
	edge := func(a, b half) { next[a] = append(next[a], b) }
	var ops []trace.Ref
	for g := range w.c.gs {
		for i := range w.c.events(g) {
			r := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: int32(i + 1)}
			ops = append(ops, r)
			if i > 0 {
				edge(half{trace.Ref{Goroutine: r.Goroutine, PC: r.PC - 1}, true}, half{r, false})
			} else if g > 0 {
				edge(half{trace.Ref{Goroutine: 1, PC: int32(g)}, true}, half{r, false})
			}
			if _, ok := w.did[r]; ok {
				edge(half{r, false}, half{r, true})
			}
		}
	}
	for r, k := range w.did {
		e := w.event(r)
		for o, l := range w.did {
			f := w.event(o)
			before := w.c.order[o] < w.c.order[r]
			same := k.Object == l.Object
			switch {
			case l.Op == trace.OpClose && same && !f.Has(trace.Panicked) && (e.Has(trace.Closed) || e.Has(trace.Panicked)),
				l.Op == trace.OpUnlock && same && before && (k.Op == trace.OpLock || k.Op == trace.OpRLock),
				l.Op == trace.OpRUnlock && same && before && k.Op == trace.OpLock,
				l.Op == trace.OpAdd && same && before && k.Op == trace.OpWait:
				edge(half{o, true}, half{r, true})
			}
		}
		p, ok := w.peer[r]
		switch {
		case !ok:
		case k.Object == chanZ && k.Op == trace.OpRecv:
			edge(half{p, true}, half{r, true})
		case k.Object != chanZ:
			edge(half{p, true}, half{r, true}) // both ends are one
			edge(half{p, false}, half{r, true})
		}
	}
	for i, r := range s.taken {
		if n := i + w.c.t.Object(chanZ).Cap; n < len(s.sent) {
			edge(half{r, true}, half{s.sent[n], true})
		}
	}
	var out strings.Builder
	for _, a := range ops {
		reached := map[half]bool{}
		var walk func(h half)
		walk = func(h half) {
			if !reached[h] {
				reached[h] = true
				for _, n := range next[h] {
					walk(n)
				}
			}
		}
		if _, ok := w.did[a]; ok {
			walk(half{a, true})
		}
		for _, b := range ops {
			if a.Goroutine != b.Goroutine && reached[half{b, false}] {
				fmt.Fprintf(&out, "%v<%v ", a, b)
			}
		}
	}
	return out.String()
}

// matrixOf is the same by clocks.
func matrixOf(c *clocks) string {
	var out strings.Builder
	for g := range c.p.ops {
		for i := range c.p.ops[g] {
			a := ref(int32(g), int32(i+1))
			for h := range c.p.ops {
				for j := range c.p.ops[h] {
					if b := ref(int32(h), int32(j+1)); g != h && c.before(a, b) {
						fmt.Fprintf(&out, "%v<%v ", a, b)
					}
				}
			}
		}
	}
	return out.String()
}

func textOf(t *trace.Trace) string {
	var out bytes.Buffer
	_ = trace.Format(&out, t)
	return out.String()
}

// pair is two operations that can be about to be done at once.
type pair [2]trace.Ref

// TestOracle compares the clocks and the analyses of random traces with all their reorderings.
func TestOracle(t *testing.T) {
	t.Parallel()
	total := stats{}
	for seed := range uint64(*traces) {
		f := families[seed%uint64(len(families))]
		c := record(seed, f)
		require.NoError(t, c.t.Validate(), "%d\n%s", seed, textOf(c.t))
		if problem := compare(c, &total); problem != "" {
			t.Fatalf("seed %d, %s: %s\n%s", seed, f.name, problem, textOf(c.t))
		}
	}
	t.Logf("%+v", total)
	// The traces have what is compared.
	require.Positive(t, total.Orders)
	require.Positive(t, total.Cycles)
	require.Positive(t, total.Mixed)
	require.Positive(t, total.Races)
	require.Positive(t, total.Reordered)
	require.Positive(t, total.Negative)
	require.Positive(t, total.Closed)
	require.Positive(t, total.ClosedReordered)
	require.Positive(t, total.Reuse)
	require.Positive(t, total.Alone)
	require.Less(t, 20*total.Large, *traces)
	// Cycles that no reordering has are rare.
	require.LessOrEqual(t, 100*(total.Unwitnessed-total.UnwitnessedReal), total.Cycles)
}

// stats count what was compared.
type stats struct {
	Orders, Cycles, Mixed, Races, Reordered, Negative, Closed, ClosedReordered, Reuse, Alone int
	// Unwitnessed are cycles for which no reordering was found, UnwitnessedReal those that have one.
	Unwitnessed, UnwitnessedReal int
	// Large are traces with too many states.
	Large int
	// MissedReordered are sends that can be behind a close, and for which no reordering was found.
	MissedReordered int
}

func compare(c *recording, total *stats) string {
	// In the other modes there are less states.
	if w := newWorld(c, anyOrder); w.explore(false) == nil || w.large {
		total.Large++
		return ""
	}
	// The clocks of all orders.
	p := newProgram(c.t, false)
	got := map[string]bool{}
	cov, err := orders(p, Limits{Orders: 100000, Work: 100_000_000}.withDefaults(), func(b both) error {
		got[matrixOf(b.must)] = true
		return nil
	})
	if err != nil {
		return err.Error()
	}
	w := newWorld(c, asRecorded)
	states := w.explore(true)
	want := map[string]bool{}
	for _, s := range states {
		if w.complete(s) {
			want[w.matrix(s)] = true
		}
	}
	if !cov.Complete || cov.Forced > 0 || cov.Mismatched > 0 {
		return fmt.Sprintf("coverage %+v", cov)
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d different clocks, %d by the oracle", len(got), len(want))
	}
	for m := range want {
		if !got[m] {
			return fmt.Sprintf("the oracle has an order that the replay has not: %s\nthe replay has %v", m, slices.Sorted(maps.Keys(got)))
		}
	}
	if len(got) > 1 {
		total.Orders++
	}
	r, err := Analyze(c.t, Limits{Orders: 100000, Work: 100_000_000, Pairs: 1000})
	if err != nil {
		return err.Error()
	}
	if len(r.Limits) > 0 {
		return strings.Join(r.Limits, "; ")
	}
	o := &oracle{world: w, r: r, total: total}
	for _, k := range w.did {
		o.buffered = o.buffered || k.Object == chanZ && (k.Op == trace.OpSend || k.Op == trace.OpRecv)
	}
	for _, check := range []func(states []*state) string{o.meetings, o.closes, o.groups, o.deadlocks, o.races} {
		if problem := check(states); problem != "" {
			return problem
		}
	}
	return ""
}

// oracle compares the findings of a trace.
type oracle struct {
	*world
	r     *Result
	total *stats
	// buffered: there are communications on the buffered channel. Of these clocks do not know that
	// values come first in, first out, so that they find more than there is.
	buffered bool
}

// same compares what the oracle has with what was found, as sets of texts.
func (o *oracle) same(what string, want, got map[string]bool) string {
	for k := range want {
		if !got[k] {
			return what + ": not found: " + k
		}
	}
	for k := range got {
		if !want[k] && !o.buffered {
			return what + ": found, and not there: " + k
		}
	}
	return ""
}

// findings are those of some codes.
func (o *oracle) findings(codes ...Code) []*Finding {
	var out []*Finding
	for i := range o.r.Findings {
		if slices.Contains(codes, o.r.Findings[i].Code) {
			out = append(out, &o.r.Findings[i])
		}
	}
	return out
}

// together are the pairs of operations that are next in one state.
func (o *oracle) together(states []*state) map[pair]bool {
	out := map[pair]bool{}
	for _, s := range states {
		for g := range s.pos {
			a, ok := o.next(s, g)
			for h := 0; ok && h < len(s.pos); h++ {
				if b, ok := o.next(s, h); ok && g != h {
					out[pair{a, b}] = true
				}
			}
		}
	}
	return out
}

// meetings compares AC, ASC, DR, leaks of channels, MP, P07, P08 and P10: all that is about two
// operations which can meet. On the buffered channel first in, first out leaves out some.
func (o *oracle) meetings(states []*state) string {
	can := o.together(states)
	// A witness may have another order of critical sections where the clocks allow more than there is.
	anyOrdered := func(p pair) bool {
		return o.buffered && o.together(newWorld(o.c, anyOrder).explore(false))[p]
	}
	want := map[string]map[string]bool{}
	got := map[string]map[string]bool{}
	add := func(in map[string]map[string]bool, code Code, text string) {
		if in[string(code)] == nil {
			in[string(code)] = map[string]bool{}
		}
		in[string(code)][text] = true
	}
	var ops []trace.Ref
	for g := range o.c.gs {
		for i := range o.c.events(g) {
			ops = append(ops, trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: int32(i + 1)})
		}
	}
	offers := func(r trace.Ref, op trace.Op, id trace.ObjectID) bool {
		e := o.event(r)
		if e.Has(trace.Panicked) && o.did[r] == (trace.Case{Op: op, Object: id}) {
			return false
		}
		return slices.ContainsFunc(casesOf(e), func(k trace.Case) bool { return k.Op == op && k.Object == id })
	}
	opposite := map[trace.Op]trace.Op{trace.OpSend: trace.OpRecv, trace.OpRecv: trace.OpSend}
	// known says that a channel is used by operations that are not cases, or by cases that were taken.
	for _, a := range ops {
		e := o.event(a)
		k, done := o.did[a]
		meets := func(k trace.Case, but trace.Ref) []trace.Ref {
			var out []trace.Ref
			for _, b := range ops {
				if b != but && can[pair{a, b}] && offers(b, opposite[k.Op], k.Object) {
					out = append(out, b)
				}
			}
			return out
		}
		if p, ok := o.peer[a]; ok && k.Object != chanZ {
			for _, b := range meets(k, p) {
				add(want, AC, fmt.Sprint(a, b))
			}
		}
		if e.Op == trace.OpSelect && done {
			for i, k := range e.Cases {
				if int(e.Case) != i && k.Object != chanZ {
					partners := meets(k, trace.Unknown)
					for _, b := range partners {
						add(want, ASC, fmt.Sprint(i, a, b))
					}
				}
			}
		}
		if !done && (e.Op == trace.OpSend || e.Op == trace.OpRecv || e.Op == trace.OpSelect) {
			for i, k := range casesOf(e) {
				if k.Object == chanZ {
					continue
				}
				for _, b := range meets(k, trace.Unknown) {
					add(want, DR, fmt.Sprint(i, a, b))
				}
			}
		}
		for _, b := range ops {
			if !can[pair{a, b}] || compareRefs(a, b) > 0 {
				continue
			}
			f := o.event(b)
			if e.Object == varV && f.Object == varV && (e.Op == trace.OpWrite || f.Op == trace.OpWrite) {
				add(want, Race, fmt.Sprint(a.Goroutine, b.Goroutine))
			}
			for id := chanX; id <= chanZ; id++ {
				for _, op := range []trace.Op{trace.OpSend, trace.OpRecv} {
					wants := func(r trace.Ref) bool {
						k, done := o.did[r]
						return offers(r, op, id) && (!done || k == trace.Case{Op: op, Object: id})
					}
					if wants(a) && wants(b) {
						add(want, MP, fmt.Sprint(id, op))
						if op == trace.OpRecv {
							add(want, ConcurrentReceives, fmt.Sprint(id, a.Goroutine, b.Goroutine))
						}
					}
				}
			}
		}
	}
	for i := range o.r.Findings {
		f := &o.r.Findings[i]
		switch f.Code {
		case AC:
			for _, b := range f.refs[2:] {
				if o.did[f.refs[0]].Object != chanZ {
					add(got, AC, fmt.Sprint(f.refs[0], b))
				}
			}
		case ASC, DR:
			n := 0
			if f.Case != nil {
				n = *f.Case
			}
			for _, b := range f.refs[1:] {
				if f.Object != "z" {
					add(got, f.Code, fmt.Sprint(n, f.refs[0], b))
				}
			}
		case Race:
			o.total.Races++
			if f.Witness && !can[pair(f.refs)] && !anyOrdered(pair(f.refs)) {
				return "a race that is none: " + f.String()
			}
			add(got, Race, fmt.Sprint(f.refs[0].Goroutine, f.refs[1].Goroutine))
		case MP:
			id := trace.ObjectID(slices.IndexFunc(o.c.t.Objects, func(x trace.Object) bool { return x.Name == f.Object }) + 1)
			if id > chanZ {
				continue
			}
			op := trace.OpSend
			if strings.Contains(f.Message, "receives") {
				op = trace.OpRecv
			}
			for i, a := range f.refs {
				for _, b := range f.refs[i+1:] {
					if !can[pair{a, b}] && !o.buffered {
						return "no contention: " + f.String()
					}
				}
			}
			add(got, MP, fmt.Sprint(id, op))
		case ConcurrentReceives:
			if !can[pair(f.refs)] && !o.buffered {
				return "receives that are not concurrent: " + f.String()
			}
			id := slices.Index([]string{"", "x", "y", "z"}, f.Object)
			add(got, ConcurrentReceives, fmt.Sprint(id, f.refs[0].Goroutine, f.refs[1].Goroutine))
		case CaseWithoutPartner:
			o.total.Alone++
			k := o.event(f.refs[0]).Cases[*f.Case]
			for _, b := range ops {
				if k.Object != chanZ && can[pair{f.refs[0], b}] && offers(b, opposite[k.Op], k.Object) {
					return fmt.Sprintf("a case has the partner %v: %s", b, f)
				}
			}
		case LeakUnbuffered, LeakUnbufferedAlone:
			k := casesOf(o.event(f.refs[0]))[0]
			has := slices.ContainsFunc(ops, func(b trace.Ref) bool { return can[pair{f.refs[0], b}] && offers(b, opposite[k.Op], k.Object) })
			if has != (f.Code == LeakUnbuffered) && (has || !o.buffered) {
				return "a leak with the wrong code: " + f.String()
			}
		}
	}
	for _, code := range []Code{AC, ASC, DR, Race, MP, ConcurrentReceives} {
		if problem := o.same(string(code), want[string(code)], got[string(code)]); problem != "" {
			return problem
		}
	}
	return ""
}

// closes compares SC: there is a state in which the channel is closed, and the send is next.
func (o *oracle) closes(states []*state) string {
	find := func(states []*state) map[string]bool {
		out := map[string]bool{}
		for _, s := range states {
			for c := range o.did {
				if e := o.event(c); e.Op != trace.OpClose || e.Has(trace.Panicked) || !s.done(c) {
					continue
				}
				id := o.event(c).Object
				for g := range s.pos {
					r, ok := o.next(s, g)
					if !ok || o.event(r).Has(trace.Panicked) && o.did[r].Object == id {
						continue
					}
					for _, k := range casesOf(o.event(r)) {
						if k.Op == trace.OpSend && k.Object == id {
							out[fmt.Sprint(r, c)] = true
						}
					}
				}
			}
		}
		return out
	}
	got, reordered := map[string]bool{}, map[string]bool{}
	any := find(newWorld(o.c, anyOrder).explore(false))
	for _, f := range o.findings(SC) {
		if k := fmt.Sprint(f.refs[0], f.refs[1]); f.Witness && !any[k] {
			return "SC: no reordering: " + k
		}
		if f.Reordered {
			o.total.ClosedReordered++
			reordered[fmt.Sprint(f.refs[0], f.refs[1])] = true
		} else {
			o.total.Closed++
			got[fmt.Sprint(f.refs[0], f.refs[1])] = true
		}
	}
	want := find(states)
	if problem := o.same("SC", want, got); problem != "" {
		return problem
	}
	for k := range reordered {
		if !any[k] {
			return "SC reordered: found, and not there: " + k
		}
	}
	for k := range any {
		if !want[k] && !reordered[k] {
			o.total.MissedReordered++
		}
	}
	return ""
}

// groups compares P03: there is a state in which the counter is negative; P09 only if it is there.
func (o *oracle) groups(states []*state) string {
	negative := false
	zero := map[pair]bool{}
	for _, s := range states {
		n := int32(0)
		for r := range o.did {
			if o.event(r).Op == trace.OpAdd && s.done(r) {
				n += o.event(r).Delta
			}
		}
		negative = negative || n < 0
		for g := range s.pos {
			a, ok := o.next(s, g)
			for h := 0; ok && n == 0 && h < len(s.pos); h++ {
				if b, ok := o.next(s, h); ok {
					zero[pair{a, b}] = true
				}
			}
		}
	}
	found := o.findings(PossibleNegativeCounter)
	o.total.Negative += len(found)
	if negative != (len(found) > 0) && (negative || !o.buffered) {
		return fmt.Sprintf("P03: the counter can be negative: %t; found: %d", negative, len(found))
	}
	for _, f := range o.findings(WaitGroupReuse) {
		o.total.Reuse++
		if !zero[pair(f.refs)] && f.Witness {
			return "P09: found, and not there: " + f.String()
		}
	}
	return ""
}

// deadlocks compares P05 and P06: who is stuck in some order of critical sections is in a cycle that was
// found, and the operations of a cycle that has a witness can be next at once.
func (o *oracle) deadlocks([]*state) string {
	w := newWorld(o.c, anyOrder)
	states := w.explore(false)
	found := map[string]bool{}
	for _, f := range o.findings(LockCycle, MixedCycle) {
		if f.Code == LockCycle {
			o.total.Cycles++
		} else {
			o.total.Mixed++
		}
		found[fmt.Sprint(f.refs)] = true
		real := slices.ContainsFunc(states, func(s *state) bool {
			return !slices.ContainsFunc(f.refs, func(r trace.Ref) bool { n, ok := w.next(s, int(r.Goroutine-1)); return !ok || n != r })
		})
		if f.Witness && !real {
			return "no reordering: " + f.String()
		}
		if !f.Witness {
			o.total.Unwitnessed++
			if real {
				o.total.UnwitnessedReal++
			}
		}
	}
	for _, s := range states {
		for _, cycle := range w.stuck(s) {
			if !found[fmt.Sprint(cycle)] {
				return fmt.Sprintf("a deadlock that was not found: %v", cycle)
			}
		}
	}
	return ""
}

// stuck are the cycles of goroutines that wait for each other in a state, those with a lock.
func (w *world) stuck(s *state) [][]trace.Ref {
	waits := map[trace.Ref][]trace.Ref{}
	for g := range s.pos {
		r, ok := w.next(s, g)
		if !ok {
			continue
		}
		e := w.event(r)
		var on []int
		switch {
		case e.Op == trace.OpLock || e.Op == trace.OpRLock:
			writers, readers := w.held(s, e.Object)
			if e.Op == trace.OpRLock {
				readers = nil
			}
			for _, h := range append(writers, readers...) {
				on = append(on, int(h.Goroutine-1))
			}
		case (e.Op == trace.OpSend || e.Op == trace.OpRecv) && e.Object != chanZ:
			if p, ok := w.peer[r]; ok {
				on = append(on, int(p.Goroutine-1))
			}
		}
		for _, h := range on {
			if q, ok := w.next(s, h); ok {
				waits[r] = append(waits[r], q)
			}
		}
	}
	var out [][]trace.Ref
	for first := range waits {
		var walk func(path []trace.Ref)
		walk = func(path []trace.Ref) {
			for _, n := range waits[path[len(path)-1]] {
				if n == first {
					if w.counts(path) {
						out = append(out, slices.Clone(path))
					}
				} else if compareRefs(n, first) > 0 && !slices.Contains(path, n) {
					walk(append(slices.Clone(path), n))
				}
			}
		}
		walk([]trace.Ref{first})
	}
	return out
}

// counts reports whether a cycle has a lock, and no two goroutines that could communicate.
func (w *world) counts(cycle []trace.Ref) bool {
	lock := false
	for i, r := range cycle {
		e := w.event(r)
		lock = lock || e.Op == trace.OpLock || e.Op == trace.OpRLock
		for _, q := range cycle[i+1:] {
			if f := w.event(q); e.Object == f.Object && e.Op != f.Op && e.Object <= chanZ {
				return false
			}
		}
	}
	return lock
}

// races compares P11 with sync-preserving reorderings: those in which critical sections that have begun
// keep their order. With buffered channels it compares only those that have a witness: a beginning of
// another order, which has no end, is not in the clocks.
func (o *oracle) races([]*state) string {
	if o.buffered {
		can := o.together(newWorld(o.c, anyOrder).explore(false))
		for _, f := range o.findings(ReorderedRace) {
			if f.Witness && !can[pair(f.refs)] {
				return "P11: no reordering: " + f.String()
			}
		}
		return ""
	}
	can := o.together(newWorld(o.c, preserved).explore(false))
	must := o.together(o.explore(false))
	want, got := map[string]bool{}, map[string]bool{}
	for p := range can {
		a, b := o.event(p[0]), o.event(p[1])
		if compareRefs(p[0], p[1]) < 0 && a.Object == varV && b.Object == varV && (a.Op == trace.OpWrite || b.Op == trace.OpWrite) && !must[p] {
			want[fmt.Sprint(p)] = true
		}
	}
	for _, f := range o.findings(ReorderedRace) {
		o.total.Reordered++
		got[fmt.Sprint(pair(f.refs))] = true
	}
	return o.same("P11", want, got)
}
