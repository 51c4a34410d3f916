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
	"time"

	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// Input is what decides a run of a search that is guided by what runs come to.
type Input = orcruntime.Input

// FuzzOptions are for Fuzz.
type FuzzOptions struct {
	// Seed decides the search, but for when it ends.
	Seed uint64
	// Runs, TotalSteps and MaxTime bound it, each if it is not 0.
	Runs, TotalSteps int
	MaxTime          time.Duration
	// Stop, once closed, ends it: the result is what is known.
	Stop <-chan struct{}
	// First makes the first run that ends in an error the last.
	First bool
	// Blind makes the search learn nothing from what runs come to but the first ten, for comparison.
	Blind bool
	// Patient is as in ExploreOptions.
	Patient bool
	// Corpus is what an earlier search has kept.
	Corpus []Input
	// RunOptions bound each run, as in ExploreOptions.
	RunOptions
	// NoReplay leaves out the replay of what was found.
	NoReplay bool
}

// Fuzzed is what such a search has shown. The Seed of an End is the number of its first run, from 0.
type Fuzzed struct {
	Exploration
	// Features, Chains, Enforced and Discarded are as in orcruntime.Fuzzed; Single, too.
	Features, Chains, Enforced, Discarded int
	Single                                bool
	// Corpus is what is to be kept: the inputs whose runs have all that was seen, few of them.
	Corpus []Input
	// Stopped says why the search has ended before its bounds, "" if it has not.
	Stopped string
}

// fuzzJob is the part of a job for such a search, see orcruntime.Drive.
type fuzzJob struct {
	Seed                        uint64
	Runs, Steps                 int
	Time, Watchdog              time.Duration
	First, Blind, Patient       bool
	Corpus                      []Input `json:",omitempty"`
	Stop                        string
	Records, Ends, Kept, Result string
}

// Of the processes of a search: how many there may be, how many of them in which runs influence each other,
// and how many runs one does.
const (
	fuzzProcesses = 50
	fuzzTainted   = 3
	fuzzRuns      = 1_000_000
	// maxInputs bounds what is kept.
	maxInputs = 1000
)

// Fuzz searches for errors by runs that are made from those which have come to something new. Runs share a
// process, as those of Explore do. Every error found is replayed in a process of its own, twice, and
// minimised. If ctx ends, the result is what is known by then, and the error says so.
func (b *Binary) Fuzz(ctx context.Context, opts FuzzOptions) (*Fuzzed, error) {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	x := &fuzzer{
		explorer: explorer{binary: b, ends: map[string]*End{}, schedules: map[uint64]bool{}},
		opts:     opts, corpus: opts.Corpus,
	}
	x.explorer.opts.RunOptions = opts.RunOptions
	start := time.Now()
	var failed error
	for !x.over && failed == nil {
		left := time.Duration(0)
		if opts.MaxTime > 0 {
			if left = opts.MaxTime - time.Since(start); left <= 0 {
				break
			}
		}
		failed = x.process(ctx, left)
		select {
		case <-opts.Stop:
			x.over = true
		default:
		}
	}
	if failed != nil && ctx.Err() == nil {
		return nil, failed
	}
	x.fuzzed.Exploration = x.out
	x.fuzzed.Ends = x.sorted()
	x.fuzzed.Schedules, x.fuzzed.Hashes = len(x.schedules), x.schedules
	x.fuzzed.Corpus = x.corpus
	if opts.NoReplay || failed != nil {
		return &x.fuzzed, failed
	}
	if err := b.ReplayEnds(ctx, x.fuzzed.Ends, opts.RunOptions); err != nil {
		return nil, err
	}
	return &x.fuzzed, nil
}

// fuzzer is the state of a search.
type fuzzer struct {
	explorer
	opts    FuzzOptions
	fuzzed  Fuzzed
	corpus  []Input
	steps   int
	tainted int
	over    bool
}

