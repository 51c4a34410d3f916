package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
)

// runExplore runs a program under random schedules.
func runExplore(c *call) (int, error) {
	var s settings
	fs := c.flags()
	s.program(fs)
	runs := fs.Int("runs", 10_000, "number of runs")
	seed := fs.Uint64("seed", 0, "seed of the first run; every other one has the next")
	s.choosing(fs)
	s.watchdogFlag(fs)
	race := fs.Bool("race", false, "look for data races under each schedule")
	exhaustive := fs.Bool("exhaustive", false, "run every schedule that is not equivalent to another one, and say what was covered")
	stalls := fs.Int("stalls", 0, "with -exhaustive: how often time may pass, in one run, while a goroutine could go on; -1 is any number")
	preemptions := fs.String("preemptions", "", "with -exhaustive: run all schedules with no preemption, then those with 1, and so on to `N`; \"all\" or -1: until all schedules were run. For programs that have too many")
	parallel := fs.Int("parallel", 0, "with -exhaustive: how many processes run schedules at once, if there are more than some hundred; 0 is as many as there are cores. The result is the same")
	within := fs.Duration("budget", time.Minute, "with -exhaustive: bound the time; 0 is no bound")
	frontier := fs.String("frontier", "", "with -exhaustive: go on from `FILE`, if it exists, and leave there what is left to do")
	s.inSandbox(fs)
	fs.BoolVar(&s.timing, "timing", false, "print what each stage takes")
	fs.BoolVar(&s.verbose, "v", false, "say on standard error, in lines, what is being done")
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if *runs < 1 {
		return 0, fmt.Errorf("%w: -runs is at least 1", errUsage)
	}
	if err := s.checkStrategy(); err != nil {
		return 0, err
	}
	if *parallel < 0 {
		return 0, fmt.Errorf("%w: -parallel is at least 0", errUsage)
	}
	rep := s.progress(c)
	opts := []vtrace.Option{vtrace.Watchdog(s.watchdog), vtrace.WithStrategy(vtrace.Strategy(s.strategy)), vtrace.Sandbox(string(s.sandbox)), vtrace.Progress(rep.event)}
	if *race {
		opts = append(opts, vtrace.Races())
	}
	if len(c.program) > 0 {
		opts = append(opts, vtrace.Args(c.program...))
	}
	if *exhaustive {
		how := pass.Exhaustion{Stalls: *stalls, Parallel: *parallel, MaxTime: *within}
		if how.Bounding, err = bounding(*preemptions); err != nil {
			return 0, err
		}
		return exhaust(c, s.source(args[0]), how, *frontier, rep, opts)
	}
	x, err := vtrace.Explore(c.ctx, s.source(args[0]), *runs, *seed, opts...)
	rep.done()
	if err != nil {
		return 0, err
	}
	code := writeExplored(c, x)
	rep.writeUnsandboxed(c.stdout)
	return code, nil
}

// replayed says what a replay in a process of its own came to.
func replayed(v *orchestrate.Verdict) string {
	switch v.Status {
	case orchestrate.Reproduced:
		return "reproduced in a process of its own"
	case orchestrate.Unconfirmed:
		return "unconfirmed in a process of its own: " + v.Reason
	case orchestrate.Unsupported, orchestrate.Limit:
		return "undecided in a process of its own: " + v.Reason
	}
	return "not reproduced in a process of its own: " + v.Reason
}

// writeExplored prints the ends of the runs, those that are errors with the
// schedule of the first run.
func writeExplored(c *call, x *pass.Explored) int {
	fmt.Fprintf(c.stdout, "%d runs, %d schedules, %d ends\n", x.Runs, x.Schedules, len(x.Ends))
	code := writeEnds(c, x.Ends, x.Findings, x.Sidecar, x.Strategy)
	for i, r := range x.Restarts {
		same := func(o orchestrate.Restart) bool { return o.Reason == r.Reason }
		if slices.IndexFunc(x.Restarts, same) < i {
			continue
		}
		fmt.Fprintf(c.stdout, "\nnew process before seed %d", r.Seed)
		n := 0
		for _, o := range x.Restarts {
			if same(o) {
				n++
			}
		}
		if n > 1 {
			fmt.Fprintf(c.stdout, " and %d others", n-1)
		}
		fmt.Fprintf(c.stdout, ": %s\n", r.Reason)
	}
	for _, l := range x.Limits {
		fmt.Fprintf(c.stdout, "\nnot under control: %s\n", l)
	}
	return code
}

