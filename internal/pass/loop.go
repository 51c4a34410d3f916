package pass

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// A program that leaves a trace has come somewhere else, and the error may be reached from
// there. The states of the model that fit what the run has done are those that it can be in;
// the model is searched for a way from one of them to the error, and the next plan is what
// the run has done, and then that way. A run follows from its plan, so that this is the
// same run, which goes on. If there is no way from where it is now, there may be one from
// where it has been.
//
// What is found is a trace like any other, and what the program does not follow of it is
// refuted. That nothing is found means nothing: the model is searched from the start.

// continueStates bounds each of these searches.
const continueStates = 100_000

// maxBeginnings bounds the states that one of them begins in, and maxBegun the steps to all of them; so many more are looked at to
// find the likely ones.
const (
	maxBeginnings = 256
	maxBegun      = 500_000
)

// goOn looks for a way on for the run of the last replay of a suspect. It reports whether
// there is one: the suspect's next plan.
func (d *deep) goOn(ctx context.Context, s *suspect) (bool, error) {
	if s.decided || d.follower == nil || s.replay == nil || s.continued >= d.opts.RunDepth {
		return false, nil
	}
	part, cancel := d.opts.forModel(ctx, replayShare)
	defer cancel()
	h, err := d.follower.Trail(part, s.replay)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil || h == nil:
		return false, nil // there is no time, or the model cannot say where the run is
	}
	d.learn(h)
	if _, ok := d.opts.engine().(check.Embedded); !ok || s.replay.Weak || d.opts.Disallow == DisallowFNV {
		return false, nil
	}
	// Of the states that fit, those come first to which the facts lead.
	avoided := d.avoided()
	for _, all := range []iter.Seq[orchestrate.Beginning]{slices.Values(h.Ends()), h.Before()} {
		first, likely := beginnings(part, all, avoided)
		for _, begun := range [][]orchestrate.Beginning{likely, first} {
			if ok, err := d.continueFrom(ctx, s, begun); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

// beginnings are the first of some states, and the first of those whose ways take none of some edges: none of these if there are no
// others. They are those that were found by then if the context ends.
func beginnings(ctx context.Context, all iter.Seq[orchestrate.Beginning], avoided map[orchestrate.EdgeOf]bool) (first, likely []orchestrate.Beginning) {
	var firstSteps, likelySteps, steps int
	others := false
	for b := range all {
		n := len(b.Path)
		if len(first) < maxBeginnings && firstSteps+n <= maxBegun || len(first) == 0 {
			first, firstSteps = append(first, b), firstSteps+n
		}
		if b.Takes(avoided) {
			others = true
		} else if len(likely) < maxBeginnings && likelySteps+n <= maxBegun || len(likely) == 0 {
			likely, likelySteps = append(likely, b), likelySteps+n
		}
		// Each is looked at.
		if steps += n; steps > 8*maxBegun || ctx.Err() != nil {
			break
		}
	}
	if !others {
		likely = nil
	}
	return first, likely
}

// continueFrom looks for a trace that goes on from one of some states.
func (d *deep) continueFrom(ctx context.Context, s *suspect, begun []orchestrate.Beginning) (bool, error) {
	if len(begun) == 0 {
		return false, nil
	}
	at := *d
	at.rep.to = nil // what it decides is not the verdict
	if most := at.opts.Search.MaxStates; most == 0 || most > continueStates {
		at.opts.Search.MaxStates = continueStates
	}
	for _, b := range begun {
		at.opts.from = append(at.opts.from, b.Path)
	}
	found, err := at.searchAgain(ctx, []artifact.Query{s.query})
	if err != nil || found.traces[0] == nil {
		return false, err
	}
	tr := found.traces[0]
	next, err := orchestrate.PlanFrom(begun, tr, s.query)
	if err != nil || next == nil {
		return false, nil // there is no plan for it
	}
	next.Plan.Seed, next.Plan.Minor = s.replay.Seed, s.replay.Minor
	tr.Plan = &next.Plan
	s.trace, s.next = tr, next
	s.continued++
	s.number = len(s.verdict.Traces) + 1
	s.verdict.Traces = append(s.verdict.Traces, d.out.AddTrace(s.query.Number, s.number, tr))
	return true, nil
}

// planOf is the plan for the trace of a suspect, and how many of its steps a run has done
// already.
func (d *deep) planOf(s *suspect) (plan artifact.Plan, done int, err error) {
	if s.next == nil {
		plan, err = orchestrate.PlanOf(d.side, s.trace, s.query)
		return plan, 0, err
	}
	next := s.next
	s.next = nil
	return next.Plan, next.Done, nil
}

// unrepeated says that a run did not do again what it had done.
func unrepeated(step, done int) string {
	return fmt.Sprintf("step %d of %d that a run had done was not done again", step, done)
}
