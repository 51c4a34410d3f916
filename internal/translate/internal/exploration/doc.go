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
//     limits (limits.go); it is kept once, or by place (places.go)
//   - allocations that can be repeated take their objects from pools (allocate.go)
//   - iterations of loops that change nothing are left out (iterations.go); while the entry is alone
//     they are kept apart (unroll.go)
//   - bounds end paths (bounds.go)
//
// What is assumed of the whole program is in Assumptions; where that is disproved the attempt is given
// up for another one. In which order deadlines pass is in deadline.go. What is left out is recorded
// as an approximation, and what cannot be executed as a Refusal.
package exploration
