package artifact

import (
	"fmt"
	"strings"
	"time"
)

// Verdict is the checker's answer to a query.
type Verdict struct {
	Query  int    `json:"query"`                   // its number
	Result string `json:"result" schema:"T|F|M|E"` // T, F, M or E
	Reason string `json:"reason,omitempty"`        // why the answer is neither T nor F, or what it rests on
	// Traces are the paths of its counterexamples in the bundle.
	Traces []string `json:"traces,omitempty"`
}

// Refutation is what a replay taught: the program does not follow these labels
// (see check.Label), so no trace that begins with them is an error of it.
type Refutation struct {
	Query  int      `json:"query"`  // its number
	Labels []string `json:"labels"` // those of the steps, in order: PROCESS@KEY/CASE>KEY
	// Step is the step of the plan, from 1, that could not be done.
	Step   int    `json:"step"`
	Reason string `json:"reason"` // what was found instead
	// Weak: the program did follow the labels, but was not in error behind
	// them, or might follow them if it set deadlines in another order. Leaving out all traces that begin with them may leave out others
	// that it can follow, so no error is false because of this alone.
	Weak bool `json:"weak,omitempty"`
	// Unexplained: nothing that the model leaves open explains why the program
	// does not follow the labels, so the model, or the control of the program,
	// is wrong there.
	Unexplained bool `json:"unexplained,omitempty"`
}

// Fact is what runs have done at an edge of the model that it leaves open if the program
// takes: of Met runs that have come to the choice Taken have taken the edge. Those of which
// the model cannot tell are not counted. A fact is no proof: another run may do otherwise.
type Fact struct {
	Template int    `json:"template"` // index in Sidecar.Templates
	Edge     int    `json:"edge"`     // index in the template's edges
	From     string `json:"from"`     // name of the location that it leaves
	To       string `json:"to"`       // name of the location that it enters
	Met      int    `json:"met"`      // runs that came to the choice
	Taken    int    `json:"taken"`    // those of them that took the edge
}

// Runs says how a program was run beside its model, under random schedules. What
// the runs have shown are findings; that there is nothing else does not follow.
type Runs struct {
	// Runs counts the runs, Schedules those with different steps. Limited is how
	// many of them were cut off, Uncontrolled how many left the control of the
	// runtime.
	Runs         int `json:"runs"`
	Schedules    int `json:"schedules"`              // those with different steps
	Limited      int `json:"limited,omitempty"`      // those that were cut off
	Uncontrolled int `json:"uncontrolled,omitempty"` // those that left the control of the runtime
	// Undecided says why runs have no verdict: those that are counted by Uncontrolled, in the order in which the
	// reasons came up, a few of them.
	Undecided []string `json:"undecided,omitempty"`
	// Systematic counts runs besides, before these: under schedules none of which is
	// equivalent to another one, a few, and those that look for the misuse of a WaitGroup.
	Systematic int `json:"systematic,omitempty"`
	// Stopped says why there were no more runs, if there were to be.
	Stopped string `json:"stopped,omitempty"`
	// Cut is the reason, if the check ended before all runs were done: its budget was
	// spent, or it was interrupted.
	Cut string `json:"cut,omitempty"`
	// Unproved counts the ways in which runs ended that were not replayed, since the
	// time for that was over.
	Unproved int `json:"unproved,omitempty"`
	// Failing is how the test fails in every run, if it does: nothing behind that
	// was looked at.
	Failing string `json:"failing,omitempty"`
	// Conformance says what became of those that were followed in the model, nil
	// if there is no model.
	Conformance *Conformance `json:"conformance,omitempty"`
	// Exhaustive says how far the program was run under every schedule, nil if it was
	// not.
	Exhaustive *Exhaustive `json:"exhaustive,omitempty"`
	// Preemptions says how far it was run under the schedules with few preemptions, nil
	// if it was not: it is for programs with too many schedules.
	Preemptions *Exhaustive `json:"preemptions,omitempty"`
	// FailsPlain is how the program has failed in a plain run: as it is, not instrumented, under nobody's
	// control, with the clock of the machine. FailsTogether is how the test has failed in one of all tests of
	// its package. Runs under control have not shown either.
	FailsPlain    string `json:"failsPlain,omitempty"`
	FailsTogether string `json:"failsTogether,omitempty"` // how the test fails in a run of all tests of its package
	// Remaining are goroutines of libraries, by the functions that they were started with and by, that were
	// still there when a test had ended well and nothing could go on: something was not closed, perhaps.
	Remaining []string `json:"remaining,omitempty"`
	// Races are data races, in words, that runs have shown, and where there may be others
	// that do not show: an answer that takes statements for steps does not cover them.
	// Empty if data races themselves were looked for.
	Races []string `json:"races,omitempty"`
	// RaceRuns is in how many runs data races did not show, of a program whose model has no error, where these were not all of its
	// schedules: behind a data race a program may do what no model has.
	RaceRuns int `json:"raceRuns,omitempty"`
	// RaceSchedules is in how many schedules data races did not show, where these are all that the program has, but for
	// equivalent ones.
	RaceSchedules int `json:"raceSchedules,omitempty"`
	// WordRaces are data races that runs have shown, in words, between statements that the
	// model has as steps, of no more memory than a machine word: its answer covers every order
	// of these statements. Empty if data races themselves were looked for.
	WordRaces []string `json:"wordRaces,omitempty"`
	// SmallScopes are checks of the program with smaller numbers, in order, where nothing certain is known of the program
	// itself.
	SmallScopes []SmallScope `json:"smallScopes,omitempty"`
}

