package orchestrate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// A plan that the program does not follow is tried in other ways: time passes elsewhere, or the environment
// is another one. Each of them may need some runs, of which hardly one shows anything, and to start a process
// takes a hundred times as long as most runs. So the ways are tried in one process first, and those that show
// nothing there are left out. What does show something is run as it would have been without that.
//
// The runs in the one process count only if they are as those in processes of their own: the plan of which is
// known how it comes out is the first and the last of them.

// screenedRun is a run of a job that screens.
type screenedRun struct {
	artifact.Plan
	MaxSteps int    `json:",omitempty"`
	Elastic  bool   `json:",omitempty"`
	Delays   bool   `json:",omitempty"`
	Late     string `json:",omitempty"`
}

// screenJob is the part of a job for several plans, see orcruntime.Drive.
type screenJob struct {
	Runs     []screenedRun
	Watchdog time.Duration
	Results  string
}

// useless says, of the environment of v, which a plan has come to twice, and of those that Replay would try
// after it, whether nothing that it would run there shows what the plan expects. It is nil if that is not known.
func (b *Binary) useless(ctx context.Context, plan artifact.Plan, v *Verdict, opts RunOptions) ([]bool, error) {
	forms := elasticForms(plan, v)
	others := 0
	if unshown(v) {
		others = opts.Environments
	}
	if len(forms)+others < 2 {
		return nil, nil // as many processes
	}
	known := screenedRun{Plan: v.Plan, MaxSteps: opts.MaxSteps, Delays: opts.Delays}
	runs := []screenedRun{known}
	for _, p := range forms {
		runs = append(runs, screenedRun{Plan: p, MaxSteps: opts.MaxSteps, Elastic: true, Delays: opts.Delays})
	}
	passing := elasticForms(plan, &Verdict{Status: Infeasible})
	for e := range others {
		other := plan
		other.Seed += uint64(e) + 1
		runs = append(runs, screenedRun{Plan: other, MaxSteps: opts.MaxSteps, Delays: true})
		for _, p := range passing {
			p.Seed = other.Seed
			runs = append(runs, screenedRun{Plan: p, MaxSteps: opts.MaxSteps, Elastic: true, Delays: true})
		}
	}
	shown, err := b.screen(ctx, append(runs, known), opts)
	if err != nil || len(shown) != len(runs)+1 {
		return nil, err
	}
	for _, again := range []*Verdict{shown[0], shown[len(runs)]} {
		if difference(v, again) != "" || !slices.Equal(v.Trace, again.Trace) {
			return nil, nil
		}
	}
	reproduced := func(v *Verdict) bool { return v.Status == Reproduced }
	shown = shown[1:]
	out := []bool{!slices.ContainsFunc(shown[:len(forms)], reproduced)}
	for shown = shown[len(forms):]; others > 0; others-- {
		first, elastic := shown[0], shown[1:1+len(passing)]
		shown = shown[1+len(passing):]
		out = append(out, hopeless(first) && (first.Status != Infeasible || !slices.ContainsFunc(elastic, reproduced)))
	}
	return out, nil
}

// hopeless reports whether what a plan has come to leaves nothing else to try in the same environment, but
// to let time pass elsewhere.
func hopeless(v *Verdict) bool {
	switch v.Status {
	case Infeasible:
		_, other := exchange(v.Plan, v.Step)
		return !other
	case NotReproduced:
		_, fewer := narrow(v)
		return !fewer
	}
	return false
}

// screen runs plans in one process, as far as it comes: those after a run that leaves something behind, or
// ends the process, are missing.
func (b *Binary) screen(ctx context.Context, runs []screenedRun, opts RunOptions) (out []*Verdict, err error) {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	dir, err := scratch.Make("screen")
	if err != nil {
		return nil, fmt.Errorf("screen: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	s := &screenJob{Runs: runs, Watchdog: opts.Timeout, Results: filepath.Join(dir, "results")}
	cmd, err := b.command(job{Plan: artifact.Plan{Steps: []artifact.PlanStep{}}, Durations: opts.Durations, Screen: s}, dir, map[string]string{envPlan: filepath.Join(dir, "job")})
	if err != nil {
		return nil, err
	}
	watched, stop := watchGrowth(ctx, s.Results, 2*opts.Timeout)
	_ = cmd.run(watched, 0) // what it has written says how far it has come
	stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return readScreened(s.Results, runs)
}

// readScreened reads the results of runs, as far as there are any. The program has written them, whatever it is.
func readScreened(path string, runs []screenedRun) (out []*Verdict, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // a bundle may have a runtime that knows nothing of this
	}
	if err != nil {
		return nil, fmt.Errorf("screen: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxRecords))
	lines.Buffer(nil, maxResult)
	for len(out) < len(runs) && lines.Scan() {
		var r orcruntime.Result
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Left != "" {
			return out, nil
		}
		v := &Verdict{Plan: runs[len(out)].Plan}
		v.observe(r)
		out = append(out, v)
	}
	return out, nil
}
