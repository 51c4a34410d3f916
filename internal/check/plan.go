package check

import (
	"errors"
	"slices"
)

// explorePlanned makes the searches that decide the goals: with the reductions
// that they allow.
func (v *verification) explorePlanned(c *compiler) {
	may := !v.opts.Reductions.NoStubborn && len(v.paths)+len(v.measures) == 0 && len(v.queries) > 0
	isStuck := slices.ContainsFunc(v.goals, (*goal).asksStuck)
	switch {
	case !may || isStuck && v.opts.Reductions.NoInvisible:
		_, _ = v.explore(c.p, nil, false)
	case isStuck:
		v.exploreStuck(c)
	default:
		v.explorePlain(c)
	}
}

// explorePlain decides goals without stuck atoms.
func (v *verification) explorePlain(c *compiler) {
	st, err := c.structure(v.queries, v.goals)
	switch {
	case err != nil: // what has no structure is searched in full
		_, _ = v.explore(c.p, nil, false)
	case c.p.symmetry == nil && !v.opts.Reductions.NoInvisible && st.spoils != nil && len(st.cubes)+len(st.risky) > 0:
		v.runTwice(c.p, st)
	default:
		_, _ = v.explore(c.p, st, false)
	}
}

// smallGraph is how many states are worth a search in full for goals with stuck
// atoms, which gives the shortest traces.
const smallGraph = 1 << 16

// exploreStuck decides goals some of which have stuck atoms: in full if the graph
// is small. If it is not, the others are decided first, without them.
func (v *verification) exploreStuck(c *compiler) {
	isPlain := func(g *goal) bool { return !g.asksStuck() }
	st, err := c.structure(v.queries, slices.DeleteFunc(slices.Clone(v.goals), isPlain))
	if err != nil || st.spoils == nil {
		_, _ = v.explore(c.p, nil, false)
		return
	}
	limit := v.opts.MaxStates
	if !v.opts.eager {
		if limit == 0 || limit > smallGraph {
			v.opts.MaxStates = smallGraph
		}
		_, err := v.explore(c.p, nil, false)
		v.opts.MaxStates = limit
		if !errors.Is(err, errMaxStates) && !errors.Is(err, errMaxMemory) {
			return
		}
	}
	var plain, stuck []*goal
	for _, g := range v.goals {
		switch {
		case g.asksStuck():
			stuck = append(stuck, g)
		case !g.found:
			plain = append(plain, g)
		default:
			continue
		}
		g.reset()
		v.report.Results[g.query] = Result{}
	}
	complete := true
	if len(plain) > 0 {
		v.goals = plain
		v.explorePlain(c)
		complete = v.report.Complete
	}
	v.goals, st.stuck = stuck, true
	_, err = v.explore(c.p, st, true)
	var f *fault
	if errors.As(err, &f) {
		for _, g := range stuck { // what was found before depends on the order
			g.reset()
			v.report.Results[g.query] = Result{}
		}
		_, _ = v.explore(c.p, nil, false)
	}
	v.report.Complete = v.report.Complete && complete
}

// runTwice searches with key steps, which tells what can be reached, and then
// without, for shortest traces and what is found before an invalid evaluation.
func (v *verification) runTwice(prog *program, st *structure) {
	shortest, err := v.explore(prog, st, true)
	if v.opts.Order != BreadthFirst || shortest && !errors.Is(err, errNoGain) {
		return
	}
	complete := v.report.Complete
	first := slices.Clone(v.report.Results)
	var f *fault
	if errors.As(err, &f) || errors.Is(err, errNoGain) {
		first = make([]Result, len(first))
	} else {
		if complete {
			st.risky = nil // there is nothing invalid
		}
		v.goals = slices.DeleteFunc(v.goals, func(g *goal) bool { return !g.found })
	}
	if len(v.goals) == 0 || v.ctx.Err() != nil {
		return
	}
	for _, g := range v.goals {
		g.reset()
		v.report.Results[g.query] = Result{}
	}
	_, _ = v.explore(prog, st, false)
	v.report.Complete = v.report.Complete || complete
	for i, r := range first {
		switch now := v.report.Results[i]; {
		case now.Verdict == Maybe && r.Trace != nil:
			v.report.Results[i] = r
		case r.Trace != nil && now.Verdict != r.Verdict && now.Verdict != Error:
			v.report.Results[i] = Result{Verdict: Error, Reason: "internal: two searches disagree"}
		}
	}
}
