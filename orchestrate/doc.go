// Package orchestrate makes the real program follow a counterexample.
//
// The passes do so by themselves: this package is for who wants to do a part of it otherwise, as
// with plans that were changed or written by hand.
//
// The trace of a bundle becomes a plan ([PlanOf]): which goroutine passes which guard, in which
// order, and what must be observed at the end. [Table] shows it as text. A plan becomes an
// Orchestration test ([Test]), ordinary Go source that a user can read, keep and run; [CheckTest]
// tells it from any other source. [Build] compiles the instrumented program with its tests into one
// [Binary]; [Replay] runs a plan on it, twice, under supervision, and says what was observed in a
// [Verdict]: reproduced, or the step that could not be done with what every goroutine was doing,
// or why there is no answer.
//
// A goroutine is named by its creation path: "0" is the entry, "0.2" the second goroutine that it
// starts. A step passes one guard of one goroutine; package orcutil says what that is, and what
// else makes up a run.
//
// # Programs
//
// A [Target] says what is built, and BuildOptions.Overlay which files of it are instrumented:
// parse.Overlay.Write makes that of the files that a bundle of the second or the deep pass has
// below overlay/. To replay a test of a bundle as it is, vtrace.Replay is enough.
//
// # Limits
//
// Programs run as children of this process, in a process group of their own, with a limit on time and
// output; the group is killed at the end of every run. A grandchild that leaves the group is not
// found. Reading and running a plan trusts the program under check as much as running its tests
// does, unless the Target has a [Sandbox]. On systems without process groups only the child itself is
// killed.
package orchestrate
