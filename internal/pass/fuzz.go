package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

const (
	// fuzzShare is the part of the budget that is for the runs, and proofTime the time for the proof of
	// what they have shown if the search was interrupted.
	fuzzShare = 0.8
	proofTime = 20 * time.Second
)

// Fuzz searches for errors of a program without a model: it makes runs from those that have come to
// something new, see orcruntime.Fuzzing. Only what the program shows twice again, in a process of its own, is a real
// finding.
func Fuzz(ctx context.Context, spec source.Spec, how Fuzzing, opts Options) (*Fuzzed, error) {
	return fuzz(ctx, load, spec, how, opts)
}

// FuzzEntry is Fuzz for an entry point of packages that are loaded.
func FuzzEntry(ctx context.Context, set *source.Set, entry source.EntryPoint, how Fuzzing, opts Options) (*Fuzzed, error) {
	if set == nil {
		return nil, &ArgumentError{Name: "set", Reason: "nil"}
	}
	return fuzz(ctx, ofSet(set, entry), set.Spec(), how, opts)
}

func fuzz(ctx context.Context, load func(context.Context, source.Spec) (*program, error), spec source.Spec, how Fuzzing, opts Options) (_ *Fuzzed, err error) {
	defer caught(&err)
	if how.MaxRuns < 0 {
		return nil, &OptionError{Option: "runs", Reason: fmt.Sprintf("%d is negative", how.MaxRuns)}
	}
	p, opts, rep, close, err := loadToRunWith(ctx, load, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	opts.shared = newShared(nil)
	defer func() { err = errors.Join(err, opts.shared.close()) }()
	// What comes before the search is not in its time.
	building, stop := opts.interruptible(ctx)
	defer stop()
	p.compileLibraries(building, opts, rep)
	reasons := []string{"it is only run, and what no run shows is not found"}
	accesses, err := p.accesses(building, opts, rep)
	switch {
	case building.Err() != nil:
		return nil, building.Err()
	case err != nil:
		reasons = append(reasons, fmt.Sprintf("accesses to shared memory have no guards: %v", err))
	}
	begun, err := p.withoutSearch(building, parse.Options{Accesses: accesses, EveryLine: opts.Model.EveryLine, Races: opts.Model.Races}, reasons, opts, rep)
	if err != nil {
		return nil, err
	}
	manifest, err := p.manifest(artifact.PassDeep, opts)
	if err != nil {
		return nil, err
	}
	d := &deep{
		opts: opts, rep: rep, program: p, second: begun, side: begun.Sidecar(), out: artifact.Extend(begun, manifest),
		seen: map[uint64]bool{}, recorded: opts.Model.Races,
	}
	d.target = p.target(d.side, opts)
	remove, err := d.build(building, begun)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	opts, stopBudget := opts.bounded(ctx)
	defer stopBudget()
	d.opts = opts
	out, err := d.fuzz(ctx, how)
	if err != nil {
		return nil, err
	}
	out.Took = time.Since(opts.start)
	out.Limits = append(reasons[1:], out.Limits...)
	out.Bundle, err = d.finish(begun)
	return out, err
}

// fuzz searches, and proves what was shown.
func (d *deep) fuzz(ctx context.Context, how Fuzzing) (*Fuzzed, error) {
	done := d.rep.stage("fuzz")
	part, cancel := d.opts.within(ctx, fuzzShare)
	defer cancel()
	x, err := d.binary.Fuzz(ctx, orchestrate.FuzzOptions{
		Seed: how.Seed, Runs: how.MaxRuns, Stop: part.Done(), Patient: true, Corpus: how.Corpus, NoReplay: true, RunOptions: d.limits(runSteps),
	})
	done()
	if err != nil {
		return nil, err
	}
	out := &Fuzzed{
		Runs: x.Runs, Schedules: x.Schedules, Features: x.Features, Chains: x.Chains, Enforced: x.Enforced, Discarded: x.Discarded,
		Single: x.Single, Corpus: x.Corpus,
	}
	if x.Stopped != "" {
		out.Limits = append(out.Limits, fmt.Sprintf("the search was ended after %d runs: %s", x.Runs, x.Stopped))
	}
	d.takeFuzzed(x)
	if d.opts.soft.Err() != nil { // what it has found is proved all the same
		soft, cancel := context.WithTimeout(ctx, proofTime)
		defer cancel()
		d.opts.soft, d.opts.Budget = soft, 0
	}
	for _, e := range x.Ends {
		v := &orchestrate.Verdict{Status: e.Status, Kind: e.Kind, Message: e.Message, G: e.G, Site: e.Site, Stack: e.Stack, Goroutines: e.Goroutines, Races: e.Races, Plan: e.Plan}
		if err := d.watchPredicted(ctx, &orchestrate.Recording{Verdict: v, Plan: e.Plan}, ""); err != nil {
			return nil, err
		}
	}
	if err := d.proveEnds(ctx, d.second); err != nil {
		return nil, err
	}
	if err := d.settleStalls(ctx); err != nil {
		return nil, err
	}
	if err := d.minimise(ctx); err != nil {
		return nil, err
	}
	if d.recorded {
		d.out.SetRaces(&d.search)
	}
	d.out.SetRuns(&d.runs)
	return out, nil
}

// takeFuzzed takes up how runs ended.
func (d *deep) takeFuzzed(x *orchestrate.Fuzzed) {
	d.runs.Runs, d.runs.Schedules, d.runs.Stopped = x.Runs, x.Schedules, x.Stopped
	for _, e := range x.Ends {
		d.endsWell = d.endsWell || endsWell(e)
		one := ended{End: e, of: x.Runs, patient: len(e.Stalls) == 0, fuzzed: true, number: int(e.Seed) + 1}
		switch e.Status {
		case orchestrate.Limit:
			d.runs.Limited += e.Count
		case orchestrate.Unsupported:
			d.undecided(e)
			d.runs.Stopped = cmp.Or(d.runs.Stopped, e.Message)
		}
		d.takeEnd(one)
	}
}
