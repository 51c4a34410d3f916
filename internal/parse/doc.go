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
package parse
