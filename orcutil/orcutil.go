package orcutil

import "github.com/vtrace/vtrace/internal/orcruntime"

// What a run is to do.
type (
	// Plan is what a run follows: steps, what must be observed behind them, and the answers of the
	// environment.
	Plan = orcruntime.Plan
	// Step lets one goroutine pass its pending guard, or time pass.
	Step = orcruntime.Step
	// Repeat says that steps of a plan are done several times.
	Repeat = orcruntime.Repeat
	// Expect is what must be observed once the steps are done.
	Expect = orcruntime.Expect
	// At is a goroutine at a site. If one of them is empty it is any, of the goroutines that matter.
	At = orcruntime.At
	// EnvChoice is one choice of the environment, such as a random number or the order of a map.
	EnvChoice = orcruntime.EnvChoice
)

// What a step may be besides the passing of a guard.
const (
	// TimeStep as Step.G lets time pass to the next event.
	TimeStep = orcruntime.TimeStep
	// Reach as Step.Case has a goroutine come to a guard, or without a Site to its end, by guards that the
	// plan does not name.
	Reach = orcruntime.Reach
)

// What a run has shown.
type (
	// Result is what a run observed. It is what a test writes to the file that EnvResult names. Its Verdict is one of the
	// constants of package orchestrate, as orchestrate.Reproduced.
	Result = orcruntime.Result
	// Outcome is how the program ended.
	Outcome = orcruntime.Outcome
	// GState is what a goroutine does at the end of a run: its state is one of the State constants of
	// package artifact.
	GState = orcruntime.GState
	// Act is what a goroutine has done with an object: that it has taken a lock, say.
	Act = orcruntime.Act
	// Stall is that time has passed while a goroutine could go on.
	Stall = orcruntime.Stall
	// LogLine says that a goroutine passed a guard.
	LogLine = orcruntime.LogLine
	// Site is the number of a site in one build of the program. Plans have keys, which stay the same.
	Site = orcruntime.Site
	// Effect says on what the operation of a step works, and how it has left that.
	Effect = orcruntime.Effect
	// GivenValue is what the operation of a step has given to the program, as a receive does.
	GivenValue = orcruntime.GivenValue
	// ReadValue is what a statement has read.
	ReadValue = orcruntime.ReadValue
	// Race is a data race: two accesses to the same memory, one of them a write, with nothing that
	// orders them.
	Race = orcruntime.Race
	// RaceAccess is one side of a race.
	RaceAccess = orcruntime.RaceAccess
)

// What explorations of all schedules count, of orchestrate.Exhaustive.
type (
	// Exhausted is how far an exploration has come: its runs, steps, bounds and data races.
	Exhausted = orcruntime.Exhausted
	// Bounded is how far it has come with a bound of preemptions.
	Bounded = orcruntime.Bounded
	// Frontier is what it has left to do. Nobody needs to look into it: orchestrate.Exhaustive has it as bytes, to go
	// on with.
	Frontier = orcruntime.Frontier
	// Node is a choice of a Frontier.
	Node = orcruntime.Node
)

// The environment variables that an Orchestration test looks at. Each names a file.
const (
	// EnvResult: the Result, as JSON.
	EnvResult = orcruntime.EnvResult
	// EnvLog: a line for each guard that was passed, in words, as it happens.
	EnvLog = orcruntime.EnvLog
	// EnvJournal: a line for each step before it is done: its number, the goroutine, the key of the site,
	// how often the goroutine has come there, and the case.
	EnvJournal = orcruntime.EnvJournal
)