// SmallScope says what a check of a program with smaller numbers has shown: with few iterations of its loops, and few
// goroutines. Nothing follows for the program itself: an error may need more of them, and numbers that were chosen for
// each other may no longer fit. But most errors show in a small scope already (Jackson, Software Abstractions, 2006).
type SmallScope struct {
	Numbers []SmallNumber `json:"numbers"` // those that are smaller
	// Outcome is ScopeProved, ScopeFails, ScopeUnfit or ScopeOpen.
	Outcome string `json:"outcome" schema:"proved|fails|unfit|open"`
	// Why says what the outcome rests on: what was explored, the errors, or why it is open.
	Why []string `json:"why"`
}

// SmallNumber is a number that is smaller in a small scope.
type SmallNumber struct {
	From int64 `json:"from"` // in the program
	To   int64 `json:"to"`   // in the small scope
	// At are the places where it is written, as FILE:LINE:COLUMN.
	At []string `json:"at"`
}

// The outcomes of a check in a small scope.
const (
	ScopeProved = "proved" // there is no error
	ScopeFails  = "fails"  // there is one, which a replay has reproduced; other runs end well
	ScopeUnfit  = "unfit"  // it fails in every run that was tried: its numbers do not fit each other any more, most likely
	ScopeOpen   = "open"   // neither is known
)

// Exhaustive says how far a program was run under every schedule that is not equivalent
// to another one.
type Exhaustive struct {
	// Schedules counts the runs, none equivalent to another one, and Cut those that
	// were given up on the way, since they turned out to be.
	Schedules int `json:"schedules"`
	Cut       int `json:"cut,omitempty"` // runs that were given up, being equivalent to others
	// Complete: there are no others, but for what Limits say.
	Complete bool `json:"complete,omitempty"`
	// Timed: time could have passed while a goroutine could go on. Stalls is how often
	// in one run it did, at most; -1 is any number.
	Timed  bool `json:"timed,omitempty"`
	Stalls int  `json:"stalls,omitempty"` // see Timed; -1 is any number
	// Preemptions is how far the exploration has come with each bound of preemptions,
	// from 0, if it is bounded so. Schedules counts all of their runs.
	Preemptions []Preemptions `json:"preemptions,omitempty"`
	// Errors counts the different errors in which runs ended.
	Errors int `json:"errors,omitempty"`
	// Limits say what was not covered.
	Limits []string `json:"limits,omitempty"`
	// Draws is how often all of it was run, each time with other random numbers of a large range, orders of large maps and
	// the like, and with another start of the clock, where Limits say that these decide; 0 is once.
	Draws int `json:"draws,omitempty"`
}

// Preemptions says how far a program was run under the schedules with a bounded number
// of preemptions: that another goroutine goes on though the one that has done the last
// step could.
type Preemptions struct {
	AtMost int `json:"atMost"` // the bound, from 0
	// Schedules and Cut are as those of Exhaustive.
	Schedules int  `json:"schedules"`
	Cut       int  `json:"cut,omitempty"`      // as of Exhaustive
	Complete  bool `json:"complete,omitempty"` // as of Exhaustive
}

// Proved reports whether the program has no other behaviour, for its input, than the
// schedules have shown.
func (e *Exhaustive) Proved() bool {
	return e.AllWithoutStalls() && (!e.Timed || e.Stalls < 0)
}