// writeEnds prints the ends of runs, those that are errors with the schedule of the first
// run. Runs of a strategy are repeated by their seed, and those of a portfolio by that and the strategy
// that they had. The findings are those of the ends.
func writeEnds(c *call, ends []orchestrate.End, findings []artifact.Finding, side *artifact.Sidecar, strategy vtrace.Strategy) int {
	code := exitNothing
	sites := orchestrate.SitesByKey(side)
	for i, e := range ends {
		what := "the program ended well"
		switch {
		case e.Status != orchestrate.Completed:
			what = e.Status + ": " + siteKeys.ReplaceAllString(e.Message, " (")
			if code == exitNothing {
				code = exitInconclusive
			}
		case e.Kind != "":
			what = e.Kind
			if explain.MessageAdds(findings[i]) {
				what += ": " + e.Message
			}
		}
		fmt.Fprintf(c.stdout, "\n%d. %s\n", i+1, what)
		f := findings[i]
		writeCause(c.stdout, explain.Renamed(f, f.Cause))
		fmt.Fprintf(c.stdout, "   %d times", e.Count)
		if strategy != "" {
			fmt.Fprintf(c.stdout, ", first with seed %d", e.Seed)
		}
		if strategy == vtrace.StrategyPortfolio {
			fmt.Fprintf(c.stdout, " of strategy %s", e.Strategy)
		}
		fmt.Fprintln(c.stdout)
		if e.Replay == nil {
			continue
		}
		if e.Replay.Status == orchestrate.Reproduced {
			code = exitReal
		} else if code == exitNothing {
			code = exitInconclusive
		}
		fmt.Fprintf(c.stdout, "   %s\n", replayed(e.Replay))
		if m := e.Minimised; m != nil && m.Replay != nil {
			fmt.Fprintf(c.stdout, "   minimised from %s to %s\n", plural(m.Before.Switches, "switch of goroutine", "switches of goroutine"), plural(m.After.Switches, "switch", "switches"))
		}
		writeStalls(c.stdout, vtrace.Finding{Stalls: e.Replay.FindingStalls(func(key string) artifact.Site { return sites[key] })})
		races := e.Replay.Races
		if len(races) == 0 {
			races = e.Races
		}
		for _, r := range races {
			for line := range strings.Lines(r.Report()) {
				fmt.Fprint(c.stdout, "   "+line)
			}
		}
		fmt.Fprint(c.stdout, objects(f))
		for _, line := range explain.ShortTable(f) {
			fmt.Fprintln(c.stdout, "   "+line)
		}
	}
	return code
}

// bounding reads the value of -preemptions.
func bounding(value string) (*pass.Bounding, error) {
	switch value {
	case "":
		return nil, nil
	case "all":
		return &pass.Bounding{Last: pass.AllPreemptions}, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < pass.AllPreemptions {
		return nil, fmt.Errorf("%w: -preemptions %s: a number, or all", errUsage, value)
	}
	return &pass.Bounding{Last: n}, nil
}

// exhaust runs every schedule of a program.
func exhaust(c *call, src vtrace.Source, how pass.Exhaustion, file string, rep *progress, opts []vtrace.Option) (int, error) {
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
		how.Frontier = data
	}
	x, err := vtrace.Exhaust(c.ctx, src, how, opts...)
	rep.done()
	if x == nil {
		return 0, err
	}
	code := writeExhausted(c, x) // also if it was interrupted
	rep.writeUnsandboxed(c.stdout)
	switch {
	case file == "":
	case len(x.Rest) > 0:
		again := "the same command"
		if done, ok := x.Covered.AllWithin(); ok && how.Bounding.Last == done.AtMost {
			again += " with more preemptions"
		}
		fmt.Fprintf(c.stdout, "\nwhat is left to do is in %s; %s goes on from there\n", file, again)
		err = errors.Join(err, os.WriteFile(file, x.Rest, 0o644))
	case err == nil && len(how.Frontier) > 0:
		err = os.Remove(file) // nothing is left
	}
	return code, err
}

// writeExhausted prints what an exhaustive exploration has covered, and the ends.
func writeExhausted(c *call, x *pass.Exhausted) int {
	fmt.Fprintln(c.stdout, x.Covered.Coverage())
	code := writeEnds(c, x.Ends, x.Findings, x.Sidecar, "")
	if len(x.Guarded) > 0 {
		fmt.Fprintf(c.stdout, "\ngoroutines are switched at %d statements that race with each other too, the first at %s:%d\n", len(x.Guarded), x.Guarded[0].File, x.Guarded[0].Line)
	}
	for _, l := range x.Covered.Limits {
		fmt.Fprintf(c.stdout, "\nnot covered: %s\n", l)
	}
	if code == exitNothing && !x.Covered.Proved() {
		return exitInconclusive
	}
	return code
}
