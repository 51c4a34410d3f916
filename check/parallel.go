package check

import (
	"errors"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A round of a breadth-first search is expanded by all workers in passes of
// four phases, each of which ends before the next begins:
//
//  1. expand: workers take blocks of states in turn and keep the successors that
//     the table does not have, by shards of the table;
//  2. distinguish: each worker goes through one shard, in the order in which one
//     worker alone would have found the states, and drops repetitions;
//  3. number: the new states get numbers in that order;
//  4. store: each worker writes the new states of its shard and enters them into
//     the table.
//
// So there is one writer for every segment and every state, and the result is
// that of a search by one worker, numbers of states and traces included.

const (
	blockLen    = 16      // states that a worker takes at a time
	minParallel = 256     // states that are worth the phases, but for Options.eager
	passBytes   = 1 << 22 // what successors of a pass may take, unless the budget is small: it is for the caches
	maxWorkers  = 64
	// padding keeps what workers write to apart, at least by a pair of cache
	// lines.
	padding = 128
)

// errSpill says that a pass found more successors than it may keep.
var errSpill = errors.New("too many successors for a pass")

// shardOut are the successors that a worker has found for one shard, as
// records: the hash, the order, and the words of the state.
type shardOut struct {
	records []uint64
	_       [padding]byte
}

// parallelWorker is the part of a worker that takes part in passes.
type parallelWorker struct {
	passing bool // successors are kept, not stored
	out     []shardOut
	words   int // kept in all
	recent  *recent
	seq     uint32 // successors of the state being expanded
	work    int
	err     error

	// Successors that have not been sifted.
	pending   int
	pendW     []uint64
	pendHash  [batchLen]uint64
	pendOrder [batchLen]uint64

	// Of the worker's shard.
	fresh    []freshState
	distinct distinct
	sink     uint64
	_        [padding]byte
}

// freshState is a new state of a pass.
type freshState struct {
	record []uint64
	number uint32
	stored bool
}

// order gives the place of a record in the search of one worker: the parent,
// then the number among its successors.
func order(record []uint64) uint64 { return record[1] }

// workersOf is the number of workers that the options ask for.
func workersOf(opts *Options) int {
	n := opts.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, maxWorkers)
}

// recruit makes the workers that the options ask for, and reports whether
// there are several. It needs memory, and does without if there is none.
func (s *search) recruit() bool {
	if !s.recruited {
		s.recruited = true
		n := workersOf(s.opts)
		room := int64(passBytes)
		if s.mem.limit > 0 {
			room = min(room, (s.mem.limit-s.mem.used)/8)
		}
		perWorker := int64(len(s.prog.cells)) * cellBytes
		if s.structure != nil {
			perWorker += s.structure.bytes
		}
		if s.prog.width <= recentWidth {
			perWorker += recentBytes
		}
		if n > 1 && room > 1<<20 && s.mem.take(room+int64(n)*perWorker) == nil {
			s.passWords = int(room / 32) // slices may double
			for range n - 1 {
				w := newWorker(s)
				if r := s.workers[0].r; r != nil {
					w.r = newReducer(s.structure)
					w.r.cubes, w.r.open, w.r.deadlock, w.r.keySteps = r.cubes, r.open, r.deadlock, r.keySteps
				}
				s.workers = append(s.workers, w)
			}
			for _, w := range s.workers {
				w.out = make([]shardOut, n)
				if s.prog.width <= recentWidth {
					w.recent = newRecent(s.prog.width)
				}
			}
		}
	}
	return len(s.workers) > 1
}

// worthwhile reports whether some states are worth the effort of all workers.
func (s *search) worthwhile(states int) bool {
	return states >= minParallel || s.opts.eager && states > 1
}

