package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/creation"
	"github.com/vtrace/vtrace/internal/disallow"
	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/left"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Deep replays the traces of a second pass on the instrumented program. An
// error that the program shows, twice, is real. A trace that it does not follow
// is refuted: the model is searched from where the run has come, so that it goes
// on, at most RunDepth times for a query, and otherwise from the start without what
// was refuted. The next trace is replayed, until the error is reproduced, there is
// no trace left (the error is false), or RunDepth traces from the start were tried.
// For what is still open then, the program is run near the traces, see GuidedRuns.
//
// Before that, the program is run under a few schedules in order, and runs under random
// schedules are followed in the model, see
// ConformanceRuns: a model that cannot do what the program does proves nothing. What
// these and further runs (ExploreRuns) show is taken up, whatever the model says.
//
// The bundle has the findings with their verdicts, an Orchestration test and
// the execution log for each of them, and the refutations.
func Deep(ctx context.Context, second *artifact.Bundle, opts Options) (*artifact.Bundle, error) {
	return deepen(ctx, second, nil, opts)
}

// deepen takes the program from an earlier pass, if it is given and can be used.
func deepen(ctx context.Context, second *artifact.Bundle, earlier *started, opts Options) (_ *artifact.Bundle, err error) {
	defer caught(&err)
	if err := present(ctx, second); err != nil {
		return nil, err
	}
	if err := expect(second, artifact.PassSecond); err != nil {
		return nil, err
	}
	if opts, err = opts.inherit(second); err != nil {
		return nil, err
	}
	net, err := uppaal.ReadXML(bytes.NewReader(second.Model()))
	if err != nil {
		return nil, &artifact.CorruptError{File: artifact.ModelPath, Err: err}
	}
	if err := fits(second.Sidecar(), net); err != nil {
		return nil, err
	}
	opts, close, err := opts.sandboxed(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	if opts.shared == nil {
		opts.shared = newShared(opts.Builds)
		defer func() { err = errors.Join(err, opts.shared.close()) }()
	}
	rep := reporter{artifact.PassDeep, opts.Progress}
	p, err := opts.loading(ctx, rep, func(ctx context.Context) (*program, error) { return earlier.reload(ctx, second, opts) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if opts.soft == nil { // a check has done so
		p.compileLibraries(ctx, opts, rep)
	}
	opts, stop := opts.bounded(ctx)
	defer stop()
	manifest, err := p.manifest(artifact.PassDeep, opts)
	if err != nil {
		return nil, err
	}
	manifest.Changed = second.Manifest().Changed
	d := &deep{
		opts: opts, rep: rep, program: p, net: net,
		out: artifact.Extend(second, manifest), side: second.Sidecar(),
		target: p.target(second.Sidecar(), opts), seen: map[uint64]bool{},
	}
	if earlier != nil && earlier.program == p {
		d.schedules, d.instrumented = earlier.schedules, opts.Cache == nil
	}
	if d.recorded, err = records(second); err != nil {
		return nil, err
	}
	if opts.Model.Races && !d.recorded {
		return nil, errors.New("data races cannot be looked for: the program of the bundle is not instrumented for that")
	}
	d.open(second)
	d.second = second
	if err := d.resume(); err != nil {
		return nil, err
	}
	if err := d.run(ctx, second); err != nil {
		return nil, err
	}
	b, err := d.finish(second)
	if err != nil {
		return nil, err
	}
	return b, d.unsave(ctx, b)
}

// fits says where a sidecar is not that of a model.
func fits(side *artifact.Sidecar, net *uppaal.Network) error {
	same := len(side.Templates) == len(net.Templates)
	for i := 0; same && i < len(net.Templates); i++ {
		s, t := side.Templates[i], net.Templates[i]
		same = len(s.Locations) == len(t.Locations) && len(s.Edges) == len(t.Edges)
	}
	if !same {
		return &artifact.CorruptError{File: artifact.SidecarPath, Err: errors.New("it is not that of the model")}
	}
	return nil
}

// deep is the state of a deep pass.
type deep struct {
	opts    Options
	rep     reporter
	program *program
	// instrumented: the program in the bundle was instrumented from this one in the same check.
	instrumented bool
	second       *artifact.Bundle
	net          *uppaal.Network
	side         *artifact.Sidecar
	target       orchestrate.Target
	binary       *orchestrate.Binary
	// unknownPartners says, of a replay that is recorded, why it is not known who has met whom, if so.
	unknownPartners []string
	out             *artifact.Builder

	cases    []*suspect
	observed []*suspect       // errors that showed while others were replayed, or in other runs
	asked    []artifact.Query // of other runs, and the number of the last query
	last     int
	recorded bool     // data races show
	lent     []string // where what libraries may have kept is used, see orcruntime.Exhausted.Kept
	raced    []*raced
	replayed int // of those raced
	search   artifact.RaceSearch
	runs     artifact.Runs
	ends     []ended // of the runs
	// raceSchedules are those of the runs that were watched for data races, and racesCut: these were ended by their share of the budget.
	raceSchedules map[string]bool
	racesCut      bool
	endsWell      bool                  // a run has ended without an error, or did not end
	left          leftovers             // of the runs
	frames        *frames.Program       // nil until it is asked
	holders       *left.Program         // nil until it is asked
	creations     *creation.Program     // nil until it is asked
	goleak        *goleak               // nil until it is asked
	seen          map[uint64]bool       // schedules of the runs
	schedules     *schedules            // run beside; nil if they are not
	saved         time.Time             // when what is known was saved last
	savedAll      int                   // refutations by then
	follower      *orchestrate.Follower // nil: the model does not say where runs are
	timed         bool                  // time may have passed in them while a goroutine could go on
	reused        bool                  // a WaitGroup may be added to in them while others wait for it
	callsApart    bool                  // several goroutines have called in them what may keep something, see severalCall
	long          bool                  // the first of them has come to no end
	longest       int                   // steps of one that has come to its end
	starved       []ended               // runs that were cut off while somebody was blocked
	durations     []time.Duration       // that the clock turned out to be compared with, ascending
	facts         map[orchestrate.EdgeOf]*fact
	refutations   []artifact.Refutation
	refuted       [][]check.Label
	hashes        map[int][]int32 // refuted traces by query, with DisallowFNV
}

// suspect is a query that is not satisfied: a possible error.
type suspect struct {
	query    artifact.Query
	verdict  artifact.Verdict
	trace    *artifact.Trace
	number   int // of the trace, among those of the query
	attempts int
	// next is the plan that goes on from where the last run has come, nil if there is
	// none, and continued how many there were.
	next      *orchestrate.Continuation
	continued int
	decided   bool
	replay    *orchestrate.Verdict // the last one
	raced     *raced               // if it is a data race
	outcome   string               // artifact.Real, False or Unconfirmed
	reason    string
	test      string
	// run is the number of the run that has shown it, 0 if that is the last attempt.
	run int
	// minimised says what has become of the interleaving, nil if it was not minimised.
	minimised *artifact.Minimised
	// untried: there was no time to replay it, so that it is as possible as it was.
	untried bool
	// open: the replays have not decided it, and other runs may.
	open   bool
	guides [][]artifact.PlanStep // the plans replayed
	// weak: something was left out that the program may do.
	weak bool
	// unexplained says where model and program differ without a reason.
	unexplained string
}

// open takes over the queries that are not satisfied, with their first traces.
func (d *deep) open(second *artifact.Bundle) {
	verdicts := map[int]artifact.Verdict{}
	for _, v := range second.Verdicts() {
		verdicts[v.Query] = v
	}
	for _, q := range second.Queries() {
		d.last = max(d.last, q.Number)
		v := verdicts[q.Number]
		if v.Result != check.False.String() || q.Kind == artifact.KindBound || q.Kind == artifact.KindImprecise {
			continue
		}
		s := &suspect{query: q, verdict: v, number: 1}
		if len(v.Traces) > 0 {
			s.trace = second.TraceAt(v.Traces[0])
		}
		d.cases = append(d.cases, s)
	}
	d.hashes = map[int][]int32{}
}

// pending are the suspects that are not decided.
func (d *deep) pending() []*suspect {
	var out []*suspect
	for _, s := range d.cases {
		if !s.decided {
			out = append(out, s)
		}
	}
	return out
}

func (d *deep) run(ctx context.Context, second *artifact.Bundle) (err error) {
	if why := cut(ctx, d.opts.soft); why != "" {
		return d.unrun(ctx, why)
	}
	close, err := d.build(d.opts.soft, second)
	switch why := cut(ctx, d.opts.soft); {
	case err != nil && why != "":
		return d.unrun(ctx, "the instrumented program was not built: "+why)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, close()) }()
	if d.opts.raced != nil && d.opts.model != nil && errors.Is(context.Cause(d.opts.model), errRaces) {
		d.opts.raced(d.schedules.race) // nothing that this check can still find makes up for it
	}
	if d.recorded {
		if err := d.firstRaceRuns(ctx); err != nil {
			return err
		}
	}
	for _, stage := range []func(context.Context) error{d.systematic, d.conform, d.replayAll} {
		d.tellRace()
		if err := stage(ctx); err != nil {
			return err
		}
	}
	d.tellRace()
	if err := d.guide(ctx); err != nil {
		return err
	}
	if err := d.explore(ctx); err != nil {
		return err
	}
	if d.recorded {
		if err := d.races(ctx); err != nil {
			return err
		}
	}
	if err := d.proveEnds(ctx, second); err != nil {
		return err
	}
	if err := d.exhaust(ctx); err != nil {
		return err
	}
	if err := d.proveEnds(ctx, second); err != nil {
		return err
	}
	if err := d.settleStalls(ctx); err != nil {
		return err
	}
	if err := d.minimise(ctx); err != nil {
		return err
	}
	if d.opts.ends != nil && d.found() {
		if *d.opts.ends, err = d.someEndsWell(ctx); err != nil {
			return err
		}
	}
	d.doubtRefuted()
	d.out.SetRuns(&d.runs)
	return nil
}

// doubtRefuted leaves open what would be false, if what could contradict that was cut: runs have come to errors
// that were not replayed, of which it may be one; or the program follows none of its traces, and the runs that
// could have shown it all the same were not done.
func (d *deep) doubtRefuted() {
	why := ""
	switch {
	case d.runs.Unproved > 0:
		why = "errors that runs have come to were not replayed, of which it may be one"
	case d.runs.Cut != "" && !d.runs.Exhaustive.Proved():
		why = fmt.Sprintf("the check was ended after %d runs of the program: %s", d.runs.Runs, d.runs.Cut)
	default:
		return
	}
	for _, s := range d.cases {
		if s.outcome == artifact.False {
			s.giveUp(s.reason + "; but " + why)
		}
	}
}

// unrun gives up before there is anything to run. The other engine has a build of its own,
// and may have proved something by then.
func (d *deep) unrun(ctx context.Context, why string) error {
	d.leave(why)
	if err := d.exhaust(ctx); err != nil {
		return err
	}
	d.runs.Unproved += len(d.ends)
	d.runs.Stopped, d.runs.Cut = why, why
	d.doubtRefuted()
	d.out.SetRuns(&d.runs)
	return nil
}

// ask gives a number to a query that no model answers: runs have shown the error.
func (d *deep) ask(q artifact.Query) artifact.Query {
	d.last++
	q.Number = d.last
	d.asked = append(d.asked, q)
	return q
}

// suspectOf is what runs have shown, and the replay of them, as a suspect with a
// query of its own.
func (d *deep) suspectOf(q artifact.Query, v *orchestrate.Verdict) *suspect {
	s := &suspect{query: q, attempts: 1, number: 1, replay: v}
	s.trace = &artifact.Trace{Comment: q.Description, Result: check.False.String(), Lines: []string{}, Query: q.Number, Plan: &v.Plan}
	s.verdict.Traces = []string{d.out.AddTrace(q.Number, 1, s.trace)}
	d.observed = append(d.observed, s)
	d.rep.send(Replayed{Query: q.Number, Attempt: 1, Outcome: v.Status})
	return s
}

// retrace gives a suspect another trace: what a run has shown, and the replay of it.
func (d *deep) retrace(s *suspect, v *orchestrate.Verdict) {
	s.replay = v
	// What was observed in the replay of a query's trace has its number.
	var others []*suspect
	s.number = len(s.verdict.Traces) + 1
	for _, o := range d.cases {
		if o != s && o.query.Number == s.query.Number {
			others = append(others, o)
			s.number = max(s.number, len(o.verdict.Traces)+1)
		}
	}
	s.trace = &artifact.Trace{
		Formula: s.query.Formula, Comment: s.query.Description, Result: check.False.String(), Lines: []string{}, Query: s.query.Number, Plan: &v.Plan,
	}
	path := d.out.AddTrace(s.query.Number, s.number, s.trace)
	for _, o := range append(others, s) {
		o.verdict.Traces = append(o.verdict.Traces, path)
	}
}

// replayAll decides the suspects.
func (d *deep) replayAll(ctx context.Context) error {
	defer d.rep.stage("replay")()
	part, cancel := d.opts.within(ctx, replayShare)
	defer cancel()
	if again := d.resumed(); len(again) > 0 {
		if err := d.again(ctx, again); err != nil {
			return err
		}
	}
	for {
		for _, s := range d.pending() {
			if why := cut(ctx, part); why != "" {
				d.leave(why)
				return nil
			}
			for again := true; again; {
				err := d.replay(ctx, s)
				if err != nil {
					return err
				}
				if again, err = d.goOn(ctx, s); err != nil {
					return err
				}
				if err := d.save(ctx); err != nil {
					return err
				}
				if why := cut(ctx, part); again && why != "" {
					d.leave(why)
					return nil
				}
			}
			if err := d.partial(s); err != nil {
				return err
			}
		}
		open := d.pending()
		if len(open) == 0 {
			return nil
		}
		if err := d.again(ctx, open); err != nil {
			return err
		}
	}
}

// partial hands on what is known, if a suspect has proved real.
func (d *deep) partial(s *suspect) error {
	if d.opts.Partial == nil || s.outcome != artifact.Real {
		return nil
	}
	b, err := d.finish(d.second)
	if err == nil {
		d.opts.Partial(b)
	}
	return err
}

// leave gives up what is not decided.
func (d *deep) leave(why string) {
	for _, s := range d.pending() {
		reason := why
		if s.reason != "" {
			reason += "; the last replay: " + s.reason
		}
		s.conclude(artifact.Unconfirmed, reason)
		s.untried = s.attempts == 0
	}
}

// limits bound a run of the program: by the watchdog, and by what is left of the budget.
func (d *deep) limits(steps int) orchestrate.RunOptions {
	o := orchestrate.RunOptions{Timeout: d.opts.Watchdog, MaxSteps: steps, Durations: d.durations}
	if d.opts.Budget > 0 {
		left := d.opts.Budget - time.Since(d.opts.start)
		o.Timeout = min(o.Timeout, max(left, min(minRun, d.opts.Budget/20)))
	}
	return o
}

// minRun is the time that a run gets at least, if the budget is large: most need a
// hundredth of it.
const minRun = time.Second

// build compiles the instrumented program once for all plans.
func (d *deep) build(ctx context.Context, second *artifact.Bundle) (func() error, error) {
	done := d.rep.stage("build")
	defer done()
	dir, err := scratch.Make("overlay")
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	again, err := d.compile(ctx, second, dir)
	if again != nil && d.out != nil {
		d.replaceOverlay(again)
	}
	if err != nil {
		return nil, errors.Join(err, scratch.Remove(dir))
	}
	return func() error { return errors.Join(d.binary.Close(), scratch.Remove(dir)) }, nil
}

// replay makes the program follow the trace of a suspect.
func (d *deep) replay(ctx context.Context, s *suspect) error {
	if d.same(s) {
		return nil
	}
	if s.query.Kind == artifact.KindNeverReached {
		s.conclude(artifact.Unconfirmed, "the model has no such schedule, which no run can show")
		return nil
	}
	if s.trace == nil {
		s.giveUp(strings.TrimSuffix("the search gave no trace: "+s.verdict.Reason, ": "))
		return nil
	}
	s.attempts++
	plan, repeated, err := d.planOf(s)
	if err != nil {
		s.giveUp("the trace cannot be replayed: " + err.Error())
		return nil
	}
	late, cancel := d.opts.late(ctx)
	defer cancel()
	v, err := d.confirm(late, evidence{plan: plan, origin: fromTrace, query: s.query.Number})
	if why := cut(ctx, late); err != nil && why != "" {
		s.giveUp(why)
		return nil
	}
	if err != nil {
		return err
	}
	s.replay = v
	s.guides = append(s.guides, v.Plan.Steps)
	d.rep.send(Replayed{Query: s.query.Number, Attempt: s.attempts, Outcome: v.Status})
	if err := d.keep(s); err != nil {
		return err
	}
	if v.Status != orchestrate.Reproduced {
		if err := d.observe(ctx, s); err != nil {
			return err
		}
	}
	switch v.Status {
	case orchestrate.Reproduced:
		s.conclude(artifact.Real, "")
		return nil
	case orchestrate.Infeasible, orchestrate.NotReproduced:
	case orchestrate.Limit:
		if why := d.doubt(s); why != "" || v.Since == 0 {
			s.conclude(artifact.Unconfirmed, v.Reason)
			return nil
		}
		s.conclude(artifact.Real, fmt.Sprintf(asProved, v.Since))
		return nil
	default:
		s.conclude(artifact.Unconfirmed, v.Reason)
		return nil
	}
	if v.Status == orchestrate.Infeasible && v.Step <= repeated {
		s.reason, s.continued = unrepeated(v.Step, repeated), d.opts.RunDepth
		return nil // there is nothing to learn, nor to go on from
	}
	labels := orchestrate.NewLabels(d.side, d.net)
	r, ok := labels.Refute(s.trace, &plan, v)
	if !ok {
		s.giveUp(v.Reason)
		return nil
	}
	// With deadlines, atomic operations or calls of libraries in another order, which the model leaves out, the program may follow it.
	r.Weak = r.Weak || v.Deadlines || d.callsApart || d.leavesOutOrder(v)
	s.took(r)
	d.refutations = append(d.refutations, r)
	if left, ok := labels.Left(s.trace, r); ok {
		d.avoid(left)
	}
	if d.opts.Disallow == DisallowFNV {
		h, ok := pathHash(s.trace)
		if !ok {
			s.giveUp("the model has no hash of the path: it was not made with -disallow fnv; last replay: " + r.Reason)
			return nil
		}
		d.hashes[s.query.Number] = append(d.hashes[s.query.Number], h)
	} else {
		d.refuted = append(d.refuted, pathOf(r))
	}
	depth := d.opts.RunDepth
	if v.Deadlines {
		depth = (depth + 2) / 3 // what it depends on is in no plan: schedules near to these vary it
	}
	if s.attempts-s.continued >= depth {
		s.giveUp(fmt.Sprintf("%d traces were refuted, more were not tried; the last: %s", s.attempts, r.Reason))
	}
	return nil
}

// leavesOutOrder reports whether in a run several goroutines have used an atomic variable that the model leaves out, and one
// of them has changed it. The model does so where it does not keep what their values decide, as behind a text that is
// made of them: its trace then stands for all orders of these operations, of which the run has had one.
func (d *deep) leavesOutOrder(v *orchestrate.Verdict) bool {
	effects := map[int]int{} // by step
	for i, e := range v.Effects {
		effects[e.Step] = i
	}
	type use struct {
		by      string
		several bool
		changed bool
	}
	uses := map[string]use{}
	for i, step := range v.Trace {
		site, ok := d.siteOf(step.Site)
		if !ok || site.Kind != sites.Atomic.String() || slices.Contains(d.side.Accesses, site.ID) {
			continue
		}
		object, changed := "", true // if it is not known
		if k, known := effects[i+1]; known {
			object, changed = v.Effects[k].Object, v.Effects[k].After != ""
		}
		u := uses[object]
		u.several = u.several || u.by != "" && u.by != step.G
		u.changed = u.changed || changed
		u.by = step.G
		if uses[object] = u; u.several && u.changed {
			return true
		}
	}
	return false
}

// done is the plan of what a run has done.
func done(v *orchestrate.Verdict) artifact.Plan {
	return artifact.Plan{Steps: v.Trace, Seed: v.Seed, Choices: v.Choices, Minor: v.Minor}
}

// same decides a suspect whose error was reproduced for another process.
func (d *deep) same(s *suspect) bool {
	for _, o := range d.cases {
		if o != s && o.outcome == artifact.Real && o.query.Kind == s.query.Kind && o.query.Site == s.query.Site && s.query.Site != 0 {
			s.conclude(artifact.Real, "")
			s.test, s.replay = o.test, nil // its own showed something else
			return true
		}
	}
	return false
}

func (s *suspect) conclude(outcome, reason string) {
	s.decided, s.outcome, s.reason = true, outcome, reason
}

// giveUp leaves a suspect undecided that other runs may show to be real.
func (s *suspect) giveUp(reason string) {
	s.conclude(artifact.Unconfirmed, reason)
	s.open = true
}

// again searches the model without what was refuted.
func (d *deep) again(ctx context.Context, open []*suspect) error {
	queries := make([]artifact.Query, len(open))
	for i, s := range open {
		queries[i] = s.query
		if hashes := d.hashes[s.query.Number]; len(hashes) > 0 {
			text, err := disallow.RewriteText(s.query.Formula, hashes...)
			if err != nil {
				return fmt.Errorf("query %d: %w", s.query.Number, err)
			}
			queries[i].Formula = text
		}
	}
	found, err := d.searchAgain(ctx, queries)
	if err != nil {
		return err
	}
	for i, s := range open {
		switch v := found.verdicts[i]; v.Result {
		case check.False.String():
			s.trace = found.traces[i]
			if s.trace != nil {
				s.number = len(s.verdict.Traces) + 1
				s.verdict.Traces = append(s.verdict.Traces, d.out.AddTrace(s.query.Number, s.number, s.trace))
			}
		case check.True.String():
			if why := d.doubt(s); why != "" {
				s.giveUp("no other trace, but " + why + "; the last replay: " + s.reason)
			} else {
				s.conclude(artifact.False, fmt.Sprintf("the program follows none of the traces (%d replayed); the last: %s", s.attempts, s.reason))
			}
		default:
			s.giveUp("the search for another trace was not finished: " + v.Reason)
		}
	}
	return nil
}

// doubt says why an exhausted search does not make an error false, "" if it
// does.
func (d *deep) doubt(s *suspect) string {
	gaps := gapsOf(&d.runs)
	switch {
	case len(gaps) > 0:
		return gaps[0]
	case d.opts.Disallow == DisallowFNV:
		return "two paths may have the same hash"
	case s.weak:
		return "a refuted trace may hide another one"
	}
	for _, a := range d.side.Approximations {
		if a.Unreached {
			continue
		}
		switch a.Kind {
		case approximation.Access:
			continue
		case approximation.Number:
			return fmt.Sprintf("another run may have another number at %s:%d (%s)", a.File, a.Line, a.Reason)
		case approximation.Input:
			return fmt.Sprintf("another run may decide otherwise at %s:%d (%s)", a.File, a.Line, a.Reason)
		}
		switch a.Direction {
		case artifact.DirectionUnder:
			return fmt.Sprintf("the model leaves out what %s:%d does (%s)", a.File, a.Line, a.Reason)
		case artifact.DirectionControl:
			return fmt.Sprintf("%s:%d is not under control (%s)", a.File, a.Line, a.Reason)
		}
	}
	return s.unexplained // unless what the model leaves out is why
}

// pathHash is the value of the hash of the path at the end of a trace.
func pathHash(tr *artifact.Trace) (int32, bool) {
	for i := len(tr.Steps) - 1; i >= 0; i-- {
		for _, v := range tr.Steps[i].Vars {
			if v.Name == disallow.VariableName {
				return int32(v.Value), true
			}
		}
	}
	return 0, false
}
