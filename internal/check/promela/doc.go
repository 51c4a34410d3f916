// Package promela writes networks of automata as Promela, the input language
// of the model checker Spin, so that the same model can be checked by both.
//
// Export keeps the graph of states: run without reductions (spin -a -o1 -o2
// -o3, and pan compiled with -DNOREDUCE) Spin stores as many states and
// transitions as package check does. A process becomes a proctype with a label
// for each location, a binary channel a rendezvous channel. What Promela can
// say it says in Promela, so that Spin's reductions apply; functions with
// loops, stores that must be checked and the like become embedded C.
//
// # Encoding
//
//   - An edge is one atomic step. Selected values make one option each.
//   - A sender whose guard fails, or a receiver, uses a channel on which nobody
//     listens: ch[(guard -> n : 0)]. The receiver carries out the update of the
//     sender and then its own, since control passes to it in the handshake.
//   - A process whose location others must see, because it receives from a
//     broadcast channel or a query names its locations, keeps the location in a
//     variable.
//   - The sender of a broadcast chooses an edge for every process that can
//     receive, and carries out all updates.
//   - The number of processes in committed locations is a variable, and the
//     condition of what leaves no such location that it is 0.
//   - A[] p and E<> p become a process that fails an assertion when p is false,
//     or true: an error that pan reports is a violation or a witness. Compile
//     with the option -E of pan to leave deadlocks aside. A[] not deadlock and
//     E<> deadlock are pan's search for invalid end states; in larger formulas
//     deadlock is Spin's timeout, which is true where nobody else can go on.
//
// [ReadTrail] reads what Spin prints of a trail back into a trace of the network.
//
// # Limits
//
// Refused, with the position: priorities, invariants that are not constant,
// stuck(P), sup, inf and bounds, other path operators, constants of
// a process that are arrays or structs, side effects in indices, channels or
// conditions of quantifiers, and models too large for Spin (255 processes,
// 253 binary channels).
//
// An invalid evaluation (range, index, division by zero) in an update is a
// failed assertion. One in a guard is too, but Spin evaluates guards that
// package check leaves alone when nobody can synchronise.
package promela