// AllWithoutStalls reports whether the program has no other behaviour, for its input, than
// the schedules have shown, as long as time passes only when nothing else can happen.
func (e *Exhaustive) AllWithoutStalls() bool {
	return e != nil && e.Complete && len(e.Limits) == 0
}

// Coverage says in a sentence what was explored, all but what the limits say.
func (e *Exhaustive) Coverage() string {
	if e == nil {
		return ""
	}
	var out strings.Builder
	cut := e.Cut
	if n := len(e.Preemptions); n > 0 {
		cut = e.Preemptions[n-1].Cut
		out.WriteString(e.bounded())
	} else {
		out.WriteString(e.unbounded())
	}
	switch {
	case e.Timed && e.Stalls == 0:
		out.WriteString(", of those in which time passes only when nothing else can happen")
	case e.Timed && e.Stalls > 0:
		fmt.Fprintf(&out, ", of those in which time passes at most %d times while a goroutine could go on", e.Stalls)
	}
	switch {
	case e.Draws == 2:
		out.WriteString(", and again with another draw of random numbers and start of the clock")
	case e.Draws > 2:
		fmt.Fprintf(&out, ", and again with each of %d other draws of random numbers and starts of the clock", e.Draws-1)
	}
	if len(e.Limits) > 0 {
		out.WriteString(", but for what is not covered")
	}
	if cut > 0 {
		fmt.Fprintf(&out, "; %d runs were given up, being equivalent to others", cut)
	}
	return out.String()
}

// unbounded is Coverage of an exploration that is not bounded by preemptions.
func (e *Exhaustive) unbounded() string {
	switch {
	case e.Complete && e.Schedules == 1:
		return "the only schedule of the program, but for equivalent ones, was run"
	case e.Complete:
		return fmt.Sprintf("all %d schedules of the program that are not equivalent were run", e.Schedules)
	}
	return fmt.Sprintf("%d schedules of the program that are not equivalent were run, and there are more", e.Schedules)
}

// bounded is Coverage of an exploration that is bounded by preemptions.
func (e *Exhaustive) bounded() string {
	last := e.Preemptions[len(e.Preemptions)-1]
	done, ok := e.AllWithin()
	switch {
	case e.Complete:
		return fmt.Sprintf("all schedules of the program were run, but for equivalent ones: %d executions", last.Schedules)
	case !ok:
		return fmt.Sprintf("%d schedules with no preemption were run, and there are more", last.Schedules)
	}
	text := fmt.Sprintf("all schedules with %s were run, but for equivalent ones: %d executions", atMost(done.AtMost), done.Schedules)
	if last.Schedules > 0 && !last.Complete {
		text += fmt.Sprintf("; and %d of those with %s", last.Schedules, atMost(last.AtMost))
	}
	return text
}

// AllWithin is the greatest bound of preemptions within which all schedules were run; it
// reports whether there is one.
func (e *Exhaustive) AllWithin() (p Preemptions, ok bool) {
	if e == nil {
		return p, false
	}
	for _, b := range e.Preemptions {
		if b.Complete {
			p, ok = b, true
		}
	}
	return p, ok
}

func atMost(preemptions int) string {
	switch preemptions {
	case 0:
		return "no preemption"
	case 1:
		return "at most 1 preemption"
	}
	return fmt.Sprintf("at most %d preemptions", preemptions)
}

// Conformance says whether a model can do what runs of its program did.
type Conformance struct {
	// Runs counts those that were compared with the model, each schedule once.
	Runs int `json:"runs"`
	// Followed is how many of them the model can do, to their ends.
	Followed int `json:"followed"`
	// LeftOut is how many do what the model says that it leaves out, BeyondBounds
	// how many come to a stated bound of it.
	LeftOut      int `json:"leftOut,omitempty"`
	BeyondBounds int `json:"beyondBounds,omitempty"` // runs that come to a stated bound of the model
	// Undecided is how many could not be compared, and Reason why the first of them.
	Undecided int    `json:"undecided,omitempty"`
	Reason    string `json:"reason,omitempty"` // why the first of the undecided could not be compared
	// Gaps are what the program did and the model cannot, each operation once.
	Gaps []Gap `json:"gaps,omitempty"`
}

