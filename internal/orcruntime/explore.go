//go:build go1.25

package orcruntime

import (
	"runtime"
	"slices"
	"strings"
)

// Exploration is many random runs in one process, each from a state that
// RegisterInit has made anew.
type Exploration struct {
	// Config is that of every run, without steps and chooser. If it has an
	// expectation, the first run that shows it is the last.
	Config Config
	// Guides are what the runs go along with, see Along.
	Guides [][]Step
	// Strategy chooses, unless there are guides; "" is StrategyRandom. It is one that Check
	// has nothing against.
	Strategy Strategy
	// Profile is that of the program. If it is nil, and the strategy needs one, a run more is done
	// first, and Profiled, unless it is nil, called with what it has shown.
	Profile  *Profile
	Profiled func(*Profile)
	// Begins, if not nil, is called before every run, but for repetitions, with its strategy.
	Begins func(Strategy)
	// Seed is that of the first run; every other one has the next. A run chooses its
	// environment by the same seed.
	Seed uint64
	Runs int
	// Steps, if not 0, are enough: when the runs have come to so many, together,
	// there are no more.
	Steps int
	// First makes the first run that ends in an error the last.
	First bool
	// Patient makes time wait for everything else, see Patient.
	Patient bool
	// Record makes the Results of Ran have a Trace, and states of goroutines
	// without stacks.
	Record bool
	// Ran is called after every run with the number, from 0, of its end.
	Ran func(end int, res Result)
	// Found is called before, when the end is a new one, with the recorded
	// run: Result.Trace, Seed and Choices, and as Expect what Observed says, repeat
	// it.
	Found func(end int, seed uint64, res Result)
}

const (
	// controlled is how many runs may go by until one is repeated, to see
	// whether it comes out as before.
	controlled = 10_000
	// A process may grow to growth times its size after the first runs, and to
	// slack bytes beyond.
	growth, slack, settled = 2, 64 << 20, 500
)

// Explore does the runs. It stops early, and says why, if runs are no longer
// independent: the process should run no more then. With tainted, those done
// may have influenced each other already.
func Explore(e Exploration) (left string, tainted bool) {
	if e.Profile == nil && len(e.Guides) == 0 && e.Strategy.NeedsProfile() {
		p, res := profileOf(func(c Chooser, seed uint64) Result {
			cfg := chosen(e.Config, c, seed, e.Patient)
			cfg.Record, cfg.NoStacks, cfg.NoLog = false, true, true
			return Run(cfg)
		})
		if e.Profile = p; e.Profiled != nil {
			e.Profiled(p)
		}
		if res.Left != "" {
			return res.Left, false
		}
	}
	choosers := newStrategies(e.Profile)
	var learns *portfolio
	if e.Strategy == StrategyPortfolio && len(e.Guides) == 0 {
		learns = newPortfolio()
	}
	ends := map[string]int{}
	run := func(seed uint64, s Strategy, record bool) Result {
		c := Along(e.Guides, seed)
		if s != "" && len(e.Guides) == 0 {
			var err error
			if c, err = choosers.chooser(s, seed); err != nil {
				return Result{Verdict: Unsupported, Message: err.Error(), Left: err.Error()}
			}
		}
		cfg := chosen(e.Config, c, seed, e.Patient)
		cfg.Record, cfg.NoStacks, cfg.NoLog = record || e.Record, !record, true
		if learns != nil {
			cfg.cover = learns.coverage
			cfg.cover.begin()
		}
		return Run(cfg)
	}
	var first Result
	var firstBy Strategy
	var size uint64
	steps := 0
	for i := range e.Runs {
		seed := e.Seed + uint64(i)
		by, arm := e.Strategy, 0
		if learns != nil {
			arm = learns.choose(seed)
			by = learns.arms[arm]
		}
		if e.Begins != nil {
			e.Begins(by)
		}
		res := run(seed, by, e.Runs == 1)
		if learns != nil {
			learns.learn(arm)
		}
		key := res.end()
		n, known := ends[key]
		if !known {
			n = len(ends)
			ends[key] = n
			recorded := res
			if e.Runs > 1 && res.Left == "" {
				recorded = run(seed, by, true)
				res.Left = recorded.Left
				if recorded.Hash != res.Hash || recorded.end() != key {
					return "two runs with one seed differ: state outlives runs, or the program chooses by itself", true
				}
			}
			e.Found(n, seed, recorded)
		}
		e.Ran(n, res)
		if res.Verdict == Reproduced {
			return res.Left, false
		}
		if res.Left != "" {
			return res.Left, false
		}
		if e.First && res.Verdict == Completed && res.Outcome.Kind != "" {
			return "", false
		}
		if i == 0 {
			first, firstBy = res, by
		}
		steps += res.Steps
		enough := e.Steps > 0 && steps >= e.Steps
		if last := enough || i == e.Runs-1; i > 0 && (last || i%controlled == 0) {
			if again := run(e.Seed, firstBy, false); again.Hash != first.Hash || again.end() != first.end() {
				return "the first run comes out otherwise after others: state outlives runs", true
			}
		}
		if enough {
			return "", false
		}
		if i%controlled == settled {
			if now := heap(); size == 0 {
				size = now
			} else if now > growth*size+slack {
				return "the memory of the process grows from run to run", false
			}
		}
	}
	return "", false
}

