//go:build go1.25

package orcruntime

import (
	"errors"
	"io"
	"time"
)

// The kinds of errors, as in plans and outcomes.
const (
	KindPanic           = "panic"                      // explicit panic not recovered
	KindSendOnClosed    = "send on closed channel"     // panic
	KindCloseOfClosed   = "close of closed channel"    // panic
	KindCloseOfNil      = "close of nil channel"       // panic
	KindNegativeCounter = "negative WaitGroup counter" // panic
	KindWaitGroupReuse  = "WaitGroup misuse"           // panic
	KindNilCall         = "call of nil function"       // panic
	KindUnlockUnlocked  = "unlock of unlocked mutex"   // fatal error
	KindMapRace         = "concurrent map access"      // fatal error
	KindDeadlock        = "deadlock"                   // all goroutines asleep, main among them
	KindPartialDeadlock = "partial deadlock"           // some goroutines can never go on
	KindLeak            = "goroutine leak"             // stuck after the end of the entry
	KindTestFailure     = "test failure"               // t.Error, t.Fatal
	KindExit            = "exit"                       // os.Exit with a code other than 0
	KindRace            = "data race"                  // accesses to memory that nothing orders
	KindReachable       = "reachability"               // user annotation
)

// The verdicts of a run.
const (
	// Reproduced: the expectation was observed.
	Reproduced = "reproduced"
	// Infeasible: a step of the plan could not be done; Result.Step says
	// which, Result.Want and Result.Found why.
	Infeasible = "infeasible"
	// NotReproduced: all steps were done, the expectation was not observed.
	NotReproduced = "not reproduced"
	// Completed: the plan expects nothing, and the run came to its end.
	Completed = "completed"
	// Limit: Plan.MaxSteps were done before the run came to its end.
	Limit = "limit"
	// Unsupported: the run could not be controlled; Result.Message says why.
	Unsupported = "unsupported"
)

// TimeStep as Step.G lets time pass to the next event.
const TimeStep = "T"

// Step grants one goroutine its pending guard.
type Step struct {
	G    string // creation path, or TimeStep
	Site string // key of the guard
	// Occ counts, from 1, how often G has passed Site; 0 is not checked.
	Occ int
	// Case is the case that a select must choose, in source order from 0, -1
	// for its default. A select none of whose cases is ready queues on all.
	// Reach is no case: G is to come to the guard, and not to pass it.
	Case int
}

// Reach as Step.Case has a goroutine come to a guard, by others that the plan does not name, or without a
// Site to its end. In between is something that has no guard, and that is to have happened.
const Reach = -4

// At is a goroutine at a site. If one of them is empty it is any, of the goroutines
// that matter.
type At struct{ G, Site string }

// Expect is what must be observed once the steps are done.
type Expect struct {
	Kind string // one of the Kind constants; "" expects nothing
	// Goroutines are those that must be stuck, or the one that panics, or the
	// two that race with their statements.
	Goroutines []At
}

// Plan is what a run follows.
type Plan struct {
	Name   string
	Steps  []Step
	Expect Expect
	// Seed is that of the environment: of what the program finds random. With 0
	// maps come in the order of their keys, and a sync.Pool returns what was put
	// last.
	Seed uint64
	// Choices are those of the environment that the seed does not decide, each
	// named by goroutine, site and occurrence. One that does not occur, or with
	// another range, is ignored.
	Choices []EnvChoice
	// Minor has goroutines stop at minor guards, see the package comment, as they did
	// in a run whose Result says so.
	Minor bool
	// Repeats are the Steps that are done several times, in the order of their places. Only
	// Orchestrate knows them.
	Repeats []Repeat
	// Late is the creation path of a goroutine that sets deadlines as late as the steps allow, and as long behind
	// others as can be. All others set theirs as soon as they come to it. Goroutines stop at minor guards then, and
	// what they pass there are steps of the run.
	Late string `json:",omitempty"`
	// PassOthers has a goroutine pass, without steps of their own, the guards
	// that no step names for it: those of operations that the program has got
	// since the plan was made.
	PassOthers bool
	// Elastic lets time pass when the steps need it, and not only in the place of
	// a TimeStep: one that has nothing to wait for is left out, and a goroutine
	// that a step finds blocked may be woken by time first.
	Elastic bool
	// MaxSteps bounds the steps of the run, those of the plan and those after
	// it together; 0 is 100 000, or twice as many as the plan has.
	MaxSteps int
}

// Bubble holds the functions of testing/synctest. The zero value runs outside
// a bubble: time is real, nothing settles goroutines of uninstrumented code,
// and "nothing can move" is a guess after Config.Patience.
type Bubble struct {
	Run  func(f func()) // calls f in a new bubble
	Wait func()         // synctest.Wait
}

