package orchestrate

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// Strategy is a way to choose the schedules of runs.
type Strategy = orcruntime.Strategy

// The strategies; orcruntime says what each promises.
const (
	StrategyRandom    = orcruntime.StrategyRandom
	StrategyPCT       = orcruntime.StrategyPCT
	StrategyPOS       = orcruntime.StrategyPOS
	StrategySURW      = orcruntime.StrategySURW
	StrategyDelay     = orcruntime.StrategyDelay
	StrategyPortfolio = orcruntime.StrategyPortfolio
	StrategyReuse     = orcruntime.StrategyReuse
	StrategyEven      = orcruntime.StrategyEven
)

// Strategies are all of them.
func Strategies() []Strategy { return orcruntime.Strategies() }

// ExploreOptions are for Explore.
type ExploreOptions struct {
	// Runs is how many there are, Seed that of the first; every other one has
	// the next.
	Runs int
	Seed uint64
	// RunOptions bound each run; Timeout is for the way from one guard to the
	// next.
	RunOptions
	// Expect, if it has a kind, is what the runs are to show: the first that does
	// is the last. An At without a goroutine is any.
	Expect artifact.Expect
	// Guides are the steps of plans that the runs go along with, as far as the
	// program can; some runs do not. There is no guide by default.
	Guides [][]artifact.PlanStep
	// Strategy chooses the schedules, unless there are guides; "" is StrategyRandom.
	Strategy Strategy
	// TotalSteps, if not 0, are enough for the runs of one process together.
	TotalSteps int
	// First makes the first run that ends in an error the last.
	First bool
	// Patient makes time pass only when nothing else can happen: no timer fires
	// before a goroutine has done what it can.
	Patient bool
	// MaxProcesses bounds the processes, and with them the runs that need one of
	// their own; 0 is no bound.
	MaxProcesses int
	// NoReplay leaves out the replay of what was found.
	NoReplay bool
	// Recorded, if not nil, is called with every run, in the order of the
	// seeds. Its error ends the exploration.
	Recorded func(seed uint64, r *Recording) error
}

// Exploration is what random runs of a program have shown.
type Exploration struct {
	Runs int
	// Schedules counts those with different steps, of which Hashes has the hashes.
	Schedules int
	Hashes    map[uint64]bool
	// Ends are the different ways in which runs ended, by first seed.
	Ends []End
	// Shown is the run, the last one, that has shown what was expected, nil if
	// none has. It is none of the Ends.
	Shown *Shown
	// Processes were needed. One is enough unless runs leave something in
	// theirs; Restarts says what, and where.
	Processes int
	Restarts  []Restart
	// Strategy is that of ExploreOptions.
	Strategy Strategy
}

// End is a way in which runs ended, told apart by kind and place.
type End struct {
	// Count says how many runs ended so, Seed which was the first, and Strategy by what that was
	// chosen: none but StrategyPortfolio has runs of others. The same seed and strategy repeat it.
	Count    int
	Seed     uint64
	Strategy Strategy
	// Kind, Message, G, Site and Stack are as in Verdict. Kind is "" if the
	// program ended well.
	Status                 string
	Kind, Message, G, Site string
	Stack                  []string
	Goroutines             []Goroutine
	Races                  []orcruntime.Race  // as in Verdict; the first tells ends apart
	Stalls                 []orcruntime.Stall // of the first run
	// Starved and Since are as in orcruntime.Result, of the first run.
	Starved []artifact.At
	Since   int
	// Remaining is as in orcruntime.Result, the same of all of the runs.
	Remaining []string
	// Plan is the recording of the first run, or a plan with less to understand that
	// shows the same, see Minimised.
	Plan artifact.Plan
	// Replay is what a process of its own showed of an error when it followed
	// the plan, twice; nil if there is nothing to replay.
	Replay *Verdict
	// Minimised says what has become of the recording, nil if it was not reproduced.
	Minimised *Minimised
}

// Shown is a run that has shown what was expected.
type Shown struct {
	Seed uint64
	Recording
}

// Restart is a process that had to be replaced.
type Restart struct {
	Seed   uint64 // of the next run
	Reason string
}

// exploreJob is the part of a job for many runs, see orcruntime.Drive.
type exploreJob struct {
	Seed          uint64
	Runs          int
	Steps         int
	First         bool `json:",omitempty"`
	Watchdog      time.Duration
	Records, Ends string
	Traces        string // with ExploreOptions.Recorded
	Profile       string `json:",omitempty"` // with a Strategy
	Begun         string `json:",omitempty"` // with StrategyPortfolio
}

