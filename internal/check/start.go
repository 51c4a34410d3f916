package check

import (
	"errors"
	"fmt"
	"slices"
)

// A search may begin behind paths instead of in the initial state, see Options.From.
// Reductions depend on the state at hand and what can follow, and on no start, so that
// they are used as ever; but for symmetry, whose traces would have to be renamed with
// the paths, and hash compaction, which finds the states of a trace again from the
// initial state.

// start is a state that a search begins in, with the path to it.
type start struct {
	path   []Step
	states [][]uint64 // len(path)+1, the initial state first
}

// at is the state.
func (b *start) at() []uint64 { return b.states[len(b.states)-1] }

// seedFrom inserts the states behind the paths of Options.From. The machine has the
// initial state.
func (s *search) seedFrom() error {
	for i, path := range s.opts.From {
		b, err := s.along(path)
		var bad *fault
		if errors.As(err, &bad) {
			return &fault{pos: bad.pos, msg: fmt.Sprintf("path %d to begin behind: %s", i+1, bad.msg)}
		}
		if err != nil {
			return err
		}
		m := s.m
		copy(m.w, b.at())
		m.unpack()
		if s.refuted(m) && !s.prog.monitor.follow {
			continue // the path begins with a refuted sequence
		}
		if slices.ContainsFunc(s.starts, func(o *start) bool { return equalWords(o.at(), b.at()) }) {
			continue
		}
		s.starts = append(s.starts, b)
		if err := s.store.add(b.at(), noParent); err != nil {
			return err
		}
	}
	return nil
}

// along follows a path from the initial state.
func (s *search) along(path []Step) (*start, error) {
	m := s.m
	m.filter, m.tolerant = nil, !s.prog.priorities
	defer func() { m.tolerant = false }()
	defer s.resume()
	if err := s.mem.take(int64(len(path)) * int64(len(m.w)) * 8); err != nil {
		return nil, err
	}
	b := &start{path: path, states: [][]uint64{s.initial}}
	for k, want := range path {
		copy(m.w, b.at())
		m.unpack()
		m.visit = func() error {
			same := slices.EqualFunc(m.parts, want.Parts, func(e *edge, p Part) bool {
				return int(e.proc) == p.Process && int(e.index) == p.Edge && slices.Equal(m.selected(e), p.Select)
			})
			if !same {
				return nil
			}
			b.states = append(b.states, slices.Clone(m.w))
			return errFound
		}
		switch err := s.workers[0].expand(); {
		case errors.Is(err, errFound):
		case err != nil:
			return nil, err
		default:
			return nil, &fault{msg: fmt.Sprintf("the network has no such step %d there", k+1)}
		}
	}
	return b, nil
}

// begun puts before a trace the path to the state that it begins in.
func (s *search) begun(states [][]uint64, t *Trace) (*Trace, error) {
	if len(s.opts.From) == 0 {
		return t, nil
	}
	i := slices.IndexFunc(s.starts, func(b *start) bool { return equalWords(b.at(), states[0]) })
	if i < 0 {
		return nil, errors.New("internal: the trace begins in no state that the search began in")
	}
	b := s.starts[i]
	whole := &Trace{Steps: slices.Concat(b.path, t.Steps)}
	for _, words := range b.states[:len(b.path)] {
		copy(s.m.w, words)
		s.m.unpack()
		whole.States = append(whole.States, s.prog.state(s.m))
	}
	whole.States = append(whole.States, t.States...)
	return whole, nil
}
