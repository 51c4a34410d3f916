//go:build go1.25

// Package orcruntime is the runtime of instrumented programs: it makes a real
// program follow a plan, guard by guard, and reports what the program did.
//
// The instrumenter replaces every concurrency operation of a program by a call
// of this package: ch <- v becomes To(ch).Send(site, v), mu.Lock() becomes
// Lock(site, &mu), and so on. Each call is a guard, identified by its site.
// Outside a run the calls do what the originals did, and the program behaves
// as ever. Inside a run, which Run starts, this package decides who goes on.
//
// What a run is, its terms, queues, time, environment, data races, ends and
// limits, is in the documentation of package orcutil, which has the names of this
// one that users need. A few settings of Config decide what is said there without
// names: after the plan decides Chooser, FirstEnabled without one; Watchdog ends a run
// that does not go on, and without one waiting for what a bubble cannot see hangs;
// Patience is how long a run outside a bubble waits for rest; with Unchecked,
// goroutines of uninstrumented code that call instrumented functions go unnoticed, and
// one that blocks in uninstrumented code ends the run as Unsupported. Events of
// uninstrumented timers are announced by Due, accesses to memory by Rd, Wr and the
// like, uses of values of the standard library by Use, removed entries of maps by
// Deletes, and loops that poll by Polled.
//
// # Every schedule
//
// Exhaust runs the program under all schedules that are not equivalent. What depends on
// what is one table, in dependence.go. A goroutine that would only queue for what another
// one holds is not granted until nothing else can go on; main returns last, since that
// ends the program. Choices of the environment, and of a select with several ready cases,
// branch. No execution is begun that is equivalent to another one, but for some after
// operations that come out in several ways, see wakeup.go. Loops that only look whether
// something has changed are followed until they have seen the same three times. Time
// passes only when nothing else can happen, or also at other moments, as often as
// Exhaustion.Stalls says; if that is at any moment, it is a step that commutes with those which have nothing to do with it.
//
// What uninstrumented code does to order goroutines is one object: each call of it
// depends on each other one. Such a call is a step of its own. With accesses to memory
// recorded, a run says which statements race: as guards they make the exploration exact.
//
// Bounding has Exhaust run all schedules with few preemptions first, of which it runs
// those once that come to the same state, see fingerprint.go. That is for programs that
// have too many schedules.
//
// # How the parts fit
//
// The methods of goroutine (arrive, block, pass, park) are what operations are
// made of. A run owns the goroutines and resumes them one by one; follow.go
// does the steps, judge.go says what was seen. Adding an operation means a
// function that enters, arrives, does the real thing or blocks, and passes;
// whoever completes a blocked goroutine sets its ready flag.
//
// The package compiles under any import path and name, which is how it travels
// into instrumented programs (see package internal/orcruntime/source).
package orcruntime
