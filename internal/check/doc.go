// Package check decides queries over networks of automata by exhaustive
// search. It is the model checker of vtrace.
//
// [Verify] compiles a network of package uppaal, visits its states, by default
// breadth-first, and answers all queries in that one exploration, each as early
// as it can be. A violated A[] query and a satisfied E<> query come with a
// shortest trace. Every trace is followed on a second, simple implementation of
// the semantics before it is reported; a disagreement is an Error result whose
// reason begins with "internal:".
//
// # Semantics
//
// It is that of UPPAAL without clocks; see the documentation of UPPAAL. Where
// that leaves something open, this package decides as follows.
//   - Integers have 32 bits and wrap around. Leaving a range on a store,
//     argument or result, an index outside its array, a division by zero, a
//     shift by a negative number and a loop that does not end are invalid. An
//     invalid evaluation met while successors are computed ends the search:
//     the queries then undecided are Error, with the place and a trace. One
//     met in a formula concerns this query alone.
//   - A guard is evaluated only if it may matter: those of receiving edges if
//     somebody sends over a channel that they may receive from.
//   - Expressions are evaluated left to right, the left side of an assignment
//     first; &&, ||, imply and ?: skip what they do not need.
//   - Meta variables start each step with their initial value. They are not
//     part of the state, and invariants and formulas see the initial value.
//   - Channels without a priority, and internal transitions, have the priority
//     "default", which is below all others unless the declaration lists it.
//   - E[], A<> and --> know no fairness: a process may rest for ever where
//     time can pass, which is in every state without urgent or committed
//     location and urgent synchronisation.
//
// The atom stuck(P), which UPPAAL does not have, is true in the states from
// which process P takes part in no transition in any continuation. It needs
// the whole state graph. A deadlock makes it true at once; if that decides a
// query and the search has nothing else to do it ends there, and the trace
// need not be the shortest.
//
// # Limits
//
// Options bound memory, states and time. Memory is what states, tables and
// graphs take, counted before it is allocated. When a budget is reached, and
// when the context ends, the queries still open are Maybe with the reason; a
// Maybe is never a True. At most 2^32-2 states are stored.
//
// With Options.HashCompaction, by request only, a state of several words takes
// some 22 bytes once it has been expanded, and two states with the same 64-bit
// hash are taken for one. Violations of A[] and witnesses of E<> that are found
// are real; where none is found the answer is Maybe, with the probability that
// something was left out.
//
// # Search
//
// States are packed into words by the ranges of their variables and kept in an
// arena in the order in which they were found, which is also the queue, with
// an ordered hash table of their numbers. A breadth-first search runs on all
// cores, level by level, in passes that give every state the number that one
// core would have given it: verdicts, traces and counts do not depend on
// Options.Workers. Depth-first searches use one core and find traces that may
// be long.
//
// A formula is only looked at in states that differ from the state they were
// reached from in something that it reads.
//
// An invalid evaluation ends a breadth-first search with the level of its
// state, so that which queries are decided before does not depend on the order
// of transitions.
//
// # Stubborn sets
//
// Unless Options.Reductions says otherwise, a state is expanded by a stubborn
// set of its transitions where that is certain to keep all verdicts and the
// lengths of shortest traces; which of several shortest traces is found may
// differ, and Stats count what was explored. For deadlocks the set has an
// enabled member; for states that satisfy a formula it holds everything that
// may make a false conjunct of it true. All open queries of a call are looked
// for at once, so that few queries at a time reduce more.
//
// Queries with stuck atoms are searched in full, for shortest traces, up to 65 536
// states. If there are more, the other queries are decided first, on their own, and
// then these with key steps (below), unless one of them holds where a process is
// not stuck. Their traces need not be the shortest then.
//
// A full search is made without queries, with E[], A<> or -->, with refuted sequences, with priorities or invariants, if a formula is
// true because "deadlock" is false, and if a guard, a channel or a formula may
// be invalid as far as ranges of variables tell. An update that may be invalid
// is looked for like a formula, which weakens the reduction: guards such as
// n < N before n++ help. States with committed locations are expanded in full.
// A reduction that leaves out little is suspended for some levels.
//
// First, a search also uses sets with a key step, one that spoils no formula
// and goes forward, and fuses local steps (Reductions.NoInvisible and
// NoFusing). That keeps what can be reached, but makes paths longer, so that
// the queries which it decides by a state are searched for once more without,
// for shortest traces; Stats count both. If a budget ends the second search,
// the first one's trace stands, which need not be the shortest.
//
// # Symmetry
//
// Where nothing tells the values of a scalar type (scalar[n], 2 <= n <= 64) from
// each other, states that differ in their names only are taken for one, unless
// Reductions.NoSymmetry: processes with a parameter of the type, elements of
// arrays indexed by it and variables that hold its values are renamed together.
// Verdicts and the lengths of shortest traces stay; traces are those of the
// network as it is. With a scalar type for n processes that are alike there are
// up to n! times fewer states.
//
// What tells values apart switches it off for that type: a constant, a meta
// variable or a variable that nothing assigns to that holds a value or differs
// between elements, a variable of a function without initial value, an array
// given as a list in a function, a loop over the type, forall and exists over
// it whose body may be invalid (as far as this is seen: no division, no call,
// indices in range by their types), an invariant of such a process that may be,
// receivers of a broadcast that change more than their own variables, and
// queries that name a process by its number. The initial values of variables
// need not be alike. It is off without queries, with stuck atoms, with E[],
// A<> or -->, with refuted sequences and with Options.From. It is combined with
// stubborn sets, but neither with key steps nor with fusing.
//
// # Other starts
//
// Options.From has a search begin behind paths from the initial state: in the states
// that a run of the program has led to, say. Refuted sequences go on where the paths
// leave off. Stubborn sets, key steps and fusing depend on the state at hand and what
// follows, and are used as ever.
//
// # Files
//
// What is asked and answered:
//   - check.go: engines, options, verdicts, reports
//   - verify.go: the embedded engine, from networks to results
//   - query.go: queries as the search sees them
//   - measure.go: sup, inf and bounds
//   - liveness.go: queries about paths
//   - stuck.go: the atom stuck(P)
//   - trace.go: traces
//   - walk.go: a network, step by step, as its user chooses
//   - start.go: searches that begin behind paths
//
// Compilation:
//   - compile.go: networks
//   - compile_expr.go: expressions
//   - compile_stmt.go: statements and assignments
//   - program.go: what comes out: processes, locations, edges, channels
//   - machine.go: cells, faults, and the state that is at hand
//   - conjunct.go: conditions, one by one
//   - effects.go: what code reads and writes
//   - ranges.go: bounds of expressions
//   - visit.go: what a syntax tree writes
//
// Search:
//   - plan.go: which searches decide the queries
//   - search.go: one search, in rounds
//   - order.go: orders of exploration
//   - succ.go: the transitions of a state
//   - worker.go: one that expands states
//   - parallel.go: several of them, in passes
//   - barrier.go: where they wait for each other
//   - recent.go: states that were seen not long ago
//   - watch.go: which queries a state may decide
//   - monitor.go: refuted sequences
//   - pace.go: when to look at the clock
//
// States:
//   - store.go: the visited set, packed, and the bytes that it may have
//   - table.go: hash tables of state numbers
//   - compact.go: hash compaction
//   - alloc_unix.go: memory that is mapped
//   - alloc_other.go: the same, elsewhere
//
// Reductions:
//   - structure.go: which transitions enable and disturb which
//   - stubborn.go: stubborn sets
//   - visibility.go: key steps
//   - fuse.go: local steps that are fused
//   - symmetry.go: symmetry of scalar types
//   - scalarsites.go: where their values are
//   - toldapart.go: what tells them apart
//   - normalise.go: one state of those that are alike
//
// The second implementation:
//   - reference.go: states and transitions
//   - reference_eval.go: expressions
//   - replay.go: traces that are followed on it
package check
