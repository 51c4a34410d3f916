package pass

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
)

// Models let time pass at any moment, and so do some runs: errors that they show may
// need a stall, that time passes while a goroutine could go on. Whether they do is
// found out: the program is run near what it did, with time passing only when nothing
// else can happen. What needs a stall says so. If what fails is the test itself, since
// its own time-outs were not met, or others were not where it took them to be after it had
// slept, the finding is no error of the program, but a timing-dependent test.

// calmRuns is how many runs look for an error without a stall.
const calmRuns = 100

// settleStalls looks for a run without stalls of every error that is real. If all of those
// were run, they have shown what they have, but for data races: each is taken from the run
// that has shown it first.
func (d *deep) settleStalls(ctx context.Context) error {
	shown := d.runs.Exhaustive.AllWithoutStalls()
	for _, s := range slices.Concat(d.cases, d.observed) {
		if s.outcome != artifact.Real || s.replay == nil || len(s.replay.Stalls) == 0 || shown && s.raced == nil {
			continue
		}
		if cut(ctx, d.opts.soft) != "" {
			return nil
		}
		if err := d.settleStall(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (d *deep) settleStall(ctx context.Context, s *suspect) error {
	limited, cancel := context.WithTimeout(d.opts.soft, d.opts.Watchdog)
	defer cancel()
	how := orchestrate.ExploreOptions{
		Runs: calmRuns, Expect: s.replay.Plan.Expect, Guides: [][]artifact.PlanStep{s.replay.Plan.Steps}, Patient: true,
		NoReplay: true, MaxProcesses: guidedProcesses, RunOptions: d.limits(guidedSteps),
	}
	x, err := d.binary.Explore(limited, how)
	if err == nil && x.Shown == nil && d.gradeStalls(s.replay) == artifact.StallLong {
		how.Seed = orchestrate.Draw(1) // no time has to pass to come to the next day where it is about to begin
		x, err = d.binary.Explore(limited, how)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil // it is not known to need no stall
	case err != nil:
		return fmt.Errorf("runs without stalls for query %d: %w", s.query.Number, err)
	case x.Shown == nil:
		return nil
	}
	plan := x.Shown.Plan
	plan.Expect = s.replay.Plan.Expect
	late, cancelLate := d.opts.late(ctx)
	defer cancelLate()
	v, err := d.confirm(late, evidence{plan: plan, origin: fromCalm, query: s.query.Number})
	if err != nil && cut(ctx, late) != "" {
		return nil // as above
	}
	if err != nil {
		return err
	}
	if v.Status != orchestrate.Reproduced || total(v) >= total(s.replay) {
		return nil
	}
	if s.raced != nil { // in the other order
		s.raced.sides, _ = d.sidesIn(s.raced, v)
	}
	d.retrace(s, v)
	return d.keep(s)
}

// total is how long goroutines were held in a run, together.
func total(v *orchestrate.Verdict) time.Duration {
	sum := time.Duration(0)
	for _, s := range v.Stalls {
		sum += s.For
	}
	return sum
}

// stalled adds to a finding what has to be slow, and tells the failure of a test that
// rests on that from an error of the program.
func (d *deep) stalled(f *artifact.Finding, v *orchestrate.Verdict) {
	f.Stalls = v.FindingStalls(func(key string) artifact.Site { s, _ := d.siteOf(key); return s })
	f.Stall = d.gradeStalls(v)
	if f.Verdict == artifact.Real && d.dependsOnTiming(f.Kind, f.File, v) {
		f.Verdict = artifact.TimingDependent
	}
}

// gradeStalls grades the stalls of a run by the longest, "" if there is none.
func (d *deep) gradeStalls(v *orchestrate.Verdict) string {
	grade := ""
	for _, s := range v.Stalls {
		if s.For > d.opts.Stall {
			return artifact.StallLong
		}
		grade = artifact.StallShort
	}
	return grade
}

// dependsOnTiming reports whether what a run shows needs a stall, and what fails is the test,
// or the program that says so itself.
func (d *deep) dependsOnTiming(kind, file string, v *orchestrate.Verdict) bool {
	switch {
	case len(v.Stalls) == 0:
		return false
	case kind == artifact.KindExit:
		return true
	}
	// Who gives up may also do so by a panic of his own.
	site, _ := d.siteOf(v.Site)
	ownPanic := kind == artifact.KindPanic && site.Kind == sites.Panic.String()
	if !d.target.IsTest() {
		// Where time is only looked at, as by what expires, nobody has given up waiting.
		return ownPanic && d.gradeStalls(v) == artifact.StallLong && d.inEntryPackage(file) && parse.WaitsForTime(d.program.source)
	}
	inTest := strings.HasSuffix(file, "_test.go")
	gaveUp := ownPanic && inTest
	return kind == artifact.KindTestFailure || v.Failed || gaveUp || inTest && d.crashesLate(kind, v) || d.restsOnSleep(v)
}

// inEntryPackage: a file of the program, relative to its root, is of the package that has the entry.
func (d *deep) inEntryPackage(file string) bool {
	return file != "" && filepath.Join(d.target.Root, filepath.Dir(filepath.FromSlash(file))) == filepath.Clean(d.target.Dir)
}

// crashesLate reports whether a run ends in a crash for which somebody has to stand still for long, and code
// under test takes part: if a statement of the test crashes then, as a Done too many of a job that it has
// not stopped in time, it is the test that was late. Where all of the code is in test files nothing tells the two
// apart, and the crash is an error.
func (d *deep) crashesLate(kind string, v *orchestrate.Verdict) bool {
	return crash(kind) && d.gradeStalls(v) == artifact.StallLong && slices.ContainsFunc(v.Plan.Steps, func(step artifact.PlanStep) bool {
		site, ok := d.siteOf(step.Site)
		return ok && site.File != "" && !strings.HasSuffix(site.File, "_test.go")
	})
}

// restsOnSleep reports that time passes in a run only while the test sleeps: until
// others have come so far, as it takes for granted. What it does too early then is the
// test's fault, even if it does not notice itself, and is stuck.
func (d *deep) restsOnSleep(v *orchestrate.Verdict) bool {
	passes, slept := 0, 0
	for _, step := range v.Plan.Steps {
		if step.G == artifact.TimeStep {
			passes++
			continue
		}
		site, ok := d.siteOf(step.Site)
		if !ok || site.Kind != sites.Sleep.String() {
			continue
		}
		if !strings.HasSuffix(site.File, "_test.go") {
			return false
		}
		slept++
	}
	return passes > 0 && passes <= slept
}

// onePerCascade keeps one of the ways in which a test fails for want of time: that
// which needs the least.
func onePerCascade(all []artifact.Finding) []artifact.Finding {
	best, n := -1, 0
	need := func(f artifact.Finding) time.Duration {
		sum := time.Duration(0)
		for _, s := range f.Stalls {
			sum += s.For
		}
		return sum
	}
	for i, f := range all {
		if f.Verdict != artifact.TimingDependent {
			continue
		}
		if n++; best < 0 || need(f) < need(all[best]) {
			best = i
		}
	}
	if n < 2 {
		return all
	}
	var out []artifact.Finding
	for i, f := range all {
		switch {
		case f.Verdict != artifact.TimingDependent:
		case i != best:
			continue
		default:
			f.Message += fmt.Sprintf("; the test fails in %d other ways for want of time", n-1)
		}
		out = append(out, f)
	}
	return out
}
