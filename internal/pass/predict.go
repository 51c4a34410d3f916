package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/predict"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/trace"
	"github.com/vtrace/vtrace/internal/translate"
)

// PredictRuns is how many runs look for an error that an analysis predicts near the plans of it, if they have not
// shown it.
const PredictRuns = 100

// Predict records a run of a program, predicts from it which errors other runs may have, and makes the program follow
// each prediction. Only what it shows then, and twice again, is a real finding.
func Predict(ctx context.Context, spec source.Spec, how Predicting, opts Options) (_ *Predicted, err error) {
	defer caught(&err)
	if how.MaxBytes < 0 || how.Timeout < 0 {
		return nil, &OptionError{Option: "Recording", Reason: "a bound is negative"}
	}
	p, opts, rep, close, err := loadToRun(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	opts.shared = newShared(nil)
	defer func() { err = errors.Join(err, opts.shared.close()) }()
	out := &Predicted{}
	var recorded bytes.Buffer
	if how.From == nil {
		ctx, stop := opts.interruptible(ctx)
		defer stop()
		record := how.Recording
		if record.To = &recorded; how.To != nil {
			record.To = io.MultiWriter(&recorded, how.To)
		}
		if out.Recorded, err = p.record(ctx, record, opts, rep); err != nil {
			return nil, err
		}
		how.From = &recorded
	}
	done := rep.stage("analyze")
	t, header, err := recording.Load(how.From, 0)
	if err != nil {
		return nil, err
	}
	if err := p.isOf(t, header); err != nil {
		return nil, err
	}
	var predictions []analyze.Prediction
	out.Analysis, predictions, err = analyze.Predict(t, how.Limits)
	done()
	if err != nil {
		return nil, err
	}
	// Numbers of sites may be added while a program is instrumented.
	again := *p
	again.sites = parse.Index(p.source)
	p = &again
	p.compileLibraries(ctx, opts, rep)
	opts, stop := opts.bounded(ctx)
	defer stop()
	begun, err := p.predictable(ctx, header, out.Analysis, opts, rep)
	if err != nil {
		return nil, err
	}
	manifest, err := p.manifest(artifact.PassDeep, opts)
	if err != nil {
		return nil, err
	}
	d := &deep{
		opts: opts, rep: rep, program: p, second: begun, side: begun.Sidecar(), out: artifact.Extend(begun, manifest),
		seen: map[uint64]bool{}, recorded: opts.Model.Races, endsWell: header.End == goodEnd,
	}
	d.target = p.target(d.side, opts)
	if out.Predictions, err = d.confirmAll(ctx, predict.NewPlanner(t, d.side, d.target.IsTest()), predictions); err != nil {
		return nil, err
	}
	out.Bundle, err = d.finish(begun)
	return out, err
}

// goodEnd is how a program ends that does not fail.
const goodEnd = "exit status 0"

// isOf checks that a recording is of this program, as it is now.
func (p *program) isOf(t *trace.Trace, h recording.Header) error {
	if entry := p.entry(); h.Program != entry.Package+"."+entry.Func {
		return &ArgumentError{Name: "recording", Reason: fmt.Sprintf("it is one of %s, not of %s.%s", clip(h.Program), entry.Package, entry.Func)}
	}
	known := map[string]bool{}
	for _, s := range p.sites.Sites() {
		known[s.Key] = true
	}
	for _, pos := range t.Positions {
		if pos.Site != "" && !known[pos.Site] {
			return &ArgumentError{Name: "recording", Reason: fmt.Sprintf("the program has changed since: it has no %s any more, which was at %s; record it again", clip(pos.Site), clip(pos.String()))}
		}
	}
	return nil
}

// predictable is a bundle for a program whose errors are predicted from a recorded run.
func (p *program) predictable(ctx context.Context, h recording.Header, r *analyze.Result, opts Options, rep reporter) (*artifact.Bundle, error) {
	why := []string{"its errors are predicted from one recorded run, and what that does not predict is not looked for"}
	for _, l := range slices.Concat(h.Notes, r.Limits) {
		why = append(why, "of the recorded run: "+l)
	}
	return p.withoutSearch(ctx, parse.Options{Races: opts.Model.Races}, why, opts, rep)
}

// withoutSearch is a bundle of the second pass that has the instrumented program, and no model to search, for
// some reasons.
func (p *program) withoutSearch(ctx context.Context, how parse.Options, reasons []string, opts Options, rep reporter) (*artifact.Bundle, error) {
	overlay, err := p.overlay(ctx, how, rep)
	if err != nil {
		return nil, err
	}
	var why []artifact.Approximation
	for _, r := range reasons {
		why = append(why, noModel(p.position(), r))
	}
	model := p.withoutModel(why)
	b, _, err := p.bundle(artifact.PassSecond, opts)
	if err != nil {
		return nil, err
	}
	putOverlay(b, overlay, &model.Sidecar)
	if err := put(b, model); err != nil {
		return nil, err
	}
	record(b, nil, &model.Sidecar, &searched{})
	return b.Bundle()
}

// confirmAll makes the program follow all predictions.
func (d *deep) confirmAll(ctx context.Context, planner predict.Planner, all []analyze.Prediction) (_ []Prediction, err error) {
	close, err := d.build(ctx, d.second)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	out := make([]Prediction, 0, len(all))
	done := d.rep.stage("replay")
	for _, prediction := range all {
		p, err := d.confirmPrediction(ctx, planner.Plan(prediction))
		if err != nil {
			return nil, err
		}
		out = append(out, *p)
	}
	done()
	if d.recorded {
		d.out.SetRaces(&d.search)
	}
	if err := d.settleStalls(ctx); err != nil {
		return nil, err
	}
	return out, d.minimise(ctx)
}

// confirmPrediction makes the program follow a prediction, by each of its plans, and in runs near them.
func (d *deep) confirmPrediction(ctx context.Context, p *predict.Planned) (*Prediction, error) {
	out := &Prediction{Message: p.Message, Outcome: PredictionUnconfirmed}
	if f := p.Finding; f != nil {
		out.Code, out.Message = f.Code, fmt.Sprintf("%s: %s", f.Title, f.Message)
	}
	switch {
	case p.Err != nil:
		out.Reason = p.Err.Error()
		return out, d.leavePrediction(p, out, nil)
	case len(p.Plans) == 0:
		out.Reason = "no order of the operations of the run was found in which it shows"
	}
	var last *orchestrate.Recording
	var left *artifact.Plan // the part of the first plan that the program has followed
	for _, plan := range p.Plans {
		if why := cut(ctx, d.opts.soft); why != "" {
			out.Reason = why
			return out, d.leavePrediction(p, out, last)
		}
		r, err := d.binary.Follow(ctx, plan, d.limits(0))
		if err != nil {
			return nil, fmt.Errorf("follow a prediction: %w", err)
		}
		v := r.Verdict
		shows, err := d.takePredicted(ctx, p, out, r)
		switch {
		case shows || err != nil:
			return out, err
		case out.Outcome == PredictionRefuted:
		case v.Status == orchestrate.Completed && v.Weak:
			out.Reason = "the program follows it, and nothing goes wrong, but control was incomplete: " + strings.Join(v.Weaknesses, "; ")
		case v.Status == orchestrate.Completed && v.Kind != "" && !d.leftByMain(v):
			out.Reason = fmt.Sprintf("the program follows it, and ends so, which alone is not taken for an error: %s", v.Message)
		case v.Status == orchestrate.Completed:
			out.Outcome, out.Reason = PredictionRefuted, "the program follows it, and nothing goes wrong"
		default:
			out.Reason = v.Reason
		}
		if last == nil || v.Status == orchestrate.Completed {
			last = r
		}
		if left == nil && v.Status == orchestrate.Infeasible {
			left = &plan
			left.Steps = plan.Steps[:v.Step-1]
		}
	}
	if p.Kind == "" {
		if out.Outcome == PredictionUnconfirmed && left != nil {
			return out, d.goElsewhere(ctx, p, out, *left)
		}
		return out, nil
	}
	shows, err := d.nearPrediction(ctx, p, out)
	if shows || err != nil {
		return out, err
	}
	return out, d.leavePrediction(p, out, last)
}

// goElsewhere has the program follow an order of which nothing is claimed to where it goes another way, and on from there: by the
// order something has other values, and what it does with them may be wrong.
func (d *deep) goElsewhere(ctx context.Context, p *predict.Planned, out *Prediction, plan artifact.Plan) error {
	r, err := d.binary.Follow(ctx, plan, d.limits(0))
	if err != nil {
		return fmt.Errorf("follow a part of a prediction: %w", err)
	}
	reason := out.Reason
	shows, err := d.takePredicted(ctx, p, out, r)
	switch {
	case err != nil:
		return err
	case shows && out.Outcome == PredictionConfirmed:
		out.Outcome, out.Reason = PredictionOther, fmt.Sprintf("the program goes another way (%s), and there: %s", reason, r.Verdict.Message)
	case !shows:
		out.Reason = reason + "; it goes on from there without an error"
	}
	return nil
}

// takePredicted takes up what a run has shown that follows a prediction. It reports whether that is an error.
func (d *deep) takePredicted(ctx context.Context, p *predict.Planned, out *Prediction, r *orchestrate.Recording) (bool, error) {
	v := r.Verdict
	e := d.predictedEnd(p, r, predictedBy(out))
	known, _ := d.provedOf(e)
	if err := d.watchPredicted(ctx, r, e.predicted); err != nil {
		return false, err
	}
	if v.Kind == "" || v.Status == orchestrate.Unsupported || v.Status == orchestrate.Limit {
		return false, nil
	}
	if err := d.shown(ctx, d.second, e); err != nil {
		return false, err
	}
	switch proved, reason := d.provedOf(e); {
	case !proved && reason == "":
		return false, nil
	case !proved:
		out.Reason = reason
	case p.Kind != "" && v.Status != orchestrate.Reproduced:
		out.Outcome, out.Reason = PredictionOther, v.Message
	case known:
		out.Outcome, out.Reason = PredictionConfirmed, "it is an error that another run has shown, at the same place"
	default:
		out.Outcome, out.Reason = PredictionConfirmed, ""
	}
	return true, nil
}

// predictedEnd is how a run has ended that follows a prediction.
func (d *deep) predictedEnd(p *predict.Planned, r *orchestrate.Recording, predicted string) ended {
	v := r.Verdict
	e := ended{End: orchestrate.End{
		Count: 1, Status: orchestrate.Completed, Kind: v.Kind, Message: v.Message, G: v.G, Site: v.Site, Stack: v.Stack,
		Goroutines: v.Goroutines, Races: v.Races, Plan: r.Plan,
	}, of: 1, predicted: predicted, patient: len(v.Stalls) == 0}
	if v.Status == orchestrate.Reproduced && p.Kind == artifact.KindPartialDeadlock && d.leftByMain(v) {
		e.Kind, e.Plan.Expect = p.Kind, artifact.Expect{Kind: p.Kind, Goroutines: p.At}
	}
	if e.Kind == artifact.KindDeadlock || e.Kind == artifact.KindPartialDeadlock {
		e.at = stuckFor(p, r)
	}
	return e
}

// watchPredicted makes findings of the data races of a run, if they are looked for.
func (d *deep) watchPredicted(ctx context.Context, r *orchestrate.Recording, predicted string) error {
	if !d.recorded {
		return nil
	}
	d.search.Replays++
	before := len(d.observed)
	d.watch(r.Verdict, r.Plan)
	if err := d.confirmRaces(ctx); err != nil {
		return err
	}
	for _, s := range d.observed[before:] {
		if s.reason == "" {
			s.reason = predicted
		}
	}
	return nil
}

// leftByMain reports that a run has ended with the return of main, while others were blocked: that is no error.
func (d *deep) leftByMain(v *orchestrate.Verdict) bool {
	return v.Kind == artifact.KindLeak && !d.target.IsTest()
}

// stuckFor is who is stuck in a run that follows a prediction: of those that it is about the first one, else
// the first one that is not the entry, which may wait for several.
func stuckFor(p *predict.Planned, r *orchestrate.Recording) []artifact.At {
	if r.Verdict.Status == orchestrate.Reproduced {
		return p.At[:1]
	}
	all := r.Plan.Expect.Goroutines
	if i := slices.IndexFunc(all, func(at artifact.At) bool { return at.G != entryGoroutine }); i >= 0 {
		return all[i : i+1]
	}
	return nil
}

// predictedBy is the reason of findings that a prediction has shown.
func predictedBy(p *Prediction) string {
	if p.Code == "" {
		return fmt.Sprintf("predicted from a recorded run, in another order: %s", p.Message)
	}
	return fmt.Sprintf("predicted from a recorded run (%s)", p.Code)
}

// provedOf says whether an error is real in which a run has ended, and if it is not, why; "" is that it is no error.
func (d *deep) provedOf(e ended) (proved bool, reason string) {
	for _, s := range d.observed {
		if s.raced != nil {
			if len(e.Races) > 0 && e.Kind == artifact.KindRace && pair(s.raced.sides) == pair(orchestrate.Accesses(d.side, e.Races[0])) {
				return s.outcome == artifact.Real, s.reason
			}
			continue
		}
		site, _ := d.siteOf(e.Site)
		place := d.endPlace(e.Kind, site, e.Stack)
		at := e.Plan.Expect.Goroutines
		if e.at != nil {
			at = e.at
		}
		is := !explain.Stuck(e.Kind) && same(s.query, e.Kind, place) || explain.Stuck(e.Kind) && s.query.Kind == e.Kind &&
			slices.ContainsFunc(at, func(at artifact.At) bool { in, _ := d.siteOf(at.Site); return s.query.Site == in.ID })
		switch {
		case is && s.outcome == artifact.Real:
			return true, ""
		case is:
			reason = s.reason
		}
	}
	return false, reason
}

// nearPrediction looks for the error near the plans of a prediction.
func (d *deep) nearPrediction(ctx context.Context, p *predict.Planned, out *Prediction) (bool, error) {
	part, limited, cancel := d.opts.watched(ctx, replayShare)
	defer cancel()
	if cut(ctx, part) != "" {
		return false, nil
	}
	x, err := d.binary.Explore(limited, orchestrate.ExploreOptions{
		Runs: PredictRuns, Expect: p.Expect(), Guides: p.Guides(), NoReplay: true, MaxProcesses: guidedProcesses,
		RunOptions: d.limits(guidedSteps),
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil && (cut(ctx, part) != "" || limited.Err() != nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("runs near a prediction: %w", err)
	case x.Shown == nil:
		out.Reason += fmt.Sprintf("; %d runs near it do not show it", x.Runs)
		return false, nil
	}
	return d.takePredicted(ctx, p, out, &x.Shown.Recording)
}

// leavePrediction makes a finding of a prediction that is not confirmed, if an analysis claims an error.
func (d *deep) leavePrediction(p *predict.Planned, out *Prediction, r *orchestrate.Recording) error {
	if p.Kind == "" {
		return nil
	}
	v := &orchestrate.Verdict{Status: orchestrate.Unconfirmed, Reason: out.Reason, Plan: artifact.Plan{Steps: []artifact.PlanStep{}}}
	if r != nil {
		v = r.Verdict
		v.Plan = r.Plan // what was done, step by step
	}
	v.Plan.Expect = p.Expect()
	site, _ := d.siteOf(p.Finding.Operations[0].Site)
	if d.known(p.Kind, site) {
		return nil
	}
	q := d.ask(artifact.Query{
		Category: translate.CategoryOf(p.Kind, sites.Named(site.Kind)), Kind: p.Kind, Site: site.ID, File: site.File, Line: site.Line, Col: site.Col, Description: out.Message,
	})
	s := d.suspectOf(q, v)
	outcome := artifact.Unconfirmed
	if out.Outcome == PredictionRefuted {
		outcome = artifact.False
	}
	s.conclude(outcome, fmt.Sprintf("%s: %s", predictedBy(out), out.Reason))
	if r == nil {
		return nil // there is nothing to replay
	}
	return d.keep(s)
}