// recordSize is what the driver writes for a run.
const recordSize = 12

// Explore runs the program many times by random choices. Runs share a process,
// whose package state is made anew for each of them. Where that does not
// suffice they get processes of their own, and where a run ends or blocks its
// process, the others go on in a new one.
//
// Every error found is replayed in a process of its own. If ctx ends, the result is
// that of the runs so far, and the error says so.
func (b *Binary) Explore(ctx context.Context, opts ExploreOptions) (*Exploration, error) {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	if opts.Strategy != "" {
		if err := opts.Strategy.Check(); err != nil {
			return nil, fmt.Errorf("explore: %w", err)
		}
	}
	x := &explorer{binary: b, opts: opts, ends: map[string]*End{}, schedules: map[uint64]bool{}}
	x.out.Strategy = cmp.Or(opts.Strategy, StrategyRandom)
	var failed error
	for x.out.Runs < opts.Runs && !x.enough && x.out.Shown == nil && (opts.MaxProcesses == 0 || x.out.Processes < opts.MaxProcesses) {
		if failed = x.process(ctx); failed != nil {
			break
		}
	}
	if failed != nil && ctx.Err() == nil {
		return nil, failed
	}
	x.out.Ends = x.sorted()
	x.out.Schedules, x.out.Hashes = len(x.schedules), x.schedules
	if opts.NoReplay || failed != nil {
		return &x.out, failed
	}
	if err := b.ReplayEnds(ctx, x.out.Ends, opts.RunOptions); err != nil {
		return nil, err
	}
	return &x.out, nil
}

// ReplayEnds replays the first run of every end that is an error, and minimises those that
// show it again.
func (b *Binary) ReplayEnds(ctx context.Context, ends []End, opts RunOptions) error {
	for i := range ends {
		e := &ends[i]
		if e.Kind == "" || e.Status != Completed {
			continue
		}
		v, err := Replay(ctx, b, e.Plan, opts)
		if err != nil {
			return err
		}
		e.Replay = v
		if v.Status != Reproduced {
			continue
		}
		e.Minimised, err = b.Minimise(ctx, v, MinimiseOptions{RunOptions: opts, Runs: MinimiseRuns, TotalSteps: MinimiseSteps, MaxTime: opts.Timeout})
		if err != nil {
			return err
		}
		if e.Minimised.Replay != nil {
			e.Replay, e.Plan = e.Minimised.Replay, e.Minimised.Replay.Plan
		}
	}
	return nil
}

// sorted are the ends, by the first runs that ended so.
func (x *explorer) sorted() (out []End) {
	for _, key := range slices.Sorted(maps.Keys(x.ends)) {
		out = append(out, *x.ends[key])
	}
	slices.SortStableFunc(out, func(a, b End) int { return cmp.Compare(a.Seed, b.Seed) })
	return out
}

// explorer is the state of an exploration.
type explorer struct {
	binary    *Binary
	opts      ExploreOptions
	out       Exploration
	ends      map[string]*End
	schedules map[uint64]bool
	isolated  bool // one process for each run
	enough    bool // steps were done
	// profile is that of the program, nil if it is not known yet, or the strategy needs none.
	profile *orcruntime.Profile
}