// process searches in one process, for a time, if that is not 0.
func (x *fuzzer) process(ctx context.Context, within time.Duration) (err error) {
	dir, err := scratch.Make("fuzz")
	if err != nil {
		return fmt.Errorf("fuzz: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	file := func(name string) string { return filepath.Join(dir, name) }
	f := &fuzzJob{
		// Another process goes other ways.
		Seed: x.opts.Seed + uint64(x.out.Processes)<<32, Runs: fuzzRuns, Time: within, Watchdog: x.opts.Timeout,
		First: x.opts.First, Blind: x.opts.Blind, Patient: x.opts.Patient, Corpus: x.corpus,
		Stop: file("stop"), Records: file("records"), Ends: file("ends"), Kept: file("kept"), Result: file("result"),
	}
	if x.opts.Runs > 0 {
		f.Runs = min(f.Runs, x.opts.Runs-x.out.Runs)
	}
	if x.opts.TotalSteps > 0 {
		f.Steps = x.opts.TotalSteps - x.steps
	}
	j := x.job("")
	j.Fuzz, j.MaxSteps, j.Durations = f, x.opts.MaxSteps, x.opts.Durations
	cmd, err := x.binary.command(j, dir, map[string]string{envPlan: file("job")})
	if err != nil {
		return err
	}
	watched, stop := watchGrowth(ctx, f.Records, 2*x.opts.Timeout)
	ended := make(chan struct{})
	stopping := make(chan error, 1)
	go func() {
		select {
		case <-x.opts.Stop:
			stopping <- os.WriteFile(f.Stop, nil, 0o600)
		case <-ended:
			stopping <- nil
		}
	}()
	runErr := cmd.run(watched, 0)
	close(ended)
	stop()
	if err := <-stopping; err != nil {
		return fmt.Errorf("fuzz: %w", err)
	}
	x.out.Processes++
	return errors.Join(ctx.Err(), x.take(f, runErr, ctx.Err() != nil))
}

// take takes up what a process has done, however it has ended.
func (x *fuzzer) take(f *fuzzJob, runErr error, killed bool) error {
	records, err := readRecords(f.Records)
	if err != nil {
		return fmt.Errorf("fuzz: %w", err)
	}
	found, last, err := readEnds(f.Ends)
	if err != nil {
		return fmt.Errorf("fuzz: %w", err)
	}
	if _, err := os.Stat(f.Ends); err != nil && !killed {
		return fmt.Errorf("fuzz: the driver did not start: %w", runErr)
	}
	before := x.out.Runs
	for _, r := range records {
		if uint64(r.end) >= uint64(len(found)) {
			break // it was not written to the end
		}
		e := found[r.end]
		e.Seed += uint64(before)
		x.count(e)
		x.schedules[r.hash] = true
		x.out.Runs++
		x.over = x.over || x.opts.First && e.Result.Verdict == orcruntime.Completed && e.Result.Outcome.Kind != ""
	}
	var out orcruntime.Fuzzed
	if data, err := readBounded(f.Result, maxResult); err == nil && last.Done {
		if err := json.Unmarshal(data, &out); err != nil {
			return fmt.Errorf("fuzz: result: %w", err)
		}
		x.corpus = out.Corpus[:min(len(out.Corpus), maxInputs)]
	} else if err := x.readKept(f.Kept); err != nil {
		return fmt.Errorf("fuzz: %w", err)
	}
	x.steps += max(out.Steps, 0)
	x.fuzzed.Features = max(x.fuzzed.Features, out.Features)
	x.fuzzed.Chains += max(out.Chains, 0)
	x.fuzzed.Enforced += max(out.Enforced, 0)
	x.fuzzed.Discarded += max(out.Discarded, 0)
	x.fuzzed.Single = out.Single
	why := last.Left
	switch {
	case killed:
		return nil
	case !last.Done:
		why = fmt.Sprintf("the process ended in a run: %v", runErr)
		x.count(foundEnd{Seed: uint64(x.out.Runs), verdict: &Verdict{Status: Unsupported, Reason: why}})
		x.out.Runs++
	case why == "" && len(records) < fuzzRuns, x.over:
		x.over = true
		return nil
	case last.Tainted:
		x.tainted++
	}
	if why != "" {
		x.out.Restarts = append(x.out.Restarts, Restart{uint64(x.out.Runs), why})
	}
	switch {
	case x.tainted >= fuzzTainted:
		x.over, x.fuzzed.Stopped = true, why
	case x.out.Processes >= fuzzProcesses && len(x.out.Restarts) >= fuzzProcesses:
		x.over, x.fuzzed.Stopped = true, fmt.Sprintf("%d processes were needed: %s", x.out.Processes, why)
	}
	x.over = x.over || x.opts.Runs > 0 && x.out.Runs >= x.opts.Runs || x.opts.TotalSteps > 0 && x.steps >= x.opts.TotalSteps
	return nil
}

// readKept adds what a process has kept that did not come to its end.
func (x *fuzzer) readKept(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, maxResult))
	lines.Buffer(nil, maxResult)
	for len(x.corpus) < maxInputs && lines.Scan() {
		var in Input
		if json.Unmarshal(lines.Bytes(), &in) != nil {
			break // it was not written to the end
		}
		x.corpus = append(x.corpus, in)
	}
	return lines.Err()
}
