package check

import (
	"cmp"
	"errors"
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"
)

// A round of a breadth-first search is expanded by all workers in passes of
// four phases, each of which ends before the next begins:
//
//  1. expand: workers take blocks of states in turn and keep the successors that
//     the table does not have, by shards of the table;
//  2. distinguish: each worker goes through one shard, in the order in which one
//     worker alone would have found the states, and drops repetitions;
//  3. number: the new states get numbers in that order, and each worker writes a
//     run of them;
//  4. enter: each worker enters the new states of its shard into the table.
//
// So there is one writer for every segment and every state, and the result is
// that of a search by one worker, numbers of states and traces included. Workers
// write to different cache lines, but for those at the borders of shards and runs.
// No word is written by two.

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
	pace    pace
	err     error

	// Successors that have not been sifted.
	pending   int
	pendW     []uint64
	pendHash  [batchLen]uint64
	pendOrder [batchLen]uint64

	// Of the worker's shard: the new states of the pass and their hashes.
	fresh    []freshState
	hashes   []uint64
	distinct distinct
	sink     uint64

	// The run of new states that the worker numbers and writes: what it takes
	// of each shard, and the first number.
	run   [][]freshState
	first uint32
	_     [padding]byte
}

// freshState is a new state of a pass. It has no number, 0, if there is no room
// for it: that is the number of the initial state.
type freshState struct {
	record []uint64
	number uint32
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
			s.phase = newBarrier(n)
			for i := range s.workers[1:] {
				go s.assist(i + 1)
			}
			for _, w := range s.workers {
				w.pendW = apart[uint64](batchLen * s.prog.width)
				w.out, w.run = make([]shardOut, n), make([][]freshState, n)
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
	s.task = f
	s.phase.wait(nil)
	s.workers[0].err = f(0, s.workers[0])
	s.phase.wait(nil)
	for _, w := range s.workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// assist is the goroutine of a worker that was recruited. It stays for the whole
// search: starting one takes some hundred microseconds, as long as a short pass.
func (s *search) assist(i int) {
	w := s.workers[i]
	for {
		s.phase.wait(nil)
		if s.task == nil {
			return
		}
		w.err = s.task(i, w)
		s.phase.wait(nil)
	}
}

// dismiss ends the goroutines of the workers that were recruited.
func (s *search) dismiss() {
	if len(s.workers) > 1 {
		s.task = nil
		s.phase.wait(nil)
	}
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
		w.words, w.fresh, w.hashes = 0, w.fresh[:0], w.hashes[:0]
		w.pending = 0
		for k := range w.out {
			w.out[k].records = w.out[k].records[:0]
		}
	}
	var next atomic.Int64
	next.Store(int64(s.head))
	var stop atomic.Bool
	var numbered error
	err := s.together(func(i int, w *worker) error {
		w.passing = true
		err := w.expandBlocks(&next, end, &stop)
		w.passing = false
		if err != nil {
			stop.Store(true)
		}
		s.phase.wait(nil)
		if stop.Load() {
			return err
		}
		w.distinguish(i)
		s.phase.wait(func() { numbered = s.allot() })
		w.writeRun()
		s.phase.wait(nil)
		return w.enterFresh()
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
			if err := w.pollPass(1); err != nil {
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
	copy(w.pendW[w.pending*len(words):], words)
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
	var candidates [batchLen]uint64
	w.sink += s.store.warm(w.pendHash[:w.pending], &candidates)
	for k, h := range w.pendHash[:w.pending] {
		words := w.pendW[k*width : (k+1)*width]
		if s.store.holds(words, h, candidates[k]) {
			continue
		}
		seg, _ := split(h)
		out := &w.out[int(seg)*len(w.out)>>segBits]
		out.records = append(out.records, h, w.pendOrder[k])
		out.records = append(out.records, words...)
		w.words += width + 2
	}
	w.pending = 0
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
	for {
		// The list with the first record, up to the first of another one. Blocks
		// of states make for long runs.
		first, end := -1, ^uint64(0)
		for i, l := range lists {
			switch {
			case len(l) == 0:
			case first < 0 || order(l) < order(lists[first]):
				if first >= 0 {
					end = order(lists[first])
				}
				first = i
			default:
				end = min(end, order(l))
			}
		}
		if first < 0 {
			return
		}
		l := lists[first]
		for len(l) > 0 && order(l) < end {
			if r := l[:size:size]; w.isFirst(r) {
				w.fresh = append(w.fresh, freshState{record: r})
				w.hashes = append(w.hashes, r[0])
			}
			l = l[size:]
		}
		lists[first] = l
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

// allot makes room for the new states, as far as there is any, and gives every
// worker a run of them to number and write.
func (s *search) allot() error {
	n, longest := 0, s.workers[0].fresh
	rest := make([][]freshState, len(s.workers))
	for i, w := range s.workers {
		n += len(w.fresh)
		rest[i] = w.fresh
		if len(w.fresh) > len(longest) {
			longest = w.fresh
		}
	}
	number := s.store.n
	n, err := s.store.room(n)
	s.store.n += n
	for i, w := range s.workers {
		w.first = uint32(number)
		cut := len(longest) * (i + 1) / len(s.workers)
		for k, l := range rest {
			at := len(l)
			if cut < len(longest) {
				at, _ = slices.BinarySearchFunc(l, order(longest[cut].record), func(f freshState, o uint64) int {
					return cmp.Compare(order(f.record), o)
				})
			}
			w.run[k], rest[k] = l[:at], l[at:]
			number += at
		}
		// Two states have their parents in one word.
		if k := earliest(rest); number&1 != 0 && k >= 0 {
			w.run[k], rest[k] = w.run[k][:len(w.run[k])+1], rest[k][1:]
			number++
		}
	}
	return err
}

// earliest is the list that begins with the first of some new states, -1 if all
// are empty.
func earliest(lists [][]freshState) int {
	first := -1
	for i, l := range lists {
		if len(l) > 0 && (first < 0 || order(l[0].record) < order(lists[first][0].record)) {
			first = i
		}
	}
	return first
}

// writeRun numbers the worker's run of new states, and writes them.
func (w *worker) writeRun() {
	store := w.s.store
	for number := w.first; number < uint32(store.n); number++ {
		k := earliest(w.run)
		if k < 0 {
			return
		}
		f := &w.run[k][0]
		w.run[k] = w.run[k][1:]
		f.number = number
		store.put(number, f.record[2:], f.record[0], uint32(order(f.record)>>32))
	}
}

// enterFresh enters the new states of the worker's shard into the table, as far as
// there is room.
func (w *worker) enterFresh() error {
	store := w.s.store
	for from := 0; from < len(w.fresh); from += batchLen {
		hashes := w.hashes[from:min(from+batchLen, len(w.hashes))]
		w.sink += store.warmFresh(hashes)
		for k, h := range hashes {
			number := w.fresh[from+k].number
			if number == 0 {
				return nil // nor have the others
			}
			seg, tag := split(h)
			g := &store.segs[seg]
			if err := store.enter(g, tag, number, g.position(tag)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pollPass is the poll of machines during a pass.
func (w *worker) pollPass(work int) error {
	now, due := w.pace.due(work)
	if !due {
		return nil
	}
	return w.s.late(now)
}
