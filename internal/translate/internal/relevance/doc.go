// Package relevance says what of a program matters to its concurrency: a static slice (Weiser, ICSE
// 1981) whose criterion is all that goroutines do to each other.
//
// The slice begins with the instructions that are relevant by themselves (Seed): operations on
// channels and locks, starts of goroutines, ends of the program, and calls of which nothing is
// known. From them it goes backward: over the branches that decide whether they run (control
// dependence), over the values that they use (data dependence), and over memory, by classes of
// cells: if a field is read, all that is stored in that field of any struct of its type matters.
// Classes are coarser than addresses, and nothing depends on the calling context, so that the
// slice has too much rather than too little. What is not in it cannot change which operations come
// in which order, but for the panics of the run-time system, of which those are looked for whose
// operands the slice has, or that somebody recovers (panics.go, nils.go).
//
// For what it keeps it also says how: local variables without addresses (locals.go), pointers that
// are as good as what they point to (byvalue.go), numbers of which the model has a few values
// (numbers.go), and which values are live where.
package relevance