// Gap is where a model cannot do what a run of its program did: the model is wrong,
// and what it says of the program proves nothing.
type Gap struct {
	Run       int    `json:"run"`                 // its number, from 1
	Step      int    `json:"step"`                // of the run, from 1
	G         string `json:"g,omitempty"`         // goroutine
	File      string `json:"file,omitempty"`      // relative to the root of the program
	Line      int    `json:"line,omitempty"`      // from 1
	Col       int    `json:"col,omitempty"`       // in bytes, from 1
	Operation string `json:"operation,omitempty"` // in a word
	Reason    string `json:"reason"`              // what the program did, for people
}

func (g Gap) String() string {
	text := fmt.Sprintf("model gap: in run %d the program did what its model cannot do: %s", g.Run, g.Reason)
	if g.File != "" {
		text = fmt.Sprintf("%s:%d:%d: %s", g.File, g.Line, g.Col, text)
	}
	return text
}

// RaceSearch says how data races were looked for. The races are findings; that
// there are no others does not follow.
type RaceSearch struct {
	// Replays counts the replays of traces that were watched.
	Replays int `json:"replays"`
	// Runs counts the runs under random schedules, Schedules those with
	// different steps. Limited is how many of them were cut off.
	Runs      int `json:"runs"`
	Schedules int `json:"schedules"`         // those with different steps
	Limited   int `json:"limited,omitempty"` // those that were cut off
	// Ends counts the runs that ended in another error, by kind.
	Ends map[string]int `json:"ends,omitempty"`
	// Stopped says why there were no more runs, if there were to be.
	Stopped string `json:"stopped,omitempty"`
	// Limits are the reasons why races may have gone unseen in these runs.
	Limits []string `json:"limits,omitempty"`
}

// What has become of a possible error.
const (
	Real        = "real"        // reproduced on the program
	False       = "false"       // not reproducible within the stated bounds
	Unconfirmed = "unconfirmed" // neither, Reason says why
	Possible    = "possible"    // not replayed yet
	// TimingDependent: reproduced, but only while time passes though a goroutine could
	// go on, and what fails is the test itself.
	TimingDependent = "timing-dependent"
	// Note: reproduced, and no error: a goroutine that the test leaves behind is a worker
	// of a service that it has not stopped, or is there for what it does not expect, and
	// ends with the process.
	Note = "note"
)

// The grades of a stall.
const (
	StallShort = "short" // a busy machine does that
	StallLong  = "long"  // longer than the bound that was given
)

// Finding is one possible error of the program and what is known about it.
type Finding struct {
	Number   int    `json:"number"`                                                                 // from 1
	Verdict  string `json:"verdict" schema:"real|false|unconfirmed|possible|timing-dependent|note"` // real, false, unconfirmed, possible, timing-dependent or note
	Kind     string `json:"kind"`                                                                   // a Kind constant
	Category string `json:"category"`                                                               // that of the query
	Query    int    `json:"query"`                                                                  // the number of the query that it violates
	File     string `json:"file,omitempty"`                                                         // where the error happens, relative to the root of the program
	Line     int    `json:"line,omitempty"`                                                         // from 1
	Col      int    `json:"col,omitempty"`                                                          // in bytes, from 1
	Function string `json:"function,omitempty"`                                                     // full name of the function there
	Message  string `json:"message"`                                                                // what happens, for people
	// Cause says why it comes about, in a sentence, where a run has shown that.
	Cause string `json:"cause,omitempty"`
	// Goroutines are those that matter at the end: stuck, or panicking; or the
	// two accesses of a data race, in their order.
	Goroutines []FindingGoroutine `json:"goroutines,omitempty"`
	// Made says where the other channels were made that the interleaving works on, as far as that is known.
	Made []FindingObject `json:"made,omitempty"`
	// Stalls say who has to be slow for the error to come about, the longest first: time
	// passes while the goroutine could go on.
	Stalls []FindingStall `json:"stalls,omitempty"`
	// Stall grades them by the longest: StallShort or StallLong, "" if there is none.
	Stall string `json:"stall,omitempty" schema:"short|long"`
	// Interleaving is how the error comes about, step by step.
	Interleaving []FindingStep `json:"interleaving,omitempty"`
	// Minimised says how much less there is to understand of it than of the one that has
	// shown the error first; nil if that was not looked for.
	Minimised *Minimised `json:"minimised,omitempty"`
	// Values are the choices of the environment that it needs, once it was minimised.
	Values []FindingValue `json:"values,omitempty"`
	// Begins is when the clock of its run begins, in RFC 3339, where that is not the ordinary moment of runs.
	Begins string `json:"begins,omitempty"`
	// Trace and Test are paths in the bundle.
	Trace string `json:"trace,omitempty"`
	Test  string `json:"test,omitempty"` // of the Orchestration test that follows the trace
	// Reproduce is a command that shows the error again.
	Reproduce string `json:"reproduce,omitempty"`
	// Reason says why the verdict is not "real", or how a real error has shown
	// that no trace of the model led to.
	Reason string `json:"reason,omitempty"`
	// Attempts is the number of traces that were replayed. Refuted is how many of them the program has left where
	// only what they say can be done: that speaks against an error that is unconfirmed.
	Attempts int `json:"attempts,omitempty"`
	Refuted  int `json:"refuted,omitempty"` // see Attempts
	// Runs is after how many runs of the program a real error has shown: replays of
	// traces, and runs under other schedules, the last of which has shown it.
	Runs int `json:"runs,omitempty"`
}