// chosen is the configuration of a run by a chooser.
func chosen(cfg Config, c Chooser, seed uint64, patient bool) Config {
	cfg.Plan.Seed = seed
	cfg.Chooser, cfg.Delays = c, !patient
	if patient {
		cfg.Chooser = Patient(c)
	}
	return cfg
}

// heap is the size of what is live.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// PanicFrames is how many frames of a stack tell panics apart that have come from behind the
// same guard: those of a library lie inside of the call in the program.
const PanicFrames = 4

// end tells ends of runs apart: by kind and place.
func (r Result) end() string {
	if r.Verdict == Unsupported {
		return r.Verdict + " " + r.Message
	}
	parts := append([]string{r.Verdict, r.Outcome.Kind, r.Outcome.Site}, r.Remaining...)
	if r.AlsoFailed {
		parts[0] += " " + KindTestFailure
	}
	if r.Outcome.Kind == KindRace {
		parts = parts[:2] // in either order
	}
	if stack := r.Outcome.Stack; r.Outcome.Kind == KindPanic {
		parts = append(parts, stack[:min(PanicFrames, len(stack))]...)
	}
	if len(r.Races) > 0 {
		parts = append(parts, r.Races[0].Places())
	}
	if r.Outcome.Kind != KindRace && r.Outcome.G == "" && r.Outcome.Kind != "" {
		n := len(parts)
		for _, at := range r.Observed().Goroutines {
			parts = append(parts, at.Site)
		}
		slices.Sort(parts[n:])
		parts = slices.Compact(parts)
	}
	return strings.Join(parts, "\n")
}

// Observed is what the run has shown, as the expectation of a plan that repeats
// it.
func (r Result) Observed() Expect {
	e := Expect{Kind: r.Outcome.Kind}
	switch e.Kind {
	case "", KindTestFailure:
	case KindDeadlock, KindPartialDeadlock, KindLeak:
		for _, g := range r.Goroutines {
			if (g.State == stateBlocked || g.State == stateOutside && r.Settled) && !(e.Kind == KindLeak && slices.Contains(r.Daemons, g.G)) {
				e.Goroutines = append(e.Goroutines, At{g.G, g.Site})
			}
		}
	case KindRace:
		if len(r.Races) == 0 {
			break // whoever says so has not seen it
		}
		race := r.Races[0]
		e.Goroutines = []At{{race.First.G, race.First.Site}, {race.Second.G, race.Second.Site}}
	default:
		e.Goroutines = []At{{r.Outcome.G, r.Outcome.Site}}
	}
	return e
}
