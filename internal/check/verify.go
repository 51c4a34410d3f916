package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Embedded is the engine of this package: an explicit-state search. The zero
// value is ready for use.
type Embedded struct{}

var _ Engine = Embedded{}

// Verify answers queries with the embedded engine.
func Verify(ctx context.Context, net *uppaal.Network, queries []*uppaal.Query, opts Options) (*Report, error) {
	return Embedded{}.Verify(ctx, net, queries, opts)
}

// Verify implements Engine. Without queries it visits every state, which the
// statistics of the report then count.
//
// The error is an uppaal.Errors for a wrong network and an *UnsupportedError
// for one that this engine does not handle. A query of either sort has the
// verdict Error.
func (Embedded) Verify(ctx context.Context, net *uppaal.Network, queries []*uppaal.Query, opts Options) (*Report, error) {
	if len(opts.Refuted) > 0 && opts.LabelOf == nil {
		return nil, errors.New("refuted sequences need the labels of edges")
	}
	if opts.HashCompaction && opts.Order != BreadthFirst {
		return nil, errors.New("hash compaction needs a breadth-first search")
	}
	if opts.HashCompaction && len(opts.From) > 0 {
		return nil, errors.New("hash compaction needs a search from the initial state")
	}
	info, err := uppaal.Check(net)
	if err != nil {
		return nil, err
	}
	v := &verification{ctx: ctx, opts: opts, info: info, queries: queries, report: &Report{Results: make([]Result, len(queries)), Decided: make([]Stats, len(queries))}}
	return v.report, v.run()
}

// verification is one call of Verify.
type verification struct {
	ctx      context.Context
	opts     Options
	info     *uppaal.Info
	queries  []*uppaal.Query
	report   *Report
	labels   *labels
	goals    []*goal // of the A[] and E<> queries that compile
	paths    []*pathGoal
	measures []*measure
}

func (v *verification) run() error {
	work := 0
	c, err := compile(v.info, &v.opts, func(n int) error {
		if work += n; work > 1<<24 {
			return errors.New("initial values take too long to compute")
		}
		return v.ctx.Err()
	})
	var f *fault
	switch {
	case errors.As(err, &f):
		v.undecided(Error, f.Error())
		return nil
	case err != nil && v.ctx.Err() != nil:
		v.undecided(Maybe, fmt.Sprintf("cancelled: %v", context.Cause(v.ctx)))
		return nil
	case err != nil:
		return err
	}
	v.labels = c.labels
	for i, q := range v.queries {
		if v.ctx.Err() != nil {
			v.undecided(Maybe, fmt.Sprintf("cancelled: %v", context.Cause(v.ctx)))
			return nil
		}
		if err := v.info.CheckQuery(q); err != nil {
			v.report.Results[i] = Result{Verdict: Error, Reason: err.Error()}
			continue
		}
		if q.Op != uppaal.Always && q.Op != uppaal.Possibly {
			if v.opts.compacts(c.p) {
				v.report.Results[i] = Result{Verdict: Error, Reason: errCompact.Error()}
				continue
			}
			if q.Op.Measures() {
				g, err := c.measure(q, i)
				if err != nil {
					v.report.Results[i] = Result{Verdict: Error, Reason: err.Error()}
					continue
				}
				v.measures = append(v.measures, g)
				continue
			}
			if len(v.opts.From) > 0 {
				v.report.Results[i] = Result{Verdict: Error, Reason: "queries about paths need a search from the initial state"}
				continue
			}
			g, err := c.pathGoal(q, i)
			if err != nil {
				v.report.Results[i] = Result{Verdict: Error, Reason: err.Error()}
				continue
			}
			v.paths = append(v.paths, g)
			continue
		}
		g, err := c.goal(q, i)
		if err != nil {
			v.report.Results[i] = Result{Verdict: Error, Reason: err.Error()}
			continue
		}
		if v.opts.compacts(c.p) && len(g.atoms) > 0 {
			v.report.Results[i] = Result{Verdict: Error, Reason: errCompact.Error()}
			continue
		}
		v.goals = append(v.goals, g)
	}
	stuck := slices.ContainsFunc(v.goals, (*goal).asksStuck)
	if c.p.monitor != nil {
		c.p.monitor.follow = stuck
	}
	if len(v.goals)+len(v.paths)+len(v.measures) == 0 && len(v.queries) > 0 {
		return nil
	}
	if !v.opts.Reductions.NoSymmetry && len(v.opts.From) == 0 && !stuck && len(v.paths)+len(v.measures) == 0 && len(v.goals) > 0 && c.p.monitor == nil {
		var formulas []uppaal.Expr
		for _, g := range v.goals {
			formulas = append(formulas, v.queries[g.query].X)
		}
		c.p.symmetry = c.symmetry(formulas)
	}
	v.explorePlanned(c)
	return nil
}