// FindingValue is a choice of the environment that an interleaving needs, as for a random
// number or the order of a map: Value, of N from 0.
type FindingValue struct {
	G     string `json:"g"`              // creation path of the goroutine that asked
	Site  string `json:"site,omitempty"` // key
	File  string `json:"file,omitempty"` // of Site
	Line  int    `json:"line,omitempty"` // of Site
	Text  string `json:"text,omitempty"` // the source line
	N     int    `json:"n"`              // number of values that it could have
	Value int    `json:"value"`          // from 0, less than N
}

// Minimised is what has become of an interleaving that was minimised: what the error does
// not need was left out.
type Minimised struct {
	// Of is the path in the bundle of the trace with the interleaving as it was, "" if it
	// still is.
	Of     string   `json:"of,omitempty"`
	Before Schedule `json:"before"` // of the interleaving that has shown the error first
	After  Schedule `json:"after"`  // of the one that is reported
	// Runs of the program were needed.
	Runs int `json:"runs"`
	// Complete: no single part of it can be left out. Least: no interleaving with the
	// same random choices has fewer switches.
	Complete bool `json:"complete,omitempty"`
	Least    bool `json:"least,omitempty"` // see Complete
	// Stopped says why it was not finished, or could not be used.
	Stopped string `json:"stopped,omitempty"`
}

// Schedule says how much there is to understand of an interleaving.
type Schedule struct {
	// Switches counts from how many steps to the next another goroutine goes on, of the
	// Goroutines that do Steps.
	Switches   int `json:"switches"`
	Goroutines int `json:"goroutines"` // those that do Steps
	Steps      int `json:"steps"`      // all of them
	// Held is how long goroutines are held that could go on, at Stalls places.
	Held   time.Duration `json:"heldNanoseconds,omitempty"`
	Stalls int           `json:"stalls,omitempty"` // places at which goroutines are held
	// Seeds is 1 if the answers of the environment follow from a seed. Values are those
	// chosen one by one, and cases of a select other than the first.
	Seeds  int `json:"seeds,omitempty"`
	Values int `json:"values,omitempty"` // choices of the environment, and cases of a select, that are prescribed
}

// FindingGoroutine is a goroutine at the end of a finding's interleaving.
type FindingGoroutine struct {
	G         string `json:"g"`              // creation path
	Site      string `json:"site"`           // key
	Operation string `json:"operation"`      // in a word
	Func      string `json:"func,omitempty"` // full name of the function
	File      string `json:"file,omitempty"` // relative to the root of the program
	Line      int    `json:"line,omitempty"` // from 1
	Text      string `json:"text,omitempty"` // the source line
	// Object is the name of what it waits for, State how it stands there.
	Object string   `json:"object,omitempty"`
	State  string   `json:"state,omitempty"` // as in "blocked" or "finished"
	Stack  []string `json:"stack,omitempty"` // "function file:line", innermost first
	// Cases are those that it waits for in a select, as the source has them.
	Cases []string `json:"cases,omitempty"`
	// Holds are the locks that it holds, and the Onces of which it runs the functions, in the
	// order in which it has taken them.
	Holds []FindingAct `json:"holds,omitempty"`
	// Counter is that of the WaitGroup that it waits for.
	Counter int `json:"counter,omitempty"`
	// Owed are calls of Done that others have not come to, as many as Counter at most, where it waits for a
	// WaitGroup; of a goroutine that the WaitGroup has started it is the call of Go, since its end is that of Done.
	// Where it waits to send or to receive they are the operations on the other side, if they are few.
	Owed []FindingAct `json:"owed,omitempty"`
	// Closed says who has closed the channel on which it panics.
	Closed *FindingAct `json:"closed,omitempty"`
	// Made says where the objects were made that it waits for, or panics on, as far as that is known from the source.
	Made []FindingObject `json:"made,omitempty"`
	// Started is the operation by which it was started, or which was given the function that it runs, as
	// time.AfterFunc is.
	Started *FindingAct `json:"started,omitempty"`
}

