package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A search explores the states of a program and decides goals on the way.
//
// States are expanded in rounds, parts of a level of the breadth-first search.
// What a round has found takes effect at its end, so that the results do not
// depend on who expanded which state when.
type search struct {
	ctx     context.Context
	opts    *Options
	prog    *program
	mem     budget
	store   *packedStore
	initial []uint64 // the initial state
	starts  []*start // with Options.From

	workers   []*worker                    // the first belongs to the searching goroutine
	m         *machine                     // of the first worker
	recruited bool                         // the others exist, if there are to be any
	phase     *barrier                     // of all workers
	task      func(i int, w *worker) error // what they do together; nil: nothing more
	passWords int                          // of successors that a pass may keep

	goals []*goal
	// Undecided goals: of plain formulas; those that need the successors of the
	// state; those that need the whole graph.
	plain  *watch
	local  []*goal
	alive  []*goal // of local: those that a state without deadlock may decide
	global goalIndex
	open   int // undecided goals, if keepGoing is not set
	// keepGoing explores everything even if all goals are decided.
	keepGoing bool

	structure  *structure // nil: no stubborn sets
	keySteps   bool       // with key steps; the search ends with errNoGain if that is in vain
	fusing     bool       // with fused steps
	suspended  int        // levels for which they are not used
	suspension int        // the last time

	head, seen int // states expanded, and shown to plain goals
	levelEnd   int
	stats      Stats
	before     Stats // of an earlier search for the same queries
	start      time.Time
	deadline   time.Time // zero: none
	pace       pace
	lastReport time.Time

	// The first state with a transition that is invalid. A breadth-first
	// search ends with the level of that state.
	invalid   *fault
	invalidAt uint32
}

// cellBytes is what a cell takes in a program and its machines.
const cellBytes = 48

var (
	errTimeout = errors.New("time budget reached")
	errDecided = errors.New("all queries are decided")
	errNoGain  = errors.New("stubborn sets leave out too little")
)

func newSearch(ctx context.Context, prog *program, goals []*goal, opts *Options) *search {
	s := &search{
		ctx: ctx, opts: opts, prog: prog, goals: goals, start: time.Now(),
		mem: budget{limit: opts.MaxMemory},
	}
	s.lastReport = s.start
	if opts.Timeout > 0 {
		s.deadline = s.start.Add(opts.Timeout)
	}
	var plain []*goal
	for i, g := range goals {
		g.number = i
		s.open++
		switch {
		case len(g.atoms) > 0:
			s.global.add(prog, g)
			s.local = append(s.local, g)
		case g.dead:
			s.local = append(s.local, g)
			if g.alive.fn != nil || g.alive.value {
				s.alive = append(s.alive, g)
			}
		default:
			plain = append(plain, g)
		}
	}
	s.plain = newWatch(prog, plain)
	w := newWorker(s)
	s.workers, s.m = []*worker{w}, w.m
	return s
}

// poll accounts for work and, now and then, looks at the clock, the context
// and the observer.
func (s *search) poll(work int) error {
	now, due := s.pace.due(work)
	if !due {
		return nil
	}
	if err := s.late(now); err != nil {
		return err
	}
	if s.opts.Progress != nil && now.Sub(s.lastReport) >= 250*time.Millisecond {
		s.lastReport = now
		s.opts.Progress(s.snapshot())
	}
	return nil
}

// late reports that the search has to stop.
func (s *search) late(now time.Time) error {
	if err := s.ctx.Err(); err != nil {
		return fmt.Errorf("cancelled: %w", context.Cause(s.ctx))
	}
	if !s.deadline.IsZero() && now.After(s.deadline) {
		return errTimeout
	}
	return nil
}

func (s *search) snapshot() Stats {
	st := s.stats
	if s.store != nil {
		st.States = s.store.len()
	}
	for _, w := range s.workers {
		st.Transitions += w.transitions
	}
	st.Explored = s.head + s.before.Explored
	st.States += s.before.States
	st.Transitions += s.before.Transitions
	st.Depth = max(st.Depth, s.before.Depth)
	st.Bytes = s.mem.used
	st.Elapsed = time.Since(s.start) + s.before.Elapsed
	return st
}

// run explores. It returns nil when every reachable state was visited, or why
// it stopped.
func (s *search) run() error {
	if err := s.late(time.Now()); err != nil {
		return err
	}
	// The machines and the description of their cells.
	if err := s.mem.take(int64(len(s.prog.cells)) * cellBytes); err != nil {
		return err
	}
	store, err := newPackedStore(s.prog.width, s.opts.MaxStates, s.opts.compacts(s.prog), &s.mem)
	if err != nil {
		return err
	}
	s.store = store
	if err := s.seed(); err != nil {
		return err
	}
	if s.opts.Order != BreadthFirst {
		err = s.depthFirst()
	} else {
		err = s.breadthFirst()
	}
	err = s.finish(err)
	s.dismiss()
	return err
}

