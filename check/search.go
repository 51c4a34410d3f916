package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vtrace/vtrace/uppaal"
)

// A search explores the states of a program breadth-first and decides goals
// on the way.
type search struct {
	ctx   context.Context
	opts  *Options
	prog  *program
	mem   budget
	store stateStore

	m *machine // expands states
	q *machine // evaluates formulas on new states

	// Undecided goals: of plain formulas by an implied location, or general;
	// those that need the successors of the state; those that need the whole
	// graph.
	plain  goalIndex
	local  []*goal
	alive  []*goal // of local: those that a state without deadlock may decide
	global goalIndex
	open   int // undecided goals, if keepGoing is not set
	// keepGoing explores everything even if all goals are decided.
	keepGoing bool

	head, seen int // states expanded, and shown to plain goals
	levelEnd   int
	stats      Stats
	start      time.Time
	deadline   time.Time // zero: none
	work       int
	lastReport time.Time
	evaluating *goal
}

// cellBytes is what a cell takes in a program and its machines.
const cellBytes = 48

var (
	errTimeout = errors.New("time budget reached")
	errDecided = errors.New("all queries are decided")
)

func newSearch(ctx context.Context, prog *program, goals []*goal, opts *Options) *search {
	s := &search{
		ctx: ctx, opts: opts, prog: prog, start: time.Now(),
		mem: budget{limit: opts.MaxMemory},
	}
	s.lastReport = s.start
	if opts.Timeout > 0 {
		s.deadline = s.start.Add(opts.Timeout)
	}
	s.m, s.q = newMachine(prog), newMachine(prog)
	s.m.poll, s.q.poll = s.poll, s.poll
	s.m.visit = s.insert
	for _, g := range goals {
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
			s.plain.add(prog, g)
		}
	}
	return s
}

// poll accounts for work and, now and then, looks at the clock, the context
// and the observer.
func (s *search) poll(work int) error {
	s.work += work
	if s.work < 1<<13 {
		return nil
	}
	s.work = 0
	if err := s.ctx.Err(); err != nil {
		return fmt.Errorf("cancelled: %w", context.Cause(s.ctx))
	}
	now := time.Now()
	if !s.deadline.IsZero() && now.After(s.deadline) {
		return errTimeout
	}
	if s.opts.Progress != nil && now.Sub(s.lastReport) >= 250*time.Millisecond {
		s.lastReport = now
		s.opts.Progress(s.snapshot())
	}
	return nil
}

func (s *search) snapshot() Stats {
	st := s.stats
	if s.store != nil {
		st.States = s.store.len()
	}
	st.Bytes = s.mem.used
	st.Elapsed = time.Since(s.start)
	return st
}

// run explores. It returns nil when every reachable state was visited, or why
// it stopped.
func (s *search) run() (err error) {
	if err := s.ctx.Err(); err != nil {
		return fmt.Errorf("cancelled: %w", context.Cause(s.ctx))
	}
	// The two machines and the description of their cells.
	if err := s.mem.take(int64(len(s.prog.cells)) * cellBytes); err != nil {
		return err
	}
	store, err := newPackedStore(s.prog.width, s.opts.MaxStates, &s.mem)
	if err != nil {
		return err
	}
	s.store = store
	if err := s.seed(); err != nil {
		return err
	}
	for {
		if s.head == s.levelEnd {
			if err := s.store.flush(); err != nil {
				return s.last(err)
			}
			if err := s.show(); err != nil {
				return err
			}
			if s.head == s.store.len() {
				return nil
			}
			s.levelEnd = s.store.len()
			if s.head > 0 {
				s.stats.Depth++
			}
		}
		if err := s.step(); err != nil {
			return s.last(err)
		}
	}
}

// last shows the states that were inserted before the search has to stop.
func (s *search) last(err error) error {
	if errors.Is(err, errDecided) {
		return err
	}
	// Pending states are worth a look, if there is room for them.
	_ = s.store.flush()
	if err2 := s.show(); err2 != nil {
		return err2
	}
	return err
}

// seed inserts the initial state.
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
	return s.store.add(m.w, noParent)
}

// step expands the next state.
func (s *search) step() (err error) {
	m := s.m
	s.store.load(uint32(s.head), m.w)
	m.unpack()
	err = s.expand()
	if err != nil {
		return err
	}
	if len(s.local) > 0 && !s.refuted(m) {
		if err := s.decideLocal(); err != nil {
			return err
		}
	}
	s.head++
	if s.seen < s.store.len() {
		if err := s.show(); err != nil {
			return err
		}
	}
	return s.poll(1)
}

// expand runs the machine and turns faults into errors.
func (s *search) expand() (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			return
		case *fault:
			err = r
		case interrupted:
			err = r.err
		default:
			panic(r)
		}
		s.m.rollback()
		s.m.resetMetas()
		s.m.args, s.m.collecting = s.m.args[:0], false
	}()
	return s.m.expand()
}

