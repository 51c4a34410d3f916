package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/pass"
)

// campaign is a search of one or several entry points.
type campaign struct {
	seed   uint64
	runs   int
	time   time.Duration
	corpus string

	begun bool
	rest  time.Duration // of the time
	left  int           // entry points that have not begun
	said  strings.Builder
}

func (f *campaign) register(fs *flag.FlagSet) {
	fs.Uint64Var(&f.seed, "seed", 0, "seed of the search")
	fs.IntVar(&f.runs, "runs", 0, "bound the runs of each entry point; 0 is no bound")
	fs.DurationVar(&f.time, "fuzztime", time.Minute, "time for all entry points together, once they are built, of which each has a fair share; 0, for one entry point: until it is interrupted")
	fs.StringVar(&f.corpus, "corpus", "", "go on from what is kept below `DIR`, as in testdata/vtrace, and keep there what this search adds; without it nothing is written")
}

// errEndless: nothing would end the search of the first of several entry points.
var errEndless = fmt.Errorf("%w: -fuzztime 0 is for one entry point, or with -runs: of several the first would have all of the time", errUsage)

// runFuzz searches for errors by runs.
func runFuzz(c *call) (int, error) {
	var s settings
	var a several
	var f campaign
	fs := c.flags()
	s.output(fs)
	s.program(fs)
	fs.BoolVar(&s.race, "race", false, "look for data races in all runs")
	s.watchdogFlag(fs)
	s.inSandbox(fs)
	f.register(fs)
	fs.BoolVar(&a.list, "list", false, "list the entry points and do nothing else")
	fs.StringVar(&a.run, "run", "", "of several entry points, those with names that match this `REGEXP`")
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	unbounded := f.time == 0 && f.runs == 0 && !a.list
	many := a.list || a.run != "" || s.entry == allEntries || strings.Contains(args[0], "...")
	switch {
	case f.runs < 0:
		return 0, fmt.Errorf("%w: -runs is at least 0", errUsage)
	case f.time < 0:
		return 0, fmt.Errorf("%w: -fuzztime is not negative", errUsage)
	case many && unbounded:
		return 0, errEndless
	}
	if !many {
		code, err := c.one(&s, args[0], true, func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error) {
			f.begin(1)
			dir := f.dirOf(packageOf(arg), cmp.Or(s.entry, "main"))
			return f.search(dir, "", opts, func(how pass.Fuzzing, opts []vtrace.Option) (*pass.Fuzzed, error) {
				return vtrace.Fuzz(ctx, s.source(arg), how, opts...)
			})
		})
		if s.entry != "" || len(c.program) > 0 || !errors.Is(err, vtrace.ErrNoEntry) {
			f.say(c, &s)
			return code, err
		}
		s.entry = allEntries // a package without main: all of its tests
	}
	if unbounded {
		return 0, errEndless
	}
	a.check = func(ctx context.Context, set *vtrace.Set, e vtrace.EntryPoint, opts []vtrace.Option) (*vtrace.Bundle, error) {
		entries, err := a.selected(set, s.entry)
		if err != nil {
			return nil, err
		}
		f.begin(len(entries))
		return f.search(f.dirOf(e.Package, e.Func), fmt.Sprint(e), opts, func(how pass.Fuzzing, opts []vtrace.Option) (*pass.Fuzzed, error) {
			return set.Fuzz(ctx, e, how, opts...)
		})
	}
	a.parallel = 1
	code, err := c.checkAll(&s, &a, args[0])
	f.say(c, &s)
	return code, err
}

// begin is called before the first of so many entry points.
func (f *campaign) begin(entries int) {
	if !f.begun {
		f.begun, f.rest, f.left = true, f.time, entries
	}
}

// share is the time for the next entry point: what others have not used is divided among those that are
// left. 0 is no bound.
func (f *campaign) share() time.Duration {
	if f.time == 0 {
		return 0
	}
	share := max(f.rest/time.Duration(max(f.left, 1)), leastShare)
	f.left--
	return share
}

// leastShare is the time that an entry point has though others have used more than theirs.
const leastShare = time.Second

// dirOf is the directory of the corpus of an entry point, "" for none.
func (f *campaign) dirOf(pkg, entry string) string {
	if f.corpus == "" {
		return ""
	}
	return filepath.Join(f.corpus, filepath.FromSlash(pkg), strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, entry))
}

// search searches one entry point, from what is kept of it, and keeps what that adds.
func (f *campaign) search(dir, name string, opts []vtrace.Option, fuzz func(pass.Fuzzing, []vtrace.Option) (*pass.Fuzzed, error)) (*vtrace.Bundle, error) {
	how := pass.Fuzzing{Seed: f.seed, MaxRuns: f.runs}
	if dir != "" {
		var err error
		if how.Corpus, err = vtrace.ReadCorpus(dir); err != nil {
			return nil, err
		}
	}
	r, err := fuzz(how, append(opts, vtrace.Budget(f.share())))
	if err != nil {
		return nil, err
	}
	f.rest = max(f.rest-r.Took, 0)
	if dir != "" && len(r.Corpus) > 0 {
		err = vtrace.WriteCorpus(dir, r.Corpus)
	}
	if name != "" {
		name += ": "
	}
	switch {
	case r.Single:
		fmt.Fprintf(&f.said, "%sall runs are the same: there is nothing to choose\n", name)
	default:
		fmt.Fprintf(&f.said, "%s%s, %s; %s of operations; %d of %s in another order had it, %d were impossible\n", name,
			plural(r.Runs, "run", "runs"), plural(r.Schedules, "schedule", "schedules"), plural(r.Features, "pair", "pairs"), r.Enforced, plural(r.Chains, "run", "runs"), r.Discarded)
	}
	for _, l := range r.Limits {
		fmt.Fprintf(&f.said, "  %s\n", l)
	}
	return r.Bundle, err
}

// say prints what was done.
func (f *campaign) say(c *call, s *settings) {
	if f.said.Len() == 0 {
		return
	}
	out := c.stdout
	if s.json {
		out = c.stderr
	}
	fmt.Fprint(out, "\n"+plain(f.said.String()))
}
