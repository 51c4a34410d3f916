// Package check decides queries over networks of automata by exhaustive
// search. It is the model checker of vtrace.
//
// [Verify] compiles a network of package uppaal, visits its states
// breadth-first and answers all queries in that one exploration, each as early
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
// There is no partial-order or symmetry reduction and one search uses one
// core.
package check