// process does runs in one process, as many as it can.
func (x *explorer) process(ctx context.Context) (err error) {
	dir, err := scratch.Make("explore")
	if err != nil {
		return fmt.Errorf("explore: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	e := &exploreJob{
		Seed: x.opts.Seed + uint64(x.out.Runs), Runs: x.opts.Runs - x.out.Runs, Steps: x.opts.TotalSteps, First: x.opts.First, Watchdog: x.opts.Timeout,
		Records: filepath.Join(dir, "records"), Ends: filepath.Join(dir, "ends"),
	}
	if x.isolated {
		e.Runs = 1
	}
	if x.opts.Recorded != nil {
		e.Traces = filepath.Join(dir, "traces")
	}
	profiling := x.profile == nil && x.opts.Strategy.NeedsProfile() && len(x.opts.Guides) == 0
	if profiling {
		e.Profile = filepath.Join(dir, "profile")
	}
	if x.opts.Strategy == StrategyPortfolio && len(x.opts.Guides) == 0 {
		e.Begun = filepath.Join(dir, "begun")
	}
	j := x.job(x.opts.Strategy)
	j.Explore = e
	cmd, err := x.binary.command(j, dir, map[string]string{envPlan: filepath.Join(dir, "job")})
	if err != nil {
		return err
	}
	// Twice the time: what the runtime notices itself it explains better.
	stalled, stop := watchGrowth(ctx, e.Records, 2*x.opts.Timeout)
	runErr := cmd.run(stalled, 0)
	stop()
	x.out.Processes++
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), x.salvage(e))
	}
	if profiling {
		if err := x.readProfile(e.Profile); err != nil {
			return fmt.Errorf("explore: %w", err)
		}
	}
	records, err := readRecords(e.Records)
	if err != nil {
		return fmt.Errorf("explore: %w", err)
	}
	found, last, err := readEnds(e.Ends)
	if err != nil {
		return fmt.Errorf("explore: %w", err)
	}
	if last.Tainted {
		x.isolated = true
		x.out.Restarts = append(x.out.Restarts, Restart{e.Seed, last.Left})
		return nil // all of them once more
	}
	if e.Runs > 1 {
		why, err := x.confirm(ctx, found)
		if err != nil {
			return err
		}
		if why != "" {
			x.isolated = true
			x.out.Restarts = append(x.out.Restarts, Restart{e.Seed, why})
			return nil
		}
	}
	if len(records) == 0 && !last.Done {
		// Did it come to a run at all?
		if _, err := os.Stat(e.Ends); err != nil {
			return fmt.Errorf("explore: the driver did not start: %w", runErr)
		}
	}
	if len(records) == 0 && last.Done && profiling && x.profile != nil {
		x.out.Restarts = append(x.out.Restarts, Restart{e.Seed, "the run for the profile: " + last.Left})
		return nil
	}
	if len(records) == 0 && last.Done {
		return fmt.Errorf("explore: the driver did no run: %w", errors.Join(errors.New(last.Left), runErr))
	}
	for i, r := range records {
		if uint64(r.end) >= uint64(len(found)) {
			return fmt.Errorf("explore: run %d has end %d of %d", i, r.end, len(found))
		}
		x.count(found[r.end])
		x.schedules[r.hash] = true
	}
	if err := x.recorded(e, len(records)); err != nil {
		return err
	}
	x.out.Runs += len(records)
	next := e.Seed + uint64(len(records))
	switch {
	case last.Done:
		if last.Left != "" && x.out.Runs < x.opts.Runs {
			x.out.Restarts = append(x.out.Restarts, Restart{next, last.Left})
		}
		x.enough = last.Left == "" && len(records) < e.Runs
		return nil
	case len(records) == e.Runs:
		return nil
	}
	// The run after the last record has ended the process, or hangs.
	by, begun, err := x.begun(e, len(records))
	switch {
	case err != nil:
		return fmt.Errorf("explore: %w", err)
	case !begun && profiling && x.profile == nil:
		x.profile = &orcruntime.Profile{}
		x.out.Restarts = append(x.out.Restarts, Restart{next, "the run for the profile did not come to its end"})
		return nil
	}
	r, err := x.again(ctx, next, by)
	if err != nil {
		return err
	}
	v := r.Verdict
	why := v.Reason
	if v.Status == Completed || v.Status == Reproduced {
		why = "the process died, but not when the run had one of its own"
	}
	x.count(foundEnd{Seed: next, Strategy: by, verdict: v, plan: r.Plan})
	if x.opts.Recorded != nil {
		if err := x.opts.Recorded(next, r); err != nil {
			return err
		}
	}
	x.out.Runs++
	x.enough = x.opts.First && v.Status == Completed && v.Kind != ""
	if x.out.Runs < x.opts.Runs && !x.enough {
		x.out.Restarts = append(x.out.Restarts, Restart{next + 1, why})
	}
	return nil
}

// salvage counts the runs of a process that was killed.
func (x *explorer) salvage(e *exploreJob) error {
	records, err := readRecords(e.Records)
	if err != nil {
		return fmt.Errorf("explore: %w", err)
	}
	found, last, err := readEnds(e.Ends)
	if err != nil || last.Tainted {
		return err
	}
	whole := 0
	for _, r := range records {
		if uint64(r.end) >= uint64(len(found)) {
			break // it was not written to the end
		}
		x.count(found[r.end])
		x.schedules[r.hash] = true
		whole++
	}
	x.out.Runs += whole
	if err := x.recorded(e, whole); !errors.Is(err, errTraces) { // they may not have been written to the end either
		return err
	}
	return nil
}

