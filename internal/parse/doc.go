// Package parse puts guards into Go programs. A guard is a call of the runtime,
// package orcruntime, in place of a concurrency operation or in front of a
// statement, with the number of its site; see package sites. The runtime
// decides when it returns. Outside of a run it does what the original did.
//
// The result is an overlay for the go command: changed copies of source files,
// a generated file per package that registers its sites and repeats its
// initialisation, and the runtime itself as a package that exists in the
// overlay only. The user's files stay as they are.
//
// Edits are made to the bytes of the files, so that line numbers and comments
// stay true. What a rewritten construct evaluates, and in which order, does not
// change: the operands of a select once and in source order, the function and
// the arguments of a go statement by the goroutine that executes it.
//
// A method of package sync that is called through an interface is guarded if,
// in a run, what is behind the interface is of package sync, or embeds it.
//
// What the environment decides, random numbers, the order of a map, what a sync.Pool
// returns, is asked of the runtime too. That is no guard, and has no site but that of
// its statement. Left as they are: a range over a map that does nothing but delete
// its entries; one with keys of interface types in a module before Go 1.20, which is
// a Diagnostic; and maps.Keys, maps.Values, maps.All, rand.N and maphash.Comparable
// where they are not called but used as values.
//
// With Options.Races, what reads or writes memory that goroutines may share is
// recorded too: package variables, variables whose address is taken or that a
// function literal uses, what pointers point to, elements, maps. A write is
// recorded when it is done. Not recorded are the first value of a variable, the
// results that a return sets, the copies of a loop's variables from one iteration
// to the next, elements that append or copy get from a call or a string, and
// what library functions touch. Other accesses that are left out are Diagnostics. The
// runtime is told where a statement with a Diagnostic is executed, if there is a list of
// statements that it belongs to: see Diagnostic.Reach.
//
// A construct that cannot be guarded stays as it is, and is reported as a
// Diagnostic. These are: cgo files; operations by reflection in forms that name no operation, as method expressions;
// initialisation that registers something in a library.
// A call of t.Fatal through a function value, deferred, or as the operand of a go
// statement, and log.Fatal as that, print another source position than the
// original.
//
// # Files
//
// The whole:
//   - instrument.go: options, diagnostics, and the entry: Index and Instrument
//   - overlay.go: the result: changed files, generated ones, the runtime
//   - generate.go: the generated file of a package: tables of sites and places
//   - join.go: the runtime in as few files as can be
//   - init.go: how the initialisation of a package is repeated
//   - modcache.go: a module cache for the build, with the changed files
//   - toolchain.go: changes to a copy of the Go runtime, for recordings
//   - ssa.go: the SSA form of the packages, made once
//   - bubbles.go: whether an entry may call synctest.Test
//
// Rewriting a file:
//   - rewrite.go: the rewriter: declarations, and what each file needs
//   - edits.go: edits of the bytes of a file, disjoint and in order
//   - stmts.go: statements and the guards in front of them
//   - stores.go: the write of an assignment, as a step of its own
//   - localloops.go: loops that need no guards
//   - helpers.go: generated functions
//   - evaluation.go: reads that compiled programs do behind the calls in their statement
//   - values.go: operations that are used as values, and method expressions
//
// Operations:
//   - operations.go: calls of guarded functions and methods, with their operands
//   - chans.go: sends, receives, ranges, select
//   - spawn.go: go and defer statements
//   - symmetry.go: what goroutines that are started at one site may differ in
//   - ends.go: calls that end the program or the test
//   - maps.go: guards in front of uses of maps
//   - polls.go: calls that a loop may poll with
//   - timers.go: timers and tickers
//   - clock.go: readings of the clock, and what depends on them
//   - environment.go: random numbers, orders of maps, pools
//   - linked.go: functions of the Go runtime that are linked by their names
//   - files.go: functions that use files by name
//   - reflected.go: what package reflect does
//
// Accesses to memory:
//   - memory.go: where memory is touched that goroutines may share
//   - races.go: how accesses are recorded
//   - reads.go: what statements read, for reports
//   - results.go: results of functions and return statements
//   - shared.go: local variables that another goroutine may see
//   - private.go: slices whose elements nobody else has
//
// Libraries:
//   - library.go: which functions order nothing
//   - forward.go: functions that only forward to what they are given
//   - given.go: what functions read and write of what they are given
//   - kept.go: what a library keeps of what it is given
//   - unlocked.go: types that one goroutine at a time may use
//   - plain.go: packages of other modules that only compute
//   - plainflow.go: what their functions do to memory
//   - pointsto.go: which memory references may refer to
//
// Where the clock decides as a number:
//   - numbers.go: the flow from the clock to what decides by it
//   - times.go: libraries that give times
package parse