// insert is the machine's visitor.
func (s *search) insert() error {
	if s.stats.Transitions++; s.stats.Transitions&(1<<12-1) == 0 {
		// The state may have very many successors.
		if err := s.poll(1 << 12); err != nil {
			return err
		}
	}
	if s.m.cut && !s.prog.monitor.follow {
		return nil
	}
	return s.store.add(s.m.w, uint32(s.head))
}

// refuted reports whether the machine's state lies beyond a refuted sequence,
// where nothing counts.
func (s *search) refuted(m *machine) bool {
	mon := s.prog.monitor
	return mon != nil && m.v[mon.cell] == mon.refuted()
}

// show evaluates plain goals on the states inserted since the last call.
func (s *search) show() error {
	for {
		err := caught(s.showNew)
		var f *fault
		switch {
		case err == nil:
		case errors.As(err, &f):
			// The query is wrong, the model need not be.
			s.failGoal(s.evaluating, f, uint32(s.seen))
			continue
		default:
			return err
		}
		if s.open == 0 && !s.keepGoing {
			return errDecided
		}
		return nil
	}
}

func (s *search) showNew() {
	if s.plain.empty() {
		s.seen = s.store.len()
		return
	}
	m := s.q
	for ; s.seen < s.store.len(); s.seen++ {
		s.store.load(uint32(s.seen), m.w)
		m.unpack()
		if s.refuted(m) {
			continue
		}
		for _, g := range s.plain.general {
			s.tryPlain(m, g)
		}
		for i := range s.plain.byLoc {
			for _, g := range s.plain.byLoc[i].at(m) {
				s.tryPlain(m, g)
			}
		}
	}
}

func (s *search) tryPlain(m *machine, g *goal) {
	if g.done {
		return
	}
	s.evaluating = g
	if g.target.holds(m) {
		s.decide(g, uint32(s.seen))
	}
}

// decideLocal evaluates the goals that need to know whether the expanded state
// is a deadlock. A deadlock also settles every stuck atom.
func (s *search) decideLocal() error {
	m := s.m
	m.dead = m.found == 0
	goals := s.alive
	if m.dead {
		goals = s.local
	}
	for _, g := range goals {
		if g.done || g.found {
			continue
		}
		if g.proc >= 0 && int(m.v[s.prog.procs[g.proc].loc]) != g.loc {
			continue
		}
		t := g.alive
		if m.dead {
			t = g.target
			for _, p := range g.atoms {
				m.stuck[p] = true
			}
		}
		holds := false
		err := caught(func() { holds = t.holds(m) })
		var f *fault
		switch {
		case errors.As(err, &f):
			s.failGoal(g, f, uint32(s.head))
		case err != nil:
			return err
		case holds:
			s.decide(g, uint32(s.head))
		}
	}
	if s.open == 0 && !s.keepGoing {
		return errDecided
	}
	return nil
}

// decide notes the state that decides a goal.
func (s *search) decide(g *goal, state uint32) {
	g.found, g.at = true, state
	if len(g.atoms) > 0 {
		// A state nearer to the start may turn out to decide the goal once
		// the graph is complete, so it is not done.
		s.open--
		return
	}
	g.done = true
	s.open--
}

func (s *search) failGoal(g *goal, f *fault, state uint32) {
	if !g.done && !g.found {
		s.open--
	}
	g.done = true
	g.found, g.at = true, state
	g.result.Verdict = Error
	g.result.Reason = f.Error()
}

// statesTo gives the packed states along the path by which state i was first
// reached.
func statesTo(store stateStore, i uint32) [][]uint64 {
	var path [][]uint64
	for ; i != noParent; i = store.parent(i) {
		path = append(path, store.state(i))
	}
	slices.Reverse(path)
	return path
}

// errFound ends an expansion early.
var errFound = errors.New("found")

// trace spells out the transitions along states, each a successor of the one
// before.
func (s *search) trace(states [][]uint64) (*Trace, error) {
	m := s.m
	t := &Trace{}
	var want []uint64
	var step Step
	m.visit = func() error {
		if !equalWords(m.w, want) {
			return nil
		}
		step = Step{}
		for _, e := range m.parts {
			step.Parts = append(step.Parts, Part{Process: int(e.proc), Edge: int(e.index), Select: m.selected(e)})
		}
		return errFound
	}
	defer func() { m.visit = s.insert }()
	for k, words := range states {
		copy(m.w, words)
		m.unpack()
		t.States = append(t.States, s.prog.state(m))
		if k+1 == len(states) {
			return t, nil
		}
		want = states[k+1]
		if err := s.expand(); !errors.Is(err, errFound) {
			return nil, fmt.Errorf("internal: no transition from step %d of the trace to the next", k)
		}
		t.Steps = append(t.Steps, step)
	}
	return t, nil
}

// state spells out the state of a machine.
func (p *program) state(m *machine) State {
	st := State{}
	for i, pr := range p.procs {
		st.Locations = append(st.Locations, p.info.Processes[i].Template.Locations[m.v[pr.loc]])
	}
	for _, v := range p.vars {
		i := v.cell
		uppaal.Leaves(v.typ, func(suffix string, _ uppaal.Type) {
			st.Vars = append(st.Vars, VarValue{v.name + suffix, m.v[i]})
			i++
		})
	}
	return st
}