// finish is told why exploring ended, and returns why the search does.
func (s *search) finish(err error) error {
	if err == nil || errors.Is(err, errDecided) {
		return err
	}
	// States that were inserted before the search had to stop are worth a
	// look, and so are pending ones, if there is room for them.
	_ = s.store.flush()
	if s.store.len() == 0 {
		return err // there was no room for the initial state
	}
	if err2 := s.show(); err2 != nil {
		return err2
	}
	if s.invalid != nil {
		return s.invalid
	}
	return err
}

// roundLen bounds the states of a round: it limits what is explored in vain
// when the round decides the last query.
func roundLen(states int) int { return min(max(states/8, 16), 1<<14) }

func (s *search) breadthFirst() error {
	for {
		if err := s.store.flush(); err != nil {
			return err
		}
		if err := s.show(); err != nil {
			return err
		}
		s.store.forget(s.head)
		if s.head == s.levelEnd {
			if s.invalid != nil {
				return s.invalid
			}
			if s.head == s.store.len() {
				return nil
			}
			s.levelEnd = s.store.len()
			if s.head > 0 {
				s.stats.Depth++
			}
			s.retarget()
			if err := s.review(); err != nil {
				return err
			}
		}
		end := min(s.head+roundLen(s.store.len()), s.levelEnd)
		for s.head < end {
			var err error
			if s.worthwhile(end-s.head) && s.recruit() {
				done := s.head
				if err = s.store.flush(); err == nil {
					err = s.pass(end)
				}
				if err == nil {
					err = s.poll(s.head - done)
				}
			} else {
				err = s.expandAlone(end)
			}
			if err != nil {
				return err
			}
		}
	}
}

// expandAlone expands states from the head on, up to end, by the first worker.
func (s *search) expandAlone(end int) error {
	for s.head < end {
		if err := s.workers[0].expandState(uint32(s.head)); err != nil {
			return err
		}
		s.head++
		if err := s.poll(1); err != nil {
			return err
		}
	}
	return nil
}

// seed inserts the initial state, or those that the search is to begin in.
func (s *search) seed() error {
	m := s.m
	if mon := s.prog.monitor; mon != nil && mon.final[0] {
		if !mon.follow {
			return nil // the empty path is refuted
		}
		m.put(mon.cell, mon.refuted(), &s.prog.cells[mon.cell])
		m.undo = m.undo[:0]
	}
	ok := false
	if err := caught(func() { ok = m.invariants() }); err != nil {
		return err
	}
	if !ok {
		return &fault{msg: "the initial state violates an invariant"}
	}
	s.initial = slices.Clone(m.w)
	if len(s.opts.From) > 0 {
		return s.seedFrom()
	}
	return s.store.add(s.workers[0].normal(m.w), noParent)
}

// refuted reports whether the machine's state lies beyond a refuted sequence,
// where nothing counts.
func (s *search) refuted(m *machine) bool {
	mon := s.prog.monitor
	return mon != nil && m.v[mon.cell] == mon.refuted()
}

// show evaluates plain goals on the states inserted since the last call, and
// decides the goals that they and the states expanded meanwhile decide.
func (s *search) show() error {
	if s.plain.empty() {
		s.seen = s.store.len()
	}
	var err error
	if from, n := s.seen, s.store.len()-s.seen; s.worthwhile(n) && len(s.workers) > 1 {
		for _, w := range s.workers {
			w.passing = true
		}
		k := len(s.workers)
		err = s.together(func(i int, w *worker) error { return w.show(from+n*i/k, from+n*(i+1)/k) })
		for _, w := range s.workers {
			w.passing = false
		}
	} else {
		err = s.workers[0].show(from, from+n)
	}
	s.seen = s.store.len()
	s.settleHits()
	if err != nil {
		return err
	}
	if s.open == 0 && !s.keepGoing {
		return errDecided
	}
	return nil
}

// settleHits decides goals by the first states that the workers found for
// them.
func (s *search) settleHits() {
	for _, w := range s.workers {
		if w.invalid != nil && (s.invalid == nil || w.invalidAt < s.invalidAt) {
			s.invalid, s.invalidAt = w.invalid, w.invalidAt
		}
	}
	for i, g := range s.goals {
		var first hit
		for _, w := range s.workers {
			if h := w.hits[i]; h.found && (!first.found || h.state < first.state) {
				first = h
			}
			w.hits[i] = hit{}
		}
		switch {
		case !first.found || g.done || g.found:
		case first.fault != nil:
			s.failGoal(g, first.fault, first.state)
		default:
			s.decide(g, first.state)
		}
	}
}

// decide notes the state that decides a goal.
func (s *search) decide(g *goal, state uint32) {
	g.found, g.at, g.stats = true, state, s.snapshot()
	// With stuck atoms, a state nearer to the start may turn out to decide
	// the goal once the graph is complete, so it is not done.
	g.done = len(g.atoms) == 0
	s.open--
}

// failGoal notes the state in which a goal cannot be evaluated. With stuck atoms,
// one nearer to the start may still decide it, for which the graph has to be
// complete.
func (s *search) failGoal(g *goal, f *fault, state uint32) {
	if len(g.atoms) == 0 {
		if !g.done && !g.found {
			s.open--
		}
		g.done = true
	}
	g.found, g.at, g.stats = true, state, s.snapshot()
	g.result.Verdict = Error
	g.result.Reason = f.Error()
}
