// Package orchestrate makes the real program follow a counterexample.
//
// A trace of the model ([TraceOf]) becomes a plan ([PlanOf]): which goroutine
// passes which guard, in which order, and what must be observed at the end. A
// plan becomes an Orchestration test ([Test]), ordinary Go source that a user
// can read, keep and run. [Build] compiles the instrumented program with its
// tests into one binary; [Replay] runs a plan on it, twice, under supervision,
// and says what was observed in a [Verdict]: reproduced, or the step that could
// not be done with what every goroutine was doing, or why there is no answer.
// [Labels.Refute] turns a trace that the program does not follow into labels
// that the checker leaves out from then on.
//
// A goroutine is named by its creation path: "0" is the entry, "0.2" the second
// goroutine that it starts. A step passes one guard of one goroutine; see
// package orcruntime for what that does.
//
// Limits. Programs run as children of this process, in a process group of their
// own, with a limit on time and output; the group is killed at the end of every
// run. A grandchild that leaves the group is not found. Reading and running a
// plan trusts the program under check as much as running its tests does. On
// systems without process groups only the child itself is killed.
//
// # Files
//
// From a trace to a test:
//   - trace.go: traces of the checker's answers
//   - path.go: the paths of goroutines that callbacks start
//   - plan.go: plans of traces
//   - label.go: what transitions are in the eyes of the program
//   - testfile.go: the test of a plan, as Go source
//   - checktest.go: whether a test is such a one
//   - finding.go: a plan in the words of the program
//   - outcome.go: how conditions turn out
//
// Building and running:
//   - target.go: the program that tests are for
//   - build.go: the binary of a program with its tests
//   - run.go: a run of it, and what it has written
//   - runtest.go: one of its tests, as the go command runs it
//   - group.go: commands that end with all that they have started
//   - bounded.go: output of which the first and the last part is kept
//   - sandbox.go: what keeps a program from the rest of the machine
//   - verdict.go: what was observed
//   - replay.go: a plan, twice
//   - screen.go: other ways to follow a plan, in one process
//   - refute.go: what a replay has taught
//   - plain.go: the program as it is, not instrumented
//
// Many runs:
//   - explore.go: random schedules
//   - exhaust.go: every schedule
//   - parts.go: the same, by several processes
//   - fuzz.go: runs that are made of others
//   - minimise.go: simpler schedules
//   - record.go: a run by choices of its own
//   - recording.go: recordings, of runs that are free or under control
//
// Runs in the model:
//   - track.go: where the model can be after what a run has done
//   - history.go: where it can have been before
//   - stages.go: where a run is in it after each step
//   - follow.go: recordings that are followed in it
package orchestrate
