// Package exploration finds all that a program can do, by symbolic execution up to a fixed point.
//
// A Path is an execution of one segment: its frames, what it has written and what it knows. It assumes
// conditions, forks where both sides are possible, and arrives at a location, with what its variables
// and cells can be there. Where that is new the segments that begin there are executed, until there
// is nothing new (Explorer.Solve). Then all are executed once more for the edges of the model.
//
// What an instruction does is for the packages above: it is called for by Semantics, and says it by the
// methods of the path and of the explorer.
//
// That the search ends, and soon, is by what is given up or put together:
//
//   - paths that have forked merge where they come to the same point (merge.go), or the segment ends
//     there (split.go)
//   - what a cell or a variable can hold becomes an interval, and then anything but for
//     limits (limits.go); it is kept once, or by location (bylocation.go)
//   - allocations that can be repeated take their objects from pools (allocate.go)
//   - iterations of loops that change nothing are left out (iterations.go); while the entry is alone
//     they are kept apart (unroll.go)
//   - bounds end paths (bounds.go)
//
// What is assumed of the whole program is in Assumptions; where that is disproved the attempt is given
// up for another one. In which order deadlines pass is in deadline.go. What is left out is recorded
// as an approximation, and what cannot be executed as a Refusal.
//
// # Files
//
// The search:
//   - options.go: options, and what the code of a program does, as Semantics
//   - explorer.go: the explorer: what an attempt at a model knows
//   - solve.go: the fixed point
//   - worklist.go: which segments are to be executed again
//   - assumptions.go: what is assumed of the whole program
//   - edges.go: the edges of the model, at the end
//   - account.go: refusals and approximations
//
// Paths:
//   - path.go: a path, and what is known on it
//   - table.go: maps that paths share until one changes them
//   - arrive.go: locations, and what a path brings there
//   - template.go: the activations that tell locations apart
//   - top.go: the frame on top of the stack
//   - locals.go: parts of local variables
//   - picks.go: values that are chosen
//   - bits.go: operations on bits
//
// What keeps it small:
//   - merge.go: paths that merge
//   - split.go: segments that end where there are too many paths
//   - limits.go: numbers that grow, until they are saturated
//   - bylocation.go: what a cell holds, by location
//   - iterations.go: iterations of loops that change nothing
//   - unroll.go: iterations of loops that are kept apart
//   - trips.go: how often a block runs
//   - variants.go: numbers that are chosen at the beginning, followed one by one
//   - bounds.go: bounds, and where they are reached
//   - partial.go: the first part of a program that is too large
//
// Memory:
//   - allocate.go: objects of allocations
//   - created.go: objects that are new in a segment
//   - copies.go: copies of locks and the like
//   - shared.go: statements that touch what goroutines share
//   - held.go: locks that are held for certain
//
// Guards, time and queues:
//   - annotations.go: annotated statements
//   - spin.go: loops that wait
//   - funcuse.go: operations that are function values
//   - deadline.go: in which order deadlines pass
//   - queues.go: in which order those who wait are served
package exploration