// FindingAct is what a goroutine has done with an object.
type FindingAct struct {
	G         string `json:"g"`              // creation path
	Site      string `json:"site,omitempty"` // key
	Operation string `json:"operation"`      // in a word
	Object    string `json:"object"`         // as in FindingGoroutine
	File      string `json:"file,omitempty"` // relative to the root of the program
	Line      int    `json:"line,omitempty"` // from 1
	Text      string `json:"text,omitempty"` // the source line
}

// FindingObject says where a channel, a lock or the like was made.
type FindingObject struct {
	Object     string `json:"object"`               // as in FindingGoroutine
	Expression string `json:"expression,omitempty"` // what the operation calls it
	Variable   string `json:"variable,omitempty"`   // the variable that it is or is part of, or to which it was assigned, if that is known
	File       string `json:"file"`                 // relative to the root of the program
	Line       int    `json:"line"`                 // from 1
	Text       string `json:"text,omitempty"`       // the source line
}

// FindingStall is a goroutine that is slow at a place: time passes for so long while it
// could go on.
type FindingStall struct {
	G    string        `json:"g"`              // creation path of the goroutine
	Site string        `json:"site"`           // key
	File string        `json:"file,omitempty"` // of Site
	Line int           `json:"line,omitempty"` // of Site
	Text string        `json:"text,omitempty"` // the source line
	For  time.Duration `json:"nanoseconds"`    // how long, in nanoseconds
}

// FindingStep is one step of a finding's interleaving.
type FindingStep struct {
	Step      int    `json:"step"`           // from 1
	G         string `json:"g"`              // creation path of the goroutine
	Site      string `json:"site,omitempty"` // key
	Operation string `json:"operation"`      // in a word
	Case      int    `json:"case,omitempty"` // of a select, in source order from 0; -1 is its default
	// Taken is the case of a select as its source has it, as in "v := <-c"; "" of a default, and where
	// several cases are the same.
	Taken string `json:"taken,omitempty"`
	// Result is what the operation has given to the program in the run: a truth value or an integer, "nil" or
	// "not nil", or "closed" where a channel was found closed; "" where that is not known, or not the same in every run.
	Result string `json:"result,omitempty"`
	// Reads are what the statement has read in the run of variables that goroutines may share, as far as
	// that is short, and the same in every run.
	Reads []FindingRead `json:"reads,omitempty"`
	// Object is what the operation works on, named as in FindingGoroutine, "" where that is not known.
	Object string `json:"object,omitempty"`
	// After says how the operation has left that: how full the buffer of a channel is, as in "1 of 2", or without a
	// buffer "with" and the goroutine on the other side; the counter of a WaitGroup; the goroutines that a signal has
	// woken, or "nobody"; the value of an atomic variable, or what a statement writes. It is "" where that is not known.
	After string `json:"after,omitempty"`
	// Outcome says how the condition has turned out that the step evaluates: "true" or "false", or the case of a switch as
	// its source has it. It is "" where there is no condition, or that is not known.
	Outcome string `json:"outcome,omitempty"`
	// Waits is true if the operation could not be done at once: the goroutine waited, and it was done with a later
	// step, or never.
	Waits bool   `json:"waits,omitempty"`
	File  string `json:"file,omitempty"` // relative to the root of the program
	Line  int    `json:"line,omitempty"` // from 1
	Text  string `json:"text,omitempty"` // the source line
}

// FindingRead is a variable, or a field or the length of one, that a statement has read.
type FindingRead struct {
	Name  string `json:"name"`  // as the source has it
	Value string `json:"value"` // as in FindingStep.Result
}

// The states of goroutines at the end of a run, of FindingGoroutine.State: as the runtime has them, which
// imports nothing of this module.
const (
	StateRunning    = "running"
	StateNotStarted = "not started"
	StateAt         = "at"                   // in front of its operation, which nobody has let it do
	StateBlocked    = "blocked"              // in its operation
	StateOutside    = "outside"              // blocked in code without guards
	StateFinished   = "finished"             // its function has returned
	StatePanicked   = "panicked"             // and the program has ended so
	StateEnded      = "ended the program in" // its operation, as a call of os.Exit
)