// readProfile takes up what a run has shown of the program, if it has come to its end.
func (x *explorer) readProfile(path string) error {
	data, err := readBounded(path, maxResult)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &x.profile)
}

// begun is the strategy of the n-th run of a process, from 0, and whether there was such a run.
func (x *explorer) begun(e *exploreJob, n int) (Strategy, bool, error) {
	if e.Begun == "" {
		_, err := os.Stat(e.Ends)
		return x.opts.Strategy, err == nil && (e.Profile == "" || x.profile != nil), nil
	}
	data, err := readBounded(e.Begun, maxRecords)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", false, err
	}
	lines := strings.Split(string(data), "\n")
	if n+1 >= len(lines) { // the last one has no end
		return StrategyRandom, false, nil
	}
	return Strategy(lines[n]), true, nil
}

// job is what all runs by a strategy have in common.
func (x *explorer) job(s Strategy) job {
	return job{
		Strategy: s, Profile: x.profile, Plan: artifact.Plan{Steps: []artifact.PlanStep{}, Expect: x.opts.Expect}, MaxSteps: x.opts.MaxSteps, Guides: x.opts.Guides, Patient: x.opts.Patient, Durations: x.opts.Durations,
	}
}

// again does a run in a process of its own.
func (x *explorer) again(ctx context.Context, seed uint64, by Strategy) (*Recording, error) {
	j := x.job(by)
	j.Random = &seed
	return x.binary.record(ctx, j, x.opts.RunOptions)
}

// confirm repeats the first run of each new end that is an error, or that has
// not been recorded, in a process of its own, whose steps count. It says why runs
// influence each other, if they come to another end there.
func (x *explorer) confirm(ctx context.Context, found []foundEnd) (why string, err error) {
	for i := range found {
		f := &found[i]
		v, plan := f.recording()
		left := f.Result.Left != "" && len(plan.Steps) == 0
		key := v.place(plan.Expect)
		if v.Status != Completed && v.Status != Reproduced || v.Kind == "" && !left || x.ends[key] != nil {
			continue
		}
		r, err := x.again(ctx, f.Seed, f.Strategy)
		if err != nil {
			return "", err
		}
		if r.Verdict.place(r.Plan.Expect) != key {
			return fmt.Sprintf("run %d does not come out like this in a process of its own (%s): state outlives runs, or the program chooses by itself",
				f.Seed, cmp.Or(v.Message, v.Reason, "no error")), nil
		}
		f.verdict, f.plan = r.Verdict, r.Plan
	}
	return "", nil
}

// errTraces says that recorded runs cannot be read.
var errTraces = errors.New("explore: recorded runs")

