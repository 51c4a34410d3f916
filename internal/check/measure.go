package check

import (
	"errors"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Measured is what a sup, inf or bounds query has found of one expression. Without any
// state that counts, Reached is false.
type Measured struct {
	Reached  bool
	Min, Max int32
}

// A measure is a sup, inf or bounds query as the search sees it.
type measure struct {
	query int
	cond  test
	of    []intFn
}

// measure compiles a query that measures.
func (c *compiler) measure(q *uppaal.Query, index int) (g *measure, err error) {
	g = &measure{query: index, cond: known(true)}
	err = caught(func() {
		c.inQuery = true
		defer func() { c.inQuery = false }()
		if q.X != nil {
			g.cond = c.formula(q.X, true)
		}
		for _, e := range q.Of {
			g.of = append(g.of, c.number(e).code())
		}
	})
	return g, err
}

// concludeMeasures answers the queries that measure from all states that the search has
// stored, which are all that can be reached unless it was stopped.
func (v *verification) concludeMeasures(s *search, replay *replayer, stop error, failure *Result) {
	for _, g := range v.measures {
		r := &v.report.Results[g.query]
		measured, at, err := s.measure(g, stop != nil)
		var f *fault
		switch {
		case errors.As(err, &f):
			*r = Result{Verdict: Error, Reason: f.Error()}
		case stop != nil && failure != nil:
			*r = *failure
		case stop != nil:
			*r = Result{Verdict: Maybe, Reason: stop.Error(), Measured: measured}
		case err != nil:
			*r = Result{Verdict: Maybe, Reason: err.Error(), Measured: measured}
		default:
			*r = Result{Verdict: True, Measured: measured}
			q := v.queries[g.query]
			if len(q.Of) == 1 && q.Op != uppaal.Bounds && measured[0].Reached {
				v.attachMeasured(s, replay, r, q, at)
			}
		}
		v.report.Decided[g.query] = s.snapshot()
	}
}

// attachMeasured adds the trace to the state with the value that was asked for, once the
// reference interpreter has confirmed both.
func (v *verification) attachMeasured(s *search, replay *replayer, r *Result, q *uppaal.Query, at [2]uint32) {
	state, value := at[0], r.Measured[0].Min
	if q.Op == uppaal.Supremum {
		state, value = at[1], r.Measured[0].Max
	}
	trace, err := s.traceTo(state)
	if err == nil {
		err = replay.trace(trace)
	}
	if err == nil {
		err = replay.measures(q, value)
	}
	r.finish(trace, err)
}

// measure looks at the stored states; at are the first ones with the least and the
// largest value of the first expression. If the search was stopped the time for what follows
// it is left, see Options.Deadline.
func (s *search) measure(g *measure, stopped bool) (measured []Measured, at [2]uint32, err error) {
	m := s.m
	measured = make([]Measured, len(g.of))
	for i := range uint32(s.store.len()) {
		s.store.load(i, m.w)
		m.unpack()
		if s.refuted(m) {
			continue
		}
		if err := caught(func() {
			if !g.cond.holds(m) {
				return
			}
			for k, f := range g.of {
				m.begin()
				x, had := f(m), measured[k]
				if !had.Reached || x < had.Min {
					measured[k].Min = x
					if k == 0 {
						at[0] = i
					}
				}
				if !had.Reached || x > had.Max {
					measured[k].Max = x
					if k == 0 {
						at[1] = i
					}
				}
				measured[k].Reached = true
			}
		}); err != nil {
			m.recovered()
			return measured, at, err
		}
		switch {
		case !stopped:
			err = s.poll(1 + len(g.of))
		case i%1024 != 0:
		case s.opts.Deadline.IsZero():
			err = s.ctx.Err()
		default:
			err = overdue(s.opts.Deadline)
		}
		if err != nil {
			return measured, at, err
		}
	}
	return measured, at, nil
}
