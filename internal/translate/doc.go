// Package translate makes a model of a Go program: a network of automata in
// UPPAAL's language whose behaviours are those of the program that matter to
// its concurrency, the queries that ask for errors, and a sidecar that leads
// from every location and edge back to the program.
//
// # Terms
//
// A guard is a numbered program point at which execution can be held (package
// sites): in front of every channel, lock and goroutine operation, and in front
// of statements that touch memory which goroutines share. A segment is all that
// a goroutine does from passing one guard until it arrives at the next; it is
// atomic, in the model (one edge) as in a replay. A template is the automaton
// of the goroutines that one go statement starts in one calling context; calls
// are inlined, so that a location is a whole stack: a call path, what each
// activation has deferred, and whether it is panicking.
//
// # How it works
//
// The program is brought into SSA form (internal/program), and a slice keeps what
// decides the concurrency: the operations, the branches that control them and the
// values that these depend on (internal/relevance). Segments are then executed symbolically,
// from guard to guard (internal/execution, internal/library), each path giving one
// edge: the conditions over the state before become its guard, what was
// computed the simultaneous assignment of the values that are live at the next
// location. This is repeated to a fixed point (internal/exploration) in which every
// variable at every location, and every memory cell, has a set of values or an interval
// (internal/sym); what is constant is folded away, what cannot be tracked is a free
// choice. The code before the first guard, package initialisation included, is executed
// beforehand and becomes the initial state.
//
// What is taken for true of the whole program before it has been seen, as which statements
// are shared and which goroutines start others of their own kind, are assumptions
// (exploration.Assumptions): where segments show that one is wrong, the translation begins again.
//
// Memory is a row of numbered cells (internal/state, internal/layout): a reference is the number of a
// cell, so that pointers, fields, elements, channels and closures alias exactly
// as in the program. Allocations that can be repeated draw from a pool and
// reuse objects that nothing refers to.
//
// This package makes one attempt after the other, and has all that is said to others. The packages
// below it, from what is executed to what can be said before anything is, without a path, or when
// all has been executed:
//
//   - library: what functions and types of Go's library do
//   - execution: what instructions and calls do
//   - exploration: paths, where they fork, merge and arrive, and the search up to a fixed point
//   - program: the SSA form, the call graph, control flow, what is known of library functions
//   - relevance: the slice, and how what is in it is kept
//   - termination: which loops end, and how many iterations they have
//   - omissions: what the model leaves out and loses something by
//   - growth: the room behind what append returns
//   - state: what the translation collects, as data: templates, stacks, memory, edges
//   - layout: which scalars values consist of, and what a control state keeps of them
//   - emission: the finished state as a network, queries and a sidecar
//   - sym: expressions over the state, and the sets of integers that they can be
//
// # What is an error
//
// A panic that is not recovered, a fatal error, and in a test a failure that it
// reports are errors where they happen. Main stuck for ever is a
// deadlock if all come to rest, a partial deadlock if others can go on for ever.
// Of the other goroutines of a main program, those stuck at locks, wait groups
// and Onces are partial deadlocks while main can return; those that wait at
// channels go with it, and are errors only if main never returns. After the end
// of a test, a goroutine that is stuck, or that can never end, is a leak; of those
// that the initialisation of packages has started, or by such a goroutine, which belong to
// the process, only one that is stuck at a lock, wait group or Once. That
// somebody only waits for a crash, or for the end of main, is told apart by
// monitors: processes beside those of the goroutines (internal/emission).
//
// A test ends when its function has returned and its parallel subtests have ended:
// that one of these is stuck is a deadlock of the test.
//
// # Limits
//
// Bounds (goroutines, objects, recursion, counters; see Bounds) end a path of
// the model in a location of its own, and a query tells whether one is reached.
// Where the model would be too large the least ones are used, each site of the
// program has its own, and the sidecar lists them.
// Approximations are recorded in the sidecar with position, direction and
// reason: conditions on what the model does not keep (what a map holds beyond
// four entries, floating point, computed strings, results of libraries) are
// free choices; those that another
// run may make otherwise have the kind "input". A call out of the
// program is recorded where it is given channels, locks or code that matters
// (internal/omissions); containers of the library are translated from their source, and
// what happens in them happens at the statement that calls them. Waiting
// goroutines are not served in order where that can be seen; loops without
// operations are assumed to end. Where the program does something with a channel or a lock that
// cannot be followed, as one that comes out of reflection or a large data structure, the path ends as
// at a bound, so that what comes before is all there and nothing behind it is made up
// (exploration.Path.Unfollowed). How much of the program the model has is a bound, too: with the least ones it has a
// first part of it (exploration/partial.go). What can have no model at all is an UnsupportedError.
//
// That a timer fires, a context ends by its timeout or a sleeper wakes is a step of its
// own, of the process Time or of the sleeper, at any moment behind the one in which it
// was armed: goroutines may be fast or slow. Only if its duration is a known number it
// does not come before what was armed earlier for no longer a time. An
// approximation says where the model has orders that no clock has: durations that are
// not known, timers of which one place makes several, and three deadlines or more, of
// which pairs do not tell all. Contexts are those of package context; one derived from
// another type of context never ends by it.
package translate
