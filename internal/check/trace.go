package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Lines renders the trace for people and for trace files: a line
// "X: A > B" for each participant of each step, sender first, saying that
// process X goes from location A to location B. An anonymous location is
// called "_" and its id.
func (t *Trace) Lines(info *uppaal.Info) []string {
	lines := []string{}
	for _, s := range t.Steps {
		for _, p := range s.Parts {
			proc := info.Processes[p.Process]
			e := proc.Template.Edges[p.Edge]
			lines = append(lines, proc.Name+": "+e.From.QueryName()+" > "+e.To.QueryName())
		}
	}
	return lines
}

// statesTo gives the packed states along the path by which state i was first
// reached.
func statesTo(store *packedStore, i uint32) [][]uint64 {
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
	// All transitions, past those that are invalid.
	m.filter, m.tolerant = nil, !s.prog.priorities
	defer func() { m.tolerant = false }()
	t := &Trace{}
	var want []uint64
	var steps []Step
	var between [][]uint64 // states that were left out
	m.visit = func() error {
		steps, between = steps[:0], between[:0]
		step := Step{}
		for _, e := range m.parts {
			step.Parts = append(step.Parts, Part{Process: int(e.proc), Edge: int(e.index), Select: m.selected(e)})
		}
		steps = append(steps, step)
		if s.fusing {
			before := slices.Clone(m.w)
			s.structure.fuse(m, func(e *edge) {
				steps = append(steps, Step{Parts: []Part{{Process: int(e.proc), Edge: int(e.index)}}})
				between = append(between, before)
				before = slices.Clone(m.w)
			})
		}
		if !equalWords(m.w, want) {
			return nil
		}
		return errFound
	}
	defer s.resume()
	show := func(words []uint64) {
		copy(m.w, words)
		m.unpack()
		t.States = append(t.States, s.prog.state(m))
	}
	for k, words := range states {
		if err := overdue(s.opts.Deadline); err != nil {
			return nil, err
		}
		show(words)
		if k+1 == len(states) {
			return t, nil
		}
		want = states[k+1]
		if err := s.workers[0].expand(); !errors.Is(err, errFound) {
			return nil, fmt.Errorf("internal: no transition from step %d of the trace to the next", k)
		}
		t.Steps = append(t.Steps, steps...)
		for _, words := range between {
			show(words)
		}
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