// explore makes one search for the goals and concludes from it. It reports
// whether no path was made longer, and why the search ended.
func (v *verification) explore(prog *program, st *structure, keySteps bool) (shortest bool, err error) {
	opts := v.opts
	if before := v.report.Stats.Elapsed; opts.Timeout > 0 {
		opts.Timeout = max(opts.Timeout-before, 1)
	}
	s := newSearch(v.ctx, prog, v.goals, &opts)
	s.before = v.report.Stats
	s.keepGoing = len(v.queries) == 0 || len(v.measures) > 0
	for _, g := range v.paths {
		s.keepGoing = s.keepGoing || g.needsGraph()
	}
	if st != nil && s.mem.take(st.bytes) == nil {
		s.keySteps = keySteps
		s.fusing = keySteps && !st.stuck && !v.opts.Reductions.NoFusing && (st.committing < 0 || len(s.local) == 0)
		s.reduce(st)
	}
	err = s.run()
	v.report.Complete = err == nil && !s.store.compact
	shortest = true
	for _, w := range s.workers {
		shortest = shortest && (w.r == nil || w.r.fused+w.r.detours == 0)
	}
	if s.store != nil {
		v.conclude(s, err)
	} else {
		v.undecided(Maybe, err.Error())
	}
	v.report.Stats = s.snapshot()
	for _, g := range v.goals {
		v.report.Decided[g.query] = v.report.Stats
		if g.found {
			v.report.Decided[g.query] = g.stats
		}
	}
	if s.store != nil {
		s.store.release()
	}
	return shortest, err
}

// undecided gives every query without a verdict this one.
func (v *verification) undecided(verdict Verdict, reason string) {
	for i := range v.report.Results {
		if r := &v.report.Results[i]; r.Verdict == 0 {
			*r = Result{Verdict: verdict, Reason: reason}
		}
	}
}

// conclude turns the end of the search into results.
func (v *verification) conclude(s *search, stop error) {
	if stop == nil {
		s.settleStuck()
	}
	var f *fault
	failed := errors.As(stop, &f)
	replay := newReplayer(v.info, v.labels)
	replay.deadline = v.opts.Deadline
	var failure *Result
	if failed {
		r := Result{Verdict: Error, Reason: f.Error()}
		if s.store.len() > 0 {
			r = v.faultResult(s, replay, f)
		}
		failure = &r
	}
	for _, g := range v.goals {
		r := &v.report.Results[g.query]
		switch {
		case g.found:
			*r = g.result
			if r.Verdict == 0 {
				r.Verdict = verdictOf(v.queries[g.query].Op, true)
			}
			v.attach(s, replay, r, g)
		case g.result.Verdict != 0:
			*r = g.result
		case stop == nil && s.store.compact:
			*r = probably(s.store.omission())
		case stop == nil:
			r.Verdict = verdictOf(v.queries[g.query].Op, false)
		case failed:
			*r = *failure
		default:
			*r = Result{Verdict: Maybe, Reason: stop.Error()}
		}
	}
	v.concludePaths(s, replay, stop, failure)
	v.concludeMeasures(s, replay, stop, failure)
}

// attach adds the trace to the state that decided a goal, once the reference
// interpreter has confirmed it.
func (v *verification) attach(s *search, replay *replayer, r *Result, g *goal) {
	trace, err := s.traceTo(g.at)
	if err == nil {
		err = replay.trace(trace)
	}
	if err == nil && r.Verdict != Error {
		q := v.queries[g.query]
		err = replay.decides(q, q.Op == uppaal.Possibly)
	}
	r.finish(trace, err)
}

// errNoTrace is why a verdict has no trace.
var errNoTrace = errors.New("the time was over before the trace was built and replayed")

// overdue reports whether a deadline has passed.
func overdue(deadline time.Time) error {
	if !deadline.IsZero() && time.Now().After(deadline) {
		return errNoTrace
	}
	return nil
}

// finish adds a trace, or what was wrong with it.
func (r *Result) finish(trace *Trace, err error) {
	switch {
	case err == nil:
		r.Trace = trace
	case !errors.Is(err, errNoTrace):
		*r = Result{Verdict: Error, Reason: err.Error()}
	case r.Reason == "":
		r.Reason = err.Error()
	}
}

// faultResult describes an invalid evaluation while the successors of a state
// were computed: the reference interpreter must meet it too, and says where.
func (v *verification) faultResult(s *search, replay *replayer, f *fault) Result {
	trace, err := s.traceTo(s.invalidAt)
	if err == nil {
		// It may lie beyond a refuted sequence, where stuck atoms look.
		err = replay.follow(trace)
	}
	if errors.Is(err, errNoTrace) {
		return Result{Verdict: Error, Reason: f.Error()}
	}
	if err != nil {
		return Result{Verdict: Error, Reason: err.Error()}
	}
	return Result{Verdict: Error, Reason: replay.explain(f), Trace: trace}
}
