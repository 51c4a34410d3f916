package orchestrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// CutOff is what an exploration has not explored behind the limit of steps, among its bounds.
const CutOff = orcruntime.CutOff

// Of the runtime: a statement that may race, a data race, and one side of it.
type (
	AccessGuard = orcruntime.AccessGuard
	Race        = orcruntime.Race
	RaceAccess  = orcruntime.RaceAccess
)

// Of the runtime: that an exploration is bounded by preemptions, and how far it has come.
type (
	Bounding = orcruntime.Bounding
	Bounded  = orcruntime.Bounded
)

// AllPreemptions is for Bounding.Last.
const AllPreemptions = orcruntime.AllPreemptions

// ExhaustOptions are for Exhaust.
type ExhaustOptions struct {
	// RunOptions bound each run; Timeout is for the way from one guard to the next.
	RunOptions
	// Accesses are the statements with guards that may race with each other.
	Accesses []AccessGuard
	// Awaits are the keys of sites in loops that only look whether something has changed.
	Awaits []string
	// Stalls is how often, in one run, time may pass while a goroutine could go on;
	// -1: any number.
	Stalls int
	// Values is how many alternatives a choice of the environment may have; of those with
	// more one is explored. Less than 24 is 24.
	Values int
	// Seed is that of what the environment gives and is not explored, see Draw.
	Seed uint64
	// Misuse has goroutines stop also where only the misuse of a WaitGroup or a map
	// would show.
	Misuse bool
	// Bounding has the exploration bounded by preemptions, nil: it is not.
	Bounding *Bounding
	// Frontier, if not empty, is what an earlier exploration of the same program, with
	// the same options, has left to do.
	Frontier []byte
	// Parallel is how many processes explore at once; less than 2 is one, which explorations
	// that are bounded by preemptions, or have few runs, have anyway. The result is the
	// same, but for what a bound of time cuts off.
	Parallel int
	// Alone has each run in a process of its own, one behind the other: what a process makes once is then as the
	// program makes it. Parallel does nothing then.
	Alone bool
	// MaxRuns, TotalSteps of all runs, and MaxTime bound the exploration; 0 is no bound.
	// MaxProcesses bounds the processes that are needed since another one could not go on.
	MaxRuns      int
	TotalSteps   int
	MaxTime      time.Duration
	MaxProcesses int

	started func(r *running) // for tests: a process that is one of several
}

// Exhaustive is how far an exhaustive exploration has come.
type Exhaustive struct {
	orcruntime.Exhausted
	// Ends are the different ways in which runs ended, with the first such run, from 0, in
	// place of a seed. They are not replayed.
	Ends []End
	// Stopped says why there is more to do; "" if there is not, or if a bound of the
	// options was reached.
	Stopped string
	// Rest is the frontier; empty if the exploration is complete.
	Rest []byte
}

// exhaustJob is the part of a job for an exhaustive exploration, see orcruntime.Drive.
type exhaustJob struct {
	Accesses                        []AccessGuard
	Awaits                          []string
	Stalls                          int
	Values                          int
	Misuse                          bool
	Bounding                        *Bounding
	Frontier, Records, Ends, Result string
	Alone                           bool
	Below                           int
	Stop                            string
	Runs, Steps                     int
	Time                            time.Duration
	Watchdog                        time.Duration
}

