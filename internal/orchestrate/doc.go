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
package orchestrate