// Repeat says that so many Steps of a plan, from the one at an index on, are done several times: Times in all. Their Occ goes
// on counting.
type Repeat struct{ At, Length, Times int }

// Whole returns the steps of a plan with those that are done again, of which there can be a few million. The error is for
// repetitions that no plan has.
func (p Plan) Whole() ([]Step, error) {
	const most = 1 << 24
	var out []Step
	done := 0
	for _, r := range p.Repeats {
		if r.At < done || r.Length < 1 || r.Times < 1 || r.Length > len(p.Steps) || r.At > len(p.Steps)-r.Length {
			return nil, errors.New("a plan repeats steps that it does not have")
		}
		if r.Times > most/r.Length || r.Times*r.Length > most-len(out) {
			return nil, errors.New("a plan repeats too many steps")
		}
		out = append(out, p.Steps[done:r.At]...)
		done = r.At + r.Length
		block := p.Steps[r.At:done]
		passes := map[At]int{} // in one iteration
		for _, st := range block {
			passes[At{st.G, st.Site}]++
		}
		for k := range r.Times {
			for _, st := range block {
				if st.Occ > 0 {
					st.Occ += k * passes[At{st.G, st.Site}]
				}
				out = append(out, st)
			}
		}
	}
	return append(out, p.Steps[done:]...), nil
}

// The entries of a run.
const (
	EntryMain = "main" // the return of the entry ends the program
	EntryTest = "test" // after the return of the entry the others go on
)

// Config says what to run and how.
type Config struct {
	Plan   Plan
	Bubble Bubble
	Main   func() // the entry function
	Entry  string // EntryMain (default) or EntryTest
	// EndSite is the key of the guard at the return of Main; "": no guard.
	EndSite string
	// Failed says whether the test has failed; may be nil.
	Failed func() bool
	// Chooser decides after the steps of the plan; nil is FirstEnabled.
	Chooser Chooser
	// Delays has deadlines be set late, and the clock be read late, by the seed of the plan, as
	// if goroutines were slow.
	Delays bool
	// Durations are some that the clock is compared with, besides those that the program
	// names as constants.
	Durations []time.Duration
	// Record collects the steps that were done in Result.Trace.
	Record bool
	// Log gets a line for every guard passed, as it happens.
	Log io.Writer
	// Journal gets one line for every step, in one Write, before the step is
	// done: "k G site occ case".
	Journal io.Writer
	// NoLog leaves Result.Log empty.
	NoLog bool
	// NoStacks leaves out the stacks of the goroutines at the end.
	NoStacks bool
	// Unchecked trusts that only goroutines started by instrumented code enter
	// it; see the package comment.
	Unchecked bool
	// Races looks for data races among the accesses that call Rd, Wr and the
	// like. It is on if RegisterPlaces has been called, but for NoRaces.
	Races bool
	// Patience is how long a run outside a bubble waits for something to
	// happen before it takes what is blocked as blocked for ever; 0 is 1 s.
	Patience time.Duration
	// Guards, if not nil, are the statements that stop goroutines, of those that call
	// Access.
	Guards map[Site]bool
	// values makes the Result have what operations have given, with Record.
	values bool
	// Exact: the program, which several checks share, does what one with the Guards alone would:
	// other statements are no different from those without a guard, unless they are of functions
	// with atomic operations.
	Exact bool
	// NoRaces: data races are not looked for, though RegisterPlaces has been called.
	NoRaces bool
	// kept is what the *testing.T of the run keeps, false if that is not known; nil if there is none.
	kept func() (keptCleanups, bool)
	// exec, if not nil, collects what steps depend on.
	exec *execution
	// record is the file that the run is recorded in, nil for none.
	record *recordFile
	// cover, if not nil, is told what the run comes to.
	cover *coverage
	// noMinor: goroutines do not stop at minor guards, though there is no plan.
	noMinor bool
	// lengths: goroutines stop where they ask for the length of a channel.
	lengths bool
	// Watchdog bounds, in real time, how long the program may take from one
	// guard to the next; 0 is no bound. A run that exceeds it is abandoned: the
	// process should run no other after it.
	Watchdog time.Duration
}

