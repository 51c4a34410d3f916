package check

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A round of a breadth-first search is expanded by all workers in passes of
// four phases, each of which ends before the next begins:
//
//  1. expand: workers take blocks of states in turn and keep what they find, by
//     shards of the table;
//  2. look up: each worker goes through one shard, in the order in which one
//     worker alone would have found the states;
//  3. number: new states get numbers in that order;
//  4. store: each worker writes the new states of its shard.
//
// So there is one writer for every segment and every state, and the result is
// that of a search by one worker, numbers of states and traces included.

const (
	blockLen    = 16      // states that a worker takes at a time
	minParallel = 256     // states that are worth the phases, but for Options.eager
	passBytes   = 1 << 24 // what successors of a pass may take, unless the budget is small
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

	// Of the shard that the worker looks up.
	fresh []freshState
	sink  uint64
	_     [padding]byte
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
	var next atomic.Int64
	next.Store(int64(s.head))
	var stop atomic.Bool
	type counts struct{ transitions, offered, kept, fused, detours int }
	before := make([]counts, len(s.workers))
	for i, w := range s.workers {
		before[i].transitions = w.transitions
		if w.r != nil {
			before[i] = counts{w.transitions, w.r.offered, w.r.kept, w.r.fused, w.r.detours}
		}
		w.passing, w.words, w.fresh = true, 0, w.fresh[:0]
		for k := range w.out {
			w.out[k].records = w.out[k].records[:0]
		}
	}
	err := s.together(func(_ int, w *worker) error {
		for !stop.Load() && w.words < s.passWords/len(s.workers) {
			from := int(next.Add(blockLen)) - blockLen
			for i := from; i < min(from+blockLen, end); i++ {
				if err := w.expandState(uint32(i)); err != nil {
					stop.Store(true)
					return err
				}
			}
			if from+blockLen >= end {
				break
			}
		}
		return nil
	})
	for _, w := range s.workers {
		w.passing = false
	}
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
	if err != nil {
		return err
	}
	base := uint32(s.store.len())
	if err := s.together(func(i int, w *worker) error { return w.lookUp(i, base) }); err != nil {
		return err
	}
	err = s.numberFresh()
	if err2 := s.together(func(_ int, w *worker) error { w.storeFresh(base); return nil }); err == nil {
		err = err2
	}
	if err == nil {
		s.head = end
	}
	return err
}

// keep notes a successor of the state being expanded.
func (w *worker) keep(words []uint64) error {
	h := hash(words)
	if w.recent != nil && w.recent.seen(words, h) {
		return nil
	}
	seg, _ := split(h)
	out := &w.out[int(seg)%len(w.out)]
	out.records = append(out.records, h, uint64(w.at)<<32|uint64(w.seq))
	out.records = append(out.records, words...)
	w.seq++
	if w.words += len(words) + 2; w.words > w.s.passWords {
		return errSpill
	}
	return nil
}

// lookUp goes through a shard. New states enter the table with numbers from
// base on, in the order of this shard.
func (w *worker) lookUp(shard int, base uint32) error {
	s := w.s
	store, size := s.store, s.prog.width+2
	lists := make([][]uint64, len(s.workers))
	for i, x := range s.workers {
		lists[i] = x.out[shard].records
	}
	var batch [batchLen][]uint64
	for {
		n := 0
		for ; n < batchLen; n++ {
			first := -1
			for i, l := range lists {
				if len(l) > 0 && (first < 0 || order(l) < order(lists[first])) {
					first = i
				}
			}
			if first < 0 {
				break
			}
			batch[n] = lists[first][:size:size]
			lists[first] = lists[first][size:]
		}
		if n == 0 {
			return nil
		}
		// See packedStore.flush.
		sum := w.sink
		for _, r := range batch[:n] {
			seg, tag := split(r[0])
			g := &store.segs[seg]
			sum += g.slots[g.home(tag)]
		}
		for _, r := range batch[:n] {
			seg, tag := split(r[0])
			if e := store.segs[seg].first(tag); e != 0 && uint32(e)-1 < base {
				sum += *store.touch(uint32(e) - 1)
			}
		}
		w.sink = sum
		for _, r := range batch[:n] {
			if err := w.enterRecord(r, base); err != nil {
				return err
			}
		}
	}
}

// enterRecord enters the state of a record if it is new.
func (w *worker) enterRecord(r []uint64, base uint32) error {
	seg, tag := split(r[0])
	g := &w.s.store.segs[seg]
	pos := g.home(tag)
	for ; ; pos++ {
		e := g.slots[pos]
		if e == 0 || uint32(e>>32) > tag {
			break
		}
		if uint32(e>>32) != tag {
			continue
		}
		i := uint32(e) - 1
		if i >= base && w.s.store.alike(w.fresh[i-base].record, r) || i < base && w.s.store.same(i, r[2:], r[0]) {
			return nil
		}
	}
	if uint64(base)+uint64(len(w.fresh)) >= 1<<32-2 {
		return errIndex
	}
	if err := w.s.store.enter(g, tag, base+uint32(len(w.fresh)), pos); err != nil {
		return err
	}
	w.fresh = append(w.fresh, freshState{record: r})
	return nil
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

// storeFresh writes the new states of the worker's shard, and their numbers
// into the table.
func (w *worker) storeFresh(base uint32) {
	store := w.s.store
	// Backwards: final numbers are never below provisional ones, so that none
	// that was written is taken for a provisional one of the same tag.
	for k := len(w.fresh) - 1; k >= 0; k-- {
		f := &w.fresh[k]
		if !f.stored {
			continue
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
		pos := g.home(tag)
		for g.slots[pos] != uint64(tag)<<32|uint64(base+uint32(k)+1) {
			pos++
		}
		g.slots[pos] = uint64(tag)<<32 | uint64(f.number+1)
	}
}

// pollPass is the poll of machines during a pass.
func (w *worker) pollPass(work int) error {
	if w.work += work; w.work < 1<<13 {
		return nil
	}
	w.work = 0
	return w.s.late(time.Now())
}