// recorded hands on the first n runs of a process.
func (x *explorer) recorded(e *exploreJob, n int) error {
	if e.Traces == "" || n == 0 {
		return nil
	}
	f, err := os.Open(e.Traces)
	if err != nil {
		return fmt.Errorf("%w: %w", errTraces, err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxResult)
	for range n {
		if !lines.Scan() {
			return fmt.Errorf("%w: %w", errTraces, cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
		}
		var r foundEnd
		if err := r.read(lines.Bytes()); err != nil {
			return fmt.Errorf("%w: %w", errTraces, err)
		}
		v, plan := r.recording()
		if err := x.opts.Recorded(r.Seed, &Recording{Verdict: v, Plan: plan}); err != nil {
			return err
		}
	}
	return nil
}

// recording is the run that the driver has reported.
func (f foundEnd) recording() (*Verdict, artifact.Plan) {
	v := &Verdict{}
	v.observe(f.Result.Result)
	v.completed(f.Result.Result)
	return v, recorded(f.Result.Result, f.Expect)
}

// failure is the end of a run in which the test has failed as that alone.
func (f foundEnd) failure() foundEnd {
	f.Expect = orcruntime.Expect{Kind: artifact.KindTestFailure}
	f.Result.Outcome = orcruntime.Outcome{Kind: artifact.KindTestFailure, G: "0", Message: "the test has failed"}
	f.Result.AlsoFailed = false
	return f
}

// count adds a run to its end. One in which the test has failed, besides, has two.
func (x *explorer) count(f foundEnd) {
	v, plan := f.verdict, f.plan
	if v == nil {
		if f.Result.AlsoFailed && f.Result.Verdict == orcruntime.Completed {
			x.count(f.failure())
		}
		v, plan = f.recording()
	}
	if v.Status == Reproduced {
		if x.out.Shown == nil {
			x.out.Shown = &Shown{f.Seed, Recording{v, plan}}
		}
		return
	}
	key := v.place(plan.Expect)
	if e := x.ends[key]; e != nil {
		e.Count++
		return
	}
	x.ends[key] = &End{
		Count: 1, Seed: f.Seed, Strategy: cmp.Or(f.Strategy, StrategyRandom), Status: v.Status, Plan: plan, Goroutines: v.Goroutines,
		Kind: v.Kind, Message: v.Message, G: v.G, Site: v.Site, Stack: v.Stack, Races: v.Races, Stalls: v.Stalls,
		Starved: v.Starved, Since: v.Since, Remaining: v.Remaining,
	}
	if v.Status != Completed && v.Message == "" {
		x.ends[key].Message = v.Reason
	}
}

// place tells ends apart, as the runtime does.
func (v *Verdict) place(e artifact.Expect) string {
	switch {
	case v.Status == Unsupported && v.Site != "": // the reason counts steps
		return v.Status + "\n" + v.Site
	case v.Status == Unsupported:
		return v.Status + "\n" + v.Reason
	}
	var at []string
	if v.G == "" {
		for _, g := range e.Goroutines {
			at = append(at, g.Site)
		}
		slices.Sort(at)
		at = slices.Compact(at)
	}
	site := v.Site
	if v.Kind == artifact.KindRace {
		site = "" // of either access
	}
	if v.Kind == artifact.KindPanic {
		at = append(at, v.Stack[:min(orcruntime.PanicFrames, len(v.Stack))]...)
	}
	if len(v.Races) > 0 {
		at = append(at, v.Races[0].Places())
	}
	at = append(at, v.Remaining...)
	return strings.Join(append([]string{v.Status, v.Kind, site}, at...), "\n")
}

// watchGrowth returns a context that ends when a file has not grown for a time.
func watchGrowth(ctx context.Context, path string, idle time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		size := int64(-1)
		for {
			timer := time.NewTimer(idle)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			now := int64(0)
			if info, err := os.Stat(path); err == nil {
				now = info.Size()
			}
			if now == size {
				cancel()
				return
			}
			size = now
		}
	}()
	return ctx, func() { cancel(); <-done }
}

// runRecord is one run: the number of its end, and the hash of its steps.
type runRecord struct {
	end  uint32
	hash uint64
}

// readRecords reads the whole records of a file.
func readRecords(path string) ([]runRecord, error) {
	data, err := readBounded(path, maxRecords)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []runRecord
	for ; len(data) >= recordSize; data = data[recordSize:] {
		out = append(out, runRecord{binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint64(data[4:])})
	}
	return out, nil
}

// foundEnd is a line of the driver's about a new end, or what a run in a process
// of its own has shown.
type foundEnd struct {
	Seed     uint64
	Strategy Strategy
	Expect   orcruntime.Expect
	Result   orcruntime.PackedResult

	verdict *Verdict
	plan    artifact.Plan
}

// read decodes a line of the driver's.
func (f *foundEnd) read(line []byte) error {
	if err := json.Unmarshal(line, f); err != nil {
		return err
	}
	return f.Result.Unpack()
}

// lastLine is the driver's line after the last run.
type lastLine struct {
	Done, Tainted bool
	Left          string
}

// readEnds reads what the driver found; a line cut off by its death is left out.
func readEnds(path string) (found []foundEnd, last lastLine, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, last, nil
	}
	if err != nil {
		return nil, last, err
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxRecords))
	lines.Buffer(nil, maxResult)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &last); err == nil && last.Done {
			return found, last, nil
		}
		var e foundEnd
		if err := e.read(lines.Bytes()); err != nil {
			return found, lastLine{}, nil
		}
		if found = append(found, e); len(found) > maxEnds {
			return nil, lastLine{}, fmt.Errorf("more than %d different ends of runs", maxEnds)
		}
	}
	return found, lastLine{}, lines.Err()
}