// Result is what a run observed.
type Result struct {
	Verdict string
	Message string // the verdict in one line
	Outcome Outcome
	// Step is the step of the plan, from 1, at which the run left it, or 0;
	// Want is that step, and Found where its goroutine was instead.
	Step  int
	Want  Step
	Found string
	// Steps counts the steps done, those after the plan included.
	Steps int
	// Hash is a hash of the steps done: runs with the same steps have the same.
	Hash uint64
	// Goroutines are all goroutines at the end, by creation path.
	Goroutines []GState
	// Daemons are those of them that are no leak of a test: the initialisation of
	// packages, or such a goroutine, has started them.
	Daemons []string
	Log     []LogLine
	Trace   []Step // with Config.Record
	// Given is what operations of Trace have given to the program, in the order in which they were done; only
	// of a run that follows one plan.
	Given []GivenValue `json:",omitempty"`
	// Waited are the steps of Trace, from 1, that could not do their operation at once: the goroutine queued.
	// Only of a run that follows one plan.
	Waited []int `json:",omitempty"`
	// Effects say what steps of Trace work on, and how they have left it, in their order; only of a run that follows
	// one plan.
	Effects []Effect `json:",omitempty"`
	// Reads are what statements have read, in their order; only of a run that follows one plan.
	Reads []ReadValue `json:",omitempty"`
	// Seed is that of the environment, Asked how often the program has asked it
	// for something, and Choices, with Config.Record, are the answers of small
	// range. The plan with Trace, Seed, Choices and Minor repeats the run.
	Seed    uint64
	Asked   int
	Choices []EnvChoice
	// Minor: goroutines stopped at minor guards.
	Minor bool
	// Deadlines: one was set that would have come behind others, had its goroutine been slow
	// or another one fast.
	Deadlines bool
	// Setters are those who have set deadlines, by their creation paths, if Deadlines.
	Setters []string `json:",omitempty"`
	// Durations are those, ascending, that the clock was compared with and that are not known.
	Durations []time.Duration
	// ClockLimits say what was compared with what the clock has shown, and how cannot be told.
	ClockLimits []string
	// Races are the data races found. A run goes on after one, unless it is
	// what the plan expects; one that ends well is then said to end in the
	// first of them.
	Races []Race
	// RaceLimits say why races may have gone unseen. They are among the Notes.
	RaceLimits []string
	// Unordered are uses of memory by code that is not instrumented that nothing orders, and of
	// which it is not known whether they race. RaceLimits has them, too.
	Unordered []Race `json:",omitempty"`
	// Notes say what weakens the verdict or deserves attention.
	Notes []string
	// Weak: control was incomplete, so that the verdict does not follow from the
	// plan alone. Weaknesses are those of the Notes that say where.
	Weak       bool
	Weaknesses []string
	// Failed: the test had failed, however the run ended.
	Failed bool
	// AlsoFailed: the test has failed, too, where the outcome is something else, as a leak.
	AlsoFailed bool `json:",omitempty"`
	// Stalls are the longest times for which goroutines were held that could go on.
	Stalls []Stall
	// Settled: nothing could go on at the end, those outside control included, which
	// wait for something in the bubble. That they are stuck does not rest on control.
	Settled bool
	// Starved are, at the limit of steps, the goroutines that have been blocked since
	// before the middle of the run, while others went on; Since is the step in which
	// the last of them queued. It may go on like this for ever.
	Starved []At
	Since   int
	// Restless: after the end of the entry function time alone has kept goroutines
	// going, for long.
	Restless bool
	// Left says what the run has left in the process, so that the next one may
	// not begin as it did; "" if nothing that was noticed.
	Left string
	// Remaining are goroutines, by the functions that they were started with and by, that
	// libraries have started and that are still there, blocked, after a test that has ended well.
	Remaining   []string      `json:",omitempty"`
	VirtualTime time.Duration // passed since the start of the run
}

// Outcome is how the program ended. Kind is "" if it ended well.
type Outcome struct {
	Kind    string
	Message string // as the Go runtime would print it
	G       string // the goroutine that ended the program, if one did
	Site    string // key of the guard it had passed
	Stack   []string
}

// GState is what a goroutine does.
type GState struct {
	G string
	// State is "not started" (at its Start guard), "at" (before Op, which
	// nobody has seen yet), "blocked" (queued in Op), "outside" (blocked in
	// code without guards), "finished" or "panicked".
	State  string
	Op     string
	Object string // "chan#1": the first channel used in the run
	Site   string // key
	Source string // "file:line: text"
	Stack  []string
	// Created is the stack of the goroutine that has started it, where it did.
	Created []string
	// Holds are the locks that it holds, and the Onces of which it runs the functions, in the
	// order in which it has taken them. What a library has locked is not known.
	Holds []Act
	// Counter is that of the WaitGroup that it waits for.
	Counter int
	// Closed says who has closed the channel on which it panics.
	Closed *Act
}

// Act is what a goroutine has done with an object.
type Act struct {
	G      string
	Op     string
	Object string // as in GState
	Site   string // key
}

// LogLine says that a goroutine passed a guard.
type LogLine struct {
	Time time.Duration
	G    string
	Site Site
}