// together runs f for every worker at the same time, and returns the first
// worker's error that is not nil.
func (s *search) together(f func(i int, w *worker) error) error {
	var wg sync.WaitGroup
	for i, w := range s.workers[1:] {
		wg.Go(func() { w.err = f(i+1, w) })
	}
	s.workers[0].err = f(0, s.workers[0])
	wg.Wait()
	for _, w := range s.workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// pass expands some states from the head on, up to end.
func (s *search) pass(end int) error {
	type counts struct{ transitions, offered, kept, fused, detours int }
	before := make([]counts, len(s.workers))
	for i, w := range s.workers {
		before[i].transitions = w.transitions
		if w.r != nil {
			before[i] = counts{w.transitions, w.r.offered, w.r.kept, w.r.fused, w.r.detours}
		}
		w.words, w.fresh = 0, w.fresh[:0]
		w.pending, w.pendW = 0, w.pendW[:0]
		for k := range w.out {
			w.out[k].records = w.out[k].records[:0]
		}
	}
	var next atomic.Int64
	next.Store(int64(s.head))
	var stop atomic.Bool
	var numbered error
	phase := newBarrier(len(s.workers))
	err := s.together(func(i int, w *worker) error {
		w.passing = true
		err := w.expandBlocks(&next, end, &stop)
		w.passing = false
		if err != nil {
			stop.Store(true)
		}
		phase.wait(nil)
		if stop.Load() {
			return err
		}
		w.distinguish(i)
		phase.wait(func() { numbered = s.numberFresh() })
		return w.storeFresh()
	})
	end = min(end, int(next.Load()))
	if errors.Is(err, errSpill) {
		for i, w := range s.workers {
			w.transitions = before[i].transitions
			if w.recent != nil {
				w.recent.clear()
			}
			if w.r != nil {
				b := before[i]
				w.r.offered, w.r.kept, w.r.fused, w.r.detours = b.offered, b.kept, b.fused, b.detours
			}
		}
		return s.expandAlone(end)
	}
	if err == nil {
		err = numbered
	}
	if err == nil {
		s.head = end
	}
	return err
}

// expandBlocks expands blocks of states in turn with the other workers, until the
// pass is full or one of them stops.
func (w *worker) expandBlocks(next *atomic.Int64, end int, stop *atomic.Bool) error {
	for !stop.Load() && w.words < w.s.passWords/len(w.s.workers) {
		from := int(next.Add(blockLen)) - blockLen
		for i := from; i < min(from+blockLen, end); i++ {
			if err := w.expandState(uint32(i)); err != nil {
				return err
			}
		}
		if from+blockLen >= end {
			break
		}
	}
	return w.sift()
}

// keep notes a successor of the state being expanded.
func (w *worker) keep(words []uint64) error {
	h := hash(words)
	if w.recent != nil && w.recent.seen(words, h) {
		return nil
	}
	w.pendW = append(w.pendW, words...)
	w.pendHash[w.pending], w.pendOrder[w.pending] = h, uint64(w.at)<<32|uint64(w.seq)
	w.seq++
	if w.pending++; w.pending < batchLen {
		return nil
	}
	return w.sift()
}

// sift makes records of those successors that the table does not have. Nobody
// writes to it meanwhile.
func (w *worker) sift() error {
	s := w.s
	width := s.prog.width
	w.sink += s.store.warm(w.pendHash[:w.pending])
	for k, h := range w.pendHash[:w.pending] {
		words := w.pendW[k*width : (k+1)*width]
		if s.store.holds(words, h) {
			continue
		}
		seg, _ := split(h)
		out := &w.out[int(seg)%len(w.out)]
		out.records = append(out.records, h, w.pendOrder[k])
		out.records = append(out.records, words...)
		w.words += width + 2
	}
	w.pending, w.pendW = 0, w.pendW[:0]
	if w.words > s.passWords {
		return errSpill
	}
	return nil
}

// distinguish lists the different states of a shard, in the order of their first
// records.
func (w *worker) distinguish(shard int) {
	size := w.s.prog.width + 2
	lists := make([][]uint64, len(w.s.workers))
	n := 0
	for i, x := range w.s.workers {
		lists[i] = x.out[shard].records
		n += len(lists[i]) / size
	}
	w.distinct.reset(n)
	for range n {
		first := -1
		for i, l := range lists {
			if len(l) > 0 && (first < 0 || order(l) < order(lists[first])) {
				first = i
			}
		}
		r := lists[first][:size:size]
		lists[first] = lists[first][size:]
		if w.isFirst(r) {
			w.fresh = append(w.fresh, freshState{record: r})
		}
	}
}

// distinct finds the states of a shard in fresh: a hash table of indices plus
// one, with linear probing, that is small enough for the processor's caches.
type distinct struct {
	slots []uint32
	shift uint8
}

// reset empties the table, for up to n states.
func (d *distinct) reset(n int) {
	size := bits.Len(uint(2*n | 15))
	d.shift = uint8(64 - size)
	if n := 1 << size; n <= cap(d.slots) {
		d.slots = d.slots[:n]
		clear(d.slots)
	} else {
		d.slots = make([]uint32, n)
	}
}

// isFirst reports whether the state of a record is the next one for fresh, and
// notes it in the table.
func (w *worker) isFirst(r []uint64) bool {
	slots := w.distinct.slots
	for i := r[0] >> (w.distinct.shift & 63); ; i++ {
		slot := &slots[i&uint64(len(slots)-1)]
		if *slot == 0 {
			*slot = uint32(len(w.fresh) + 1)
			return true
		}
		if x := w.fresh[*slot-1].record; x[0] == r[0] && w.s.store.alike(x, r) {
			return false
		}
	}
}

// numberFresh numbers the new states of all shards in their order, as far as
// there is room.
func (s *search) numberFresh() error {
	at := make([]int, len(s.workers))
	for {
		var first *freshState
		k := 0
		for i, w := range s.workers {
			if at[i] < len(w.fresh) {
				if f := &w.fresh[at[i]]; first == nil || order(f.record) < order(first.record) {
					first, k = f, i
				}
			}
		}
		if first == nil {
			return nil
		}
		if err := s.store.room(1); err != nil {
			return err
		}
		first.number, first.stored = uint32(s.store.n), true
		s.store.n++
		at[k]++
	}
}

// storeFresh writes the new states of the worker's shard, and enters them into the
// table, as far as there is room.
func (w *worker) storeFresh() (err error) {
	store := w.s.store
	for fresh := w.fresh; len(fresh) > 0; {
		n := min(len(fresh), batchLen)
		for _, f := range fresh[:n] { // see packedStore.warm
			seg, tag := split(f.record[0])
			g := &store.segs[seg]
			w.sink += g.slots[g.home(tag)]
		}
		for _, f := range fresh[:n] {
			if !f.stored {
				return err // nor are the others
			}
			copy(store.state(f.number), f.record[2:])
			if store.compact {
				*store.mark(f.number) = f.record[0]
			}
			word, shift := store.parentWord(f.number)
			// The neighbour's may be written at the same time.
			atomic.OrUint64(word, order(f.record)>>32<<shift)
			seg, tag := split(f.record[0])
			g := &store.segs[seg]
			if err == nil {
				err = store.enter(g, tag, f.number, g.position(tag))
			}
		}
		fresh = fresh[n:]
	}
	return err
}

// pollPass is the poll of machines during a pass.
func (w *worker) pollPass(work int) error {
	if w.work += work; w.work < 1<<13 {
		return nil
	}
	w.work = 0
	return w.s.late(time.Now())
}