// Exhaust runs the program under all schedules that are not equivalent, see
// orcruntime.Exhaust. If ctx ends, the result is that of the runs so far, and the error
// says so.
func (b *Binary) Exhaust(ctx context.Context, opts ExhaustOptions) (_ *Exhaustive, err error) {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	dir, err := scratch.Make("exhaust")
	if err != nil {
		return nil, fmt.Errorf("exhaust: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	x := &exhauster{
		explorer: explorer{binary: b, opts: ExploreOptions{RunOptions: opts.RunOptions}, ends: map[string]*End{}, schedules: map[uint64]bool{}},
		opts:     opts, dir: dir,
	}
	frontier := filepath.Join(dir, "frontier")
	if len(opts.Frontier) > 0 {
		if err := os.WriteFile(frontier, opts.Frontier, 0o600); err != nil {
			return nil, fmt.Errorf("exhaust: %w", err)
		}
	}
	x.began = time.Now()
	explore := x.inOne
	if opts.Alone {
		explore = x.alone
	}
	if err := explore(ctx, frontier); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if !opts.Alone && x.parts() && ctx.Err() == nil {
		if err := x.inParts(ctx, frontier); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	x.sum.Ends = x.sorted()
	if !x.sum.Complete {
		if x.sum.Rest, err = readBounded(frontier, maxFrontier); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("exhaust: %w", err)
		}
	}
	return &x.sum, ctx.Err()
}

// Draw is the seed of the k-th draw of the environment, of which 0 is the ordinary one, see orcruntime.Draw.
func Draw(k int) uint64 { return orcruntime.Draw(k) }

// Began is when the clock of runs with a seed begins, and whether that is another moment than the ordinary one.
func Began(seed uint64) (at time.Time, other bool) { return orcruntime.Began(seed) }

// Drawn reports whether an exploration has left out what another draw has.
func Drawn(x *Exhaustive) bool { return slices.ContainsFunc(x.Bounds, orcruntime.Drawn) }

// Join adds what an exploration has done that this one has gone on from.
func (x *Exhaustive) Join(earlier *Exhaustive) {
	sum := earlier.Exhausted
	sum.Add(x.Exhausted)
	x.Exhausted = sum
	for i := range x.Ends {
		x.Ends[i].Seed += uint64(earlier.Runs)
	}
	for _, e := range earlier.Ends {
		key := e.place()
		same := func(o End) bool { return o.place() == key }
		if i := slices.IndexFunc(x.Ends, same); i >= 0 {
			e.Count += x.Ends[i].Count
			x.Ends[i] = e
		} else {
			x.Ends = append(x.Ends, e)
		}
	}
	slices.SortStableFunc(x.Ends, func(a, b End) int { return cmp.Compare(a.Seed, b.Seed) })
}

// place tells ends apart, as that of verdicts: messages may say who was there in the first run
// of each exploration.
func (e *End) place() string {
	v := Verdict{Status: e.Status, Reason: e.Message, Kind: e.Kind, G: e.G, Site: e.Site, Races: e.Races, Remaining: e.Remaining}
	return v.place(e.Plan.Expect)
}

// exhauster is the state of an exhaustive exploration, over processes.
type exhauster struct {
	explorer
	opts    ExhaustOptions
	dir     string
	began   time.Time
	numbers atomic.Int64 // of processes
	sum     Exhaustive
	// restarts counts the processes that were needed since another one could not go on.
	restarts int
}

// inOne explores in one process at a time: up to the end, or, if there may be several, as
// far as one does it alone.
func (x *exhauster) inOne(ctx context.Context, frontier string) error {
	for {
		limit := x.opts.MaxRuns
		if x.opts.Parallel > 1 && x.opts.Bounding == nil && (limit <= 0 || limit > aloneRuns) {
			limit = aloneRuns
		}
		e := &exhaustJob{Frontier: frontier}
		if limit > 0 {
			e.Runs = max(limit-x.sum.Runs, 1)
		}
		if x.opts.TotalSteps > 0 {
			e.Steps = max(x.opts.TotalSteps-x.sum.Steps, 1)
		}
		r, err := x.process(ctx, e, x.left())
		x.out.Processes++
		if err != nil {
			return err
		}
		x.take(ctx, r)
		if r.res == nil || !x.again(r.res) || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// alone explores with a process for each run, up to a bound of the options, of which that of runs counts those that are
// cut as well. One that ends in another way than all before is run again: the program has to do the same.
func (x *exhauster) alone(ctx context.Context, frontier string) error {
	done := func() int { return x.sum.Runs + x.sum.Cut }
	for {
		before, err := readBounded(frontier, maxFrontier)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("exhaust: %w", err)
		}
		runs, ends := done(), len(x.ends)
		p, err := x.runAlone(ctx, frontier)
		if err != nil {
			return err
		}
		x.take(ctx, p)
		if p.res == nil || p.res.Tainted || done() == runs { // it has not gone on
			return ctx.Err()
		}
		if len(x.ends) > ends {
			again := filepath.Join(x.dir, "again")
			if len(before) > 0 {
				if err := os.WriteFile(again, before, 0o600); err != nil {
					return fmt.Errorf("exhaust: %w", err)
				}
			}
			q, err := x.runAlone(ctx, again)
			if err != nil {
				return err
			}
			if ctx.Err() == nil && !p.same(q) {
				x.sum.Complete, x.sum.Tainted, x.sum.Stopped = false, true, "two processes differ in which the same was chosen: the program chooses by itself"
				return nil
			}
		}
		if p.res.Complete || x.spent() || x.opts.MaxRuns > 0 && done() >= x.opts.MaxRuns || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// runAlone does one run in a new process.
func (x *exhauster) runAlone(ctx context.Context, frontier string) (*processed, error) {
	x.out.Processes++
	return x.process(ctx, &exhaustJob{Frontier: frontier, Alone: true}, x.left())
}

// same reports whether two processes have run the same.
func (p *processed) same(q *processed) bool {
	return slices.Equal(p.records, q.records) && slices.EqualFunc(p.found, q.found, func(a, b foundEnd) bool {
		v, plan := a.recording()
		w, other := b.recording()
		return v.place(plan.Expect) == w.place(other.Expect)
	})
}

// again reports whether another process is needed, since one could not go on, and allowed.
func (x *exhauster) again(r *orcruntime.Exhausted) bool {
	if r.Left == "" || r.Tainted || r.Complete {
		return false
	}
	x.restarts++
	if x.opts.MaxProcesses > 0 && x.restarts >= x.opts.MaxProcesses {
		x.sum.Stopped = fmt.Sprintf("%d processes were needed: %s", x.restarts, r.Left)
		return false
	}
	return true
}

// left is how much time there is, 0: any.
func (x *exhauster) left() time.Duration {
	if x.opts.MaxTime <= 0 {
		return 0
	}
	return max(x.opts.MaxTime-time.Since(x.began), time.Millisecond)
}

// processed is what a process has done.
type processed struct {
	records []runRecord
	found   []foundEnd
	// res is what it has reported; nil: it has ended before, as err says, or what it has
	// reported cannot be.
	res *orcruntime.Exhausted
	err error
}

// process explores in a new process, for a time, if that is not 0. It may be called for
// several at once.
func (x *exhauster) process(ctx context.Context, e *exhaustJob, within time.Duration) (_ *processed, err error) {
	// No directory of its own: to make one and remove it takes longer than most explorations.
	n := x.numbers.Add(1)
	var files []string
	file := func(name string) string {
		path := filepath.Join(x.dir, fmt.Sprintf("process%d-%s", n, name))
		files = append(files, path)
		return path
	}
	defer func() {
		for _, path := range files {
			if failed := os.Remove(path); !errors.Is(failed, os.ErrNotExist) {
				err = errors.Join(err, failed)
			}
		}
	}()
	e.Accesses, e.Awaits, e.Stalls, e.Values, e.Misuse, e.Bounding = x.opts.Accesses, x.opts.Awaits, x.opts.Stalls, x.opts.Values, x.opts.Misuse, x.opts.Bounding
	e.Records, e.Ends, e.Result, e.Watchdog, e.Time = file("records"), file("ends"), file("result"), x.opts.Timeout, within
	j := x.job("")
	j.Exhaust, j.Seed = e, x.opts.Seed
	cmd, err := x.binary.command(j, x.dir, map[string]string{envPlan: file("job")})
	if err != nil {
		return nil, err
	}
	cmd.Stderr = &boundedWriter{max: 1 << 10}
	watched, stop := watchGrowth(ctx, e.Records, 2*x.opts.Timeout)
	p := &processed{err: cmd.run(watched, 0)}
	stop()
	if err := p.read(e); err != nil {
		return nil, fmt.Errorf("exhaust: %w", err)
	}
	return p, nil
}

// read takes up what the process has left in its files: what was found counts, however the
// process ended.
func (p *processed) read(e *exhaustJob) (err error) {
	if p.records, err = readRecords(e.Records); err != nil {
		return err
	}
	if p.found, _, err = readEnds(e.Ends); err != nil {
		return err
	}
	var res orcruntime.Exhausted
	err = readResult(e.Result, &res)
	switch {
	case err == nil && countable(res):
		p.res = &res
		return nil
	case err == nil:
		err = errors.New("it has reported counts that cannot be")
	case errors.Is(err, os.ErrNotExist):
		err = errNoResult
	}
	p.err = cmp.Or(p.err, err)
	return nil
}

// errNoResult has no path, which is another one each time.
var errNoResult = errors.New("it has written no result")

// maxCount is what no process counts to. The sum of a few is an int, too.
const maxCount = math.MaxInt / 8

// countable reports whether a result can be added to others.
func countable(r orcruntime.Exhausted) bool {
	return !slices.ContainsFunc([]int{r.Runs, r.Cut, r.Limited, r.Choices, r.Steps}, func(n int) bool { return n < 0 || n > maxCount })
}

// take adds what a process has done.
func (x *exhauster) take(ctx context.Context, p *processed) {
	for i, r := range p.records {
		if uint64(r.end) < uint64(len(p.found)) {
			e := p.found[r.end]
			e.Seed = uint64(x.sum.Runs + i)
			x.count(e)
		}
	}
	if p.res != nil {
		x.add(*p.res)
		return
	}
	x.sum.Runs += len(p.records)
	x.sum.Complete = false
	x.sum.Stopped = fmt.Sprintf("the program has ended its process: %v", p.err)
	if ctx.Err() != nil {
		x.sum.Stopped = context.Cause(ctx).Error()
	}
}

// add adds the result of a process.
func (x *exhauster) add(r orcruntime.Exhausted) {
	if x.sum.Add(r); r.Tainted {
		x.sum.Stopped = r.Left
	}
}
